//! Acceptors of foreign exchange, the acceptance codes that lead users to their offers, and exchange orders.
//!
//! Invariants:
//! - a rate is an exact decimal, never a floating-point number;
//! - a code and its offer never change once they are issued;
//! - a code that is wrong, expired, of the other kind or another user's gets the same answer;
//! - a user can try at most ten wrong codes in ten minutes, over all replicas and restarts;
//! - a user has one open exchange order at a time (unique index), and it ends once, no matter who decides (row lock);
//! - an order is debited before it is open, and wallet posts what follows from a decision before the decision shows. An
//!   order is only driven forward, by its caller or by recovery, and wallet posts each step of it once.

mod acceptance;
mod acceptor;
mod app;
mod config;
mod error;
mod events;
mod exchange;
mod grpc;
mod ids;
mod peers;
mod schema;
mod waiting;

use std::time::Duration;

use adfolio_kit::limited;
use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::acceptor::v1::acceptor_admin_service_server::AcceptorAdminServiceServer;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorServiceServer;
use anyhow::Context as _;
use tokio::net::TcpListener;

pub use config::Config;
pub use schema::SCHEMA;

use crate::app::{App, Parts};
use crate::config::Rules;
use crate::exchange::Exchange;
use crate::grpc::{StaffApi, UserApi};

/// One run of a background job may take this long.
const JOB_LIMIT: Duration = Duration::from_mins(1);

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let rules =
        Rules::of(&config).context("EXCHANGE_MIN must be positive and at most EXCHANGE_MAX")?;
    let backend = Backend::start("acceptor", &config.args, &SCHEMA, None, shutdown).await?;
    let app = App::new(
        &backend,
        &config.clock,
        Parts::new(&config, rules, &backend)?,
    );
    start_jobs(&backend, &app, &config);
    let server = backend
        .server()
        .add_service(limited!(AcceptorServiceServer::new(UserApi(app.clone()))))
        .add_service(limited!(AcceptorAdminServiceServer::new(StaffApi(app))));
    backend.serve(server, listener).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App, config: &Config) {
    backend.saga::<Exchange>(config.recovery_interval(), app);
    backend.every(
        "expiry",
        config.sweep_interval(),
        JOB_LIMIT,
        app,
        |app| async move { exchange::expire(&app).await },
    );
}
