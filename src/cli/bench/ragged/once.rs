//! One proof in a process of its own: `airda bench ragged-once` reads a job and prints a sample.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::time::Instant;

use airda::HashWidth;
use airda_gkr::batching::{Batch, Checkpoints, Inputs, OutputClaims, Regions, Terminal, discharge};
use airda_gkr::codec::{DEGREE, WORD_BYTES};
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::transcript::{ProverChannel, VerifierChannel};
use airda_gkr::walk::CHUNK;
use airda_gkr::{F, Reject};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::variant::Variant;
use crate::cli::bench::spans::{Spans, Taken};
use crate::cli::bench::spread::Spread;
use crate::cli::failure::Failure;
use crate::cli::memory;
use crate::cli::output;

/// Absorbed first by both sides.
const DOMAIN: &[u8] = b"airda bench ragged";
/// Verifications of which the median is told: they take milliseconds.
const VERIFICATIONS: usize = 7;

/// What to measure.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) hash: HashWidth,
    pub(super) num_calls: Vec<usize>,
    /// A variant's name.
    pub(super) strategy: String,
    pub(super) checkpoints: Checkpoint,
}

/// j, where traces keep every j-th round alone.
pub(super) type Checkpoint = Option<NonZeroUsize>;

/// The traces' parameter.
pub(super) fn checkpoints(every: Checkpoint) -> Checkpoints {
    every.map_or(Checkpoints::All, Checkpoints::Every)
}

/// What one proof took. Times are in seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sample {
    /// From the inputs and the output claims to the proof, traces included.
    pub(super) t_prove_s: f64,
    pub(super) phases: Phases,
    /// The median of several.
    pub(super) t_verify_s: f64,
    /// Evaluating the inputs where the terminal claims say.
    pub(super) t_discharge_s: f64,
    /// Without the output claims, which are given.
    pub(super) proof_bytes: usize,
    /// While proving, inputs included; none where the system does not tell.
    pub(super) peak_memory_bytes: Option<u64>,
    /// A digest of the output claims' values.
    pub(super) claims: String,
}

/// Parts of the prover's time. Recomputing, skip messages, folds and sumcheck rounds are parts of
/// the full and the partial rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Phases {
    pub(super) trace_s: f64,
    /// Recomputing what traces do not keep: part of the full and the partial rounds.
    pub(super) recompute_s: f64,
    pub(super) full_rounds_s: f64,
    pub(super) partial_rounds_s: f64,
    pub(super) skip_messages_s: f64,
    pub(super) folds_s: f64,
    pub(super) sumcheck_rounds_s: f64,
}

impl Phases {
    fn new(spans: &Taken) -> Self {
        Self {
            trace_s: spans.get("gkr.batch.traces"),
            recompute_s: spans.get("gkr.walk.hold"),
            full_rounds_s: spans.get("gkr.walk.full"),
            partial_rounds_s: spans.get("gkr.walk.partial"),
            skip_messages_s: spans.get("gkr.walk.skip"),
            folds_s: spans.get("gkr.walk.fold"),
            sumcheck_rounds_s: spans.get("gkr.walk.rounds"),
        }
    }
}

impl Job {
    /// Runs it in a fresh process of this program.
    pub(super) fn spawn(&self) -> Result<Sample, Failure> {
        let failed = |why: &dyn std::fmt::Display| {
            Failure::unusable(format!("measuring {}: {why}", self.strategy))
        };
        let job = serde_json::to_vec(self).map_err(|error| failed(&error))?;
        let program = std::env::current_exe().map_err(|error| failed(&error))?;
        let mut child = Command::new(program)
            .args(["bench", "ragged-once"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A child that does not read says why itself.
            let _ = stdin.write_all(&job);
        }
        let done = child.wait_with_output().map_err(|error| failed(&error))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            let said = said.lines().last().unwrap_or_default();
            return Err(failed(&format!(
                "{} ({})",
                said.trim_start_matches("airda: "),
                done.status
            )));
        }
        serde_json::from_slice(&done.stdout).map_err(|error| failed(&error))
    }
}

