//! Tables with affine sums among their sources.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// A table of random pieces of at most `2^log_largest` rows. Half of the sources are sums, of all
/// other kinds; of the largest pieces some may be transient.
pub(crate) fn random_table<const T: usize>(
    log_largest: usize,
    transient: bool,
    seed: u64,
) -> CallTable<T> {
    let rng = &mut StdRng::seed_from_u64(seed);
    let mut table = CallTable::<T>::new(rng.random_range(2..20) << log_largest);
    let mut log_size = log_largest;
    let mut feeder: Option<usize> = None;
    for last in [false; 11].into_iter().chain([true]) {
        let largest = log_size == log_largest;
        let feeds = transient && largest && !last && rng.random_bool(0.6);
        let chain = !feeds && rng.random_bool(0.4);
        let inputs = std::array::from_fn(|v| match feeder {
            Some(piece) if v < DIGEST => Source::Block { start: table.digest(piece, v) },
            _ if rng.random() => {
                let constant = rng.random();
                let len = rng.random_range(0..4);
                let mut term = || (rng.random(), random_source(rng, &table, log_size, chain));
                let terms: Vec<(F, Source)> = (0..len).map(|_| term()).collect();
                table.affine(constant, &terms)
            }
            _ => random_source(rng, &table, log_size, chain),
        });
        feeder = if feeds {
            Some(table.push_transient(log_size, inputs))
        } else {
            table.push(log_size, inputs);
            log_size = log_size.saturating_sub(rng.random_range(0..2));
            None
        };
    }
    table
}

/// A source that is no sum, for the next piece.
fn random_source<const T: usize>(
    rng: &mut StdRng,
    table: &CallTable<T>,
    log_size: usize,
    chain: bool,
) -> Source {
    let size = 1 << log_size;
    // The base is a column that is no transient piece's.
    let mut column = |len: usize| loop {
        let start = rng.random_range(0..table.num_words() / len) * len;
        if [start, start + len - 1].into_iter().all(|at| table.transient_at(at).is_none()) {
            return start;
        }
    };
    let (block, pairs) = (column(size), column(2 * size));
    match rng.random_range(0..5) {
        0 => Source::Constant(rng.random()),
        1 => Source::Interleaved { start: pairs, child: rng.random_range(0..2) },
        2 | 3 if chain => {
            let start = table.next_digest(log_size, rng.random_range(0..DIGEST));
            Source::Shifted { first: rng.random(), start }
        }
        _ => Source::Block { start: block },
    }
}

/// Tables that differ from this one in a constant, a coefficient or a term of one sum; `aligned`
/// is a multiple of every piece's size.
pub(crate) fn with_another_sum<const T: usize>(
    table: &CallTable<T>,
    aligned: usize,
) -> Vec<CallTable<T>> {
    let mut others = Vec::new();
    for constant in 0..table.sums.list.len() {
        let mut other = table.clone();
        other.sums.list[constant].0 += F::ONE;
        others.push(other);
    }
    for term in 0..table.sums.terms.len() {
        let mut other = table.clone();
        other.sums.terms[term].0 += F::ONE;
        others.push(other);
        let mut other = table.clone();
        match &mut other.sums.terms[term].1 {
            Source::Constant(value) | Source::Shifted { first: value, .. } => *value += F::ONE,
            Source::Interleaved { child, .. } => *child ^= 1,
            Source::Block { start } => *start = if *start == 0 { aligned } else { 0 },
            Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
        }
        others.push(other);
    }
    others
}

fn check_random<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let mut transients = 0;
    for seed in 0..20 {
        let table = random_table::<T>(seed as usize % 9, seed >= 10, seed);
        transients += table.transients().len();
        check(&table);
    }
    assert!(transients > 10);
}

#[test]
fn tables_with_sums_equal_the_definition_at_width_16() {
    check_random::<16>();
}

#[test]
fn tables_with_sums_equal_the_definition_at_width_24() {
    check_random::<24>();
}

