//! The levels of a call table: chaining values that are proved without being committed.
//!
//! # Statement
//! The calls fall into [levels](Level) of T_0, T_1, … calls. In level j, row i is the call
//! `D^j[i] = P(h^j[i]‖m^j[i])[0..8] + h^j[i]`. D^0 is committed; D^{j+1} is not: it is `h^j[i]`
//! for all `i < T_{j+1}`. Everything else that a call reads is committed or constant, so the
//! committed vector fixes all D^j. What is proved is that D^0 is what the calls compute; what is
//! left is linear in the committed vector: a [`Claim`] for each level.
//!
//! # Steps
//! 1. The [walk] takes level 0 from a drawn point ρ and weights β to its inputs at a point r.
//!
//! Then for each next level, with D = D^{j+1} extended by zeros to 2^(7+m) rows, of which
//! w_ρ(i) and w_r(i) are the weights at level j's points:
//!
//! 2. Send `a = Σ_v β_v·Σ_i w_ρ(i)·D_v[i]` and `b_v = Σ_i w_r(i)·D_v[i]` for v < 8, what D adds
//!    to level j's chaining values at ρ and at r.
//! 3. Merge both into one claim at one point. Draw κ; with A = Σ_v β_v·D_v, B = Σ_v κ^{v+1}·D_v,
//!    x the outer and lane bits and K(Z, ζ) = Σ_z λ_z(Z)·λ_z(ζ), the claim
//!    `a + Σ_v κ^{v+1}·b_v` is Σ_{z<8} q(z) for
//!    `q(Z) = Σ_x [w_ρ(x)·K(Z, ζ_ρ)·A(Z, x) + w_r(x)·K(Z, ζ_r)·B(Z, x)]`, of degree 14.
//!    - a. Send q(0), …, q(14); the verifier checks the sum, draws ζ', and both go on with q(ζ').
//!    - b. [Sumcheck](crate::sumcheck) over the bits of x, the highest outer bit first, the lane
//!      bits last.
//!    - c. Send `d_v`, D_v at the new point.
//!    - d. The verifier checks `W_ρ·Σ_v β_v·d_v + W_r·Σ_v κ^{v+1}·d_v` against the claim, W the
//!      weights' extensions: Π_{j≥m}(1 − ρ_j) of the bits that the level does not have, K and eq.
//! 4. The walk takes level j + 1 from that point, with weights β of its own, to its inputs.
//!
//! # Soundness
//! If a word of D^0 is false, then level 0's outputs are false at ρ but for the draws of ρ and β:
//! y is, or a is, or what is owed of the committed vector. A false y leaves false inputs at r, so
//! a b_v is false or something that is owed. If a or a b_v is false, their sum is but for κ, some
//! d_v is but for ζ' and the bits, and level j + 1's outputs are but for β; and so on down, where
//! nothing is left but what is owed. [`numerators`] lists: the walk's own for level 0; 8
//! for κ, 14 for ζ', 2 a bit and the walk's without the draw of a point for each level more.
//!
//! # Cost
//! A level more: 9 + 15 + 2(m + 4) + 8 elements and a walk's messages; the walks together have as
//! many calls as one over the whole table. The prover reads D four times.
//!
//! # Source
//! Layers that read from several layers above, and the merge of their claims: Virgo++ (Zhang et
//! al., ePrint 2020/1247), section 4. The univariate round is Gruen's (ePrint 2024/108).
//!
//! # Deviations
//! What is read from the level below has the same row there as here: no wiring predicate, and
//! the weights are those of the two points.

#[cfg(feature = "prover")]
mod fold;
#[cfg(feature = "prover")]
mod prove;
#[cfg(all(test, feature = "prover"))]
pub(crate) mod tests;
mod verify;

use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
pub(crate) use prove::prove;
pub(crate) use verify::verify;

use crate::E;
#[cfg(feature = "prover")]
use crate::F;
use crate::calls::Level;
use crate::eq::eq_points;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::security::Numerator;
use crate::sumcheck::Order;
use crate::walk::{self, LOG_LANES, POSITIONS, Point, Positions, dot};

/// Values in the message of step 3a: q has degree 2(D − 1).
const NODES: usize = 2 * (POSITIONS - 1) + 1;

/// What is owed of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the levels prove nothing until all that is owed is checked"]
pub(crate) struct Claim<const T: usize> {
    /// The walk's.
    pub(crate) walk: walk::Claim<T>,
    /// The digests at `walk.outputs_at`, where they are not committed: d.
    pub(crate) digests: Option<[E; DIGEST]>,
    /// What the next level's digests add to the chaining values; zero for the last level.
    pub(crate) fed: Fed,
}

