//! `airda bench compare`: what is committed to natively, proved by GKR over WHIR and by AIR
//! tables over FRI.

use std::time::Instant;

use airda::proof::{self, ProofSystem, System, Verified};
use airda::{Block, Error, HashWidth, Params, Profile};
use clap::Args;
use p3_maybe_rayon::prelude::current_num_threads;
use serde::Serialize;

use super::measure::{Prepared, full, payload};
use super::spread::Spread;
use crate::cli::choice::{self, AirChoice};
use crate::cli::failure::Failure;
use crate::cli::inspect::air_system;
use crate::cli::memory;
use crate::cli::output::{Output, Table, json, seconds, size};

#[derive(Debug, Args)]
pub(in crate::cli) struct CompareArgs {
    /// bX-cY-rZ-wT or kK-cY-rZ-wT; -wT may be left out.
    #[arg(long, value_name = "P", default_value = "b2-c32-r14-w1")]
    profile: Profile,
    /// The hash of cells, rows and trees.
    #[arg(long, value_name = "H", default_value = HashWidth::W16.name(), value_parser = choice::hash())]
    hash: HashWidth,
    #[command(flatten)]
    air: AirChoice,
    /// Turns of which the median is reported, and the smallest and the largest.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(super) fn compare(args: &CompareArgs, output: &Output) -> Result<(), Failure> {
    let compared = run(args, output)?;
    if args.json { json(&compared) } else { output.say(&compared.table()) }
}

/// Everything measured. The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
struct Compared {
    profile: String,
    hash: &'static str,
    rows: usize,
    repeat: usize,
    threads: usize,
    payload_bytes: u64,
    calls: usize,
    native: Native,
    gkr: Proved,
    air: Proved,
    #[serde(skip)]
    air_system: String,
}

/// Encoding and committing.
#[derive(Debug, Serialize)]
struct Native {
    t_encode_commit_s: Spread,
    payload_mib_per_s: f64,
    calls_per_s: f64,
    /// In the first turn, before anything is proved; none where the system does not tell.
    peak_memory_bytes: Option<u64>,
    /// The commitment's.
    security_bits: f64,
}

/// A proof system's side.
#[derive(Debug, Serialize)]
struct Proved {
    membership: &'static str,
    /// Once a shape and process, and in no other time; none where there is nothing to prepare.
    t_prepare_s: Option<f64>,
    t_prove_s: Spread,
    /// To the encoding and committing of the same turn.
    prove_ratio: Spread,
    payload_mib_per_s: f64,
    calls_per_s: f64,
    t_verify_s: Spread,
    proof_bytes: usize,
    /// In the first turn, while preparing and proving, the block and what the process has not
    /// given back included; none where the system does not tell.
    peak_memory_bytes: Option<u64>,
    /// Proven, all errors composed.
    proof_security_bits: f64,
    /// Proven round by round, where that is told.
    proven_bits: Option<f64>,
    conjectured_bits: Option<f64>,
    /// The least of proof system and commitment.
    security_bits: f64,
}

/// A proof system in its turns.
struct Side {
    system: ProofSystem,
    prepare: Option<f64>,
    prove: Vec<f64>,
    verify: Vec<f64>,
    /// The last proof's length, and what its verifier told.
    told: Option<(usize, Verified)>,
    peak: Option<u64>,
}

impl Side {
    const fn new(system: ProofSystem) -> Self {
        Self {
            system,
            prepare: None,
            prove: Vec::new(),
            verify: Vec::new(),
            told: None,
            peak: None,
        }
    }

    /// Prepares, if there is something to prepare, proves and verifies.
    fn turn(&mut self, block: &Block) -> Result<(), Error> {
        let first = self.told.is_none();
        if first {
            memory::forget_peak();
            if let ProofSystem::Air(system) = &self.system {
                let prepared = Prepared::new(block.params(), system)?;
                self.prepare = Some(prepared.seconds);
            }
        }
        let start = Instant::now();
        let file = proof::prove(block, self.system)?;
        self.prove.push(start.elapsed().as_secs_f64());
        if first {
            self.peak = memory::peak();
        }
        let start = Instant::now();
        let verified = proof::verify(block.commitment(), &file)?;
        self.verify.push(start.elapsed().as_secs_f64());
        self.told = Some((file.len(), verified));
        Ok(())
    }

    /// The result, with the times of encoding and committing in the same turns; and how secure
    /// the commitment is.
    fn proved(self, params: &Params, commits: &[f64]) -> Option<(Proved, f64)> {
        let (proof_bytes, verified) = self.told?;
        let security = &verified.security;
        let air = security.proof.air();
        let commitment = security.beside.iter().find(|line| line.part == "commitment")?;
        let t_prove_s = Spread::of(self.prove.iter().copied());
        let ratios = self.prove.iter().zip(commits).map(|(prove, commit)| prove / commit);
        let proved = Proved {
            membership: self.system.membership().name(),
            t_prepare_s: self.prepare,
            t_prove_s,
            prove_ratio: Spread::of(ratios),
            payload_mib_per_s: mib_per_s(params, &t_prove_s),
            calls_per_s: params.calls() as f64 / t_prove_s.median,
            t_verify_s: Spread::of(self.verify.iter().copied()),
            proof_bytes,
            peak_memory_bytes: self.peak,
            proof_security_bits: security.proof_bits,
            proven_bits: air.map(|report| report.proven_bits()),
            conjectured_bits: air.map(|report| report.conjectured_bits()),
            security_bits: security.overall_bits,
        };
        Some((proved, commitment.bits))
    }
}

