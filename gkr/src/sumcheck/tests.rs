use p3_field::{BasedVectorSpace, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::prove::PackedE;
use super::*;
use crate::permutation::Packed;
use crate::transcript::{ProverChannel, Receiver, Sender, VerifierChannel};
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

fn pack(weights: &[E]) -> Vec<PackedE> {
    weights.chunks_exact(Packed::WIDTH).map(PackedE::from_ext_slice).collect()
}

fn inner_product(words: &[F], weights: &[E]) -> E {
    words.iter().zip(weights).map(|(&f, &w)| w * f).sum()
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

/// The messages, by the definition: g(0), g(1), g(2) summed one by one.
fn naive(words: &[F], weights: &[E], channel: &mut impl Sender) {
    let mut values: Vec<E> = words.iter().map(|&f| f.into()).collect();
    values.resize(weights.len(), E::ZERO);
    let mut weights = weights.to_vec();
    while values.len() > 1 {
        let half = values.len() / 2;
        let line = |v: &[E], i: usize, x: E| v[i] + x * (v[half + i] - v[i]);
        let at =
            |x: E| -> E { (0..half).map(|i| line(&values, i, x) * line(&weights, i, x)).sum() };
        let [g0, g1, g2] = [at(E::ZERO), at(E::ONE), at(E::TWO)];
        channel.send(&[g0, (g2 - g1.double() + g0).halve()]);
        let r = channel.draw();
        values = (0..half).map(|i| line(&values, i, r)).collect();
        weights = (0..half).map(|i| line(&weights, i, r)).collect();
    }
}

fn proof(words: &[F], weights: &[E], sum: E) -> (Claim, Vec<u8>) {
    let mut channel = ProverChannel::new(b"sumcheck");
    let claim = prove(words, pack(weights), sum, &mut channel);
    (claim, channel.finish())
}

fn log_lanes() -> usize {
    Packed::WIDTH.ilog2() as usize
}

#[test]
fn honest_proofs_verify_and_claims_are_true() {
    for log_len in log_lanes()..12 {
        for missing in [0, 1, 7, (1 << log_len) / 2 + 1] {
            let (words, weights) = instance(log_len, missing, log_len as u64);
            let sum = inner_product(&words, &weights);
            let (claim, bytes) = proof(&words, &weights, sum);
            let mut channel = VerifierChannel::new(b"sumcheck", &bytes);
            assert_eq!(verify(log_len, sum, &mut channel).unwrap(), claim);
            channel.finish().unwrap();
            let f = extension(words.iter().map(|&f| f.into()), &claim.point);
            let w = extension(weights.iter().copied(), &claim.point);
            assert_eq!(f * w, claim.sum);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn fast_prover_equals_the_definition(extra in 0usize..7, missing in 0usize..40, seed: u64) {
        let (words, weights) = instance(log_lanes() + extra, missing, seed);
        let mut channel = ProverChannel::new(b"sumcheck");
        naive(&words, &weights, &mut channel);
        let sum = inner_product(&words, &weights);
        prop_assert_eq!(proof(&words, &weights, sum).1, channel.finish());
    }
}

#[test]
fn an_altered_message_or_sum_leaves_a_false_claim() {
    let (words, weights) = instance(6, 3, 1);
    let sum = inner_product(&words, &weights);
    let (_, bytes) = proof(&words, &weights, sum);
    let truth = |claim: &Claim| {
        extension(words.iter().map(|&f| f.into()), &claim.point)
            * extension(weights.iter().copied(), &claim.point)
    };
    for message in 0..12 {
        let mut forged = bytes.clone();
        forged[message * 20] ^= 1;
        let claim = verify(6, sum, &mut VerifierChannel::new(b"sumcheck", &forged)).unwrap();
        assert_ne!(claim.sum, truth(&claim));
    }
    let claim = verify(6, sum + E::ONE, &mut VerifierChannel::new(b"sumcheck", &bytes)).unwrap();
    assert_ne!(claim.sum, truth(&claim));
}

#[test]
fn every_truncation_is_refused() {
    let (words, weights) = instance(5, 0, 2);
    let sum = inner_product(&words, &weights);
    let (_, bytes) = proof(&words, &weights, sum);
    for len in 0..bytes.len() {
        let mut channel = VerifierChannel::new(b"sumcheck", &bytes[..len]);
        assert_eq!(verify(5, sum, &mut channel), Err(Reject::Truncated));
    }
    let mut channel = VerifierChannel::new(b"sumcheck", &bytes);
    let _ = verify(4, sum, &mut channel).unwrap();
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
    let digest: [u8; 32] = Keccak256Hash.hash_iter(proof(&words, &weights, sum).1);
    assert_eq!(digest[..8], [22, 1, 8, 251, 3, 83, 31, 153]);
}
