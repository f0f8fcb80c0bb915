//! Batches over the pieces of a call table, settled against a commitment.

use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::batching::{Batch, Grouped, OutputClaims, Strategy};
use crate::calls::tests::{sample_table, sample_words};
use crate::calls::{CallTable, Layout, Source};
use crate::commit::{Fold, Parameters, Scheme, SecurityAssumption};
use crate::form::{Equation, Equations, Term};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::{Channel, ProverChannel, VerifierChannel};
use crate::{E, F, Reject};

const DOMAIN: &[u8] = b"discharge test";

fn scheme(num_words: usize) -> Scheme {
    let parameters = Parameters::insecure_for_tests(
        SecurityAssumption::JohnsonBound,
        1,
        40,
        Fold { variables: 4, shrink: 3 },
        Fold { variables: 3, shrink: 1 },
    );
    Scheme::new(&parameters, num_words).unwrap()
}

/// Word 9 has this value.
fn equations(value: F) -> Equations<'static> {
    let mut equations = Equations::new();
    let term = Term { start: 9, vector: Equations::UNIT, coefficient: E::TWO };
    equations.push(Equation { terms: vec![term], value: E::TWO * value });
    equations
}

/// Output claims that follow from committed digests, a batch, and its terminal claims.
fn prove<const T: usize>(
    strategy: Strategy,
    grouped: &Grouped<'_, T>,
    layout: Layout<'_>,
    words: &[F],
) -> Vec<u8>
where
    Poseidon2<T>: Permutation<T>,
{
    prove_of(strategy, grouped, layout, words, words)
}

/// The same, with calls of other words than those that are committed.
fn prove_of<const T: usize>(
    strategy: Strategy,
    grouped: &Grouped<'_, T>,
    layout: Layout<'_>,
    words: &[F],
    called: &[F],
) -> Vec<u8>
where
    Poseidon2<T>: Permutation<T>,
{
    let (batch, scheme) = (Batch::new(grouped.regions(), strategy), scheme(layout.num_words()));
    let mut channel = ProverChannel::new(DOMAIN);
    let committed = scheme.commit(layout.gather(words), &mut channel);
    let outputs = OutputClaims::send(grouped.regions(), &grouped.inputs(called), &mut channel);
    let terminal = batch.prove(&grouped.inputs(called), &outputs, &mut channel);
    let equations = equations(words[9]);
    let outputs = layout.has_digests().then_some(&outputs);
    let claims = Claims { grouped, layout, outputs, terminal: &terminal, equations: &equations };
    claims.prove(&scheme, words, committed, &mut channel);
    channel.finish()
}

fn verify<const T: usize>(
    strategy: Strategy,
    grouped: &Grouped<'_, T>,
    layout: Layout<'_>,
    value: F,
    proof: &[u8],
) -> Result<OutputClaims, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let (batch, scheme) = (Batch::new(grouped.regions(), strategy), scheme(layout.num_words()));
    let mut channel = VerifierChannel::new(DOMAIN, proof);
    let root = scheme.receive(&mut channel)?;
    let outputs = OutputClaims::receive(grouped.regions(), &mut channel)?;
    let terminal = batch.verify(&outputs, &mut channel)?;
    let equations = equations(value);
    let settled = layout.has_digests().then_some(&outputs);
    let claims =
        Claims { grouped, layout, outputs: settled, terminal: &terminal, equations: &equations };
    claims.verify(&scheme, &root, &mut channel)?;
    channel.finish()?;
    Ok(outputs)
}

fn settles<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 2);
    table.evaluate(&mut words);
    let layout = Layout::whole(&table);
    let pieces = table.pieces().len();
    let halves = Grouped::new(&table, [0..pieces / 2, pieces / 2..pieces]).unwrap();
    let one = Grouped::new(&table, std::iter::once(0..pieces)).unwrap();
    for grouped in [&Grouped::by_piece(&table).unwrap(), &halves, &one] {
        for strategy in Strategy::ALL {
            let proof = prove(strategy, grouped, layout, &words);
            let verdict = |value| verify(strategy, grouped, layout, value, &proof).map(drop);
            assert_eq!(verdict(words[9]), Ok(()), "{strategy}");
            // Another equation, and a false digest: the first, one in a chain, the last.
            assert_eq!(verdict(words[9] + F::ONE), Err(Reject::LinearForm), "{strategy}");
            for at in [table.digest(0, 0), table.digest(3, 2) + 5, table.num_words() - 1] {
                let mut words = words.clone();
                words[at] += F::ONE;
                let proof = prove(strategy, grouped, layout, &words);
                let verdict = verify(strategy, grouped, layout, words[9], &proof);
                assert_eq!(verdict.map(drop), Err(Reject::LinearForm), "{strategy}, word {at}");
            }
        }
    }
}

