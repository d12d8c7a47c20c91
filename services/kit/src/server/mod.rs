//! The gRPC server of every service: health, reflection, deadlines, limits, metrics, traces, drain.

mod again;
mod connection;
mod guard;
mod identities;
mod layer;
mod linger;

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::service::{Routes, RoutesBuilder};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::Service;
use tracing::{info, warn};

use self::connection::Peer;
use self::guard::Guard;
use self::identities::Identities;
use crate::admin::Readiness;
use crate::config::ServerArgs;
use crate::deadline::DEFAULT_CALL_LIMIT;
use crate::identity_token::Verifier;
use crate::latch::Latch;
use crate::policy::{POLICIES, ServicePolicy};
use crate::shutdown::Shutdown;
use crate::tls::Tls;

/// A connection is asked to end after this, so that clients spread over new replicas. Without a
/// grace period: tonic 0.14 would wait for age and grace together and then cut running calls.
const CONNECTION_AGE: Duration = Duration::from_mins(10);

/// Pings detect vanished clients.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// Limit of a ping's answer.
const KEEPALIVE_LIMIT: Duration = Duration::from_secs(10);

/// Most calls in flight per connection.
const MAX_STREAMS: u32 = 1024;

/// Most calls of a connection that their caller cancelled before this service accepted them; beyond
/// this the connection is closed with all its calls. h2's default of 20 is meant for strangers. The
/// peers here are our own services: many callers that cancel at once, as when the gateway's clients
/// do, must not cost others their answers.
const MAX_GIVEN_UP: usize = MAX_STREAMS as usize;

/// How often a starting service checks whether it is ready.
const READY_POLL: Duration = Duration::from_millis(50);

/// Most bytes of a call's metadata.
const MAX_HEADER_BYTES: u32 = 16 * 1024;

/// Most bytes of a message in either direction; see [`limited`](crate::limited).
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;

/// Sets the message limits of a generated server: `limited!(WalletServiceServer::new(grpc))`.
#[macro_export]
macro_rules! limited {
    ($server:expr) => {
        $server
            .max_decoding_message_size($crate::server::MAX_MESSAGE_BYTES)
            .max_encoding_message_size($crate::server::MAX_MESSAGE_BYTES)
    };
}

/// Declares what answers a service's calls, one type for each kind of caller, each with the service's
/// `App`: `apis!(App: UserApi, StaffApi, InternalApi)`. `InternalApi` answers other services and, in
/// plan, networks that report delivery.
#[macro_export]
macro_rules! apis {
    ($app:ty: $($api:ident),+ $(,)?) => {
        $(
            /// Answers the calls of one kind of caller.
            #[derive(Debug)]
            pub struct $api(pub $app);
        )+
    };
}

