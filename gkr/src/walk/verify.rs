//! The walk's verifier: plain, serial, scalar.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;
use tracing::instrument;

use super::algebra::{dot, lagrange, next_claim};
use super::driver::{Form, Layer, Side, layers, walk, walk_from};
use super::parts::{Embedding, Ends, Shape, next_plain_claim};
use super::{Claim, NODES, Point, Positions};
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::{Channel, Receiver};
use crate::{E, Reject};

/// Verifies a walk over `num_calls` calls at width `T`; the caller owes both ends of the claim.
///
/// Before this the channel must have absorbed whatever fixes the calls.
///
/// # Errors
/// [`Reject::Skip`] or [`Reject::Gate`] where a layer does not follow from the one before,
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`] where a message cannot be read.
#[instrument(name = "gkr.walk.verify", level = "debug", skip_all, fields(num_calls, width = T))]
pub fn verify<const T: usize>(
    num_calls: usize,
    channel: &mut impl Receiver,
) -> Result<Claim<T>, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    walk(num_calls, &mut Verifier { channel })
}

/// As [`verify`], from a point that was fixed before and is of the shape of `num_calls` calls.
///
/// # Errors
/// As [`verify`].
#[instrument(name = "gkr.walk.verify", level = "debug", skip_all, fields(num_calls, width = T))]
pub(crate) fn verify_from<const T: usize>(
    num_calls: usize,
    outputs_at: Point,
    channel: &mut impl Receiver,
) -> Result<Claim<T>, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    walk_from(num_calls, outputs_at, &mut Verifier { channel })
}

/// Verifies the layers of several parts from a claim about their outputs, which the channel must
/// have absorbed; see [`layers`].
///
/// # Errors
/// As [`verify`].
pub(crate) fn verify_parts<const T: usize>(
    shape: &Shape<'_>,
    at: Point,
    beta: &[E; DIGEST],
    values: &[E],
    channel: &mut impl Receiver,
) -> Result<Ends<T>, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    layers(shape, at, beta, values, &mut Verifier { channel })
}

struct Verifier<'a, C> {
    channel: &'a mut C,
}

impl<C: Receiver> Verifier<'_, C> {
    /// Steps 2a and 2b: a claim about a layer's cubes becomes one at a new point, of which each
    /// part has a multiple.
    fn reduce(&mut self, layer: &Layer<'_>, mut claim: E) -> Result<(Point, E, Vec<E>), Reject> {
        let Layer { at, embedding, .. } = layer;
        // 2a.
        let message = self.channel.recv::<NODES>()?;
        let basis = at.positions.weights();
        if dot(&basis, &message) != claim {
            return Err(Reject::Skip { layer: layer.index });
        }
        let zeta = self.channel.draw();
        claim = dot(&lagrange::<NODES>(zeta), &message);

        // 2b.
        let mut next = Point {
            outer: Vec::with_capacity(at.outer.len()),
            positions: Positions::Univariate(zeta),
            lanes: at.lanes,
        };
        for &r in &at.outer {
            let bound;
            (bound, claim) = match embedding {
                Embedding::Constant => self.round(claim, r)?,
                Embedding::Selected | Embedding::Weighted(_) => self.plain_round(claim)?,
            };
            next.outer.push(bound);
        }
        for (bound, &r) in next.lanes.iter_mut().zip(&at.lanes) {
            (*bound, claim) = self.round(claim, r)?;
        }
        let scales = embedding.scales(layer.outer, &at.outer, &next.outer);
        Ok((next, claim, scales))
    }

    fn round(&mut self, claim: E, r: E) -> Result<(E, E), Reject> {
        let message = self.channel.recv::<3>()?;
        let bound = self.channel.draw();
        Ok((bound, next_claim(claim, r, message, bound)))
    }

    fn plain_round(&mut self, claim: E) -> Result<(E, E), Reject> {
        let message = self.channel.recv::<4>()?;
        let bound = self.channel.draw();
        Ok((bound, next_plain_claim(claim, message, bound)))
    }

    /// Steps 2c and 2d: N values of each part, whose sum by λ of scale·gate is the claim.
    fn ends<const N: usize>(
        &mut self,
        layer: &Layer<'_>,
        claim: E,
        gate: impl Fn(&[E; N]) -> E,
    ) -> Result<(Point, Vec<[E; N]>), Reject> {
        let (next, claim, scales) = self.reduce(layer, claim)?;
        // 2c.
        let ends: Vec<[E; N]> =
            layer.outer.iter().map(|_| self.channel.recv()).collect::<Result<_, _>>()?;
        // 2d.
        let values = ends.iter().zip(scales).map(|(ends, scale)| scale * gate(ends));
        if layer.shares.combine(values) != claim {
            return Err(Reject::Gate { layer: layer.index });
        }
        Ok((next, ends))
    }
}

impl<C: Receiver, const T: usize> Side<T> for Verifier<'_, C> {
    type Error = Reject;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn value(&mut self, _at: &Point, _weights: &[E; T]) -> Result<E, Reject> {
        let [y] = self.channel.recv()?;
        Ok(y)
    }

    fn full(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        weights: &[E; T],
    ) -> Result<(Point, Vec<[E; T]>), Reject> {
        self.ends(&layer, claim, |state| dot(weights, &state.map(|t| t.cube())))
    }

    fn partial(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; 2]>), Reject> {
        let gamma = form.gamma.first().copied().unwrap_or_default();
        self.ends(&layer, claim, |[inner, rest]| gamma * inner.cube() + *rest)
    }

    fn partial_columns(
        &mut self,
        layer: Layer<'_>,
        claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; T]>), Reject> {
        self.ends(&layer, claim, |words: &[E; T]| {
            // The first word is cubed.
            let mut words = *words;
            if let Some(inner) = words.first_mut() {
                *inner = inner.cube();
            }
            dot(&form.gamma, &words)
        })
    }
}
