//! Columns' files, and checking what they decode to.

use airda::artifact::{ColumnHeader, Kind};
use airda::{Column, Error, F};
use airda_gkr::permutation::DIGEST;
use p3_field::PrimeField32;
use rand::RngExt;

use crate::blocks::{SUBJECTS, Subject};
use crate::cases::{alone, every, sampled};
use crate::edits::{damaged, noise, noise_of_words, spliced};
use crate::measure::limited;

/// Bytes before the words: header, root, index.
const FRONT: usize = 10 + 4 * DIGEST + 4;

#[track_caller]
fn refused(subject: &Subject, bytes: &[u8]) {
    // Rows of one symbol are the same in both columns: what was one is the other.
    if subject.columns.iter().any(|honest| honest == bytes) {
        return;
    }
    let commitment = subject.commitment();
    let outcome = limited(bytes.len(), subject.checking, || {
        commitment.check(Column::decode(bytes, commitment)?)
    });
    assert!(matches!(outcome, Err(Error::Malformed { .. } | Error::Column { .. })), "{outcome:?}");
    let _ = ColumnHeader::decode(bytes);
}

#[test]
fn every_bit_flipped() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let bytes = subject.columns.last().unwrap();
            every("column, bit", 8 * bytes.len(), |bit| {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                refused(subject, &bytes);
            });
        }
    });
}

#[test]
fn every_length() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let bytes = &subject.columns[1];
            every("column, cut off", bytes.len(), |len| refused(subject, &bytes[..len]));
            every("column, with a tail", 40, |len| {
                refused(subject, &[&bytes[..], &vec![0; len + 1]].concat());
            });
        }
    });
}

/// Every word is given as the word and p.
#[test]
fn every_alias() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let honest = &subject.columns[0];
            every("column, alias", (honest.len() - FRONT) / 4, |word| {
                let mut bytes = honest.clone();
                let word: &mut [u8; 4] = bytes[FRONT + 4 * word..].first_chunk_mut().unwrap();
                *word = (u32::from_le_bytes(*word) + F::ORDER_U32).to_le_bytes();
                refused(subject, &bytes);
            });
        }
    });
}

/// Every column under every index, and in every other block.
#[test]
fn every_other_place() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            let columns = subject.columns.len();
            every("column, another index", columns * columns, |case| {
                let (column, index) = (case / columns, case % columns);
                if column != index {
                    let mut bytes = subject.columns[column].clone();
                    bytes[FRONT - 4..FRONT].copy_from_slice(&(index as u32).to_le_bytes());
                    refused(subject, &bytes);
                }
            });
        }
        every("column, another block", SUBJECTS.len() * SUBJECTS.len(), |case| {
            let (to, from) = (case / SUBJECTS.len(), case % SUBJECTS.len());
            if to != from {
                let (to, from) = (&SUBJECTS[to], &SUBJECTS[from]);
                refused(to, &from.columns[0]);
                // With the root that is asked for.
                let mut bytes = from.columns[0].clone();
                bytes[..FRONT].copy_from_slice(&to.columns[0][..FRONT]);
                refused(to, &bytes);
            }
        });
    });
}

#[test]
fn damaged_and_spliced() {
    alone(|| {
        sampled("column, damaged", 80, |rng| {
            let subject = &SUBJECTS[rng.random_range(0..SUBJECTS.len())];
            let column = &subject.columns[rng.random_range(0..subject.columns.len())];
            refused(subject, &damaged(column, rng));
        });
        sampled("column, spliced", 40, |rng| {
            let [one, other] = [(); 2].map(|()| &SUBJECTS[rng.random_range(0..SUBJECTS.len())]);
            let front = &one.columns[rng.random_range(0..one.columns.len())];
            let back = &other.columns[rng.random_range(0..other.columns.len())];
            refused(one, &spliced(front, back, rng));
        });
        sampled("column, noise", 50, |rng| {
            let subject = &SUBJECTS[rng.random_range(0..SUBJECTS.len())];
            let honest = &subject.columns[0];
            let cut = rng.random_range(0..honest.len());
            let mut bytes = honest[..cut].to_vec();
            bytes.extend(match rng.random_range(0..3) {
                0 => noise(rng.random_range(0..300), rng),
                _ => noise_of_words(honest.len() - cut, rng),
            });
            refused(subject, &bytes);
        });
    });
}

/// Of columns checked together, the honest ones pass and no other.
#[test]
fn damaged_among_honest_ones() {
    alone(|| {
        sampled("column, among others", 20, |rng| {
            let subject = &SUBJECTS[rng.random_range(0..SUBJECTS.len())];
            let commitment = subject.commitment();
            let files: Vec<(bool, Vec<u8>)> = (0..rng.random_range(1..40))
                .map(|_| {
                    let honest = &subject.columns[rng.random_range(0..subject.columns.len())];
                    match rng.random_range(0..2) {
                        0 => (true, honest.clone()),
                        _ => {
                            // Another index may make it another honest one.
                            let bytes = damaged(honest, rng);
                            (subject.columns.contains(&bytes), bytes)
                        }
                    }
                })
                .collect();
            let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum();
            let mut honest = subject.checking;
            for _ in 1..files.len() {
                honest.words += subject.checking.words;
                honest.compressions += subject.checking.compressions;
            }
            let (expected, outcomes) = limited(bytes, honest, || {
                let decoded = files.iter().filter_map(|(honest, bytes)| {
                    Some((*honest, Column::decode(bytes, commitment).ok()?))
                });
                let (expected, columns): (Vec<bool>, Vec<Column>) = decoded.unzip();
                (expected, commitment.check_all(columns))
            });
            assert!(
                expected.iter().eq(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>().iter())
            );
            assert_eq!(
                expected.iter().filter(|&&honest| honest).count(),
                files.iter().filter(|(honest, _)| *honest).count()
            );
        });
    });
}

/// An artifact of one kind is none of another.
#[test]
fn other_kinds() {
    alone(|| {
        for subject in SUBJECTS.iter() {
            refused(subject, &subject.commitment);
            assert_eq!(Kind::of(&subject.columns[0]), Some(Kind::Column));
        }
    });
}
