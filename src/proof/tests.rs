use airda_gkr::permutation::{DIGEST, Digest};
use airda_gkr::transcript::VerifierChannel;
use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::{E, F, Params};

const ROOT: Digest = [F::TWO; DIGEST];

fn challenge(commitment: &Commitment, system: &System) -> E {
    let mut channel = VerifierChannel::new(DOMAIN, &[]);
    bind(commitment, system, &mut channel);
    channel.draw()
}

/// Digests that all differ.
fn digests(count: u32) -> Vec<Digest> {
    let digest = |row| std::array::from_fn(|v| F::from_u32(100 + row) * F::from_usize(1 + v));
    (0..count).map(digest).collect()
}

fn params(hash: HashWidth, log_k: usize, log_c: usize, rows: usize, payload: u64) -> Params {
    Params::new(hash, log_k, log_c, rows, payload).unwrap()
}

/// A commitment whose root says nothing of its fields, which alone would bind them all.
fn commitment(params: Params, rows: Vec<Digest>, root_col: Digest, root: Digest) -> Commitment {
    Commitment::new(params, rows, root_col).unwrap().with_root(root)
}

#[test]
fn every_public_field_changes_the_first_challenge() {
    use HashWidth::{W16, W24};
    let system = System::for_rate(1).unwrap();
    let root_col = digests(9)[8];
    let base = params(W16, 5, 2, 3, 700);
    let of = |params: Params, rows, root_col, root| {
        challenge(&commitment(params, rows, root_col, root), &system)
    };
    let first = of(base, digests(3), root_col, ROOT);
    assert_eq!(first, of(base, digests(3), root_col, ROOT), "the same");
    for (what, other) in [
        ("width", params(W24, 5, 2, 3, 700)),
        ("log_k", params(W16, 6, 2, 3, 700)),
        ("log_c", params(W16, 5, 1, 3, 700)),
        ("payload_len", params(W16, 5, 2, 3, 701)),
    ] {
        assert_ne!(first, of(other, digests(3), root_col, ROOT), "{what}");
    }
    assert_ne!(first, of(params(W16, 5, 2, 4, 700), digests(4), root_col, ROOT), "rows");
    let mut other = ROOT;
    other[7] += F::ONE;
    assert_ne!(first, of(base, digests(3), root_col, other), "root");
    for word in 0..DIGEST {
        for row in 0..3 {
            let mut rows = digests(3);
            rows[row][word] += F::ONE;
            assert_ne!(first, of(base, rows, root_col, ROOT), "row {row}");
        }
        let mut other = root_col;
        other[word] += F::ONE;
        assert_ne!(first, of(base, digests(3), other, ROOT), "root_col");
    }
    let commitment = commitment(base, digests(3), root_col, ROOT);
    let vector = system.with_membership(Membership::Vector);
    assert_ne!(first, challenge(&commitment, &vector), "membership");
    for step in (2..=ChainStep::MAX).filter_map(ChainStep::new) {
        assert_ne!(first, challenge(&commitment, &system.with_chain_step(step)), "{step:?}");
    }
}

/// What is absorbed, written down: the domain, these numbers, the digests, and nothing else.
#[test]
fn a_commitment_is_bound_by_its_numbers_and_digests() {
    let root_col = digests(9)[8];
    let commitment = commitment(params(HashWidth::W24, 6, 2, 3, 700), digests(3), root_col, ROOT);
    let system = System::for_rate(2).unwrap().with_chain_step(ChainStep::new(4).unwrap());
    let mut channel = VerifierChannel::new(b"airda proof, version 1", &[]);
    let numbers: [u64; 8] = [24, 6, 2, 3, 700, 1, 1, 4];
    channel.bind_bytes(&numbers.map(u64::to_le_bytes).concat());
    channel.bind_words(&digests(3).concat());
    channel.bind_words(&root_col);
    channel.bind_words(&ROOT);
    assert_eq!(challenge(&commitment, &system), channel.draw());
}
