//! The security of AIR proofs over FRI.

use airda::proof::air::{Description, System, describe};
use airda::security::{AirReport, Line, Security};
use airda_air::security::{HASH_BITS, Regime, Term};
use serde::Serialize;

use super::{Case, Entry, bits};
use crate::cli::choice::{Choice, Kind};
use crate::cli::failure::Failure;
use crate::cli::inspect::air_system;
use crate::cli::output::{Table, json, size};

/// The security of a profile's proofs.
pub(super) struct Budget {
    case: Case,
    system: System,
    security: Security,
    tables: Description,
}

impl Budget {
    fn of(case: Case, system: System) -> Result<Self, Failure> {
        let security = case.security(&system)?;
        let tables = describe(&case.params, &system).map_err(|error| case.failed(&error))?;
        Ok(Self { case, system, security, tables })
    }

    fn air(&self) -> &AirReport {
        self.security.proof.air().expect("an AIR proof system")
    }

    /// The same block by the entries that there are for its rate, the chosen one among them.
    fn entries(&self) -> Result<Vec<Self>, Failure> {
        let rate = self.case.profile.log_inv_rate();
        let systems = [System::for_rate(rate), System::strong_for_rate(rate)];
        let of = |system: Result<System, airda::Error>| {
            let system = system.map_err(|error| self.case.failed(&error))?;
            Self::of(self.case, system)
        };
        systems.into_iter().map(of).collect()
    }

    /// The regimes, in the order of the table's columns.
    fn regimes(&self) -> [Option<&Regime>; 4] {
        let AirReport { unique, list, list_composed, conjectured } = self.air();
        [Some(unique), list.as_ref(), list_composed.as_ref(), Some(conjectured)]
    }

    /// What is proved, and how.
    fn head(&self) -> String {
        let heights = self.tables.tables.iter().map(|table| 1usize << table.shape.log_height);
        let heights: Vec<String> = heights.map(|height| height.to_string()).collect();
        format!(
            "\
profile  {}, {}, membership by vector
proved   {} calls, in tables of {} rows
opening  {}

",
            self.case.profile,
            self.case.params.hash().name(),
            self.case.params.calls(),
            heights.join(", "),
            air_system(&self.system),
        )
    }

    /// Terms by regimes, and what stands beside them.
    fn terms(&self) -> String {
        let mut table = Table::default();
        let regimes = self.regimes();
        let list = |regime: Option<&Regime>| match regime.and_then(|regime| regime.m) {
            Some(m) => format!("list, m = {m}"),
            None => "list".to_owned(),
        };
        let [_, best, best_composed, _] = regimes;
        table.row(["", "unique", &list(best), &list(best_composed), "conjectured"]);
        let mut line = |name: &str, of: &dyn Fn(&Regime) -> Option<f64>, remark: &str| {
            let cell = |regime: Option<&Regime>| regime.and_then(of).map_or("-".to_owned(), bits);
            let [a, b, c, d] = regimes.map(cell);
            table.row([name, &a, &b, &c, &d, remark]);
        };
        for Term { name, .. } in &self.air().conjectured.terms {
            let of = |regime: &Regime| {
                regime.terms.iter().find(|term| term.name == *name).map(|term| term.bits)
            };
            line(&format!("  {name}"), &of, "");
        }
        let least = format!("the least of them and the hash's {HASH_BITS}");
        line("round by round", &|regime| Some(regime.bits), &least);
        line(
            "composed",
            &|regime| Some(regime.composed_bits),
            "the sum of the errors of all draws",
        );
        table.row([""]);
        let mut part = "";
        for Line { part: of, step, error, bits: lost, .. } in &self.security.beside {
            if part != of {
                table.row([of]);
                part = of;
            }
            table.row([&format!("  {step}"), &bits(*lost), "", "", "", error]);
        }
        let air = self.air();
        table
            .row([""])
            .row([
                "proven",
                &bits(air.proven_bits()),
                "",
                "",
                "",
                "round by round, the better of unique and list",
            ])
            .row([
                "proof system",
                &bits(self.security.proof_bits),
                "",
                "",
                "",
                "proven, composed, no more than the hash's",
            ])
            .row(["minimum", &bits(self.security.overall_bits), "", "", "", "of all of it"]);
        table.render(5)
    }

    fn summary(&self) -> Summary {
        Summary {
            profile: self.case.profile.to_string(),
            calls: self.case.params.calls(),
            log2_rows: self.tables.tables.iter().map(|t| t.shape.log_height).max().unwrap_or(0),
            proven_bits: self.air().proven_bits(),
            proof_security_bits: self.security.proof_bits,
            conjectured_bits: self.air().conjectured_bits(),
            security_bits: self.security.overall_bits,
        }
    }

    fn cost(&self) -> Cost {
        let parameters = self.system.parameters();
        let (_, proof_bytes_at_most) = self.tables.proof_bytes;
        Cost {
            entry: self.system.id(),
            queries: parameters.num_queries(),
            query_grinding_bits: parameters.query_pow_bits(),
            batch_grinding_bits: parameters.batch_pow_bits(),
            proof_bytes_at_most,
            proven_bits: self.air().proven_bits(),
            proof_security_bits: self.security.proof_bits,
            conjectured_bits: self.air().conjectured_bits(),
            security_bits: self.security.overall_bits,
        }
    }
}

