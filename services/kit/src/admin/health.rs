//! gRPC's health protocol on the admin port, for Kubernetes probes: they speak gRPC but not TLS, so
//! they cannot use the service's own port.

use std::pin::Pin;

use futures::Stream;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use super::Readiness;

/// The service name of a liveness probe.
const LIVENESS: &str = "liveness";

type Watched = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

/// Answers like `/healthz` about the service `liveness`, and like `/readyz` about the process as a
/// whole.
#[derive(Debug)]
pub(super) struct Probes {
    readiness: Readiness,
}

impl Probes {
    pub(super) fn new(readiness: Readiness) -> HealthServer<Self> {
        HealthServer::new(Self { readiness })
    }
}

#[tonic::async_trait]
impl Health for Probes {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let serves = match request.get_ref().service.as_str() {
            LIVENESS => true,
            "" => self.readiness.is_ready().await,
            _ => return Err(Status::not_found("unknown service")),
        };
        let status = if serves {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        };
        Ok(Response::new(HealthCheckResponse {
            status: status.into(),
        }))
    }

    type WatchStream = Watched;

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Watched>, Status> {
        Err(Status::unimplemented("ask Check"))
    }
}
