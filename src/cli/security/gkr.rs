//! The security of GKR proofs over WHIR.

use airda::proof::System;
use airda::security::{Line, Security, SecurityAssumption};
use serde::Serialize;

use super::{Case, Entry, bits};
use crate::cli::choice::{Choice, Kind};
use crate::cli::failure::Failure;
use crate::cli::output::{Table, json};

/// The security of a profile's proofs.
pub(super) struct Budget {
    case: Case,
    system: System,
    security: Security,
}

impl Budget {
    fn gkr(&self) -> &airda::security::Report {
        self.security.proof.gkr().expect("a GKR proof system")
    }

    fn regime(&self) -> &'static str {
        match self.gkr().regime {
            SecurityAssumption::UniqueDecoding => "unique decoding",
            SecurityAssumption::JohnsonBound => "Johnson",
            SecurityAssumption::CapacityBound => "capacity",
        }
    }

    fn summary(&self) -> Summary {
        Summary {
            profile: self.case.profile.to_string(),
            calls: self.case.params.calls(),
            log2_words: self.gkr().num_variables,
            proof_security_bits: self.security.proof_bits,
            unique_decoding_bits: self.gkr().unique_decoding_bits,
            security_bits: self.security.overall_bits,
        }
    }

    fn report(&self, known: Vec<Summary>) -> Report<'_> {
        Report {
            summary: self.summary(),
            hash: self.case.params.hash().name(),
            proof_system: Kind::Gkr.name(),
            membership: self.system.membership().name(),
            chain_step: self.system.chain_step().get(),
            entry: self.system.parameters().id(),
            regime: self.regime(),
            log2_list_size: self.gkr().log2_list_size,
            lines: self.gkr().lines.iter().map(Entry::new).collect(),
            beside: self.security.beside.iter().map(Entry::new).collect(),
            known,
        }
    }
}

impl super::Budget for Budget {
    const LEGEND: &str = "\
bits    -log2 of the error in one run, proofs of work counted, or of the work to break
        what stands beside the proof system
unique  the same for the same parameters, were the opening argued in unique decoding
list    the list sizes that an error is multiplied by, L in its formula
work    bits of proof of work, which the formula leaves out
|E|     2^154.94, the challenge field; WHIR's lines count 2^154";

    fn new(case: Case, choice: &Choice) -> Result<Self, Failure> {
        let system = choice.gkr(&case.profile)?;
        let security = case.security(&system)?;
        Ok(Self { case, system, security })
    }

    fn table(&self) -> Result<String, Failure> {
        let Self { case: Case { profile, params }, system, security } = self;
        let (proof, parameters) = (self.gkr(), system.parameters());
        let head = format!(
            "\
profile  {}, {}, membership by {}, chain step {}
proved   {} calls, committed to in 2^{} words
opening  entry {}: rate 2^-{}, {} regime, L = 2^{:.2}

",
            profile,
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
                // The parts of the proof system with their sums.
                let of_part = || proof.lines.iter().filter(|line| line.part == part);
                match of_part().next() {
                    Some(_) => table.row([
                        part,
                        &bits(sum(of_part(), |line| line.bits)),
                        &bits(sum(of_part(), |line| line.unique_bits)),
                    ]),
                    None => table.row([part]),
                };
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
        Ok(head + &table.render(5))
    }

    fn summaries(known: &[Self]) -> String {
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

    fn json(&self, known: &[Self]) -> Result<(), Failure> {
        json(&self.report(known.iter().map(Self::summary).collect()))
    }
}

/// −log2 of a sum of errors.
fn sum<'a>(lines: impl Iterator<Item = &'a Line>, bits: fn(&Line) -> f64) -> f64 {
    -lines.map(|line| (-bits(line)).exp2()).sum::<f64>().log2()
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
    proof_system: &'static str,
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