fn run(args: &CompareArgs, output: &Output) -> Result<Compared, Failure> {
    let profile = &args.profile;
    let failed = |error: Error| Failure::at(format!("profile {profile}"), &error);
    let Some(rows) = profile.rows() else {
        return Err(Failure::unusable(format!("profile {profile}: say -rZ")));
    };
    let params = full(profile, args.hash, rows)?;
    let gkr = System::for_rate(profile.log_inv_rate())
        .map_err(|error| Failure::unusable(format!("profile {profile}: {error}")))?;
    let air = args.air.system(profile)?;
    let payload = payload(&params);
    let repeat = args.repeat as usize;
    let bar = output.bar(repeat, "commit, prove and verify");
    let mut sides = [ProofSystem::from(&gkr), ProofSystem::from(&air)].map(Side::new);
    let (mut commits, mut native_peak) = (Vec::with_capacity(repeat), None);
    memory::forget_peak();
    for _ in 0..repeat {
        let start = Instant::now();
        let block = Block::build(params, &payload).map_err(failed)?;
        commits.push(start.elapsed().as_secs_f64());
        if native_peak.is_none() {
            native_peak = memory::peak();
        }
        for side in &mut sides {
            side.turn(&block).map_err(failed)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let [gkr, air_side] = sides.map(|side| side.proved(&params, &commits));
    let (Some((gkr, security_bits)), Some((air_side, _))) = (gkr, air_side) else {
        return Err(Failure::unusable("nothing was measured"));
    };
    let t_encode_commit_s = Spread::of(commits.iter().copied());
    Ok(Compared {
        profile: profile.with_rows_of(&params).to_string(),
        hash: params.hash().name(),
        rows: params.rows(),
        repeat,
        threads: current_num_threads(),
        payload_bytes: params.payload_len(),
        calls: params.calls(),
        native: Native {
            t_encode_commit_s,
            payload_mib_per_s: mib_per_s(&params, &t_encode_commit_s),
            calls_per_s: params.calls() as f64 / t_encode_commit_s.median,
            peak_memory_bytes: native_peak,
            security_bits,
        },
        gkr,
        air: air_side,
        air_system: air_system(&air),
    })
}

/// What is carried a second.
fn mib_per_s(params: &Params, time: &Spread) -> f64 {
    params.payload_len() as f64 / 1_048_576.0 / time.median
}

impl Compared {
    /// The table.
    fn table(&self) -> String {
        let Self { native, gkr, air, .. } = self;
        let mut table = Table::default();
        let none = "-".to_owned();
        let mut line = |name: &str, [a, b, c]: [&str; 3]| {
            table.row([name, a, b, c]);
        };
        let (payload, calls) = (size(self.payload_bytes), self.calls.to_string());
        line("", ["native", "gkr", "air"]);
        line("payload", [&payload; 3]);
        line("calls", [&calls; 3]);
        line("membership", ["-", gkr.membership, air.membership]);
        line("encode + commit", [&spread(&native.t_encode_commit_s), "-", "-"]);
        let mut both = |name: &str, native: &str, of: &dyn Fn(&Proved) -> String| {
            line(name, [native, &of(gkr), &of(air)]);
        };
        let dash = "-";
        both("prepare, once", dash, &|p| p.t_prepare_s.map_or_else(|| none.clone(), seconds));
        both("prove", dash, &|p| spread(&p.t_prove_s));
        both("prove to commit", dash, &|p| {
            let Spread { median, min, max } = p.prove_ratio;
            format!("{median:.2} x [{min:.2}, {max:.2}]")
        });
        let [mib, rate] =
            [|x: f64| format!("{x:.2}"), |x: f64| format!("{x:.0}")] as [fn(f64) -> String; 2];
        both("payload, MiB/s", &mib(native.payload_mib_per_s), &|p| mib(p.payload_mib_per_s));
        both("calls a second", &rate(native.calls_per_s), &|p| rate(p.calls_per_s));
        both("verify", dash, &|p| spread(&p.t_verify_s));
        both("proof", dash, &|p| size(p.proof_bytes as u64));
        let memory = |bytes: Option<u64>| bytes.map_or("not known".to_owned(), size);
        both("peak memory", &memory(native.peak_memory_bytes), &|p| memory(p.peak_memory_bytes));
        let bits = |bits: f64| format!("{bits:.2} bits");
        let told = |told: Option<f64>| told.map_or_else(|| none.clone(), bits);
        both("proven, composed", dash, &|p| bits(p.proof_security_bits));
        both("proven, round by round", dash, &|p| told(p.proven_bits));
        both("conjectured", dash, &|p| told(p.conjectured_bits));
        both("with the commitment", &bits(native.security_bits), &|p| bits(p.security_bits));
        format!(
            "\
{}{}, {}, {} threads, medians of {} turns [min, max]
native throughputs are those of encoding and committing
what is done once, for a shape and process, is in no other time, but in the memory
{}
",
            table.render(4),
            self.profile,
            self.hash,
            self.threads,
            self.repeat,
            self.air_system,
        )
    }
}

/// Median and range of times in one cell.
fn spread(spread: &Spread) -> String {
    let [median, range] = spread.times();
    format!("{median} {range}")
}
