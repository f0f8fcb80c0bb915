//! Canonical words, and nothing but them: the proof's bytes.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use crate::{E, F, Reject};

/// Bytes in a word.
pub(crate) const WORD: usize = 4;
/// Bytes in an element of E.
pub(crate) const ELEMENT: usize = 20;

/// What is left to read.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `N` bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Reject> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Reject::Truncated)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn word(&mut self) -> Result<F, Reject> {
        let word = u32::from_le_bytes(self.bytes()?);
        if word < F::ORDER_U32 { Ok(F::from_u32(word)) } else { Err(Reject::NonCanonicalWord) }
    }

    pub(crate) fn element(&mut self) -> Result<E, Reject> {
        let mut limbs = [F::ZERO; ELEMENT / WORD];
        for limb in &mut limbs {
            *limb = self.word()?;
        }
        E::from_basis_coefficients_slice(&limbs).ok_or(Reject::Truncated)
    }

    /// `count` items of `size` bytes each; nothing is allocated unless they are there.
    pub(crate) fn many<X>(
        &mut self,
        count: usize,
        size: usize,
        mut item: impl FnMut(&mut Self) -> Result<X, Reject>,
    ) -> Result<Vec<X>, Reject> {
        match count.checked_mul(size) {
            Some(bytes) if bytes <= self.0.len() => (0..count).map(|_| item(self)).collect(),
            _ => Err(Reject::Truncated),
        }
    }

    pub(crate) fn words(&mut self, count: usize) -> Result<Vec<F>, Reject> {
        self.many(count, WORD, Self::word)
    }

    pub(crate) fn elements(&mut self, count: usize) -> Result<Vec<E>, Reject> {
        self.many(count, ELEMENT, Self::element)
    }

    /// Refuses bytes that nobody read.
    pub(crate) const fn finish(self) -> Result<(), Reject> {
        if self.0.is_empty() { Ok(()) } else { Err(Reject::Trailing(self.0.len())) }
    }
}

#[cfg(feature = "prover")]
pub(crate) fn put_words(out: &mut Vec<u8>, words: &[F]) {
    out.extend(words.iter().flat_map(|word| word.as_canonical_u32().to_le_bytes()));
}

#[cfg(feature = "prover")]
pub(crate) fn put_elements(out: &mut Vec<u8>, elements: &[E]) {
    for element in elements {
        put_words(out, element.as_basis_coefficients_slice());
    }
}
