//! Failovers of PostgreSQL under load: two servers, of which the standby takes over again and again, each time for
//! another reason ([`Fault`]), and which is lost in between.
//!
//! Half of the services know both servers; the others know one address, which is moved to the new primary as a managed
//! server's is. Some of both read at the standby. Advertisers, staff and a network work meanwhile as in the other runs.
//! One more client asks for money to be posted and reads its wallet, plans and fund details without a pause: its reads
//! never fail and show every posting that was acknowledged before, and its postings say why they fail.
//!
//! `FAILOVER_SECONDS` (60) is the duration, `CHAOS_SEED` repeats a run, and `CHAOS_DATA` names a folder for the logs.

use std::{
    collections::HashSet,
    fmt,
    net::SocketAddr,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adfolio_kit::chaos::{DEFECTS_VARIABLE, Defect};
use adfolio_local::{PostgresPair, Service};
use adfolio_testkit::Proxy;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::SliceRandom as _};
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{act, books, check, prepare, remembered, remembering, setting, stop_system, supply};
use crate::{
    client::{Client, Reply},
    setup::{self, System},
};
use supply::Supply;

/// Concurrent advertisers.
const ACTORS: usize = 8;

/// Services that know both servers. The others know the address that moves.
const KNOW_BOTH: [Service; 3] = [Service::Auth, Service::Wallet, Service::Coupon];

/// Services that read at the standby.
const READ_AT_STANDBY: [Service; 3] = [Service::Plan, Service::Wallet, Service::Notification];

/// Money is posted again within this time after a promotion, or something is broken. What it takes is printed.
const BACK_LIMIT: Duration = Duration::from_secs(30);

/// A call is answered within this time, come what may.
const ANSWER_LIMIT: Duration = Duration::from_secs(12);

/// Without a primary for longer, changes are refused at once.
const LONG_WITHOUT: Duration = Duration::from_secs(4);

const POLL: Duration = Duration::from_millis(20);

const NEWEST_POSTING: &str = "/transaction_flow/list?account=available&limit=1";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over_under_load() {
    let seconds = setting("FAILOVER_SECONDS").unwrap_or(60);
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    println!("failovers for {seconds} s, CHAOS_SEED={seed}");
    run(seconds, seed, None).await;
}

/// Why another server becomes the primary, or none is for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The primary is killed with everything that runs on it.
    Killed,
    /// It does not answer, comes back as it was, and still takes itself for the primary.
    Frozen,
    /// It turns read-only and keeps its connections, as a managed server does.
    ReadOnly,
    /// It ends in order.
    SwitchedOver,
    /// The standby is gone: no commit is acknowledged until it is back.
    StandbyLost,
}

impl Fault {
    const ALL: [Self; 5] = [
        Self::Killed,
        Self::Frozen,
        Self::ReadOnly,
        Self::SwitchedOver,
        Self::StandbyLost,
    ];
}

