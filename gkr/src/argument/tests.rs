use std::array;

use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::calls::tests::{RandomCode, coded_table, coded_words, sample_table, sample_words};
use crate::calls::{Layout, Source};
use crate::commit::{Fold, Parameters, SecurityAssumption};
use crate::form::{Equation, Term};
use crate::permutation::DIGEST;
use crate::transcript::ProverChannel;
use crate::walk::Trace;
use crate::{E, F};

pub(super) fn scheme(num_words: usize) -> Scheme {
    let parameters = Parameters::insecure_for_tests(
        SecurityAssumption::JohnsonBound,
        1,
        40,
        Fold { variables: 4, shrink: 3 },
        Fold { variables: 3, shrink: 1 },
    );
    Scheme::new(&parameters, num_words).unwrap()
}

/// 2112 calls: beyond the chunks that hold them, the walk only knows the rows of the zero input.
pub(super) fn long_table() -> CallTable<16> {
    let mut table = CallTable::new(16 << 11);
    let first = table.push(11, array::from_fn(|v| Source::Block { start: v << 11 }));
    table.push(6, array::from_fn(|v| Source::Block { start: table.digest(first, v % DIGEST) }));
    table
}

pub(super) fn words(table: &CallTable<16>) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut words: Vec<F> = (0..table.base()).map(|_| rng.random()).collect();
    words.resize(table.num_words(), F::ZERO);
    table.evaluate(&mut words);
    words
}

/// The honest trace of a level.
pub(super) fn trace_of<const T: usize>(level: &Level<'_, T>, words: &[F]) -> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    Trace::generate(level.num_calls, |chunk, columns| level.fill_inputs(words, chunk, columns))
}

/// Proves with a trace that was tampered with.
fn proof(table: &CallTable<16>, tamper: impl Fn(&mut Trace<16>)) -> Vec<u8> {
    let equations = Equations::new();
    let statement = Statement { table, layout: Layout::whole(table), equations: &equations };
    let words = words(table);
    let mut channel = ProverChannel::new(b"argument");
    let trace = |level: &Level<'_, 16>| {
        let mut trace = trace_of(level, &words);
        tamper(&mut trace);
        trace
    };
    prove_traced(&statement, &scheme(table.num_words()), &words, trace, &mut channel);
    channel.finish()
}

fn verified(table: &CallTable<16>, proof: &[u8]) -> Result<(), Reject> {
    let equations = Equations::new();
    let statement = Statement { table, layout: Layout::whole(table), equations: &equations };
    let mut channel = VerifierChannel::new(b"argument", proof);
    verify(&statement, &scheme(table.num_words()), &mut channel)?;
    channel.finish()
}

#[test]
fn an_honest_trace_is_accepted() {
    let table = long_table();
    verified(&table, &proof(&table, |_| {})).unwrap();
}

/// The rows beyond the table hold another constant than the permutation of zeros gives, in any
/// round.
#[test]
fn a_wrong_tail_constant_is_refused() {
    let table = long_table();
    for round in 0..8 {
        let forged = proof(&table, |trace| trace.corrupt_tail(false, round, 3));
        assert!(verified(&table, &forged).is_err(), "full round {round}");
    }
    for round in [0, 7, 19] {
        let forged = proof(&table, |trace| trace.corrupt_tail(true, round, 0));
        assert!(verified(&table, &forged).is_err(), "partial round {round}");
    }
}

/// One word of one call, in any round.
#[test]
fn a_wrong_word_of_the_trace_is_refused() {
    let table = long_table();
    for (round, call) in [(0, 0), (3, 700), (4, 2047), (7, 2111), (1, 2112)] {
        let forged = proof(&table, |trace| trace.corrupt(false, round, 5, call));
        assert!(verified(&table, &forged).is_err(), "full round {round}, call {call}");
    }
    for (round, call) in [(0, 1), (19, 2111)] {
        let forged = proof(&table, |trace| trace.corrupt(true, round, 0, call));
        assert!(verified(&table, &forged).is_err(), "partial round {round}, call {call}");
    }
}

