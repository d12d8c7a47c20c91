//! The gateway: the REST contract of Adfolio in front of its services.
//!
//! It has no business rules and no database. One table ([`routes::table`]) has a row per route; the router, the
//! OpenAPI document and the access tests are made from it. A request passes the edge (id, limits, trace), is
//! authenticated (a verified token is cached for a second and dropped by event), is parsed strictly, and is answered
//! by a handler that calls the services with the caller's identity and a deadline. Every answer is an envelope.

pub mod alerts;
pub mod auth;
pub mod basic_config;
pub mod call;
pub mod config;
pub mod context;
pub mod docs;
mod doubts;
pub mod dto;
pub mod edge;
pub mod envelope;
pub mod errors;
pub mod etag;
pub mod form;
pub mod gateway;
mod https;
pub mod input;
pub mod lang;
pub mod limits;
pub mod lines;
pub mod messages;
pub mod openapi;
pub mod paths;
pub mod pdf;
pub mod readiness;
pub mod recent;
pub mod route;
pub mod routes;
pub mod schemas;
pub mod second_factor;
mod security_txt;
pub mod server;
pub mod service_entries;
pub mod services;
pub mod staff_reason;
pub mod staff_stream;
pub mod stream;
mod streamed;
pub mod uploads;

use std::time::Duration;

use adfolio_kit::consumer::Subscription;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use tokio::net::TcpListener;

use crate::config::GatewayConfig;
use crate::gateway::Gateway;
use crate::recent::Recent;
use crate::server::ServerLimits;

/// Serves the REST contract on `listener` until the shutdown.
pub fn run(config: GatewayConfig, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(
    config: GatewayConfig,
    listener: TcpListener,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let service = Service::start("gateway", &config.process.server, shutdown).await?;
    let broker = service.broker(&config.broker)?;
    // Requests depend on these subscriptions, so they end after the last request, some time after the shutdown.
    let (closing, answered) = (Shutdown::manual(), Shutdown::manual());
    let gateway = Gateway::new(&config, &service.shutdown, &closing)?;
    let revocations = Subscription::ephemeral("gateway")
        .bind("adfolio.auth.v1.SessionsRevoked")
        .bind("adfolio.auth.v1.AccountStateChanged");
    let reached = service.readiness.register_flag("services");
    let first_look = readiness::watch(
        gateway.services().clone(),
        reached,
        service.shutdown.clone(),
    );
    service.tasks.spawn("readiness", first_look);
    let sink = gateway.sessions().sink();
    service.tasks.spawn(
        "revocations",
        revocations.run(broker.clone(), answered.clone(), sink),
    );
    // Separate subscriptions, so that revocations never wait behind other events.
    let recent = gateway.recent();
    service.tasks.spawn(
        "changes",
        Recent::subscription().run(broker.clone(), answered.clone(), recent.sink()),
    );
    let streams = gateway.streams();
    service.tasks.spawn(
        "streams",
        streams
            .subscription()
            .run(broker.clone(), answered.clone(), streams.sink()),
    );
    let streams = gateway.staff_streams();
    service.tasks.spawn(
        "staff streams",
        streams
            .subscription()
            .run(broker, answered.clone(), streams.sink()),
    );
    let limits = ServerLimits {
        max_connections: config.max_connections,
        header_read_timeout: Duration::from_secs(config.header_read_timeout_seconds),
        notice: Duration::from_secs(config.notice_seconds),
        drain_limit: config.process.server.end_plan().calls,
    };
    let shutdown = service.shutdown.clone();
    let router = edge::router(&gateway);
    let serving = async move {
        let outcome = server::serve(listener, router, limits, (shutdown, closing)).await;
        answered.trigger();
        outcome
    };
    service.serve_with(serving).await
}
