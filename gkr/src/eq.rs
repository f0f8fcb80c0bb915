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
