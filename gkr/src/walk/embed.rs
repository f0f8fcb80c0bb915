//! The rounds of several parts in one sumcheck.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::algebra::next_claim;
use super::driver::Layer;
use super::parts::{Embedding, next_plain_claim};
use super::rounds::Rounds;
use super::{LOG_LANES, Point, Positions};
use crate::E;
use crate::eq::eq_points;
use crate::transcript::Sender;

/// Step 2b: the rounds of all parts, each with its claim at the drawn position. Returns the new
/// point, and each part's values at it.
#[instrument(name = "gkr.walk.rounds", level = "debug", skip_all)]
pub(super) fn run(
    layer: &Layer<'_>,
    mut parts: Vec<Rounds<'_>>,
    mut claims: Vec<E>,
    zeta: E,
    channel: &mut impl Sender,
) -> (Point, Vec<Vec<E>>) {
    let Layer { at, embedding, .. } = layer;
    let mut outer = Vec::with_capacity(at.outer.len());
    // What the bits bound so far multiply each part with; only selectors need it here.
    let mut scales = vec![E::ONE; parts.len()];
    for &r in &at.outer {
        let live = |part: &mut Rounds<'_>| part.has_outer().then(|| part.message());
        let messages: Vec<Option<[E; 3]>> = parts.par_iter_mut().map(live).collect();
        let bound = match embedding {
            Embedding::Constant => {
                let message = messages.iter().flatten().fold([E::ZERO; 3], add);
                exchange(&message, channel)
            }
            Embedding::Selected => {
                let mut message = [E::ZERO; 4];
                for ((cubic, &claim), &scale) in messages.iter().zip(&claims).zip(&scales) {
                    let quartic = match cubic {
                        Some(cubic) => with_eq(claim, r, cubic),
                        None => [-claim, E::ZERO, E::ZERO, E::ZERO],
                    };
                    message = add(message, &quartic.map(|coefficient| scale * coefficient));
                }
                exchange(&message, channel)
            }
            Embedding::Weighted(_) => {
                let message = parts[0].weighted_message(claims[0]);
                let bound = exchange(&message, channel);
                claims[0] = next_plain_claim(claims[0], message, bound);
                bound
            }
        };
        if let Embedding::Selected = embedding {
            for ((cubic, claim), scale) in messages.iter().zip(&mut claims).zip(&mut scales) {
                match cubic {
                    Some(cubic) => {
                        *claim = next_claim(*claim, r, *cubic, bound);
                        *scale *= eq_points(&[r], &[bound]);
                    }
                    None => *scale *= E::ONE - bound,
                }
            }
        }
        parts.par_iter_mut().filter(|part| part.has_outer()).for_each(|part| part.fix(bound));
        outer.push(bound);
    }
    let scales = embedding.scales(layer.outer, &at.outer, &outer);
    let lanes: [E; LOG_LANES] = std::array::from_fn(|_| {
        let messages = parts.iter_mut().zip(&scales);
        let scaled = messages.map(|(part, &scale)| part.message().map(|value| scale * value));
        let bound = exchange(&scaled.fold([E::ZERO; 3], |sum, part| add(sum, &part)), channel);
        parts.iter_mut().for_each(|part| part.fix(bound));
        bound
    });
    let ends = parts.iter().map(|part| part.ends().collect()).collect();
    (Point { outer, positions: Positions::Univariate(zeta), lanes }, ends)
}

fn exchange(message: &[E], channel: &mut impl Sender) -> E {
    channel.send(message);
    channel.draw()
}

fn add<const N: usize>(mut a: [E; N], b: &[E; N]) -> [E; N] {
    for (a, &b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

/// The coefficients from 1 on of eq(r, X)·g(X), of the coefficients 1, 2, 3 of g and the claim
/// (1 − r)·g(0) + r·g(1).
fn with_eq(claim: E, r: E, [c1, c2, c3]: &[E; 3]) -> [E; 4] {
    let c0 = claim - r * (*c1 + *c2 + *c3);
    let (constant, linear) = (E::ONE - r, r.double() - E::ONE);
    [
        constant * *c1 + linear * c0,
        constant * *c2 + linear * *c1,
        constant * *c3 + linear * *c2,
        linear * *c3,
    ]
}
