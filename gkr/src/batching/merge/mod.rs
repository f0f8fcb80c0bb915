//! Claims about outputs at any points and with any weights, merged into [`OutputClaims`].
//!
//! # Statement
//! Of the regions of a batch there are claims j = 0, 1, …, J − 1, each about one region a_j:
//! `value_j = Σ_i w_j(i)·Σ_v β_{j,v}·P(in_i)_v` over its 2^(7+m) rows. The [weights](Weights) w_j
//! are those of a point, or given row by row; so a caller whose own protocol ended in several
//! claims, each at its own point, or in sums over some rows alone, can walk from all of them.
//!
//! # Steps
//! Letters: κ the weight of the claims, A_j = Σ_v β_{j,v}·out_v, (ζ, r) the new point.
//!
//! 1. Bind the claims; draw κ.
//! 2. With x the outer bits and lanes, the sum Σ_j κ^j·value_j is Σ_{z<8} q(z) for
//!    `q(Z) = Σ_j κ^j·Σ_x w_j(Z, x)·A_j(Z, x)`, of degree 14. Send q(0), …, q(14); the verifier
//!    checks the sum, draws ζ, and both go on with q(ζ).
//! 3. A round for each outer bit of the largest region, the lowest first, then for each lane bit:
//!    send the coefficients of 1 and X², that of X follows from g(0) + g(1). A region lies where
//!    the bits it lacks are zero, by the selector Π(1 − x_j).
//! 4. Send for each region the outputs d_{a,v} at its prefix of the new point, v < 8.
//! 5. The verifier checks `Σ_j κ^j·s_{a_j}·w_j(ζ, r)·Σ_v β_{j,v}·d_{a_j,v}` against the claim,
//!    s_a = Π(1 − r_j) over the bits that region a lacks.
//! 6. Draw β: the merged claims are `Σ_v β_v·d_{a,v}`.
//!
//! # Soundness
//! (J − 1) + 14 + 2(W + 4) + 7 over |E| − 1.
//!
//! # Cost
//! 15 + 2(W + 4) + 8A elements. The prover works over two elements a row and claim, written out;
//! the verifier takes a product for each weight that is given.
//!
//! # Source
//! As the merge of a table's levels (module `levels`): Virgo++ (ePrint 2020/1247), section 4, with
//! Gruen's univariate round (ePrint 2024/108).
//!
//! # Deviations
//! None.

#[cfg(feature = "prover")]
mod prove;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;
mod verify;

use p3_field::PrimeCharacteristicRing;

#[cfg(feature = "prover")]
pub use self::prove::prove;
pub use self::verify::verify;
use super::{OutputClaims, Regions};
use crate::permutation::DIGEST;
use crate::security::Numerator;
use crate::transcript::Channel;
use crate::walk::{CHUNK, LOG_LANES, POSITIONS, Point, Positions, log_outer};
use crate::{E, eq};

/// Absorbed first: the protocol and its version.
const DOMAIN: &[u8] = b"airda-gkr merge 1";
/// Values in the message of step 2: q has degree 2(D − 1).
const NODES: usize = 2 * (POSITIONS - 1) + 1;

/// A claim about the outputs of one region; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct RowClaim<'a> {
    /// a.
    pub region: usize,
    /// w.
    pub weights: Weights<'a>,
    /// β.
    pub beta: [E; DIGEST],
    /// What the weighted outputs add up to.
    pub value: E,
}

/// The weights of a region's rows.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a> {
    /// Those of a point with the region's outer bits.
    Point(&'a Point),
    /// One a call; rows without a call weigh nothing.
    Given(&'a [E]),
}

impl Weights<'_> {
    /// The weights' extension at a point of the region.
    fn extension(&self, at: &Point) -> E {
        match self {
            Self::Point(point) => {
                let (from, to) = (point.positions.weights(), at.positions.weights());
                let positions: E = from.iter().zip(to).map(|(&a, b)| a * b).sum();
                eq::eq_points(&point.outer, &at.outer)
                    * positions
                    * eq::eq_points(&point.lanes, &at.lanes)
            }
            Self::Given(weights) => {
                let outer = eq::eq_table(&at.outer);
                let rows = at.chunk_weights();
                let chunks = weights.chunks(CHUNK).zip(outer);
                let chunk = |(weights, outer): (&[E], E)| {
                    let sum: E = weights.iter().zip(&rows).map(|(&w, &row)| w * row).sum();
                    outer * sum
                };
                chunks.map(chunk).sum()
            }
        }
    }
}

/// Whether the claims are about the regions: their weights have the regions' shape.
fn fit(regions: &Regions, claims: &[RowClaim<'_>]) -> bool {
    !claims.is_empty()
        && claims.iter().all(|claim| {
            regions.num_calls().get(claim.region).is_some_and(|&calls| match claim.weights {
                Weights::Point(point) => point.outer.len() == log_outer(calls),
                Weights::Given(weights) => weights.len() == calls,
            })
        })
}

/// Step 1.
fn bind(regions: &Regions, claims: &[RowClaim<'_>], channel: &mut impl Channel) -> E {
    channel.bind_bytes(DOMAIN);
    let numbers = [regions.len(), claims.len()];
    let numbers = numbers.iter().chain(regions.num_calls());
    let bytes: Vec<u8> = numbers.flat_map(|&n| (n as u64).to_le_bytes()).collect();
    channel.bind_bytes(&bytes);
    for RowClaim { region, weights, beta, value } in claims {
        channel.bind_bytes(&(*region as u64).to_le_bytes());
        match weights {
            Weights::Point(point) => {
                channel.bind_bytes(b"point");
                point.bind(channel);
            }
            Weights::Given(weights) => {
                channel.bind_bytes(b"given");
                channel.bind(weights);
            }
        }
        channel.bind(beta);
        channel.bind(&[*value]);
    }
    channel.draw()
}

/// Σ_j κ^j·value_j.
fn combined(claims: &[RowClaim<'_>], kappa: E) -> E {
    claims.iter().zip(kappa.powers()).map(|(claim, kappa)| kappa * claim.value).sum()
}

/// Step 6: the merged claims, of each region's outputs.
fn merged(at: Point, outputs: &[[E; DIGEST]], channel: &mut impl Channel) -> OutputClaims {
    let beta: [E; DIGEST] = std::array::from_fn(|_| channel.draw());
    let weigh = |outputs: &[E; DIGEST]| beta.iter().zip(outputs).map(|(&b, &d)| b * d).sum();
    OutputClaims { at, beta, values: outputs.iter().map(weigh).collect() }
}

/// The numerators of the soundness error of a merge of so many claims, over |E| − 1.
pub(super) fn numerators(regions: &Regions, num_claims: usize) -> Vec<Numerator> {
    let rounds = regions.max_log_outer().saturating_add(LOG_LANES);
    let merge = |step, times, degree| Numerator::new("merge", step, times, [degree]);
    vec![
        merge("weights of the claims", 1, num_claims.saturating_sub(1)),
        merge("positions", 1, const { NODES - 1 }),
        merge("sumcheck", rounds, 2),
        merge("output weights", 1, const { DIGEST - 1 }),
    ]
}

/// The point that the drawn challenges make.
fn point(zeta: E, outer: Vec<E>, lanes: [E; LOG_LANES]) -> Point {
    Point { outer, positions: Positions::Univariate(zeta), lanes }
}
