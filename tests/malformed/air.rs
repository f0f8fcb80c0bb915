//! AIR proofs' files, and what making the tables costs whom.

use std::sync::LazyLock;

use airda::artifact::{Limits, ProofFile};
use airda::params::{HashWidth, MAX_LOG_COLUMN_WORDS, MAX_LOG_K, MAX_LOG_WORDS};
use airda::proof::{self, Verified, air};
use airda::{Commitment, Error, F, Params};
use airda_air::Reject;
use airda_air::fri::Parameters;
use airda_gkr::count::Counts;
use p3_field::PrimeField32;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::blocks::{SUBJECTS, Subject};
use crate::cases::{alone, every, every_with, long, sampled};
use crate::commitments::under_any_digests;
use crate::common::{WIDTHS, cheap_air};
use crate::edits::{damaged, damaged_in, noise, noise_of_words, other_word, spliced};
use crate::measure::{limited, measure, within_memory};

const ENVELOPE: usize = ProofFile::ENVELOPE_BYTES;

/// What may be allocated at a time while tables are made and committed to, for each call of the
/// statement.
const BYTES_PER_CALL: usize = 512;

/// A proof with what verifying it counts.
struct Proof {
    subject: &'static Subject,
    system: air::System,
    file: Vec<u8>,
    verified: Verified,
    honest: Counts,
}

impl Proof {
    fn new(subject: &'static Subject, system: air::System) -> Self {
        let file = proof::prove(&subject.block, &system).unwrap();
        let (verified, cost) =
            measure(|| proof::verify_with(subject.commitment(), &system, &file).unwrap());
        within_memory(file.len(), cost);
        Self { subject, system, file, verified, honest: cost.counts }
    }

    fn body(&self) -> &[u8] {
        &self.file[ENVELOPE..]
    }

    fn with_body(&self, body: &[u8]) -> Vec<u8> {
        ProofFile { system: self.system.id(), membership: 0, chain_step: 1, body }.encode()
    }

    #[track_caller]
    fn verify(&self, file: &[u8]) -> Result<Verified, Error> {
        limited(file.len(), self.honest, || {
            proof::verify_with(self.subject.commitment(), &self.system, file)
        })
    }

    /// Refused, and not because something panicked: that is an answer of the last resort.
    #[track_caller]
    fn refuses(&self, file: &[u8]) {
        let refused = self.verify(file);
        assert!(!matches!(refused, Ok(_) | Err(Error::Air(Reject::Panicked))), "{refused:?}");
    }
}

/// Two payloads of one shape at both widths: as many shapes as a process keeps tables of.
static PROOFS: LazyLock<Vec<Proof>> = LazyLock::new(|| {
    let halves = SUBJECTS.chunks(SUBJECTS.len() / 2);
    halves.flat_map(|half| &half[1..3]).map(|subject| Proof::new(subject, cheap_air())).collect()
});

/// The smallest block's, of few queries.
static SMALLEST: LazyLock<Vec<Proof>> = LazyLock::new(|| {
    let few = air::System::insecure_for_tests(Parameters::insecure_for_tests(2, 1));
    SUBJECTS.chunks(SUBJECTS.len() / 2).map(|half| Proof::new(&half[0], few)).collect()
});

/// A proof that files can name.
static STRONG: LazyLock<Proof> =
    LazyLock::new(|| Proof::new(&SUBJECTS[1], air::System::for_rate(2).unwrap()));

fn any(rng: &mut StdRng) -> &'static Proof {
    &PROOFS[rng.random_range(0..PROOFS.len())]
}

#[test]
fn honest_proofs_are_accepted() {
    alone(|| {
        for proof in PROOFS.iter().chain(SMALLEST.iter()) {
            assert_eq!(proof.verify(&proof.file).unwrap(), proof.verified);
        }
        let _ = proof::verify(STRONG.subject.commitment(), &STRONG.file).unwrap();
    });
}

/// Words of the smallest proofs, every third in a short run, which takes all limbs in turn:
/// another word. Every word: the same word and p.
#[test]
fn every_word_changed() {
    alone(|| {
        for proof in SMALLEST.iter() {
            let words = proof.body().len() / 4;
            assert_eq!(proof.body().len(), 4 * words);
            let step = if long() { 1 } else { 3 };
            every("AIR proof, word", words / step, |word| {
                let word = word * step;
                let mut file = proof.file.clone();
                let word: &mut [u8; 4] = file[ENVELOPE + 4 * word..].first_chunk_mut().unwrap();
                *word = ((u32::from_le_bytes(*word).wrapping_add(1)) % F::ORDER_U32).to_le_bytes();
                proof.refuses(&file);
            });
            every("AIR proof, alias", words, |word| {
                let mut file = proof.file.clone();
                let word: &mut [u8; 4] = file[ENVELOPE + 4 * word..].first_chunk_mut().unwrap();
                *word = u32::from_le_bytes(*word).wrapping_add(F::ORDER_U32).to_le_bytes();
                proof.refuses(&file);
            });
        }
    });
}

