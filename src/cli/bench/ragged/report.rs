//! The result of `airda bench ragged`.

use std::fs;

use airda::HashWidth;
use airda_gkr::batching::{Batch, Sent};
use airda_gkr::permutation::{Permutation, Poseidon2};
use p3_maybe_rayon::prelude::current_num_threads;
use serde::Serialize;

use super::RaggedArgs;
use super::once::{Checkpoint, Phases, Sample};
use super::regions::Chosen;
use super::variant::Variant;
use crate::cli::bench::spread::Spread;
use crate::cli::output::{Table, size};

/// One proof of the many, by its place.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) round: usize,
    pub(super) position: usize,
    /// Of the variant.
    pub(super) index: usize,
    pub(super) sample: Sample,
}

/// Everything measured. The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) version: &'static str,
    /// As given.
    pub(super) commit: Option<String>,
    /// The processor; none where the system does not tell.
    pub(super) machine: Option<String>,
    pub(super) threads: usize,
    pub(super) hash: &'static str,
    /// Of the rounds, traces keep every such one; all, where there is none.
    pub(super) checkpoints: Checkpoint,
    pub(super) regions: String,
    pub(super) num_calls: Vec<usize>,
    pub(super) calls: usize,
    pub(super) samples: usize,
    cooldown_s: u32,
    /// A digest of the output claims, which all strategies start from.
    claims: String,
    pub(super) strategies: Vec<Measured>,
}

/// A strategy among the others.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) strategy: &'static str,
    pub(super) physical_rows: usize,
    /// Physical rows without a call.
    pub(super) padded_rows: usize,
    t_prove_s: Spread,
    pub(super) calls_per_s: f64,
    pub(super) phases: PhaseSpreads,
    t_verify_s: Spread,
    t_discharge_s: Spread,
    pub(super) proof_bytes: usize,
    pub(super) elements: Elements,
    /// The largest of the samples.
    peak_memory_bytes: Option<u64>,
    /// None where Independent was left out.
    to_independent: Option<Ratios>,
    #[serde(rename = "samples")]
    pub(super) turns: Vec<Taken>,
}

/// Parts of t_prove_s, as in a sample.
#[derive(Debug, Serialize)]
pub(super) struct PhaseSpreads {
    pub(super) trace_s: Spread,
    pub(super) recompute_s: Spread,
    pub(super) full_rounds_s: Spread,
    pub(super) partial_rounds_s: Spread,
    /// t_prove_s without trace, full and partial rounds.
    pub(super) rest_s: Spread,
    pub(super) skip_messages_s: Spread,
    pub(super) folds_s: Spread,
    pub(super) sumcheck_rounds_s: Spread,
}

/// Elements sent, by what they are for.
#[derive(Debug, Serialize)]
pub(super) struct Elements {
    pub(super) skip_messages: usize,
    pub(super) outer_rounds: usize,
    pub(super) lane_rounds: usize,
    pub(super) ends: usize,
    pub(super) total: usize,
}

/// What is measured, to what was measured of Independent in the same round.
#[derive(Debug, Serialize)]
struct Ratios {
    prove: Spread,
    verify: Spread,
    bytes: f64,
}

/// A sample, and when it was taken.
#[derive(Debug, Serialize)]
pub(super) struct Taken {
    pub(super) round: usize,
    pub(super) position: usize,
    #[serde(flatten)]
    pub(super) sample: Sample,
}

