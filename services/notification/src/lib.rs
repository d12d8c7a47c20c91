//! Notifications: the users' inbox, fed by the events of other services, and the ways to reach customer service.
//!
//! Invariants:
//! - one happening is one notice, however often and in whatever order it is told (unique `source_key`);
//! - the unread counter of a user equals the user's unread notices after every commit (changed in the same transaction);
//! - a notice is stored as template and parameters and becomes text when it is read, in the reader's language;
//! - customer-service entries lead to https addresses only and have an English label.

mod config;
mod consumer;
mod error;
mod grpc;
mod lang;
mod notice;
mod service_entry;
mod text;

use std::sync::Arc;

use adfolio_kit::clock::Ids;
use adfolio_kit::limited;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminServiceServer;
use adfolio_proto::notification::v1::notification_service_server::NotificationServiceServer;
use anyhow::Context as _;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;

pub use config::Config;

use crate::notice::Notices;
use crate::service_entry::ServiceEntries;
use crate::text::Catalogues;

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let catalogues = Arc::new(Catalogues::built_in().context("the texts are not usable")?);
    let service = Service::start("notification", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;

    let ids = Ids::random();
    let notices = Notices::new(pool.clone(), config.clock.clone());
    let entries = ServiceEntries::new(pool.clone(), ids.clone());
    service.consume(
        consumer::inbox(),
        &pool,
        &broker,
        &migrated,
        consumer::IntoInbox::new(ids),
    );

    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(NotificationServiceServer::new(
            grpc::UserCalls::new(notices, entries.clone(), catalogues)
        )))
        .add_service(limited!(NotificationAdminServiceServer::new(
            grpc::StaffCalls::new(entries)
        )));
    service.serve(server, listener).await
}
