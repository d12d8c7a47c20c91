//! Migrations: kit's and the service's, under one lock, retried until the database is there.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{ConnectOptions, PgConnection, PgPool};
use tokio::sync::watch;
use tracing::{info, warn};

use crate::admin::Readiness;
use crate::backoff::Backoff;
use crate::refusal::chain;
use crate::shutdown::{Shutdown, Tasks};

/// kit's own tables: outbox, inbox, idempotency keys.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// The advisory lock that replicas starting together queue up for.
const LOCK: i64 = 0x0061_6466_6f6c_696f;

/// Another replica's migrations may take this long.
const LOCK_WAIT_LIMIT: Duration = Duration::from_mins(5);

/// How often the lock is tried.
const LOCK_POLL: Duration = Duration::from_millis(100);

/// A statement of a migration may wait this long for a table: queries queue up behind it meanwhile.
const TABLE_LOCK_LIMIT: Duration = Duration::from_secs(10);

/// Tells when the schema is there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Migrated(watch::Receiver<bool>);

impl Migrated {
    /// For databases whose schema is known to be there.
    pub fn already() -> Self {
        Self(watch::channel(true).1)
    }

    /// Waits for the schema.
    pub async fn wait(&self) {
        let mut seen = self.0.clone();
        // The sender goes away only after it said true, or with the process.
        if seen.wait_for(|done| *done).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the schema is there.
    pub fn is_done(&self) -> bool {
        *self.0.borrow()
    }
}

/// Applies kit's migrations and `service`'s. Any number of replicas may do it at once.
pub async fn migrate(pool: &PgPool, service: &Migrator) -> Result<(), MigrateError> {
    // A connection of its own: a migration may take longer than any statement of a call, and a connection that is
    // dropped half way is closed, which gives the lock back.
    let options = (*pool.connect_options()).clone().options([
        ("statement_timeout", "0".to_owned()),
        ("idle_in_transaction_session_timeout", "0".to_owned()),
        ("lock_timeout", TABLE_LOCK_LIMIT.as_millis().to_string()),
    ]);
    let mut connection = options.connect().await?;
    lock(&mut connection).await?;
    MIGRATOR.run_direct(None, &mut connection, false).await?;
    service.run_direct(None, &mut connection, false).await?;
    sqlx::Connection::close(connection).await?;
    Ok(())
}

/// Polls instead of waiting inside PostgreSQL: a session waiting for an advisory lock holds a snapshot, and
/// `CREATE INDEX CONCURRENTLY` in the migration of another replica would wait for it: a deadlock.
async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let give_up = tokio::time::Instant::now() + LOCK_WAIT_LIMIT;
    loop {
        let taken: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
            .bind(LOCK)
            .fetch_one(&mut *connection)
            .await?;
        if taken {
            return Ok(());
        }
        if tokio::time::Instant::now() >= give_up {
            return Err(sqlx::Error::PoolTimedOut);
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
}

/// Migrates as soon as the database can be reached; until then the process is not ready. A migration that is itself
/// wrong is retried like an outage: the process stays not ready and says why, where it can be seen.
pub fn migrate_in_background(
    pool: &PgPool,
    service: &'static Migrator,
    readiness: &Readiness,
    tasks: &Tasks,
    shutdown: &Shutdown,
) -> Migrated {
    let (sender, receiver) = watch::channel(false);
    let migrated = Migrated(receiver);
    let seen = migrated.clone();
    let checked = pool.clone();
    readiness.register("database", move || {
        let done = seen.is_done();
        let pool = checked.clone();
        async move { done && super::is_reachable(&pool).await }
    });
    let pool = pool.clone();
    let shutdown = shutdown.clone();
    tasks.spawn("migrate", async move {
        let mut backoff = Backoff::reconnect();
        loop {
            let outcome = tokio::select! {
                outcome = migrate(&pool, service) => outcome,
                () = shutdown.cancelled() => return,
            };
            match outcome {
                Ok(()) => break,
                Err(error) => warn!(error = chain(&error), "cannot migrate yet"),
            }
            if !shutdown.sleep(backoff.next_wait()).await {
                return;
            }
        }
        info!("database schema is current");
        sender.send_replace(true);
    });
    migrated
}
