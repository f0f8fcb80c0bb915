//! Vectors of sixteen words, and what the walk's prover computes with them.
//!
//! [`Vector`] is the machine: sixteen lanes in whatever registers there are. [`x86`] holds it
//! in AVX-512 or AVX2 registers, chosen when compiled, [`portable`] in plain words; every
//! operation of the first is tested against the second. [`kernels`] is written once on top, so
//! what a kernel computes cannot depend on the machine.
//!
//! *Lazy reduction.* A [`Vector::Wide`] is a sum of products that was not reduced yet, 64 bits
//! a lane. Let B = p·2^32, so that 2p² < B and 4p² < 2^64:
//! - a *settled* sum is below B; only settled sums may be reduced or kept;
//! - a settled sum takes two more products, a fresh one holds four; then it must be settled;
//! - two settled sums may be added and settled again.
//!
//! A [`Vector::Tally`] adds up many products, and in the end all lanes, with half the
//! instructions: sums mod 2^64 and, apart, their upper halves, which together give the whole.
//! Its factors are signed: one between −p and p, as reducing leaves it, the other *balanced*,
//! between −p/2 and p/2, so that four products fit in 64 bits.
//!
//! [`blake3`] hashes sixteen messages in the same manner.
//!
//! Beside [`memory`](crate::memory) this is the only module with `unsafe` code.

pub(crate) mod blake3;
pub(crate) mod kernels;
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
pub(crate) mod portable;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) mod x86;

use p3_field::PrimeCharacteristicRing;

use crate::{F, memory};

/// Lanes of a [`Row`].
pub(crate) const LANES: usize = 16;

/// The vector of the machine that this was compiled for.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
pub(crate) type Native = x86::Avx512;
/// The vector of the machine that this was compiled for.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512f")))]
pub(crate) type Native = x86::Avx2;
/// The vector of the machine that this was compiled for.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(crate) type Native = portable::Portable;

/// Sixteen words in memory, one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [F; LANES]);

/// Sixteen elements of E, limb by limb.
pub(crate) type ExtRow = [Row; 5];

impl Row {
    /// All lanes zero.
    pub(crate) const ZERO: Self = Self([F::new(0); LANES]);
}

/// Rows in memory that is mapped as it is first written, by whoever writes it, in huge pages
/// where the system gives them: a trace is hundreds of megabytes, and small pages cost more
/// than what is written into them.
#[derive(Debug)]
pub(crate) struct Rows {
    /// One row more than needed, to align the rest.
    words: Vec<F>,
    len: usize,
}

impl Rows {
    /// `len` rows of zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        // This asks the allocator for zeroed memory, which for rows themselves, aligned as
        // they are, would be written at once.
        let words = F::zero_vec((len + 1) * LANES);
        memory::advise(&words);
        Self { words, len }
    }
}

impl std::ops::Deref for Rows {
    type Target = [Row];

    #[allow(unsafe_code)]
    fn deref(&self) -> &[Row] {
        // SAFETY: sixteen words, aligned, are a row.
        let (_, rows, _) = unsafe { self.words.align_to() };
        &rows[..self.len]
    }
}

impl std::ops::DerefMut for Rows {
    #[allow(unsafe_code)]
    fn deref_mut(&mut self) -> &mut [Row] {
        // SAFETY: as above.
        let (_, rows, _) = unsafe { self.words.align_to_mut() };
        &mut rows[..self.len]
    }
}

impl Clone for Rows {
    /// Row by row: a copy of the words might be aligned otherwise.
    fn clone(&self) -> Self {
        let mut rows = Self::zeros(self.len);
        rows.copy_from_slice(self);
        rows
    }
}

/// Sixteen words in registers.
pub(crate) trait Vector: Copy + Send + Sync + 'static {
    /// The same lanes, ready to be multiplied.
    type Split: Copy + Send + Sync;
    /// Sums of products, 64 bits a lane.
    type Wide: Copy;
    /// Sums of up to 2^30 products.
    type Tally: Copy + Send + Sync;

    /// The empty tally.
    const NO_TALLY: Self::Tally;

    fn load(row: &Row) -> Self;
    fn store(self, row: &mut Row);
    fn splat(word: F) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn cube(self) -> Self;
    fn split(self) -> Self::Split;
    /// The cubes, each between −p and p; for [`Self::count`] alone.
    fn cube_split(self) -> Self::Split;
    /// The same lanes, balanced; for [`Self::count`] alone.
    fn balance(self) -> Self::Split;
    /// One word for all lanes, ready to be multiplied.
    fn splat_split(word: F) -> Self::Split;
    /// The empty sum; settled.
    fn zero() -> Self::Wide;
    /// One product; settled.
    fn product(a: Self::Split, b: Self::Split) -> Self::Wide;
    /// One product more.
    fn mul_add(sum: Self::Wide, a: Self::Split, b: Self::Split) -> Self::Wide;
    /// The sum of two settled sums; not settled.
    fn join(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Brings a sum below B.
    fn settle(sum: Self::Wide) -> Self::Wide;
    /// The words that a settled sum stands for.
    fn reduce(sum: Self::Wide) -> Self;
    /// Adds four products, of factors between −p and p and balanced ones.
    fn count(tally: &mut Self::Tally, a: [Self::Split; 4], b: [&Self::Split; 4]);
    /// Adds another tally.
    fn merge(tally: &mut Self::Tally, other: &Self::Tally);
    /// The sum of all lanes.
    fn total(tally: &Self::Tally) -> F;
}

/// Asks for rows that are needed soon: a column ends where a page does, which is as far as the
/// processor looks ahead by itself.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn prefetch(rows: &[Row]) {
    use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    for row in rows {
        // SAFETY: every x86-64 has the instruction, and it reads nothing that a program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(core::ptr::from_ref(row).cast()) };
    }
}

/// Does nothing.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn prefetch(_rows: &[Row]) {}

#[cfg(test)]
mod tests;
