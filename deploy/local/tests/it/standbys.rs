//! What only reads goes to standbys, and shows what was committed before it.

use std::net::SocketAddr;
use std::time::Duration;

use adfolio_kit::config::DatabaseArgs;
use adfolio_kit::db::{self, Pool};
use adfolio_local::PostgresPair;
use adfolio_testkit::eventually;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Nothing may hang: a read has ended after this long.
const END_LIMIT: Duration = Duration::from_secs(10);

const ROUNDS: i32 = 200;

/// Connections to two servers, and what reads at the standby among them.
struct Pools {
    pool: Pool,
    reads: Pool,
}

impl Pools {
    async fn of(pair: &PostgresPair) -> Self {
        Self::at(&hosts_of(pair), pair).await
    }

    /// The primary is at one of `hosts`.
    async fn at(hosts: &str, pair: &PostgresPair) -> Self {
        let url = |hosts: &str| format!("postgres://postgres@{hosts}/postgres");
        let args = DatabaseArgs {
            database_read_url: Some(url(&hosts_of(pair)).into()),
            ..DatabaseArgs::for_url(url(hosts))
        };
        let pool = db::connect(&args, "test").unwrap();
        let reads = pool.preferring_standbys();
        let pools = Self { pool, reads };
        pools
            .execute("CREATE TABLE numbers (number int PRIMARY KEY)")
            .await;
        pools
    }

    async fn execute(&self, statement: &'static str) {
        let done = db::write(&self.pool, move |tx| {
            Box::pin(async move { sqlx::query(statement).execute(tx).await })
        });
        done.await.unwrap();
    }

    async fn add(&self) {
        self.execute("INSERT INTO numbers SELECT count(*) FROM numbers")
            .await;
    }

    /// How many numbers a read shows, and the port of the server that it was at.
    async fn count(&self) -> Result<(i64, u16), sqlx::Error> {
        let counted = sqlx::query_as("SELECT count(*), inet_server_port() FROM numbers")
            .fetch_one(&self.reads);
        let (count, port): (i64, i32) = timeout(END_LIMIT, counted).await.expect("a read hangs")?;
        Ok((count, u16::try_from(port).unwrap()))
    }

    async fn wait_until_read_at(&self, server: SocketAddr) {
        eventually("another server is read", || async {
            self.count()
                .await
                .is_ok_and(|(_, port)| port == server.port())
        })
        .await;
    }
}

fn hosts_of(pair: &PostgresPair) -> String {
    pair.addresses().map(|it| it.to_string()).join(",")
}

#[tokio::test]
async fn a_read_at_the_standby_shows_every_commit_before_it() {
    let pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.wait_until_read_at(pair.standby_address()).await;
    let mut at_standby = 0;
    for round in 1..=ROUNDS {
        pools.add().await;
        let (count, port) = pools.count().await.unwrap();
        assert_eq!(count, i64::from(round));
        at_standby += i32::from(port == pair.standby_address().port());
    }
    // A machine with much to do lets the standby be late now and then.
    assert!(at_standby > ROUNDS / 2, "{at_standby} at the standby");
}

#[tokio::test]
async fn a_standby_that_is_late_is_not_read() {
    let pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.wait_until_read_at(pair.standby_address()).await;

    pair.pause_replay().await.unwrap();
    for round in 1..=5 {
        pools.add().await;
        let read = pools.count().await.unwrap();
        assert_eq!(read, (round, pair.primary_address().port()));
    }
    pair.resume_replay().await.unwrap();
    pools.wait_until_read_at(pair.standby_address()).await;
    assert_eq!(pools.count().await.unwrap().0, 5);
}

#[tokio::test]
async fn reads_go_to_the_primary_while_there_is_no_standby() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.add().await;
    pools.wait_until_read_at(pair.standby_address()).await;

    pair.kill_standby().await;
    pools.wait_until_read_at(pair.primary_address()).await;
    pair.start_standby().await.unwrap();
    pools.wait_until_read_at(pair.standby_address()).await;
    assert_eq!(pools.count().await.unwrap().0, 1);
}

