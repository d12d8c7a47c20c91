//! PostgreSQL: the pool, migrations, rights to tables, and the one way to write.

pub(crate) mod command;
mod grants;
mod migrate;
mod prune;
mod write;

use std::str::FromStr;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub use grants::{KIT_RIGHTS, Rights, TableRights};
pub use migrate::{
    Logins, MIGRATOR, Schema, SchemaError, Version, Versions, migrate, migrate_in_background,
    migrate_once,
};
pub(crate) use prune::{PruneLimits, prune, prune_older};
pub use sqlx::PgPool;
pub(crate) use write::write_at;
pub use write::{detached, write, write_retrying};

use crate::config::{ConfigError, DatabaseArgs};

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
/// is down.
pub fn connect(args: &DatabaseArgs, application_name: &str) -> Result<PgPool, ConfigError> {
    let options = connect_options("DATABASE_URL", &args.url()?, application_name)?;
    let acquire_limit = Duration::from_millis(args.database_acquire_timeout_ms);
    Ok(pool_options(args.database_max_connections, acquire_limit).connect_lazy_with(options))
}

/// The settings of every session; `variable` names the one with the URL.
fn connect_options(
    variable: &'static str,
    url: &SecretString,
    application_name: &str,
) -> Result<PgConnectOptions, ConfigError> {
    let options =
        PgConnectOptions::from_str(url.expose_secret()).map_err(|_| ConfigError::Invalid {
            name: variable,
            expected: "a postgres:// URL",
        })?;
    Ok(options
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
        ]))
}

/// A pool for the writers of group commits, a connection for each, beside the service's own `pool`.
pub fn writer_pool(pool: &PgPool, writers: u32) -> PgPool {
    let own = pool.connect_options();
    let name = own.get_application_name().unwrap_or("adfolio");
    let options = (*own).clone().application_name(&format!("{name}-writer"));
    pool_options(writers, pool.options().get_acquire_timeout())
        .connect_lazy_with(planned_once(options))
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
async fn open_connections(pool: &PgPool) -> Result<(), sqlx::Error> {
    let needed = READY_CONNECTIONS.min(pool.options().get_max_connections());
    let mut opened = Vec::new();
    for _ in 0..needed {
        opened.push(pool.acquire().await?);
    }
    Ok(())
}

/// Whether the database answers.
async fn is_reachable(pool: &PgPool) -> bool {
    sqlx::query_scalar!("SELECT 1")
        .fetch_one(pool)
        .await
        .is_ok()
}
