//! The weights that a point of the walk gives to the rows of a call table.
//!
//! `w(i) = eq(outer bits of i)·λ_z(ζ)·eq(lane bits)` for i = outer·128 + z·16 + lane. Over a
//! piece, aligned to its size, it splits into a scalar for the piece and a vector shared by
//! all pieces of that size: `w(offset + x) = head(piece)·ψ(x)`. Pieces of fewer than 128 rows
//! lie inside a chunk, where λ does not factor over the bits of z; they share a vector per
//! place in the chunk instead.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use crate::E;
use crate::eq::{eq_at, eq_points, eq_table};
use crate::walk::{CHUNK, LOG_LANES, POSITIONS, Point};

/// log2 of the rows in a chunk.
pub(crate) const LOG_CHUNK: usize = CHUNK.ilog2() as usize;

/// ψ of all pieces with the same size (and, below a chunk, the same place in it).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a few exist at a time, none is moved in a loop")]
pub(crate) enum RowWeights {
    /// Whole chunks: the low outer bits, λ, the lanes.
    Factored {
        /// Challenges of the outer bits inside the piece.
        outer: Vec<E>,
        /// λ_z(ζ).
        lambda: [E; POSITIONS],
        /// Challenges of the lane bits.
        lanes: [E; LOG_LANES],
    },
    /// Part of a chunk, entry by entry.
    Dense(Vec<E>),
}

impl RowWeights {
    /// The vector, entry by entry.
    pub(crate) fn dense(&self) -> Vec<E> {
        match self {
            Self::Dense(weights) => weights.clone(),
            Self::Factored { outer, lambda, lanes } => {
                let chunk = chunk_weights(lambda, lanes);
                eq_table(outer)
                    .iter()
                    .flat_map(|&head| chunk.iter().map(move |&weight| head * weight))
                    .collect()
            }
        }
    }

    /// Σ_x ψ(x).
    pub(crate) fn sum(&self) -> E {
        match self {
            // Each factor's weights sum to one.
            Self::Factored { .. } => E::ONE,
            Self::Dense(weights) => weights.iter().copied().sum(),
        }
    }

    /// ψ(0).
    pub(crate) fn first(&self) -> E {
        match self {
            Self::Factored { outer, lambda, lanes } => {
                let [first, ..] = lambda;
                eq_at(outer, 0) * *first * eq_at(lanes, 0)
            }
            Self::Dense(weights) => weights.first().copied().unwrap_or(E::ZERO),
        }
    }

    /// Whether both are of whole chunks at one point, and differ in size only.
    #[cfg(feature = "prover")]
    pub(crate) fn is_akin(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Factored { lambda, lanes, .. },
                Self::Factored { lambda: other_lambda, lanes: other_lanes, .. },
            ) => lambda == other_lambda && lanes == other_lanes,
            _ => false,
        }
    }

    /// ψ as `ψ(a·2^log_size + x) = heads[a]·ψ'(x)`, where it splits like that: not inside a
    /// chunk.
    #[cfg(feature = "prover")]
    pub(crate) fn split(&self, log_size: usize) -> Option<(Vec<E>, Self)> {
        let Self::Factored { outer, lambda, lanes } = self else { return None };
        let (inside, above) = outer.split_at_checked(log_size.checked_sub(LOG_CHUNK)?)?;
        let part = Self::Factored { outer: inside.to_vec(), lambda: *lambda, lanes: *lanes };
        Some((eq_table(above), part))
    }

    /// Σ_x ψ(x)·eq(z, x), for a z with as many coordinates as the piece has bits.
    pub(crate) fn extension(&self, z: &[E]) -> E {
        match self {
            Self::Factored { outer, lambda, lanes } => {
                let (lane_part, rest) = z.split_at(LOG_LANES.min(z.len()));
                let (position_part, outer_part) =
                    rest.split_at((LOG_CHUNK - LOG_LANES).min(rest.len()));
                let positions: E =
                    eq_table(position_part).iter().zip(lambda).map(|(&eq, &l)| eq * l).sum();
                eq_points(lanes, lane_part) * positions * eq_points(outer, outer_part)
            }
            Self::Dense(weights) => {
                eq_table(z).iter().zip(weights).map(|(&eq, &weight)| eq * weight).sum()
            }
        }
    }
}

/// The weights of one chunk's 128 rows.
fn chunk_weights(lambda: &[E; POSITIONS], lanes: &[E; LOG_LANES]) -> Vec<E> {
    let lanes = eq_table(lanes);
    lambda.iter().flat_map(|&l| lanes.iter().map(move |&lane| l * lane)).collect()
}

/// The weights of all rows at one point, piece by piece.
pub(crate) struct PointWeights<'a> {
    point: &'a Point,
    lambda: [E; POSITIONS],
    /// The weights of one chunk, of which smaller pieces have a part.
    chunk: Vec<E>,
    /// For each number of outer bits inside a piece: eq over the outer bits above.
    heads: Vec<Option<Vec<E>>>,
}

impl<'a> PointWeights<'a> {
    pub(crate) fn new(point: &'a Point) -> Self {
        let lambda = point.positions.weights();
        let chunk = point.chunk_weights();
        // From none of the bits to all of them.
        let heads = [None].into_iter().chain(point.outer.iter().map(|_| None)).collect();
        Self { point, lambda, chunk, heads }
    }

    /// head(piece) of the piece at `offset`.
    ///
    /// Pieces lie inside the point's hypercube, so the index is in range; anything else is
    /// answered with zero, the weight of a row that does not exist.
    pub(crate) fn head(&mut self, log_size: usize, offset: usize) -> E {
        let log_span = log_size.max(LOG_CHUNK);
        let inside = log_size.saturating_sub(LOG_CHUNK);
        let outer = &self.point.outer;
        let Some(heads) = self.heads.get_mut(inside) else {
            return E::ZERO;
        };
        let heads = heads.get_or_insert_with(|| eq_table(outer.get(inside..).unwrap_or(&[])));
        heads.get(offset >> log_span).copied().unwrap_or(E::ZERO)
    }

    /// Which vector the piece at `offset` shares: its place in the chunk, 0 for whole chunks.
    pub(crate) const fn place(log_size: usize, offset: usize) -> usize {
        if log_size >= LOG_CHUNK { 0 } else { (offset & (CHUNK - 1)) >> log_size }
    }

    /// ψ of pieces with `2^log_size` rows at that place.
    pub(crate) fn rows(&self, log_size: usize, place: usize) -> RowWeights {
        let Some(inside) = log_size.checked_sub(LOG_CHUNK) else {
            let part = self.chunk.chunks(1 << log_size).nth(place);
            return RowWeights::Dense(part.unwrap_or(&[]).to_vec());
        };
        let outer = self.point.outer.get(..inside).unwrap_or(&[]).to_vec();
        RowWeights::Factored { outer, lambda: self.lambda, lanes: self.point.lanes }
    }
}
