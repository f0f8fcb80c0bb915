//! `airda bench`.

mod air;
mod compare;
mod gkr;
mod measure;
mod ragged;
mod report;
mod spans;
mod spread;
mod sweep;

use std::ops::RangeInclusive;
use std::str::FromStr;

use airda::Profile;
use clap::{Args, Subcommand};

use super::choice::Choice;
use super::failure::Failure;
use super::output::{self, Output};
use measure::Series;
use spans::Spans;

#[derive(Debug, Subcommand)]
pub(super) enum Bench {
    /// Encode, commit, prove and verify random bytes that fill every row.
    Prove(ProveArgs),
    /// Commit to random bytes that fill every row, prove it either way, in turns, and compare.
    Compare(compare::CompareArgs),
    /// Prove random calls in regions of unequal size by every batching strategy, each proof in a
    /// process of its own.
    Ragged(ragged::RaggedArgs),
    /// Read a job from stdin, measure it and print a sample: what `ragged` calls.
    #[command(hide = true)]
    RaggedOnce,
}

#[derive(Debug, Args)]
pub(super) struct ProveArgs {
    /// bX-cY-rZ-wT or kK-cY-rZ-wT; -wT may be left out, and -rZ where --rows is given.
    #[arg(long, value_name = "P", default_value = "b4-c64-r14-w1")]
    profile: Profile,
    #[command(flatten)]
    choice: Choice,
    /// Rows in place of the profile's, or a range of them, which is swept.
    #[arg(long, value_name = "N|A..=B")]
    rows: Option<Rows>,
    /// Runs of which the median is reported, and the smallest and the largest.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

/// What `--rows` says.
#[derive(Clone, Debug)]
enum Rows {
    One(usize),
    Sweep(RangeInclusive<usize>),
}

impl FromStr for Rows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let number = text.parse().map_err(|_| format!("{text:?} is not a number of rows"))?;
            if number == 0 { Err("0 rows are none".to_owned()) } else { Ok(number) }
        };
        match text.split_once("..=") {
            None => number(text).map(Self::One),
            Some((first, last)) => {
                let rows = number(first)?..=number(last)?;
                if rows.is_empty() {
                    return Err(format!("{text} has no number of rows in it"));
                }
                Ok(Self::Sweep(rows))
            }
        }
    }
}

pub(super) fn run(bench: &Bench, output: &Output) -> Result<(), Failure> {
    match bench {
        Bench::Prove(args) => prove(args, output),
        Bench::Compare(args) => compare::compare(args, output),
        Bench::Ragged(args) => ragged::ragged(args, output),
        Bench::RaggedOnce => ragged::once(),
    }
}

fn prove(args: &ProveArgs, output: &Output) -> Result<(), Failure> {
    let spans = Spans::install()?;
    let series = |rows| Series::prepare(&args.profile, &args.choice, rows);
    let repeat = args.repeat as usize;
    if let Some(Rows::Sweep(rows)) = &args.rows {
        // What cannot be measured is told before minutes are spent on the rest.
        let all = rows.clone().map(series).collect::<Result<Vec<_>, _>>()?;
        let bar = output.bar(all.len() * repeat, "prove and verify");
        let measured = all.iter().map(|series| series.run(repeat, &spans, &bar));
        let sweep = sweep::Sweep::new(measured.collect::<Result<_, _>>()?);
        bar.finish_and_clear();
        return say(args.json, &sweep, || sweep.table(), output);
    }
    let rows = match (&args.rows, args.profile.rows()) {
        (&Some(Rows::One(rows)), _) | (_, Some(rows)) => rows,
        _ => {
            let profile = &args.profile;
            return Err(Failure::unusable(format!("profile {profile}: say --rows N or -rZ")));
        }
    };
    let series = series(rows)?;
    let bar = output.bar(repeat, "prove and verify");
    let measured = series.run(repeat, &spans, &bar)?;
    bar.finish_and_clear();
    say(args.json, &measured, || measured.table(), output)
}

fn say(
    json: bool,
    result: &impl serde::Serialize,
    table: impl FnOnce() -> String,
    output: &Output,
) -> Result<(), Failure> {
    if json { output::json(result) } else { output.say(&table()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_one_number_or_a_range() {
        assert!(matches!("7".parse(), Ok(Rows::One(7))));
        assert!(matches!("1..=14".parse(), Ok(Rows::Sweep(rows)) if rows == (1..=14)));
        for wrong in ["", "0", "-1", "1..", "..=3", "3..=2", "0..=2", "1..4"] {
            assert!(wrong.parse::<Rows>().is_err(), "{wrong}");
        }
    }
}
