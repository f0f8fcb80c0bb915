//! Provers who know how a layer weighs its regions, and send errors that cancel under it.

use p3_field::{Field, PrimeCharacteristicRing};

use super::tests::{Calls, DOMAIN, calls, filler, verify};
use super::*;
use crate::cheating::Altering;
use crate::eq::eq_points;
use crate::walk::{LOG_LANES, cube_root};
use crate::{E, Reject};

const T: usize = 16;
/// The first partial round's layer, and the layer of the first round.
const PARTIAL: usize = 4;
const LAST: usize = 27;
/// The first two have as many outer bits.
const NUM_CALLS: [usize; 4] = [130, 200, 1, 300];

/// One walk of a batch, as a forger counts messages and draws.
#[derive(Clone)]
struct Walk {
    first_message: usize,
    outer: Vec<usize>,
    bits: usize,
    selected: bool,
}

impl Walk {
    /// Those of a batch, of which the output claims are the first message.
    fn all(batch: &Batch<'_>) -> Vec<Self> {
        let mut first_message = 1;
        let walk = |walk: driver::Walk| {
            let (outer, bits) = (walk.outer.clone(), walk.outer.into_iter().max().unwrap());
            let selected = batch.strategy == Strategy::Ragged;
            let this = Self { first_message, outer, bits, selected };
            first_message = this.ends(LAST + 1, 0) - 1 - this.rounds();
            this
        };
        batch.walks().into_iter().map(walk).collect()
    }

    fn rounds(&self) -> usize {
        self.bits + LOG_LANES
    }

    /// The message with a part's ends: after a skip message, the rounds, and other parts' ends.
    fn ends(&self, layer: usize, part: usize) -> usize {
        let rounds = self.rounds();
        self.first_message + layer * (1 + rounds + self.outer.len()) + 1 + rounds + part
    }

    /// What a layer's gate multiplies the parts with, from what was drawn before its ends.
    fn weights(&self, drawn: &[E]) -> Vec<E> {
        // The point before, one challenge for the words, μ; then ζ and the rounds.
        let rounds = self.rounds();
        let (before, bound) = drawn.split_at(drawn.len() - rounds);
        let (before, mu) = before[..before.len() - 1].split_at(before.len() - 2);
        let at = &before[before.len() - 1 - rounds..][..self.bits];
        let scale = |&outer: &usize| {
            if !self.selected {
                return E::ONE;
            }
            let selector: E = bound[outer..self.bits].iter().map(|&r| E::ONE - r).product();
            selector * eq_points(&bound[..outer], at)
        };
        let shares = mu[0].cube().powers();
        shares.zip(&self.outer).map(|(share, outer)| share * scale(outer)).collect()
    }

    /// κ of the layer's words.
    fn kappa(&self, drawn: &[E]) -> E {
        let shares = usize::from(self.outer.len() > 1);
        drawn[drawn.len() - self.rounds() - 2 - shares]
    }
}

fn forged(
    batch: &Batch<'_>,
    calls: &Calls<T>,
    alter: impl FnMut(usize, &mut [E], &[E]) + Send,
) -> Vec<u8> {
    let mut channel = Altering::new(DOMAIN, alter);
    let outputs = OutputClaims::send(batch.regions, &filler(calls), &mut channel);
    let _ = batch.prove(&filler(calls), &outputs, &mut channel);
    channel.finish()
}

fn regions() -> (Regions, Calls<T>) {
    (Regions::new(NUM_CALLS).unwrap(), calls(&NUM_CALLS, 11))
}

/// A false end, and another that makes up for it where both are cubed and the other is weighed
/// `1/ratio` as much.
fn cubes(end: E, other: E, ratio: E) -> (E, E) {
    let false_end = end + E::ONE;
    (false_end, cube_root(other.cube() + ratio * (end.cube() - false_end.cube())))
}

/// Were the regions weighed alike, in one layer and the next, nothing would show it.
#[test]
fn regions_that_trade_places_are_refused() {
    let (regions, calls) = regions();
    for (strategy, partial) in [
        (Strategy::Replicated, Partial::Recurrence),
        (Strategy::Replicated, Partial::Columns),
        (Strategy::Padded, Partial::Recurrence),
    ] {
        let batch = Batch { partial, ..Batch::new(&regions, strategy) };
        let walk = &Walk::all(&batch)[0];
        let mut sent = Vec::new();
        forged(&batch, &calls, |_, message, _| sent.push(message.to_vec()));
        assert_eq!(sent.len(), walk.ends(LAST, NUM_CALLS.len()));
        for layer in [0, 1, 3, PARTIAL, PARTIAL + 1, LAST - 4, LAST - 1] {
            let [first, second] = [0, 1].map(|part| walk.ends(layer, part));
            let proof = forged(&batch, &calls, |number, message, _| {
                if number == first {
                    message.copy_from_slice(&sent[second]);
                } else if number == second {
                    message.copy_from_slice(&sent[first]);
                }
            });
            let verdict = verify::<T>(&batch, &proof).map(drop);
            assert_eq!(verdict, Err(Reject::Gate { layer }), "{strategy} {partial:?}");
        }
    }
}

