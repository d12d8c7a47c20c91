//! The wallet service as a process.

use std::process::ExitCode;

use adfolio_wallet::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("wallet", adfolio_wallet::run).await
}
