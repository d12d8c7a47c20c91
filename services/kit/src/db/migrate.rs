//! Migrations: kit's and the service's, under one lock, retried until the database is there.
//!
//! A program is content with a schema that a later release has made: replicas of two releases run side by side during a
//! rolling update, and a release is taken back by starting the programs before it. What it knows must be there unchanged.

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

/// The advisory lock that replicas starting together queue up for.
const LOCK: i64 = 0x0061_6466_6f6c_696f;

/// Another replica's migrations may take this long.
const LOCK_WAIT_LIMIT: Duration = Duration::from_mins(5);

/// How often the lock is tried.
const LOCK_POLL: Duration = Duration::from_millis(100);

/// A statement of a migration may wait this long for a table: queries queue up behind it meanwhile.
const TABLE_LOCK_LIMIT: Duration = Duration::from_secs(10);

/// How far a table of migrations is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The newest migration that this program knows.
    pub known: i64,
    /// The newest that the database has; beyond the known one, a later release made it.
    pub found: i64,
}

impl Version {
    /// Whether a later release has been here.
    pub fn is_newer(self) -> bool {
        self.found > self.known
    }
}

/// What a database has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Of kit's tables.
    pub kit: Version,
    /// Of the service's.
    pub service: Version,
}

/// Applies what is missing of kit's migrations and `service`'s. Any number of replicas may do it at once, those of the release
/// before or after among them. Refuses where a known migration was applied with another text, or where a later release was
/// here without some of them.
pub async fn migrate(pool: &PgPool, service: &Migrator) -> Result<Schema, MigrateError> {
    // A connection of its own: a migration may take longer than any statement of a call, and a connection that is
    // dropped half way is closed, which gives the lock back.
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

/// Applies what is missing, and lets stand what comes after all that is known.
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
        // Whoever made those had applied all before them; what is missing now does not fit behind them.
        return Err(MigrateError::VersionTooOld(missing.version, found));
    }
    // sqlx's own check would refuse whatever is unknown. With it off, the texts of the known ones are still compared.
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

/// What runs outside of a transaction is there to hold nobody up, and waits for transactions that have long been running.
async fn limit_waits(
    connection: &mut PgConnection,
    holds_nobody_up: bool,
) -> Result<(), sqlx::Error> {
    let limit = if holds_nobody_up {
        Duration::ZERO
    } else {
        TABLE_LOCK_LIMIT
    };
    sqlx::query("SELECT set_config('lock_timeout', $1, false)")
        .bind(limit.as_millis().to_string())
        .execute(connection)
        .await
        .map(|_| ())
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
        tell(schema);
        opener.open();
    });
    migrated
}

fn tell(Schema { kit, service }: Schema) {
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
