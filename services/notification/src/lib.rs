//! Notifications: the users' inbox, fed by the events of other services and by staff, announcements to all, feedback, and
//! the texts that staff edit.
//!
//! Invariants:
//! - one event is one notice, however often and in whatever order it arrives (unique `source_key`);
//! - a user's unread total is exact after every commit: the user's own unread notices are counted in the transaction that
//!   changes them, announcements are numbered without holes and those that are done are counted likewise;
//! - an announcement is one row, and only for users who were there before it;
//! - a notice becomes text when it is read, in the reader's language;
//! - whatever changes an unread total is announced in the same transaction, and so is what staff do;
//! - customer-service entries lead to https addresses only, and every text has an English one.

mod app;
mod config;
mod consumer;
mod content;
mod error;
mod events;
mod feedback;
mod grpc;
mod ids;
mod lang;
mod localized;
mod notice;
mod publish;
mod service_entry;
mod text;

use adfolio_kit::limited;
use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminServiceServer;
use adfolio_proto::notification::v1::notification_service_server::NotificationServiceServer;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;

pub use config::Config;

use crate::app::{App, Parts};
use crate::grpc::{StaffApi, UserApi};

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let backend = Backend::start("notification", &config.args, &MIGRATOR, None, shutdown).await?;
    let app = App::new(&backend, &config.clock, Parts::new(&config, &backend)?);
    backend.consume(consumer::inbox(), consumer::IntoInbox(app.clone()));
    let server = backend
        .server()
        .add_service(limited!(NotificationServiceServer::new(UserApi(
            app.clone()
        ))))
        .add_service(limited!(NotificationAdminServiceServer::new(StaffApi(app))));
    backend.serve(server, listener).await
}
