//! `airda bench ragged --csv`: a line a sample.

use super::once::Checkpoint;
use super::report::Compared;

const HEADER: &str = "machine,commit,version,threads,hash,checkpoints,regions,num_regions,calls,strategy,round,\
position,physical_rows,t_prove_s,trace_s,recompute_s,full_rounds_s,partial_rounds_s,skip_messages_s,folds_s,\
sumcheck_rounds_s,t_verify_s,t_discharge_s,proof_bytes,peak_memory_bytes";

/// The header, then the samples, strategy by strategy.
pub(super) fn lines(compared: &Compared) -> String {
    let mut text = HEADER.to_owned();
    let unknown = String::new();
    for measured in &compared.strategies {
        for taken in &measured.turns {
            let (sample, phases) = (&taken.sample, &taken.sample.phases);
            let fields = [
                quoted(compared.machine.as_ref().unwrap_or(&unknown)),
                quoted(compared.commit.as_ref().unwrap_or(&unknown)),
                compared.version.to_owned(),
                compared.threads.to_string(),
                compared.hash.to_owned(),
                kept(compared.checkpoints),
                compared.regions.clone(),
                compared.num_calls.len().to_string(),
                compared.calls.to_string(),
                measured.strategy.to_owned(),
                taken.round.to_string(),
                taken.position.to_string(),
                measured.physical_rows.to_string(),
                time(sample.t_prove_s),
                time(phases.trace_s),
                time(phases.recompute_s),
                time(phases.full_rounds_s),
                time(phases.partial_rounds_s),
                time(phases.skip_messages_s),
                time(phases.folds_s),
                time(phases.sumcheck_rounds_s),
                time(sample.t_verify_s),
                time(sample.t_discharge_s),
                sample.proof_bytes.to_string(),
                sample.peak_memory_bytes.map(|bytes| bytes.to_string()).unwrap_or_default(),
            ];
            text.push('\n');
            text.push_str(&fields.join(","));
        }
    }
    text
}

/// j of every j-th round, or all.
fn kept(checkpoints: Checkpoint) -> String {
    checkpoints.map_or("all".to_owned(), |every| every.to_string())
}

/// Microseconds are what the clock is good for.
fn time(seconds: f64) -> String {
    format!("{seconds:.6}")
}

/// Text from elsewhere, in quotes where a comma or a quote would mislead.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_would_mislead_is_quoted() {
        assert_eq!(quoted("AMD EPYC 9R14"), "AMD EPYC 9R14");
        assert_eq!(quoted("CPU, \"fast\""), "\"CPU, \"\"fast\"\"\"");
    }
}
