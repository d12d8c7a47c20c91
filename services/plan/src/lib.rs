//! Plan: products, plans (ad orders) and their life, delivery reports, statistics.
//!
//! Invariants:
//! - an acknowledged put exists exactly once, in the ledger and here; an unfinished one reaches an
//!   end (`put`);
//! - a change of state is a guarded method of the order (`order::entity`); the change, its timeline
//!   and its event commit together;
//! - the charge never exceeds the budget. The ledger gets a plan's totals and not differences, so
//!   rounding never adds up (`delivery`, `settlement`);
//! - a plan's charge and what is allotted of it never exceed its budget together (`allotment`);
//! - a report that breaks a rule of the gate neither posts nor teaches before staff release it (`gate`, `quarantine`);
//! - a report counts once, however often it is imported; a restatement counts by its difference;
//! - statistics are sums of roll-ups that are written with the reports (`statistics`);
//! - no other service is called inside a transaction.

mod allotment;
mod app;
mod config;
mod consumer;
mod delivery;
mod error;
mod events;
mod follow;
mod gate;
mod grpc;
mod ids;
mod network;
mod operator;
mod order;
mod peers;
mod placement;
mod product;
mod put;
mod quarantine;
mod schema;
mod settlement;
mod source;
mod statistics;
mod waiting;

use std::time::Duration;

use adfolio_kit::limited;
use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::plan::v1::delivery_service_server::DeliveryServiceServer;
use adfolio_proto::plan::v1::network_service_server::NetworkServiceServer;
use adfolio_proto::plan::v1::placement_admin_service_server::PlacementAdminServiceServer;
use adfolio_proto::plan::v1::plan_admin_service_server::PlanAdminServiceServer;
use adfolio_proto::plan::v1::plan_reconcile_service_server::PlanReconcileServiceServer;
use adfolio_proto::plan::v1::plan_service_server::PlanServiceServer;
use tokio::net::TcpListener;

pub use config::{Config, ImportRelease};
pub use delivery::dry_run::{DryRun, dry_run};
pub use delivery::reader::Form;
pub use schema::SCHEMA;

use crate::app::{App, Parts};
use crate::delivery::{marks, seal, simulator};
use crate::grpc::{InternalApi, StaffApi, UserApi};
use crate::put::Writers;
use crate::put::entity::Put;

/// An import may take this long: a million rows of a busy day.
const IMPORT_LIMIT: Duration = Duration::from_mins(15);

/// One run of a background job may take this long.
const JOB_LIMIT: Duration = Duration::from_mins(1);

/// How often new batches of reports are sealed.
const SEAL_INTERVAL: Duration = Duration::from_secs(2);

/// How often reports of the release before are looked for.
const MARK_INTERVAL: Duration = Duration::from_mins(1);

/// How often a round of allotments is looked for, and allotments whose time for reports is over.
const ALLOTMENT_TICK: Duration = Duration::from_secs(1);

/// How often old rounds are deleted.
const UPKEEP_INTERVAL: Duration = Duration::from_hours(1);

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let backend = Backend::start("plan", &config.args, &SCHEMA, None, shutdown).await?;
    let (parts, writers) = Parts::new(&config, &backend, grpc::encode_put)?;
    let app = App::new(&backend, &config.clock, parts);
    start_jobs(&backend, &app, writers, &config);
    backend.consume(
        consumer::reports(),
        consumer::OnDeliveryReported(app.clone()),
    );
    let internal = || InternalApi(app.clone());
    let server = backend
        .server()
        .add_service(limited!(PlanServiceServer::new(UserApi(app.clone()))))
        .add_service(limited!(PlanReconcileServiceServer::new(internal())))
        .add_service(limited!(DeliveryServiceServer::new(internal())))
        .add_service(limited!(NetworkServiceServer::new(internal())))
        .add_service(limited!(PlanAdminServiceServer::new(StaffApi(app.clone()))))
        .add_service(limited!(PlacementAdminServiceServer::new(StaffApi(
            app.clone()
        ))))
        .method_limit(
            "/adfolio.plan.v1.DeliveryService/ReportDelivery",
            IMPORT_LIMIT,
        )
        .method_limit(
            "/adfolio.plan.v1.NetworkService/ReportNetworkDelivery",
            IMPORT_LIMIT,
        )
        .method_limit(
            "/adfolio.plan.v1.PlanAdminService/ImportDelivery",
            IMPORT_LIMIT,
        );
    let ending = backend.service.shutdown.clone();
    let serving = async move {
        let outcome = server.serve(listener, &ending).await;
        // Not earlier: puts that were under way at the shutdown still end.
        app.puts.close();
        Ok(outcome?)
    };
    backend.service.serve_with(serving).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App, writers: Writers, config: &Config) {
    let tasks = &backend.service.tasks;
    tasks.spawn("begin puts", writers.begin.run());
    tasks.spawn("place puts", writers.place.run());
    let worker = settlement::worker::run(app.clone(), backend.service.shutdown.clone());
    backend.spawn("orders' work", worker);
    if config.simulator.enabled {
        let args = config.simulator;
        backend.every(
            "simulator",
            args.interval(),
            JOB_LIMIT,
            app,
            move |app| async move { simulator::report_all(&app, args).await },
        );
    }
    backend.every("seal", SEAL_INTERVAL, JOB_LIMIT, app, |app| async move {
        seal::seal_all(&app).await
    });
    backend.every("marks", MARK_INTERVAL, JOB_LIMIT, app, |app| async move {
        marks::mark_all(&app).await
    });
    backend.every(
        "allotments",
        ALLOTMENT_TICK,
        JOB_LIMIT,
        app,
        |app| async move { allotment::round::run(&app).await },
    );
    backend.every(
        "closed allotments",
        ALLOTMENT_TICK,
        JOB_LIMIT,
        app,
        |app| async move {
            allotment::closing::close_due(&app).await?;
            allotment::learning::learn(&app).await
        },
    );
    backend.every(
        "old allotments",
        UPKEEP_INTERVAL,
        JOB_LIMIT,
        app,
        |app| async move { allotment::upkeep::forget(&app).await },
    );
    backend.every(
        "old days of reports",
        UPKEEP_INTERVAL,
        JOB_LIMIT,
        app,
        |app| async move { gate::forget(&app).await },
    );
    backend.saga::<Put>(config.recovery_interval(), app);
    backend.every(
        "sweep",
        config.sweep_interval(),
        JOB_LIMIT,
        app,
        |app| async move { settlement::sweep(&app).await },
    );
    backend.measure("supply", app, |app| async move {
        allotment::round::record_supply(&app).await
    });
    backend.measure("quarantined reports", app, |app| async move {
        quarantine::record_waiting(&app).await
    });
    backend.measure("waiting orders", app, |app| async move {
        settlement::record_waiting(&app).await
    });
}