/// The same proof under a statement that differs in any of its parts.
fn holds_for_its_own_statement_only<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 2);
    table.evaluate(&mut words);
    let weights: Vec<E> = (1..=64).map(E::from_u32).collect();
    let value = |scale: u32| -> E {
        let sum: E = weights.iter().zip(&words[64..]).map(|(&w, &f)| w * f).sum();
        sum * E::from_u32(scale)
    };
    let term = |vector, start, scale| Term { start, vector, coefficient: E::from_u32(scale) };
    let with = |start, scale, value, unit: F| {
        let mut equations = Equations::new();
        let vector = equations.vector(&weights);
        equations.push(Equation { terms: vec![term(vector, start, scale)], value });
        let unit = Equation { terms: vec![term(Equations::UNIT, 9, 1)], value: unit.into() };
        equations.push(unit);
        equations
    };

    let scheme = scheme(table.num_words());
    let equations = with(64, 3, value(3), words[9]);
    let mut channel = ProverChannel::new(b"argument");
    let layout = Layout::whole(&table);
    let statement = Statement { table: &table, layout, equations: &equations };
    prove(&statement, &scheme, &words, &mut channel);
    let proof = channel.finish();
    let verified = |domain: &[u8], table: &CallTable<T>, equations: &Equations<'_>| {
        let mut channel = VerifierChannel::new(domain, &proof);
        let layout = Layout::whole(table);
        verify(&Statement { table, layout, equations }, &scheme, &mut channel)
    };
    verified(b"argument", &table, &equations).unwrap();

    let other = [
        with(128, 3, value(3), words[9]),
        with(64, 4, value(3), words[9]),
        with(64, 3, value(4), words[9]),
        with(64, 3, value(3), words[9] + F::ONE),
    ];
    for equations in &other {
        assert_eq!(verified(b"argument", &table, equations), Err(Reject::LinearForm));
    }
    assert!(verified(b"argument", &table, &Equations::new()).is_err());
    assert!(verified(b"another", &table, &equations).is_err());

    // One source after the other is a constant instead.
    for v in [0, DIGEST, T - 1] {
        let mut forged = CallTable::<T>::new(table.base());
        for (index, piece) in table.pieces().iter().enumerate() {
            let mut inputs = piece.inputs;
            if index == 2 {
                inputs[v] = Source::Constant(F::ONE);
            }
            forged.push(piece.log_size, inputs);
        }
        assert_eq!(verified(b"argument", &forged, &equations), Err(Reject::LinearForm));
    }
    let mut shorter = CallTable::<T>::new(table.base());
    for piece in &table.pieces()[..3] {
        shorter.push(piece.log_size, piece.inputs);
    }
    let refused = verified(b"argument", &shorter, &equations);
    assert_eq!(refused, Err(Reject::NumWords(table.num_words())));
}

#[test]
fn a_proof_holds_for_its_own_statement_only_at_width_16() {
    holds_for_its_own_statement_only::<16>();
}

#[test]
fn a_proof_holds_for_its_own_statement_only_at_width_24() {
    holds_for_its_own_statement_only::<24>();
}

/// The first challenge once a statement is bound.
fn challenge<const T: usize>(
    table: &CallTable<T>,
    layout: Layout<'_>,
    equations: &Equations<'_>,
) -> E {
    let mut channel = ProverChannel::new(b"argument");
    Statement { table, layout, equations }.bind(&table.levels(), &mut channel);
    channel.draw()
}

/// A table of constants, but that the second piece may consume the first.
fn constants<const T: usize>(base: usize, pieces: &[usize], transient: bool) -> CallTable<T> {
    let mut table = CallTable::new(base);
    let inputs = [Source::Constant(F::ONE); T];
    for (index, &log_size) in pieces.iter().enumerate() {
        let mut inputs = inputs;
        if index == 1 && transient {
            for (v, input) in inputs.iter_mut().take(DIGEST).enumerate() {
                *input = Source::Block { start: table.digest(0, v) };
            }
        }
        if index == 0 && transient {
            table.push_transient(log_size, inputs);
        } else {
            table.push(log_size, inputs);
        }
    }
    table
}

/// So many equations, about the first word.
fn some_equations(count: usize) -> Equations<'static> {
    let mut equations = Equations::new();
    for _ in 0..count {
        let term = Term { start: 0, vector: Equations::UNIT, coefficient: E::ONE };
        equations.push(Equation { terms: vec![term], value: E::ONE });
    }
    equations
}

