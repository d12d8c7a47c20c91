//! PostgreSQL: the pool, migrations, and the one way to write.

mod migrate;
mod write;

use std::str::FromStr;
use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub use migrate::{MIGRATOR, Schema, Version, migrate, migrate_in_background};
pub use sqlx::PgPool;
pub(crate) use write::write_at;
pub use write::{detached, write, write_retrying};

use crate::config::{ConfigError, DatabaseArgs};

/// A transaction as use cases see it: a connection inside one. It cannot be committed from there, only by [`write`].
pub type Tx = sqlx::PgConnection;

/// No statement may run longer.
const STATEMENT_LIMIT: Duration = Duration::from_secs(8);

/// No statement may wait longer for a lock.
const LOCK_LIMIT: Duration = Duration::from_secs(4);

/// A transaction that nobody drives any more (a frozen process) gives its locks back after this.
const IDLE_TRANSACTION_LIMIT: Duration = Duration::from_secs(10);

/// A connection that was unused for longer is asked whether it lives before it is used: a restart of the server costs a ping
/// instead of a failed call. One that has just worked is believed, for a ping is a round trip of its own.
const PING_AFTER: Duration = Duration::from_millis(500);

/// Connections are renewed, so that a failed-over or re-balanced server is noticed.
const CONNECTION_AGE_LIMIT: Duration = Duration::from_mins(30);

/// Connections that a peak opened are given back.
const CONNECTION_IDLE_LIMIT: Duration = Duration::from_mins(5);

/// A pool whose connections are opened when they are first needed: a service starts with its database down.
pub fn connect(args: &DatabaseArgs, application_name: &str) -> Result<PgPool, ConfigError> {
    let url = args.url()?;
    let options = PgConnectOptions::from_str(url.expose_secret())
        .map_err(|_| ConfigError::Invalid {
            name: "DATABASE_URL",
            expected: "a postgres:// URL",
        })?
        .application_name(&format!("adfolio-{application_name}"))
        .options([
            ("statement_timeout", STATEMENT_LIMIT.as_millis().to_string()),
            ("lock_timeout", LOCK_LIMIT.as_millis().to_string()),
            (
                "idle_in_transaction_session_timeout",
                IDLE_TRANSACTION_LIMIT.as_millis().to_string(),
            ),
            // A server whose client is gone stops working for it.
            ("client_connection_check_interval", "5000".to_owned()),
            ("TimeZone", "UTC".to_owned()),
        ]);
    let pool = PgPoolOptions::new()
        .max_connections(args.database_max_connections)
        .acquire_timeout(Duration::from_millis(args.database_acquire_timeout_ms))
        .max_lifetime(CONNECTION_AGE_LIMIT)
        .idle_timeout(CONNECTION_IDLE_LIMIT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for < PING_AFTER {
                    return Ok(true);
                }
                // One that the server closed meanwhile is replaced.
                Ok(connection.ping().await.is_ok())
            })
        })
        .connect_lazy_with(options);
    Ok(pool)
}

/// Whether the database answers: for readiness.
pub async fn is_reachable(pool: &PgPool) -> bool {
    sqlx::query("SELECT 1").execute(pool).await.is_ok()
}
