//! Arguments over tables with transient pieces.

use std::cell::Cell;

use super::tests::{scheme, trace_of};
use super::*;
use crate::F;
use crate::cheating::{Altering, add_one};
use crate::levels::tests::{SHAPES, chains, words_of};
use crate::transcript::{ProverChannel, Sender};
use crate::walk::{LOG_LANES, POSITIONS, Trace, log_outer};
use p3_field::PrimeCharacteristicRing;

/// Proves with what the prover believes in: `words`, and the traces of the levels by number.
fn proved<const T: usize>(
    table: &CallTable<T>,
    words: &[F],
    trace: impl Fn(usize, &Level<'_, T>) -> Trace<T>,
    channel: &mut (impl Sender + Send),
) where
    Poseidon2<T>: Permutation<T>,
{
    let equations = Equations::new();
    let statement = Statement { table, layout: Layout::whole(table), equations: &equations };
    let number = Cell::new(0);
    let trace = |level: &Level<'_, T>| trace(number.replace(number.get() + 1), level);
    let scheme = scheme(statement.layout.num_words());
    prove_traced(&statement, &scheme, words, trace, channel);
}

fn proof<const T: usize>(
    table: &CallTable<T>,
    words: &[F],
    trace: impl Fn(usize, &Level<'_, T>) -> Trace<T>,
) -> Vec<u8>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = ProverChannel::new(b"levels");
    proved(table, words, trace, &mut channel);
    channel.finish()
}

fn verified<const T: usize>(table: &CallTable<T>, proof: &[u8]) -> Result<(), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let equations = Equations::new();
    let statement = Statement { table, layout: Layout::whole(table), equations: &equations };
    let mut channel = VerifierChannel::new(b"levels", proof);
    verify(&statement, &scheme(statement.layout.num_words()), &mut channel)?;
    channel.finish()
}

/// The least and the most bytes of a proof are those of what is really sent.
fn admits_exactly<const T: usize>(table: &CallTable<T>, proof: &[u8])
where
    Poseidon2<T>: Permutation<T>,
{
    const ELEMENT: usize = DEGREE * WORD_BYTES;
    let (equations, layout) = (Equations::new(), Layout::whole(table));
    let scheme = scheme(layout.num_words());
    let statement = Statement { table, layout, equations: &equations };
    let sizes = verify(&statement, &scheme, &mut VerifierChannel::new(b"levels", proof)).unwrap();
    let num_calls = table.levels().into_iter().map(|level| level.num_calls);
    assert_eq!(sizes.walk, ELEMENT * levels::num_sent::<T>(num_calls));
    assert_eq!(sizes.form, ELEMENT * 2 * scheme.num_variables());
    let bytes = scheme.proof_bytes();
    assert!(bytes.contains(&(sizes.commitment + sizes.opening)), "{bytes:?}");

    let admit = |len| admit(table, &statement.layout, &scheme, len);
    let reductions = sizes.walk + sizes.form;
    let (least, most) = (reductions + bytes.start(), reductions + bytes.end());
    assert_eq!((admit(least), admit(proof.len()), admit(most)), (Ok(()), Ok(()), Ok(())));
    assert_eq!(admit(0), Err(Reject::Truncated));
    assert_eq!(admit(least - 1), Err(Reject::Truncated));
    assert_eq!(admit(most + 2), Err(Reject::Trailing(2)));
}

fn accepts_honest_levels<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for (log_size, rows, steps) in SHAPES {
        for step in 1..=4 {
            let table = chains::<T>(log_size, rows, steps, step);
            let words = words_of(&table, 1);
            let proof = proof(&table, &words, |_, level| trace_of(level, &words));
            assert_eq!(verified(&table, &proof), Ok(()), "{log_size} {rows} {steps} {step}");
            admits_exactly(&table, &proof);
        }
    }
}

#[test]
fn honest_levels_are_accepted_at_width_16() {
    accepts_honest_levels::<16>();
}

#[test]
fn honest_levels_are_accepted_at_width_24() {
    accepts_honest_levels::<24>();
}

/// 768 calls a level but for the tree.
fn three_levels() -> CallTable<16> {
    chains(8, 1, 9, 3)
}

