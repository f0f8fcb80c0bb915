//! One linear form beside p3-sumcheck's jagged layout (ePrint 2025/917): two ways to settle
//! evaluation claims on committed columns of unequal height with one WHIR opening.
//!
//! The columns are the inputs of the nine regions of Poseidon2 calls that ragged batching is
//! measured with, t columns of 2^w words for a region of 2^w calls. A walk with shared
//! challenges owes each column's value at the first w coordinates of one point: t claims a
//! region. The claims, their values and the point are inputs to every way:
//!
//! - *form*: blocks aligned to their own size in one vector, one combination of all claims,
//!   `airda_gkr::form`'s sumcheck, one opening of `airda_gkr::commit`.
//! - *jagged, p3-whir*: the columns end to end in one vector, `BoundJaggedLayout::open` and
//!   `verify` over p3-whir as published.
//! - *jagged, airda*: the same reduction, then an opening of `airda_gkr::commit`. Beside the
//!   first it tells the reductions apart, beside the second the commitments.
//!
//! All use one hash, one challenger, one field, one folding schedule and 128 composed bits.
//!
//! A jagged claim is `Σ_y eq(c, y)·Σ_x eq(r, x)·column_y[x]`, every column padded with zeros to
//! the height of the tallest; the number of columns is padded to a power of two, with empty ones.
//! A region's value at its own, shorter point is turned into that by `Π_{j ≥ w}(1 − r_j)`, and
//! its columns are combined by the `eq(c, ·)` of a point drawn for them: one jagged claim takes
//! the place of all. Two things have no place in it: columns at points that are not prefixes
//! of one (that takes one jagged claim and one sumcheck for each point), and row weights other
//! than eq, as the walk's λ(ζ) over its univariate positions. So the point is one of plain
//! coordinates here, although the form would take the walk's.
//!
//! Prover times include a copy of the words into the committed vector. The form is run by
//! `airda_gkr::argument` on a table without calls; its verifier's time includes an empty walk.
//! Sizes count 4 bytes a word, 32 a digest and no framing; the claimed values are the walk's.
//! `cargo bench --bench jagged`; in a test a tiny size runs once.

mod common;

use std::time::Instant;

