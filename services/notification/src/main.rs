//! The notification service as a process.

use std::process::ExitCode;

use adfolio_notification::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>(
        "notification",
        &SCHEMA,
        adfolio_notification::run,
    )
    .await
}