/// The process's whole work.
pub(super) fn run() -> Result<(), Failure> {
    let unusable = |why: &dyn std::fmt::Display| Failure::unusable(format!("the job: {why}"));
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| unusable(&error))?;
    let job: Job = serde_json::from_str(&text).map_err(|error| unusable(&error))?;
    let variant = Variant::named(&job.strategy).ok_or_else(|| unusable(&"no such strategy"))?;
    let regions = Regions::new(job.num_calls).map_err(|reject| unusable(&reject))?;
    let batch = variant.batch(&regions);
    let spans = Spans::install()?;
    let checkpoints = checkpoints(job.checkpoints);
    let measured = match job.hash {
        HashWidth::W16 => measure::<16>(&batch, checkpoints, &spans),
        HashWidth::W24 => measure::<24>(&batch, checkpoints, &spans),
    };
    let sample =
        measured.map_err(|reject| Failure::unusable(format!("the proof is refused: {reject}")))?;
    let line = serde_json::to_string(&sample).map_err(|error| unusable(&error))?;
    output::print(&line)
}

/// Regions' inputs, call by call: noise that is always the same.
fn inputs<const T: usize>(regions: &Regions) -> Vec<Vec<[F; T]>> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut call = || std::array::from_fn(|_| rng.random());
    regions.num_calls().iter().map(|&calls| (0..calls).map(|_| call()).collect()).collect()
}

fn filler<const T: usize>(calls: &[Vec<[F; T]>]) -> impl Inputs<T> + '_ {
    move |region, chunk, columns| {
        for (row, call) in calls[region].iter().skip(chunk * CHUNK).take(CHUNK).enumerate() {
            for (column, &word) in columns.iter_mut().zip(call) {
                column[row] = word;
            }
        }
    }
}

fn measure<const T: usize>(
    batch: &Batch<'_>,
    checkpoints: Checkpoints,
    spans: &Spans,
) -> Result<Sample, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let calls = inputs::<T>(batch.regions);
    let mut channel = ProverChannel::new(DOMAIN);
    let outputs = OutputClaims::send(batch.regions, &filler(&calls), &mut channel);

    memory::forget_peak();
    let _ = spans.take();
    let start = Instant::now();
    let terminal = batch.prove_with(checkpoints, &filler(&calls), &outputs, &mut channel);
    let t_prove_s = start.elapsed().as_secs_f64();
    let phases = Phases::new(&spans.take());
    let peak_memory_bytes = memory::peak();
    let proof = channel.finish();

    let mut times = Vec::with_capacity(VERIFICATIONS);
    for _ in 0..VERIFICATIONS {
        let (verified, seconds) = verify(batch, &outputs, &proof)?;
        // Both sides run one transcript: a difference is a fault of this program.
        assert!(verified == terminal, "prover and verifier end with the same claims");
        times.push(seconds);
    }
    let start = Instant::now();
    discharge::directly(&terminal, batch.regions, &calls)?;
    let t_discharge_s = start.elapsed().as_secs_f64();
    let (claims, sent) = proof.split_at(outputs.values.len() * DEGREE * WORD_BYTES);
    let claims: [u8; 32] = Keccak256Hash.hash_iter(claims.iter().copied());
    Ok(Sample {
        t_prove_s,
        phases,
        t_verify_s: Spread::of(times.into_iter()).median,
        t_discharge_s,
        proof_bytes: sent.len(),
        peak_memory_bytes,
        claims: claims.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    })
}

/// The terminal claims, and the seconds from the output claims to them.
fn verify<const T: usize>(
    batch: &Batch<'_>,
    outputs: &OutputClaims,
    proof: &[u8],
) -> Result<(Terminal<T>, f64), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = VerifierChannel::new(DOMAIN, proof);
    let received = OutputClaims::receive(batch.regions, &mut channel)?;
    assert!(received == *outputs, "prover and verifier start from the same claims");
    let start = Instant::now();
    let terminal = batch.verify(&received, &mut channel)?;
    let seconds = start.elapsed().as_secs_f64();
    channel.finish()?;
    Ok((terminal, seconds))
}
