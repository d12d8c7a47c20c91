//! Migrations: kit's and the service's, under one lock, retried until the database is available.
//!
//! They are applied as the role that owns the database, so that all tables belong to it. A login
//! that is a member of it migrates; any other waits until one has.
//!
//! A program accepts a schema of a later release: replicas of two releases run side by side during
//! a rolling update, and a rollback starts the earlier programs. The migrations it knows must be
//! there unchanged.

use std::time::Duration;

use sqlx::migrate::{AppliedMigration, Migrate, MigrateError, Migration, Migrator};
use sqlx::{AssertSqlSafe, PgConnection};
use tracing::{info, warn};

use super::grants::{self, TableRights};
use super::pool::Pool;
use super::primary;
use super::servers::Servers;
use crate::admin::Readiness;
use crate::backoff::Backoff;
use crate::config::{ConfigError, DatabaseArgs};
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
pub struct Versions {
    /// Of kit's tables.
    pub kit: Version,
    /// Of the service's.
    pub service: Version,
}

/// A service's own tables.
#[derive(Debug)]
pub struct Schema {
    /// Makes them.
    pub migrator: Migrator,
    /// What the service's login may do with them.
    pub rights: &'static TableRights,
}

/// The logins of a database.
#[derive(Clone, Debug)]
pub struct Logins {
    /// The one that serves, which gets the rights to the tables.
    serving: Servers,
    /// The one that migrates, if it is another one.
    migrating: Option<Servers>,
}

impl Logins {
    /// The logins that are configured.
    pub fn of(args: &DatabaseArgs, application_name: &str) -> Result<Self, ConfigError> {
        let migrating = args
            .migration_url()?
            .map(|url| super::servers("DATABASE_MIGRATION_URL", &url, application_name));
        Ok(Self {
            serving: super::servers("DATABASE_URL", &args.url()?, application_name)?,
            migrating: migrating.transpose()?,
        })
    }
}

/// Why a schema is not current.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// A migration cannot be applied, or an applied one is not the known one.
    #[error("the migrations and the database do not fit")]
    Migrate(#[from] MigrateError),
    /// Another login migrates, and has not done so yet.
    #[error("migration {0} is missing, and this login may not apply it")]
    Behind(i64),
    /// The database refused something else.
    #[error("the database refuses to be prepared")]
    Database(#[from] sqlx::Error),
}

/// Applies the missing migrations of kit and of `service` as the owner of the database, and grants
/// the serving login its rights. Any number of replicas may do it at the same time, including those
/// of neighbouring releases. Fails if a known migration was applied with a different text, or if a
/// later release migrated without some of them.
///
/// A login that cannot act as the owner only checks that nothing is missing.
pub async fn migrate(logins: &Logins, schema: &Schema) -> Result<Versions, SchemaError> {
    let login = logins.migrating.as_ref().unwrap_or(&logins.serving);
    // A connection of its own: a migration may take longer than any statement of a call, and a
    // dropped connection is closed, which releases the lock.
    let servers = login.map(|options| {
        options.options([
            ("statement_timeout", "0".to_owned()),
            ("idle_in_transaction_session_timeout", "0".to_owned()),
        ])
    });
    let mut connection = primary::open_best(&servers).await?;
    let versions = if become_owner(&mut connection).await? {
        lock(&mut connection).await?;
        let versions = Versions {
            kit: apply(&MIGRATOR, &mut connection).await?,
            service: apply(&schema.migrator, &mut connection).await?,
        };
        let role = logins.serving.first().get_username();
        // A later release knows tables that this one does not, and has granted its own rights.
        let is_newer = versions.kit.is_newer() || versions.service.is_newer();
        if !is_newer && role != owner(&mut connection).await? {
            limit_waits(&mut connection, false).await?;
            grants::grant(&mut connection, role, schema.rights).await?;
        }
        versions
    } else {
        Versions {
            kit: check(&MIGRATOR, &mut connection).await?,
            service: check(&schema.migrator, &mut connection).await?,
        }
    };
    sqlx::Connection::close(connection).await?;
    Ok(versions)
}

/// Continues as the role that owns the database, so that all tables belong to it; false for a login
/// that is no member of it.
async fn become_owner(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let owner = sqlx::query!(
        r#"SELECT quote_ident(pg_get_userbyid(datdba)) AS "name!", pg_has_role(datdba, 'MEMBER') AS "is_member!"
         FROM pg_database WHERE datname = current_database()"#
    )
    .fetch_one(&mut *connection)
    .await?;
    if owner.is_member {
        sqlx::raw_sql(AssertSqlSafe(format!("SET ROLE {}", owner.name)))
            .execute(connection)
            .await?;
    }
    Ok(owner.is_member)
}

async fn owner(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT current_user::text AS "name!""#)
        .fetch_one(connection)
        .await
}

/// The migrations that are missing.
fn missing<'a>(
    migrator: &'a Migrator,
    applied: &[AppliedMigration],
) -> Result<(Version, Vec<&'a Migration>), MigrateError> {
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
    let version = Version {
        known,
        found: found.max(known),
    };
    Ok((version, missing))
}

