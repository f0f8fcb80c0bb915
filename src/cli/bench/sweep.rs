//! The result of `airda bench prove` over a range of numbers of rows, and the bounds that the
//! cost of a row has to keep.

use serde::Serialize;

use super::report::Measured;
use crate::cli::output::{Table, size};

/// T(n)/T(n−1) may be this, whatever n.
const STEP: f64 = 1.3;
/// Or this times n/(n−1).
const STEP_BY_ROWS: f64 = 1.15;
/// Rows from which on the cost per row is bounded.
const FROM_ROWS: usize = 8;
/// The cost per row to the lowest one.
const COST: f64 = 1.35;
/// Bytes of a GKR proof.
const PROOF: usize = 450 << 10;

/// All measurements, by growing number of rows, and what they say together.
#[derive(Debug, Serialize)]
pub(super) struct Sweep {
    rows: Vec<Line>,
    /// None where nothing was measured that the bound speaks of.
    step_bound_holds: Option<bool>,
    cost_bound_holds: Option<bool>,
    /// None for AIR proofs: they have no such bound.
    proof_bound_holds: Option<bool>,
}

/// One number of rows among the others.
#[derive(Debug, Serialize)]
struct Line {
    /// T(n)/T(n−1), of medians.
    step: Option<f64>,
    step_allowed: Option<f64>,
    /// T(n)/n to the lowest from 8 rows on.
    cost_per_row: Option<f64>,
    #[serde(flatten)]
    measured: Measured,
}

impl Sweep {
    pub(super) fn new(measured: Vec<Measured>) -> Self {
        let time = |m: &Measured| m.t_prove_s.median;
        let cost = |m: &Measured| time(m) / m.rows as f64;
        let large = measured.iter().filter(|m| m.rows >= FROM_ROWS);
        let lowest = large.map(cost).min_by(f64::total_cmp);
        let mut before: Option<f64> = None;
        let mut lines = Vec::with_capacity(measured.len());
        for measured in measured {
            let n = measured.rows as f64;
            let last = before.replace(time(&measured));
            lines.push(Line {
                step: last.map(|last| time(&measured) / last),
                step_allowed: last.map(|_| STEP.max(STEP_BY_ROWS * n / (n - 1.0))),
                cost_per_row: lowest.map(|lowest| cost(&measured) / lowest),
                measured,
            });
        }
        let all = |kept: &dyn Fn(&Line) -> Option<bool>| {
            lines.iter().filter_map(kept).reduce(|all, kept| all && kept)
        };
        Self {
            step_bound_holds: all(&Line::keeps_step),
            cost_bound_holds: all(&Line::keeps_cost),
            proof_bound_holds: all(&Line::keeps_proof),
            rows: lines,
        }
    }

    /// The table, and in the end a line for each bound.
    pub(super) fn table(&self) -> String {
        let mut table = Table::default();
        let [repeat, threads] =
            self.rows.first().map_or([0, 0], |line| [line.measured.repeat, line.measured.threads]);
        table.row([
            "profile",
            "T_prove",
            "[min, max]",
            "to n-1",
            "allowed",
            "row cost",
            "proof",
            "memory",
        ]);
        for line in &self.rows {
            let measured = &line.measured;
            let number = |value: Option<f64>| value.map_or("-".to_owned(), |x| format!("{x:.3}"));
            let [median, range] = measured.t_prove_s.times();
            table.row([
                &measured.profile,
                &median,
                &range,
                &number(line.step),
                &number(line.step_allowed),
                &number(line.cost_per_row),
                &size(measured.proof_bytes as u64),
                &measured.peak_memory_bytes.map_or("-".to_owned(), size),
            ]);
        }
        let [hash, system] = self
            .rows
            .first()
            .map_or([""; 2], |line| [line.measured.hash, line.measured.proof_system]);
        let verdict = |holds: Option<bool>, keeps: &dyn Fn(&Line) -> Option<bool>| match holds {
            None => "not measured".to_owned(),
            Some(true) => "holds".to_owned(),
            Some(false) => {
                let broken = self.rows.iter().filter(|line| keeps(line) == Some(false));
                let broken: Vec<String> =
                    broken.map(|line| line.measured.rows.to_string()).collect();
                format!("BROKEN at n = {}", broken.join(", "))
            }
        };
        let proof = match self.proof_bound_holds {
            None => String::new(),
            holds => {
                let verdict = verdict(holds, &Line::keeps_proof);
                format!("proof <= {}: {verdict}\n", size(PROOF as u64))
            }
        };
        format!(
            "{}{hash}, {system}, {threads} threads, medians of {repeat}; row cost is T_prove/n to the \
             lowest with n >= {FROM_ROWS}\n\
             T(n)/T(n-1) <= max({STEP}, {STEP_BY_ROWS} n/(n-1)): {}\n\
             row cost <= {COST} for n >= {FROM_ROWS}: {}\n{proof}",
            table.render(8),
            verdict(self.step_bound_holds, &Line::keeps_step),
            verdict(self.cost_bound_holds, &Line::keeps_cost),
        )
    }
}

impl Line {
    fn keeps_step(&self) -> Option<bool> {
        Some(self.step? <= self.step_allowed?)
    }

    fn keeps_cost(&self) -> Option<bool> {
        (self.measured.rows >= FROM_ROWS).then_some(self.cost_per_row? <= COST)
    }

    fn keeps_proof(&self) -> Option<bool> {
        self.measured.is_gkr().then_some(self.measured.proof_bytes <= PROOF)
    }
}
