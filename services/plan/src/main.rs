//! The process of plan.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    adfolio_kit::service::main::<adfolio_plan::config::PlanConfig>("plan", adfolio_plan::run).await
}
