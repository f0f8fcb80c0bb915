//! Large blocks of memory, in huge pages where the system gives them.
//!
//! Beside the vectors of `simd` this is the only module with `unsafe` code.

/// Asks for huge pages under `values`, for what of it no one has touched yet.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn advise<T>(values: &[T]) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGE: usize = 1 << 21;
    const MADV_HUGEPAGE: c_int = 14;
    let (start, len) = (values.as_ptr() as usize, size_of_val(values));
    let (first, end) = (start.next_multiple_of(HUGE_PAGE), (start + len) & !(HUGE_PAGE - 1));
    if first < end {
        // SAFETY: whole pages inside our allocation; the advice changes nothing that a program
        // can read. Where it is refused, nothing happens.
        unsafe { madvise(first as *mut c_void, end - first, MADV_HUGEPAGE) };
    }
}

/// Asks for huge pages, which only Linux has.
#[cfg(not(target_os = "linux"))]
pub fn advise<T>(_values: &[T]) {}
