//! The notification service as a process.

use std::process::ExitCode;

use adfolio_notification::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("notification", adfolio_notification::run).await
}
