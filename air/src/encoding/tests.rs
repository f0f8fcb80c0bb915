use std::ops::Range;

use p3_field::PrimeField32;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::fixture::{Fixture, Instance, parameters};
use crate::public_blocks::PublicBlocks;
use crate::{Machine, Table};

type Tables = Table<16, 20>;

/// A machine, what it proves, and a proof.
struct Case {
    machine: Machine<Tables>,
    shape: Shape,
    public: Vec<Vec<F>>,
    proof: Vec<u8>,
}

impl Case {
    fn new(instance: &Instance<Tables>, parameters: &Parameters) -> Self {
        let machine = instance.machine(parameters);
        let proof = machine.prove(b"", &instance.traces, &instance.public).unwrap();
        let shape = Shape::new(machine.table_shapes().to_vec(), parameters).unwrap();
        Self { machine, shape, public: instance.public.clone(), proof }
    }

    fn small() -> Self {
        Self::new(&Fixture::new(3).honest(), &parameters())
    }

    fn verify(&self, proof: &[u8]) -> Result<(), Reject> {
        self.machine.verify(b"", &self.public, proof)
    }

    /// The proof's parts, in order.
    fn parts(&self) -> Vec<(Part, Range<usize>)> {
        let shape = &self.shape;
        let mut parts = Parts(Vec::new());
        parts.push(Part::Digests, (2 + usize::from(shape.fractions)) * DIGEST);
        for table in &shape.tables {
            let terminal = usize::from(table.fractions > 0);
            parts.push(Part::Words, (table.elements().unwrap() - terminal) * ELEMENT);
            parts.push(Part::Terminal, terminal * ELEMENT);
        }
        parts.push(Part::Digests, shape.rounds.len() * DIGEST);
        let opened = shape.batches.iter().map(|batch| {
            let width: usize = batch.widths.iter().sum();
            (shape.num_queries * width * WORD, batch.max_digests)
        });
        let folded = shape
            .rounds
            .iter()
            .map(|round| (shape.num_queries * round.siblings * ELEMENT, round.max_digests));
        for (bytes, limit) in opened.chain(folded) {
            parts.push(Part::Words, bytes);
            let count = self.proof[parts.end()..].first_chunk().unwrap();
            let count = u32::from_le_bytes(*count) as usize;
            parts.push(Part::Count { limit }, COUNT);
            parts.push(Part::Digests, count * DIGEST);
        }
        parts.push(Part::Words, ELEMENT);
        parts.push(Part::Work, WORD);
        parts.push(Part::Work, usize::from(shape.batch_work) * WORD);
        assert_eq!(parts.end(), self.proof.len());
        parts.0.retain(|(_, range)| !range.is_empty());
        parts.0
    }

    /// The proof with a word in another one's place.
    fn with(&self, at: usize, word: u32) -> Vec<u8> {
        let mut proof = self.proof.clone();
        proof[at..at + WORD].copy_from_slice(&word.to_le_bytes());
        proof
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(*self.proof[at..].first_chunk().unwrap())
    }
}

/// What a part of a proof is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Merkle digests, whose words are any.
    Digests,
    /// Canonical words, by themselves or in elements.
    Words,
    /// A table's share of the bus.
    Terminal,
    /// A number of digests.
    Count { limit: usize },
    /// A proof of work.
    Work,
}

struct Parts(Vec<(Part, Range<usize>)>);

impl Parts {
    fn end(&self) -> usize {
        self.0.last().map_or(0, |(_, range)| range.end)
    }

    fn push(&mut self, part: Part, bytes: usize) {
        let start = self.end();
        self.0.push((part, start..start + bytes));
    }
}

/// Refusals of proofs that can be read.
fn is_read_and_refused(verdict: &Result<(), Reject>) -> bool {
    matches!(verdict, Err(Reject::Opening | Reject::Work | Reject::Constraints { .. }))
}

/// Three tables; one that reads no next row and has no bus; work before the batch; larger folds.
fn cases() -> Vec<Case> {
    let instance = Fixture::new(3).honest();
    let empty = PublicBlocks::new([]);
    let busless = |height| {
        let trace = RowMajorMatrix::new(F::zero_vec(height), 1);
        Instance::of_one(Table::Public(empty.clone()), trace, vec![])
    };
    vec![
        Case::new(&instance, &parameters()),
        Case::new(&Fixture::new(8).honest(), &Parameters::insecure_for_tests(3, 3)),
        Case::new(&instance, &Parameters::by_id(3).unwrap().without_target()),
        Case::new(&busless(16), &parameters()),
        Case::new(&busless(1), &Parameters::insecure_for_tests(1, 1)),
    ]
}

