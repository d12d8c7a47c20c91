//! What clients and Patroni see while a cluster has faults.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_kit::config::DatabaseArgs;
use adfolio_kit::db::{self, Pool};
use adfolio_local::{Cluster, MachineId};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{DATABASE, Fault};

/// Nothing may hang: a write has ended after this long.
const END_LIMIT: Duration = Duration::from_secs(25);

/// Pause between two writes, and between two questions to a Patroni.
const PAUSE: Duration = Duration::from_millis(10);
const QUESTION_PAUSE: Duration = Duration::from_millis(20);
const QUESTION_LIMIT: Duration = Duration::from_millis(500);

/// Longer pauses between acknowledged writes are a fault's.
const USUAL_PAUSE: Duration = Duration::from_millis(500);

/// Writers, and one observer of each Patroni.
pub(super) struct Observed {
    writers: [Writer; 2],
    /// Since when each machine has said that it is the primary.
    primary_since: [Arc<Mutex<Option<Instant>>>; 3],
    seen: Vec<Seen>,
    stop: CancellationToken,
    tasks: TaskTracker,
    url: String,
}

/// A pool that writes without a pause, and when it was acknowledged.
struct Writer {
    name: &'static str,
    acknowledged: Arc<Mutex<Vec<Instant>>>,
}

/// What a fault cost.
struct Seen {
    fault: Fault,
    /// From the fault to the primary that stayed; none if the primary was never another one.
    primary_after: Option<Duration>,
    /// The longest pause of each writer, and from the primary to the writer's next write.
    pauses: [(Duration, Option<Duration>); 2],
    healthy_after: Duration,
}

impl Observed {
    pub(super) async fn start(cluster: &Cluster) -> Self {
        let url = cluster.database_url(&[cluster.primary_address()], DATABASE);
        let direct = pool(&cluster.database_url(&cluster.database_addresses(), DATABASE));
        let proxied = pool(&url);
        let created = db::write(&direct, |tx| {
            Box::pin(async move {
                sqlx::raw_sql(
                    "CREATE TABLE numbers (writer text, number bigint, PRIMARY KEY (writer, number)); \
                     CREATE TABLE forbidden (number bigint GENERATED ALWAYS AS IDENTITY)",
                )
                .execute(tx)
                .await
            })
        });
        created.await.unwrap();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let writer = |name: &'static str, pool: Pool| {
            let acknowledged = Arc::new(Mutex::new(Vec::new()));
            tasks.spawn(write_on(
                name,
                pool,
                Arc::clone(&acknowledged),
                stop.clone(),
            ));
            Writer { name, acknowledged }
        };
        let writers = [writer("three hosts", direct), writer("haproxy", proxied)];
        let primary_since = cluster.patroni_addresses().map(|address| {
            let since = Arc::new(Mutex::new(None));
            let asking = ask_on(address, Arc::clone(&since));
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(asking).await });
            since
        });
        Self {
            writers,
            primary_since,
            seen: Vec::new(),
            stop,
            tasks,
            url,
        }
    }

    /// Records what a fault cost that began then, now that all is well.
    pub(super) async fn report(&mut self, fault: Fault, began: Instant, primary: MachineId) {
        let healthy_after = began.elapsed();
        // So that both have written again.
        sleep(END_LIMIT.min(Duration::from_secs(3))).await;
        let since = *self.primary_since[primary.index()].lock().unwrap();
        let since = since.expect("the primary says that it is one");
        let is_new = since > began;
        let pauses = self.writers.each_ref().map(|writer| {
            let (from, to) = writer.longest_pause(began);
            let back = is_new.then(|| to.saturating_duration_since(since));
            (to - from, back.filter(|_| to - from > USUAL_PAUSE))
        });
        let seen = Seen {
            fault,
            primary_after: is_new.then(|| since - began),
            pauses,
            healthy_after,
        };
        println!("{seen}");
        self.seen.push(seen);
    }

    /// Ends the writers; fails if an acknowledged number is missing.
    pub(super) async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let pool = pool(&self.url);
        for writer in &self.writers {
            let found: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM numbers WHERE writer = $1 AND number < $2",
            )
            .bind(writer.name)
            .bind(writer.count())
            .fetch_one(&pool)
            .await
            .unwrap();
            assert_eq!(found, writer.count(), "lost by {}", writer.name);
            println!("{}: {found} writes, none lost", writer.name);
        }
        println!("medians:");
        let mut left = self.seen;
        while let Some(first) = left.first() {
            let fault = first.fault;
            let (of_fault, others) = left.into_iter().partition(|seen| seen.fault == fault);
            left = others;
            println!("{}", medians(fault, &of_fault));
        }
    }
}

