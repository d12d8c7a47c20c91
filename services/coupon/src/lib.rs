//! Coupons: campaigns that staff make, coupons that users claim, and the coupon's part in the put saga.
//!
//! Invariants, each kept by the database and not only by the code before it:
//! - a user has at most one new-user coupon, and at most one periodic coupon of a name per local day (unique indexes);
//! - a campaign gives out no more coupons than its total (a check on each part of its stock);
//! - a coupon serves at most one order at a time (unique index over open reservations);
//! - an order that was released never holds a coupon again: its row stays and says so;
//! - a change of a coupon and the event that reports it commit together.

mod benefit;
mod campaign;
mod config;
mod consumer;
mod coupon;
mod error;
mod events;
mod grpc;
mod ids;
mod peers;
mod reservation;

use adfolio_kit::clock::Ids;
use adfolio_kit::limited;
use adfolio_kit::periodic;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::coupon::v1::coupon_admin_service_server::CouponAdminServiceServer;
use adfolio_proto::coupon::v1::coupon_reservation_service_server::CouponReservationServiceServer;
use adfolio_proto::coupon::v1::coupon_service_server::CouponServiceServer;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;

pub use config::Config;

use crate::campaign::Campaigns;
use crate::coupon::Coupons;
use crate::peers::Peers;
use crate::reservation::Reservations;

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let service = Service::start("coupon", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;
    let notifier = service.relay(&pool, &broker, &migrated);

    let (clock, ids) = (config.clock.clone(), Ids::random());
    let campaigns = Campaigns::new(pool.clone(), clock.clone(), ids.clone());
    let coupons = Coupons::new(
        pool.clone(),
        clock.clone(),
        ids,
        notifier.clone(),
        Peers::connect(&config.auth_url, service.tls.as_ref())?,
    );
    let reservations = Reservations::new(pool.clone(), clock.clone(), notifier.clone());

    service.consume(
        consumer::plans(),
        &pool,
        &broker,
        &migrated,
        consumer::OnPlanStatus::new(clock, notifier),
    );
    let swept = coupons.clone();
    let sweeper = periodic::every(
        "expiry",
        config.expiry_sweep_interval(),
        coupon::SWEEP_LIMIT,
        service.shutdown.clone(),
        move || {
            let coupons = swept.clone();
            async move { coupons.sweep().await.map(|_| ()) }
        },
    );
    service.tasks.spawn_after(&migrated, "expiry", sweeper);

    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(CouponServiceServer::new(grpc::UserCalls::new(
            coupons.clone()
        ))))
        .add_service(limited!(CouponReservationServiceServer::new(
            grpc::SagaCalls::new(reservations)
        )))
        .add_service(limited!(CouponAdminServiceServer::new(
            grpc::StaffCalls::new(campaigns, coupons)
        )));
    service.serve(server, listener).await
}