#[test]
fn committed_digests_settle_both_ends() {
    settles::<16>();
    settles::<24>();
}

/// Calls of which only the inputs are committed, some as sums of words.
fn open_table() -> CallTable<16> {
    let mut table = CallTable::new(32 << 8);
    let column = |v: usize, log_size: usize| Source::Block { start: v << log_size };
    table.push(8, std::array::from_fn(|v| column(v, 8)));
    let sum = table.affine(F::from_u8(7), &[(F::TWO, column(40, 7)), (F::NEG_ONE, column(41, 7))]);
    let shared = Source::Constant(F::from_u8(9));
    table.push(7, std::array::from_fn(|v| [sum, shared, column(33 + v, 7)][v % 3]));
    table.push(7, std::array::from_fn(|v| column(48 + v, 7)));
    table.push(3, std::array::from_fn(|v| column(500 + v, 3)));
    table
}

/// Output claims are the caller's then: they are returned, and he compares them.
#[test]
fn output_claims_may_be_the_callers() {
    let table = open_table();
    let mut rng = StdRng::seed_from_u64(3);
    let words: Vec<F> = (0..table.base()).map(|_| rng.random()).collect();
    let layout = Layout::sources(&table);
    assert_eq!(layout.num_words(), words.len());
    let grouped = Grouped::new(&table, [vec![0, 3], vec![1], vec![2]]).unwrap();
    for strategy in Strategy::ALL {
        let proof = prove(strategy, &grouped, layout, &words);
        let outputs = verify(strategy, &grouped, layout, words[9], &proof).unwrap();
        let truth = OutputClaims::of(
            grouped.regions(),
            &grouped.inputs(&words),
            outputs.at.clone(),
            outputs.beta,
        );
        assert_eq!(outputs, truth);
    }
}

/// A batch of other calls than the committed words give, in one region after the other: the
/// region's terminal claim is false, and the stack's.
#[test]
fn calls_of_other_words_are_refused_in_every_region() {
    let table = open_table();
    let words = vec![F::TWO; table.base()];
    let layout = Layout::sources(&table);
    let grouped = Grouped::new(&table, [vec![0, 3], vec![1], vec![2]]).unwrap();
    // Words that these regions alone read, the last through a sum: pieces 0, 3, 1, 2 and 1.
    for at in [5, 513 << 3, (35 << 7) + 100, (50 << 7) + 127, (40 << 7) + 1] {
        for strategy in Strategy::ALL {
            let mut called = words.clone();
            called[at] += F::ONE;
            let proof = prove_of(strategy, &grouped, layout, &words, &called);
            let verdict = verify(strategy, &grouped, layout, words[9], &proof).map(drop);
            assert_eq!(verdict, Err(Reject::LinearForm), "{strategy}, word {at}");
        }
    }
}

/// The table, what pieces a region has, and the regions' order.
#[test]
fn regions_that_differ_draw_other_challenges() {
    let table = |word| {
        let mut table = CallTable::new(0);
        (0..4).for_each(|_| _ = table.push(3, [Source::Constant(word); 16]));
        table
    };
    let (table, other) = (table(F::ONE), table(F::TWO));
    let drawn = |table, groups: &[&[usize]]| {
        let groups = groups.iter().map(|group| group.iter().copied());
        let mut channel = ProverChannel::new(DOMAIN);
        Grouped::<16>::new(table, groups).unwrap().bind(&mut channel);
        channel.draw()
    };
    let mut seen: Vec<E> = Vec::new();
    for groups in [
        &[&[0, 3][..], &[1], &[2]][..],
        &[&[0, 3], &[2], &[1]],
        &[&[0], &[1, 3], &[2]],
        &[&[0], &[1], &[2, 3]],
        &[&[0], &[1], &[2], &[3]],
        &[&[0, 1, 2, 3]],
    ] {
        seen.push(drawn(&table, groups));
    }
    seen.push(drawn(&other, &[&[0, 3][..], &[1], &[2]]));
    for (index, challenge) in seen.iter().enumerate() {
        assert!(!seen[..index].contains(challenge), "{index}");
    }
    assert_eq!(drawn(&table, &[&[3, 0][..], &[1], &[2]]), seen[0], "a region's pieces are a set");
}

