//! eq(a, b) = Π_j (a_j·b_j + (1 − a_j)(1 − b_j)); points and indices are little-endian.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use crate::E;

/// `eq(point, ·)` over the hypercube, little-endian.
pub(crate) fn eq_table(point: &[E]) -> Vec<E> {
    let mut table = Vec::with_capacity(1 << point.len());
    table.push(E::ONE);
    for &r in point {
        let high: Vec<E> = table.iter().map(|&entry| entry * r).collect();
        for (low, &high) in table.iter_mut().zip(&high) {
            *low -= high;
        }
        table.extend(high);
    }
    table
}

/// `eq(a, b)` of two points.
pub(crate) fn eq_points(a: &[E], b: &[E]) -> E {
    a.iter().zip(b).map(|(&a, &b)| E::ONE - a - b + (a * b).double()).product()
}

/// `eq(point, index)`, index's bits little-endian.
pub(crate) fn eq_at(point: &[E], index: usize) -> E {
    let factor = |(j, &r): (usize, &E)| if index >> j & 1 == 1 { r } else { E::ONE - r };
    point.iter().enumerate().map(factor).product()
}

/// `eq(point, ·)` by two tables of half the coordinates each: short ones, whatever the point.
pub(crate) struct EqHalves {
    low: Vec<E>,
    high: Vec<E>,
}

impl EqHalves {
    pub(crate) fn new(point: &[E]) -> Self {
        let (low, high) = point.split_at(point.len() / 2);
        Self { low: eq_table(low), high: eq_table(high) }
    }

    /// `eq(point, index)`; zero beyond the point's indices.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> E {
        let log_low = self.low.len().ilog2();
        let entry = |table: &[E], at: usize| table.get(at).copied().unwrap_or(E::ZERO);
        entry(&self.high, index >> log_low) * entry(&self.low, index & !(usize::MAX << log_low))
    }

    /// `Σ_i eq(point, i)·entries[i]`.
    pub(crate) fn dot(&self, entries: &[E]) -> E {
        let row = |entries: &[E]| -> E {
            self.low.iter().zip(entries).map(|(&eq, &entry)| eq * entry).sum()
        };
        let rows = entries.chunks(self.low.len()).zip(&self.high);
        rows.map(|(entries, &eq)| eq * row(entries)).sum()
    }
}
