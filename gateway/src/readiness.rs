//! When the gateway is ready: once every service behind has been seen ready.
//!
//! After that a service that goes away fails its own calls only. A gateway that called itself not ready for it would be
//! taken out of service everywhere at once, and with it everything that still works.

use std::time::Duration;

use adfolio_kit::admin::Flag;
use adfolio_kit::shutdown::Shutdown;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tracing::info;

use crate::services::Services;

/// How often a service that was not ready is asked again.
const PAUSE: Duration = Duration::from_millis(200);

/// An answer must come within this.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

/// Turns `reached` on once each service has said that it is ready.
pub async fn watch(services: Services, reached: Flag, shutdown: Shutdown) {
    for (name, channel) in services.channels() {
        let mut health = HealthClient::new(channel.clone());
        loop {
            let check = health.check(HealthCheckRequest::default());
            let answer = tokio::time::timeout(CHECK_LIMIT, check).await;
            if matches!(answer, Ok(Ok(answer)) if answer.get_ref().status() == ServingStatus::Serving)
            {
                info!(service = name, "service is ready");
                break;
            }
            if !shutdown.sleep(PAUSE).await {
                return;
            }
        }
    }
    reached.set(true);
}
