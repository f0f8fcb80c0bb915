//! `airda security`: how secure proofs are, from their parameters alone.

mod air;
mod gkr;

use airda::proof::ProofSystem;
use airda::security::{Line, Security};
use airda::{Error, Params, Profile};
use clap::Args;
use serde::Serialize;

use super::choice::{Choice, Kind};
use super::failure::Failure;
use super::output::print;

/// The profile whose table is printed when none is named.
const DEFAULT: &str = "b2-c32-r14-w1";

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
    match args.choice.proof_system {
        Kind::Gkr => tell::<gkr::Budget>(args),
        Kind::Air => tell::<air::Budget>(args),
    }
}

/// The security of a profile's proofs, by one of the proof systems.
trait Budget: Sized {
    /// What the columns mean.
    const LEGEND: &str;

    fn new(case: Case, choice: &Choice) -> Result<Self, Failure>;

    /// The whole table.
    fn table(&self) -> Result<String, Failure>;

    /// A line for each profile.
    fn summaries(known: &[Self]) -> String;

    /// Prints all of it as one JSON object.
    fn json(&self, known: &[Self]) -> Result<(), Failure>;
}

fn tell<B: Budget>(args: &SecurityArgs) -> Result<(), Failure> {
    args.choice.admit()?;
    let of = |profile: Profile| B::new(Case::new(profile, &args.choice)?, &args.choice);
    let default = || DEFAULT.parse().map_err(|error| Failure::unusable(format!("{error}")));
    let budget = of(args.profile.map_or_else(default, Ok)?)?;
    let known = match args.profile {
        Some(_) => Vec::new(),
        None => Profile::known().map(of).collect::<Result<Vec<_>, _>>()?,
    };
    if args.json {
        return budget.json(&known);
    }
    let mut text = budget.table()?;
    if !known.is_empty() {
        text.push('\n');
        text.push_str(&B::summaries(&known));
    }
    print(&format!("{text}\n{}", B::LEGEND))
}

/// What is proved.
#[derive(Clone, Copy)]
struct Case {
    profile: Profile,
    params: Params,
}

impl Case {
    fn new(profile: Profile, choice: &Choice) -> Result<Self, Failure> {
        if profile.rows().is_none() {
            return Err(Failure::unusable(format!("profile {profile}: say -rZ")));
        }
        // What the rows hold does not matter; every known profile carries a byte.
        let params = profile.params(choice.hash, 1);
        let params = params.map_err(|error| Failure::unusable(error.to_string()))?;
        Ok(Self { profile, params })
    }

    /// The security of proofs by that system.
    fn security(&self, system: impl Into<ProofSystem>) -> Result<Security, Failure> {
        Security::new(&self.params, system).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &Error) -> Failure {
        Failure::unusable(format!("profile {}: {error}", self.profile))
    }
}

/// Bits, where there is an error.
fn bits(bits: f64) -> String {
    if bits.is_finite() { format!("{bits:.2}") } else { "none".to_owned() }
}

/// An error's line in JSON. Bits are null where nothing is lost.
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
