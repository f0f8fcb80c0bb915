//! The walk's verifier: plain, serial, scalar.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;
use tracing::instrument;

use super::algebra::{dot, lagrange, next_claim};
use super::driver::{Form, Layer, Side, walk, walk_from};
use super::{Claim, NODES, POSITIONS, Point};
use crate::permutation::{Permutation, Poseidon2};
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

struct Verifier<'a, C> {
    channel: &'a mut C,
}

impl<C: Receiver> Verifier<'_, C> {
    /// Steps 2a and 2b: a claim about a layer's cubes at `at` becomes one at a new point.
    fn reduce(&mut self, layer: Layer, mut claim: E, at: &Point) -> Result<(Point, E), Reject> {
        // 2a.
        let message = self.channel.recv::<NODES>()?;
        let basis = lagrange::<POSITIONS>(at.zeta);
        if dot(&basis, &message) != claim {
            return Err(Reject::Skip { layer: layer.index });
        }
        let zeta = self.channel.draw();
        claim = dot(&lagrange::<NODES>(zeta), &message);

        // 2b.
        let mut next = Point { outer: Vec::with_capacity(at.outer.len()), ..at.clone() };
        next.zeta = zeta;
        for &r in &at.outer {
            let bound;
            (bound, claim) = self.round(claim, r)?;
            next.outer.push(bound);
        }
        for (bound, &r) in next.lanes.iter_mut().zip(&at.lanes) {
            (*bound, claim) = self.round(claim, r)?;
        }
        Ok((next, claim))
    }

    fn round(&mut self, claim: E, r: E) -> Result<(E, E), Reject> {
        let message = self.channel.recv::<3>()?;
        let bound = self.channel.draw();
        Ok((bound, next_claim(claim, r, message, bound)))
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
        layer: Layer,
        claim: E,
        at: &Point,
        weights: &[E; T],
    ) -> Result<(Point, [E; T]), Reject> {
        let (next, claim) = self.reduce(layer, claim, at)?;
        // 2c and 2d.
        let state: [E; T] = self.channel.recv()?;
        if dot(weights, &state.map(|t| t.cube())) != claim {
            return Err(Reject::Gate { layer: layer.index });
        }
        Ok((next, state))
    }

    fn partial(
        &mut self,
        layer: Layer,
        claim: E,
        at: &Point,
        form: &Form<T>,
    ) -> Result<(Point, [E; 2]), Reject> {
        let (next, claim) = self.reduce(layer, claim, at)?;
        // 2c and 2d.
        let [inner, rest] = self.channel.recv()?;
        if form.gamma * inner.cube() + rest != claim {
            return Err(Reject::Gate { layer: layer.index });
        }
        Ok((next, [inner, rest]))
    }
}
