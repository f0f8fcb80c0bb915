//! Provers of a false y, who carry it down to some layer and there send ends that leave a true
//! claim: the walk holds from there on, and y is false with true inputs. Either these are the
//! true ends, which do not pass their gate; or they are chosen to pass it by a prover who
//! knows the challenge that follows them.

use p3_field::{Field, PrimeCharacteristicRing};

use super::super::algebra::{External, cube_root, dot, powers, pull_back};
use super::{CHUNK, DOMAIN, inputs, trace, verify_bytes};
use crate::cheating::Altering;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::walk::{LOG_LANES, prove};
use crate::{E, Reject};

const T: usize = 16;
/// A skip message, the rounds, the ends.
const MESSAGES: usize = LOG_LANES + 2;
/// The first partial round's.
const PARTIAL: usize = 4;

/// A root of aX³ + bX² + cX + d by Cardano's formula, where it works in E.
fn root([a, b, c, d]: [E; 4]) -> Option<E> {
    let [b, c, d] = [b, c, d].map(|x| x * a.inverse());
    let third = E::from_u32(3).inverse();
    let p = c - b.square() * third;
    let q = b.cube() * E::TWO * E::from_u32(27).inverse() - b * c * third + d;
    let discriminant = q.halve().square() + p.cube() * E::from_u32(27).inverse();
    let u = cube_root(discriminant.try_sqrt()? - q.halve());
    let x = u - p * third * u.inverse() - b * third;
    assert_eq!(((x + b) * x + c) * x + d, E::ZERO);
    Some(x)
}

/// What the prover of a false y has to keep in mind.
struct Forger {
    /// What the claim at hand is false by, and what the last ends were.
    by: E,
    errors: [E; T],
    /// The weights of the layer's cubes.
    weights: [E; T],
    /// In which layer's ends it makes the claim true, and whether it could.
    turn: usize,
    turned: bool,
    /// Whether it does so by ends that do not pass their gate.
    true_ends: bool,
}

impl Forger {
    fn alter(&mut self, number: usize, message: &mut [E], drawn: &[E]) {
        let Some(number) = number.checked_sub(1) else {
            message[0] += self.by;
            return;
        };
        let layer = number / MESSAGES;
        if layer > self.turn {
            return;
        }
        match number % MESSAGES {
            0 => {
                self.enter(layer, drawn);
                // A constant more at every node, and the claim is false by it after the rounds.
                message.iter_mut().for_each(|value| *value += self.by);
            }
            number if number + 1 == MESSAGES => self.end(layer, message),
            _ => {}
        }
    }

    /// The layer's weights, and what the claim on them is false by.
    fn enter(&mut self, layer: usize, drawn: &[E]) {
        let last = drawn[drawn.len() - 1];
        if layer == 0 {
            // ρ comes first: a position and the lanes.
            let mut beta = [E::ZERO; T];
            beta[..DIGEST].copy_from_slice(&drawn[1 + LOG_LANES..][..DIGEST]);
            self.weights = External::transpose().apply(&beta);
        } else if layer < PARTIAL {
            self.weights = powers(last.cube());
            let outputs = External::inverse_transpose(T).apply(&self.weights);
            self.by = dot(&outputs, &self.errors);
        } else {
            self.weights = powers(last);
            self.by = dot(&self.weights, &self.errors);
        }
    }

    fn end(&mut self, layer: usize, ends: &mut [E]) {
        if layer == self.turn && self.true_ends {
            self.turned = true;
        } else if layer == PARTIAL {
            // γ·a³ + L has to be the claim, and η·a + L what it was, for η = 1.
            let [gamma, ..] = pull_back(Poseidon2::<T>::constants(), &self.weights);
            let [a, rest] = [ends[0], ends[1]];
            let constant = a - self.by - gamma * a.cube();
            if let Some(x) = root([gamma, E::ZERO, E::NEG_ONE, constant]) {
                ends.copy_from_slice(&[x, rest + a - x]);
                self.turned = true;
            }
        } else if layer == self.turn {
            // Σ W_i·t_i³ has to be the claim, and the plain sum of the t_i what it was.
            let [(v, s), (w, t)] = [0, 1].map(|i| (self.weights[i], ends[i]));
            let three = E::from_u32(3);
            let quadratic = three * (v * s + w * t);
            let linear = three * (v * s.square() - w * t.square());
            if let Some(x) = root([v - w, quadratic, linear, -self.by]) {
                ends[0] += x;
                ends[1] -= x;
                self.turned = true;
            }
        } else {
            let altered = cube_root(ends[0].cube() + self.by * self.weights[0].inverse());
            self.errors[0] = altered - ends[0];
            ends[0] = altered;
        }
    }
}

/// What becomes of forgeries that make the claim true at that layer's ends.
fn refused(turn: usize, true_ends: bool, expected: Reject) {
    let mut trace = trace(&inputs::<T>(CHUNK, 13));
    let mut turned = 0;
    for by in 1..=6 {
        let mut forger = Forger {
            by: E::from_u32(by),
            errors: [E::ZERO; T],
            weights: [E::ZERO; T],
            turn,
            turned: false,
            true_ends,
        };
        let mut channel = Altering::new(DOMAIN, |number, message, drawn| {
            forger.alter(number, message, drawn);
        });
        let _ = prove(&mut trace, &mut channel);
        let proof = channel.finish();
        if forger.turned {
            turned += 1;
            assert_eq!(verify_bytes::<T>(CHUNK, &proof).map(drop), Err(expected.clone()));
        }
    }
    // Half of the discriminants are squares.
    assert!(turned > 0);
}

fn refused_below(turn: usize) {
    refused(turn, false, Reject::Skip { layer: turn + 1 });
}

#[test]
fn a_full_rounds_true_ends_do_not_fit_a_false_claim() {
    refused(0, true, Reject::Gate { layer: 0 });
    refused(2, true, Reject::Gate { layer: 2 });
}

#[test]
fn a_partial_rounds_true_ends_do_not_fit_a_false_claim() {
    refused(PARTIAL, true, Reject::Gate { layer: PARTIAL });
}

/// κ, with which a full round's outputs are weighed anew.
#[test]
fn ends_fitted_to_the_next_full_rounds_weights_are_refused() {
    refused_below(0);
}

/// κ, with which the form on the partial rounds' outputs is made.
#[test]
fn ends_fitted_to_the_partial_rounds_form_are_refused() {
    refused_below(PARTIAL - 1);
}

/// η, the weight of word 0 below a partial round.
#[test]
fn ends_fitted_to_a_partial_rounds_eta_are_refused() {
    refused_below(PARTIAL);
}
