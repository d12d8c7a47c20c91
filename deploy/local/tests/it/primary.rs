//! A service's connections lead to the primary of its database, whichever server that is.

use std::time::Duration;

use adfolio_kit::config::DatabaseArgs;
use adfolio_kit::db::{self, Pool};
use adfolio_kit::refusal::{is_moved, is_without_primary};
use adfolio_local::PostgresPair;
use adfolio_testkit::{Proxy, eventually};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

/// Nothing may hang: a write or a read has ended after this long.
const END_LIMIT: Duration = Duration::from_secs(25);

/// How long one attempt at a change is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// A service's pool on these hosts, and its table.
async fn pool(hosts: &str) -> Pool {
    let url = format!("postgres://postgres@{hosts}/postgres");
    let pool = db::connect(&DatabaseArgs::for_url(url), "test").unwrap();
    let created = db::write(&pool, |tx| {
        Box::pin(async move {
            sqlx::query("CREATE TABLE numbers (number int PRIMARY KEY)")
                .execute(tx)
                .await
        })
    });
    created.await.unwrap();
    pool
}

async fn pool_of(pair: &PostgresPair) -> Pool {
    pool(&pair.addresses().map(|it| it.to_string()).join(",")).await
}

async fn add(pool: &Pool, number: i32) -> Result<(), sqlx::Error> {
    let added = db::write(pool, move |tx| {
        Box::pin(async move {
            sqlx::query("INSERT INTO numbers VALUES ($1) ON CONFLICT DO NOTHING")
                .bind(number)
                .execute(tx)
                .await?;
            Ok(())
        })
    });
    timeout(END_LIMIT, added).await.expect("a write hangs")
}

async fn count(pool: &Pool) -> Result<i64, sqlx::Error> {
    let counted = sqlx::query_scalar("SELECT count(*) FROM numbers").fetch_one(pool);
    timeout(END_LIMIT, counted).await.expect("a read hangs")
}

/// Adds a number, as a caller does who repeats a call; every failure must be one that a repetition cures.
async fn insist(pool: &Pool, number: i32) {
    eventually("a server takes changes", || async {
        match add(pool, number).await {
            Ok(()) => true,
            Err(error) => {
                let is_passing = is_moved(&error) || is_without_primary(&error);
                assert!(
                    is_passing || matches!(error, sqlx::Error::PoolTimedOut),
                    "{error:?}"
                );
                false
            }
        }
    })
    .await;
}

/// Sessions of the pool on a server.
async fn sessions(address: std::net::SocketAddr) -> i64 {
    let url = format!("postgres://postgres@{address}/postgres");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'adfolio-test'";
    sqlx::query_scalar(count)
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn without_a_primary_reads_go_on_and_changes_are_refused() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pool = pool_of(&pair).await;
    insist(&pool, 1).await;

    pair.kill_primary().await;
    let refused = eventually_refused(&pool).await;
    assert!(is_without_primary(&refused), "{refused:?}");
    assert_eq!(count(&pool).await.unwrap(), 1);

    pair.promote().await.unwrap();
    insist(&pool, 2).await;
    pair.rejoin().await.unwrap();
    pair.stop_primary().await.unwrap();
    pair.promote().await.unwrap();
    insist(&pool, 3).await;
    assert_eq!(count(&pool).await.unwrap(), 3);
}

/// The refusal of a change once it is known that there is no primary.
async fn eventually_refused(pool: &Pool) -> sqlx::Error {
    const ATTEMPTS: usize = 20;
    let mut last = None;
    for _ in 0..ATTEMPTS {
        // One that has begun may wait for its commit.
        match timeout(PATIENCE, add(pool, 0)).await {
            Ok(Err(error)) if is_without_primary(&error) => return error,
            outcome => last = Some(outcome),
        }
    }
    panic!("changes are not refused: {last:?}")
}

#[tokio::test]
async fn a_server_that_turned_read_only_is_left_with_its_open_connections() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pool = pool_of(&pair).await;
    insist(&pool, 1).await;
    // Several connections are open and idle.
    let held = [pool.acquire().await.unwrap(), pool.acquire().await.unwrap()];
    drop(held);

    let former = pair.primary_address();
    pair.make_primary_read_only().await.unwrap();
    assert_eq!(count(&pool).await.unwrap(), 1);
    pair.promote().await.unwrap();
    insist(&pool, 2).await;
    assert_eq!(count(&pool).await.unwrap(), 2);
    eventually("no session stays with the former primary", || async {
        sessions(former).await == 0
    })
    .await;
}

#[tokio::test]
async fn a_frozen_primary_is_given_up_and_not_believed_when_it_thaws() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pool = pool_of(&pair).await;
    insist(&pool, 1).await;

    let former = pair.primary_address();
    pair.freeze_primary();
    // Its answer never comes; the standby's does.
    eventually("reads go on", || async { count(&pool).await.is_ok() }).await;
    pair.promote().await.unwrap();
    insist(&pool, 2).await;
    pair.thaw_standby();
    for number in 3..30 {
        add(&pool, number).await.unwrap();
    }
    eventually("no session stays with the former primary", || async {
        sessions(former).await == 0
    })
    .await;
    assert_eq!(count(&pool).await.unwrap(), 29);
}

#[tokio::test]
async fn an_address_that_moves_is_followed() {
    let mut pair = PostgresPair::start().await.unwrap();
    let address = Proxy::start(&pair.primary_address().to_string()).await;
    let pool = pool(&address.address().to_string()).await;
    insist(&pool, 1).await;

    // Its open connections still lead to the former primary.
    pair.make_primary_read_only().await.unwrap();
    pair.promote().await.unwrap();
    address.lead_to(&pair.primary_address().to_string());
    insist(&pool, 2).await;

    pair.rejoin().await.unwrap();
    pair.freeze_primary();
    pair.promote().await.unwrap();
    address.lead_to(&pair.primary_address().to_string());
    insist(&pool, 3).await;
    assert_eq!(count(&pool).await.unwrap(), 3);
}

#[tokio::test]
async fn commits_that_wait_for_a_standby_pause_changes_and_leave_reads() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pool = pool_of(&pair).await;
    insist(&pool, 1).await;

    pair.kill_standby().await;
    // More at once than the pool has connections: some are left to reads.
    let waiting: Vec<_> = (10..40)
        .map(|number| {
            let pool = pool.clone();
            tokio::spawn(async move { add(&pool, number).await })
        })
        .collect();
    let refused = eventually_refused(&pool).await;
    assert!(is_without_primary(&refused), "{refused:?}");
    assert_eq!(count(&pool).await.unwrap(), 1);

    pair.start_standby().await.unwrap();
    insist(&pool, 2).await;
    let mut committed = 2;
    for one in waiting {
        committed += i64::from(one.await.unwrap().is_ok());
    }
    assert!(count(&pool).await.unwrap() >= committed);
}
