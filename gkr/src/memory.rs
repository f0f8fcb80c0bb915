//! Large blocks of memory, in huge pages and kept for the next who wants one.
//!
//! A prover of 2^24 words writes gigabytes into fresh memory, hundred megabytes at a time. The
//! kernel takes longer to map and clear those in pages of 4 KiB than many a loop takes to fill
//! them; in pages of 2 MiB it is faster, and fastest where nothing has to be mapped. So
//! [`HugePages`] maps large blocks itself, asks for huge pages under them and keeps freed ones,
//! but never holds more than the program once did. That is for Linux; elsewhere nothing here does
//! anything. A child of `fork` that allocates before `exec` may wait for ever, should another
//! thread have been allocating.
//!
//! Beside the vectors of `simd` this is the only module with `unsafe` code.
#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod huge;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod plain;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use huge as system;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
use plain as system;

/// The system's allocator, but for blocks of some MiB.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: airda_gkr::memory::HugePages = airda_gkr::memory::HugePages;
/// # fn main() {
/// # assert_eq!(vec![0u8; 5 << 20].len(), 5 << 20);
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

/// Asks for huge pages under `values`, for what of it no one has touched yet.
pub fn advise<T>(values: &[T]) {
    system::advise(values.as_ptr() as usize, size_of_val(values));
}
