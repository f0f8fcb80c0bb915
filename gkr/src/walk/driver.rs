//! The order of the walk, written once for both sides and for any number of parts.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::algebra::{External, dot, powers, pull_back};
use super::parts::{Embedding, Ends, Partial, Shape, Shares};
use super::{Claim, Point, bind_shape, log_outer};
use crate::permutation::{DIGEST, HALF_FULL_ROUNDS, Permutation, Poseidon2};
use crate::transcript::Channel;
use crate::{E, F};

/// Full rounds of both halves.
const FULL_ROUNDS: usize = 2 * HALF_FULL_ROUNDS;

/// A form on a partial round's outputs, as the layer needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<const T: usize> {
    /// θ, on the round's outputs; only the prover makes L from it.
    #[cfg_attr(not(feature = "prover"), expect(dead_code))]
    pub(super) above: [E; T],
    /// γ: `[0]` on the S-box's output, the others on the words that L is of.
    pub(super) gamma: [E; T],
}

/// What the two sides do differently.
pub(super) trait Side<const T: usize> {
    type Error;

    fn channel(&mut self) -> &mut impl Channel;

    /// Step 1: y, for the cubes' weights W of the last round.
    fn value(&mut self, at: &Point, weights: &[E; T]) -> Result<E, Self::Error>;

    /// Step 2: each part's t at the new point.
    fn full(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        weights: &[E; T],
    ) -> Result<(Point, Vec<[E; T]>), Self::Error>;

    /// Step 4: each part's a and L at the new point.
    fn partial(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; 2]>), Self::Error>;

    /// Step 4 without the recurrence: each part's a and s_1, s_2, … at the new point.
    fn partial_columns(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; T]>), Self::Error>;
}

/// The layer at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    /// Counted from the outputs.
    pub(super) index: usize,
    /// The round of its kind, in the permutation's order: full ones 0..4, then 4..8.
    #[cfg_attr(not(feature = "prover"), expect(dead_code))]
    pub(super) round: usize,
    /// Where the claim is.
    pub(super) at: &'a Point,
    /// The parts' outer bits.
    pub(super) outer: &'a [usize],
    /// The parts' weights in the claim.
    pub(super) shares: &'a Shares,
    pub(super) embedding: Embedding<'a>,
}

/// The walk from a drawn point.
pub(super) fn walk<const T: usize, S: Side<T>>(
    num_calls: usize,
    side: &mut S,
) -> Result<Claim<T>, S::Error>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let channel = side.channel();
    bind_shape::<T>(num_calls, channel);
    let outputs_at = Point::draw(log_outer(num_calls), channel);
    walk_down(outputs_at, side)
}

/// The walk from a point that was fixed before.
pub(super) fn walk_from<const T: usize, S: Side<T>>(
    num_calls: usize,
    outputs_at: Point,
    side: &mut S,
) -> Result<Claim<T>, S::Error>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    debug_assert_eq!(outputs_at.outer.len(), log_outer(num_calls));
    bind_shape::<T>(num_calls, side.channel());
    walk_down(outputs_at, side)
}

fn walk_down<const T: usize, S: Side<T>>(
    outputs_at: Point,
    side: &mut S,
) -> Result<Claim<T>, S::Error>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let channel = side.channel();
    let beta: [E; DIGEST] = std::array::from_fn(|_| channel.draw());
    let y = side.value(&outputs_at, &output_weights(&beta))?;
    let outer = [outputs_at.outer.len()];
    let Ends { at: inputs_at, inputs } =
        layers(&Shape::single(&outer), outputs_at.clone(), &beta, &[y], side)?;
    // One part has one state.
    let inputs = inputs.first().copied().unwrap_or([E::ZERO; T]);
    Ok(Claim { outputs_at, beta, y, inputs_at, inputs })
}

/// W of the last round: M_E^T times the weights of the outputs.
fn output_weights<const T: usize>(beta: &[E; DIGEST]) -> [E; T] {
    let mut weights = [E::ZERO; T];
    for (weight, &beta) in weights.iter_mut().zip(beta) {
        *weight = beta;
    }
    External::transpose().apply(&weights)
}

