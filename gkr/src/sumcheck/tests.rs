use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::dense::{Dense, rows_of};
use super::*;
use crate::transcript::{ProverChannel, Receiver, VerifierChannel};
use crate::{F, Reject};

fn instance(log_len: usize, missing: usize, seed: u64) -> (Vec<F>, Vec<E>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let len = 1usize << log_len;
    let edge = [F::ZERO, F::ONE, F::NEG_ONE];
    let words = (0..len.saturating_sub(missing))
        .map(|i| if i % 5 == 0 { edge[i % 3] } else { rng.random() })
        .collect();
    let weights = (0..len).map(|_| E::from_basis_coefficients_fn(|_| rng.random::<F>())).collect();
    (words, weights)
}

fn inner_product(words: &[F], weights: &[E]) -> E {
    words.iter().zip(weights).map(|(&f, &w)| w * f).sum()
}

fn inner(values: &[E], weights: &[E]) -> E {
    values.iter().zip(weights).map(|(&f, &w)| f * w).sum()
}

/// The multilinear extension, by the definition.
fn extension(values: impl Iterator<Item = E>, point: &[E]) -> E {
    values
        .enumerate()
        .map(|(i, value)| {
            let eq = point.iter().enumerate().map(|(j, &r)| match i >> j & 1 {
                1 => r,
                _ => E::ONE - r,
            });
            value * eq.product::<E>()
        })
        .sum()
}

/// The rounds by the definition: g(0), g(1), g(2) summed one by one.
pub(crate) struct Plain {
    order: Order,
    bound: usize,
    values: Vec<E>,
    weights: Vec<E>,
}

impl Plain {
    /// f and Ω in full; missing words are zero.
    pub(crate) fn new(order: Order, words: &[F], weights: &[E]) -> Self {
        assert_eq!(weights.len(), 1 << order.num_variables);
        let mut values: Vec<E> = words.iter().map(|&f| f.into()).collect();
        values.resize(weights.len(), E::ZERO);
        Self { order, bound: 0, values, weights: weights.to_vec() }
    }

    /// The next variable's bit among those not bound.
    fn bit(&self) -> usize {
        let block_bits = self.order.num_variables - self.order.log_block;
        if self.bound < block_bits {
            self.order.log_block
        } else {
            self.order.num_variables - self.bound - 1
        }
    }

    fn at(&self, values: &[E], x: E) -> Vec<E> {
        let bit = 1 << self.bit();
        let low = (0..values.len()).filter(|i| i & bit == 0);
        low.map(|i| values[i] + x * (values[i | bit] - values[i])).collect()
    }

    fn sum_at(&self, x: E) -> E {
        let [values, weights] = [&self.values, &self.weights].map(|v| self.at(v, x));
        inner(&values, &weights)
    }
}

impl Rounds for Plain {
    fn message(&mut self) -> Message {
        let [g0, g1, g2] = [E::ZERO, E::ONE, E::TWO].map(|x| self.sum_at(x));
        Message { constant: g0, quadratic: (g2 - g1.double() + g0).halve() }
    }

    fn fix(&mut self, r: E) {
        self.values = self.at(&self.values, r);
        self.weights = self.at(&self.weights, r);
        self.bound += 1;
    }
}

fn proof(order: Order, words: &[F], weights: &[E], sum: E) -> (Claim, Vec<u8>) {
    let mut channel = ProverChannel::new(b"sumcheck");
    let claim = prove(&mut Plain::new(order, words, weights), order, sum, &mut channel);
    (claim, channel.finish())
}