#[test]
fn a_proof_has_one_encoding_within_the_stated_lengths() {
    for case in cases() {
        assert_eq!(case.verify(&case.proof), Ok(()));
        let decoded = case.shape.decode(&case.proof).unwrap();
        assert_eq!(case.shape.encode(&decoded), case.proof);
        let (least, most) = case.machine.proof_bytes();
        assert_eq!((least, most), case.shape.bytes());
        assert!((least..=most).contains(&case.proof.len()), "{least} {} {most}", case.proof.len());
        let digests: usize = case
            .parts()
            .into_iter()
            .filter_map(|(part, range)| matches!(part, Part::Count { .. }).then_some(range.start))
            .map(|at| case.word(at) as usize)
            .sum();
        assert_eq!(least + digests * DIGEST, case.proof.len());
    }
}

#[test]
fn refuses_every_proof_that_ends_early() {
    for case in cases() {
        let edges = case.parts().into_iter().flat_map(|(_, range)| {
            [range.start, range.start + 1, range.end - 1].into_iter().chain(range.step_by(997))
        });
        for len in edges.chain([case.proof.len() - 1]) {
            assert_eq!(case.verify(&case.proof[..len]), Err(Reject::Truncated), "{len} bytes");
        }
    }
}

#[test]
fn refuses_bytes_after_the_proof() {
    for case in cases() {
        for more in [1, WORD, DIGEST, case.proof.len()] {
            let mut long = case.proof.clone();
            long.extend(case.proof.iter().cycle().take(more));
            assert_eq!(case.verify(&long), Err(Reject::Trailing(more)));
        }
    }
}

#[test]
fn refuses_words_that_are_not_canonical() {
    let case = Case::small();
    for (part, range) in case.parts() {
        if matches!(part, Part::Digests | Part::Count { .. }) {
            continue;
        }
        let last = range.end - WORD;
        for at in range.step_by(41 * WORD).chain([last]) {
            let word = case.word(at);
            // Where it fits, the same word of F.
            let again = word.checked_add(F::ORDER_U32).unwrap_or(F::ORDER_U32);
            for wrong in [F::ORDER_U32, u32::MAX, again] {
                assert_eq!(case.verify(&case.with(at, wrong)), Err(Reject::NonCanonicalWord));
            }
        }
    }
}

#[test]
fn refuses_other_numbers_of_digests() {
    for case in cases() {
        for (part, range) in case.parts() {
            let Part::Count { limit } = part else { continue };
            let count = case.word(range.start);
            assert!(count as usize <= limit);
            for got in [limit + 1, u32::MAX as usize, 1 << 31] {
                let verdict = case.verify(&case.with(range.start, got as u32));
                assert_eq!(verdict, Err(Reject::TooManyDigests { got, limit }));
            }
            // With the bytes that go with it: p3 refuses a digest too many or too few.
            let mut more = case.with(range.start, count + 1);
            more.splice(range.end..range.end, [0; DIGEST]);
            let verdict = case.verify(&more);
            if count as usize == limit {
                let got = limit + 1;
                assert_eq!(verdict, Err(Reject::TooManyDigests { got, limit }));
            } else {
                assert_eq!(verdict, Err(Reject::Opening));
            }
            if count > 0 {
                let mut fewer = case.with(range.start, count - 1);
                fewer.drain(range.end..range.end + DIGEST);
                let verdict = case.verify(&fewer);
                assert!(matches!(verdict, Err(Reject::Opening | Reject::Truncated)), "{verdict:?}");
            }
        }
    }
}

#[test]
fn refuses_each_part_with_one_word_altered() {
    for case in cases() {
        for (part, range) in case.parts() {
            if matches!(part, Part::Count { .. } | Part::Work) {
                continue;
            }
            let last = range.end - WORD;
            for at in range.step_by(131 * WORD).chain([last]) {
                let word = case.word(at);
                let other = if word == 0 { 1 } else { word - 1 };
                let verdict = case.verify(&case.with(at, other));
                assert!(is_read_and_refused(&verdict), "{part:?} at {at}: {verdict:?}");
            }
        }
    }
}

