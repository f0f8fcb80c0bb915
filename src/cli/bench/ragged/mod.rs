//! `airda bench ragged`: one permutation's calls in regions of unequal size, walked in every way
//! that there is, each proof in a process of its own.

mod csv;
mod explain;
mod once;
mod regions;
mod report;
mod variant;

use std::num::NonZeroUsize;
use std::thread::sleep;
use std::time::Duration;

use airda::HashWidth;
use airda_gkr::walk::TraceOptions;
use clap::Args;

use self::once::Job;
use self::regions::{Chosen, RegionArgs};
use self::report::{Compared, Turn};
use self::variant::Variant;
use crate::cli::choice;
use crate::cli::failure::Failure;
use crate::cli::output::{self, Output, size};

/// Bytes that a strategy's traces may have: more is not asked for by intention.
const MAX_BYTES: usize = 32 << 30;

#[derive(Debug, Args)]
pub(in crate::cli) struct RaggedArgs {
    #[command(flatten)]
    regions: RegionArgs,
    /// The permutation.
    #[arg(long, value_name = "H", default_value = HashWidth::W16.name(), value_parser = choice::hash())]
    hash: HashWidth,
    /// Keep every J-th round of the traces and recompute the others [default: keep all].
    #[arg(long, value_name = "J")]
    checkpoints: Option<NonZeroUsize>,
    /// Only this strategy; may be given several times.
    #[arg(long = "strategy", value_name = "S", value_parser = variant::name())]
    strategies: Vec<String>,
    /// Rounds: each strategy is measured once in every one.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// Seconds to wait between two processes.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=3600))]
    cooldown: u32,
    /// Say where time, rows and bytes went.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    explain: bool,
    /// Print one JSON object instead of the table, with all that --explain says and all samples.
    #[arg(long)]
    json: bool,
    /// Print a line of comma-separated values for each sample instead of the table.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// The commit that this program was built from, for the output.
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
}

/// One measurement, in the process that [`ragged`] began for it.
pub(super) fn once() -> Result<(), Failure> {
    once::run()
}

/// Measures and prints.
pub(super) fn ragged(args: &RaggedArgs, output: &Output) -> Result<(), Failure> {
    let chosen = args.regions.choose(args.hash)?;
    let variants = Variant::chosen(&args.strategies);
    for variant in &variants {
        admit(args, variant, &chosen)?;
    }
    let turns = measure(args, &chosen, &variants, output)?;
    let compared = Compared::new(args, &chosen, &variants, &turns);
    if args.json {
        output::json(&compared)
    } else if args.csv {
        output::print(&csv::lines(&compared))
    } else if args.explain {
        output.say(&format!("{}\n{}", compared.table(), explain::table(&compared)))
    } else {
        output.say(&compared.table())
    }
}

/// Refuses what would take more memory than there is likely to be.
fn admit(args: &RaggedArgs, variant: &Variant, chosen: &Chosen) -> Result<(), Failure> {
    let rows = variant.rows_at_once(&chosen.regions);
    let options = TraceOptions {
        checkpoints: once::checkpoints(args.checkpoints),
        partial_words: variant.partial_words(),
    };
    let bytes = match args.hash {
        HashWidth::W16 => options.bytes::<16>(rows),
        HashWidth::W24 => options.bytes::<24>(rows),
    };
    if bytes > MAX_BYTES {
        let [needed, most] = [bytes, MAX_BYTES].map(|bytes| size(bytes as u64));
        return Err(Failure::unusable(format!(
            "{}: traces of {} have {needed}, more than {most}; choose among the others with \
             --strategy",
            chosen.name, variant.name
        )));
    }
    Ok(())
}

/// All rounds.
fn measure(
    args: &RaggedArgs,
    chosen: &Chosen,
    variants: &[Variant],
    output: &Output,
) -> Result<Vec<Turn>, Failure> {
    let num_calls = chosen.regions.num_calls();
    let samples = args.samples as usize;
    let bar = output.bar(samples * variants.len(), "prove and verify");
    let mut turns: Vec<Turn> = Vec::with_capacity(samples * variants.len());
    for round in 0..samples {
        for (position, index) in variant::order(round, variants.len()).enumerate() {
            if args.cooldown > 0 && !turns.is_empty() {
                sleep(Duration::from_secs(args.cooldown.into()));
            }
            let job = Job {
                hash: args.hash,
                num_calls: num_calls.to_vec(),
                strategy: variants[index].name.to_owned(),
                checkpoints: args.checkpoints,
            };
            let sample = job.spawn()?;
            if turns.first().is_some_and(|first| first.sample.claims != sample.claims) {
                let name = variants[index].name;
                return Err(Failure::unusable(format!("{name} proved other output claims")));
            }
            turns.push(Turn { round, position, index, sample });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(turns)
}
