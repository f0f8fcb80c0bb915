mod bind;
pub(crate) mod sums;

use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::E;
use crate::codec::limbs;
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
fn input<const T: usize>(table: &CallTable<T>, source: &Source, words: &[F], x: usize) -> F {
    match *source {
        Source::Constant(value) => value,
        Source::Block { start } => words[start + x],
        Source::Interleaved { start, child } => words[start + 2 * x + child],
        Source::Shifted { first, .. } if x == 0 => first,
        Source::Shifted { start, .. } => words[start + x - 1],
        Source::Affine { sum } => {
            let Sum { constant, terms } = table.sum(sum);
            let term = |(by, part): &(F, Source)| *by * input(table, part, words, x);
            constant + terms.iter().map(term).sum::<F>()
        }
    }
}

/// The state that row x of a piece begins with, by the definition.
fn row<const T: usize>(table: &CallTable<T>, piece: &Piece<T>, words: &[F], x: usize) -> [F; T] {
    std::array::from_fn(|v| input(table, &piece.inputs[v], words, x))
}

/// Evaluation and the levels' columns are what the definition says.
fn check<const T: usize>(table: &CallTable<T>)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut words = sample_words(table, 7);
    let mut expected = words.clone();
    table.evaluate(&mut words);

    // One call at a time.
    for (index, piece) in table.pieces().iter().enumerate() {
        for x in 0..piece.size() {
            let state = row(table, piece, &expected, x);
            let h: Digest = state[..DIGEST].try_into().unwrap();
            let digest = Poseidon2::<T>::compress(&h, &state[DIGEST..]);
            for v in 0..DIGEST {
                expected[table.digest(index, v) + x] = digest[v];
            }
        }
    }
    assert_eq!(words, expected);

    for level in table.levels() {
        let pieces = level.pieces.iter().map(|placed| placed.piece);
        let rows: Vec<[F; T]> = pieces
            .flat_map(|piece| (0..piece.size()).map(move |x| (piece, x)))
            .map(|(piece, x)| row(table, piece, &words, x))
            .collect();
        assert_eq!(rows.len(), level.num_calls);
        for chunk in 0..=level.num_calls / 128 {
            let mut columns = [[F::ZERO; 128]; T];
            level.fill_inputs(&words, chunk, &mut columns);
            for lane in 0..128 {
                let row = rows.get(chunk * 128 + lane).copied().unwrap_or([F::ZERO; T]);
                assert_eq!(std::array::from_fn::<_, T, _>(|v| columns[v][lane]), row);
            }
        }
    }
}

fn check_sample<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    check(&table);
    // Nothing is transient: one level, the table itself.
    let levels = table.levels();
    assert_eq!(levels.len(), 1);
    assert_eq!(levels[0].num_calls, table.num_calls());
}

#[test]
fn evaluation_and_columns_equal_the_definition_at_width_16() {
    check_sample::<16>();
}

#[test]
fn evaluation_and_columns_equal_the_definition_at_width_24() {
    check_sample::<24>();
}

#[test]
#[should_panic(expected = "descending size")]
fn refuses_ascending_pieces() {
    let mut table = CallTable::<16>::new(16);
    let inputs = [Source::Constant(F::ZERO); 16];
    table.push(1, inputs);
    table.push(2, inputs);
}

/// A systematic code with a random parity part.
#[derive(Clone, Debug)]
pub(crate) struct RandomCode {
    log_column: usize,
    log_columns: usize,
    /// A row for each parity word.
    parity: Vec<Vec<F>>,
}

impl RandomCode {
    pub(crate) fn new(log_column: usize, log_columns: usize, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let len = 1 << (log_column + log_columns - 1);
        let parity = (0..len).map(|_| (0..len).map(|_| rng.random()).collect()).collect();
        Self { log_column, log_columns, parity }
    }

    /// The codeword of a message.
    pub(crate) fn codeword(&self, message: &[F]) -> Vec<F> {
        let message: Vec<E> = message.iter().map(|&word| word.into()).collect();
        self.encode(&message).iter().map(|symbol| limbs(symbol)[0]).collect()
    }
}

impl SystematicCode for RandomCode {
    fn log_column(&self) -> usize {
        self.log_column
    }

