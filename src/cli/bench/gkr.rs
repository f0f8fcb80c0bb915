//! What `airda bench prove` measures of GKR proofs alone.

use airda::proof::{ProofSystem, Verified};
use serde::Serialize;

use super::measure::{Run, Series};
use super::report::Stage;
use super::spread::Spread;

/// The names are those of the JSON object; times are in seconds.
#[derive(Debug, Serialize)]
pub(super) struct Gkr {
    pub(super) chain_step: usize,
    stages: Stages,
    /// Each stage to the encoding and committing of the same run.
    stage_ratios: Stages,
    verify: Verify,
    proof_parts: Parts,
}

/// The builder's stages. The first two are the native work, the others are parts of T_prove.
#[derive(Debug, Serialize)]
struct Stages {
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
struct Verify {
    membership: Spread,
    walk: Spread,
    form: Spread,
    opening: Spread,
    rest: Spread,
}

/// Bytes of the proof's parts; together they are the proof.
#[derive(Debug, Serialize)]
struct Parts {
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

impl Gkr {
    pub(super) fn new(
        series: &Series,
        runs: &[Run],
        verified: &Verified,
        proof_bytes: usize,
    ) -> Self {
        let of = |time: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(time));
        let [membership, walk, form, opening] =
            VERIFYING.map(|name| of(&|run| run.verifying.get(name)));
        let named = |run: &Run| VERIFYING.iter().map(|name| run.verifying.get(name)).sum::<f64>();
        let sizes = verified.sizes.expect("a GKR proof");
        let inside = sizes.commitment + sizes.walk + sizes.form + sizes.opening;
        Self {
            chain_step: match &series.system {
                ProofSystem::Gkr(system) => system.chain_step().get(),
                ProofSystem::Air(_) => unreachable!("a GKR proof"),
            },
            stages: Stages::of(runs, |_| 1.0),
            stage_ratios: Stages::of(runs, |run| run.encode_commit),
            verify: Verify {
                membership,
                walk,
                form,
                opening,
                rest: of(&|run| run.verify - named(run)),
            },
            proof_parts: Parts {
                commitment: sizes.commitment,
                walk: sizes.walk,
                form: sizes.form,
                opening: sizes.opening,
                envelope: proof_bytes - inside,
            },
        }
    }

    pub(super) fn stages(&self) -> Vec<Stage<'_>> {
        let ratios = self.stage_ratios.named().map(|(_, ratio)| ratio);
        let stages = self.stages.named().into_iter().zip(ratios);
        stages.map(|((name, time), ratio)| (name, time, ratio)).collect()
    }

    pub(super) fn verifying(&self) -> Vec<(&'static str, &Spread)> {
        vec![
            ("verify membership", &self.verify.membership),
            ("verify walk", &self.verify.walk),
            ("verify linear form", &self.verify.form),
            ("verify opening", &self.verify.opening),
            ("verify, rest", &self.verify.rest),
        ]
    }

    pub(super) const fn parts(&self) -> [(&'static str, usize); 5] {
        let parts = &self.proof_parts;
        [
            ("proof: commitment", parts.commitment),
            ("proof: walk", parts.walk),
            ("proof: linear form", parts.form),
            ("proof: opening", parts.opening),
            ("proof: envelope", parts.envelope),
        ]
    }
}

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

    const fn named(&self) -> [(&'static str, &Spread); 9] {
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
