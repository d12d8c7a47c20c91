//! The plan service as a process.

use std::process::ExitCode;

use adfolio_plan::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>("plan", &SCHEMA, adfolio_plan::run).await
}
