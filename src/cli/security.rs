//! `airda security`: how secure proofs are, from their parameters alone.

use airda::proof::System;
use airda::security::{Line, Security, SecurityAssumption};
use airda::{Params, Profile};
use clap::Args;
use serde::Serialize;

use super::choice::Choice;
use super::failure::Failure;
use super::output::{Table, json, print};

/// The profile whose table is printed when none is named.
const DEFAULT: &str = "b2-c32-r14-w1";

/// What the columns mean.
const LEGEND: &str = "\
bits    -log2 of the error in one run, proofs of work counted, or of the work to break
        what stands beside the proof system
unique  the same for the same parameters, were the opening argued in unique decoding
list    the list sizes that an error is multiplied by, L in its formula
work    bits of proof of work, which the formula leaves out
|E|     2^154.94, the challenge field; WHIR's lines count 2^154";

/// What to compute the security of.
#[derive(Debug, Args)]
pub(super) struct SecurityArgs {
    /// bX-cY-rZ-wT or kK-cY-rZ-wT; -wT may be left out. Without it, b2-c32-r14-w1, and then a
    /// line for each known profile.
    #[arg(long, value_name = "P")]
    profile: Option<Profile>,
    #[command(flatten)]
    choice: Choice,
    /// Print one JSON object instead of the tables.
    #[arg(long)]
    json: bool,
}

/// Prints the table and the minimum.
pub(super) fn security(args: &SecurityArgs) -> Result<(), Failure> {
    let named = |name: &str| name.parse().map_err(|error| Failure::unusable(format!("{error}")));
    let profile = args.profile.map_or_else(|| named(DEFAULT), Ok)?;
    let budget = Budget::new(&profile, &args.choice)?;
    let known = match args.profile {
        Some(_) => Vec::new(),
        None => Profile::known()
            .map(|profile| Budget::new(&profile, &args.choice))
            .collect::<Result<_, _>>()?,
    };
    if args.json {
        let known = known.iter().map(Budget::summary).collect();
        return json(&budget.report(known));
    }
    let mut text = budget.table();
    if !known.is_empty() {
        text.push('\n');
        text.push_str(&summaries(&known));
    }
    print(&format!("{text}\n{LEGEND}"))
}

/// The security of a profile's proofs.
struct Budget {
    profile: Profile,
    params: Params,
    system: System,
    security: Security,
}

impl Budget {
    fn new(profile: &Profile, choice: &Choice) -> Result<Self, Failure> {
        let failed = |error| Failure::unusable(format!("profile {profile}: {error}"));
        if profile.rows().is_none() {
            return Err(Failure::unusable(format!("profile {profile}: say -rZ")));
        }
        // What the rows hold does not matter; every known profile carries a byte.
        let params =
            profile.params(choice.hash, 1).map_err(|error| Failure::unusable(error.to_string()))?;
        let system = choice.system(profile).map_err(failed)?;
        let security = Security::new(&params, &system).map_err(failed)?;
        Ok(Self { profile: *profile, params, system, security })
    }