    fn log_columns(&self) -> usize {
        self.log_columns
    }

    fn encode(&self, message: &[E]) -> Vec<E> {
        let half = 1 << (self.log_column - 1);
        let parity = |row: &Vec<F>| row.iter().zip(message).map(|(&m, &word)| word * m).sum();
        let parity: Vec<E> = self.parity.iter().map(parity).collect();
        let columns = message.chunks(half).zip(parity.chunks(half));
        columns.flat_map(|(message, parity)| [message, parity].concat()).collect()
    }

    fn transpose(&self, weights: &[E]) -> Vec<E> {
        let half = 1 << (self.log_column - 1);
        let mut message = Vec::new();
        let mut parity = Vec::new();
        for column in weights.chunks(2 * half) {
            message.extend_from_slice(&column[..half]);
            parity.extend_from_slice(&column[half..]);
        }
        for (row, &weight) in self.parity.iter().zip(&parity) {
            for (to, &m) in message.iter_mut().zip(row) {
                *to += weight * m;
            }
        }
        message
    }
}

/// A table over `groups` codewords: a chain through their columns, and a tree over its end.
pub(crate) fn coded_table(code: &RandomCode, groups: usize) -> CallTable<16> {
    let (log_size, columns) = (code.log_column, groups << code.log_columns);
    let mut table = CallTable::new(columns << log_size);
    let mut last: Option<usize> = None;
    for step in 0..columns.div_ceil(DIGEST) {
        let inputs = std::array::from_fn(|v| match (v.checked_sub(DIGEST), last) {
            (None, None) => Source::Constant(F::from_usize(v)),
            (None, Some(piece)) => Source::Block { start: table.digest(piece, v) },
            (Some(v), _) if step * DIGEST + v < columns => {
                Source::Block { start: (step * DIGEST + v) << log_size }
            }
            _ => Source::Constant(F::ZERO),
        });
        last = Some(table.push(log_size, inputs));
    }
    let mut below = last.unwrap();
    for log_size in (0..log_size).rev() {
        let inputs = std::array::from_fn(|v| Source::Interleaved {
            start: table.digest(below, v % DIGEST),
            child: v / DIGEST,
        });
        below = table.push(log_size, inputs);
    }
    table
}

/// The words of such a table, digests included.
pub(crate) fn coded_words(table: &CallTable<16>, code: &RandomCode, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut words = Vec::new();
    while words.len() < table.base() {
        let message: Vec<F> = (0..1 << code.log_message()).map(|_| rng.random()).collect();
        words.extend(code.codeword(&message));
    }
    words.resize(table.num_words(), F::ZERO);
    table.evaluate(&mut words);
    words
}

#[test]
fn a_layout_of_messages_holds_half_columns_and_all_digests() {
    let code = RandomCode::new(3, 2, 1);
    let table = coded_table(&code, 3);
    let words = coded_words(&table, &code, 2);
    let layout = Layout::messages(&table, &code);
    assert_eq!(layout.base(), table.base() / 2);
    let committed = layout.gather(&words);
    assert_eq!(committed.len(), layout.num_words());
    for start in (0..table.base()).step_by(8) {
        let Place::Coded { start: group, column } = layout.place(start) else { panic!("a code") };
        assert_eq!(committed[group + 4 * column..][..4], words[start..start + 4]);
    }
    for start in table.base()..table.num_words() {
        assert_eq!(layout.place(start), Place::Words(layout.digest(start)));
        assert_eq!(committed[layout.digest(start)], words[start]);
    }
    // One column and one row a group: the base is filled up to the largest piece.
    let code = RandomCode::new(1, 0, 1);
    let table = coded_table(&code, 3);
    let layout = Layout::messages(&table, &code);
    assert_eq!((table.base(), layout.base()), (6, 4));
    assert_eq!(layout.gather(&coded_words(&table, &code, 2)).len(), layout.num_words());
}

#[test]
#[should_panic(expected = "whole columns")]
fn a_layout_of_messages_refuses_calls_on_parts_of_columns() {
    let code = RandomCode::new(3, 0, 1);
    let mut table = CallTable::<16>::new(8);
    table.push(2, [Source::Block { start: 4 }; 16]);
    let _ = Layout::messages(&table, &code);
}