/// The server failed to start or to end in order.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The transport failed.
    #[error("gRPC server failed")]
    Transport(#[from] tonic::transport::Error),
    /// The descriptor set cannot be read.
    #[error("reflection cannot be served")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A builder of a gRPC server.
#[derive(Debug)]
pub struct Server {
    name: &'static str,
    routes: RoutesBuilder,
    services: Vec<&'static str>,
    descriptors: Option<&'static [u8]>,
    migrated: Option<Latch>,
    readiness: Option<Readiness>,
    tls: Option<Tls>,
    policies: &'static [ServicePolicy],
    identities: Option<Verifier>,
    call_limit: Duration,
    method_limits: HashMap<&'static str, Duration>,
    drain_limit: Duration,
}

impl Server {
    /// A server without services.
    pub fn new(name: &'static str, args: &ServerArgs) -> Self {
        Self {
            name,
            routes: Routes::builder(),
            services: Vec::new(),
            descriptors: None,
            migrated: None,
            readiness: None,
            tls: None,
            policies: POLICIES,
            identities: None,
            call_limit: DEFAULT_CALL_LIMIT,
            method_limits: HashMap::new(),
            drain_limit: args.end_plan().calls,
        }
    }

    /// Serves reflection of these descriptors.
    #[must_use]
    pub fn reflection(mut self, descriptors: &'static [u8]) -> Self {
        self.descriptors = Some(descriptors);
        self
    }

    /// Answers UNAVAILABLE until the schema is current.
    #[must_use]
    pub fn gate(mut self, migrated: Latch) -> Self {
        self.migrated = Some(migrated);
        self
    }

    /// Health reports SERVING once these checks pass.
    #[must_use]
    pub fn readiness(mut self, readiness: Readiness) -> Self {
        self.readiness = Some(readiness);
        self
    }

    /// Admits only callers with a certificate, each to the methods that the policy lists. Without
    /// TLS everyone may call everything.
    #[must_use]
    pub fn tls(mut self, tls: Option<Tls>) -> Self {
        self.tls = tls;
        self
    }

    /// A policy other than [`POLICIES`], for services that are not in it.
    #[must_use]
    pub fn policies(mut self, policies: &'static [ServicePolicy]) -> Self {
        self.policies = policies;
        self
    }

    /// Believes on whose behalf a call is made only by a token that this verifies. Without it, metadata are believed.
    #[must_use]
    pub fn identities(mut self, verifier: Option<Verifier>) -> Self {
        self.identities = verifier;
        self
    }

    /// Adds a service; wrap it in [`limited!`](crate::limited).
    #[must_use]
    pub fn add_service<S>(mut self, service: S) -> Self
    where
        S: Service<http::Request<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Response: axum::response::IntoResponse,
        S::Future: Send + 'static,
    {
        self.services.push(S::NAME);
        self.routes.add_service(service);
        self
    }

    /// A cap other than 10 s for one method (`/adfolio.plan.v1.PlanAdmin/ImportReports`), such as
    /// one that receives a stream.
    #[must_use]
    pub fn method_limit(mut self, path: &'static str, limit: Duration) -> Self {
        self.method_limits.insert(path, limit);
        self
    }

    /// Serves until the shutdown, then lets running calls finish within the drain limit: a silent
    /// peer must not keep the process alive.
    pub async fn serve(
        mut self,
        listener: TcpListener,
        shutdown: &Shutdown,
    ) -> Result<(), ServeError> {
        let (health, health_service) = tonic_health::server::health_reporter();
        self.routes.add_service(health_service);
        if let Some(descriptors) = self.descriptors {
            let builder = tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(descriptors);
            self.routes.add_service(builder.build_v1()?);
        }
        set_health(&health, &self.services, ServingStatus::NotServing).await;
        if let Ok(address) = listener.local_addr() {
            info!(service = self.name, %address, "serving");
        }
        let layer = layer::CallLayer::new(
            self.call_limit,
            std::mem::take(&mut self.method_limits),
            self.migrated.clone(),
            self.tls.is_some().then(|| Guard::new(self.policies)),
            self.identities.take().map(Identities::new),
        );
        let routes = std::mem::take(&mut self.routes).routes().prepare();
        let signal = shutdown.clone();
        let incoming = connection::incoming(listener, self.tls.take());
        let served = tonic::transport::Server::builder()
            .layer(layer)
            .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
            .http2_keepalive_timeout(Some(KEEPALIVE_LIMIT))
            .max_connection_age(CONNECTION_AGE)
            .max_concurrent_streams(MAX_STREAMS)
            .http2_max_pending_accept_reset_streams(Some(MAX_GIVEN_UP))
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .add_routes(routes)
            .serve_with_incoming_shutdown(incoming, async move { signal.cancelled().await });
        let drained = async {
            tokio::select! {
                () = until_ready(self.readiness.as_ref()) => set_health(&health, &self.services, ServingStatus::Serving).await,
                () = shutdown.cancelled() => {}
            }
            shutdown.cancelled().await;
            set_health(&health, &self.services, ServingStatus::NotServing).await;
            tokio::time::sleep(self.drain_limit).await;
        };
        tokio::select! {
            outcome = served => outcome?,
            () = drained => warn!(limit_ms = self.drain_limit.as_millis(), "connections were still open at the drain limit"),
        }
        Ok(())
    }
}

/// The first DNS name in the certificate of the process that called; none without TLS.
pub fn caller_name<T>(request: &tonic::Request<T>) -> Option<&str> {
    let peer = request.extensions().get::<Peer>()?;
    peer.names().first().map(String::as_str)
}

/// Waits until every check passes for the first time. Later outages show in each call, and at the
/// admin port.
async fn until_ready(readiness: Option<&Readiness>) {
    let Some(readiness) = readiness else { return };
    while !readiness.is_ready().await {
        tokio::time::sleep(READY_POLL).await;
    }
}

async fn set_health(health: &HealthReporter, services: &[&'static str], status: ServingStatus) {
    health.set_service_status("", status).await;
    for service in services {
        health.set_service_status(*service, status).await;
    }
}