/// All layers, from `values`, the parts' outputs at prefixes of `at` and weighed by `beta`.
pub(super) fn layers<const T: usize, S: Side<T>>(
    shape: &Shape<'_>,
    mut at: Point,
    beta: &[E; DIGEST],
    values: &[E],
    side: &mut S,
) -> Result<Ends<T>, S::Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let constants = Poseidon2::<T>::constants();
    let inverse_transpose = External::inverse_transpose(T);
    let mut indices = 0..;
    let mut index = || indices.next().unwrap_or_default();
    let num_parts = shape.outer.len();
    macro_rules! layer {
        ($round:expr, $shares:expr) => {{
            let index = index();
            let embedding = shape.embedding(index);
            let (at, outer, shares) = (&at, shape.outer, &$shares);
            Layer { index, round: $round, at, outer, shares, embedding }
        }};
    }
    let mut states: Vec<[E; T]> = Vec::new();

    // 2 and 3.
    let mut weights = output_weights(beta);
    let mut shares = Shares::draw(num_parts, side.channel());
    let mut claim = shares.combine(values.iter().copied());
    for (constants, round) in constants.terminal.iter().zip(HALF_FULL_ROUNDS..FULL_ROUNDS).rev() {
        if round != FULL_ROUNDS - 1 {
            (weights, shares, claim) = batch(side.channel(), &inverse_transpose, &states);
        }
        (at, states) = side.full(layer!(round, shares), claim, &weights)?;
        states.iter_mut().for_each(|state| subtract(state, constants));
    }
    let mut form: [E; T];
    (form, shares, claim) = batch_form(side.channel(), &states);

    // 4.
    for (round, &constant) in constants.partial.iter().enumerate().rev() {
        let above = form;
        let gamma = pull_back(constants, &above);
        let layer = layer!(round, shares);
        let pulled = Form { above, gamma };
        match shape.partial {
            Partial::Recurrence => {
                let ends;
                (at, ends) = side.partial(layer, claim, &pulled)?;
                let channel = side.channel();
                let eta = channel.draw();
                form = gamma;
                if let Some(first) = form.first_mut() {
                    *first = eta;
                }
                shares = Shares::draw(num_parts, channel);
                let values = ends.iter().map(|[inner, rest]| eta * (*inner - constant) + *rest);
                claim = shares.combine(values);
            }
            Partial::Columns => {
                (at, states) = side.partial_columns(layer, claim, &pulled)?;
                for first in states.iter_mut().filter_map(|state| state.first_mut()) {
                    *first -= constant;
                }
                (form, shares, claim) = batch_form(side.channel(), &states);
            }
        }
    }

    // 2 and 5.
    weights = External::transpose().apply(&form);
    for (round, round_constants) in constants.initial.iter().enumerate().rev() {
        if round != HALF_FULL_ROUNDS - 1 {
            (weights, shares, claim) = batch(side.channel(), &inverse_transpose, &states);
        }
        (at, states) = side.full(layer!(round, shares), claim, &weights)?;
        states.iter_mut().for_each(|state| subtract(state, round_constants));
    }

    // 6.
    let inverse = External::inverse(T);
    let inputs = states.iter().map(|state| inverse.apply(state)).collect();
    Ok(Ends { at, inputs })
}

/// Between two full rounds: weights W_i = κ^{3i} and the claim about Σ_i W_i·t_i³ that the
/// outputs, weighted by M_E^{−T}·W, make.
fn batch<const T: usize>(
    channel: &mut impl Channel,
    inverse_transpose: &External,
    outputs: &[[E; T]],
) -> ([E; T], Shares, E) {
    let weights = powers(channel.draw().cube());
    let shares = Shares::draw(outputs.len(), channel);
    let on_outputs = inverse_transpose.apply(&weights);
    let claim = shares.combine(outputs.iter().map(|outputs| dot(&on_outputs, outputs)));
    (weights, shares, claim)
}

/// Above a partial round: the form θ_j = κ^j on its outputs.
fn batch_form<const T: usize>(
    channel: &mut impl Channel,
    outputs: &[[E; T]],
) -> ([E; T], Shares, E) {
    let form = powers(channel.draw());
    let shares = Shares::draw(outputs.len(), channel);
    let claim = shares.combine(outputs.iter().map(|outputs| dot(&form, outputs)));
    (form, shares, claim)
}

fn subtract<const T: usize>(state: &mut [E; T], constants: &[F; T]) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value -= constant;
    }
}
