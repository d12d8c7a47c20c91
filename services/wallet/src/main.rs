//! The wallet service as a process.

use std::process::ExitCode;

use adfolio_wallet::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>("wallet", &SCHEMA, adfolio_wallet::run).await
}
