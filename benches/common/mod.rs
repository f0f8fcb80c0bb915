//! Instances that the benches share.
#![allow(dead_code, reason = "each bench uses a part")]

use std::cell::RefCell;
use std::time::Instant;

use airda::{F, HashWidth, Params};
use airda_gkr::memory::HugePages;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

/// Both widths.
pub(crate) const WIDTHS: [HashWidth; 2] = [HashWidth::W16, HashWidth::W24];

/// (log k, log c, n) of b2-c32-r14 and b4-c64-r14.
pub(crate) const SIZES: [(usize, usize, usize); 2] = [(14, 5, 14), (15, 6, 14)];

/// b2-c32-r14 with every row full, and seeded bytes to fill them.
pub(crate) fn b2_c32_r14(hash: HashWidth) -> (Params, Vec<u8>) {
    instance(hash, 14, 5, 14)
}

/// A shape with every row full, and seeded bytes to fill them.
pub(crate) fn instance(
    hash: HashWidth,
    log_k: usize,
    log_c: usize,
    rows: usize,
) -> (Params, Vec<u8>) {
    let mut rng = StdRng::seed_from_u64(1);
    let payload: Vec<u8> = (0..(19 << log_k) * rows).map(|_| rng.random()).collect();
    let params = Params::new(hash, log_k, log_c, rows, payload.len() as u64).expect("a shape");
    (params, payload)
}

/// A benchmark's name for parameters.
pub(crate) fn name(params: &Params) -> String {
    format!("k={} c={} n={} width={}", params.k(), params.c(), params.rows(), params.hash().width())
}

/// p3's bare transforms that would do what an encoder does, in memory of their own.
pub(crate) struct Transforms {
    dft: Radix2DFTSmallBatch<F>,
    columns: RefCell<Option<RowMajorMatrix<F>>>,
    shift: F,
}

impl Transforms {
    /// Of all limbs at once; 70 columns filled up to whole vectors, which p3 does in less time
    /// than 70.
    pub(crate) fn new(params: &Params) -> Self {
        let width = (5 * params.rows()).next_multiple_of(16);
        let mut rng = StdRng::seed_from_u64(1);
        let words = F::zero_vec(params.k() * width);
        let columns = RowMajorMatrix::new(words.iter().map(|_| rng.random()).collect(), width);
        let shift = F::two_adic_generator(params.log_k() + 1);
        let dft = Radix2DFTSmallBatch::new(params.m());
        Self { dft, columns: RefCell::new(Some(columns)), shift }
    }

    /// Interpolates and evaluates on the coset, the result being the next input.
    pub(crate) fn run(&self) {
        let columns = self.columns.take().expect("the last run's");
        let columns = self.dft.coset_dft_batch(self.dft.idft_batch(columns), self.shift);
        self.columns.replace(Some(columns.to_row_major_matrix()));
    }
}

/// Runs that medians are of.
const RUNS: usize = 21;

/// Medians of seconds, of runs taken in turns.
pub(crate) fn medians<const N: usize>(work: [&dyn Fn(); N]) -> [f64; N] {
    let mut times = [[0.0; RUNS]; N];
    for run in 0..RUNS {
        for (work, times) in work.iter().zip(&mut times) {
            let start = Instant::now();
            work();
            times[run] = start.elapsed().as_secs_f64();
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}
