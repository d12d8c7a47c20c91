//! Migrations: kit's and the service's, under one lock, retried until the database is available.
//!
//! A program accepts a schema of a later release: replicas of two releases run side by side during
//! a rolling update, and a rollback starts the earlier programs. The migrations it knows must be
//! there unchanged.

use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::{ConnectOptions, PgConnection, PgPool};
use tracing::{info, warn};

use crate::admin::Readiness;
use crate::backoff::Backoff;
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::{Shutdown, Tasks};

/// kit's own tables: outbox, inbox, idempotency keys.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// The advisory lock that serialises replicas that start together.
const LOCK: i64 = 0x0061_6466_6f6c_696f;

/// Limit of the wait for another replica's migrations.
const LOCK_WAIT_LIMIT: Duration = Duration::from_mins(5);

/// How often the lock is tried.
const LOCK_POLL: Duration = Duration::from_millis(100);

/// Limit of a migration's wait for a table lock: other queries queue up behind it.
const TABLE_LOCK_LIMIT: Duration = Duration::from_secs(10);

/// The state of a migrations table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The newest migration known to this program.
    pub known: i64,
    /// The newest migration in the database; if it is not known, a later release applied it.
    pub found: i64,
}

impl Version {
    /// Whether a later release migrated the database.
    pub fn is_newer(self) -> bool {
        self.found > self.known
    }
}

/// The versions of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Of kit's tables.
    pub kit: Version,
    /// Of the service's.
    pub service: Version,
}

/// Applies the missing migrations of kit and of `service`. Any number of replicas may do it at the
/// same time, including those of neighbouring releases. Fails if a known migration was applied with
/// a different text, or if a later release migrated without some of them.
pub async fn migrate(pool: &PgPool, service: &Migrator) -> Result<Schema, MigrateError> {
    // A connection of its own: a migration may take longer than any statement of a call, and a
    // dropped connection is closed, which releases the lock.
    let options = (*pool.connect_options()).clone().options([
        ("statement_timeout", "0".to_owned()),
        ("idle_in_transaction_session_timeout", "0".to_owned()),
    ]);
    let mut connection = options.connect().await?;
    lock(&mut connection).await?;
    let schema = Schema {
        kit: apply(&MIGRATOR, &mut connection).await?,
        service: apply(service, &mut connection).await?,
    };
    sqlx::Connection::close(connection).await?;
    Ok(schema)
}

/// Applies the missing migrations; leaves later ones alone.
async fn apply(
    migrator: &Migrator,
    connection: &mut PgConnection,
) -> Result<Version, MigrateError> {
    let table = &migrator.table_name;
    connection.ensure_migrations_table(table).await?;
    let applied = connection.list_applied_migrations(table).await?;
    let known = migrator.iter().map(|it| it.version).max().unwrap_or(0);
    let found = applied.iter().map(|it| it.version).max().unwrap_or(0);
    for version in applied.iter().map(|it| it.version) {
        if version <= known && !migrator.version_exists(version) {
            return Err(MigrateError::VersionMissing(version));
        }
    }
    let is_applied = |version| applied.iter().any(|it| it.version == version);
    let missing: Vec<_> = migrator
        .iter()
        .filter(|it| !is_applied(it.version))
        .collect();
    if found > known
        && let Some(missing) = missing.first()
    {
        // A later release applied its migrations after all earlier ones; a missing one does not fit
        // behind them.
        return Err(MigrateError::VersionTooOld(missing.version, found));
    }
    // sqlx's own check would refuse unknown migrations. Without it, the texts of the known ones are
    // still compared.
    let mut lenient = Migrator::with_migrations(migrator.iter().cloned().collect());
    lenient.dangerous_set_table_name(table.clone());
    lenient.set_ignore_missing(true);
    for migration in missing {
        limit_waits(connection, migration.no_tx).await?;
        lenient
            .run_direct(Some(migration.version), connection, false)
            .await?;
    }
    lenient.run_direct(None, connection, false).await?;
    Ok(Version {
        known,
        found: found.max(known),
    })
}

/// A migration outside of a transaction does not block others, so it may wait for long-running
/// transactions.
async fn limit_waits(
    connection: &mut PgConnection,
    holds_nobody_up: bool,
) -> Result<(), sqlx::Error> {
    let limit = if holds_nobody_up {
        Duration::ZERO
    } else {
        TABLE_LOCK_LIMIT
    };
    sqlx::query!(
        "SELECT set_config('lock_timeout', $1, false)",
        limit.as_millis().to_string()
    )
    .fetch_one(connection)
    .await
    .map(|_| ())
}

/// Polls instead of waiting inside PostgreSQL: a session waiting for an advisory lock holds a
/// snapshot, and `CREATE INDEX CONCURRENTLY` in another replica's migration would wait for it: a
/// deadlock.
async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let give_up = tokio::time::Instant::now() + LOCK_WAIT_LIMIT;
    loop {
        let is_taken =
            sqlx::query_scalar!(r#"SELECT pg_try_advisory_lock($1) AS "is_taken!""#, LOCK)
                .fetch_one(&mut *connection)
                .await?;
        if is_taken {
            return Ok(());
        }
        if tokio::time::Instant::now() >= give_up {
            return Err(sqlx::Error::PoolTimedOut);
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
}

/// Migrates as soon as the database is available; until then the process is not ready. A faulty
/// migration is retried like an outage: the process stays not ready and logs the reason.
pub fn migrate_in_background(
    pool: &PgPool,
    service: &'static Migrator,
    readiness: &Readiness,
    tasks: &Tasks,
    shutdown: &Shutdown,
) -> Latch {
    let (opener, migrated) = Latch::closed();
    let seen = migrated.clone();
    let checked = pool.clone();
    readiness.register("database", move || {
        let done = seen.is_open();
        let pool = checked.clone();
        async move { done && super::is_reachable(&pool).await }
    });
    let pool = pool.clone();
    let shutdown = shutdown.clone();
    tasks.spawn("migrate", async move {
        let mut backoff = Backoff::reconnect();
        let schema = loop {
            let outcome = tokio::select! {
                outcome = migrate(&pool, service) => outcome,
                () = shutdown.cancelled() => return,
            };
            match outcome {
                Ok(schema) => break schema,
                Err(error) => warn!(error = chain(&error), "cannot migrate yet"),
            }
            if !shutdown.sleep(backoff.next_wait()).await {
                return;
            }
        };
        log_schema(schema);
        opener.open();
    });
    migrated
}

fn log_schema(Schema { kit, service }: Schema) {
    let (newest, kits) = (service.found, kit.found);
    if service.is_newer() || kit.is_newer() {
        let (known, kits_known) = (service.known, kit.known);
        info!(
            newest,
            known, kits, kits_known, "database schema is of a later release"
        );
    } else {
        info!(newest, kits, "database schema is current");
    }
}
