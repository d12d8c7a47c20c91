//! The acceptor service as a process.

use std::process::ExitCode;

use adfolio_acceptor::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>("acceptor", &SCHEMA, adfolio_acceptor::run)
        .await
}
