//! PostgreSQL: the pool, migrations, rights to tables, and the one way to write.

pub(crate) mod command;
mod connection;
mod executor;
mod grants;
mod migrate;
mod pool;
mod primary;
mod prune;
mod servers;
mod standbys;
mod write;

use std::time::Duration;

use secrecy::SecretString;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub use connection::{Connection, Lease};
pub use grants::{KIT_RIGHTS, Rights, TableRights};
pub use migrate::{
    Logins, MIGRATOR, Schema, SchemaError, Version, Versions, migrate, migrate_in_background,
    migrate_once,
};
pub use pool::{NoPrimary, Pool};
pub(crate) use prune::{PruneLimits, prune, prune_older};
pub(crate) use write::write_at;
pub use write::{detached, write, write_retrying};

use crate::chaos::Defect;
use crate::config::{ConfigError, DatabaseArgs};
use servers::Servers;

/// A transaction as seen by use cases: a connection inside one. Only [`write`] can commit it.
pub type Tx = sqlx::PgConnection;

/// Limit of a statement.
const STATEMENT_LIMIT: Duration = Duration::from_secs(8);

/// Limit of a statement's wait for a lock.
const LOCK_LIMIT: Duration = Duration::from_secs(4);

/// An idle transaction (of a frozen process) releases its locks after this.
const IDLE_TRANSACTION_LIMIT: Duration = Duration::from_secs(10);

/// A connection that was unused for longer is pinged before use, so a restart of the server costs a
/// ping instead of a failed call. A recently used one is not: a ping is a round trip of its own.
const PING_AFTER: Duration = Duration::from_millis(500);

/// Connections are renewed, so that they follow a failover or rebalancing.
const CONNECTION_AGE_LIMIT: Duration = Duration::from_mins(30);

/// Connections opened for a peak are closed again.
const CONNECTION_IDLE_LIMIT: Duration = Duration::from_mins(5);

/// Connections that a replica has opened before it takes calls.
const READY_CONNECTIONS: u32 = 8;

/// A pool that connects when a connection is first needed: a service can start while its database
/// is down. Must be called inside a runtime.
pub fn connect(args: &DatabaseArgs, application_name: &str) -> Result<Pool, ConfigError> {
    let primary = servers("DATABASE_URL", &args.url()?, application_name)?;
    let acquire_limit = Duration::from_millis(args.database_acquire_timeout_ms);
    let options = pool_options(args.database_max_connections, acquire_limit);
    let pool = Pool::of(primary, options);
    let Some(url) = args.read_url()? else {
        return Ok(pool);
    };
    let standbys = servers("DATABASE_READ_URL", &url, application_name)?;
    Ok(pool.with_standbys(&standbys))
}

/// The servers of a URL with the settings of every session; `variable` names the one with the URL.
fn servers(
    variable: &'static str,
    url: &SecretString,
    application_name: &str,
) -> Result<Servers, ConfigError> {
    let servers = Servers::parse(variable, url)?;
    Ok(servers.map(|options| session_options(options, application_name)))
}

fn session_options(options: PgConnectOptions, application_name: &str) -> PgConnectOptions {
    let options = if Defect::CommitsNotSynchronous.is_enabled() {
        options.options([("synchronous_commit", "off")])
    } else {
        options
    };
    options
        .application_name(&format!("adfolio-{application_name}"))
        .options([
            ("statement_timeout", STATEMENT_LIMIT.as_millis().to_string()),
            ("lock_timeout", LOCK_LIMIT.as_millis().to_string()),
            (
                "idle_in_transaction_session_timeout",
                IDLE_TRANSACTION_LIMIT.as_millis().to_string(),
            ),
            // The server stops working for a client that is gone.
            ("client_connection_check_interval", "5000".to_owned()),
            ("TimeZone", "UTC".to_owned()),
        ])
}

/// Connections for the writers of group commits, one for each, beside the service's own.
pub fn for_writers(pool: &Pool, writers: u32) -> Pool {
    let options = pool_options(writers, pool.options().get_acquire_timeout());
    pool.beside(options, |own| {
        let name = own.get_application_name().unwrap_or("adfolio");
        let name = format!("{name}-writer");
        planned_once(own.application_name(&name))
    })
}

/// Options of a session whose statements are planned once. Planning statements over arrays for each
/// call would cost more than the call; and the one plan must be the one by index, whatever the
/// statistics of tables that were empty a moment ago say.
pub fn planned_once(options: PgConnectOptions) -> PgConnectOptions {
    options.options([
        ("plan_cache_mode", "force_generic_plan"),
        ("enable_seqscan", "off"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("jit", "off"),
    ])
}

fn pool_options(connections: u32, acquire_limit: Duration) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(acquire_limit)
        .max_lifetime(CONNECTION_AGE_LIMIT)
        .idle_timeout(CONNECTION_IDLE_LIMIT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for < PING_AFTER {
                    return Ok(true);
                }
                // A connection that the server has closed is replaced.
                Ok(connection.ping().await.is_ok())
            })
        })
}

/// Opens connections one after another until there are enough for the first calls. A replica that is added under load
/// would otherwise open them all at once while its first calls wait.
async fn open_connections(pool: &Pool) -> Result<(), sqlx::Error> {
    let needed = READY_CONNECTIONS.min(pool.most_writing());
    let mut opened = Vec::new();
    for _ in 0..needed {
        opened.push(pool.acquire().await?);
    }
    Ok(())
}

/// Whether the database answers.
async fn is_reachable(pool: &Pool) -> bool {
    sqlx::query_scalar!("SELECT 1")
        .fetch_one(pool)
        .await
        .is_ok()
}
