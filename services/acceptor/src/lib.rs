//! Acceptors of foreign exchange, and the acceptance codes that lead users to their offers.
//!
//! Invariants:
//! - a rate is an exact decimal, never a floating-point number;
//! - a code and its offer never change once they are issued;
//! - a code that is wrong, expired, of the other kind or somebody else's answers alike;
//! - a user evaluates at most ten wrong codes in ten minutes, over all replicas and restarts.

mod acceptance;
mod acceptor;
mod config;
mod error;
mod grpc;

use adfolio_kit::clock::Ids;
use adfolio_kit::limited;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::acceptor::v1::acceptor_admin_service_server::AcceptorAdminServiceServer;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorServiceServer;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;

pub use config::Config;

use crate::acceptance::Acceptances;
use crate::acceptor::Acceptors;

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let service = Service::start("acceptor", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;

    let ids = Ids::random();
    let acceptors = Acceptors::new(pool.clone(), config.clock.clone(), ids.clone());
    let acceptances = Acceptances::new(pool, config.clock.clone(), ids);

    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(AcceptorServiceServer::new(grpc::UserCalls::new(
            acceptances.clone()
        ))))
        .add_service(limited!(AcceptorAdminServiceServer::new(
            grpc::StaffCalls::new(acceptors, acceptances)
        )));
    service.serve(server, listener).await
}
