//! What `airda bench prove` measures of AIR proofs alone.

use airda::proof::Verified;
use airda::proof::air::{Description, TableLine};
use serde::Serialize;

use super::measure::{Prepared, Run};
use super::report::Stage;
use super::spread::Spread;
use crate::cli::output::{Table, seconds};

/// The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Air {
    /// Making the tables, committing to their preprocessed columns, computing their security: before the first proof
    /// or verification of a shape in a process. In no other time.
    t_prepare_s: f64,
    stages: Stages,
    /// Each stage to the encoding and committing of the same run.
    stage_ratios: Stages,
    /// Trace generation's part of T_prove, in percent.
    trace_percent: Spread,
    verify: Verify,
    tables: Vec<Line>,
    /// Round by round.
    proven_bits: f64,
    conjectured_bits: f64,
}

/// The builder's stages. The first two are the native work, the others are parts of T_prove,
/// those of the trace parts of it.
#[derive(Debug, Serialize)]
struct Stages {
    encode: Spread,
    hash: Spread,
    membership: Spread,
    trace: Spread,
    trace_inputs: Spread,
    trace_calls: Spread,
    trace_products: Spread,
    /// Extension to codewords and Merkle tree, of the traces and below of what else is
    /// committed to.
    commit_traces: Spread,
    /// LogUp's columns.
    fractions: Spread,
    commit_fractions: Spread,
    /// Constraints on the quotients' domains, and the quotients' codewords.
    quotients: Spread,
    commit_quotients: Spread,
    /// Values at the out-of-domain points and the words that FRI begins with.
    open: Spread,
    /// Folds, proof of work, queries.
    fri: Spread,
    encode_proof: Spread,
    /// T_prove without the stages named.
    rest: Spread,
}

/// The verifier's parts, and what is left of the whole.
#[derive(Debug, Serialize)]
struct Verify {
    membership: Spread,
    /// Decoding, constraints, FRI.
    batch: Spread,
    rest: Spread,
}

/// A table.
#[derive(Debug, Serialize)]
struct Line {
    name: &'static str,
    rows: usize,
    columns: usize,
    preprocessed_columns: usize,
    /// LogUp's columns of fractions, elements of E, without the running sum.
    fraction_columns: usize,
    /// On the bus, a row.
    messages: usize,
    constraints: usize,
    degree: usize,
    /// Of tables of calls.
    calls: Option<usize>,
    /// Places for calls that a power of two of rows leaves idle, of all, in percent.
    idle_percent: Option<f64>,
}

impl Air {
    pub(super) fn new(runs: &[Run], prepared: Prepared, verified: &Verified) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(time));
        let security = verified.security.proof.air().expect("an AIR proof");
        let Description { tables, .. } = prepared.description;
        let verifying = ["das.membership", "air.verify"];
        let [membership, batch] = verifying.map(|name| of(&|run| run.verifying.get(name)));
        let named = |run: &Run| verifying.iter().map(|name| run.verifying.get(name)).sum::<f64>();
        Self {
            t_prepare_s: prepared.seconds,
            stages: Stages::of(runs, |_| 1.0),
            stage_ratios: Stages::of(runs, |run| run.encode_commit),
            trace_percent: of(&|run| 100.0 * run.building.get("air.trace") / run.prove),
            verify: Verify { membership, batch, rest: of(&|run| run.verify - named(run)) },
            tables: tables.iter().map(Line::new).collect(),
            proven_bits: security.proven_bits(),
            conjectured_bits: security.conjectured_bits(),
        }
    }

    pub(super) fn stages(&self) -> Vec<Stage<'_>> {
        let ratios = self.stage_ratios.named().map(|(_, ratio)| ratio);
        let stages = self.stages.named().into_iter().zip(ratios);
        stages.map(|((name, time), ratio)| (name, time, ratio)).collect()
    }

    /// Lines below T_prove.
    pub(super) fn beside_proving(&self, table: &mut Table) {
        let Spread { median, min, max } = self.trace_percent;
        table
            .row(["trace of T_prove", &format!("{median:.1} %"), &format!("[{min:.1}, {max:.1}]")])
            .row(["prepare", &seconds(self.t_prepare_s), "in neither T, once a process"]);
    }

    pub(super) fn verifying(&self) -> Vec<(&'static str, &Spread)> {
        vec![
            ("verify membership", &self.verify.membership),
            ("verify batch", &self.verify.batch),
            ("verify, rest", &self.verify.rest),
        ]
    }

    /// Lines below the composed bits.
    pub(super) fn security(&self, table: &mut Table) {
        table
            .row(["round by round", &format!("{:.2} bits", self.proven_bits)])
            .row(["conjectured", &format!("{:.2} bits", self.conjectured_bits)]);
    }

    /// The tables' table.
    pub(super) fn tables(&self) -> String {
        let mut table = Table::default();
        table.row([
            "table",
            "rows",
            "columns",
            "preprocessed",
            "fractions",
            "messages",
            "constraints",
            "degree",
            "calls",
            "idle",
        ]);
        for line in &self.tables {
            table.row([
                line.name,
                &line.rows.to_string(),
                &line.columns.to_string(),
                &line.preprocessed_columns.to_string(),
                &line.fraction_columns.to_string(),
                &line.messages.to_string(),
                &line.constraints.to_string(),
                &line.degree.to_string(),
                &line.calls.map_or("-".to_owned(), |calls| calls.to_string()),
                &line.idle_percent.map_or("-".to_owned(), |idle| format!("{idle:.1} %")),
            ]);
        }
        table.render(10)
    }
}

