//! Instances that the benches share.
#![allow(dead_code, reason = "each bench uses a part")]

use airda::{HashWidth, Params};
use airda_gkr::memory::HugePages;
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
