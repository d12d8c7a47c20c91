//! The acceptor service as a process.

use std::process::ExitCode;

use adfolio_acceptor::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("acceptor", adfolio_acceptor::run).await
}
