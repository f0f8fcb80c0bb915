//! The command line of airda.

mod cli;

#[global_allocator]
static ALLOCATOR: airda_gkr::memory::HugePages = airda_gkr::memory::HugePages;

fn main() -> std::process::ExitCode {
    cli::main()
}
