//! What a walk sends, counted by its shape.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::iter::Sum;

use super::{LOG_LANES, NODES, Partial, Shape, log_outer};
use crate::permutation::{HALF_FULL_ROUNDS, Permutation, Poseidon2};

const FULL_ROUNDS: usize = 2 * HALF_FULL_ROUNDS;

/// Elements that walks send, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Skip messages.
    pub skip: usize,
    /// Coefficients of the rounds that bind outer bits.
    pub outer: usize,
    /// Coefficients of the rounds that bind lanes.
    pub lanes: usize,
    /// Values at the new points.
    pub ends: usize,
}

impl Sent {
    /// All of them.
    pub const fn total(&self) -> usize {
        let rounds = self.outer.saturating_add(self.lanes);
        self.skip.saturating_add(rounds).saturating_add(self.ends)
    }
}

impl Sum for Sent {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, sent| Self {
            skip: sum.skip.saturating_add(sent.skip),
            outer: sum.outer.saturating_add(sent.outer),
            lanes: sum.lanes.saturating_add(sent.lanes),
            ends: sum.ends.saturating_add(sent.ends),
        })
    }
}

/// Elements that a walk sends: y, and for each layer the skip message, three coefficients a
/// round, and the values at the new point.
pub(crate) fn num_sent<const T: usize>(num_calls: usize) -> usize
where
    Poseidon2<T>: Permutation<T>,
{
    let outer = [log_outer(num_calls)];
    layers_sent::<T>(&Shape::single(&outer)).total().saturating_add(1)
}

/// Elements that the layers send. Saturated sums would ask for more bytes than there are.
pub(crate) fn layers_sent<const T: usize>(shape: &Shape<'_>) -> Sent
where
    Poseidon2<T>: Permutation<T>,
{
    let layers = const { FULL_ROUNDS + Poseidon2::<T>::PARTIAL_ROUNDS };
    let further = shape.coefficients(1).saturating_mul(layers.saturating_sub(1));
    let partial = match shape.partial {
        Partial::Recurrence => const { 2 * Poseidon2::<T>::PARTIAL_ROUNDS },
        Partial::Columns => const { T * Poseidon2::<T>::PARTIAL_ROUNDS },
    };
    let ends = const { T * FULL_ROUNDS }.saturating_add(partial);
    Sent {
        skip: layers.saturating_mul(NODES),
        outer: shape.coefficients(0).saturating_add(further),
        lanes: layers.saturating_mul(const { 3 * LOG_LANES }),
        ends: ends.saturating_mul(shape.outer.len()),
    }
}
