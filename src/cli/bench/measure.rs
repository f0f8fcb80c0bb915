//! The measured work: a payload's whole way, several times.

use std::time::Instant;

use airda::params::SYMBOL_BYTES;
use airda::proof::air::{self, Description};
use airda::proof::{self, ProofSystem};
use airda::{Block, Error, HashWidth, Params, Profile};
use indicatif::ProgressBar;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::report::Measured;
use super::spans::{Spans, Taken};
use crate::cli::choice::Choice;
use crate::cli::failure::Failure;
use crate::cli::memory;

/// One number of rows, ready to be measured.
pub(super) struct Series {
    pub(super) profile: Profile,
    pub(super) params: Params,
    pub(super) system: ProofSystem,
}

/// An AIR's tables, ready for all proofs of the shape.
pub(super) struct Prepared {
    /// What making them took.
    pub(super) seconds: f64,
    pub(super) description: Description,
}

impl Prepared {
    /// Prepares them, for every later proof of this process.
    pub(super) fn new(params: &Params, system: &air::System) -> Result<Self, Error> {
        let start = Instant::now();
        let description = air::describe(params, system)?;
        Ok(Self { seconds: start.elapsed().as_secs_f64(), description })
    }
}

/// The parameters of a profile with so many full rows.
pub(super) fn full(profile: &Profile, hash: HashWidth, rows: usize) -> Result<Params, Failure> {
    let bytes = (SYMBOL_BYTES as u64).saturating_mul(rows as u64) << profile.log_k();
    Params::new(hash, profile.log_k(), profile.log_c(), rows, bytes)
        .map_err(|error| Failure::unusable(format!("profile {profile}: {error}")))
}

/// Bytes that fill the rows, always the same.
pub(super) fn payload(params: &Params) -> Vec<u8> {
    let mut payload = vec![0; params.payload_len() as usize];
    StdRng::seed_from_u64(1).fill_bytes(&mut payload);
    payload
}

/// Seconds of one run.
pub(super) struct Run {
    pub(super) encode_commit: f64,
    pub(super) prove: f64,
    pub(super) verify: f64,
    /// While encoding, committing and proving.
    pub(super) building: Taken,
    pub(super) verifying: Taken,
}

impl Series {
    /// The profile with so many full rows.
    pub(super) fn prepare(
        profile: &Profile,
        choice: &Choice,
        rows: usize,
    ) -> Result<Self, Failure> {
        let params = full(profile, choice.hash, rows)?;
        let system = choice.system(profile)?;
        Ok(Self { profile: profile.with_rows_of(&params), params, system })
    }

    /// Measures `repeat` runs, each a step of the bar.
    pub(super) fn run(
        &self,
        repeat: usize,
        spans: &Spans,
        bar: &ProgressBar,
    ) -> Result<Measured, Failure> {
        let failed = |error: Error| Failure::at(self.profile, &error);
        let payload = payload(&self.params);
        memory::forget_peak();
        let prepared = match &self.system {
            ProofSystem::Gkr(_) => None,
            ProofSystem::Air(air) => Some(Prepared::new(&self.params, air).map_err(failed)?),
        };
        let mut runs = Vec::with_capacity(repeat);
        let mut told = None;
        for _ in 0..repeat {
            let _ = spans.take();
            let start = Instant::now();
            let block = Block::build(self.params, &payload).map_err(failed)?;
            let built = Instant::now();
            let file = proof::prove(&block, self.system).map_err(failed)?;
            let proved = Instant::now();
            let building = spans.take();
            let commitment = block.commitment();
            let verifying = Instant::now();
            let verified = proof::verify(commitment, &file).map_err(failed)?;
            runs.push(Run {
                encode_commit: (built - start).as_secs_f64(),
                prove: (proved - built).as_secs_f64(),
                verify: verifying.elapsed().as_secs_f64(),
                building,
                verifying: spans.take(),
            });
            told = Some((verified, file.len()));
            bar.inc(1);
        }
        let Some((verified, proof_bytes)) = told else {
            return Err(Failure::unusable("nothing was measured"));
        };
        Ok(Measured::new(self, &runs, prepared, (&verified, proof_bytes), memory::peak()))
    }
}
