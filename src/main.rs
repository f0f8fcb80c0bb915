//! The command line of airda.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
