//! Points, and the weights that they give to calls.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::algebra::{eq_below, has_bits_above, lagrange};
use super::{CHUNK, LANES, LOG_LANES, LOG_POSITIONS, POSITIONS};
use crate::E;
use crate::eq::{eq_at, eq_table};
use crate::transcript::Channel;

/// A point at which columns of calls are evaluated; little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// For each outer bit, the lowest first.
    pub outer: Vec<E>,
    /// For the position.
    pub positions: Positions,
    /// For each bit of the lane, the lowest first.
    pub lanes: [E; LOG_LANES],
}

/// How a point weighs the positions of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// By the Lagrange basis of the nodes 0..7 at ζ, as the walk's own points do.
    Univariate(E),
    /// By eq of three bits, the lowest first, as the point of a multilinear sumcheck does.
    Bits([E; LOG_POSITIONS]),
}

impl Positions {
    /// The weight of each position; they add up to one.
    pub fn weights(&self) -> [E; POSITIONS] {
        match self {
            Self::Univariate(zeta) => lagrange(*zeta),
            Self::Bits(bits) => std::array::from_fn(|z| eq_at(bits, z)),
        }
    }
}

impl Point {
    /// The point of a multilinear extension over the bits of a row's index, the lowest first:
    /// what a caller's own sumcheck over the rows ends in. Bits that are missing are zero.
    pub fn multilinear(bits: &[E]) -> Self {
        let mut bits = bits.iter().copied();
        let lanes = std::array::from_fn(|_| bits.next().unwrap_or(E::ZERO));
        let positions = std::array::from_fn(|_| bits.next().unwrap_or(E::ZERO));
        Self { outer: bits.collect(), positions: Positions::Bits(positions), lanes }
    }

    /// w(i), the weight of row `call`; zero for a row that the point's table does not have.
    pub fn weight(&self, call: usize) -> E {
        let (outer, z, lane) = split(call);
        if has_bits_above(outer, self.outer.len()) {
            return E::ZERO;
        }
        let (outer, lane) = (eq_at(&self.outer, outer), eq_at(&self.lanes, lane));
        outer * self.positions.weights().get(z).copied().unwrap_or_default() * lane
    }

    /// The weights of a chunk's rows, but for the outer bits.
    pub(crate) fn chunk_weights(&self) -> Vec<E> {
        let lanes = eq_table(&self.lanes);
        let positions = self.positions.weights();
        positions.iter().flat_map(|&z| lanes.iter().map(move |&lane| z * lane)).collect()
    }

    /// Absorbs the point.
    pub(crate) fn bind(&self, channel: &mut impl Channel) {
        channel.bind(&self.outer);
        match self.positions {
            Positions::Univariate(zeta) => channel.bind(&[zeta]),
            Positions::Bits(bits) => channel.bind(&bits),
        }
        channel.bind(&self.lanes);
    }

    /// Σ_{i ≥ num_calls} w(i), the weight of all rows without a call, in O(log) operations.
    pub fn tail(&self, num_calls: usize) -> E {
        let (outer, z, lane) = split(num_calls);
        let (below, at) = eq_below(&self.outer, outer);
        let (lanes_below, _) = eq_below(&self.lanes, lane);
        let basis = self.positions.weights();
        let positions_below: E = basis.iter().take(z).copied().sum();
        let basis = basis.get(z).copied().unwrap_or_default();
        E::ONE - below - at * (positions_below + basis * lanes_below)
    }

    /// The point of a part that has only the lowest `outer` of the outer bits.
    pub fn prefix(&self, outer: usize) -> Self {
        Self { outer: self.outer.iter().take(outer).copied().collect(), ..self.clone() }
    }

    /// A point of its position and its bits, the lanes' first, the lowest first in both parts;
    /// bits that are missing are zero.
    pub(crate) fn from_bits(zeta: E, mut bits: impl Iterator<Item = E>) -> Self {
        let lanes = std::array::from_fn(|_| bits.next().unwrap_or(E::ZERO));
        Self { outer: bits.collect(), positions: Positions::Univariate(zeta), lanes }
    }

    /// A point of the table's shape, drawn outer bits first, lanes last.
    pub(crate) fn draw(log_outer: usize, channel: &mut impl Channel) -> Self {
        let outer = channel.draw_many(log_outer);
        let positions = Positions::Univariate(channel.draw());
        Self { outer, positions, lanes: std::array::from_fn(|_| channel.draw()) }
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