#[test]
fn honest_proofs_verify_and_claims_are_true() {
    for log_len in 0..10 {
        for log_block in [0, 1, 3, 8, 20] {
            for missing in [0, 1, 7, (1 << log_len) / 2 + 1] {
                let (words, weights) = instance(log_len, missing, log_len as u64);
                let sum = inner_product(&words, &weights);
                let order = Order::new(log_len, log_block);
                let (claim, bytes) = proof(order, &words, &weights, sum);
                let mut channel = VerifierChannel::new(b"sumcheck", &bytes);
                assert_eq!(verify(order, sum, &mut channel).unwrap(), claim);
                channel.finish().unwrap();
                let f = extension(words.iter().map(|&f| f.into()), &claim.point);
                let w = extension(weights.iter().copied(), &claim.point);
                assert_eq!(f * w, claim.sum);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Entries in rows and tasks, one block or two neighbours of which either may be zero.
    #[test]
    fn dense_blocks_equal_the_definition(log_len in 0_usize..13, missing in 0_usize..40, seed: u64) {
        let (words, weights) = instance(log_len, missing, seed);
        let elements: Vec<E> = words.iter().map(|&f| f.into()).collect();
        let block = |range: std::ops::Range<usize>| {
            let mut values = vec![E::ZERO; range.len()];
            let given = elements.get(range.start..).unwrap_or(&[]);
            for (to, &value) in values.iter_mut().zip(given) {
                *to = value;
            }
            let log_len = range.len().ilog2() as usize;
            Dense::new(log_len, rows_of(&values), rows_of(&weights[range]))
        };
        let order = Order::new(log_len, log_len);
        let sum = inner_product(&words, &weights);
        let mut channel = ProverChannel::new(b"sumcheck");
        let claim = prove(&mut block(0..1 << log_len), order, sum, &mut channel);
        prop_assert_eq!((claim, channel.finish()), proof(order, &words, &weights, sum));

        if log_len > 0 {
            let half = 1 << (log_len - 1);
            let (mut low, high) = (block(0..half), block(half..2 * half));
            let mut plain = Plain::new(Order::new(log_len, log_len - 1), &words, &weights);
            prop_assert_eq!(low.message(&high), plain.message());
            let r = weights[0];
            let (mut scaled, sum) = (low.clone(), low.sum());
            low.bind(&high, &r);
            plain.fix(r);
            prop_assert_eq!(low.sum(), inner(&plain.values, &plain.weights));
            scaled.scale(&r);
            prop_assert_eq!(scaled.sum(), r.square() * sum);
        }
    }
}

#[test]
fn an_altered_message_or_sum_leaves_a_false_claim() {
    let (words, weights) = instance(6, 3, 1);
    let order = Order::new(6, 4);
    let sum = inner_product(&words, &weights);
    let (_, bytes) = proof(order, &words, &weights, sum);
    let truth = |claim: &Claim| {
        extension(words.iter().map(|&f| f.into()), &claim.point)
            * extension(weights.iter().copied(), &claim.point)
    };
    for message in 0..12 {
        let mut forged = bytes.clone();
        forged[message * 20] ^= 1;
        let claim = verify(order, sum, &mut VerifierChannel::new(b"sumcheck", &forged)).unwrap();
        assert_ne!(claim.sum, truth(&claim));
    }
    let claim =
        verify(order, sum + E::ONE, &mut VerifierChannel::new(b"sumcheck", &bytes)).unwrap();
    assert_ne!(claim.sum, truth(&claim));
    // The variables in another order: the same challenges at other places.
    let other = Order::new(6, 3);
    let claim = verify(other, sum, &mut VerifierChannel::new(b"sumcheck", &bytes)).unwrap();
    assert_ne!(claim.sum, truth(&claim));
}

#[test]
fn every_truncation_is_refused() {
    let (words, weights) = instance(5, 0, 2);
    let order = Order::new(5, 2);
    let sum = inner_product(&words, &weights);
    let (_, bytes) = proof(order, &words, &weights, sum);
    for len in 0..bytes.len() {
        let mut channel = VerifierChannel::new(b"sumcheck", &bytes[..len]);
        assert_eq!(verify(order, sum, &mut channel), Err(Reject::Truncated));
    }
    let mut channel = VerifierChannel::new(b"sumcheck", &bytes);
    let _ = verify(Order::new(4, 2), sum, &mut channel).unwrap();
    assert_eq!(channel.finish(), Err(Reject::Trailing(40)));
    let mut forged = bytes;
    forged[3] = 0xff;
    let mut channel = VerifierChannel::new(b"sumcheck", &forged);
    assert_eq!(channel.recv::<2>(), Err(Reject::NonCanonicalWord));
}

/// A change here is a change of the protocol: raise the argument's version.
#[test]
fn the_bytes_are_pinned() {
    let (words, weights) = instance(8, 5, 3);
    let sum = inner_product(&words, &weights);
    let bytes = proof(Order::new(8, 5), &words, &weights, sum).1;
    let digest: [u8; 32] = Keccak256Hash.hash_iter(bytes);
    assert_eq!(digest[..8], [74, 241, 58, 4, 213, 3, 115, 223]);
}