#[tokio::test]
async fn a_read_at_a_standby_that_freezes_is_given_up() {
    let pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.add().await;
    pools.wait_until_read_at(pair.standby_address()).await;

    let long = begin_long_read(&pools, &pair).await;
    pair.freeze_standby();
    let given_up = timeout(END_LIMIT, long)
        .await
        .expect("a read hangs")
        .unwrap();
    assert!(adfolio_kit::refusal::is_moved(&given_up.unwrap_err()));
    assert_eq!(
        pools.count().await.unwrap(),
        (1, pair.primary_address().port())
    );

    pair.thaw_standby();
    pools.wait_until_read_at(pair.standby_address()).await;
}

/// A read of the table at the standby that takes an hour, once it is under way.
async fn begin_long_read(
    pools: &Pools,
    pair: &PostgresPair,
) -> JoinHandle<Result<(), sqlx::Error>> {
    let reads = pools.reads.clone();
    let long = tokio::spawn(async move {
        sqlx::query("SELECT pg_sleep(3600) FROM numbers")
            .execute(&reads)
            .await
            .map(|_| ())
    });
    eventually("the long read is under way", || async {
        sleeping(pair.standby_address()).await == 1
    })
    .await;
    long
}

/// Sessions of a server that sleep.
async fn sleeping(server: SocketAddr) -> i64 {
    let url = format!("postgres://postgres@{server}/postgres");
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    let count = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    sqlx::query_scalar(count).fetch_one(&pool).await.unwrap()
}

#[tokio::test]
async fn reads_follow_a_promotion() {
    let mut pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.add().await;
    let standby = pair.standby_address();
    pools.wait_until_read_at(standby).await;

    // The standby has got every commit, and is read while there is no primary.
    pair.kill_primary().await;
    eventually("reads go on", || async {
        pools
            .count()
            .await
            .is_ok_and(|read| read == (1, standby.port()))
    })
    .await;
    pair.promote().await.unwrap();
    eventually("the new primary takes changes", || async {
        let added = db::write(&pools.pool, |tx| {
            Box::pin(async move {
                sqlx::query("INSERT INTO numbers VALUES (1) ON CONFLICT DO NOTHING")
                    .execute(tx)
                    .await
            })
        });
        added.await.is_ok()
    })
    .await;
    assert_eq!(pools.count().await.unwrap(), (2, standby.port()));

    pair.rejoin().await.unwrap();
    assert_ne!(pair.standby_address(), standby);
    pools.wait_until_read_at(pair.standby_address()).await;
    assert_eq!(pools.count().await.unwrap().0, 2);
}

#[tokio::test]
async fn without_a_primary_everything_is_read_at_the_standby() {
    let mut pair = PostgresPair::start().await.unwrap();
    // One address, as a managed server has.
    let address = pair.primary_address().to_string();
    let pools = Pools::at(&address, &pair).await;
    pools.add().await;
    pools.wait_until_read_at(pair.standby_address()).await;
    let port = async || -> Result<i32, sqlx::Error> {
        let port = sqlx::query_scalar("SELECT inet_server_port()").fetch_one(&pools.pool);
        timeout(END_LIMIT, port).await.expect("a read hangs")
    };
    assert_eq!(
        port().await.unwrap(),
        i32::from(pair.primary_address().port())
    );

    pair.kill_primary().await;
    let standby = i32::from(pair.standby_address().port());
    eventually("the standby is read", || async {
        port().await.is_ok_and(|port| port == standby)
    })
    .await;
    for _ in 0..20 {
        assert_eq!(port().await.unwrap(), standby);
    }
}

#[tokio::test]
async fn a_read_that_the_log_overtakes_is_taken_elsewhere() {
    let pair = PostgresPair::start().await.unwrap();
    let pools = Pools::of(&pair).await;
    pools.add().await;
    pools.wait_until_read_at(pair.standby_address()).await;

    let long = begin_long_read(&pools, &pair).await;
    // The standby waits for the read only so long before it drops the table, too.
    pools.execute("DROP TABLE numbers").await;
    let overtaken = timeout(END_LIMIT, long)
        .await
        .expect("a read hangs")
        .unwrap();
    assert!(adfolio_kit::refusal::is_moved(&overtaken.unwrap_err()));
}
