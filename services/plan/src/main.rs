//! The plan service as a process.

use std::process::ExitCode;

use adfolio_plan::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("plan", adfolio_plan::run).await
}
