//! Auth: users, login, sessions, licence keys, account states, staff accounts and the audit log.
//!
//! Invariants:
//! - A licence key opens one account. The key's use, the account and its event commit together.
//! - No token and no password is in the database, the logs or an event. The database has the SHA-256 of a token and the
//!   argon2id hash of a password.
//! - A login attempt is counted before it is evaluated: of a device that the account knows for this device, of any
//!   other per account, per account and address, and over all names per address and network. A password typed in a
//!   session is counted for this session, and an authorisation code per address, network and account.
//! - An assertion of a host opens one session. A token that staff make opens a store, and never a session of an open account.
//! - Only a caller who knows an account's password learns that it exists, and its state.
//! - Auth announces what staff do here like every other service. The audit log is written from those events and never
//!   changed.
//! - A user sees what staff did to the account, but neither who did it nor why.
//! - A member of staff who is disabled, gets another role or another password has no session of before. There is always
//!   an active admin, and nobody changes the own state or role.
//! - Of every account but the founders' it is known who made it and who reset it: the other services ask whether two
//!   accounts are two people.
//! - A session of staff without the second factor that it needs may only set it up or show it. A code counts once, and so
//!   does a ceremony of a passkey. Where a second factor is active, only a session that has just shown it adds another.
//! - Every login under the name of a member of staff, right or wrong, is audited.
//! - No session outlives its longest time, however much it is used.
//! - A changed contact is announced, without the contact, and the e-mail address of before is kept for 72 hours, so that
//!   its holder learns of the change. So is a login with a client that is new to the account.
//! - An e-mail address is confirmed by a code that was mailed to it, for its user alone. A changed address is not
//!   confirmed. The code is in the mail, and in no table, event or log.
//! - Who works on an item in the console is known for two minutes at a time. It warns the others and stops nobody.
//! - A change that ends a session or changes an account's state announces it in the same transaction.
//!
//! A state other than active ends no session. The gateway can still answer its holder why calls are refused (402, 403,
//! 404), and the event drops the state from the gateway's cache. An account opened by a key that does not activate gets
//! a session that can only open the store or log out; a later login is refused until the account is active.
//!
//! The gRPC port belongs to the private network: without `IDENTITY_PUBLIC_KEYS_FILE` auth trusts the identity in a call's
//! metadata, with it only what it signed itself.

mod app;
mod attempt;
mod audit;
mod claim;
mod config;
mod consumer;
mod device;
mod error;
mod events;
mod free_form;
mod grpc;
mod host;
mod ids;
mod license;
mod lookalike;
mod nickname;
mod password;
mod schema;
mod session;
mod staff;
mod user;
mod username;

use std::time::Duration;

use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::{jwt, limited, periodic};
use adfolio_proto::auth::v1::auth_admin_service_server::AuthAdminServiceServer;
use adfolio_proto::auth::v1::auth_service_server::AuthServiceServer;
use adfolio_proto::auth::v1::staff_directory_service_server::StaffDirectoryServiceServer;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryServiceServer;
use tokio::net::TcpListener;
use tracing::warn;

pub use config::Config;
pub use schema::SCHEMA;
pub use staff::factor::Policy as SecondFactorPolicy;

use crate::app::{App, Parts};
use crate::attempt::guess;
use crate::error::AuthError;
use crate::grpc::{InternalApi, StaffApi, UserApi};
use crate::lookalike::Owners;
use crate::staff::{factor, passkey};

/// How often old sessions, counters, devices, used assertions and ceremonies, clients, former e-mail addresses and claims
/// are deleted.
const PRUNE_INTERVAL: Duration = Duration::from_mins(1);

/// The longest that one run of it may take.
const PRUNE_LIMIT: Duration = Duration::from_secs(30);

/// Batches of one run at most.
const PRUNE_ROUNDS: u32 = 50;

/// How often missing skeletons of names are added; a replica of the release before adds rows without.
const FILL_INTERVAL: Duration = Duration::from_mins(1);

/// The longest that one run of it may take.
const FILL_LIMIT: Duration = Duration::from_secs(30);

/// Batches of one run at most.
const FILL_ROUNDS: u32 = 200;

/// How often new entries of the audit log are sealed.
const SEAL_INTERVAL: Duration = Duration::from_secs(2);

/// The longest that one run of it may take.
const SEAL_LIMIT: Duration = Duration::from_secs(30);

/// Batches of one run at most.
const SEAL_ROUNDS: u32 = 100;

/// How often the last uses of sessions are stored.
const SESSION_USES_INTERVAL: Duration = Duration::from_secs(1);

/// The longest that one run of it may take.
const SESSION_USES_LIMIT: Duration = Duration::from_secs(30);

