//! The walk: from the outputs of many Poseidon2 calls at one point to their inputs at another.
//!
//! # Statement
//! `num_calls` calls of the permutation P at width t. Call i is row i of a table of 2^(7+m)
//! rows, m the fewest that hold them all; the rows after the last call have the all-zero input.
//! A row's index is (outer, z, lane): m outer bits, then 8 *positions* z, then 16 *lanes*, low
//! bits last. Columns are extended univariately in z on the nodes 0..7 and multilinearly in the
//! other bits, so a point is (outer, ζ, lanes) and weighs row i with
//! w(i) = eq(outer)·λ_z(ζ)·eq(lane), λ the Lagrange basis. The walk starts from
//! y = Σ_i w(i) Σ_{v<8} β_v·P(in_i)_v, at a point ρ and with weights β drawn by the walk, and
//! ends with the t input columns at a point r; see [`Claim`].
//!
//! # Steps
//! Letters: β output weights, W and κ weights of cubed columns, θ a form on the outputs of a
//! partial round, γ its pull-back, η the weight of word 0, ζ and r the point.
//!
//! 1. Bind the shape; draw ρ, unless it was fixed before, and β; send y.
//! 2. A *full round*, out = M_E·t^{∘3} with t = s + c: from Σ_i W_i·t_i³ at a point, where W is
//!    M_E^T times the weights of the outputs, to the t_i at a new point. Between two full rounds
//!    the outputs are batched with M_E^{−T}(κ^{3i}), so that W_i = κ^{3i}.
//!    - a. Skip round: with G(Z) = Σ_x eq(r,x) Σ_i W_i·t_i(Z,x)³, of degree 3·7, send G(0), …,
//!      G(21); the verifier checks Σ_z λ_z(ζ)·G(z) = claim, and both go on with G(ζ') at a drawn ζ'.
//!    - b. For each outer bit, the lowest first, then each lane bit:
//!      g(X) = Σ_{x'} eq(r_>,x') Σ_i W_i·t_i(ζ',r'_<,X,x')³; send its coefficients 1, 2 and 3.
//!      Coefficient 0 follows from claim = (1 − r_j)·g(0) + r_j·g(1); go on with g(r'_j).
//!    - c. Send the t_i(ζ',r').
//!    - d. The verifier checks Σ_i W_i·t_i³ against the claim.
//! 3. The four last full rounds, last first; then batch their inputs with θ_j = κ^j.
//! 4. The partial rounds, last first. With Γ = Σ_{j≥1}θ_j and S = θ_0 + Γ the form θ on a
//!    round's outputs is γ_0·a³ + L, where a = s_0 + c, γ_0 = Γ − θ_0, L = Σ_{j≥1}γ_j·s_j,
//!    γ_j = S + V_j·θ_j. Steps a–d for γ_0·a³ + L give a and L at a new point; they are
//!    batched as η·(a − c) + L, the form (η, γ_1, …) one round down.
//! 5. The four first full rounds, the last of them with W = M_E^T·(η, γ_1, …).
//! 6. The last t_i, less their constants, are M_E·inputs: solve for the inputs.
//!
//! # Soundness
//! If the claim is true at its end, it is false at its start with probability at most
//! the sum of `numerators` over |E| − 1; so a set of false outputs passes both of the caller's checks no
//! more often. Rows without a call are part of the statement (their input is zero): the caller's
//! side of y includes P(0) times [`Point::tail`].
//!
//! # Cost
//! Per layer, of which there are 8 and N_P: 22 + 3(m + 4) elements and t, or 2, at the end.
//! The prover's work is linear in the calls, mostly in base-field products; the verifier's is linear
//! in the number of elements.
//!
//! # Source
//! Goldwasser, Kalai and Rothblum, "Delegating Computation: Interactive Proofs for Muggles"
//! (J. ACM 62, 2015), section 3, layer by layer. The univariate skip and the factored eq are
//! Gruen's, "Some Improvements for the PIOP for ZeroCheck" (ePrint 2024/108). The permutation
//! is Poseidon2 (ePrint 2023/323), section 5.
//!
//! # Deviations
//! - Whole rounds are layers, and all rows share each layer's sumcheck. The partial rounds carry one
//!   linear form instead of t − 1 columns.
//! - The prover folds the positions with weights cbrt(W_i)·λ_z(ζ'), so that the rounds sum plain
//!   cubes: 3 does not divide |E| − 1, so every element has one cube root. The messages do not
//!   show it.
//! - Of a round polynomial the coefficient 0 is left out, not 2: no division by r_j, and
//!   rows that are constant (those after the last call) add nothing to a message.

mod algebra;
mod driver;
#[cfg(feature = "prover")]
mod embed;
#[cfg(feature = "prover")]
mod full;
#[cfg(feature = "prover")]
mod part;
#[cfg(feature = "prover")]
mod partial;
mod parts;
mod point;
#[cfg(feature = "prover")]
mod prove;
#[cfg(feature = "prover")]
mod rounds;
mod sent;
#[cfg(all(test, feature = "prover"))]
mod tests;
#[cfg(feature = "prover")]
mod trace;
mod verify;

