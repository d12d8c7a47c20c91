//! Acceptors of foreign exchange, the acceptance codes that lead users to their offers, and exchange orders.
//!
//! Invariants:
//! - a rate is an exact decimal, never a floating-point number;
//! - a code and its offer never change once they are issued;
//! - a code that is wrong, expired, of the other kind or somebody else's answers alike;
//! - a user evaluates at most ten wrong codes in ten minutes, over all replicas and restarts;
//! - a user has one open exchange order at a time (unique index), and it ends once, whoever decides (row lock);
//! - an order is debited before it is open, and what a decision means for the wallet is posted before it shows: an order is
//!   only driven forward, by whoever asked or by recovery, and wallet posts each step of it once.

mod acceptance;
mod acceptor;
mod config;
mod error;
mod events;
mod exchange;
mod grpc;
mod peers;

use std::time::Duration;

use adfolio_kit::clock::Ids;
use adfolio_kit::latch::Latch;
use adfolio_kit::limited;
use adfolio_kit::periodic;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::acceptor::v1::acceptor_admin_service_server::AcceptorAdminServiceServer;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorServiceServer;
use anyhow::Context as _;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;

pub use config::Config;

use crate::acceptance::Acceptances;
use crate::acceptor::Acceptors;
use crate::config::Rules;
use crate::exchange::Exchanges;
use crate::peers::Peers;

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// One run of a background job may take this long.
const JOB_LIMIT: Duration = Duration::from_mins(1);

/// How often old idempotency keys of orders are forgotten.
const FORGET_INTERVAL: Duration = Duration::from_mins(1);

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let rules =
        Rules::of(&config).context("EXCHANGE_MIN must be positive and at most EXCHANGE_MAX")?;
    let service = Service::start("acceptor", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;

    let ids = Ids::random();
    let acceptors = Acceptors::new(pool.clone(), config.clock.clone(), ids.clone());
    let broker = service.broker(&config.broker)?;
    let notifier = service.relay(&pool, &broker, &migrated);
    let peers = Peers::connect(&config, rules.step_limit(), service.tls.as_ref())?;
    let acceptances = Acceptances::new(
        pool.clone(),
        config.clock.clone(),
        ids.clone(),
        peers.clone(),
    );
    let exchanges = Exchanges {
        pool,
        clock: config.clock.clone(),
        ids,
        rules,
        peers,
        notifier,
        acceptances: acceptances.clone(),
        answers: grpc::ANSWERS,
    };
    start_jobs(&service, &exchanges, &config, &migrated);

    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(AcceptorServiceServer::new(grpc::UserCalls::new(
            exchanges.clone()
        ))))
        .add_service(limited!(AcceptorAdminServiceServer::new(
            grpc::StaffCalls::new(acceptors, acceptances, exchanges)
        )));
    service.serve(server, listener).await
}

/// Everything that goes on without a caller.
fn start_jobs(service: &Service, exchanges: &Exchanges, config: &Config, migrated: &Latch) {
    let recovery = Duration::from_millis(config.recovery_after_ms / 4);
    let sweep = Duration::from_millis(config.exchange_sweep_interval_ms);
    let shutdown = || service.shutdown.clone();
    let (recovering, expiring, forgetting) =
        (exchanges.clone(), exchanges.clone(), exchanges.clone());
    let recover = periodic::every("recovery", recovery, JOB_LIMIT, shutdown(), move || {
        let exchanges = recovering.clone();
        async move { exchanges.recover().await }
    });
    service.tasks.spawn_after(migrated, "recovery", recover);
    let expire = periodic::every("expiry", sweep, JOB_LIMIT, shutdown(), move || {
        let exchanges = expiring.clone();
        async move { exchanges.expire().await }
    });
    service.tasks.spawn_after(migrated, "expiry", expire);
    let measured = exchanges.clone();
    service.measure_after(migrated, "unfinished", move || {
        let exchanges = measured.clone();
        async move { exchanges.record_unfinished().await }
    });
    let forget = periodic::every(
        "old keys",
        FORGET_INTERVAL,
        JOB_LIMIT,
        shutdown(),
        move || {
            let exchanges = forgetting.clone();
            async move { exchanges.forget_old_keys().await }
        },
    );
    service.tasks.spawn_after(migrated, "old keys", forget);
}