/// A run; panics if anything is wrong.
pub(super) async fn run(seconds: u64, seed: u64, defect: Option<Defect>) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut servers = Servers::start().await;
    let system = servers.system(defect).await;
    let stage = Arc::new(prepare(&system).await);
    let stop = CancellationToken::new();
    let acting = act(&system, &stage, seed, 0..ACTORS, &stop).await;
    let supply = Supply::prepare(&system, seed).await;
    let supplying = tokio::spawn(supply.work(stop.clone()));
    let watching = tokio::spawn(books::watch(system.stack.database_base_url(), stop.clone()));
    let customer = Customer::start(&system, &stop).await;

    let began = Instant::now();
    let mut struck = Vec::new();
    while began.elapsed() < Duration::from_secs(seconds) {
        let mut faults = Fault::ALL;
        faults.shuffle(&mut random);
        for fault in faults {
            pause(&mut random, 500..2_000).await;
            let back = servers.strike(fault, &mut random, &customer).await;
            println!(
                "{fault:?}: money is posted again after {} ms",
                back.as_millis()
            );
            struck.push((fault, back));
        }
    }
    customer.wait_for_posting(Instant::now()).await;
    stop.cancel();
    let histories = remembered(acting).await;
    let met = customer
        .seen
        .await
        .expect("the client got a forbidden answer");
    let watched = watching.await.unwrap();
    let (mut supply, mut told) = supplying.await.expect("the network got a forbidden answer");
    let answered: usize = histories.iter().map(|history| history.answered).sum();
    println!("{met}; {answered} operations answered; {watched}; {told}");
    supply.conclude(&mut told).await;
    check::wait_until_quiet(&system).await;
    for history in &histories {
        check::compare(&system, history).await;
    }
    met.check(&system).await;
    assert_eq!(watched.unbalanced, 0, "the books were off");
    assert!(watched.balanced > 0, "nobody looked at the books");
    assert!(answered > struck.len(), "only {answered} operations");
    stop_system(system).await;
}

/// The two servers, and the address that moves.
struct Servers {
    pair: PostgresPair,
    address: Proxy,
}

impl Servers {
    async fn start() -> Self {
        let pair = PostgresPair::start().await.unwrap();
        let address = Proxy::start(&pair.primary_address().to_string()).await;
        Self { pair, address }
    }

    /// A system on these servers.
    async fn system(&self, defect: Option<Defect>) -> Arc<System> {
        let mut builder = setup::builder().database_at(self.address.address());
        for service in KNOW_BOTH {
            builder = builder.database_addresses(service, self.pair.addresses());
        }
        for service in READ_AT_STANDBY {
            builder = builder.read_addresses(service, self.pair.addresses());
        }
        for (service, name, value) in supply::ENVIRONMENT {
            builder = builder.extra_env(service, name, value);
        }
        for service in Service::ALL {
            if let Some(defect) = defect {
                builder = builder.extra_env(service, DEFECTS_VARIABLE, defect.as_str());
            }
        }
        if let Some(folder) = setting::<PathBuf>("CHAOS_DATA") {
            builder = builder.data_dir(folder);
        }
        Arc::new(remembering(builder).await)
    }

    /// Lets it happen, and heals it; returns how long after there was a primary again money was posted.
    async fn strike(&mut self, fault: Fault, random: &mut StdRng, customer: &Customer) -> Duration {
        let pair = &mut self.pair;
        let without = Duration::from_millis(random.random_range(0..1_500));
        match fault {
            Fault::Killed => {
                pair.kill_primary().await;
                customer.wait_for_refusal().await;
                sleep(LONG_WITHOUT).await;
            }
            Fault::Frozen => {
                pair.freeze_primary();
                sleep(without + Duration::from_secs(2)).await;
            }
            Fault::ReadOnly => {
                pair.make_primary_read_only().await.unwrap();
                sleep(without).await;
            }
            Fault::SwitchedOver => pair.stop_primary().await.unwrap(),
            Fault::StandbyLost => {
                pair.kill_standby().await;
                customer.wait_for_refusal().await;
                sleep(LONG_WITHOUT).await;
                let began = Instant::now();
                pair.start_standby().await.unwrap();
                return customer.wait_for_posting(began).await;
            }
        }
        let former = pair.primary_address();
        pair.promote().await.unwrap();
        let promoted = Instant::now();
        self.address.lead_to(&pair.primary_address().to_string());
        let back = customer.wait_for_posting(promoted).await;
        if fault == Fault::Frozen {
            pair.thaw_standby();
            pause(random, 1_000..2_000).await;
            let strays = strays(former, pair.primary_address()).await;
            assert_eq!(
                strays,
                Vec::<Uuid>::new(),
                "the former primary took changes"
            );
        }
        pause(random, 500..1_500).await;
        pair.rejoin().await.unwrap();
        back
    }
}

