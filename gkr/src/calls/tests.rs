use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::permutation::{Digest, Permutation, Poseidon2};

/// A table with every kind of source, and pieces from 256 rows down to one.
pub(crate) fn sample_table<const T: usize>() -> CallTable<T> {
    let iv = |v: usize| Source::Constant(F::from_usize(v + 1));
    let mut table = CallTable::<T>::new(3 * T * 256);
    let block = |start: usize| Source::Block { start };
    let mut previous = None;
    for step in 0..3 {
        let inputs = std::array::from_fn(|v| match (v < DIGEST, previous) {
            (true, None) => iv(v),
            (true, Some(piece)) => block(table.digest(piece, v)),
            (false, _) => block((step * T + v) * 256),
        });
        previous = Some(table.push(8, inputs));
    }
    let last = previous.unwrap();
    for log_size in [7, 5, 5] {
        let inputs = std::array::from_fn(|v| {
            if v < DIGEST {
                let first = F::from_usize(100 + v);
                Source::Shifted { first, start: table.next_digest(log_size, v) }
            } else if v % 2 == 0 && log_size == 7 {
                Source::Interleaved { start: table.digest(last, v % DIGEST), child: v / 2 % 2 }
            } else {
                block(table.digest(last, v % DIGEST))
            }
        });
        table.push(log_size, inputs);
    }
    let mut below = table.pieces().len() - 1;
    for log_size in (0..5).rev() {
        let inputs = std::array::from_fn(|v| match v / DIGEST {
            child @ (0 | 1) => {
                Source::Interleaved { start: table.digest(below, v % DIGEST), child }
            }
            _ => Source::Constant(F::from_usize(v)),
        });
        below = table.push(log_size, inputs);
    }
    table
}

pub(crate) fn sample_words<const T: usize>(table: &CallTable<T>, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut words: Vec<F> = (0..table.base()).map(|_| rng.random()).collect();
    words[..3].copy_from_slice(&[F::ZERO, F::ONE, F::NEG_ONE]);
    words.resize(table.num_words(), F::ZERO);
    words
}

/// An input word, by the definition.
fn input<const T: usize>(piece: &Piece<T>, words: &[F], v: usize, x: usize) -> F {
    match piece.inputs[v] {
        Source::Constant(value) => value,
        Source::Block { start } => words[start + x],
        Source::Interleaved { start, child } => words[start + 2 * x + child],
        Source::Shifted { first, .. } if x == 0 => first,
        Source::Shifted { start, .. } => words[start + x - 1],
    }
}

fn check<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 7);
    let mut expected = words.clone();
    table.evaluate(&mut words);

    // One call at a time.
    let mut rows = Vec::new();
    for (index, piece) in table.pieces().iter().enumerate() {
        for x in 0..piece.size() {
            let state: [F; T] = std::array::from_fn(|v| input(piece, &expected, v, x));
            let h: Digest = state[..DIGEST].try_into().unwrap();
            let digest = Poseidon2::<T>::compress(&h, &state[DIGEST..]);
            for v in 0..DIGEST {
                expected[table.digest(index, v) + x] = digest[v];
            }
            rows.push(state);
        }
    }
    assert_eq!(words, expected);
    assert_eq!(rows.len(), table.num_calls());

    for chunk in 0..=table.num_calls() / 128 {
        let mut columns = [[F::ZERO; 128]; T];
        table.fill_inputs(&words, chunk, &mut columns);
        for lane in 0..128 {
            let row = rows.get(chunk * 128 + lane).copied().unwrap_or([F::ZERO; T]);
            assert_eq!(std::array::from_fn::<_, T, _>(|v| columns[v][lane]), row);
        }
    }
}

#[test]
fn evaluation_and_columns_equal_the_definition_at_width_16() {
    check::<16>();
}

#[test]
fn evaluation_and_columns_equal_the_definition_at_width_24() {
    check::<24>();
}

#[test]
#[should_panic(expected = "descending size")]
fn refuses_ascending_pieces() {
    let mut table = CallTable::<16>::new(16);
    let inputs = [Source::Constant(F::ZERO); 16];
    table.push(1, inputs);
    table.push(2, inputs);
}
