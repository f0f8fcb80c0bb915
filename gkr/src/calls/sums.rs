//! Sources that are affine sums of others, side by side for a whole table.

use std::ops::Range;

use super::Source;
use crate::F;

/// Terms in a sum of [`CallTable::affine`](super::CallTable::affine), at most: enough to put a
/// word together from its bits.
pub const MAX_TERMS: usize = 32;

/// An affine sum: `constant + Σ coefficient·source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum<'a> {
    /// What is added in every row.
    pub constant: F,
    /// Coefficients and what they multiply, which is no sum itself.
    pub terms: &'a [(F, Source)],
}

/// The sums of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Constants, and where the terms lie.
    pub(super) list: Vec<(F, Range<usize>)>,
    pub(super) terms: Vec<(F, Source)>,
}

impl Sums {
    pub(super) const fn new() -> Self {
        Self { list: Vec::new(), terms: Vec::new() }
    }

    /// # Panics
    /// As [`CallTable::affine`](super::CallTable::affine).
    pub(super) fn push(&mut self, constant: F, terms: &[(F, Source)]) -> Source {
        assert!(terms.len() <= MAX_TERMS, "a sum has at most {MAX_TERMS} terms");
        let nested = terms.iter().any(|(_, source)| matches!(source, Source::Affine { .. }));
        assert!(!nested, "a sum's terms are no sums");
        let start = self.terms.len();
        self.terms.extend_from_slice(terms);
        self.list.push((constant, start..self.terms.len()));
        Source::Affine { sum: self.list.len().wrapping_sub(1) }
    }

    pub(super) const fn len(&self) -> usize {
        self.list.len()
    }

    /// # Panics
    /// When there is no such sum.
    pub(super) fn get(&self, sum: usize) -> Sum<'_> {
        let (constant, ref terms) = self.list[sum];
        Sum { constant, terms: &self.terms[terms.clone()] }
    }

    /// The sources that a source is made of: a sum's terms, else itself.
    pub(super) fn parts<'a>(&'a self, source: &'a Source) -> impl Iterator<Item = &'a Source> {
        let (own, terms) = match *source {
            Source::Affine { sum } => (None, self.get(sum).terms),
            _ => (Some(source), &[][..]),
        };
        own.into_iter().chain(terms.iter().map(|(_, part)| part))
    }

    /// Whether some of the sources run through their piece's own digests.
    pub(super) fn chained(&self, inputs: &[Source]) -> bool {
        let shifted = |part: &Source| matches!(part, Source::Shifted { .. });
        inputs.iter().any(|source| self.parts(source).any(shifted))
    }
}