/// How often second factors that the previous key sealed are sealed anew; soon in debug builds, where tests wait for it.
const ROTATION_INTERVAL: Duration =
    Duration::from_secs(if cfg!(debug_assertions) { 1 } else { 60 });

/// The longest that one run of it may take.
const ROTATION_LIMIT: Duration = Duration::from_secs(30);

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    jwt::install();
    // Present from the start, so that the first lock shows as an increase.
    metrics::counter!("auth_login_locks_total").increment(0);
    metrics::counter!("auth_guess_limits_total").increment(0);
    metrics::counter!("auth_unknown_staff_logins_total").increment(0);
    let parts = Parts::new(&config)?;
    let backend = Backend::start("auth", &config.args, &SCHEMA, None, shutdown).await?;
    let app = App::new(&backend, &config.clock, parts);
    backend.consume(consumer::membership(), consumer::OnStaffPosting);
    backend.consume(consumer::audit(), consumer::OnStaffActed);
    backend.consume(consumer::security(), consumer::OnWalletSecurityChanged);
    start_jobs(&backend, &app);
    let server = backend
        .server()
        .add_service(limited!(AuthServiceServer::new(UserApi(app.clone()))))
        .add_service(limited!(UserDirectoryServiceServer::new(InternalApi(
            app.clone()
        ))))
        .add_service(limited!(StaffDirectoryServiceServer::new(InternalApi(
            app.clone()
        ))))
        .add_service(limited!(AuthAdminServiceServer::new(StaffApi(app))));
    backend.serve(server, listener).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App) {
    start_filling(backend, app.clone());
    start_sealing(backend, app.clone());
    backend.every(
        "session uses",
        SESSION_USES_INTERVAL,
        SESSION_USES_LIMIT,
        app,
        |app| async move { session::uses::store(&app).await },
    );
    backend.every(
        "rotation",
        ROTATION_INTERVAL,
        ROTATION_LIMIT,
        app,
        |app| async move { factor::rotate(&app).await },
    );
    let (app, shutdown) = (app.clone(), backend.service.shutdown.clone());
    backend.spawn("prune", async move {
        // Once at the start: a process that never lives for an interval still prunes.
        if let Err(error) = prune(&app).await {
            warn!(%error, "pruning failed");
        }
        let job = move || {
            let app = app.clone();
            async move { prune(&app).await }
        };
        periodic::every("prune", PRUNE_INTERVAL, PRUNE_LIMIT, shutdown, job).await;
    });
}

fn start_filling(backend: &Backend, app: App) {
    let shutdown = backend.service.shutdown.clone();
    backend.spawn("fill", async move {
        // Once at the start, for the names of before.
        if let Err(error) = fill(&app).await {
            warn!(%error, "adding skeletons of names failed");
        }
        let job = move || {
            let app = app.clone();
            async move { fill(&app).await }
        };
        periodic::every("fill", FILL_INTERVAL, FILL_LIMIT, shutdown, job).await;
    });
}

fn start_sealing(backend: &Backend, app: App) {
    let shutdown = backend.service.shutdown.clone();
    backend.spawn("seal", async move {
        let job = move || {
            let app = app.clone();
            async move { seal(&app).await }
        };
        periodic::every("seal", SEAL_INTERVAL, SEAL_LIMIT, shutdown, job).await;
    });
}

/// Seals entries of the audit log batch by batch until none waits or enough was done for one run.
async fn seal(app: &App) -> Result<(), AuthError> {
    for _ in 0..SEAL_ROUNDS {
        if audit::seal::seal(app).await? == 0 {
            break;
        }
    }
    Ok(())
}

/// Adds missing skeletons batch by batch until there are all or enough was done for one run.
async fn fill(app: &App) -> Result<(), AuthError> {
    for _ in 0..FILL_ROUNDS {
        let staff = lookalike::fill(app, Owners::Staff).await?;
        let users = lookalike::fill(app, Owners::Users).await?;
        if staff == 0 && users == 0 {
            break;
        }
    }
    Ok(())
}

/// Deletes batch by batch until nothing is left or enough was done for one run.
async fn prune(app: &App) -> Result<(), AuthError> {
    for _ in 0..PRUNE_ROUNDS {
        let sessions = session::prune(app).await?;
        let attempts = attempt::prune(app).await?;
        let guesses = guess::prune(app).await?;
        let devices = device::prune(app).await?;
        let assertions = host::prune(app).await?;
        let clients = session::prune_clients(app).await?;
        let emails = user::prune_former_emails(app).await?;
        let codes = user::prune_codes(app).await?;
        let claims = claim::prune(app).await?;
        let ceremonies = passkey::prune(app).await?;
        let deleted = [
            sessions, attempts, guesses, devices, assertions, clients, emails, codes, claims,
            ceremonies,
        ];
        if deleted == [0; 10] {
            break;
        }
    }
    Ok(())
}