/// Applies the missing migrations; leaves later ones alone.
async fn apply(
    migrator: &Migrator,
    connection: &mut PgConnection,
) -> Result<Version, MigrateError> {
    let table = &migrator.table_name;
    connection.ensure_migrations_table(table).await?;
    let applied = connection.list_applied_migrations(table).await?;
    let (version, missing) = missing(migrator, &applied)?;
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
    Ok(version)
}

/// Fails unless every known migration was applied with its text.
async fn check(migrator: &Migrator, connection: &mut PgConnection) -> Result<Version, SchemaError> {
    let first = migrator.iter().map(|it| it.version).min().unwrap_or(0);
    let exists = sqlx::query_scalar!(
        r#"SELECT to_regclass($1) IS NOT NULL AS "exists!""#,
        &*migrator.table_name
    )
    .fetch_one(&mut *connection)
    .await?;
    if !exists {
        return Err(SchemaError::Behind(first));
    }
    let applied = connection
        .list_applied_migrations(&migrator.table_name)
        .await?;
    let (version, missing) = missing(migrator, &applied)?;
    if let Some(missing) = missing.first() {
        return Err(SchemaError::Behind(missing.version));
    }
    for known in migrator.iter() {
        let mut same = applied.iter().filter(|it| it.version == known.version);
        if same.any(|it| it.checksum != known.checksum) {
            return Err(MigrateError::VersionMismatch(known.version).into());
        }
    }
    Ok(version)
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

/// Migrates as soon as the database is available, or waits until another login has; until then the
/// process is not ready. A faulty migration is retried like an outage: the process stays not ready
/// and logs the reason.
pub fn migrate_in_background(
    pool: &Pool,
    logins: Logins,
    schema: &'static Schema,
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
    let (shutdown, pool) = (shutdown.clone(), pool.clone());
    tasks.spawn("migrate", async move {
        let mut backoff = Backoff::reconnect();
        loop {
            let outcome = tokio::select! {
                outcome = migrate(&logins, schema) => outcome,
                () = shutdown.cancelled() => return,
            };
            match outcome {
                Ok(versions) => {
                    log_versions(versions);
                    // Before calls and jobs ask for connections, all at once.
                    if let Err(error) = super::open_connections(&pool).await {
                        warn!(error = chain(&error), "connections are opened when needed");
                    }
                    break opener.open();
                }
                Err(error) => warn!(error = chain(&error), "cannot migrate yet"),
            }
            if !shutdown.sleep(backoff.next_wait()).await {
                return;
            }
        }
    });
    migrated
}

/// Migrates and ends: for a process that has a login of its own for this, so that those that serve
/// need none. Retries until `limit`; a migration that runs is not interrupted.
pub async fn migrate_once(
    logins: &Logins,
    schema: &Schema,
    limit: Duration,
) -> Result<(), SchemaError> {
    let give_up = tokio::time::Instant::now() + limit;
    let mut backoff = Backoff::reconnect();
    loop {
        match migrate(logins, schema).await {
            Ok(versions) => {
                log_versions(versions);
                return Ok(());
            }
            Err(error) if tokio::time::Instant::now() >= give_up => return Err(error),
            Err(error) => warn!(error = chain(&error), "cannot migrate yet"),
        }
        tokio::time::sleep(backoff.next_wait()).await;
    }
}

fn log_versions(Versions { kit, service }: Versions) {
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
