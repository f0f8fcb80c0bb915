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

#[path = "../common/mod.rs"]
mod common;
mod form;
mod layout;
mod whir;

use std::time::Instant;

use airda_gkr::commit::{Parameters, Scheme};
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::{E, F};
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// log2 of the regions' calls, in descending order.
const REGIONS: [usize; 9] = [17, 16, 16, 15, 15, 14, 13, 12, 12];
const DOMAIN: &[u8] = b"bench";

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
    let layout = layout::new(&instance, scheme.num_variables());
    let (pcs, level, bits) = whir::new(&parameters, &layout);
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
            form::run::<T>(&instance, &scheme),
            layout::over_airda(&instance, &scheme),
            layout::over_p3(&instance, &layout, &pcs),
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
