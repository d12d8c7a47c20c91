//! Migrations with many replicas, and with a database that comes late.

use std::time::Duration;

use adfolio_kit::admin::Readiness;
use adfolio_kit::db;
use adfolio_kit::shutdown::{Shutdown, Tasks};
use adfolio_testkit::{Proxy, TestDatabase, eventually};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr};

const THINGS: &str = "CREATE TABLE thing (id bigint PRIMARY KEY); INSERT INTO thing VALUES (1); SELECT pg_sleep(0.2)";
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

fn service_migrator() -> Migrator {
    migrator_of(&[(1, THINGS)])
}

/// Of the release after [`service_migrator`]'s.
fn later_migrator() -> Migrator {
    migrator_of(&[(1, THINGS), (2, NAMES)])
}

async fn columns(database: &TestDatabase) -> Vec<String> {
    let columns = sqlx::query_scalar(
        "SELECT column_name::text FROM information_schema.columns WHERE table_name = 'thing' ORDER BY 1",
    );
    columns.fetch_all(&database.pool()).await.unwrap()
}

/// A database without any schema, even kit's.
async fn empty() -> TestDatabase {
    let database = TestDatabase::create(&[]).await;
    sqlx::raw_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        .execute(&database.pool())
        .await
        .unwrap();
    database
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_replicas_that_start_at_once_migrate_once() {
    let database = empty().await;
    let replicas = (0..5).map(|_| {
        let pool = database.kit_pool();
        async move { db::migrate(&pool, &service_migrator()).await }
    });
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
    let pool = db::connect(&args, "late").unwrap();
    let shutdown = Shutdown::manual();
    let (readiness, tasks) = (
        Readiness::new(shutdown.clone()),
        Tasks::new(shutdown.clone()),
    );
    let migrator: &'static Migrator = Box::leak(Box::new(service_migrator()));
    let migrated = db::migrate_in_background(&pool, migrator, &readiness, &tasks, &shutdown);
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
    let later = db::migrate(&pool, &later_migrator()).await.unwrap();
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
    let migrator: &'static Migrator = Box::leak(Box::new(service_migrator()));
    let migrated = db::migrate_in_background(&pool, migrator, &readiness, &tasks, &shutdown);
    eventually("the older program is ready", || readiness.is_ready()).await;
    assert!(migrated.is_open());
    shutdown.trigger();
    tasks.join(Duration::from_secs(5)).await.unwrap();

    let schema = db::migrate(&pool, &service_migrator()).await.unwrap();
    assert_eq!((schema.service.known, schema.service.found), (1, 2));
    assert_eq!((schema.kit.known, schema.kit.found), (kits, kits + 1));
    assert_eq!(columns(&database).await, ["id", "name"]);
}

#[tokio::test]
async fn a_schema_that_is_not_the_known_one_is_refused() {
    let database = empty().await;
    let pool = database.kit_pool();
    db::migrate(&pool, &later_migrator()).await.unwrap();
    // Another text under an applied number: even after a later release.
    for migrations in [&[(1, NAMES)][..], &[(1, THINGS), (2, THINGS)][..]] {
        let refused = db::migrate(&pool, &migrator_of(migrations)).await;
        assert!(
            matches!(refused, Err(MigrateError::VersionMismatch(_))),
            "{refused:?}"
        );
    }
    // One in the middle that this program does not know.
    let refused = db::migrate(&pool, &migrator_of(&[(1, THINGS), (3, NAMES)])).await;
    assert!(
        matches!(refused, Err(MigrateError::VersionMissing(2))),
        "{refused:?}"
    );
    // One that a later release should have applied before its own.
    sqlx::query("UPDATE _sqlx_migrations SET version = 4 WHERE version = 2")
        .execute(&database.pool())
        .await
        .unwrap();
    let refused = db::migrate(&pool, &migrator_of(&[(1, THINGS), (3, NAMES)])).await;
    assert!(
        matches!(refused, Err(MigrateError::VersionTooOld(3, 4))),
        "{refused:?}"
    );
    // Nothing of it was applied.
    assert_eq!(columns(&database).await, ["id", "name"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_and_new_replicas_that_start_at_once_all_find_their_schema() {
    let database = empty().await;
    let replicas = (0..6).map(|number| {
        let pool = database.kit_pool();
        async move {
            let migrator = if number % 2 == 0 {
                service_migrator()
            } else {
                later_migrator()
            };
            db::migrate(&pool, &migrator).await
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
