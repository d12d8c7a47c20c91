//! `adfolio-local`: the command line of the local stack.

use std::process::ExitCode;

use adfolio_kit::telemetry::DEFAULT_LOG_FILTER;
use adfolio_local::cli::{self, Cli};
use clap::Parser as _;

fn main() -> ExitCode {
    let cli = Cli::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        // On a new system the broker closes the channel that asks for the exchanges, which lapin
        // would report as an error.
        .with_env_filter(DEFAULT_LOG_FILTER)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_level(false)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("adfolio-local: cannot start the runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(cli::run(cli)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("adfolio-local: {error:#}");
            ExitCode::FAILURE
        }
    }
}
