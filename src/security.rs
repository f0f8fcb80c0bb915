//! How secure a proof of given parameters is, computed from the parameters alone.
//!
//! The proof system's own error is composed by the gkr crate. Beside it stand the commitment's
//! collision resistance (8 words, in the ideal-permutation model, by birthday) and, where a
//! proof uses it, the membership vector, stated for one query to H': a prover that asks 2^Q
//! times succeeds with 2^Q times the probability. Membership by construction loses nothing.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::argument::Statement;
use airda_gkr::commit::Scheme;
use airda_gkr::permutation::{DIGEST, Permutation, Poseidon2};
use airda_gkr::security::{Line, Report};
use p3_field::PrimeField32;

use crate::F;
use crate::params::{LIMBS, Params};

/// The security of the proofs of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Security {
    /// Every part, labelled.
    pub lines: Vec<Line>,
    /// The composed proof system, in bits.
    pub proof_bits: f64,
    /// The least of all parts, in bits.
    pub overall_bits: f64,
}

impl Security {
    /// The security of proofs of `statement`, opened with `scheme`.
    pub(crate) fn of<const T: usize>(
        params: &Params,
        scheme: &Scheme,
        statement: &Statement<'_, T>,
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let report = Report::new(scheme, &statement.reductions());
        let mut lines = report.lines.clone();
        lines.push(Line { label: "Poseidon2 commitment", bits: commitment_bits() });
        if statement.layout.code().is_none() {
            lines.push(Line { label: "membership, a query", bits: membership_bits(params) });
        }
        let overall_bits = lines.iter().map(|line| line.bits).fold(report.bits(), f64::min);
        Self { lines, proof_bits: report.proof_system_bits, overall_bits }
    }
}

/// p^8 digests, by birthday.
fn commitment_bits() -> f64 {
    DIGEST as f64 * f64::from(F::ORDER_U32).log2() / 2.0
}

/// −log2 of (k − 1)/(|E| − m), the chance that a row off the code passes at a random point.
fn membership_bits(params: &Params) -> f64 {
    // |E| − m is |E| to more places than a double holds.
    let field = LIMBS as f64 * f64::from(F::ORDER_U32).log2();
    field - (params.k().saturating_sub(1).max(1) as f64).log2()
}
