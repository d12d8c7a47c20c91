//! Readiness: the gateway is ready once every service has been ready.
//!
//! After that, a service that goes down only fails its own calls. If the gateway reported not ready then, all
//! gateways would be taken out of service at once, together with everything that still works.

use std::time::Duration;

use adfolio_kit::admin::Flag;
use adfolio_kit::shutdown::Shutdown;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tracing::info;

use crate::services::Services;

/// Interval between two checks of a service that is not ready.
const PAUSE: Duration = Duration::from_millis(200);

/// Limit of a check.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

/// Sets `reached` once every service has reported that it is ready.
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