/// Output claims at another point than one of the regions' shape.
#[test]
fn output_claims_that_do_not_fit_are_refused() {
    let table = sample_table::<16>();
    let mut words = sample_words(&table, 4);
    table.evaluate(&mut words);
    let layout = Layout::whole(&table);
    let grouped = Grouped::by_piece(&table).unwrap();
    let proof = prove(Strategy::Stacked, &grouped, layout, &words);
    let scheme = scheme(layout.num_words());
    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let root = scheme.receive(&mut channel).unwrap();
    let outputs = OutputClaims::receive(grouped.regions(), &mut channel).unwrap();
    let batch = Batch::new(grouped.regions(), Strategy::Stacked);
    let terminal = batch.verify(&outputs, &mut channel).unwrap();
    let equations = equations(words[9]);
    let verdict = |alter: fn(&mut OutputClaims)| {
        let mut outputs = outputs.clone();
        alter(&mut outputs);
        let (grouped, outputs) = (&grouped, Some(&outputs));
        let claims =
            Claims { grouped, layout, outputs, terminal: &terminal, equations: &equations };
        claims.verify(&scheme, &root, &mut channel.clone())
    };
    assert_eq!(verdict(|_| {}), Ok(()));
    assert_eq!(verdict(|outputs| outputs.at.outer.push(E::ONE)), Err(Reject::Regions));
    assert_eq!(verdict(|outputs| outputs.at.outer.truncate(0)), Err(Reject::Regions));
    assert_eq!(verdict(|outputs| outputs.values.truncate(1)), Err(Reject::Regions));
    assert_eq!(verdict(|outputs| outputs.values[1] += E::ONE), Err(Reject::LinearForm));
}

#[test]
#[should_panic(expected = "no call reads a digest")]
fn digests_that_are_read_are_committed() {
    let table = sample_table::<16>();
    let _ = Layout::sources(&table);
}

#[test]
#[should_panic(expected = "every piece is in one region")]
fn a_piece_in_no_region_is_a_mistake() {
    let table = open_table();
    let _ = Grouped::new(&table, [[0, 1]]);
}

#[test]
#[should_panic(expected = "every piece is in one region")]
fn a_piece_in_two_regions_is_a_mistake() {
    let table = open_table();
    let _ = Grouped::new(&table, [vec![0, 1, 2, 3], vec![3]]);
}

#[test]
fn claims_that_do_not_fit_are_refused() {
    let table = open_table();
    let words = vec![F::ZERO; table.base()];
    let layout = Layout::sources(&table);
    let grouped = Grouped::by_piece(&table).unwrap();
    let proof = prove(Strategy::Replicated, &grouped, layout, &words);
    let scheme = scheme(layout.num_words());
    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let root = scheme.receive(&mut channel).unwrap();
    let outputs = OutputClaims::receive(grouped.regions(), &mut channel).unwrap();
    let batch = Batch::new(grouped.regions(), Strategy::Replicated);
    let terminal = batch.verify(&outputs, &mut channel).unwrap();
    let equations = equations(words[9]);
    let verdict = |grouped, outputs, scheme: &Scheme| {
        let claims =
            Claims { grouped, layout, outputs, terminal: &terminal, equations: &equations };
        claims.verify(scheme, &root, &mut channel.clone())
    };
    assert_eq!(verdict(&grouped, None, &scheme), Ok(()));
    // No digests, other regions, another scheme.
    assert_eq!(verdict(&grouped, Some(&outputs), &scheme), Err(Reject::Regions));
    let fewer = Grouped::new(&table, [vec![0, 1], vec![2, 3]]).unwrap();
    assert_eq!(verdict(&fewer, None, &scheme), Err(Reject::Regions));
    let more = Grouped::new(&table, [vec![3], vec![0, 1], vec![2]]).unwrap();
    assert_eq!(verdict(&more, None, &scheme), Err(Reject::Regions));
    let other = self::scheme(layout.num_words() / 2);
    assert_eq!(verdict(&grouped, None, &other), Err(Reject::NumWords(layout.num_words() / 2)));
    // Bytes changed anywhere, or missing.
    for at in (0..proof.len()).step_by(997) {
        let mut forged = proof.clone();
        forged[at] ^= 1;
        assert!(verify(Strategy::Replicated, &grouped, layout, words[9], &forged).is_err());
    }
    let short = &proof[..proof.len() - 1];
    assert!(verify(Strategy::Replicated, &grouped, layout, words[9], short).is_err());
}
