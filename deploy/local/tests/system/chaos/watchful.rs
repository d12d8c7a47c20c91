//! One client that has money posted and reads without a pause, and says how long it was refused.
//!
//! Its reads never fail, and show every posting that was acknowledged before, except for a moment during a failover: then
//! a standby may answer that has not got the last ones. Its postings fail only because changes are paused or nothing
//! answers, and each is there once in the end.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::books;
use crate::{
    client::{Client, Reply},
    setup::System,
};

/// A call is answered within this time, come what may.
const ANSWER_LIMIT: Duration = Duration::from_secs(12);

/// A failover counts as under way for this long after a refused posting.
const FAILOVER: Duration = Duration::from_secs(5);

const POLL: Duration = Duration::from_millis(20);

const NEWEST_POSTING: &str = "/transaction_flow/list?account=available&limit=1";

/// One who has money posted and reads, without a pause.
pub(super) struct Customer {
    /// When the last posting was begun that was acknowledged.
    posted: watch::Receiver<Instant>,
    /// When the last posting was refused.
    refused: watch::Receiver<Instant>,
    seen: JoinHandle<Seen>,
}

impl Customer {
    pub(super) async fn start(system: &System, stop: &CancellationToken) -> Self {
        let advertiser = system.advertiser("watchful").await;
        let (posted_sender, posted) = watch::channel(Instant::now());
        let (refused_sender, refused) = watch::channel(Instant::now());
        let acknowledged = Arc::<AtomicUsize>::default();
        let posting = Posting {
            admin: system.admin.clone(),
            user_id: advertiser.id,
            posted: posted_sender,
            refused: refused_sender,
            acknowledged: Arc::clone(&acknowledged),
        };
        let posting = tokio::spawn(posting.work(stop.clone()));
        let reading = Reading {
            client: advertiser.client,
            acknowledged,
            refused: refused.clone(),
        };
        let reading = tokio::spawn(reading.work(stop.clone()));
        let seen = tokio::spawn(async move {
            let mut seen = posting.await.expect("a posting got a forbidden answer");
            (seen.reads, seen.late) = reading.await.expect("a read failed");
            seen
        });
        Self {
            posted,
            refused,
            seen,
        }
    }

    /// Waits for a posting that begins after `since`; returns how long after it was acknowledged.
    pub(super) async fn wait_for_posting(&self, since: Instant, limit: Duration) -> Duration {
        wait(&self.posted, since, limit).await;
        since.elapsed()
    }

    /// Waits until a posting is refused.
    pub(super) async fn wait_for_refusal(&self, limit: Duration) {
        wait(&self.refused, Instant::now(), limit).await;
    }

    /// What it met, once it was stopped.
    pub(super) async fn seen(self) -> Seen {
        self.seen.await.expect("the client got a forbidden answer")
    }
}

async fn wait(watched: &watch::Receiver<Instant>, since: Instant, limit: Duration) {
    let mut watched = watched.clone();
    let waited = timeout(limit, watched.wait_for(|at| *at > since)).await;
    assert!(
        waited.is_ok_and(|it| it.is_ok()),
        "neither posted nor refused"
    );
}

/// What the client met.
#[derive(Debug, Default)]
pub(super) struct Seen {
    user_id: String,
    /// Acknowledged postings, each of 1.00.
    postings: usize,
    unavailable: usize,
    paused: usize,
    reads: usize,
    /// Reads that lacked a posting, during failovers.
    late: usize,
    slowest: Duration,
}

