//! The result of `airda bench prove` for one number of rows.

use airda::proof::Verified;
use p3_maybe_rayon::prelude::current_num_threads;
use serde::Serialize;

use super::air::Air;
use super::gkr::Gkr;
use super::measure::{Prepared, Run, Series};
use super::spread::Spread;
use crate::cli::output::{Table, size};

/// Everything measured. The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) profile: String,
    pub(super) hash: &'static str,
    pub(super) proof_system: &'static str,
    pub(super) membership: &'static str,
    pub(super) rows: usize,
    pub(super) repeat: usize,
    pub(super) threads: usize,
    pub(super) payload_bytes: u64,
    pub(super) calls: usize,
    /// Encoding and committing, the native work that everything is compared with.
    pub(super) t_encode_commit_s: Spread,
    /// All from the commitment to the proof's bytes, but the preparation of an AIR's tables.
    pub(super) t_prove_s: Spread,
    /// T_prove to the encoding and committing of the same run.
    pub(super) prove_ratio: Spread,
    /// Of T_prove's median.
    pub(super) calls_per_s: f64,
    pub(super) t_verify_s: Spread,
    pub(super) proof_bytes: usize,
    /// Proven, all errors composed.
    pub(super) proof_security_bits: f64,
    /// None where the system does not tell.
    pub(super) peak_memory_bytes: Option<u64>,
    #[serde(flatten)]
    of_system: OfSystem,
}

/// What the proof system alone has.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum OfSystem {
    Gkr(Box<Gkr>),
    Air(Box<Air>),
}

/// A stage with its times and their ratios to encoding and committing.
pub(super) type Stage<'a> = (&'static str, &'a Spread, &'a Spread);

impl Measured {
    pub(super) fn new(
        series: &Series,
        runs: &[Run],
        prepared: Option<Prepared>,
        (verified, proof_bytes): (&Verified, usize),
        peak_memory_bytes: Option<u64>,
    ) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(time));
        let t_prove_s = of(&|run| run.prove);
        Self {
            profile: series.profile.to_string(),
            hash: series.params.hash().name(),
            proof_system: series.system.name(),
            membership: series.system.membership().name(),
            rows: series.params.rows(),
            repeat: runs.len(),
            threads: current_num_threads(),
            payload_bytes: series.params.payload_len(),
            calls: verified.calls,
            t_encode_commit_s: of(&|run| run.encode_commit),
            t_prove_s,
            prove_ratio: of(&|run| run.prove / run.encode_commit),
            calls_per_s: verified.calls as f64 / t_prove_s.median,
            t_verify_s: of(&|run| run.verify),
            proof_bytes,
            proof_security_bits: verified.security.proof_bits,
            peak_memory_bytes,
            of_system: match prepared {
                None => OfSystem::Gkr(Box::new(Gkr::new(series, runs, verified, proof_bytes))),
                Some(prepared) => OfSystem::Air(Box::new(Air::new(runs, prepared, verified))),
            },
        }
    }

    /// Whether it is of GKR proofs.
    pub(super) const fn is_gkr(&self) -> bool {
        matches!(self.of_system, OfSystem::Gkr(_))
    }

    /// The table: medians, ranges, ratios to encoding and committing.
    pub(super) fn table(&self) -> String {
        let mut table = Table::default();
        let runs = format!("medians of {} [min, max]", self.repeat);
        table
            .row(["profile", &self.profile, self.hash])
            .row(["proof system", self.proof_system])
            .row(["membership", &format!("by {}", self.membership)]);
        if let OfSystem::Gkr(gkr) = &self.of_system {
            table.row(["chain step", &gkr.chain_step.to_string()]);
        }
        table
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
        let stages = match &self.of_system {
            OfSystem::Gkr(gkr) => gkr.stages(),
            OfSystem::Air(air) => air.stages(),
        };
        for (name, time, ratio) in stages {
            line(name, time, Some(ratio));
        }
        line("encode + hash", &self.t_encode_commit_s, None);
        line("T_prove", &self.t_prove_s, Some(&self.prove_ratio));
        table.row(["calls a second", &format!("{:.0}", self.calls_per_s)]);
        if let OfSystem::Air(air) = &self.of_system {
            air.beside_proving(&mut table);
        }
        table.row([""]);
        let parts = match &self.of_system {
            OfSystem::Gkr(gkr) => gkr.verifying(),
            OfSystem::Air(air) => air.verifying(),
        };
        for (name, time) in parts.into_iter().chain([("T_verify", &self.t_verify_s)]) {
            let [median, range] = time.times();
            table.row([name, &median, &range]);
        }
        table.row([""]);
        if let OfSystem::Gkr(gkr) = &self.of_system {
            for (name, bytes) in gkr.parts() {
                table.row([name, &size(bytes as u64)]);
            }
        }
        let memory = self.peak_memory_bytes.map_or("not known on this system".to_owned(), size);
        table
            .row(["proof", &size(self.proof_bytes as u64)])
            .row(["proof security", &format!("{:.2} bits", self.proof_security_bits)]);
        if let OfSystem::Air(air) = &self.of_system {
            air.security(&mut table);
        }
        table.row(["peak memory", &memory]);
        match &self.of_system {
            OfSystem::Gkr(_) => table.render(4),
            OfSystem::Air(air) => format!("{}\n{}", table.render(4), air.tables()),
        }
    }
}
