//! The auth process.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<adfolio_auth::config::AuthConfig>("auth", adfolio_auth::run).await
}