impl Seen {
    /// Every acknowledged posting is there once, and changes were refused with their reason.
    pub(super) async fn check(&self, system: &System) {
        let url = books::database(&system.stack.database_base_url(), "wallet");
        let mut connection = PgConnection::connect(&url).await.unwrap();
        let posted: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM transactions WHERE user_id = $1::uuid AND type = 'deposit'",
        )
        .bind(&self.user_id)
        .fetch_one(&mut connection)
        .await
        .unwrap();
        assert_eq!(usize::try_from(posted).unwrap(), self.postings);
        assert!(self.paused > 0, "no change was refused with its reason");
        assert!(
            self.slowest < ANSWER_LIMIT,
            "an answer took {:?}",
            self.slowest
        );
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} postings, {} attempts unavailable and {} paused, the slowest answer after {} ms; {} reads, none failed, {} late",
            self.postings,
            self.unavailable,
            self.paused,
            self.slowest.as_millis(),
            self.reads,
            self.late
        )
    }
}

struct Posting {
    admin: Client,
    user_id: String,
    posted: watch::Sender<Instant>,
    refused: watch::Sender<Instant>,
    /// How many postings were acknowledged.
    acknowledged: Arc<AtomicUsize>,
}

impl Posting {
    /// Has 1.00 posted again and again, each by its key until it is acknowledged.
    async fn work(self, stop: CancellationToken) -> Seen {
        let mut seen = Seen::default();
        while !stop.is_cancelled() {
            let key = Uuid::now_v7().to_string();
            let body = json!({"user_id": self.user_id, "amount": "1.00", "remark": "failover"});
            let begun = loop {
                let began = Instant::now();
                let outcome = self
                    .admin
                    .try_post_keyed("/admin/wallet/deposit", &key, &body)
                    .await;
                seen.slowest = seen.slowest.max(began.elapsed());
                match reason(&outcome) {
                    None => break began,
                    Some("CHANGES_PAUSED") => seen.paused += 1,
                    Some("UNAVAILABLE") => seen.unavailable += 1,
                    Some(_) => panic!("a posting: {outcome:?}"),
                }
                self.refused.send_replace(Instant::now());
                sleep(POLL).await;
            };
            seen.postings += 1;
            self.acknowledged.store(seen.postings, Ordering::SeqCst);
            self.posted.send_replace(begun);
            sleep(POLL).await;
        }
        seen.user_id = self.user_id;
        seen
    }
}

struct Reading {
    client: Client,
    acknowledged: Arc<AtomicUsize>,
    refused: watch::Receiver<Instant>,
}

impl Reading {
    /// Reads the wallet, the plans and the newest posting again and again; returns how many reads there were, and how many
    /// of them were late.
    async fn work(self, stop: CancellationToken) -> (usize, usize) {
        let (mut reads, mut late) = (0, 0);
        while !stop.is_cancelled() {
            self.read("/user/property").await;
            // Of a service that knows one address, and the standbys.
            self.read("/plan/order/list").await;
            let known = self.acknowledged.load(Ordering::SeqCst);
            let shown = shown_postings(&self.read(NEWEST_POSTING).await);
            if shown < known {
                let is_failover = self.refused.borrow().elapsed() < FAILOVER;
                assert!(is_failover, "{shown} of {known} postings are shown");
                late += 1;
            }
            reads += 3;
            sleep(POLL).await;
        }
        (reads, late)
    }

    async fn read(&self, path: &str) -> Reply {
        let outcome = self.client.try_get(path).await;
        assert_eq!(reason(&outcome), None, "a read: {outcome:?}");
        outcome.unwrap()
    }
}

/// The number of postings of 1.00, by the balance after the newest entry of the fund details.
fn shown_postings(reply: &Reply) -> usize {
    let newest = &reply.data["items"][0]["balance_after"];
    let units = newest.as_str().and_then(|it| it.split('.').next());
    units.map_or(0, |units| units.parse().unwrap())
}

/// Why a call was refused; `UNAVAILABLE` without an answer.
fn reason(outcome: &Result<Reply, String>) -> Option<&str> {
    match outcome {
        Ok(reply) if reply.code == 200 => None,
        Ok(reply) => Some(reply.reason()),
        Err(_) => Some("UNAVAILABLE"),
    }
}