/// The smallest proofs cut off everywhere, so that the envelope agrees, and longer.
#[test]
fn every_length() {
    alone(|| {
        for proof in SMALLEST.iter() {
            let body = proof.body();
            every("AIR proof, cut off", proof.file.len(), |len| {
                proof.refuses(&proof.file[..len]);
            });
            every("AIR proof, its body cut off", body.len(), |len| {
                let refused = proof.verify(&proof.with_body(&body[..len]));
                assert!(matches!(refused, Err(Error::Air(Reject::Truncated))), "{refused:?}");
            });
            every("AIR proof, its body with a tail", 200, |len| {
                let refused = proof.verify(&proof.with_body(&[body, &vec![0; len + 1]].concat()));
                let Err(Error::Air(Reject::Trailing(extra))) = refused else {
                    panic!("{refused:?}")
                };
                assert_eq!(extra, len + 1);
            });
        }
    });
}

#[test]
fn every_bit_of_the_envelope_flipped() {
    alone(|| {
        for proof in [&*STRONG, &SMALLEST[0], &PROOFS[3]] {
            every("AIR proof, bit of the envelope", 8 * ENVELOPE, |bit| {
                let mut file = proof.file.clone();
                file[bit / 8] ^= 1 << (bit % 8);
                proof.refuses(&file);
                let verified = proof::verify(proof.subject.commitment(), &file);
                assert!(verified.is_err(), "{verified:?}");
            });
        }
    });
}

/// Counts of digests that are not there: the only lengths that a proof says itself. Wherever one
/// might stand.
#[test]
fn huge_counts() {
    alone(|| {
        for proof in SMALLEST.iter() {
            let words = proof.body().len() / 4;
            let mut counts = 0;
            for word in 0..words {
                let mut file = proof.file.clone();
                file[ENVELOPE + 4 * word..][..4].fill(0xff);
                let refused = proof.verify(&file);
                if let Err(Error::Air(Reject::TooManyDigests { got, limit })) = refused {
                    assert!(got == u32::MAX as usize && limit < 64, "{got} {limit}");
                    counts += 1;
                }
                assert!(refused.is_err(), "word {word}");
            }
            // Traces, quotients, preprocessed columns, fractions, and each round.
            assert!(counts >= 4, "{counts}");
        }
        let most = Limits::default().proof_bytes - ENVELOPE;
        for len in [most, most + 1, 2 * most] {
            let proof = &PROOFS[0];
            proof.refuses(&proof.with_body(&vec![0; len]));
            let mut body = proof.body().to_vec();
            body.resize(len, 0);
            proof.refuses(&proof.with_body(&body));
        }
    });
}

/// Every proof as one of every other's statement, and as one of the other proof system.
#[test]
fn every_other_statement() {
    alone(|| {
        for to in PROOFS.iter() {
            for from in PROOFS.iter().chain([&*STRONG]) {
                if !std::ptr::eq(to, from) {
                    to.refuses(&from.file);
                    to.refuses(&to.with_body(from.body()));
                }
            }
            let from = &crate::blocks::PROOFS[0];
            to.refuses(&from.file);
            to.refuses(&to.with_body(from.body()));
            from.refuses(&to.file);
            from.refuses(&from.with_body(to.body()));
        }
    });
}

