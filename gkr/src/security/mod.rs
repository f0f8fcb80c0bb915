//! The proof system's security, computed from parameters alone.
//!
//! A [`Report`] has a [`Line`] for every kind of draw that a prover can be lucky with, and their
//! sum, the union bound over one run. In the random-oracle model a prover that hashes Q times
//! has Q such chances at most, a draw at a time.
//!
//! Notation: D = 8 nodes of the univariate variable, t the permutation's width, N_P its partial
//! rounds (it has 8 full rounds), R the rounds of a layer's multilinear variables (outer bits
//! and 4 lane bits), L the list that a commitment leaves open, |E| the challenge field.
//!
//! - WHIR, round by round: module `opening`. The sum of its lines is p3's
//!   `prescribed_security`.
//! - Walk: `L · [(D−1)+R+7 + 8((t−1)+3(D−1)+3R) + N_P(1+3(D−1)+3R)] / |E|`; for each level of
//!   calls after the first as much, without (D−1)+R, and 8+2(D−1)+2R for the merge.
//! - Linear form: `L · (d + 2m) / |E|`, d the degree in the batching challenge of what is owed,
//!   m the rounds of its sumcheck, one for each variable of the committed vector.
//!
//! Challenges of ours are drawn from E∖{0}, hence |E| − 1 below; p3 counts WHIR's with the whole
//! bits of |E|, 154 of 154.94. The hash lines are no part of the proof system's error: the bound
//! on its error holds in the random-oracle model, and collisions of BLAKE3 (transcript and Merkle
//! trees) are found with 2^128 queries.
//!
//! # Two regimes
//! The parameters name the regime that the opening is argued in. Every line also tells what the
//! very same parameters prove in unique decoding, where a root fixes one vector: the radius is
//! smaller, so the same queries prove less, but neither lists nor proximity gaps beyond half the
//! distance are relied upon.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

mod opening;
mod reductions;
#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;

pub(crate) use self::opening::Opening;
pub(crate) use self::reductions::Numerator;
pub use self::reductions::Reductions;
use crate::commit::{Scheme, SecurityAssumption};

/// Collision resistance of BLAKE3.
const HASH_BITS: f64 = 128.0;

/// One part of the error, or of what the argument rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The part of the protocol.
    pub part: String,
    /// The step of that part, or what could be broken.
    pub step: String,
    /// The error without its proofs of work, or the work to break it, as a formula: |E| is the
    /// challenge field, L a list, all else numbers.
    pub error: String,
    /// −log2 of the error, proofs of work counted, or of the work; infinite where nothing is
    /// lost.
    pub bits: f64,
    /// The same, were the opening argued in unique decoding.
    pub unique_bits: f64,
    /// log2 of the lists' sizes that `bits` counts; 0 where the error is not multiplied by one.
    pub log2_list: f64,
    /// Bits of proof of work that `bits` counts.
    pub grinding: usize,
}

impl Line {
    /// A line that no opening enters.
    pub fn plain(part: &str, step: &str, error: impl Into<String>, bits: f64) -> Self {
        Self {
            part: part.to_owned(),
            step: step.to_owned(),
            error: error.into(),
            bits,
            unique_bits: bits,
            log2_list: 0.0,
            grinding: 0,
        }
    }
}

/// The security of one proof system instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The regime that `bits` and the lists are of.
    pub regime: SecurityAssumption,
    /// Variables of the committed vector.
    pub num_variables: usize,
    /// log2 of how many vectors a root may leave open.
    pub log2_list_size: f64,
    /// The proof system's error terms.
    pub lines: Vec<Line>,
    /// The byte hash of transcript and trees.
    pub hashes: Vec<Line>,
    /// −log2 of the sum of the proof system's error terms.
    pub proof_system_bits: f64,
    /// The same in unique decoding.
    pub unique_decoding_bits: f64,
    /// Collision resistance of the byte hash.
    pub hash_bits: f64,
}

impl Report {
    /// The report of `scheme` with `reductions` between its commitment and its opening.
    pub fn new(scheme: &Scheme, reductions: &Reductions) -> Self {
        Self::compose(&scheme.opening(), reductions)
    }

    fn compose(opening: &Opening, reductions: &Reductions) -> Self {
        let log2_list_size = opening.log2_list_size();
        let mut lines = reductions.lines(log2_list_size, opening.num_variables);
        lines.extend(opening.lines());
        let sum = |bits: fn(&Line) -> f64| {
            let error: f64 = lines.iter().map(|line| (-bits(line)).exp2()).sum();
            -error.log2()
        };
        let (proof_system_bits, unique_decoding_bits) =
            (sum(|line| line.bits), sum(|line| line.unique_bits));
        let hash = |step| Line::plain("BLAKE3", step, "2^(256/2), by birthday", HASH_BITS);
        Self {
            regime: opening.regime,
            num_variables: opening.num_variables,
            log2_list_size,
            lines,
            hashes: vec![hash("transcript"), hash("Merkle trees")],
            proof_system_bits,
            unique_decoding_bits,
            hash_bits: HASH_BITS,
        }
    }

    /// The least of the proof system's bits and the hash's.
    pub const fn bits(&self) -> f64 {
        self.proof_system_bits.min(self.hash_bits)
    }
}
