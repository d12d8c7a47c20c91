//! Coupons: campaigns that staff make, coupons that users claim, and the coupon's part in placing a plan.
//!
//! Invariants, each kept by the database and not only by the code before it:
//! - a user has at most one new-user coupon, and at most one periodic coupon of a name per local day (unique indexes);
//! - a campaign gives out no more coupons than its total (a check on each part of its stock);
//! - a campaign that may cost more than FOUR_EYES_ABOVE has no stock until another person releases it;
//! - a coupon serves at most one order at a time (unique index over open reservations);
//! - an order that was released never holds a coupon again: its row stays and says so;
//! - what a campaign has cost so far is counted with each change of a coupon (triggers);
//! - a change of a coupon and the event that reports it commit together.

mod app;
mod benefit;
mod campaign;
mod config;
mod consumer;
mod coupon;
mod error;
mod events;
mod grpc;
mod ids;
mod reservation;
mod schema;
mod waiting;

use adfolio_kit::limited;
use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::coupon::v1::coupon_admin_service_server::CouponAdminServiceServer;
use adfolio_proto::coupon::v1::coupon_reservation_service_server::CouponReservationServiceServer;
use adfolio_proto::coupon::v1::coupon_service_server::CouponServiceServer;
use tokio::net::TcpListener;

pub use config::Config;
pub use schema::SCHEMA;

use crate::app::{App, Parts};
use crate::grpc::{InternalApi, StaffApi, UserApi};

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let backend = Backend::start("coupon", &config.args, &SCHEMA, None, shutdown).await?;
    let app = App::new(&backend, &config.clock, Parts::new(&config, &backend)?);
    backend.consume(consumer::plans(), consumer::OnPlanStatus(app.clone()));
    start_jobs(&backend, &app, &config);
    let server = backend
        .server()
        .add_service(limited!(CouponServiceServer::new(UserApi(app.clone()))))
        .add_service(limited!(CouponReservationServiceServer::new(InternalApi(
            app.clone()
        ))))
        .add_service(limited!(CouponAdminServiceServer::new(StaffApi(app))));
    backend.serve(server, listener).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App, config: &Config) {
    backend.every(
        "expiry",
        config.expiry_sweep_interval(),
        coupon::SWEEP_LIMIT,
        app,
        |app| async move { coupon::sweep(&app).await },
    );
}
