//! Auth: users, login, sessions, licence keys, account states, staff accounts and the audit log.
//!
//! What holds at every moment:
//! - A licence key opens one account; the key's use, the account and its event commit together.
//! - A token or password is nowhere in the database, the logs or an event: only a token's SHA-256 and a password's
//!   argon2id hash are stored.
//! - A login attempt is counted, per account and per account and address, before it is evaluated.
//! - Whether an account exists, and its state, is told only to whoever knows its password.
//! - What staff do here is announced like everywhere else; the audit log is written from those events and never changed.
//! - What staff did to an account is shown to its user; who it was and why is not.
//! - What ends a session or changes an account's state announces it in the same transaction.
//!
//! Account states and sessions: a state other than active ends no session. Its holder is still known, so the gateway can
//! answer why calls are refused (402, 403, 404); the change is announced, so a cached state lives no longer than that.
//! An account opened by a key that does not activate gets a session that can only open the store or log out; a later
//! login is refused until the account is active.
//!
//! The gRPC port belongs to the private network: identity in a call's metadata is believed.

pub mod config;

mod attempt;
mod audit;
mod consumer;
mod context;
mod error;
mod events;
mod grpc;
mod license;
mod password;
mod session;
mod staff;
mod user;
mod username;

use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::latch::Latch;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::{limited, periodic};
use adfolio_proto::auth::v1::auth_admin_service_server::AuthAdminServiceServer;
use adfolio_proto::auth::v1::auth_service_server::AuthServiceServer;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryServiceServer;
use tokio::net::TcpListener;
use tracing::warn;

use crate::config::AuthConfig;
use crate::context::Context;
use crate::error::AuthError;
use crate::grpc::{AdminGrpc, DirectoryGrpc, UserGrpc};
use crate::password::Passwords;

/// The tables of auth.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// How often long-dead sessions and old login counters are deleted.
const PRUNE_INTERVAL: Duration = Duration::from_mins(1);

/// Time for one pruning run.
const PRUNE_LIMIT: Duration = Duration::from_secs(30);

/// Batches of one pruning run at most.
const PRUNE_ROUNDS: u32 = 50;

/// Serves until the shutdown.
pub fn run(config: AuthConfig, listener: TcpListener, shutdown: Shutdown) -> Running {
    run_at(config, listener, shutdown, Clock::system())
}

/// Serves until the shutdown, by a clock of the caller's.
pub fn run_at(
    config: AuthConfig,
    listener: TcpListener,
    shutdown: Shutdown,
    clock: Clock,
) -> Running {
    Box::pin(serve(config, listener, shutdown, clock))
}

async fn serve(
    config: AuthConfig,
    listener: TcpListener,
    shutdown: Shutdown,
    clock: Clock,
) -> anyhow::Result<()> {
    // There from the start, so that the first lock is seen as a rise.
    metrics::counter!("auth_login_locks_total").increment(0);
    let service = Service::start("auth", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;
    let notifier = service.relay(&pool, &broker, &migrated);
    let context = Context {
        pool: pool.clone(),
        clock,
        ids: Ids::random(),
        notifier,
        passwords: Passwords::new(config.access.password_queue.into())?,
        limits: config.access.login_limits(),
        sessions: config.access.session_settings(),
    };
    service.consume(
        consumer::membership(),
        &pool,
        &broker,
        &migrated,
        consumer::MakeMember,
    );
    service.consume(
        consumer::audit(),
        &pool,
        &broker,
        &migrated,
        consumer::KeepAudit,
    );
    service.consume(
        consumer::security(),
        &pool,
        &broker,
        &migrated,
        consumer::NoteUserActs,
    );
    prune_in_background(&service, &migrated, &context);
    let server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(AuthServiceServer::new(UserGrpc::new(
            context.clone()
        ))))
        .add_service(limited!(UserDirectoryServiceServer::new(
            DirectoryGrpc::new(context.clone())
        )))
        .add_service(limited!(AuthAdminServiceServer::new(AdminGrpc::new(
            context
        ))));
    service.serve(server, listener).await
}

fn prune_in_background(service: &Service, migrated: &Latch, context: &Context) {
    let context = context.clone();
    let shutdown = service.shutdown.clone();
    service.tasks.spawn_after(migrated, "prune", async move {
        // Once at the start: a process that never lives for an interval still prunes.
        if let Err(error) = prune(&context).await {
            warn!(%error, "pruning failed");
        }
        let job = move || {
            let context = context.clone();
            async move { prune(&context).await }
        };
        periodic::every("prune", PRUNE_INTERVAL, PRUNE_LIMIT, shutdown, job).await;
    });
}

/// Deletes batch by batch until nothing is left or enough was done for one run.
async fn prune(context: &Context) -> Result<(), AuthError> {
    for _ in 0..PRUNE_ROUNDS {
        let sessions = session::prune(context).await?;
        let attempts = attempt::prune(context).await?;
        if sessions == 0 && attempts == 0 {
            break;
        }
    }
    Ok(())
}
