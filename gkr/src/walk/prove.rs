//! The walk's prover: it trusts its trace.

use std::convert::Infallible;

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::algebra::{dot, lagrange};
use super::driver::{Form, Layer, Side, walk, walk_from};
use super::partial::LinearForm;
use super::rounds::{Columns, EqTable, limbs_of};
use super::trace::Trace;
use super::{Claim, NODES, POSITIONS, Point};
use crate::E;
use crate::F;
use crate::permutation::{Permutation, Poseidon2};
use crate::simd::kernels::{BLOCK, Limbs, NodeTally, Weights, chunk_weights, prepare};
use crate::simd::{Native, Row, Vector};
use crate::transcript::{Channel, Sender};

/// Proves a walk over all calls of `trace`; the caller owes both ends of the claim.
///
/// Before this the channel must have absorbed whatever fixes the calls. A false trace gives a
/// proof that does not verify.
#[instrument(name = "gkr.walk.prove", level = "debug", skip_all, fields(num_calls = trace.num_calls(), width = T))]
pub fn prove<const T: usize>(trace: &Trace<T>, channel: &mut (impl Sender + Send)) -> Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    inside_the_pool(|| walk(trace.num_calls(), &mut Prover::new(trace, channel)))
}

/// As [`prove`], from a point that was fixed before; the channel must have absorbed whatever it
/// follows from.
///
/// # Panics
/// When the point is not of the trace's shape.
#[instrument(name = "gkr.walk.prove", level = "debug", skip_all, fields(num_calls = trace.num_calls(), width = T))]
pub(crate) fn prove_from<const T: usize>(
    trace: &Trace<T>,
    outputs_at: Point,
    channel: &mut (impl Sender + Send),
) -> Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    inside_the_pool(|| walk_from(trace.num_calls(), outputs_at, &mut Prover::new(trace, channel)))
}

/// Runs a walk inside the pool from the start, so that the many short parallel steps do not
/// each wait for a worker to wake and to hand its result back.
fn inside_the_pool<R: Send>(walk: impl FnOnce() -> Result<R, Infallible> + Send) -> R {
    let (Ok(claim), ()) = join(walk, || ());
    claim
}

/// The prover's side of the walk; the rounds are in `full` and `partial`.
pub(super) struct Prover<'a, C, const T: usize> {
    pub(super) trace: &'a Trace<T>,
    pub(super) channel: &'a mut C,
    pub(super) columns: Columns,
    pub(super) form: LinearForm,
    /// The rows' weights in the layer at hand, kept as a place for those of the next.
    weights: Vec<[Weights<Native>; BLOCK]>,
    /// The first layer's skip message, which y follows from.
    pub(super) first_skip: Option<[E; NODES]>,
}

impl<'a, C: Sender, const T: usize> Prover<'a, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    pub(super) fn new(trace: &'a Trace<T>, channel: &'a mut C) -> Self {
        Self {
            trace,
            channel,
            columns: Columns::new(trace.chunks(), T),
            form: LinearForm::new(trace.blocks()),
            weights: Vec::new(),
            first_skip: None,
        }
    }

    /// The weight of all chunks that the trace does not hold.
    pub(super) fn rest(&self, eq: &EqTable) -> E {
        E::ONE - eq.as_slice().iter().take(self.trace.chunks()).copied().sum::<E>()
    }

    /// The weights of all rows but for their positions, chunk by chunk in blocks; zero for chunks
    /// beyond the table. To be handed back to [`Self::keep_weights`].
    pub(super) fn block_weights(
        &mut self,
        eq: &EqTable,
        at: &Point,
    ) -> Vec<[Weights<Native>; BLOCK]> {
        let lane_eq = EqTable::new(&at.lanes);
        let mut lanes = [Row::ZERO; 5];
        for (lane, weight) in lane_eq.as_slice().iter().enumerate() {
            for (row, limb) in lanes.iter_mut().zip(limbs_of(weight)) {
                row.0[lane] = limb;
            }
        }
        let none: Weights<Native> = [Native::splat_split(F::ZERO); 5];
        let mut blocks = std::mem::take(&mut self.weights);
        blocks.resize(self.trace.blocks(), [none; BLOCK]);
        let weights = blocks.as_flattened_mut();
        weights.par_iter_mut().zip(eq.as_slice().par_iter()).for_each(|(to, eq)| {
            *to = chunk_weights::<Native>(&lanes, &prepare(&limbs_of(eq)));
        });
        blocks
    }

    /// Keeps the place of weights that are no longer needed.
    pub(super) fn keep_weights(&mut self, weights: Vec<[Weights<Native>; BLOCK]>) {
        self.weights = weights;
    }

    /// The table's limbs block by block, zero for chunks beyond the table.
    pub(super) fn block_limbs(&self, eq: &EqTable) -> Vec<[Limbs; BLOCK]> {
        let mut blocks = vec![[[F::ZERO; 5]; BLOCK]; self.trace.blocks()];
        for (to, eq) in blocks.as_flattened_mut().iter_mut().zip(eq.as_slice()) {
            *to = limbs_of(eq);
        }
        blocks
    }
}

impl<C: Sender, const T: usize> Side<T> for Prover<'_, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    type Error = Infallible;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn value(&mut self, at: &Point, weights: &[E; T]) -> Result<E, Infallible> {
        let message = self.full_skip(LAST_ROUND, &EqTable::new(&at.outer), at, weights);
        let y = dot(&lagrange::<POSITIONS>(at.zeta), &message);
        self.first_skip = Some(message);
        self.channel.send(&[y]);
        Ok(y)
    }

    #[instrument(name = "gkr.walk.full", level = "debug", skip_all, fields(layer = layer.index))]
    fn full(
        &mut self,
        layer: Layer,
        _claim: E,
        at: &Point,
        weights: &[E; T],
    ) -> Result<(Point, [E; T]), Infallible> {
        Ok(self.full_round(layer, at, weights))
    }

    #[instrument(name = "gkr.walk.partial", level = "debug", skip_all, fields(layer = layer.index))]
    fn partial(
        &mut self,
        layer: Layer,
        _claim: E,
        at: &Point,
        form: &Form<T>,
    ) -> Result<(Point, [E; 2]), Infallible> {
        Ok(self.partial_round(layer, at, form))
    }
}

/// The round whose outputs the walk starts from.
const LAST_ROUND: usize = 2 * crate::permutation::HALF_FULL_ROUNDS - 1;

/// Per node, what the cubes of a column add up to.
pub(super) type ColumnTally = [NodeTally<Native>; NODES];

pub(super) const NO_TALLY: ColumnTally = [[Native::NO_TALLY; 5]; NODES];

/// The elements that the tallies of a column stand for.
pub(super) fn totals(tallies: &ColumnTally) -> [E; NODES] {
    tallies.each_ref().map(|tally| {
        let limbs = tally.each_ref().map(Native::total);
        E::from_basis_coefficients_fn(|limb| limbs[limb])
    })
}
