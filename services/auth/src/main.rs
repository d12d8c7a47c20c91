//! The auth service as a process.

use std::process::ExitCode;

use adfolio_auth::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>("auth", &SCHEMA, adfolio_auth::run).await
}
