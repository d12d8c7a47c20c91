//! The gateway's process. `adfolio-gateway openapi` prints the OpenAPI document instead of serving.

use std::io::Write as _;
use std::process::ExitCode;

use adfolio_gateway::config::GatewayConfig;

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("openapi") {
        return match std::io::stdout()
            .write_all(adfolio_gateway::openapi::document_text().as_bytes())
        {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    adfolio_kit::service::main::<GatewayConfig>("gateway", adfolio_gateway::run).await
}