#[test]
fn refuses_flipped_bits() {
    let case = Case::small();
    let mut rng = StdRng::seed_from_u64(1);
    for at in (0..case.proof.len()).step_by(61) {
        let mut proof = case.proof.clone();
        proof[at] ^= 1 << rng.random_range(0..8);
        let verdict = case.verify(&proof);
        assert!(!matches!(verdict, Ok(()) | Err(Reject::Panicked)), "byte {at}: {verdict:?}");
    }
}

/// Eight bits of work leave few other witnesses; those that are left draw other queries.
#[test]
fn refuses_another_proof_of_work() {
    let case =
        Case::new(&Fixture::new(3).honest(), &Parameters::by_id(3).unwrap().without_target());
    let works: Vec<usize> = case
        .parts()
        .into_iter()
        .filter_map(|(part, range)| (part == Part::Work).then_some(range.start))
        .collect();
    assert_eq!(works.len(), 2);
    for at in works {
        let others = (0..20).map(|other| case.word(at) ^ (1 << 20) ^ other);
        let verdicts: Vec<_> = others.map(|other| case.verify(&case.with(at, other))).collect();
        assert!(verdicts.contains(&Err(Reject::Work)));
        assert!(verdicts.iter().all(is_read_and_refused), "{verdicts:?}");
    }
}

/// Terminals that sum to zero, but not those of the fractions that are committed to.
#[test]
fn refuses_terminals_made_to_cancel() {
    let terminals = |case: &Case| -> Vec<usize> {
        let parts = case.parts().into_iter();
        parts.filter_map(|(part, range)| (part == Part::Terminal).then_some(range.start)).collect()
    };
    let altered = |case: &Case, at: usize, by: E| {
        let mut proof = case.proof.clone();
        let element = Input::new(&proof[at..]).element().unwrap();
        let mut other = Vec::new();
        crate::codec::put_elements(&mut other, &[element + by]);
        proof[at..at + ELEMENT].copy_from_slice(&other);
        proof
    };
    // A good bus: one table's share grows by what another one's loses.
    let mut case = Case::small();
    let at = terminals(&case);
    assert_eq!(at.len(), 3);
    case.proof = altered(&case, at[0], E::ONE);
    case.proof = altered(&case, at[1], -E::ONE);
    assert!(is_read_and_refused(&case.verify(&case.proof)));

    // A bus that is off balance: the last table's share makes up for it.
    let mut instance = Fixture::<16, 20>::new(3).honest();
    instance.public[crate::fixture::PUBLIC][0] += F::ONE;
    let mut case = Case::new(&instance, &parameters());
    assert_eq!(case.verify(&case.proof), Err(Reject::Bus));
    let sum = at.iter().map(|&at| Input::new(&case.proof[at..]).element().unwrap()).sum::<E>();
    assert_ne!(sum, E::ZERO);
    case.proof = altered(&case, at[2], -sum);
    assert!(is_read_and_refused(&case.verify(&case.proof)));
}

/// Parts that would be read alike in each other's place.
#[test]
fn refuses_parts_in_each_others_place() {
    let case = Case::small();
    for (part, range) in case.parts() {
        let size = match part {
            Part::Digests => DIGEST,
            Part::Words => ELEMENT,
            _ => continue,
        };
        if range.len() < 2 * size {
            continue;
        }
        let mut proof = case.proof.clone();
        let (first, second) = proof[range.start..].split_at_mut(size);
        first.swap_with_slice(&mut second[..size]);
        if proof != case.proof {
            assert!(is_read_and_refused(&case.verify(&proof)), "{part:?}");
        }
    }
}

#[test]
fn refuses_random_bytes_and_zeros() {
    let case = Case::small();
    let (least, most) = case.machine.proof_bytes();
    let mut rng = StdRng::seed_from_u64(2);
    for len in [0, 1, least - 1, least, case.proof.len(), most, most + 1] {
        // Words below p: the decoder goes on to the counts of digests.
        let word = |_| rng.random::<F>().as_canonical_u32().to_le_bytes();
        let mut random: Vec<u8> = (0..len.div_ceil(WORD)).flat_map(word).collect();
        random.truncate(len);
        let mut any = vec![0; len];
        rng.fill(any.as_mut_slice());
        for proof in [random, any, vec![0; len], vec![255; len]] {
            let verdict = case.verify(&proof);
            assert!(!matches!(verdict, Ok(()) | Err(Reject::Panicked)), "{verdict:?}");
        }
    }
}