/// Errors in the linear forms of two regions, by the weights that the gate takes them with.
#[test]
fn forms_that_cancel_under_their_own_weights_are_refused_a_layer_down() {
    let (regions, calls) = regions();
    for strategy in [Strategy::Padded, Strategy::Ragged, Strategy::Replicated] {
        let batch = Batch::new(&regions, strategy);
        let walk = &Walk::all(&batch)[0];
        for (layer, others) in [(PARTIAL, 1), (PARTIAL, 3), (PARTIAL + 1, 2)] {
            let proof = forged(&batch, &calls, |number, message, drawn| {
                if number == walk.ends(layer, 0) {
                    message[1] += E::ONE;
                } else if number == walk.ends(layer, others) {
                    let weights = walk.weights(drawn);
                    message[1] -= weights[0] * weights[others].inverse();
                }
            });
            let verdict = verify::<T>(&batch, &proof).map(drop);
            assert_eq!(verdict, Err(Reject::Skip { layer: layer + 1 }), "{strategy}");
        }
    }
}

/// Errors in the cubes of two regions. Those of the last layer only the discharge can tell.
#[test]
fn cubes_that_cancel_under_their_own_weights_are_refused_a_layer_down() {
    let (regions, calls) = regions();
    for strategy in [Strategy::Padded, Strategy::Ragged, Strategy::Replicated] {
        for (layer, partial) in [
            (1, Partial::Recurrence),
            (PARTIAL, Partial::Recurrence),
            (PARTIAL, Partial::Columns),
            (LAST, Partial::Recurrence),
        ] {
            let batch = Batch { partial, ..Batch::new(&regions, strategy) };
            let walk = &Walk::all(&batch)[0];
            let mut end = E::ZERO;
            let proof = forged(&batch, &calls, |number, message, drawn| {
                if number == walk.ends(layer, 1) {
                    end = message[0];
                    message[0] += E::ONE;
                } else if number == walk.ends(layer, 2) {
                    let weights = walk.weights(drawn);
                    message[0] = cubes(end, message[0], weights[1] * weights[2].inverse()).1;
                }
            });
            let verdict = verify::<T>(&batch, &proof);
            if layer == LAST {
                let verdict = discharge::directly(&verdict.unwrap().1, &regions, &calls);
                assert_eq!(verdict, Err(Reject::Inputs { claim: 1 }), "{strategy}");
            } else {
                let expected = Err(Reject::Skip { layer: layer + 1 });
                assert_eq!(verdict.map(drop), expected, "{strategy} {partial:?}");
            }
        }
    }
}

/// Each terminal claim false in two words and all others true, so that every gate is passed.
#[test]
fn a_single_false_terminal_claim_is_refused() {
    let (regions, calls) = regions();
    for strategy in Strategy::ALL {
        let batch = Batch::new(&regions, strategy);
        let walks = Walk::all(&batch);
        let claims = walks.iter().flat_map(|walk| (0..walk.outer.len()).map(move |p| (walk, p)));
        for (claim, (walk, part)) in claims.enumerate() {
            let proof = forged(&batch, &calls, |number, message, drawn| {
                if number == walk.ends(LAST, part) {
                    let ratio = walk.kappa(drawn).cube().inverse();
                    (message[0], message[1]) = cubes(message[0], message[1], ratio);
                }
            });
            let (_, terminal) = verify::<T>(&batch, &proof).unwrap();
            let verdict = discharge::directly(&terminal, &regions, &calls);
            assert_eq!(verdict, Err(Reject::Inputs { claim }), "{strategy}");
        }
    }
}

/// Claims about two regions that are false by one and minus one.
#[test]
fn false_output_claims_that_cancel_are_refused() {
    let (regions, calls) = regions();
    for strategy in Strategy::ALL {
        let batch = Batch::new(&regions, strategy);
        let proof = forged(&batch, &calls, |number, message, _| {
            if number == 0 {
                message[0] += E::ONE;
                message[1] -= E::ONE;
            }
        });
        let verdict = verify::<T>(&batch, &proof).map(drop);
        assert_eq!(verdict, Err(Reject::Skip { layer: 0 }), "{strategy}");
    }
}
