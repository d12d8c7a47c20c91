//! Migrations with many replicas, with a database that comes late, and by a login of their own.

use std::time::Duration;

use adfolio_kit::admin::Readiness;
use adfolio_kit::db::{self, Logins, Rights, Schema, SchemaError, Versions};
use adfolio_kit::shutdown::{Shutdown, Tasks};
use adfolio_testkit::{MIGRATOR, OWNER, Proxy, SERVICE, TestDatabase, eventually};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr};

const THINGS: &str = "CREATE TABLE thing (id bigint PRIMARY KEY); INSERT INTO thing VALUES (1); SELECT pg_sleep(0.2)";
const MORE: &str = "CREATE TABLE more (id bigint)";
const NAMES: &str = "ALTER TABLE thing ADD COLUMN name text";

fn migrator_of(migrations: &[(i64, &str)]) -> Migrator {
    let migrations = migrations.iter().map(|(version, sql)| {
        Migration::new(
            *version,
            "things".into(),
            MigrationType::Simple,
            AssertSqlSafe((*sql).to_owned()).into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

fn schema_of(migrations: &[(i64, &str)]) -> Schema {
    Schema {
        migrator: migrator_of(migrations),
        rights: &[],
    }
}

fn service_schema() -> Schema {
    schema_of(&[(1, THINGS)])
}

/// Of the release after [`service_schema`]'s.
fn later_schema() -> Schema {
    schema_of(&[(1, THINGS), (2, NAMES)])
}

fn leaked(schema: Schema) -> &'static Schema {
    Box::leak(Box::new(schema))
}

async fn migrate(database: &TestDatabase, schema: &Schema) -> Result<Versions, SchemaError> {
    let logins = Logins::of(&database.migrating_args(), "test").unwrap();
    db::migrate(&logins, schema).await
}

/// As a process that only serves.
async fn check(database: &TestDatabase, schema: &Schema) -> Result<Versions, SchemaError> {
    let logins = Logins::of(&database.args(), "test").unwrap();
    db::migrate(&logins, schema).await
}

async fn columns(database: &TestDatabase) -> Vec<String> {
    let columns = sqlx::query_scalar(
        "SELECT column_name::text FROM information_schema.columns WHERE table_name = 'thing' ORDER BY 1",
    );
    columns.fetch_all(&database.pool()).await.unwrap()
}

/// A database without any schema, even kit's.
async fn empty() -> TestDatabase {
    let database = TestDatabase::of_kit().await;
    sqlx::raw_sql(
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner",
    )
    .execute(&database.pool())
    .await
    .unwrap();
    database
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_replicas_that_start_at_once_migrate_once() {
    let database = empty().await;
    let replicas = (0..5).map(|_| async { migrate(&database, &service_schema()).await });
    for outcome in futures::future::join_all(replicas).await {
        outcome.unwrap();
    }
    let pool = database.pool();
    let things: i64 = sqlx::query_scalar("SELECT count(*) FROM thing")
        .fetch_one(&pool)
        .await
        .unwrap();
    let kit: i64 = sqlx::query_scalar("SELECT count(*) FROM _kit_migrations")
        .fetch_one(&pool)
        .await
        .unwrap();
    let service: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!((things, service), (1, 1));
    assert_eq!(kit, i64::try_from(db::MIGRATOR.iter().count()).unwrap());
}

#[tokio::test]
async fn a_service_whose_database_is_down_becomes_ready_when_it_is_back() {
    let database = empty().await;
    let proxy = Proxy::start(&database.address()).await;
    proxy.refuse(true);
    let mut args = database.args_at(proxy.address());
    args.database_acquire_timeout_ms = 500;
    args.database_migration_url = database.migrating_args().database_migration_url;
    let pool = db::connect(&args, "late").unwrap();
    let logins = Logins::of(&args, "late").unwrap();
    let shutdown = Shutdown::manual();
    let (readiness, tasks) = (
        Readiness::new(shutdown.clone()),
        Tasks::new(shutdown.clone()),
    );
    let schema = leaked(service_schema());
    let migrated = db::migrate_in_background(&pool, logins, schema, &readiness, &tasks, &shutdown);
    assert_eq!(readiness.failing().await, ["database"]);
    assert!(!migrated.is_open());
    proxy.refuse(false);
    eventually("the service is ready", || readiness.is_ready()).await;
    assert!(migrated.is_open());
    proxy.refuse(true);
    proxy.cut();
    eventually("the service is not ready without its database", || async {
        !readiness.is_ready().await
    })
    .await;
    shutdown.trigger();
    assert_eq!(readiness.failing().await, ["shutdown"]);
    tasks.join(Duration::from_secs(5)).await.unwrap();
}

#[tokio::test]
async fn an_older_program_becomes_ready_on_the_schema_of_a_later_release() {
    let database = empty().await;
    let pool = database.kit_pool();
    let logins = Logins::of(&database.migrating_args(), "older").unwrap();
    let later = migrate(&database, &later_schema()).await.unwrap();
    assert!(!later.service.is_newer() && !later.kit.is_newer());
    // A later release of kit, too.
    let kits = db::MIGRATOR.iter().map(|it| it.version).max().unwrap();
    sqlx::query(
        "INSERT INTO _kit_migrations (version, description, success, checksum, execution_time)
         VALUES ($1, 'later', true, 'x', 0)",
    )
    .bind(kits + 1)
    .execute(&database.pool())
    .await
    .unwrap();

    let shutdown = Shutdown::manual();
    let (readiness, tasks) = (
        Readiness::new(shutdown.clone()),
        Tasks::new(shutdown.clone()),
    );
    let schema = leaked(service_schema());
    let migrated = db::migrate_in_background(&pool, logins, schema, &readiness, &tasks, &shutdown);
    eventually("the older program is ready", || readiness.is_ready()).await;
    assert!(migrated.is_open());
    shutdown.trigger();
    tasks.join(Duration::from_secs(5)).await.unwrap();

    for versions in [
        migrate(&database, &service_schema()).await.unwrap(),
        check(&database, &service_schema()).await.unwrap(),
    ] {
        assert_eq!((versions.service.known, versions.service.found), (1, 2));
        assert_eq!((versions.kit.known, versions.kit.found), (kits, kits + 1));
    }
    assert_eq!(columns(&database).await, ["id", "name"]);
}

#[tokio::test]
async fn a_schema_that_is_not_the_known_one_is_refused() {
    let database = empty().await;
    migrate(&database, &later_schema()).await.unwrap();
    // Another text under an applied number: even after a later release.
    for migrations in [&[(1, NAMES)][..], &[(1, THINGS), (2, THINGS)][..]] {
        for refused in [
            migrate(&database, &schema_of(migrations)).await,
            check(&database, &schema_of(migrations)).await,
        ] {
            assert!(
                matches!(
                    refused,
                    Err(SchemaError::Migrate(MigrateError::VersionMismatch(_)))
                ),
                "{refused:?}"
            );
        }
    }
    // One in the middle that this program does not know.
    let refused = migrate(&database, &schema_of(&[(1, THINGS), (3, NAMES)])).await;
    assert!(
        matches!(
            refused,
            Err(SchemaError::Migrate(MigrateError::VersionMissing(2)))
        ),
        "{refused:?}"
    );
    // One that a later release should have applied before its own.
    sqlx::query("UPDATE _sqlx_migrations SET version = 4 WHERE version = 2")
        .execute(&database.pool())
        .await
        .unwrap();
    let refused = migrate(&database, &schema_of(&[(1, THINGS), (3, NAMES)])).await;
    assert!(
        matches!(
            refused,
            Err(SchemaError::Migrate(MigrateError::VersionTooOld(3, 4)))
        ),
        "{refused:?}"
    );
    // Nothing of it was applied.
    assert_eq!(columns(&database).await, ["id", "name"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_and_new_replicas_that_start_at_once_all_find_their_schema() {
    let database = empty().await;
    let replicas = (0..6).map(|number| {
        let database = &database;
        async move {
            let schema = if number % 2 == 0 {
                service_schema()
            } else {
                later_schema()
            };
            migrate(database, &schema).await
        }
    });
    for outcome in futures::future::join_all(replicas).await {
        outcome.unwrap();
    }
    assert_eq!(columns(&database).await, ["id", "name"]);
    let applied: Vec<i64> =
        sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version")
            .fetch_all(&database.pool())
            .await
            .unwrap();
    assert_eq!(applied, [1, 2]);
}

/// The rights to a table that the service's login has been granted.
async fn rights_to(database: &TestDatabase, table: &str) -> Vec<String> {
    let rights = sqlx::query_scalar(
        "SELECT privilege_type::text FROM information_schema.table_privileges
         WHERE grantee = $1 AND table_name = $2 ORDER BY 1",
    );
    let rights = rights.bind(SERVICE).bind(table);
    rights.fetch_all(&database.pool()).await.unwrap()
}

#[tokio::test]
async fn a_login_that_only_serves_waits_for_the_one_that_migrates() {
    let database = empty().await;
    let refused = check(&database, &service_schema()).await;
    assert!(
        matches!(refused, Err(SchemaError::Behind(1))),
        "{refused:?}"
    );
    migrate(&database, &service_schema()).await.unwrap();
    check(&database, &service_schema()).await.unwrap();
    let refused = check(&database, &later_schema()).await;
    assert!(
        matches!(refused, Err(SchemaError::Behind(2))),
        "{refused:?}"
    );

    let shutdown = Shutdown::manual();
    let (readiness, tasks) = (
        Readiness::new(shutdown.clone()),
        Tasks::new(shutdown.clone()),
    );
    let logins = Logins::of(&database.args(), "serving").unwrap();
    let (pool, schema) = (database.kit_pool(), leaked(later_schema()));
    let migrated = db::migrate_in_background(&pool, logins, schema, &readiness, &tasks, &shutdown);
    assert!(!migrated.is_open());
    migrate(&database, &later_schema()).await.unwrap();
    eventually("the schema is current", || readiness.is_ready()).await;
    shutdown.trigger();
    tasks.join(Duration::from_secs(5)).await.unwrap();
}

#[tokio::test]
async fn tables_belong_to_a_role_that_nobody_is() {
    let database = empty().await;
    migrate(&database, &later_schema()).await.unwrap();
    let owners: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class
         WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    )
    .fetch_all(&database.pool())
    .await
    .unwrap();
    assert_eq!(owners, [OWNER]);
    assert!(
        PgConnection::connect(&database.url_as(OWNER))
            .await
            .is_err()
    );
    // Without the owner's role, which it must take on, the login that migrates has no rights.
    let mut session = PgConnection::connect(&database.url_as(MIGRATOR))
        .await
        .unwrap();
    let refused = sqlx::query("SELECT FROM thing").execute(&mut session).await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn rights_follow_their_declaration_and_no_older_program_undoes_them() {
    let database = empty().await;
    let with = |migrations, rights| Schema {
        migrator: migrator_of(migrations),
        rights,
    };
    let everything = ["DELETE", "INSERT", "SELECT", "UPDATE"];
    migrate(&database, &service_schema()).await.unwrap();
    assert_eq!(rights_to(&database, "thing").await, everything);
    assert_eq!(rights_to(&database, "_sqlx_migrations").await, ["SELECT"]);
    assert_eq!(rights_to(&database, "outbox").await, ["INSERT", "SELECT"]);

    // A later release makes the table append-only, and adds another.
    let later = with(&[(1, THINGS), (2, MORE)], &[("thing", Rights::Append)]);
    for _ in 0..2 {
        migrate(&database, &later).await.unwrap();
        assert_eq!(rights_to(&database, "thing").await, ["INSERT", "SELECT"]);
        assert_eq!(rights_to(&database, "more").await, everything);
    }
    migrate(&database, &service_schema()).await.unwrap();
    assert_eq!(rights_to(&database, "thing").await, ["INSERT", "SELECT"]);

    // What somebody granted or took away by hand is put right.
    sqlx::raw_sql(AssertSqlSafe(format!(
        "GRANT ALL ON thing TO {SERVICE}; REVOKE ALL ON more FROM {SERVICE}"
    )))
    .execute(&database.pool())
    .await
    .unwrap();
    migrate(&database, &later).await.unwrap();
    assert_eq!(rights_to(&database, "thing").await, ["INSERT", "SELECT"]);
    assert_eq!(rights_to(&database, "more").await, everything);
}
