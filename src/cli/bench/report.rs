//! The result of `airda bench prove` for one number of rows.

use airda::proof::Verified;
use p3_maybe_rayon::prelude::current_num_threads;
use serde::Serialize;

use super::measure::{Run, Series};
use super::spread::Spread;
use crate::cli::output::{Table, size};

/// Everything measured. The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) profile: String,
    pub(super) hash: &'static str,
    pub(super) membership: &'static str,
    pub(super) chain_step: usize,
    pub(super) rows: usize,
    pub(super) repeat: usize,
    pub(super) threads: usize,
    pub(super) payload_bytes: u64,
    pub(super) calls: usize,
    /// Encoding and committing, the native work that everything is compared with.
    pub(super) t_encode_commit_s: Spread,
    pub(super) stages: Stages,
    /// All from the commitment to the proof's bytes.
    pub(super) t_prove_s: Spread,
    /// T_prove to the encoding and committing of the same run.
    pub(super) prove_ratio: Spread,
    /// The same for each stage.
    pub(super) stage_ratios: Stages,
    /// Of T_prove's median.
    pub(super) calls_per_s: f64,
    pub(super) verify: Verify,
    pub(super) t_verify_s: Spread,
    pub(super) proof_bytes: usize,
    pub(super) proof_parts: Parts,
    pub(super) proof_security_bits: f64,
    /// None where the system does not tell.
    pub(super) peak_memory_bytes: Option<u64>,
}

/// The builder's stages. The first two are the native work, the others are parts of T_prove.
#[derive(Debug, Serialize)]
pub(super) struct Stages {
    encode: Spread,
    hash: Spread,
    membership: Spread,
    whir_commit: Spread,
    witness: Spread,
    walk: Spread,
    form: Spread,
    whir_open: Spread,
    /// T_prove without the stages named.
    rest: Spread,
}

/// The verifier's parts, and what is left of the whole.
#[derive(Debug, Serialize)]
pub(super) struct Verify {
    membership: Spread,
    walk: Spread,
    form: Spread,
    opening: Spread,
    rest: Spread,
}

/// Bytes of the proof's parts; together they are the proof.
#[derive(Debug, Serialize)]
pub(super) struct Parts {
    commitment: usize,
    walk: usize,
    form: usize,
    opening: usize,
    envelope: usize,
}

/// Stages of T_prove, by span.
const PROVING: [&str; 6] = [
    "das.membership",
    "whir.commit",
    "gkr.walk.trace",
    "gkr.walk.prove",
    "gkr.form.prove",
    "whir.open",
];
/// Merges between the walks of a longer chain step, counted with them.
const MERGES: &str = "gkr.levels.merge";
/// Parts of verification, by span.
const VERIFYING: [&str; 4] =
    ["das.membership", "gkr.walk.verify", "gkr.form.verify", "whir.verify"];

impl Stages {
    /// Of every run, divided by `unit` of it.
    fn of(runs: &[Run], unit: impl Fn(&Run) -> f64) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(|r| time(r) / unit(r)));
        let span = |name: &str| of(&|run| run.building.get(name));
        let merges = |run: &Run| run.building.get(MERGES);
        let named = |run: &Run| {
            merges(run) + PROVING.iter().map(|name| run.building.get(name)).sum::<f64>()
        };
        let [membership, whir_commit, witness, _, form, whir_open] = PROVING.map(span);
        let walk = of(&|run| merges(run) + run.building.get("gkr.walk.prove"));
        Self {
            encode: span("das.encode"),
            hash: span("das.commit"),
            membership,
            whir_commit,
            witness,
            walk,
            form,
            whir_open,
            rest: of(&|run| run.prove - named(run)),
        }
    }

    fn named(&self) -> [(&'static str, &Spread); 9] {
        [
            ("encode", &self.encode),
            ("hash", &self.hash),
            ("membership", &self.membership),
            ("WHIR commit", &self.whir_commit),
            ("witness", &self.witness),
            ("walk", &self.walk),
            ("linear form", &self.form),
            ("WHIR open", &self.whir_open),
            ("rest", &self.rest),
        ]
    }
}