/// Statements that differ in one of the numbers that are absorbed draw different challenges;
/// where it cannot differ alone, see the next test.
#[test]
fn statements_that_differ_draw_other_challenges() {
    let none = some_equations(0);
    let whole = |table: &CallTable<16>| challenge(table, Layout::whole(table), &none);
    let coded = |table: &CallTable<16>, log_column, log_columns| {
        let code = RandomCode::new(log_column, log_columns, 1);
        challenge(table, Layout::messages(table, &code), &none)
    };
    let table = constants::<16>(128, &[2, 2], false);
    let first = whole(&table);
    assert_eq!(first, whole(&table), "the same statement");

    let wide = constants::<24>(128, &[2, 2], false);
    assert_ne!(first, challenge(&wide, Layout::whole(&wide), &none), "width");
    assert_ne!(first, whole(&constants(256, &[2, 2], false)), "words before the digests");
    assert_ne!(first, whole(&constants(128, &[3], false)), "pieces");
    assert_ne!(first, whole(&constants(128, &[2, 1], false)), "calls");
    assert_ne!(first, whole(&constants(128, &[2, 2], true)), "levels");
    assert_ne!(first, coded(&table, 2, 2), "messages instead of all words");
    assert_ne!(coded(&table, 2, 2), coded(&table, 3, 2), "a column's length");
    assert_ne!(coded(&table, 2, 2), coded(&table, 2, 3), "a codeword's columns");
    // 96 and 128 source words, whose messages take 64 words of what is committed.
    let [shorter, longer] = [96, 128].map(|base| constants::<16>(base, &[5], false));
    let code = RandomCode::new(2, 2, 1);
    let [a, b] = [&shorter, &longer].map(|table| Layout::messages(table, &code));
    assert_eq!((a.base(), b.base()), (64, 64));
    assert_ne!(challenge(&shorter, a, &none), challenge(&longer, b, &none), "source words");
    let one = challenge(&table, Layout::whole(&table), &some_equations(1));
    assert_ne!(first, one, "equations");
}

/// What is absorbed, written down: the domain, then these numbers and no others.
#[test]
fn a_statement_is_bound_by_its_numbers() {
    // Levels of 8 + 4 calls and of 8; 96 source words, of which 48 are messages.
    let table = constants::<16>(96, &[3, 3, 2], true);
    let code = RandomCode::new(3, 2, 1);
    let layout = Layout::messages(&table, &code);
    let mut channel = ProverChannel::new(b"argument");
    channel.bind_bytes(b"airda gkr, stacked, one form, version 2");
    let numbers: [u64; 12] = [16, 8, 96, 20, 3, 48, 3, 2, 5, 2, 12, 8];
    channel.bind_bytes(&numbers.map(u64::to_le_bytes).concat());
    assert_eq!(challenge(&table, layout, &some_equations(5)), channel.draw());
}

/// Source words of which only the messages are committed: parity words are what the code says,
/// whatever a prover hashes instead.
#[test]
fn words_beyond_the_committed_messages_follow_the_code() {
    for (log_column, log_columns, groups) in [(4, 2, 3), (1, 0, 5), (8, 1, 2), (3, 3, 1)] {
        let code = RandomCode::new(log_column, log_columns, 3);
        let table = coded_table(&code, groups);
        let words = coded_words(&table, &code, 4);
        let layout = Layout::messages(&table, &code);
        let equations = Equations::new();
        let statement = Statement { table: &table, layout, equations: &equations };
        let scheme = scheme(layout.num_words());
        let outcome = |words: &[F]| {
            let mut channel = ProverChannel::new(b"argument");
            prove(&statement, &scheme, words, &mut channel);
            let proof = channel.finish();
            let mut channel = VerifierChannel::new(b"argument", &proof);
            verify(&statement, &scheme, &mut channel)
        };
        assert!(outcome(&words).is_ok());
        // A word of a message or beyond it, hashed as it is.
        for at in [0, (1 << log_column) - 1, table.base() - 1] {
            let mut forged = words.clone();
            forged[at] += F::ONE;
            table.evaluate(&mut forged);
            assert_eq!(outcome(&forged), Err(Reject::LinearForm), "word {at}");
        }
    }
}
