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
    collections::HashSet, net::SocketAddr, ops::Range, path::PathBuf, sync::Arc, time::Duration,
};

use adfolio_kit::chaos::{DEFECTS_VARIABLE, Defect};
use adfolio_local::{PostgresPair, Service};
use adfolio_testkit::Proxy;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::SliceRandom as _};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{crowd::Crowd, remembering, setting, stop_system, supply, watchful::Customer};
use crate::setup::{self, System};

/// Concurrent advertisers.
const ACTORS: usize = 8;

/// Services that know both servers. The others know the address that moves.
const KNOW_BOTH: [Service; 3] = [Service::Auth, Service::Wallet, Service::Coupon];

/// Services that read at the standby.
const READ_AT_STANDBY: [Service; 3] = [Service::Plan, Service::Wallet, Service::Notification];

/// Money is posted again within this time after a promotion, or something is broken. What it takes is printed.
const BACK_LIMIT: Duration = Duration::from_secs(30);

/// Without a primary for longer, changes are refused at once.
const LONG_WITHOUT: Duration = Duration::from_secs(4);

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
    let crowd = Crowd::start(&system, seed, ACTORS).await;
    let customer = &crowd.customer;

    let began = Instant::now();
    let mut struck = Vec::new();
    while began.elapsed() < Duration::from_secs(seconds) {
        let mut faults = Fault::ALL;
        faults.shuffle(&mut random);
        for fault in faults {
            pause(&mut random, 500..2_000).await;
            let back = servers.strike(fault, &mut random, customer).await;
            println!(
                "{fault:?}: money is posted again after {} ms",
                back.as_millis()
            );
            struck.push((fault, back));
        }
    }
    customer.wait_for_posting(Instant::now(), BACK_LIMIT).await;
    let answered = crowd.end(&system).await;
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
                customer.wait_for_refusal(BACK_LIMIT).await;
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
                customer.wait_for_refusal(BACK_LIMIT).await;
                sleep(LONG_WITHOUT).await;
                let began = Instant::now();
                pair.start_standby().await.unwrap();
                return customer.wait_for_posting(began, BACK_LIMIT).await;
            }
        }
        let former = pair.primary_address();
        pair.promote().await.unwrap();
        let promoted = Instant::now();
        self.address.lead_to(&pair.primary_address().to_string());
        let back = customer.wait_for_posting(promoted, BACK_LIMIT).await;
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