impl Measured {
    pub(super) fn new(
        series: &Series,
        runs: &[Run],
        verified: &Verified,
        proof_bytes: usize,
        peak_memory_bytes: Option<u64>,
    ) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(time));
        let [membership, walk, form, opening] =
            VERIFYING.map(|name| of(&|run| run.verifying.get(name)));
        let named = |run: &Run| VERIFYING.iter().map(|name| run.verifying.get(name)).sum::<f64>();
        let sizes = verified.sizes;
        let inside = sizes.commitment + sizes.walk + sizes.form + sizes.opening;
        let t_prove_s = of(&|run| run.prove);
        Self {
            profile: series.profile.to_string(),
            hash: series.params.hash().name(),
            membership: series.system.membership().name(),
            chain_step: series.system.chain_step().get(),
            rows: series.params.rows(),
            repeat: runs.len(),
            threads: current_num_threads(),
            payload_bytes: series.params.payload_len(),
            calls: verified.calls,
            t_encode_commit_s: of(&|run| run.encode_commit),
            stages: Stages::of(runs, |_| 1.0),
            t_prove_s,
            prove_ratio: of(&|run| run.prove / run.encode_commit),
            stage_ratios: Stages::of(runs, |run| run.encode_commit),
            calls_per_s: verified.calls as f64 / t_prove_s.median,
            verify: Verify {
                membership,
                walk,
                form,
                opening,
                rest: of(&|run| run.verify - named(run)),
            },
            t_verify_s: of(&|run| run.verify),
            proof_bytes,
            proof_parts: Parts {
                commitment: sizes.commitment,
                walk: sizes.walk,
                form: sizes.form,
                opening: sizes.opening,
                envelope: proof_bytes - inside,
            },
            proof_security_bits: verified.security.proof_bits,
            peak_memory_bytes,
        }
    }

    /// The table: medians, ranges, ratios to encoding and committing.
    pub(super) fn table(&self) -> String {
        let mut table = Table::default();
        let runs = format!("medians of {} [min, max]", self.repeat);
        table
            .row(["profile", &self.profile, self.hash])
            .row(["membership", &format!("by {}", self.membership)])
            .row(["chain step", &self.chain_step.to_string()])
            .row(["payload", &size(self.payload_bytes)])
            .row(["calls proved", &self.calls.to_string()])
            .row(["threads", &self.threads.to_string()])
            .row([""])
            .row(["stage", "time", &runs, "to encode + hash"]);
        let mut line = |name: &str, time: &Spread, ratio: Option<&Spread>| {
            let [median, range] = time.times();
            let ratio = ratio.map(Spread::ratio).unwrap_or_default();
            table.row([name, &median, &range, &ratio]);
        };
        let ratios = self.stage_ratios.named().map(|(_, ratio)| ratio);
        for ((name, time), ratio) in self.stages.named().into_iter().zip(ratios) {
            line(name, time, Some(ratio));
        }
        line("encode + hash", &self.t_encode_commit_s, None);
        line("T_prove", &self.t_prove_s, Some(&self.prove_ratio));
        table.row(["calls a second", &format!("{:.0}", self.calls_per_s)]).row([""]);
        let mut line = |name: &str, time: &Spread| {
            let [median, range] = time.times();
            table.row([name, &median, &range]);
        };
        line("verify membership", &self.verify.membership);
        line("verify walk", &self.verify.walk);
        line("verify linear form", &self.verify.form);
        line("verify opening", &self.verify.opening);
        line("verify, rest", &self.verify.rest);
        line("T_verify", &self.t_verify_s);
        let parts = &self.proof_parts;
        let bytes = |bytes: usize| size(bytes as u64);
        let memory = self.peak_memory_bytes.map_or("not known on this system".to_owned(), size);
        table
            .row([""])
            .row(["proof: commitment", &bytes(parts.commitment)])
            .row(["proof: walk", &bytes(parts.walk)])
            .row(["proof: linear form", &bytes(parts.form)])
            .row(["proof: opening", &bytes(parts.opening)])
            .row(["proof: envelope", &bytes(parts.envelope)])
            .row(["proof", &bytes(self.proof_bytes)])
            .row(["proof security", &format!("{:.2} bits", self.proof_security_bits)])
            .row(["peak memory", &memory]);
        table.render(4)
    }
}
