//! Proofs' files: the envelope and everything that the verifier reads.

use airda::F;
use airda::artifact::{Limits, ProofFile};
use airda::proof;
use p3_field::PrimeField32;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::blocks::{PROOFS, Proof, SMALLEST, STRONG};
use crate::cases::{alone, every, gave_up, sampled};
use crate::edits::{damaged, damaged_in, noise, noise_of_words, spliced};
use crate::measure::limited;

const ENVELOPE: usize = ProofFile::ENVELOPE_BYTES;

fn any(rng: &mut StdRng) -> &'static Proof {
    &PROOFS[rng.random_range(0..PROOFS.len())]
}

/// A place for damage to begin: anywhere, or in the opening, which is read last.
fn anywhere(proof: &Proof, rng: &mut StdRng) -> usize {
    if rng.random() { ENVELOPE } else { proof.opening() }
}

/// Verifies a file by the system that it names.
#[track_caller]
fn named_refuses(proof: &Proof, file: &[u8]) {
    let commitment = proof.subject.commitment();
    let verified = limited(file.len(), proof.honest, || proof::verify(commitment, file));
    match verified {
        Ok(verified) => panic!("accepted: {verified:?}"),
        Err(error) if error.to_string().contains("gave up") => gave_up(),
        Err(_) => {}
    }
}

#[test]
fn honest_proofs_are_accepted() {
    alone(|| {
        for proof in PROOFS.iter().chain(SMALLEST.iter()) {
            let verified = proof.verify(&proof.file).unwrap();
            assert_eq!(verified, proof.verified);
            let sizes = verified.sizes.unwrap();
            let parts = sizes.commitment + sizes.walk + sizes.form + sizes.opening;
            assert_eq!(parts, proof.body().len());
        }
        let _ = proof::verify(STRONG.subject.commitment(), &STRONG.file).unwrap();
    });
}

/// Every word of the smallest proof: another word, and the same word and p.
#[test]
fn every_word_changed() {
    alone(|| {
        for proof in SMALLEST.iter() {
            let words = proof.body().len() / 4;
            every("proof, word", words, |word| {
                let mut file = proof.file.clone();
                let word: &mut [u8; 4] = file[ENVELOPE + 4 * word..].first_chunk_mut().unwrap();
                *word = ((u32::from_le_bytes(*word).wrapping_add(1)) % F::ORDER_U32).to_le_bytes();
                proof.refuses(&file);
            });
            every("proof, alias", words, |word| {
                let mut file = proof.file.clone();
                let word: &mut [u8; 4] = file[ENVELOPE + 4 * word..].first_chunk_mut().unwrap();
                *word = u32::from_le_bytes(*word).wrapping_add(F::ORDER_U32).to_le_bytes();
                proof.refuses(&file);
            });
        }
    });
}

/// The smallest proof cut off everywhere, and so that the envelope agrees.
#[test]
fn every_length() {
    alone(|| {
        for proof in SMALLEST.iter() {
            let body = proof.body();
            every("proof, cut off", proof.file.len(), |len| proof.refuses(&proof.file[..len]));
            every("proof, its body cut off", body.len(), |len| {
                proof.refuses(&proof.with_body(&body[..len]));
            });
            every("proof, with a tail", 200, |len| {
                proof.refuses(&[&proof.file[..], &vec![0; len + 1]].concat());
            });
            every("proof, its body with a tail", 200, |len| {
                proof.refuses(&proof.with_body(&[body, &vec![0; len + 1]].concat()));
            });
        }
    });
}

#[test]
fn every_bit_of_the_envelope_flipped() {
    alone(|| {
        for proof in [&*STRONG, &SMALLEST[0], &PROOFS[5]] {
            every("proof, bit of the envelope", 8 * ENVELOPE, |bit| {
                let mut file = proof.file.clone();
                file[bit / 8] ^= 1 << (bit % 8);
                proof.refuses(&file);
                named_refuses(&STRONG, &file);
            });
        }
        // No file names a weak system.
        PROOFS.iter().for_each(|proof| named_refuses(&STRONG, &proof.file));
    });
}

/// Lengths that the body does not have.
#[test]
fn huge_lengths() {
    alone(|| {
        let edges = [0, 1, 1 << 16, 1 << 24, 1 << 30, (1 << 31) - 1, 1 << 31, u32::MAX];
        every("proof, length", PROOFS.len() * edges.len(), |case| {
            let (proof, len) = (&PROOFS[case / edges.len()], edges[case % edges.len()]);
            let mut file = proof.file.clone();
            file[ENVELOPE - 4..ENVELOPE].copy_from_slice(&len.to_le_bytes());
            proof.refuses(&file);
        });
        // A body as long as any decoder takes, and longer.
        let most = Limits::default().proof_bytes;
        for len in [most - ENVELOPE, most - ENVELOPE + 1, 2 * most] {
            let proof = &PROOFS[0];
            proof.refuses(&proof.with_body(&vec![0; len]));
            let mut body = proof.body().to_vec();
            body.resize(len, 0);
            proof.refuses(&proof.with_body(&body));
        }
    });
}

