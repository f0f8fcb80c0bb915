//! Arguments over tables with affine sums among their sources.

use p3_field::PrimeCharacteristicRing;

use super::tests::scheme;
use super::*;
use crate::F;
use crate::calls::tests::sums::{coded_sums, random_table, with_another_sum};
use crate::calls::tests::{RandomCode, coded_words};
use crate::levels::tests::words_of;
use crate::transcript::ProverChannel;

/// log2 of the largest pieces' rows.
const LOG_LARGEST: usize = 6;

fn proof<const T: usize>(table: &CallTable<T>, layout: Layout<'_>, words: &[F]) -> Vec<u8>
where
    Poseidon2<T>: Permutation<T>,
{
    let equations = Equations::new();
    let statement = Statement { table, layout, equations: &equations };
    let mut channel = ProverChannel::new(b"sums");
    prove(&statement, &scheme(layout.num_words()), words, &mut channel);
    channel.finish()
}

fn verified<const T: usize>(
    table: &CallTable<T>,
    layout: Layout<'_>,
    proof: &[u8],
) -> Result<(), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let equations = Equations::new();
    let statement = Statement { table, layout, equations: &equations };
    let mut channel = VerifierChannel::new(b"sums", proof);
    verify(&statement, &scheme(layout.num_words()), &mut channel)?;
    channel.finish()
}

fn sums_are_proved<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for seed in 0..12 {
        let table = random_table::<T>(LOG_LARGEST + seed as usize % 3, seed % 2 == 1, seed);
        let words = words_of(&table, seed);
        let layout = Layout::whole(&table);
        assert_eq!(verified(&table, layout, &proof(&table, layout, &words)), Ok(()), "{seed}");
    }
}

#[test]
fn honest_sums_are_accepted_at_width_16() {
    sums_are_proved::<16>();
}

#[test]
fn honest_sums_are_accepted_at_width_24() {
    sums_are_proved::<24>();
}

/// One constant, coefficient or term after the other differs between the two sides; nothing
/// absorbs them here, so the form alone tells.
fn another_sum_is_refused<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for transient in [false, true] {
        let table = random_table::<T>(LOG_LARGEST, transient, 3);
        let words = words_of(&table, 3);
        let proof = proof(&table, Layout::whole(&table), &words);
        let others = with_another_sum(&table, 1 << LOG_LARGEST);
        assert!(others.len() > 100);
        for (index, other) in others.iter().enumerate() {
            let refused = verified(other, Layout::whole(other), &proof);
            assert_eq!(refused, Err(Reject::LinearForm), "change {index}");
        }
    }
}

#[test]
fn another_sum_is_refused_at_width_16() {
    another_sum_is_refused::<16>();
}

#[test]
fn another_sum_is_refused_at_width_24() {
    another_sum_is_refused::<24>();
}

/// Sums of columns of codewords of which the messages alone are committed.
#[test]
fn sums_of_coded_columns_are_proved() {
    for (log_column, log_columns, groups) in [(4, 2, 3), (8, 1, 2)] {
        let code = RandomCode::new(log_column, log_columns, 3);
        let table = coded_sums(&code, groups);
        let layout = Layout::messages(&table, &code);
        let words = coded_words(&table, &code, 4);
        let honest = proof(&table, layout, &words);
        assert_eq!(verified(&table, layout, &honest), Ok(()));
        for other in with_another_sum(&table, 1 << log_column) {
            let refused = verified(&other, Layout::messages(&other, &code), &honest);
            assert_eq!(refused, Err(Reject::LinearForm));
        }
        // A word beyond the message, hashed as it is.
        let mut forged = words;
        forged[(1 << log_column) - 1] += F::ONE;
        table.evaluate(&mut forged);
        let refused = verified(&table, layout, &proof(&table, layout, &forged));
        assert_eq!(refused, Err(Reject::LinearForm));
    }
}

/// Table and equations absorbed on both sides: a proof holds for them alone.
#[test]
fn a_table_that_is_bound_is_the_table_proved() {
    let table = random_table::<16>(LOG_LARGEST, false, 5);
    let words = words_of(&table, 5);
    let equations = Equations::new();
    let scheme = scheme(table.num_words());
    let mut channel = ProverChannel::new(b"sums");
    table.bind(&mut channel);
    equations.bind(&mut channel);
    let statement =
        Statement { table: &table, layout: Layout::whole(&table), equations: &equations };
    prove(&statement, &scheme, &words, &mut channel);
    let proof = channel.finish();
    let verified = |bound: &CallTable<16>| {
        let mut channel = VerifierChannel::new(b"sums", &proof);
        bound.bind(&mut channel);
        equations.bind(&mut channel);
        verify(&statement, &scheme, &mut channel).map(drop)
    };
    assert_eq!(verified(&table), Ok(()));
    for other in with_another_sum(&table, 1 << LOG_LARGEST).iter().take(20) {
        assert!(verified(other).is_err());
    }
}