/// Step 2: what a level's digests add to the chaining values of the level before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fed {
    /// At ρ, weighted by β: a.
    pub(crate) outputs: E,
    /// At r: b.
    pub(crate) inputs: [E; DIGEST],
}

impl<const T: usize> From<walk::Claim<T>> for Claim<T> {
    /// A level whose digests are committed and that nothing feeds.
    fn from(walk: walk::Claim<T>) -> Self {
        Self { walk, digests: None, fed: Fed::default() }
    }
}

/// Two claims about a level's digests, to be merged into one.
struct Merge<'a> {
    /// ρ and r.
    points: [&'a Point; 2],
    /// The digests' weights at each: β, and κ, κ², ….
    weights: [[E; DIGEST]; 2],
}

impl<'a> Merge<'a> {
    fn new<const T: usize>(above: &'a walk::Claim<T>, kappa: E) -> Self {
        let mut powers = kappa.shifted_powers(kappa);
        let kappas = std::array::from_fn(|_| powers.next().unwrap_or(E::ZERO));
        Self { points: [&above.outputs_at, &above.inputs_at], weights: [above.beta, kappas] }
    }

    /// a + Σ_v κ^{v+1}·b_v.
    fn claim(&self, fed: &Fed) -> E {
        let [_, kappas] = &self.weights;
        fed.outputs + dot(kappas, &fed.inputs)
    }

    /// Step 3d: both points' weights at the new point, times the digests'.
    fn value(&self, at: &Point, digests: &[E; DIGEST]) -> E {
        let weigh = |(point, weights): (&&Point, &[E; DIGEST])| {
            let (outer, above) = point.outer.split_at(at.outer.len().min(point.outer.len()));
            head(above)
                * kernel(point, &at.positions)
                * eq_points(outer, &at.outer)
                * eq_points(&point.lanes, &at.lanes)
                * dot(weights, digests)
        };
        self.points.iter().zip(&self.weights).map(weigh).sum()
    }
}

/// Π_j (1 − r_j), over the outer bits that a smaller level does not have.
fn head(above: &[E]) -> E {
    above.iter().map(|&r| E::ONE - r).product()
}

/// K(Z, ζ), Z at `at`, ζ the point's.
fn kernel(point: &Point, at: &Positions) -> E {
    dot(&point.positions.weights(), &at.weights())
}

/// The numerators of the levels' soundness error, over |E| − 1, from their numbers of calls.
pub(crate) fn numerators<const T: usize>(
    num_calls: impl IntoIterator<Item = usize>,
) -> Vec<Numerator>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut all = Vec::new();
    for (level, calls) in num_calls.into_iter().enumerate() {
        if level > 0 {
            let part = format!("merge into level {level}");
            all.push(Numerator::new(&part, "weights of the claims", 1, [DIGEST]));
            all.push(Numerator::new(&part, "positions", 1, [NODES - 1]));
            all.push(Numerator::new(&part, "sumcheck", walk::num_rounds(calls), [2]));
        }
        all.extend(walk::numerators::<T>(level, calls));
    }
    all
}

/// Elements that the levels send, from their numbers of calls.
pub(crate) fn num_sent<const T: usize>(num_calls: impl IntoIterator<Item = usize>) -> usize
where
    Poseidon2<T>: Permutation<T>,
{
    const MERGE: usize = 1 + DIGEST + NODES + DIGEST;
    let mut total = 0_usize;
    for (level, calls) in num_calls.into_iter().enumerate() {
        // Saturating sums would ask for more bytes than there are.
        if level > 0 {
            let rounds = walk::num_rounds(calls).saturating_mul(2);
            total = total.saturating_add(MERGE).saturating_add(rounds);
        }
        total = total.saturating_add(walk::num_sent::<T>(calls));
    }
    total
}

/// The shape, as numbers to absorb: how many levels there are, and the calls of each.
pub(crate) fn shape<const T: usize>(levels: &[Level<'_, T>]) -> Vec<usize> {
    [levels.len()].into_iter().chain(levels.iter().map(|level| level.num_calls)).collect()
}

/// Step 3b's rounds: all bits are inside one block.
fn order(log_outer: usize) -> Order {
    let bits = log_outer.saturating_add(LOG_LANES);
    Order::new(bits, bits)
}

/// The node n of a message.
#[cfg(feature = "prover")]
fn node(n: usize) -> E {
    F::from_usize(n).into()
}