#[test]
fn a_wrong_word_of_any_levels_trace_is_refused() {
    let table = three_levels();
    let words = words_of(&table, 2);
    for corrupt in 0..3 {
        for (partial, round, word, call) in
            [(false, 0, 3, 0), (false, 7, 9, 700), (true, 4, 0, 300), (false, 2, 0, 767)]
        {
            let forged = proof(&table, &words, |level, calls| {
                let mut trace = trace_of(calls, &words);
                if level == corrupt {
                    trace.corrupt(partial, round, word, call);
                }
                trace
            });
            let refused = verified(&table, &forged);
            assert!(refused.is_err(), "level {corrupt}, round {round}, call {call}");
        }
    }
}

/// A transient digest that its own call did not give: as its consumer's chaining value too, or
/// there alone, or everywhere but there.
#[test]
fn a_wrong_transient_digest_is_refused() {
    let table = three_levels();
    let honest = words_of(&table, 3);
    for &piece in table.transients() {
        for (v, x) in [(0, 0), (7, 255)] {
            let mut forged = honest.clone();
            forged[table.digest(piece, v) + x] += F::ONE;
            let by_level = |wrong: [bool; 3], words: &[F]| {
                let proof = proof(&table, words, |level, calls| {
                    trace_of(calls, if wrong[level] { &forged } else { &honest })
                });
                verified(&table, &proof)
            };
            assert_eq!(by_level([true; 3], &forged), Err(Reject::LinearForm));
            assert_eq!(by_level([false; 3], &forged), Err(Reject::LinearForm));
            let level = table.levels().iter().position(|level| {
                level.pieces.iter().any(|placed| placed.piece.feeder() == Some(piece))
            });
            // The honest words, and a trace of the consumer's level that read another value.
            let wrong = std::array::from_fn(|j| Some(j) == level);
            assert_eq!(by_level(wrong, &honest), Err(Reject::LinearForm));
        }
    }
}

/// Each message between the walks, altered by a prover that goes on from there.
#[test]
fn altered_messages_between_walks_are_refused_where_they_stand() {
    let table = three_levels();
    let words = words_of(&table, 4);
    let calls: Vec<usize> = table.levels().iter().map(|level| level.num_calls).collect();
    let rounds = |level: usize| log_outer(calls[level]) + LOG_LANES;
    // y, then every layer's skip message, rounds and ends.
    let walk = |level: usize| 1 + 28 * (rounds(level) + 2);
    let mut first = 0;
    for level in 1..3 {
        first += walk(level - 1);
        let positions = Reject::Positions { level };
        let merge = Reject::Merge { level };
        // a; b; q; the rounds; d; y.
        let ends = first + 3 + rounds(level);
        for (message, element, expected) in [
            (first, 0, &positions),
            (first + 1, 0, &positions),
            (first + 1, 7, &positions),
            (first + 2, 0, &positions),
            (first + 2, POSITIONS, &merge),
            (first + 3, 0, &merge),
            (ends - 1, 1, &merge),
            (ends, 0, &merge),
            (ends, 7, &merge),
            (ends + 1, 0, &Reject::Skip { layer: 0 }),
        ] {
            let mut channel = Altering::new(b"levels", add_one(message, element));
            proved(&table, &words, |_, calls| trace_of(calls, &words), &mut channel);
            let refused = verified(&table, &channel.finish());
            assert_eq!(refused.as_ref(), Err(expected), "level {level}, message {message}");
        }
        first = ends + 1;
    }
}

/// The same calls with other digests committed are another statement.
#[test]
fn a_proof_holds_for_its_own_levels_only() {
    let words = words_of(&three_levels(), 5);
    let tables: Vec<CallTable<16>> = (1..=4).map(|step| chains(8, 1, 9, step)).collect();
    for table in &tables {
        let proof = proof(table, &words, |_, level| trace_of(level, &words));
        for other in &tables {
            let same = other.transients() == table.transients();
            assert_eq!(verified(other, &proof).is_ok(), same);
        }
        let reductions = |table: &CallTable<16>| {
            let layout = Layout::whole(table);
            let statement = Statement { table, layout, equations: &Equations::new() };
            let mut numerators = statement.reductions().numerators;
            let form = numerators.pop().map(|form| form.total());
            (numerators.iter().map(|walk| walk.total()).sum::<u64>(), form.unwrap())
        };
        let (one, form) = reductions(&tables[0]);
        assert_eq!(form, 16);
        let levels = table.levels().len() as u64;
        let (walks, form) = reductions(table);
        assert_eq!(form, 17 * levels - 1);
        assert!(levels == 1 || walks > one);
    }
}
