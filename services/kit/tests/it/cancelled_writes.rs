//! A caller that goes away in the middle of a write leaves nothing half done.

use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_testkit::{Proxy, TestDatabase, eventually};
use futures::future::BoxFuture;
use sqlx::PgPool;

const CANCELLED_CALLS: i32 = 300;

/// How long a statement takes through the slowed-down proxy.
const ROUND_TRIP: Duration = Duration::from_millis(3);

async fn table(pool: &PgPool) {
    sqlx::raw_sql(
        "CREATE TABLE pairs (pair int NOT NULL, half int NOT NULL, PRIMARY KEY (pair, half))",
    )
    .execute(pool)
    .await
    .unwrap();
}

fn insert_pair(tx: &mut Tx, pair: i32) -> BoxFuture<'_, Result<(), sqlx::Error>> {
    Box::pin(async move {
        for half in 0..2 {
            sqlx::query("INSERT INTO pairs VALUES ($1, $2)")
                .bind(pair)
                .bind(half)
                .execute(&mut *tx)
                .await?;
        }
        Ok(())
    })
}

async fn count(pool: &PgPool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_caller_goes_away_at_any_point_is_whole_or_absent() {
    let database = TestDatabase::of_kit().await;
    // Every round trip takes time, so that callers go away during each of them, including BEGIN and
    // COMMIT.
    let proxy = Proxy::start(&database.address()).await;
    let mut args = database.args_at(proxy.address());
    // One connection, so that the next statement meets whatever a cancelled write leaves behind.
    args.database_max_connections = 1;
    let pool = db::connect(&args, "cancelled").unwrap();
    let observer = database.pool();
    table(&observer).await;
    proxy.delay(ROUND_TRIP / 2);
    let mut cancelled = 0;
    for pair in 0..CANCELLED_CALLS {
        let patience = rand::random_range(0..(ROUND_TRIP * 6).as_micros());
        let patience = Duration::from_micros(u64::try_from(patience).unwrap());
        let write = db::write(&pool, move |tx| insert_pair(tx, pair));
        cancelled += i32::from(tokio::time::timeout(patience, write).await.is_err());
        // A statement outside of a transaction is visible to others at once; otherwise a
        // transaction was left open.
        sqlx::query("INSERT INTO pairs VALUES ($1, 0), ($1, 1)")
            .bind(-1 - pair)
            .execute(&pool)
            .await
            .unwrap();
        let seen: i64 = sqlx::query_scalar("SELECT count(*) FROM pairs WHERE pair = $1")
            .bind(-1 - pair)
            .fetch_one(&observer)
            .await
            .unwrap();
        assert_eq!(seen, 2, "write {pair} left a transaction open");
    }
    assert!(
        cancelled > CANCELLED_CALLS / 4,
        "callers went away: {cancelled}"
    );
    eventually("no transaction stays open", || async {
        let busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'adfolio-cancelled' AND state <> 'idle'";
        count(&observer, busy).await == 0
    })
    .await;
    let halves = "SELECT count(*) FROM (SELECT pair FROM pairs GROUP BY pair HAVING count(*) <> 2) AS broken";
    assert_eq!(
        count(&observer, halves).await,
        0,
        "a pair was written by half"
    );
    let written = count(&observer, "SELECT count(*) FROM pairs WHERE pair >= 0").await;
    assert!(written > 0, "some writes came to their end");
}

#[tokio::test]
async fn an_error_and_a_panic_roll_back_and_leave_the_pool_usable() {
    let database = TestDatabase::of_kit().await;
    let mut args = database.args();
    args.database_max_connections = 1;
    let pool = db::connect(&args, "panics").unwrap();
    table(&database.pool()).await;
    let refused: Result<(), sqlx::Error> = db::write(&pool, |tx| {
        Box::pin(async move {
            insert_pair(tx, 1).await?;
            Err(sqlx::Error::RowNotFound)
        })
    })
    .await;
    assert!(refused.is_err());
    let panicked: Result<(), sqlx::Error> = db::write(&pool, |tx| {
        Box::pin(async move {
            insert_pair(tx, 2).await?;
            panic!("on purpose")
        })
    })
    .await;
    assert!(matches!(panicked, Err(sqlx::Error::WorkerCrashed)));
    db::write(&pool, |tx| insert_pair(tx, 3)).await.unwrap();
    assert_eq!(
        count(&database.pool(), "SELECT count(DISTINCT pair) FROM pairs").await,
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writes_in_each_others_way_are_tried_again() {
    let database = TestDatabase::of_kit().await;
    let pool = database.kit_pool();
    table(&database.pool()).await;
    db::write(&pool, |tx| insert_pair(tx, 1)).await.unwrap();
    let swap = |first: i32| {
        let pool = pool.clone();
        async move {
            db::write_retrying(
                &pool,
                |error| Some(error),
                move |tx| {
                    Box::pin(async move {
                        for half in [first, 1 - first] {
                            sqlx::query("UPDATE pairs SET pair = pair WHERE half = $1")
                                .bind(half)
                                .execute(&mut *tx)
                                .await?;
                            sqlx::query("SELECT pg_sleep(0.05)")
                                .execute(&mut *tx)
                                .await?;
                        }
                        Ok::<_, sqlx::Error>(())
                    })
                },
            )
            .await
        }
    };
    let (one, other) = tokio::join!(swap(0), swap(1));
    one.unwrap();
    other.unwrap();
}
