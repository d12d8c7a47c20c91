//! The coupon service as a process.

use std::process::ExitCode;

use adfolio_coupon::Config;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<Config>("coupon", adfolio_coupon::run).await
}
