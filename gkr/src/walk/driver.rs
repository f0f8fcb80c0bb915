//! The order of the walk, written once for both sides.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::algebra::{External, dot, powers, pull_back};
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
    /// γ_0, on the S-box's output; the rest of the form is L.
    pub(super) gamma: E,
}

/// What the two sides do differently.
pub(super) trait Side<const T: usize> {
    type Error;

    fn channel(&mut self) -> &mut impl Channel;

    /// Step 1: y, for the cubes' weights W of the last round.
    fn value(&mut self, at: &Point, weights: &[E; T]) -> Result<E, Self::Error>;

    /// Step 2.
    fn full(
        &mut self,
        layer: Layer,
        claim: E,
        at: &Point,
        weights: &[E; T],
    ) -> Result<(Point, [E; T]), Self::Error>;

    /// Step 4: a and L at the new point.
    fn partial(
        &mut self,
        layer: Layer,
        claim: E,
        at: &Point,
        form: &Form<T>,
    ) -> Result<(Point, [E; 2]), Self::Error>;
}

/// Which layer of the walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub(super) index: usize,
    /// The round of its kind, in the permutation's order: full ones 0..4, then 4..8.
    #[cfg_attr(not(feature = "prover"), expect(dead_code))]
    pub(super) round: usize,
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
    let constants = Poseidon2::<T>::constants();
    let inverse_transpose = External::inverse_transpose(T);

    // 1.
    let channel = side.channel();
    let beta: [E; DIGEST] = std::array::from_fn(|_| channel.draw());
    let mut weights = [E::ZERO; T];
    for (weight, &beta) in weights.iter_mut().zip(&beta) {
        *weight = beta;
    }
    let mut weights = External::transpose().apply(&weights);
    let y = side.value(&outputs_at, &weights)?;
    let (mut claim, mut at, mut state) = (y, outputs_at.clone(), [E::ZERO; T]);
    let mut indices = 0..;
    let mut layer = |round| Layer { index: indices.next().unwrap_or_default(), round };

    // 2 and 3.
    for (constants, round) in constants.terminal.iter().zip(HALF_FULL_ROUNDS..FULL_ROUNDS).rev() {
        if round != FULL_ROUNDS - 1 {
            (weights, claim) = batch(side.channel(), &inverse_transpose, &state);
        }
        (at, state) = side.full(layer(round), claim, &at, &weights)?;
        subtract(&mut state, constants);
    }
    let mut form: [E; T] = powers(side.channel().draw());
    claim = dot(&form, &state);

    // 4.
    for (round, &constant) in constants.partial.iter().enumerate().rev() {
        let above = form;
        let gamma = pull_back(constants, &mut form);
        let ends;
        (at, ends) = side.partial(layer(round), claim, &at, &Form { above, gamma })?;
        let [inner, rest] = ends;
        let eta = side.channel().draw();
        if let Some(first) = form.first_mut() {
            *first = eta;
        }
        claim = eta * (inner - constant) + rest;
    }

    // 2 and 5.
    weights = External::transpose().apply(&form);
    for (round, round_constants) in constants.initial.iter().enumerate().rev() {
        if round != HALF_FULL_ROUNDS - 1 {
            (weights, claim) = batch(side.channel(), &inverse_transpose, &state);
        }
        (at, state) = side.full(layer(round), claim, &at, &weights)?;
        subtract(&mut state, round_constants);
    }

    // 6.
    let inputs = External::inverse(T).apply(&state);
    Ok(Claim { outputs_at, beta, y, inputs_at: at, inputs })
}

/// Between two full rounds: weights W_i = κ^{3i} and the claim about Σ_i W_i·t_i³ that the
/// outputs, weighted by M_E^{−T}·W, make.
fn batch<const T: usize>(
    channel: &mut impl Channel,
    inverse_transpose: &External,
    outputs: &[E; T],
) -> ([E; T], E) {
    let weights = powers(channel.draw().cube());
    (weights, dot(&inverse_transpose.apply(&weights), outputs))
}

fn subtract<const T: usize>(state: &mut [E; T], constants: &[F; T]) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value -= constant;
    }
}