/// A table over the columns of codewords, read through sums alone.
pub(crate) fn coded_sums(code: &RandomCode, groups: usize) -> CallTable<16> {
    let (log_size, columns) = (code.log_column, groups << code.log_columns);
    let mut table = CallTable::new(columns << log_size);
    let column = |v: usize| Source::Block { start: (v % columns) << log_size };
    let two = |v: usize| [(F::from_usize(v + 2), column(v)), (F::NEG_ONE, column(v + 1))];
    let inputs = std::array::from_fn(|v| table.affine(F::from_usize(v), &two(v)));
    let first = table.push(log_size, inputs);
    let inputs = std::array::from_fn(|v| {
        let digest = Source::Block { start: table.digest(first, v % DIGEST) };
        table.affine(F::ONE, &[(F::TWO, digest), (F::ONE, column(v))])
    });
    table.push(log_size, inputs);
    table
}

#[test]
#[should_panic(expected = "whole columns")]
fn a_layout_of_messages_refuses_sums_of_parts_of_columns() {
    let code = RandomCode::new(3, 0, 1);
    let mut table = CallTable::<16>::new(8);
    let part = table.affine(F::ZERO, &[(F::ONE, Source::Block { start: 4 })]);
    table.push(2, [part; 16]);
    let _ = Layout::messages(&table, &code);
}

/// What a table panics with, as it is told to read a sum in its first column or in its last one.
fn refusal(
    terms: &[(F, Source)],
    read: impl Fn(&mut CallTable<16>, [Source; 16]) -> usize,
) -> String {
    let [first, last] = [0, 15].map(|v| {
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let mut table = CallTable::<16>::new(64);
            table.push_transient(2, [Source::Constant(F::ONE); 16]);
            table.push(2, [Source::Constant(F::ONE); 16]);
            let mut inputs = [Source::Constant(F::ZERO); 16];
            inputs[v] = table.affine(F::ONE, terms);
            read(&mut table, inputs)
        }));
        *panic.unwrap_err().downcast::<&str>().unwrap()
    });
    assert_eq!(first, last);
    first.to_owned()
}

#[test]
fn sums_are_checked_like_what_they_are_made_of() {
    let push = |table: &mut CallTable<16>, inputs| table.push(2, inputs);
    let good = (F::ONE, Source::Block { start: 60 });
    let mut table = CallTable::<16>::new(64);
    let sum = table.affine(F::ONE, &[good; MAX_TERMS]);
    table.push(2, [sum; 16]);

    // The first piece's digests are 64..96, the second's 96..128.
    let unknown = "columns are aligned and known";
    for (expected, source) in [
        (unknown, Source::Block { start: 2 }),
        (unknown, Source::Block { start: 128 }),
        (unknown, Source::Block { start: usize::MAX - 3 }),
        (unknown, Source::Interleaved { start: 4, child: 0 }),
        (unknown, Source::Interleaved { start: 128, child: 0 }),
        (unknown, Source::Interleaved { start: 0, child: 2 }),
        ("a chain runs through its own piece", Source::Shifted { first: F::ONE, start: 96 }),
        ("transient digests are chaining values", Source::Block { start: 64 }),
        ("transient digests are chaining values", Source::Interleaved { start: 64, child: 1 }),
        ("a sum's terms are no sums", Source::Affine { sum: 0 }),
    ] {
        for terms in [&[(F::ONE, source)][..], &[good, (F::ZERO, source)]] {
            assert_eq!(refusal(terms, push), expected, "{source:?}");
        }
    }
    let shifted = Source::Shifted { first: F::ONE, start: 128 };
    let transient = |table: &mut CallTable<16>, inputs| table.push_transient(2, inputs);
    assert_eq!(refusal(&[(F::ONE, shifted)], transient), "a chain reads its own digests");
    let foreign = |table: &mut CallTable<16>, _| table.push(2, [Source::Affine { sum: 1 }; 16]);
    assert_eq!(refusal(&[good], foreign), "sums are the table's own");
}

#[test]
#[should_panic(expected = "at most 32 terms")]
fn sums_are_short() {
    let term = (F::ONE, Source::Constant(F::ONE));
    CallTable::<16>::new(0).affine(F::ZERO, &[term; MAX_TERMS + 1]);
}
