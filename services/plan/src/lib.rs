//! Plan: products, plans (ad orders) and their life, delivery reports, statistics.
//!
//! What always holds:
//! - An acknowledged put exists exactly once, in the ledger as here; an unfinished one ends ([`put`]).
//! - A change of state is a guarded method of the order ([`order::entity`]); it, its timeline and its event commit together.
//! - What is charged never passes the budget; the ledger is brought to the plan's totals, not told differences, so that
//!   rounding never adds up ([`delivery`], [`settlement`]).
//! - A report counts once, whatever is imported again; a restatement counts by its difference.
//! - Statistics are sums of roll-ups that are written with the reports ([`statistics`]).
//! - No other service is called inside a transaction.

pub mod app;
pub mod config;
pub mod delivery;
pub mod error;
pub mod events;
pub mod follow;
mod grpc;
pub mod operator;
pub mod order;
pub mod peers;
pub mod product;
pub mod put;
pub mod settlement;
pub mod statistics;

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::latch::Latch;
use adfolio_kit::limited;
use adfolio_kit::periodic;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::plan::v1::delivery_service_server::DeliveryServiceServer;
use adfolio_proto::plan::v1::plan_admin_service_server::PlanAdminServiceServer;
use adfolio_proto::plan::v1::plan_reconcile_service_server::PlanReconcileServiceServer;
use adfolio_proto::plan::v1::plan_service_server::PlanServiceServer;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use app::App;
use config::{PlanConfig, Rules};
use delivery::{consumer, simulator};
use grpc::Grpc;
use peers::Peers;

/// The schema.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// An import may take this long: a million rows of a busy day.
const IMPORT_LIMIT: Duration = Duration::from_mins(15);

/// One run of a background job may take this long.
const JOB_LIMIT: Duration = Duration::from_mins(1);

/// How often old idempotency keys of puts are forgotten.
const FORGET_INTERVAL: Duration = Duration::from_mins(1);

/// Runs plan on `listener` until the shutdown.
pub fn run(config: PlanConfig, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(
    config: PlanConfig,
    listener: TcpListener,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let service = Service::start("plan", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;
    let rules = Rules::of(&config);
    let app = App {
        notifier: service.relay(&pool, &broker, &migrated),
        peers: Peers::connect(&config, rules.step_limit(), service.tls.as_ref())?,
        work: Arc::new(Notify::new()),
        clock: config.clock.clone(),
        ids: config.ids.clone(),
        pool,
        rules,
    };
    start_jobs(&service, &app, &config, &migrated);
    service.consume(
        consumer::reports(),
        &app.pool,
        &broker,
        &migrated,
        consumer::OnDeliveryReported::new(app.clone()),
    );
    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(PlanServiceServer::new(Grpc::new(app.clone()))))
        .add_service(limited!(PlanReconcileServiceServer::new(Grpc::new(
            app.clone()
        ))))
        .add_service(limited!(DeliveryServiceServer::new(Grpc::new(app.clone()))))
        .add_service(limited!(PlanAdminServiceServer::new(Grpc::new(app))))
        .method_limit(
            "/adfolio.plan.v1.DeliveryService/ReportDelivery",
            IMPORT_LIMIT,
        )
        .method_limit(
            "/adfolio.plan.v1.PlanAdminService/ImportDelivery",
            IMPORT_LIMIT,
        );
    service.serve(server, listener).await
}

/// Everything that goes on without a caller.
fn start_jobs(service: &Service, app: &App, config: &PlanConfig, migrated: &Latch) {
    let recovery = Duration::from_millis(config.recovery_after_ms / 4);
    let sweep = Duration::from_millis(config.sweep_interval_ms);
    let worker = settlement::worker::run(app.clone(), service.shutdown.clone());
    service.tasks.spawn_after(migrated, "orders' work", worker);
    if config.simulator.enabled {
        let simulator = simulator::run(
            app.clone(),
            config.simulator.clone(),
            service.shutdown.clone(),
        );
        service.tasks.spawn_after(migrated, "simulator", simulator);
    }
    let (recovering, sweeping, forgetting) = (app.clone(), app.clone(), app.clone());
    let shutdown = || service.shutdown.clone();
    service.tasks.spawn_after(
        migrated,
        "put recovery",
        periodic::every("put recovery", recovery, JOB_LIMIT, shutdown(), move || {
            let app = recovering.clone();
            async move { put::recover(&app).await }
        }),
    );
    service.tasks.spawn_after(
        migrated,
        "sweep",
        periodic::every("sweep", sweep, JOB_LIMIT, shutdown(), move || {
            let app = sweeping.clone();
            async move { settlement::sweep(&app).await }
        }),
    );
    let measured = app.clone();
    service.measure_after(migrated, "unfinished", move || {
        let app = measured.clone();
        async move {
            put::record_unfinished(&app).await?;
            settlement::record_waiting(&app).await
        }
    });
    service.tasks.spawn_after(
        migrated,
        "old keys",
        periodic::every(
            "old keys",
            FORGET_INTERVAL,
            JOB_LIMIT,
            shutdown(),
            move || {
                let app = forgetting.clone();
                async move { put::forget_old_keys(&app).await }
            },
        ),
    );
}