/// Every proof as one of every other's statement.
#[test]
fn every_other_statement() {
    alone(|| {
        every("proof, another statement", PROOFS.len() * PROOFS.len(), |case| {
            let (to, from) = (&PROOFS[case / PROOFS.len()], &PROOFS[case % PROOFS.len()]);
            if !std::ptr::eq(to, from) {
                to.refuses(&from.file);
                // With the envelope that is asked for.
                to.refuses(&to.with_body(from.body()));
            }
        });
    });
}

#[test]
fn damaged_everywhere() {
    alone(|| {
        sampled("proof, damaged", 110, |rng| {
            let proof = any(rng);
            let file = damaged_in(&proof.file, anywhere(proof, rng), rng);
            // The envelope's length follows the body's, or does not.
            match rng.random_range(0..4) {
                0 => proof.refuses(&file),
                _ => proof.refuses(&proof.with_body(&file[ENVELOPE..])),
            }
        });
        sampled("proof, damaged envelope", 70, |rng| {
            let proof = any(rng);
            let mut file = damaged(&proof.file[..ENVELOPE], rng);
            file.extend(proof.body());
            if file != proof.file {
                proof.refuses(&file);
                let _ = ProofFile::decode(&file, &Limits::default());
            }
        });
    });
}

/// One word of a body changed, whose length is right.
#[test]
fn damaged_words() {
    alone(|| {
        sampled("proof, sampled word", 52, |rng| {
            let proof = any(rng);
            let mut file = proof.file.clone();
            let from = anywhere(proof, rng);
            let at = from + 4 * rng.random_range(0..(file.len() - from) / 4);
            let word: &mut [u8; 4] = file[at..].first_chunk_mut().unwrap();
            *word = crate::edits::other_word(u32::from_le_bytes(*word), rng).to_le_bytes();
            proof.refuses(&file);
        });
    });
}

#[test]
fn spliced_bodies() {
    alone(|| {
        sampled("proof, spliced", 50, |rng| {
            let [front, back] = [any(rng), any(rng)];
            let body = spliced(front.body(), back.body(), rng);
            front.refuses(&front.with_body(&body));
        });
    });
}

#[test]
fn noise_behind_what_is_good() {
    alone(|| {
        sampled("proof, good up to somewhere", 40, |rng| {
            let proof = any(rng);
            let body = proof.body();
            let cut = anywhere(proof, rng) - ENVELOPE;
            let cut = rng.random_range(cut..body.len()) & !3;
            let tail = match rng.random_range(0..4) {
                0 => noise(body.len() - cut, rng),
                1 => noise_of_words(rng.random_range(0..2 * body.len()), rng),
                _ => noise_of_words(body.len() - cut, rng),
            };
            let forged = [&body[..cut], &tail].concat();
            if forged != body {
                proof.refuses(&proof.with_body(&forged));
            }
        });
        sampled("proof, noise", 20, |rng| {
            let proof = any(rng);
            let len = match rng.random_range(0..3) {
                0 => rng.random_range(0..100),
                1 => rng.random_range(0..2 * proof.body().len()),
                _ => proof.body().len(),
            };
            let body = if rng.random() { noise(len, rng) } else { noise_of_words(len, rng) };
            proof.refuses(&proof.with_body(&body));
            proof.refuses(&body);
        });
    });
}

/// A proof of full strength, by the door that strangers use.
#[test]
fn damaged_at_full_strength() {
    alone(|| {
        let proof = &*STRONG;
        sampled("proof of full strength, damaged", 20, |rng| {
            let file = damaged_in(&proof.file, anywhere(proof, rng), rng);
            named_refuses(proof, &proof.with_body(&file[ENVELOPE..]));
        });
        sampled("proof of full strength, sampled word", 20, |rng| {
            let mut file = proof.file.clone();
            let from = anywhere(proof, rng);
            let at = from + 4 * rng.random_range(0..(file.len() - from) / 4);
            let word: &mut [u8; 4] = file[at..].first_chunk_mut().unwrap();
            *word = crate::edits::other_word(u32::from_le_bytes(*word), rng).to_le_bytes();
            named_refuses(proof, &file);
        });
    });
}
