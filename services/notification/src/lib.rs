//! Notifications: the users' inbox and mail, fed by the events of other services and by staff, announcements to all,
//! feedback, and the texts that staff edit.
//!
//! Invariants:
//! - one event is one notice, however often and in whatever order it arrives (unique `source_key`);
//! - a user's unread total is exact after every commit: the user's own unread notices are counted in the transaction that
//!   changes them, announcements are numbered without holes and those that are done are counted likewise;
//! - news of a user's money and security is mailed, too: a mail is written with its notice, sent at least once, and never
//!   says where a user could be led astray; addresses are auth's and never stored here;
//! - push messages go only to browsers of sessions that nobody has ended, and only to push services that are known;
//! - the link of a mail can do one thing, stop what leaves the wallet; of its token only a digest is stored;
//! - an announcement is one row, and only for users who were there before it;
//! - what is scheduled is published once, in the transaction that marks it so, and users see nothing of it before;
//! - every change of the content is a version that stays, and nobody overwrites what they have not seen;
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
mod mail;
mod notice;
mod outgoing;
mod peers;
mod publish;
mod push;
mod schema;
mod service_entry;
mod text;
mod waiting;

use std::time::Duration;

use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::{limited, periodic};
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminServiceServer;
use adfolio_proto::notification::v1::notification_service_server::NotificationServiceServer;
use tokio::net::TcpListener;
use tracing::warn;

pub use config::Config;
pub use mail::config::{MailArgs, Way};
pub use push::config::PushArgs;
pub use schema::SCHEMA;

use crate::app::{App, Parts};
use crate::error::NotificationError;
use crate::grpc::{StaffApi, UserApi};

/// How often old mails are deleted, and the longest that one run of it may take.
const PRUNE_INTERVAL: Duration = Duration::from_mins(1);
const PRUNE_LIMIT: Duration = Duration::from_secs(30);

/// How often what is scheduled is looked at, and the longest that one run of it may take.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(1);
const PUBLISH_LIMIT: Duration = Duration::from_secs(30);

/// How often announcements are looked for whose readers nobody has counted, and the longest that one run of it may take.
const REACH_INTERVAL: Duration = Duration::from_secs(3);
const REACH_LIMIT: Duration = Duration::from_secs(15);

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let backend = Backend::start("notification", &config.args, &SCHEMA, None, shutdown).await?;
    let app = App::new(&backend, &config.clock, Parts::new(&config, &backend)?);
    backend.consume(consumer::inbox(), consumer::IntoInbox(app.clone()));
    start_jobs(&backend, &app);
    let server = backend
        .server()
        .add_service(limited!(NotificationServiceServer::new(UserApi(
            app.clone()
        ))))
        .add_service(limited!(NotificationAdminServiceServer::new(StaffApi(app))));
    backend.serve(server, listener).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App) {
    start_pruning(backend, app.clone());
    backend.every(
        "publications",
        PUBLISH_INTERVAL,
        PUBLISH_LIMIT,
        app,
        publish::publish_due,
    );
    backend.every(
        "reach",
        REACH_INTERVAL,
        REACH_LIMIT,
        app,
        publish::count_reached,
    );
    backend.measure("mail", app, mail::worker::measure);
    if let Some(mailer) = app.mailer.clone() {
        // Present from the start, so that the first one shows as an increase.
        for outcome in mail::worker::OUTCOMES {
            mail::worker::count(outcome, 0);
        }
        let shutdown = backend.service.shutdown.clone();
        backend.spawn("mail", mail::worker::run(app.clone(), mailer, shutdown));
    }
    backend.measure("push", app, push::worker::measure);
    if let Some(pusher) = app.pusher.clone() {
        for outcome in push::worker::OUTCOMES {
            push::worker::count(outcome, 0);
        }
        let shutdown = backend.service.shutdown.clone();
        backend.spawn("push", push::worker::run(app.clone(), pusher, shutdown));
    }
}

fn start_pruning(backend: &Backend, app: App) {
    let shutdown = backend.service.shutdown.clone();
    backend.spawn("prune", async move {
        // Once at the start: a process that never lives for an interval still prunes.
        if let Err(error) = prune(app.clone()).await {
            warn!(%error, "pruning failed");
        }
        let job = move || prune(app.clone());
        periodic::every("prune", PRUNE_INTERVAL, PRUNE_LIMIT, shutdown, job).await;
    });
}

async fn prune(app: App) -> Result<(), NotificationError> {
    mail::worker::prune(app.clone()).await?;
    push::worker::prune(app).await
}