use airda_gkr::blake3::Blake3;
use airda_gkr::calls::{CallTable, Layout};
use airda_gkr::commit::{Parameters, Scheme};
use airda_gkr::form::{Equation, Equations, Term};
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::transcript::{Challenger, Channel, ProverChannel, Sender, VerifierChannel};
use airda_gkr::{E, F, argument};
use p3_challenger::FieldChallenger;
use p3_commit::MultilinearPcs;
use p3_dft::Radix2DFTSmallBatch;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_sumcheck::jagged::{BoundJaggedLayout, JaggedLayout, JaggedPoint, JaggedProof};
use p3_sumcheck::layout::{Layout as _, PrefixProver, Table};
use p3_symmetric::CompressionFunctionFromHasher;
use p3_whir::{
    FoldingFactor, PcsProof, ProtocolParameters, QueryOpenings, WhirConfig, WhirConfigError,
    WhirProver,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// log2 of the regions' calls, in descending order.
const REGIONS: [usize; 9] = [17, 16, 16, 15, 15, 14, 13, 12, 12];
const DOMAIN: &[u8] = b"bench";
const DIGEST_BYTES: usize = 32;
const WORD_BYTES: usize = 4;
const ELEMENT_BYTES: usize = 5 * WORD_BYTES;

type Tree = MerkleTreeMmcs<
    F,
    u8,
    Blake3,
    CompressionFunctionFromHasher<Blake3, 2, DIGEST_BYTES>,
    2,
    DIGEST_BYTES,
>;
type Stack = PrefixProver<F, E>;
type Pcs = WhirProver<E, F, Radix2DFTSmallBatch<F>, Tree, Challenger, Stack>;

/// Columns of unequal height, end to end, and what is claimed of them.
struct Instance {
    words: Vec<F>,
    /// log2 of each column's height, descending.
    columns: Vec<usize>,
    /// Little-endian; a column of 2^w words is evaluated at the first w coordinates.
    point: Vec<E>,
    values: Vec<E>,
}

impl Instance {
    fn new(width: usize, regions: &[usize]) -> Self {
        let mut rng = StdRng::seed_from_u64(1);
        let columns: Vec<usize> =
            regions.iter().flat_map(|&log_calls| vec![log_calls; width]).collect();
        let num_words = columns.iter().map(|log_height| 1 << log_height).sum();
        let words: Vec<F> = (0..num_words).map(|_| rng.random()).collect();
        let point: Vec<E> = (0..columns[0]).map(|_| rng.random()).collect();
        let mut instance = Self { words, columns, point, values: Vec::new() };
        instance.values = instance
            .columns
            .par_iter()
            .zip(instance.starts())
            .map(|(&log_height, start)| {
                let column = instance.words[start..][..1 << log_height].to_vec();
                Poly::new(column).eval_base(&big_endian(&instance.point[..log_height]))
            })
            .collect();
        instance
    }

    /// Where each column begins.
    fn starts(&self) -> Vec<usize> {
        let mut end = 0;
        let begin = |log_height: &usize| {
            end += 1 << log_height;
            end - (1 << log_height)
        };
        self.columns.iter().map(begin).collect()
    }
}

/// p3's order of coordinates.
fn big_endian(point: &[E]) -> Point<E> {
    Point::new(point.iter().rev().copied().collect())
}

/// `eq(point, ·)`, little-endian.
fn eq(point: &[E]) -> Vec<E> {
    Poly::new_from_point(big_endian(point).as_slice(), E::ONE).into_evals()
}

/// What one run of one way took.
#[derive(Clone, Copy)]
struct Run {
    /// Seconds: commitment, reduction to one claim, opening. None where the reduction cannot be
    /// told from the opening.
    commit: f64,
    reduce: Option<f64>,
    open: f64,
    verify: f64,
    /// Bytes: of the reduction, and of root and opening.
    reduction: usize,
    opening: usize,
}

/// Seconds.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// A prover's channel that notes when something was sent.
struct Clocked {
    channel: ProverChannel,
    start: Instant,
    hints: Vec<f64>,
    messages: Vec<f64>,
}

impl Channel for Clocked {
    fn challenger(&mut self) -> &mut Challenger {
        self.channel.challenger()
    }
}

impl Sender for Clocked {
    fn send(&mut self, message: &[E]) {
        self.channel.send(message);
        self.messages.push(self.start.elapsed().as_secs_f64());
    }

    fn hint(&mut self, bytes: &[u8]) {
        self.channel.hint(bytes);
        self.hints.push(self.start.elapsed().as_secs_f64());
    }
}

/// The linear form: a vector of eq over the coordinates that all columns share, and a term for
/// every such part of a column.
fn form<const T: usize>(instance: &Instance, scheme: &Scheme) -> Run
where
    Poseidon2<T>: Permutation<T>,
{
    let Instance { words, columns, point, values } = instance;
    let shared = *columns.last().expect("columns");
    let table = CallTable::<T>::new(words.len());
    let layout = Layout::whole(&table);
    let vector = eq(&point[..shared]);
    let mut equations = Equations::new();
    let vector = equations.vector(&vector);
    for ((&log_height, start), &value) in columns.iter().zip(instance.starts()).zip(values) {
        let heads = eq(&point[shared..log_height]).into_iter().enumerate();
        let term =
            |(part, coefficient)| Term { start: start + (part << shared), vector, coefficient };
        equations.push(Equation { terms: heads.map(term).collect(), value });
    }
    let statement = argument::Statement { table: &table, layout, equations: &equations };

    let channel = ProverChannel::new(DOMAIN);
    let start = Instant::now();
    let mut channel = Clocked { channel, start, hints: Vec::new(), messages: Vec::new() };
    argument::prove(&statement, scheme, words, &mut channel);
    let Clocked { channel, hints, messages, .. } = channel;
    let (&[root, opened], &[.., last]) = (&hints[..], &messages[..]) else {
        panic!("a whole proof")
    };
    // The form's messages are the last ones, before them come those of the empty walk.
    let walked = messages[messages.len() - scheme.num_variables() - 1];
    let proof = channel.finish();

    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let (sizes, verify) = timed(|| argument::verify(&statement, scheme, &mut channel));
    let sizes = sizes.expect("a good proof");
    channel.finish().expect("nothing is left");
    Run {
        commit: root,
        reduce: Some(last - walked),
        open: opened - last,
        verify,
        reduction: sizes.form,
        opening: sizes.commitment + sizes.opening,
    }
}

/// The layout of the columns, filled up with empty ones.
fn jagged_layout(instance: &Instance, min_variables: usize) -> JaggedLayout {
    let mut heights: Vec<usize> =
        instance.columns.iter().map(|log_height| 1 << log_height).collect();
    heights.resize(heights.len().next_power_of_two(), 0);
    JaggedLayout::with_min_dense_variables(instance.point.len(), &heights, min_variables)
        .expect("a layout")
}

/// All claims as one: both sides do this, once the columns are committed.
fn jagged_claim(
    instance: &Instance,
    layout: &JaggedLayout,
    challenger: &mut Challenger,
) -> (JaggedPoint<E>, E) {
    let Instance { columns, point, values, .. } = instance;
    for &value in values {
        challenger.observe_algebra_element(value);
    }
    let column: Vec<E> =
        (0..layout.column_variables()).map(|_| challenger.sample_algebra_element()).collect();
    let weights = eq(&column).into_iter().zip(columns).zip(values);
    let value = weights
        .map(|((weight, &log_height), &value)| {
            // The column is zero where an index has a higher bit.
            let padding: E = point[log_height..].iter().map(|&r| E::ONE - r).product();
            weight * padding * value
        })
        .sum();
    (JaggedPoint::new(big_endian(point), big_endian(&column)), value)
}

/// A copy of the words, with room for zeros up to the layout's size.
fn copied(instance: &Instance, layout: &JaggedLayout) -> Vec<F> {
    let mut words = Vec::with_capacity(layout.dense_capacity());
    words.extend_from_slice(&instance.words);
    words
}

/// The words, filled up with zeros.
fn envelope(instance: &Instance, layout: &JaggedLayout) -> Vec<F> {
    let mut words = copied(instance, layout);
    words.resize(layout.dense_capacity(), F::ZERO);
    words
}

/// The jagged layout over our own commitment.
fn jagged_airda(instance: &Instance, scheme: &Scheme) -> Run {
    let layout = jagged_layout(instance, scheme.num_variables());
    let witness = envelope(instance, &layout);

    let mut channel = ProverChannel::new(DOMAIN);
    let (committed, commit) = timed(|| scheme.commit(copied(instance, &layout), &mut channel));
    let (output, reduce) = timed(|| {
        let challenger = channel.challenger();
        let bound = BoundJaggedLayout::new::<F, _>(&layout, challenger);
        let (point, value) = jagged_claim(instance, bound.layout(), challenger);
        layout.prove(&witness, &point, value, challenger).expect("true claims")
    });
    let (reduction, claim) = output.into_parts();
    let point: Vec<E> = claim.point().iter().rev().copied().collect();
    let (_, open) = timed(|| scheme.open(committed, &point, &mut channel));
    let proof = channel.finish();

    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let ((), verify) = timed(|| {
        let commitment = scheme.receive(&mut channel).expect("a root");
        let (_, challenger) = channel.hints_and_challenger();
        let bound = BoundJaggedLayout::new::<F, _>(&layout, challenger);
        let (point, value) = jagged_claim(instance, bound.layout(), challenger);
        let claim = layout.verify(&point, value, &reduction, challenger).expect("a good proof");
        let point: Vec<E> = claim.point().iter().rev().copied().collect();
        let opened = scheme.verify(&commitment, &point, &mut channel).expect("a good opening");
        assert_eq!(opened, *claim.value());
    });
    Run {
        commit,
        reduce: Some(reduce),
        open,
        verify,
        reduction: reduction_bytes(&reduction),
        opening: proof.len(),
    }
}

/// The jagged layout over p3-whir, by p3's own calls alone.
fn jagged_p3(instance: &Instance, layout: &JaggedLayout, pcs: &Pcs) -> Run {
    let witness = envelope(instance, layout);

    let mut challenger = Challenger::from_hasher(DOMAIN.to_vec(), Blake3);
    let ((commitment, data), commit) = timed(|| {
        let table = Table::new(RowMajorMatrix::new(envelope(instance, layout), witness.len()));
        let stack = Stack::new_witness(vec![table], pcs.round_folding_factor(0));
        pcs.commit(stack, &mut challenger).expect("the configured size")
    });
    let (opening, open) = timed(|| {
        let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
        let claim = jagged_claim(instance, layout, &mut challenger);
        bound.open(pcs, data, &witness, &[claim], &mut challenger).expect("true claims")
    });

    let mut challenger = Challenger::from_hasher(DOMAIN.to_vec(), Blake3);
    let (verdict, verify) = timed(|| {
        pcs.observe_commitment(&commitment, &mut challenger);
        let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
        let claim = jagged_claim(instance, layout, &mut challenger);
        bound.verify(pcs, &commitment, &opening, &[claim], &mut challenger)
    });
    verdict.expect("a good proof");
    Run {
        commit,
        reduce: None,
        open,
        verify,
        reduction: opening.reductions().iter().map(reduction_bytes).sum(),
        opening: DIGEST_BYTES + opening_bytes(opening.dense()),
    }
}

/// p3-whir with the schedule of our parameters, at the least level that composes to their target.
fn p3_whir(parameters: &Parameters, layout: &JaggedLayout) -> (Pcs, usize, f64) {
    let (first, later) = parameters.folds();
    let num_variables = layout.dense_variables();
    let folding_factor = FoldingFactor::ConstantFromSecondRound(first.variables, later.variables);
    let (num_rounds, _) =
        folding_factor.compute_number_of_rounds(num_variables).expect("a schedule");
    let mut rate = parameters.log_inv_rate();
    let round_log_inv_rates = (0..num_rounds)
        .map(|round| {
            let fold = if round == 0 { first } else { later };
            rate += fold.variables - fold.shrink;
            rate
        })
        .collect();
    let mut protocol = ProtocolParameters {
        starting_log_inv_rate: parameters.log_inv_rate(),
        round_log_inv_rates,
        folding_factor,
        soundness_type: parameters.regime(),
        security_level: parameters.target_bits(),
        pow_bits: 0,
    };
    let mut challenger = Challenger::from_hasher(Vec::new(), Blake3);
    let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
    loop {
        let config = match WhirConfig::new_with_initial_claims(num_variables, protocol.clone(), 1) {
            Err(WhirConfigError::PowBitsExceedBudget { required, .. }) => {
                protocol.pow_bits = required;
                continue;
            }
            outcome => outcome.expect("a schedule"),
        };
        let tree = Tree::new(Blake3, CompressionFunctionFromHasher::new(Blake3), 0);
        let pcs = Pcs::new(config, Radix2DFTSmallBatch::default(), tree);
        let security = bound.security::<E, _, Challenger>(&pcs, 1).expect("an assessed opening");
        if security.error().bits() >= parameters.target_bits() as f64 {
            return (pcs, protocol.security_level, security.error().bits());
        }
        (protocol.security_level, protocol.pow_bits) = (protocol.security_level + 1, 0);
    }
}

fn reduction_bytes(proof: &JaggedProof<F, E>) -> usize {
    sumcheck_bytes(proof.sumcheck()) + ELEMENT_BYTES
}

fn sumcheck_bytes(data: &SumcheckData<F, E>) -> usize {
    2 * ELEMENT_BYTES * data.polynomial_evaluations.len() + WORD_BYTES * data.pow_witnesses.len()
}

/// As our own encoding counts: see `Scheme::proof_bytes`. Every proof of work has a witness.
fn opening_bytes(proof: &PcsProof<F, E, Tree>) -> usize {
    fn rows<R>(rows: &[Vec<R>], symbol: usize) -> usize {
        rows.iter().map(|row| row.len() * symbol).sum()
    }
    fn queries(openings: &QueryOpenings<F, E, PrunedMerklePaths<u8, DIGEST_BYTES>>) -> usize {
        let (rows, proof) = match openings {
            QueryOpenings::Base(opening) => (rows(&opening.rows, WORD_BYTES), &opening.proof),
            QueryOpenings::Extension(opening) => {
                (rows(&opening.rows, ELEMENT_BYTES), &opening.proof)
            }
        };
        // A witness, and a count of digests.
        2 * WORD_BYTES + rows + DIGEST_BYTES * proof.sibling_hashes.len()
    }
    let whir = &proof.whir;
    let values: usize = proof.evals.iter().map(|batch| batch.len()).sum();
    let elements = values
        + whir.initial_ood_answers.len()
        + whir.final_poly.as_ref().map_or(0, |poly| poly.as_slice().len());
    let rounds = whir.rounds.iter().map(|round| {
        let elements = ELEMENT_BYTES * round.ood_answers.len();
        DIGEST_BYTES + elements + queries(&round.openings) + sumcheck_bytes(&round.sumcheck)
    });
    ELEMENT_BYTES * elements
        + sumcheck_bytes(&whir.initial_sumcheck)
        + rounds.sum::<usize>()
        + queries(&whir.final_openings)
        + whir.final_sumcheck.as_ref().map_or(0, sumcheck_bytes)
}

/// The median, and between which values all lie.
fn spread(runs: &[Run], of: impl Fn(&Run) -> f64) -> String {
    let mut sorted: Vec<f64> = runs.iter().map(of).collect();
    sorted.sort_by(f64::total_cmp);
    let [median, least, most] = [sorted.len() / 2, 0, sorted.len() - 1].map(|i| sorted[i]);
    format!("{median:.1} [{least:.1}, {most:.1}]")
}

fn print(name: &str, runs: &[Run]) {
    let ms = |of: fn(&Run) -> f64| spread(runs, |run| 1e3 * of(run));
    let bytes = |of: fn(&Run) -> usize| spread(runs, |run| of(run) as f64 / 1024.0);
    let settle = |run: &Run| run.reduce.unwrap_or(0.0) + run.open;
    let reduce = match runs[0].reduce {
        Some(_) => ms(|run| run.reduce.unwrap_or(0.0)),
        None => "-".to_owned(),
    };
    println!(
        "{name}: commit {} ms, reduction {reduce}, reduction and opening {}, prover {}; verify {}; \
         reduction {} KiB, root and opening {}, all {}",
        ms(|run| run.commit),
        spread(runs, |run| 1e3 * settle(run)),
        spread(runs, |run| 1e3 * (run.commit + settle(run))),
        ms(|run| run.verify),
        bytes(|run| run.reduction),
        bytes(|run| run.opening),
        bytes(|run| run.reduction + run.opening),
    );
}

fn at_width<const T: usize>(regions: &[usize], repeat: usize)
where
    Poseidon2<T>: Permutation<T>,
{
    let instance = Instance::new(T, regions);
    let parameters = Parameters::for_rate(1).expect("an entry");
    let scheme = Scheme::new(&parameters, instance.words.len()).expect("a size");
    let layout = jagged_layout(&instance, scheme.num_variables());
    let (pcs, level, bits) = p3_whir(&parameters, &layout);
    let (first, later) = parameters.folds();
    println!(
        "width={T} columns={} words={} log_committed={} threads={}: entry {} ({},{})+({},{}) rate \
         1/2, opening {:.2} bits; p3 level {level}, grinding at most {} bits, jagged opening {bits:.2} \
         bits; medians of {} [min, max]",
        instance.columns.len(),
        instance.words.len(),
        scheme.num_variables(),
        current_num_threads(),
        parameters.id(),
        first.variables,
        later.variables,
        first.shrink,
        later.shrink,
        scheme.opening_bits(),
        pcs.params().pow_bits,
        repeat.max(1),
    );
    let mut runs = [const { Vec::new() }; 3];
    for turn in 0..=repeat {
        let turns = [
            form::<T>(&instance, &scheme),
            jagged_airda(&instance, &scheme),
            jagged_p3(&instance, &layout, &pcs),
        ];
        // The first one finds memory that nobody has touched.
        if turn > 0 || repeat == 0 {
            runs.iter_mut().zip(turns).for_each(|(runs, run)| runs.push(run));
        }
    }
    for (name, runs) in ["form", "jagged, airda", "jagged, p3-whir"].iter().zip(&runs) {
        print(name, runs);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // As criterion decides it.
    let tiny = !given("--bench") || given("--test");
    let (less, repeat) = if tiny { (10, 0) } else { (0, 7) };
    let regions = REGIONS.map(|log_calls| log_calls - less);
    at_width::<16>(&regions, repeat);
    at_width::<24>(&regions, repeat);
}
