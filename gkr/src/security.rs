//! The proof system's security, computed from parameters alone.
//!
//! Notation: D = 8 nodes of the univariate variable, t the permutation's width, N_P its partial
//! rounds (it has 8 full rounds), R the rounds of a layer's multilinear variables (outer bits
//! and 4 lane bits), L the list that a commitment leaves open, |E| the challenge field.
//!
//! - WHIR: p3's union bound over the opening's terms, grinding counted.
//! - Walk: `L · [(D−1)+R+7 + 8((t−1)+3(D−1)+3R) + N_P(1+3(D−1)+3R)] / |E|`; for each level of
//!   calls after the first as much, without (D−1)+R, and 8+2(D−1)+2R for the merge.
//! - Linear form: `L · (d + 2m) / |E|`, d the degree in the batching challenge of what is owed,
//!   m the rounds of its sumcheck, one for each variable of the committed vector.
//!
//! Challenges of ours are drawn from E∖{0}, hence |E| − 1 below. The hash lines are no part of
//! the proof system's error: the bound on its error holds in the random-oracle model, and
//! collisions of BLAKE3 (transcript and Merkle trees) are found with 2^128 queries.

#![deny(clippy::arithmetic_side_effects)]

use crate::commit::{MAX_VARIABLES, Scheme};
use crate::permutation::{Permutation, Poseidon2};
use crate::{E, levels, walk};
use p3_field::{BasedVectorSpace, PrimeField32};

/// Collision resistance of BLAKE3.
const HASH_BITS: f64 = 128.0;

/// What is drawn between commitment and opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// The walk's error, times |E|: see [`walk::error_numerator`]; where the calls fall into
    /// levels, that of all their walks and of what lies between them.
    pub walk: u64,
    /// Degree, in the batching challenge, of everything the linear form combines.
    pub form_degree: u64,
}

impl Reductions {
    /// The reductions for `num_calls` calls at width `T` and a linear form of that degree.
    pub fn new<const T: usize>(num_calls: usize, form_degree: u64) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        Self { walk: walk::error_numerator::<T>(num_calls), form_degree }
    }

    /// The largest that a scheme leaves room for: four levels of 2^25 calls at width 24 and a
    /// form of degree 2^16.
    pub fn largest() -> Self {
        Self { walk: levels::error_numerator::<24>([1 << MAX_VARIABLES; 4]), form_degree: 1 << 16 }
    }
}

/// One part of the error, or of what the argument rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is.
    pub label: &'static str,
    /// −log2 of the error, or of the work to break it.
    pub bits: f64,
}

/// The security of one proof system instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The proof system's error terms, then the hash.
    pub lines: Vec<Line>,
    /// −log2 of the sum of the proof system's error terms.
    pub proof_system_bits: f64,
    /// Collision resistance of the byte hash of transcript and trees.
    pub hash_bits: f64,
}

impl Report {
    /// The report of `scheme` with `reductions` between its commitment and its opening.
    pub fn new(scheme: &Scheme, reductions: &Reductions) -> Self {
        let list = scheme.log2_list_size();
        let charged = |numerator: u64| log2_field() - list - (numerator as f64).log2();
        // Beyond 64 bits the sum would be too insecure in any case.
        let rounds = (scheme.num_variables() as u64).saturating_mul(2);
        let form = reductions.form_degree.saturating_add(rounds);
        let mut lines = vec![
            Line { label: "WHIR opening", bits: scheme.opening_bits() },
            Line { label: "GKR walk", bits: charged(reductions.walk) },
            Line { label: "linear form", bits: charged(form) },
        ];
        let error: f64 = lines.iter().map(|line| (-line.bits).exp2()).sum();
        lines.push(Line { label: "BLAKE3 collisions", bits: HASH_BITS });
        Self { lines, proof_system_bits: -error.log2(), hash_bits: HASH_BITS }
    }

    /// The least of the proof system's bits and the hash's.
    pub const fn bits(&self) -> f64 {
        self.proof_system_bits.min(self.hash_bits)
    }
}

/// log2(|E| − 1), from below.
fn log2_field() -> f64 {
    let degree = <E as BasedVectorSpace<crate::F>>::DIMENSION as f64;
    degree * f64::from(crate::F::ORDER_U32).log2() - 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::Parameters;

    #[test]
    fn the_walk_loses_as_much_as_the_formula_says() {
        // Width 16, 2^17 calls: R = 10 + 4.
        let layer = 21 + 3 * 14;
        let expected = 7 + 14 + 7 + 8 * (15 + layer) + 20 * (1 + layer);
        assert_eq!(walk::error_numerator::<16>(1 << 17), expected);
        assert_eq!(walk::error_numerator::<16>((1 << 16) + 1), expected);
        let bits = log2_field() - (expected as f64).log2();
        assert!((bits - 144.03).abs() < 0.01, "{bits}");
        assert!(walk::error_numerator::<24>(1 << 17) > expected);
        assert_eq!(walk::error_numerator::<16>(0), walk::error_numerator::<16>(128));
    }

    #[test]
    fn the_field_has_as_many_bits_as_the_design_says() {
        assert!((log2_field() - 154.94).abs() < 0.01);
    }

    #[test]
    fn lines_compose_to_less_than_the_least_of_them() {
        for parameters in Parameters::table() {
            let scheme = Scheme::new(parameters, 1 << 22).unwrap();
            let report = Report::new(&scheme, &Reductions::new::<16>(1 << 19, 150));
            let labels: Vec<_> = report.lines.iter().map(|line| line.label).collect();
            assert_eq!(labels, ["WHIR opening", "GKR walk", "linear form", "BLAKE3 collisions"]);
            let least = report.lines[..3].iter().map(|line| line.bits).fold(f64::MAX, f64::min);
            assert!(report.proof_system_bits < least);
            assert!(report.proof_system_bits >= 128.0);
            assert_eq!(report.bits(), 128.0, "the hash is listed by itself");
            // Johnson lists: 2^4.3 at rate 1/2, 2^5.3 at 1/4.
            let list = 3.3 + parameters.log_inv_rate() as f64;
            assert!((scheme.log2_list_size() - list).abs() < 0.1);
            let unlisted = log2_field() - (walk::error_numerator::<16>(1 << 19) as f64).log2();
            assert!((report.lines[1].bits - (unlisted - scheme.log2_list_size())).abs() < 1e-9);
        }
    }

    #[test]
    fn larger_reductions_lose_more() {
        let scheme = Scheme::new(&Parameters::table()[0], 1 << 20).unwrap();
        let bits = |r: &Reductions| Report::new(&scheme, r).proof_system_bits;
        let small = Reductions::new::<16>(1 << 10, 10);
        assert!(bits(&small) > bits(&Reductions::new::<16>(1 << 10, 1 << 30)));
        assert!(bits(&small) > bits(&Reductions { walk: 1 << 30, form_degree: 10 }));
        assert!(bits(&Reductions::largest()) < bits(&small));
    }
}
