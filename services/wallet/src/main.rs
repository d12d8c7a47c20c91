//! The wallet process.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<adfolio_wallet::config::WalletConfig>(
        "wallet",
        adfolio_wallet::run,
    )
    .await
}