#[test]
fn damaged_everywhere() {
    alone(|| {
        sampled("AIR proof, damaged", 30, |rng| {
            let proof = any(rng);
            let file = damaged_in(&proof.file, ENVELOPE, rng);
            proof.refuses(&proof.with_body(&file[ENVELOPE..]));
            let mut file = damaged(&proof.file[..ENVELOPE], rng);
            file.extend(proof.body());
            if file != proof.file {
                proof.refuses(&file);
            }
        });
        sampled("AIR proof, sampled word", 30, |rng| {
            let proof = any(rng);
            let mut file = proof.file.clone();
            let at = ENVELOPE + 4 * rng.random_range(0..proof.body().len() / 4);
            let word: &mut [u8; 4] = file[at..].first_chunk_mut().unwrap();
            *word = other_word(u32::from_le_bytes(*word), rng).to_le_bytes();
            proof.refuses(&file);
        });
        sampled("AIR proof, spliced", 15, |rng| {
            let [front, back] = [any(rng), any(rng)];
            let body = spliced(front.body(), back.body(), rng);
            front.refuses(&front.with_body(&body));
        });
        sampled("AIR proof, noise", 20, |rng| {
            let proof = any(rng);
            let body = proof.body();
            let cut = rng.random_range(0..body.len()) & !3;
            let tail = match rng.random_range(0..4) {
                0 => noise(body.len() - cut, rng),
                1 => noise_of_words(rng.random_range(0..2 * body.len()), rng),
                _ => noise_of_words(body.len() - cut, rng),
            };
            let forged = [&body[..cut], &tail].concat();
            if forged != body {
                proof.refuses(&proof.with_body(&forged));
            }
            proof.refuses(&proof.with_body(&tail));
            proof.refuses(&tail);
        });
        sampled("AIR proof of full strength, damaged", 5, |rng| {
            let file = damaged_in(&STRONG.file, ENVELOPE, rng);
            let file = STRONG.with_body(&file[ENVELOPE..]);
            let commitment = STRONG.subject.commitment();
            let refused = limited(file.len(), STRONG.honest, || proof::verify(commitment, &file));
            assert!(!matches!(refused, Ok(_) | Err(Error::Air(Reject::Panicked))), "{refused:?}");
        });
    });
}

/// Short bodies for the largest statements: refused by their length, before anything is made of
/// the statement. Those whose proofs would be longer than a file, whatever the body.
#[test]
fn largest_shapes() {
    let shapes = |hash: HashWidth| {
        let column_words = |log_c: usize| (1 << MAX_LOG_COLUMN_WORDS) / (5 << log_c);
        let words = |log_k: usize| (1 << MAX_LOG_WORDS) / (10 << log_k);
        let new = |log_k: usize, log_c: usize, rows: usize| {
            let mut rows = rows.min(4096);
            loop {
                match Params::new(hash, log_k, log_c, rows, 1) {
                    Ok(params) => return params,
                    Err(_) => rows -= rows.div_ceil(8),
                }
            }
        };
        [(4, 4), (8, 0), (12, 5), (MAX_LOG_K, 0), (MAX_LOG_K, 6), (MAX_LOG_K, 13)]
            .map(|(log_k, log_c)| new(log_k, log_c, column_words(log_c).min(words(log_k))))
    };
    alone(|| {
        let cases: Vec<Params> = WIDTHS.into_iter().flat_map(shapes).collect();
        every_with("AIR proof, largest", cases.len(), |case, rng| {
            let commitment = under_any_digests(cases[case], rng);
            for log_inv_rate in [1, 2] {
                let system = air::System::for_rate(log_inv_rate).unwrap();
                for body in [vec![], vec![0], noise(1000, rng), noise_of_words(40_000, rng)] {
                    let body = &body[..];
                    let file =
                        ProofFile { system: system.id(), membership: 0, chain_step: 1, body };
                    let file = file.encode();
                    let input = file.len() + Commitment::encoded_len(&cases[case]);
                    let refused =
                        limited(input, SMALLEST[0].honest, || proof::verify(&commitment, &file));
                    let truncated = matches!(refused, Err(Error::Air(Reject::Truncated)));
                    assert!(truncated, "{:?}: {refused:?}", cases[case]);
                }
            }
        });
    });
}

/// A body of nothing that is long enough: what it has the verifier allocate is bounded by the
/// statement's calls.
#[test]
fn tables_take_memory_by_the_call() {
    alone(|| {
        let cases: Vec<(HashWidth, usize)> =
            WIDTHS.into_iter().flat_map(|hash| [(hash, 8), (hash, 32)]).collect();
        every_with("AIR proof, tables", cases.len(), |case, rng| {
            let (hash, rows) = cases[case];
            let params = Params::new(hash, 12, 4, rows, 1).unwrap();
            let commitment = under_any_digests(params, rng);
            let body = &vec![0; 12 << 20];
            let system = air::System::for_rate(1).unwrap();
            let file = ProofFile { system: system.id(), membership: 0, chain_step: 1, body };
            let file = file.encode();
            let (refused, cost) = measure(|| proof::verify(&commitment, &file));
            assert!(matches!(refused, Err(Error::Air(_))), "{refused:?}");
            assert!(!matches!(refused, Err(Error::Air(Reject::Truncated))), "{refused:?}");
            let calls = params.calls();
            println!("malformed: {params:?}: {} bytes a call", cost.peak / calls);
            let limit = 2 * file.len() + BYTES_PER_CALL * calls;
            assert!(cost.peak <= limit, "{} bytes, {calls} calls", cost.peak);
        });
    });
}
