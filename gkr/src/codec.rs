//! Canonical encoding: little-endian words below p, extension elements as five words.
//!
//! Lengths are the caller's: they come from the statement, never from the input. There is
//! therefore no way to make a reader allocate by writing a large number.
#![deny(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use crate::{E, F, Reject, count};

/// Bytes in one word.
pub const WORD_BYTES: usize = 4;
/// Words in one element of the extension.
pub const DEGREE: usize = 5;

/// An element's words, the coefficient of 1 first.
pub fn limbs(element: &E) -> &[F] {
    element.as_basis_coefficients_slice()
}

/// Appends `words` to `out`, four little-endian bytes each.
pub fn put_words(out: &mut Vec<u8>, words: &[F]) {
    out.reserve(words.len().saturating_mul(WORD_BYTES));
    for word in words {
        out.extend_from_slice(&word.as_canonical_u32().to_le_bytes());
    }
}

/// Appends `elements` to `out`, five words each.
pub fn put_elements(out: &mut Vec<u8>, elements: &[E]) {
    for element in elements {
        put_words(out, limbs(element));
    }
}

/// Appends a count, eight little-endian bytes.
pub(crate) fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&(count as u64).to_le_bytes());
}

/// Reads canonical values from the front of a byte slice.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of all of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are still unread.
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// [`Reject::Truncated`] when fewer are left.
    pub fn bytes(&mut self, len: usize) -> Result<&'a [u8], Reject> {
        let (head, rest) = self.rest.split_at_checked(len).ok_or(Reject::Truncated)?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    /// [`Reject::Truncated`] when fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Reject> {
        count::words(N.div_ceil(WORD_BYTES));
        self.raw()
    }

    fn raw<const N: usize>(&mut self) -> Result<[u8; N], Reject> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(Reject::Truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    /// The next word.
    ///
    /// # Errors
    /// [`Reject::Truncated`], or [`Reject::NonCanonicalWord`] for a word of p or more.
    pub fn word(&mut self) -> Result<F, Reject> {
        count::words(1);
        self.uncounted()
    }

    fn uncounted(&mut self) -> Result<F, Reject> {
        let raw = u32::from_le_bytes(self.raw()?);
        if raw >= F::ORDER_U32 {
            return Err(Reject::NonCanonicalWord);
        }
        Ok(F::from_u32(raw))
    }

    /// The next element of the extension.
    ///
    /// # Errors
    /// As [`Reader::word`].
    pub fn element(&mut self) -> Result<E, Reject> {
        count::elements(1);
        self.uncounted_element()
    }

    fn uncounted_element(&mut self) -> Result<E, Reject> {
        let mut limbs = [F::ZERO; DEGREE];
        for limb in &mut limbs {
            *limb = self.uncounted()?;
        }
        Ok(E::from_basis_coefficients_fn(|i| limbs.get(i).copied().unwrap_or_default()))
    }

    /// The next `len` words; nothing is allocated unless the input holds them.
    ///
    /// # Errors
    /// As [`Reader::word`].
    pub fn words(&mut self, len: usize) -> Result<Vec<F>, Reject> {
        self.require(len, WORD_BYTES)?;
        count::words(len);
        (0..len).map(|_| self.uncounted()).collect()
    }

    /// The next `len` elements; nothing is allocated unless the input holds them.
    ///
    /// # Errors
    /// As [`Reader::word`].
    pub fn elements(&mut self, len: usize) -> Result<Vec<E>, Reject> {
        self.require(len, WORD_BYTES * DEGREE)?;
        count::elements(len);
        (0..len).map(|_| self.uncounted_element()).collect()
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Reject::Trailing`] when bytes are left over.
    pub const fn finish(self) -> Result<(), Reject> {
        if self.rest.is_empty() { Ok(()) } else { Err(Reject::Trailing(self.rest.len())) }
    }

    fn require(&self, len: usize, size: usize) -> Result<(), Reject> {
        match len.checked_mul(size) {
            Some(bytes) if bytes <= self.rest.len() => Ok(()),
            _ => Err(Reject::Truncated),
        }
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_and_elements_come_back() {
        let words = [F::ZERO, F::ONE, F::NEG_ONE];
        let elements = [E::from_basis_coefficients_fn(|i| F::from_usize(i + 7)), E::NEG_ONE];
        let mut bytes = Vec::new();
        put_words(&mut bytes, &words);
        put_elements(&mut bytes, &elements);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.words(3).unwrap(), words);
        assert_eq!(reader.elements(2).unwrap(), elements);
        reader.finish().unwrap();
    }

    #[test]
    fn refuses_words_of_the_modulus_or_more() {
        for raw in [F::ORDER_U32, F::ORDER_U32 + 1, u32::MAX] {
            assert_eq!(Reader::new(&raw.to_le_bytes()).word(), Err(Reject::NonCanonicalWord));
        }
    }

    #[test]
    fn refuses_short_and_long_input() {
        assert_eq!(Reader::new(&[0; 7]).words(2), Err(Reject::Truncated));
        assert_eq!(Reader::new(&[0; 7]).words(usize::MAX), Err(Reject::Truncated));
        assert_eq!(Reader::new(&[0; 19]).element(), Err(Reject::Truncated));
        assert_eq!(Reader::new(&[0; 3]).finish(), Err(Reject::Trailing(3)));
    }
}