    const fn regime(&self) -> &'static str {
        match self.security.proof.regime {
            SecurityAssumption::UniqueDecoding => "unique decoding",
            SecurityAssumption::JohnsonBound => "Johnson",
            SecurityAssumption::CapacityBound => "capacity",
        }
    }

    /// The whole table.
    fn table(&self) -> String {
        let Self { params, system, security, .. } = self;
        let (proof, parameters) = (&security.proof, system.parameters());
        let head = format!(
            "\
profile  {}, {}, membership by {}, chain step {}
proved   {} calls, committed to in 2^{} words
opening  entry {}: rate 2^-{}, {} regime, L = 2^{:.2}

",
            self.profile,
            params.hash().name(),
            system.membership().name(),
            system.chain_step().get(),
            params.calls(),
            proof.num_variables,
            parameters.id(),
            parameters.log_inv_rate(),
            self.regime(),
            proof.log2_list_size,
        );
        let mut table = Table::default();
        table.row(["", "bits", "unique", "list", "work", "error"]);
        let mut part = "";
        for line in proof.lines.iter().chain(&security.beside) {
            if part != line.part {
                part = &line.part;
                table.row([part]);
            }
            table.row([
                &format!("  {}", line.step),
                &bits(line.bits),
                &bits(line.unique_bits),
                &list(line),
                &work(line),
                &line.error,
            ]);
        }
        let least = security.overall_bits.min(proof.unique_decoding_bits);
        table
            .row([""])
            .row([
                "proof system",
                &bits(security.proof_bits),
                &bits(proof.unique_decoding_bits),
                "",
                "",
                "the sum of its errors",
            ])
            .row(["minimum", &bits(security.overall_bits), &bits(least), "", "", "of all of it"]);
        head + &table.render(5)
    }

    fn summary(&self) -> Summary {
        Summary {
            profile: self.profile.to_string(),
            calls: self.params.calls(),
            log2_words: self.security.proof.num_variables,
            proof_security_bits: self.security.proof_bits,
            unique_decoding_bits: self.security.proof.unique_decoding_bits,
            security_bits: self.security.overall_bits,
        }
    }

    fn report(&self, known: Vec<Summary>) -> Report<'_> {
        Report {
            summary: self.summary(),
            hash: self.params.hash().name(),
            membership: self.system.membership().name(),
            chain_step: self.system.chain_step().get(),
            entry: self.system.parameters().id(),
            regime: self.regime(),
            log2_list_size: self.security.proof.log2_list_size,
            lines: self.security.proof.lines.iter().map(Entry::new).collect(),
            beside: self.security.beside.iter().map(Entry::new).collect(),
            known,
        }
    }
}

/// A line for each profile.
fn summaries(known: &[Budget]) -> String {
    let mut table = Table::default();
    table.row(["profile", "calls", "words", "proof system", "unique", "minimum"]);
    for budget in known {
        let summary = budget.summary();
        table.row([
            &summary.profile,
            &summary.calls.to_string(),
            &format!("2^{}", summary.log2_words),
            &bits(summary.proof_security_bits),
            &bits(summary.unique_decoding_bits),
            &bits(summary.security_bits),
        ]);
    }
    table.render(6)
}

/// Bits, where there is an error.
fn bits(bits: f64) -> String {
    if bits.is_finite() { format!("{bits:.2}") } else { "none".to_owned() }
}

fn list(line: &Line) -> String {
    if line.log2_list > 0.0 { format!("2^{:.2}", line.log2_list) } else { "-".to_owned() }
}

fn work(line: &Line) -> String {
    if line.grinding > 0 { line.grinding.to_string() } else { "-".to_owned() }
}

/// The JSON object. Bits are null where nothing is lost.
#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: Summary,
    hash: &'static str,
    membership: &'static str,
    chain_step: usize,
    /// The opening's, in the table of proof systems.
    entry: u16,
    regime: &'static str,
    log2_list_size: f64,
    /// Of the proof system.
    lines: Vec<Entry<'a>>,
    beside: Vec<Entry<'a>>,
    /// Where no profile was named.
    #[serde(rename = "profiles", skip_serializing_if = "Vec::is_empty")]
    known: Vec<Summary>,
}

/// A profile's line.
#[derive(Debug, Serialize)]
struct Summary {
    profile: String,
    calls: usize,
    log2_words: usize,
    proof_security_bits: f64,
    unique_decoding_bits: f64,
    security_bits: f64,
}

/// An error's line.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    part: &'a str,
    step: &'a str,
    error: &'a str,
    bits: Option<f64>,
    unique_decoding_bits: Option<f64>,
    log2_list: f64,
    grinding_bits: usize,
}

impl<'a> Entry<'a> {
    fn new(line: &'a Line) -> Self {
        let lost = |bits: f64| bits.is_finite().then_some(bits);
        Self {
            part: &line.part,
            step: &line.step,
            error: &line.error,
            bits: lost(line.bits),
            unique_decoding_bits: lost(line.unique_bits),
            log2_list: line.log2_list,
            grinding_bits: line.grinding,
        }
    }
}