/// Postings that a former primary shows and the primary lacks.
async fn strays(former: SocketAddr, primary: SocketAddr) -> Vec<Uuid> {
    let ids = async |address: SocketAddr| -> Vec<Uuid> {
        let url = format!("postgres://postgres@{address}/adfolio_wallet");
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::query_scalar("SELECT id FROM transactions")
            .fetch_all(&mut connection)
            .await
            .unwrap()
    };
    // Those of the former first: the primary's only become more.
    let mut shown = ids(former).await;
    let there: HashSet<_> = ids(primary).await.into_iter().collect();
    shown.retain(|id| !there.contains(id));
    shown
}

async fn pause(random: &mut StdRng, millis: Range<u64>) {
    sleep(Duration::from_millis(random.random_range(millis))).await;
}

/// One who has money posted and reads, without a pause.
struct Customer {
    /// When the last posting was begun that was acknowledged.
    posted: watch::Receiver<Instant>,
    /// When the last posting was refused.
    refused: watch::Receiver<Instant>,
    seen: JoinHandle<Seen>,
}

impl Customer {
    async fn start(system: &System, stop: &CancellationToken) -> Self {
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
        let reading = tokio::spawn(read(advertiser.client, acknowledged, stop.clone()));
        let seen = tokio::spawn(async move {
            let mut seen = posting.await.expect("a posting got a forbidden answer");
            seen.reads = reading.await.expect("a read failed");
            seen
        });
        Self {
            posted,
            refused,
            seen,
        }
    }

    /// Waits for a posting that begins after `since`; returns how long after it was acknowledged.
    async fn wait_for_posting(&self, since: Instant) -> Duration {
        self.wait(&self.posted, since).await;
        since.elapsed()
    }

    async fn wait_for_refusal(&self) {
        self.wait(&self.refused, Instant::now()).await;
    }

    async fn wait(&self, watched: &watch::Receiver<Instant>, since: Instant) {
        let mut watched = watched.clone();
        let waited = timeout(BACK_LIMIT, watched.wait_for(|at| *at > since)).await;
        assert!(
            waited.is_ok_and(|it| it.is_ok()),
            "neither posted nor refused"
        );
    }
}

/// What the client met.
#[derive(Debug, Default)]
struct Seen {
    user_id: String,
    /// Acknowledged postings, each of 1.00.
    postings: usize,
    unavailable: usize,
    paused: usize,
    reads: usize,
    slowest: Duration,
}

impl Seen {
    /// Every acknowledged posting is there once, and changes were refused with their reason.
    async fn check(&self, system: &System) {
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
            "{} postings, {} attempts unavailable and {} paused, the slowest answer after {} ms; {} reads, none failed",
            self.postings,
            self.unavailable,
            self.paused,
            self.slowest.as_millis(),
            self.reads
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

/// Reads the wallet, the plans and the newest posting again and again; every read must be answered, and show what was acknowledged
/// before it.
async fn read(client: Client, acknowledged: Arc<AtomicUsize>, stop: CancellationToken) -> usize {
    let mut reads = 0;
    while !stop.is_cancelled() {
        let outcome = client.try_get("/user/property").await;
        assert_eq!(reason(&outcome), None, "a read: {outcome:?}");
        // Of a service that knows one address, and the standbys.
        let outcome = client.try_get("/plan/order/list").await;
        assert_eq!(reason(&outcome), None, "a read: {outcome:?}");
        let known = acknowledged.load(Ordering::SeqCst);
        let outcome = client.try_get(NEWEST_POSTING).await;
        assert_eq!(reason(&outcome), None, "a read: {outcome:?}");
        let shown = shown_postings(&outcome.unwrap());
        assert!(shown >= known, "{shown} of {known} postings are shown");
        reads += 3;
        sleep(POLL).await;
    }
    reads
}

/// How many postings of 1.00 the newest entry of the fund details tells of.
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