impl super::Budget for Budget {
    const LEGEND: &str = "\
bits        -log2 of the error of the worst draw of each kind, proofs of work counted, or of
            the work to break what stands beside the proof system
unique      proven in unique decoding
list        proven in list decoding up to the Johnson radius, at the m that is best round by
            round and at the one that is best composed
conjectured queries up to near capacity (ePrint 2025/2010)
|E|         2^154.94, the challenge field; the terms count 2^154";

    fn new(case: Case, choice: &Choice) -> Result<Self, Failure> {
        let system = choice.air()?.system(&case.profile)?;
        Self::of(case, system)
    }

    fn table(&self) -> Result<String, Failure> {
        let mut table = Table::default();
        table.row([
            "entry",
            "queries",
            "work",
            "proven",
            "proof system",
            "conjectured",
            "minimum",
            "bytes at most",
        ]);
        for entry in self.entries()? {
            let cost = entry.cost();
            table.row([
                &cost.entry.to_string(),
                &cost.queries.to_string(),
                &format!("{} + {}", cost.query_grinding_bits, cost.batch_grinding_bits),
                &bits(cost.proven_bits),
                &bits(cost.proof_security_bits),
                &bits(cost.conjectured_bits),
                &bits(cost.security_bits),
                &size(cost.proof_bytes_at_most as u64),
            ]);
        }
        Ok(format!("{}{}\n{}", self.head(), self.terms(), table.render(8)))
    }

    fn summaries(known: &[Self]) -> String {
        let mut table = Table::default();
        table.row(["profile", "calls", "rows", "proven", "proof system", "conjectured", "minimum"]);
        for budget in known {
            let summary = budget.summary();
            table.row([
                &summary.profile,
                &summary.calls.to_string(),
                &format!("2^{}", summary.log2_rows),
                &bits(summary.proven_bits),
                &bits(summary.proof_security_bits),
                &bits(summary.conjectured_bits),
                &bits(summary.security_bits),
            ]);
        }
        table.render(7)
    }

    fn json(&self, known: &[Self]) -> Result<(), Failure> {
        let regimes = ["unique", "list", "list_composed", "conjectured"];
        let regimes = regimes.into_iter().zip(self.regimes());
        let entries = self.entries()?;
        json(&Report {
            summary: self.summary(),
            hash: self.case.params.hash().name(),
            proof_system: Kind::Air.name(),
            membership: "vector",
            entry: self.system.id(),
            log_inv_rate: self.system.parameters().log_blowup(),
            regimes: regimes
                .filter_map(|(name, regime)| Some(RegimeEntry::new(name, regime?)))
                .collect(),
            beside: self.security.beside.iter().map(Entry::new).collect(),
            entries: entries.iter().map(Self::cost).collect(),
            known: known.iter().map(Self::summary).collect(),
        })
    }
}

/// The JSON object.
#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: Summary,
    hash: &'static str,
    proof_system: &'static str,
    membership: &'static str,
    /// As files name it.
    entry: u16,
    log_inv_rate: usize,
    /// Of the proof system.
    regimes: Vec<RegimeEntry>,
    beside: Vec<Entry<'a>>,
    /// All entries of the rate.
    entries: Vec<Cost>,
    /// Where no profile was named.
    #[serde(rename = "profiles", skip_serializing_if = "Vec::is_empty")]
    known: Vec<Summary>,
}

/// A profile's line.
#[derive(Debug, Serialize)]
struct Summary {
    profile: String,
    calls: usize,
    /// Of the tallest table.
    log2_rows: usize,
    /// Round by round.
    proven_bits: f64,
    /// Composed.
    proof_security_bits: f64,
    conjectured_bits: f64,
    security_bits: f64,
}

/// What an entry costs and gives.
#[derive(Debug, Serialize)]
struct Cost {
    entry: u16,
    queries: usize,
    query_grinding_bits: usize,
    batch_grinding_bits: usize,
    proof_bytes_at_most: usize,
    proven_bits: f64,
    proof_security_bits: f64,
    conjectured_bits: f64,
    security_bits: f64,
}

/// A regime's terms.
#[derive(Debug, Serialize)]
struct RegimeEntry {
    name: &'static str,
    m: Option<usize>,
    bits: f64,
    composed_bits: f64,
    terms: Vec<TermEntry>,
}

/// A term: its worst draw, and all draws.
#[derive(Debug, Serialize)]
struct TermEntry {
    name: &'static str,
    bits: f64,
    all_bits: f64,
}

impl RegimeEntry {
    fn new(name: &'static str, regime: &Regime) -> Self {
        let term = |&Term { name, bits, all_bits }: &Term| TermEntry { name, bits, all_bits };
        Self {
            name,
            m: regime.m,
            bits: regime.bits,
            composed_bits: regime.composed_bits,
            terms: regime.terms.iter().map(term).collect(),
        }
    }
}
