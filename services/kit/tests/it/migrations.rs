//! Migrations with many replicas, and with a database that comes late.

use std::time::Duration;

use adfolio_kit::admin::Readiness;
use adfolio_kit::db;
use adfolio_kit::shutdown::{Shutdown, Tasks};
use adfolio_testkit::{Proxy, TestDatabase, eventually};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr};

fn service_migrator() -> Migrator {
    let sql = "CREATE TABLE thing (id bigint PRIMARY KEY); INSERT INTO thing VALUES (1); SELECT pg_sleep(0.2)";
    Migrator::with_migrations(vec![Migration::new(
        1,
        "things".into(),
        MigrationType::Simple,
        AssertSqlSafe(sql.to_owned()).into_sql_str(),
        false,
    )])
}

/// A database without any schema, kit's included.
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
    assert!(!migrated.is_done());
    proxy.refuse(false);
    eventually("the service is ready", || readiness.is_ready()).await;
    assert!(migrated.is_done());
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
