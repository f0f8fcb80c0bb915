//! Commands, arguments and exit statuses: 0 done or accepted, 1 rejected or not recoverable,
//! 2 bad usage, input that cannot be read or decoded or output that cannot be written.

mod bench;
mod build;
mod check;
mod choice;
mod directory;
mod failure;
mod files;
mod inspect;
mod memory;
mod output;
mod report;
mod restore;
mod run;
mod security;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use airda::profile::DEFAULT_RULE;
use airda::proof::ProofSystem;
use airda::{Params, Profile};
use choice::Choice;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use output::Output;

/// What the help says about profiles.
fn profile_help() -> String {
    format!(
        "\
Profiles: bX-cY-rZ-wT has rows of k = 8192·X symbols in cells of c = Y, n = Z rows
and an opening of log inverse rate T, WHIR's or FRI's; kK-cY-rZ-wT states k itself, as in
k4096-c16-r3-w1. Without -rZ there are as many rows as the payload needs, without
-wT it is -w1.
{DEFAULT_RULE}

Exit status: 0 done or accepted; 1 rejected or not recoverable; 2 bad usage,
unreadable or malformed input, output that cannot be written."
    )
}

/// Proves real files available: encode, commit, prove, verify, sample, recover.
#[derive(Debug, Parser)]
#[command(name = "airda", version, arg_required_else_help = true, subcommand_required = true)]
struct Cli {
    /// Print errors only, and what --json, --csv, inspect, profiles and security are asked for.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do everything in memory: commit, prove, verify, sample, recover half, compare.
    Run(RunArgs),
    /// Write commitment, proof and all columns of a file into a directory.
    Build(BuildArgs),
    /// Verify a directory's proof; reads the commitment and the proof only.
    Verify {
        /// A directory that `build` wrote.
        dir: PathBuf,
    },
    /// Draw columns at random and check their openings.
    Sample(SampleArgs),
    /// Write missing and damaged columns back.
    Repair {
        /// A directory that `build` wrote.
        dir: PathBuf,
    },
    /// Give the file back from any half of the columns.
    Recover {
        /// A directory that `build` wrote.
        dir: PathBuf,
        /// Where the file goes.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Say what is in an artifact.
    Inspect {
        /// A commitment, column or proof.
        file: PathBuf,
    },
    /// Measure an operation stage by stage.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// List the known profiles with their sizes and sample counts.
    Profiles,
    /// Tell how secure proofs are, error by error, from their parameters alone.
    Security(security::SecurityArgs),
}

/// What to encode and how.
#[derive(Debug, Args)]
struct Encoding {
    /// The file, not empty.
    file: PathBuf,
    /// bX-cY-rZ-wT or kK-cY-rZ-wT; -rZ and -wT may be left out.
    #[arg(long, value_name = "P")]
    profile: Option<Profile>,
    #[command(flatten)]
    choice: Choice,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    encoding: Encoding,
    /// Makes the sampled columns and the surviving half reproducible.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct BuildArgs {
    #[command(flatten)]
    encoding: Encoding,
    /// The directory: a new or empty one, or one that holds an earlier build, which is replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct SampleArgs {
    /// A directory that `build` wrote.
    dir: PathBuf,
    /// Columns to draw, instead of what subset soundness asks for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// Makes the draw reproducible.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

/// A file's bytes, and how they are going to be encoded and proved.
struct Job {
    payload: Vec<u8>,
    params: Params,
    /// Names the rows even where the argument leaves them out.
    profile: Profile,
    system: ProofSystem,
}

impl Encoding {
    /// Reads the file and settles everything that can be wrong before the work begins.
    fn job(&self) -> Result<Job, Failure> {
        self.choice.admit()?;
        let place = self.file.display();
        let payload = files::payload(&self.file)?;
        let profile = self.profile.unwrap_or_else(|| Profile::default_for(payload.len() as u64));
        let params = profile
            .params(self.choice.hash, payload.len() as u64)
            .map_err(|error| Failure::unusable(format!("{place}: {error}")))?;
        let profile = profile.with_rows_of(&params);
        let system = self.choice.system(&profile)?;
        Ok(Job { payload, params, profile, system })
    }
}

/// Reads the arguments, does what they say and tells the exit status.
pub(crate) fn main() -> ExitCode {
    let command = Cli::command().after_long_help(profile_help()).mut_subcommands(|sub| {
        match sub.get_name() {
            "run" | "build" | "security" => sub.after_help(profile_help()),
            "bench" => sub.mut_subcommands(|sub| sub.after_help(profile_help())),
            _ => sub,
        }
    });
    let parsed = command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let done = match parsed {
        Ok(cli) => dispatch(cli.command, &Output::new(cli.quiet)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                return match error.print() {
                    Err(failed) if failed.kind() != io::ErrorKind::BrokenPipe => {
                        output::cannot_print(&failed).report()
                    }
                    _ => ExitCode::from(error.exit_code() as u8),
                };
            }
            _ => Err(Failure::unusable(usage_line(&error.to_string()))),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(&args, output),
        Command::Build(args) => build::build(&args, output),
        Command::Verify { dir } => check::verify(&dir, output),
        Command::Sample(args) => check::sample(&args, output),
        Command::Repair { dir } => restore::repair(&dir, output),
        Command::Recover { dir, out } => restore::recover(&dir, &out, output),
        Command::Inspect { file } => inspect::inspect(&file),
        Command::Bench(bench) => bench::run(&bench, output),
        Command::Profiles => inspect::profiles(output),
        Command::Security(args) => security::security(&args),
    }
}

/// One line of clap's several: what is wrong and its tips, without the usage.
fn usage_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect::<Vec<_>>()
        .join(" ");
    format!("{} (see airda --help)", told.strip_prefix("error: ").unwrap_or(&told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn usage_errors_become_one_line() {
        let line = |args: &[&str]| usage_line(&Cli::try_parse_from(args).unwrap_err().to_string());
        let missing = line(&["airda", "build", "x"]);
        assert!(missing.contains("--out <DIR>") && !missing.contains('\n'), "{missing}");
        assert!(line(&["airda", "rnu"]).contains("unrecognized subcommand 'rnu'"));
        let bad = line(&["airda", "run", "x", "--profile", "b3-c4"]);
        assert!(bad.contains("b 3 is not a power of two"), "{bad}");
    }
}
