//! Notifications: the users' inbox, fed by the events of other services and by staff, announcements to all, feedback, and
//! the texts that staff edit.
//!
//! Invariants:
//! - one happening is one notice, however often and in whatever order it is told (unique `source_key`);
//! - a user's unread total is exact after every commit: the user's own unread notices are counted in the transaction that
//!   changes them, announcements are numbered without holes and those that are done are counted likewise;
//! - an announcement is one row, and nobody's who came after it;
//! - a notice becomes text when it is read, in the reader's language;
//! - whatever changes an unread total is announced in the same transaction, and so is what staff do;
//! - customer-service entries lead to https addresses only, and every text has an English one.

mod config;
mod consumer;
mod content;
mod error;
mod events;
mod feedback;
mod grpc;
mod lang;
mod localized;
mod notice;
mod publish;
mod service_entry;
mod text;
mod users;

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

use crate::content::{BuiltIn, Contents};
use crate::feedback::FeedbackDesk;
use crate::notice::Notices;
use crate::publish::Publishing;
use crate::text::Catalogues;
use crate::users::Users;

/// This service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let catalogues = Arc::new(Catalogues::built_in().context("the texts are not usable")?);
    let built_in = Arc::new(BuiltIn::load().context("the built-in content is not usable")?);
    let service = Service::start("notification", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;
    let relay = service.relay(&pool, &broker, &migrated);
    let users = Users::connect(&config.auth_url, service.tls.as_ref())?;

    let (ids, clock) = (Ids::random(), config.clock.clone());
    let notices = Notices::new(pool.clone(), clock.clone(), users.clone(), relay.clone());
    let contents = Contents::new(
        pool.clone(),
        clock.clone(),
        ids.clone(),
        built_in,
        relay.clone(),
    );
    let publishing = Publishing::new(
        pool.clone(),
        clock.clone(),
        ids.clone(),
        users,
        relay.clone(),
    );
    let feedback = FeedbackDesk::new(pool.clone(), clock, ids.clone(), relay);
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
            grpc::UserCalls::new(notices, contents.clone(), feedback.clone(), catalogues)
        )))
        .add_service(limited!(NotificationAdminServiceServer::new(
            grpc::StaffCalls::new(contents, publishing, feedback)
        )));
    service.serve(server, listener).await
}
