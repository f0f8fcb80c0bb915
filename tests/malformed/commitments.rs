//! Commitments' files.

use airda::artifact::{Kind, Limits, VERSION};
use airda::params::HashWidth;
use airda::{Commitment, Error, F, Params};
use airda_gkr::count::Counts;
use airda_gkr::permutation::{DIGEST, Digest};
use p3_field::PrimeField32;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::blocks::SUBJECTS;
use crate::cases::{alone, every, sampled};
use crate::edits::{damaged, noise, noise_of_words, spliced};
use crate::measure::limited;

#[track_caller]
fn refused(bytes: &[u8], honest: Counts) {
    let decoded = limited(bytes.len(), honest, || Commitment::decode(bytes, &Limits::default()));
    assert!(matches!(decoded, Err(Error::Malformed { .. })), "{decoded:?}");
}

#[test]
fn every_bit_flipped() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let bytes = &subject.commitment;
            every("commitment, bit", 8 * bytes.len(), |bit| {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                refused(&bytes, subject.decoding);
            });
        }
    });
}

#[test]
fn every_length() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let bytes = &subject.commitment;
            every("commitment, cut off", bytes.len(), |len| {
                refused(&bytes[..len], subject.decoding);
            });
            every("commitment, with a tail", 40, |len| {
                refused(&[&bytes[..], &vec![0; len + 1]].concat(), subject.decoding);
            });
        }
    });
}

/// Every word of digests is given as the word and p.
#[test]
fn every_alias() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let digests = (2 + subject.block.params().rows()) * DIGEST;
            every("commitment, alias", digests, |word| {
                let mut bytes = subject.commitment.clone();
                let at = bytes.len() - 4 * (word + 1);
                let word: &mut [u8; 4] = bytes[at..].first_chunk_mut().unwrap();
                *word = (u32::from_le_bytes(*word) + F::ORDER_U32).to_le_bytes();
                refused(&bytes, subject.decoding);
            });
        }
    });
}

#[test]
fn damaged_and_spliced() {
    alone(|| {
        sampled("commitment, damaged", 80, |rng| {
            let subject = &SUBJECTS[rng.random_range(0..SUBJECTS.len())];
            refused(&damaged(&subject.commitment, rng), subject.decoding);
        });
        sampled("commitment, spliced", 40, |rng| {
            let [front, back] = [(); 2].map(|()| &SUBJECTS[rng.random_range(0..SUBJECTS.len())]);
            let bytes = spliced(&front.commitment, &back.commitment, rng);
            refused(&bytes, front.decoding.max(back.decoding));
        });
    });
}

#[test]
fn noise_behind_a_header() {
    alone(|| {
        let most = SUBJECTS.iter().fold(Counts::ZERO, |most, s| most.max(s.decoding));
        sampled("commitment, noise", 30, |rng| {
            let mut bytes = SUBJECTS[0].commitment[..rng.random_range(0..20)].to_vec();
            bytes.extend(noise(rng.random_range(0..300), rng));
            refused(&bytes, most);
        });
    });
}

/// What reading and hashing a commitment with these parameters counts.
pub(crate) fn implied(params: &Params) -> Counts {
    let (mut nodes, mut level) = (0, params.rows());
    while level > 1 {
        level = level.div_ceil(2);
        nodes += level;
    }
    let root = (2 * DIGEST).div_ceil(params.hash().rate());
    Counts {
        compressions: (nodes + root) as u64,
        // Width, log k, log c, the rows and the length as two words each, digests.
        words: (3 + 1 + 2 + 1 + DIGEST * (2 + params.rows())) as u64,
        ..Counts::ZERO
    }
}

/// The formula is what honest commitments count.
#[test]
fn counts_are_implied_by_parameters() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            assert_eq!(subject.decoding, implied(subject.block.params()));
        }
    });
}

/// A commitment's bytes with any numbers in the fields.
fn with_fields(width: u8, log_k: u8, log_c: u8, rows: u32, len: u64, digests: &[u8]) -> Vec<u8> {
    let mut bytes = Kind::Commitment.magic().to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([width, log_k, log_c]);
    bytes.extend(rows.to_le_bytes());
    bytes.extend(len.to_le_bytes());
    bytes.extend(digests);
    bytes
}

fn one_of<T: Copy>(values: &[T], rng: &mut StdRng) -> T {
    values[rng.random_range(0..values.len())]
}

/// Parameters at their extremes, with and without the digests that they call for.
#[test]
fn extreme_parameters() {
    alone(|| {
        sampled("commitment, extreme parameters", 80, |rng| {
            let width = one_of(&[16, 16, 24, 24, 0, 15, 255], rng);
            let log_k = one_of(&[0, 1, 5, 13, 19, 20, 21, 31, 32, 63, 64, 127, 255], rng);
            let log_c = one_of(&[0, 1, 5, 15, 18, 20, 21, 31, 32, 63, 64, 255], rng);
            let rows = one_of(&[0, 1, 2, 3, 64, 4095, 4096, 4097, 1 << 31, u32::MAX], rng);
            let len = one_of(
                &[0, 1, 19, 20, 1 << 20, 1 << 30, (19 << 20) * 4096, 1 << 63, u64::MAX],
                rng,
            );
            let digests = 32 * (2 + if rows <= 4097 { rows as usize } else { 0 });
            let digests = match rng.random_range(0..4) {
                0 => rng.random_range(0..digests + 40),
                _ => digests,
            };
            let bytes = with_fields(width, log_k, log_c, rows, len, &noise_of_words(digests, rng));
            let hash = if width == 24 { HashWidth::W24 } else { HashWidth::W16 };
            let rows = (rows as usize).min(4096);
            let like = Params::new(hash, 0, 0, rows.max(1), 1).unwrap();
            refused(&bytes, implied(&like));
        });
    });
}

/// Random parameters that fit together, and random digests under their true root: well formed as
/// far as bytes go, and the one encoding.
pub(crate) fn stranger(rng: &mut StdRng) -> Commitment {
    let hash = one_of(&[HashWidth::W16, HashWidth::W24], rng);
    loop {
        let log_k = rng.random_range(0..=20);
        let log_c = rng.random_range(0..=log_k);
        let rows = one_of(&[1, 2, 3, 14, 100, 4096], rng);
        let len = rng.random_range(1..=(19_u64 << log_k) * rows as u64);
        if let Ok(params) = Params::new(hash, log_k, log_c, rows, len) {
            return under_any_digests(params, rng);
        }
    }
}

/// Random digests under their true root.
pub(crate) fn under_any_digests(params: Params, rng: &mut StdRng) -> Commitment {
    let mut digest =
        || -> Digest { std::array::from_fn(|_| F::new(rng.random_range(0..F::ORDER_U32))) };
    let rows = (0..params.rows()).map(|_| digest()).collect();
    Commitment::new(params, rows, digest()).unwrap()
}

#[test]
fn strangers_digests_under_a_true_root() {
    alone(|| {
        sampled("commitment, a stranger's", 10, |rng| {
            let commitment = stranger(rng);
            let (bytes, implied) = (commitment.encode(), implied(commitment.params()));
            let decoded =
                limited(bytes.len(), implied, || Commitment::decode(&bytes, &Limits::default()));
            assert_eq!(decoded.unwrap(), commitment);
            refused(&damaged(&bytes, rng), implied);
        });
    });
}
