//! The vector in plain words: what the others must equal, and what runs where they do not.
//!
//! Operations are calls of their own: inlined into kernels, sixteen lanes of plain words take
//! minutes to compile and gain nothing.

use std::array::from_fn;

use p3_field::PrimeCharacteristicRing;

use super::{LANES, Row, Vector};
use crate::F;

/// Sixteen words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([F; LANES]);

impl Vector for Portable {
    type Split = Self;
    type Wide = Self;
    type Tally = Self;

    const NO_TALLY: Self = Self([F::ZERO; LANES]);

    #[inline(never)]
    fn load(row: &Row) -> Self {
        Self(row.0)
    }
    #[inline(never)]
    fn store(self, row: &mut Row) {
        row.0 = self.0;
    }
    #[inline(never)]
    fn splat(word: F) -> Self {
        Self([word; LANES])
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }
    #[inline(never)]
    fn cube(self) -> Self {
        Self(self.0.map(|a| a.cube()))
    }
    #[inline(never)]
    fn split(self) -> Self {
        self
    }
    #[inline(never)]
    fn splat_split(word: F) -> Self {
        Self::splat(word)
    }
    #[inline(never)]
    fn zero() -> Self {
        Self([F::ZERO; LANES])
    }
    #[inline(never)]
    fn product(a: Self, b: Self) -> Self {
        Self(from_fn(|i| a.0[i] * b.0[i]))
    }
    #[inline(never)]
    fn mul_add(sum: Self, a: Self, b: Self) -> Self {
        sum.add(Self::product(a, b))
    }
    #[inline(never)]
    fn join(a: Self, b: Self) -> Self {
        a.add(b)
    }
    #[inline(never)]
    fn settle(sum: Self) -> Self {
        sum
    }
    #[inline(never)]
    fn reduce(sum: Self) -> Self {
        sum
    }
    #[inline(never)]
    fn cube_split(self) -> Self {
        self.cube()
    }
    #[inline(never)]
    fn balance(self) -> Self {
        self
    }
    #[inline(never)]
    fn count(tally: &mut Self, a: [Self; 4], b: [&Self; 4]) {
        for (a, &b) in a.into_iter().zip(b) {
            *tally = Self::mul_add(*tally, a, b);
        }
    }
    #[inline(never)]
    fn merge(tally: &mut Self, other: &Self) {
        *tally = tally.add(*other);
    }
    #[inline(never)]
    fn total(tally: &Self) -> F {
        tally.0.iter().copied().sum()
    }
}
