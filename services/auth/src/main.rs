//! The auth service as a process.

use std::process::ExitCode;

use adfolio_auth::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("auth", adfolio_auth::run).await
}
