//! `airda bench ragged --explain`: where time, rows and bytes went.

use super::report::Compared;
use crate::cli::bench::spread::Spread;
use crate::cli::output::{Table, seconds};

/// A table of times and one of counts.
pub(super) fn table(compared: &Compared) -> String {
    let mut times = Table::default();
    let time = |spread: &Spread| seconds(spread.median);
    times.row([
        "prover",
        "trace",
        "full rounds",
        "partial rounds",
        "rest",
        "recompute",
        "skip messages",
        "folds",
        "sumcheck",
        "calls a second",
    ]);
    for measured in &compared.strategies {
        let phases = &measured.phases;
        times.row([
            measured.strategy,
            &time(&phases.trace_s),
            &time(&phases.full_rounds_s),
            &time(&phases.partial_rounds_s),
            &time(&phases.rest_s),
            &time(&phases.recompute_s),
            &time(&phases.skip_messages_s),
            &time(&phases.folds_s),
            &time(&phases.sumcheck_rounds_s),
            &format!("{:.0}", measured.calls_per_s),
        ]);
    }
    let mut counts = Table::default();
    counts.row([
        "elements sent",
        "skip messages",
        "outer rounds",
        "lane rounds",
        "ends",
        "all",
        "rows padded",
    ]);
    for measured in &compared.strategies {
        let elements = &measured.elements;
        counts.row([
            measured.strategy,
            &elements.skip_messages.to_string(),
            &elements.outer_rounds.to_string(),
            &elements.lane_rounds.to_string(),
            &elements.ends.to_string(),
            &elements.total.to_string(),
            &measured.padded_rows.to_string(),
        ]);
    }
    format!(
        "\
{}medians; trace, full and partial rounds and the rest are all of the prover's time; recompute,
skip messages, folds and sumcheck are parts of the full and partial rounds

{}an element has 20 bytes; a padded row is held without a call
",
        times.render(10),
        counts.render(7)
    )
}