impl Compared {
    pub(super) fn new(
        args: &RaggedArgs,
        chosen: &Chosen,
        variants: &[Variant],
        turns: &[Turn],
    ) -> Self {
        let of = |index: usize| -> Vec<&Turn> {
            // In the order of their rounds.
            turns.iter().filter(|turn| turn.index == index).collect()
        };
        let reference = variants.iter().position(Variant::is_reference).map(of);
        let strategies = variants.iter().enumerate().map(|(index, variant)| {
            let batch = variant.batch(&chosen.regions);
            Measured::new(variant.name, &batch, args.hash, &of(index), reference.as_deref())
        });
        let num_calls = chosen.regions.num_calls();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: args.commit.clone(),
            machine: machine(),
            threads: current_num_threads(),
            hash: args.hash.name(),
            checkpoints: args.checkpoints,
            regions: chosen.name.clone(),
            num_calls: num_calls.to_vec(),
            calls: num_calls.iter().sum(),
            samples: args.samples as usize,
            cooldown_s: args.cooldown,
            claims: turns.first().map(|turn| turn.sample.claims.clone()).unwrap_or_default(),
            strategies: strategies.collect(),
        }
    }

    /// The table.
    pub(super) fn table(&self) -> String {
        let mut table = Table::default();
        table.row([
            "strategy",
            "rows held",
            "prove",
            "[min, max]",
            "verify",
            "proof",
            "memory",
            "prove",
            "verify",
            "proof",
        ]);
        for measured in &self.strategies {
            let [prove, range] = measured.t_prove_s.times();
            let [verify, _] = measured.t_verify_s.times();
            let ratios = measured.to_independent.as_ref();
            let ratio = |of: fn(&Ratios) -> String| ratios.map_or("-".to_owned(), of);
            table.row([
                measured.strategy,
                &measured.physical_rows.to_string(),
                &prove,
                &range,
                &verify,
                &size(measured.proof_bytes as u64),
                &measured.peak_memory_bytes.map_or("-".to_owned(), size),
                &ratio(|ratios| ratios.prove.ratio()),
                &ratio(|ratios| ratios.verify.ratio()),
                &ratio(|ratios| format!("{:.2} x", ratios.bytes)),
            ]);
        }
        let kept = self
            .checkpoints
            .map_or_else(String::new, |every| format!(", traces of a round in {every}"));
        let words = self.strategies.iter().any(|m| m.strategy == Variant::RAGGED_WORDS.name);
        let words = if words {
            "ragged-words is ragged without the partial rounds' recurrence\n"
        } else {
            ""
        };
        format!(
            "\
{}{}: {} calls in {} regions, {}, {} threads{kept}
medians of {} [min, max], each proof in a process of its own; the last three columns are
medians of the ratios to independent in the same round; every proof was verified and its
terminal claims discharged against the inputs
{words}",
            table.render(10),
            self.regions,
            self.calls,
            self.num_calls.len(),
            self.hash,
            self.threads,
            self.samples,
        )
    }
}

impl Measured {
    fn new(
        strategy: &'static str,
        batch: &Batch<'_>,
        hash: HashWidth,
        turns: &[&Turn],
        reference: Option<&[&Turn]>,
    ) -> Self {
        let of =
            |time: &dyn Fn(&Sample) -> f64| Spread::of(turns.iter().map(|turn| time(&turn.sample)));
        let phase = |time: fn(&Phases) -> f64| of(&|sample| time(&sample.phases));
        let ratios = reference.map(|reference| {
            let ratio = |of: fn(&Sample) -> f64| {
                let pairs = turns.iter().zip(reference);
                Spread::of(pairs.map(|(turn, by)| of(&turn.sample) / of(&by.sample)))
            };
            Ratios {
                prove: ratio(|sample| sample.t_prove_s),
                verify: ratio(|sample| sample.t_verify_s),
                bytes: ratio(|sample| sample.proof_bytes as f64).median,
            }
        });
        let calls: usize = batch.regions.num_calls().iter().sum();
        let t_prove_s = of(&|sample| sample.t_prove_s);
        let physical_rows = batch.physical_rows();
        Self {
            strategy,
            physical_rows,
            padded_rows: physical_rows - calls,
            t_prove_s,
            calls_per_s: calls as f64 / t_prove_s.median,
            phases: PhaseSpreads {
                trace_s: phase(|phases| phases.trace_s),
                recompute_s: phase(|phases| phases.recompute_s),
                full_rounds_s: phase(|phases| phases.full_rounds_s),
                partial_rounds_s: phase(|phases| phases.partial_rounds_s),
                rest_s: of(&|sample| {
                    let Phases { trace_s, full_rounds_s, partial_rounds_s, .. } = sample.phases;
                    sample.t_prove_s - trace_s - full_rounds_s - partial_rounds_s
                }),
                skip_messages_s: phase(|phases| phases.skip_messages_s),
                folds_s: phase(|phases| phases.folds_s),
                sumcheck_rounds_s: phase(|phases| phases.sumcheck_rounds_s),
            },
            t_verify_s: of(&|sample| sample.t_verify_s),
            t_discharge_s: of(&|sample| sample.t_discharge_s),
            proof_bytes: turns.first().map_or(0, |turn| turn.sample.proof_bytes),
            elements: match hash {
                HashWidth::W16 => Elements::of::<16>(batch),
                HashWidth::W24 => Elements::of::<24>(batch),
            },
            peak_memory_bytes: turns.iter().filter_map(|turn| turn.sample.peak_memory_bytes).max(),
            to_independent: ratios,
            turns: turns
                .iter()
                .map(|turn| Taken {
                    round: turn.round,
                    position: turn.position,
                    sample: turn.sample.clone(),
                })
                .collect(),
        }
    }
}

impl Elements {
    fn of<const T: usize>(batch: &Batch<'_>) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let sent = batch.sent::<T>();
        let Sent { skip, outer, lanes, ends } = sent;
        Self {
            skip_messages: skip,
            outer_rounds: outer,
            lane_rounds: lanes,
            ends,
            total: sent.total(),
        }
    }
}

/// The processor's name, as Linux tells it.
fn machine() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start().strip_prefix(':')?.trim().to_owned())
}
