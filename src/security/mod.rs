//! How secure a proof of given parameters is, computed from the parameters alone.
//!
//! The proof system's own error is composed by the gkr crate. Beside it stand the byte hash, the
//! commitment's collision resistance (8 words, in the ideal-permutation model, by birthday: the
//! same at both widths) and the membership vector, stated for one query to H': a prover that
//! asks 2^Q times succeeds with 2^Q times the probability. Membership by construction loses
//! nothing.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_air::security::HASH_BITS;
pub use airda_air::security::Report as AirReport;
use airda_gkr::argument::Statement;
use airda_gkr::commit::Scheme;
pub use airda_gkr::commit::SecurityAssumption;
use airda_gkr::permutation::{DIGEST, Permutation, Poseidon2};
use airda_gkr::security::Reductions;
pub use airda_gkr::security::{Line, Report};
use p3_field::PrimeField32;

use crate::F;
use crate::error::Error;
use crate::params::{HashWidth, LIMBS, Params};
use crate::proof::{self, Membership, ProofSystem, System};

/// The proof system's own report.
#[derive(Clone, Debug, PartialEq)]
pub enum Proved {
    /// GKR over WHIR.
    Gkr(Report),
    /// AIR tables over FRI.
    Air(AirReport),
}

impl Proved {
    /// The report of GKR over WHIR, if it is that.
    pub const fn gkr(&self) -> Option<&Report> {
        match self {
            Self::Gkr(report) => Some(report),
            Self::Air(_) => None,
        }
    }

    /// The report of AIR tables over FRI, if it is that.
    pub const fn air(&self) -> Option<&AirReport> {
        match self {
            Self::Gkr(_) => None,
            Self::Air(report) => Some(report),
        }
    }
}

/// The security of the proofs of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Security {
    /// The proof system, error by error.
    pub proof: Proved,
    /// What the proof system's error does not count: membership, the byte hash, the commitment.
    pub beside: Vec<Line>,
    /// The composed proof system, in bits.
    pub proof_bits: f64,
    /// The least of all parts, in bits.
    pub overall_bits: f64,
}

impl Security {
    /// The security of the proofs that `system` makes for `params`.
    ///
    /// # Errors
    /// [`Error::Proof`] when the system has no instance for that size.
    pub fn new(params: &Params, system: impl Into<ProofSystem>) -> Result<Self, Error> {
        Self::by(params, system.into())
    }

    fn by(params: &Params, system: ProofSystem) -> Result<Self, Error> {
        match system {
            ProofSystem::Air(system) => proof::air::security(params, &system),
            ProofSystem::Gkr(system) => match params.hash() {
                HashWidth::W16 => Self::at_width::<16>(params, &system),
                HashWidth::W24 => Self::at_width::<24>(params, &system),
            },
        }
    }

    fn at_width<const T: usize>(params: &Params, system: &System) -> Result<Self, Error>
    where
        Poseidon2<T>: Permutation<T>,
    {
        proof::laid_out::<T, _>(params, system, |relation, _, scheme| {
            let num_calls = relation.table().levels().into_iter().map(|level| level.num_calls);
            let by_vector = system.membership() == Membership::Vector;
            let reductions = Reductions::new::<T>(num_calls, relation.num_equations(by_vector));
            Ok(Self::compose(params, &Report::new(scheme, &reductions), system.membership()))
        })
    }

    /// The security of proofs of `statement`, opened with `scheme`.
    pub(crate) fn of<const T: usize>(
        params: &Params,
        scheme: &Scheme,
        statement: &Statement<'_, T>,
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let membership = match statement.layout.code() {
            Some(_) => Membership::Construction,
            None => Membership::Vector,
        };
        Self::compose(params, &Report::new(scheme, &statement.reductions()), membership)
    }

    /// The security of AIR proofs by a prepared system.
    pub(crate) fn of_air(params: &Params, report: &AirReport) -> Self {
        let hash =
            |step| Line::plain("Keccak-256", step, "2^(256/2), by birthday", HASH_BITS as f64);
        let beside = vec![
            membership_line(params, Membership::Vector),
            hash("transcript"),
            hash("Merkle trees"),
            commitment_line(params),
        ];
        Self::least(Proved::Air(report.clone()), report.proven_composed_bits(), beside)
    }

    fn compose(params: &Params, proof: &Report, membership: Membership) -> Self {
        let mut beside = vec![membership_line(params, membership)];
        beside.extend(proof.hashes.iter().cloned());
        beside.push(commitment_line(params));
        Self::least(Proved::Gkr(proof.clone()), proof.proof_system_bits, beside)
    }

    fn least(proof: Proved, proof_bits: f64, beside: Vec<Line>) -> Self {
        let overall_bits = beside.iter().map(|line| line.bits).fold(proof_bits, f64::min);
        Self { proof, beside, proof_bits, overall_bits }
    }
}

/// p^8 digests, by birthday.
fn commitment_line(params: &Params) -> Line {
    let bits = DIGEST as f64 * f64::from(F::ORDER_U32).log2() / 2.0;
    Line::plain("commitment", params.hash().name(), "p^(8/2), by birthday", bits)
}

/// −log2 of (k − 1)/(|E| − m), the chance that a row off the code passes at a random point.
fn membership_line(params: &Params, membership: Membership) -> Line {
    let line = |step, error: &str, bits| Line::plain("membership", step, error, bits);
    match membership {
        Membership::Construction => line("by construction", "0", f64::INFINITY),
        Membership::Vector => {
            // |E| − m is |E| to more places than a double holds.
            let field = LIMBS as f64 * f64::from(F::ORDER_U32).log2();
            let roots = params.k().saturating_sub(1).max(1);
            let error = format!("{roots}/(|E| - {})", params.m());
            line("by vector, a query", &error, field - (roots as f64).log2())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