impl Line {
    fn new(TableLine { name, shape, calls }: &TableLine) -> Self {
        Self {
            name,
            rows: 1 << shape.log_height,
            columns: shape.columns,
            preprocessed_columns: shape.preprocessed,
            fraction_columns: shape.fractions,
            messages: shape.messages,
            constraints: shape.constraints,
            degree: shape.degree,
            calls: calls.map(|calls| calls.real),
            idle_percent: calls
                .map(|calls| 100.0 * (calls.slots - calls.real) as f64 / calls.slots as f64),
        }
    }
}

/// p3's spans, in the order of its prover: it has none of its own for commitments, which are what
/// lies between these.
const BATCH: &str = "prove_batch";
const FRACTIONS: &str = "generate lookup permutation";
const QUOTIENTS: &str = "compute quotient";
const OPEN: &str = "compute_inverse_denominators";
const FRI: &str = "FRI prover";

impl Stages {
    /// Of every run, divided by `unit` of it.
    fn of(runs: &[Run], unit: impl Fn(&Run) -> f64) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(|r| time(r) / unit(r)));
        let span = |name: &str| of(&|run| run.building.get(name));
        let named = |run: &Run| {
            let spans = ["das.membership", "air.trace", BATCH, "air.encode"];
            spans.iter().map(|name| run.building.get(name)).sum::<f64>()
        };
        // What p3 does before the traces' commitment and after FRI is next to nothing.
        Self {
            encode: span("das.encode"),
            hash: span("das.commit"),
            membership: span("das.membership"),
            trace: span("air.trace"),
            trace_inputs: span("air.inputs"),
            trace_calls: span("air.calls.trace"),
            trace_products: span("air.inner_product.trace"),
            commit_traces: of(&|run| run.building.until(BATCH, FRACTIONS)),
            fractions: of(&|run| run.building.extent(FRACTIONS)),
            commit_fractions: of(&|run| run.building.between(FRACTIONS, QUOTIENTS)),
            quotients: of(&|run| run.building.extent(QUOTIENTS)),
            commit_quotients: of(&|run| run.building.between(QUOTIENTS, OPEN)),
            open: of(&|run| run.building.until(OPEN, FRI)),
            fri: span(FRI),
            encode_proof: span("air.encode"),
            rest: of(&|run| run.prove - named(run)),
        }
    }

    const fn named(&self) -> [(&'static str, &Spread); 16] {
        [
            ("encode", &self.encode),
            ("hash", &self.hash),
            ("membership", &self.membership),
            ("trace", &self.trace),
            ("  inputs", &self.trace_inputs),
            ("  calls", &self.trace_calls),
            ("  inner products", &self.trace_products),
            ("commit to traces", &self.commit_traces),
            ("fractions", &self.fractions),
            ("commit to fractions", &self.commit_fractions),
            ("quotients", &self.quotients),
            ("commit to quotients", &self.commit_quotients),
            ("open", &self.open),
            ("FRI", &self.fri),
            ("encode the proof", &self.encode_proof),
            ("rest", &self.rest),
        ]
    }
}
