//! Points, and the weights that they give to calls.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::algebra::{eq_below, has_bits_above, lagrange};
use super::{CHUNK, LANES, LOG_LANES, POSITIONS};
use crate::E;
use crate::eq::eq_at;
use crate::transcript::Channel;

/// A point at which columns of calls are evaluated; little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// For each outer bit, the lowest first.
    pub outer: Vec<E>,
    /// For the position.
    pub zeta: E,
    /// For each bit of the lane, the lowest first.
    pub lanes: [E; LOG_LANES],
}

impl Point {
    /// w(i), the weight of row `call`; zero for a row that the point's table does not have.
    pub fn weight(&self, call: usize) -> E {
        let (outer, z, lane) = split(call);
        if has_bits_above(outer, self.outer.len()) {
            return E::ZERO;
        }
        let (outer, lane) = (eq_at(&self.outer, outer), eq_at(&self.lanes, lane));
        outer * lagrange::<POSITIONS>(self.zeta).get(z).copied().unwrap_or_default() * lane
    }

    /// Σ_{i ≥ num_calls} w(i), the weight of all rows without a call, in O(log) operations.
    pub fn tail(&self, num_calls: usize) -> E {
        let (outer, z, lane) = split(num_calls);
        let (below, at) = eq_below(&self.outer, outer);
        let (lanes_below, _) = eq_below(&self.lanes, lane);
        let basis = lagrange::<POSITIONS>(self.zeta);
        let positions_below: E = basis.iter().take(z).copied().sum();
        let basis = basis.get(z).copied().unwrap_or_default();
        E::ONE - below - at * (positions_below + basis * lanes_below)
    }

    /// A point of its position and its bits, the lanes' first, the lowest first in both parts;
    /// bits that are missing are zero.
    pub(crate) fn from_bits(zeta: E, mut bits: impl Iterator<Item = E>) -> Self {
        let lanes = std::array::from_fn(|_| bits.next().unwrap_or(E::ZERO));
        Self { outer: bits.collect(), zeta, lanes }
    }

    /// A point of the table's shape, drawn outer bits first, lanes last.
    pub(super) fn draw(log_outer: usize, channel: &mut impl Channel) -> Self {
        let outer = channel.draw_many(log_outer);
        let zeta = channel.draw();
        Self { outer, zeta, lanes: std::array::from_fn(|_| channel.draw()) }
    }
}

/// (outer, position, lane) of a call.
pub(super) const fn split(call: usize) -> (usize, usize, usize) {
    (call / CHUNK, call / LANES % POSITIONS, call % LANES)
}

/// m, the number of outer bits of a table for `num_calls` calls: 0 up to 128 calls.
pub const fn log_outer(num_calls: usize) -> usize {
    num_calls.div_ceil(CHUNK).next_power_of_two().ilog2() as usize
}
