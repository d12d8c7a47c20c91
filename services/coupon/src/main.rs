//! The coupon service as a process.

use std::process::ExitCode;

use adfolio_coupon::{Config, SCHEMA};

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main_with_database::<Config>("coupon", &SCHEMA, adfolio_coupon::run).await
}