impl Writer {
    fn count(&self) -> i64 {
        i64::try_from(self.acknowledged.lock().unwrap().len()).unwrap()
    }

    /// The ends of the longest pause since shortly before then.
    fn longest_pause(&self, began: Instant) -> (Instant, Instant) {
        let acknowledged = self.acknowledged.lock().unwrap();
        let first = acknowledged
            .partition_point(|at| *at < began)
            .saturating_sub(1);
        let pairs = acknowledged[first..].windows(2);
        pairs
            .map(|pair| (pair[0], pair[1]))
            .max_by_key(|(from, to)| *to - *from)
            .expect("nothing was written")
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: Option<Duration>| {
            time.map_or_else(
                || "-".to_owned(),
                |time| format!("{:.2}", time.as_secs_f32()),
            )
        };
        let [(direct, direct_back), (proxied, proxied_back)] = self.pauses;
        write!(
            formatter,
            "{:<20} primary after {:>6} s; pause {:>6} s, writes {:>5} s after it; through haproxy {:>6} s, {:>5} s; healthy after {:>6} s",
            format!("{:?}", self.fault),
            seconds(self.primary_after),
            seconds(Some(direct)),
            seconds(direct_back),
            seconds(Some(proxied)),
            seconds(proxied_back),
            seconds(Some(self.healthy_after)),
        )
    }
}

fn medians(fault: Fault, seen: &[Seen]) -> Seen {
    fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
        values.sort_unstable();
        values[values.len() / 2]
    }
    let of = |choose: &dyn Fn(&Seen) -> Option<Duration>| median(seen.iter().map(choose).collect());
    let pause = |index: usize| {
        let pause = of(&|one| Some(one.pauses[index].0)).unwrap_or_default();
        (pause, of(&|one| one.pauses[index].1))
    };
    Seen {
        fault,
        primary_after: of(&|one| one.primary_after),
        pauses: [pause(0), pause(1)],
        healthy_after: of(&|one| Some(one.healthy_after)).unwrap_or_default(),
    }
}

fn pool(url: &str) -> Pool {
    db::connect(&DatabaseArgs::for_url(url.to_owned()), "test").unwrap()
}

/// Writes number after number, each again until it is acknowledged.
async fn write_on(
    name: &'static str,
    pool: Pool,
    acknowledged: Arc<Mutex<Vec<Instant>>>,
    stop: CancellationToken,
) {
    let mut number = 0;
    while !stop.is_cancelled() {
        let added = db::write(&pool, move |tx| {
            Box::pin(async move {
                sqlx::query("INSERT INTO numbers VALUES ($1, $2) ON CONFLICT DO NOTHING")
                    .bind(name)
                    .bind(number)
                    .execute(tx)
                    .await?;
                Ok::<_, sqlx::Error>(())
            })
        });
        if timeout(END_LIMIT, added)
            .await
            .expect("a write hangs")
            .is_ok()
        {
            acknowledged.lock().unwrap().push(Instant::now());
            number += 1;
        }
        sleep(PAUSE).await;
    }
}

/// Asks a Patroni without end whether it is the primary.
async fn ask_on(address: SocketAddr, since: Arc<Mutex<Option<Instant>>>) {
    let client = reqwest::Client::builder()
        .timeout(QUESTION_LIMIT)
        .pool_max_idle_per_host(0)
        .build()
        .unwrap();
    let url = format!("http://{address}/primary");
    loop {
        let is_primary = client
            .get(&url)
            .send()
            .await
            .is_ok_and(|answer| answer.status().is_success());
        {
            let mut since = since.lock().unwrap();
            *since = is_primary.then(|| since.unwrap_or_else(Instant::now));
        }
        sleep(QUESTION_PAUSE).await;
    }
}