#[cfg(all(test, feature = "prover"))]
pub(crate) use algebra::cube_root;
pub(crate) use algebra::{dot, lagrange};
use p3_field::PrimeCharacteristicRing;
pub use parts::Partial;
pub(crate) use parts::{ChunkWeights, Embedding, Ends, Run, Shape};
pub use point::{Point, Positions, log_outer};
#[cfg(feature = "prover")]
pub use prove::prove;
#[cfg(feature = "prover")]
pub(crate) use prove::{prove_from, prove_parts};
pub use sent::Sent;
pub(crate) use sent::{layers_sent, num_sent};
#[cfg(feature = "prover")]
pub use trace::{Checkpoints, PartialWords, Trace, TraceOptions};
pub use verify::verify;
pub(crate) use verify::{verify_from, verify_parts};

use crate::permutation::{DIGEST, HALF_FULL_ROUNDS, Permutation, Poseidon2};
use crate::security::Numerator;
use crate::transcript::Channel;
use crate::{E, F};

/// Positions, the values of the univariate variable: D.
pub const POSITIONS: usize = 8;
/// Lanes.
pub const LANES: usize = 1 << LOG_LANES;
/// Calls in a chunk: all positions and lanes of one setting of the outer bits.
pub const CHUNK: usize = POSITIONS * LANES;

/// log2 of the positions.
const LOG_POSITIONS: usize = POSITIONS.ilog2() as usize;
/// log2 of the lanes.
pub(crate) const LOG_LANES: usize = 4;
/// Values in a skip message: G has degree 3(D − 1).
const NODES: usize = 3 * (POSITIONS - 1) + 1;

/// What the walk leaves to be checked, over all 2^(7+m) rows; the rows without a call have the
/// all-zero input:
/// - `y = Σ_i w_outputs_at(i) Σ_{v<8} beta[v]·P(in_i)[v]`, P's own outputs, before any
///   feed-forward, and
/// - `inputs[v] = Σ_i w_inputs_at(i)·in_i[v]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the walk proves nothing until both ends are checked"]
pub struct Claim<const T: usize> {
    /// ρ.
    pub outputs_at: Point,
    /// β.
    pub beta: [E; DIGEST],
    /// The outputs' weighted sum.
    pub y: E,
    /// r.
    pub inputs_at: Point,
    /// The input columns.
    pub inputs: [E; T],
}

/// The numerators of the soundness error of the walk over level `level`, over |E| − 1: what the
/// draws can miss, summed over all of them.
///
/// With D = 8, R = m + 4 rounds a layer and N_P partial rounds:
/// (D−1) + R for ρ, unless it was fixed before, as it is for every level but the first, and 7
/// for β; t−1 + 3(D−1) + 3R for a full round (weights, ζ', r'), the weights being powers of κ³,
/// which is uniform as κ is; 1 + 3(D−1) + 3R for a partial one.
pub(crate) fn numerators<const T: usize>(level: usize, num_calls: usize) -> Vec<Numerator>
where
    Poseidon2<T>: Permutation<T>,
{
    let part = format!("walk of level {level}");
    let point = [POSITIONS - 1, num_rounds(num_calls)];
    let point = Numerator::new(&part, "point", 1, point);
    let weights = Numerator::new(&part, "output weights", 1, [DIGEST - 1]);
    let outer = [log_outer(num_calls)];
    let layers = layers_numerators::<T>(&part, &Shape::single(&outer));
    let drawn = (level == 0).then_some(point);
    drawn.into_iter().chain([weights]).chain(layers).collect()
}

/// The numerators of a walk's layers, from claims about A parts' outputs: A − 1 more a layer for
/// the parts' weights, which are powers of a cube, too.
pub(crate) fn layers_numerators<const T: usize>(part: &str, shape: &Shape<'_>) -> Vec<Numerator>
where
    Poseidon2<T>: Permutation<T>,
{
    let parts = shape.outer.len().saturating_sub(1);
    let layer = |index, weights: usize| {
        let rounds = shape.coefficients(index).saturating_add(3 * LOG_LANES);
        [weights.saturating_add(parts), const { 3 * (POSITIONS - 1) }, rounds]
    };
    // The first layer's weights are fixed before; they are counted for all full rounds alike.
    let words = const { T - 1 };
    let (first, full) = (layer(0, words), layer(1, words));
    let full = if first == full {
        vec![Numerator::new(part, "full rounds", 2 * HALF_FULL_ROUNDS, full)]
    } else {
        vec![
            Numerator::new(part, "first layer", 1, first),
            Numerator::new(part, "full rounds", 2 * HALF_FULL_ROUNDS - 1, full),
        ]
    };
    let weights = match shape.partial {
        Partial::Recurrence => 1,
        Partial::Columns => words,
    };
    let partial = layer(HALF_FULL_ROUNDS, weights);
    let partial = Numerator::new(part, "partial rounds", Poseidon2::<T>::PARTIAL_ROUNDS, partial);
    full.into_iter().chain([partial]).collect()
}

/// R, the multilinear rounds of a layer.
pub(crate) fn num_rounds(num_calls: usize) -> usize {
    log_outer(num_calls).saturating_add(LOG_LANES)
}

/// Binds everything that the walk's shape depends on.
fn bind_shape<const T: usize>(num_calls: usize, channel: &mut impl Channel) {
    channel.bind_bytes(b"airda-gkr walk 1");
    let num_calls = num_calls as u64;
    let shape = [T, POSITIONS, LANES].map(F::from_usize);
    let calls = [num_calls & 0xffff, num_calls >> 16 & 0xff_ffff].map(F::from_u64);
    channel.bind_words(&[&shape[..], &calls].concat());
    channel.bind_words(&[F::from_u64(num_calls >> 40)]);
}
