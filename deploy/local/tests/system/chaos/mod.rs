//! Every fault at once, for a while: what was answered exists exactly once, everything unanswered
//! ends, and the books balance every second meanwhile.
//!
//! Advertisers and staff go through every saga ([`actor`]) and remember the answers ([`history`]),
//! and a network shows plans and reports them ([`supply`]), while processes are killed and frozen,
//! connections cut and writes interrupted ([`faults`], [`links`], [`interrupts`]); the books are
//! sampled every second ([`books`]). When it is quiet again, everything has ended, and memory and
//! books are compared ([`check`]).
//!
//! `CHAOS_SECONDS` (60) is the duration, `CHAOS_SEED` repeats faults and journeys, and `CHAOS_DATA`
//! names a folder where databases and logs are kept.

mod actor;
mod books;
mod calls;
mod check;
mod cluster;
mod crash_points;
mod crowd;
mod customer;
mod defects;
mod disk;
mod failover;
mod faults;
mod history;
mod interrupts;
mod links;
mod load;
mod notices;
mod outage;
mod restore;
mod rolling;
mod scale;
mod supply;
mod upgrade;
mod wallet_stream;
mod watchful;

use std::{env, ops::Range, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use adfolio_local::{Service, StackBuilder};
use adfolio_testkit::inboxes;
use chrono::{TimeDelta, Utc};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::setup::{self, System};
use actor::Actor;
use customer::Stage;
use faults::Faults;
use history::History;
use links::Links;
use supply::Supply;

/// Concurrent advertisers.
const ACTORS: usize = 12;

/// A whole run; a shorter one has proportionally fewer faults.
pub const WHOLE_RUN_SECONDS: u64 = 540;

/// Operations on money that a whole run must answer.
const OPERATIONS: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_nothing_doubled() {
    let seconds = setting("CHAOS_SECONDS").unwrap_or(60);
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    println!("chaos for {seconds} s, CHAOS_SEED={seed}");
    Chaos::start(seconds, seed, &[]).await.run().await;
}

/// A run: a system, its actors, and its faults.
struct Chaos {
    seconds: u64,
    seed: u64,
    system: Arc<System>,
    links: Links,
    stage: Arc<Stage>,
}

impl Chaos {
    /// A system that runs, with variables for single services.
    async fn start(seconds: u64, seed: u64, environment: &[(Service, &str, &str)]) -> Self {
        let environment = [environment, &supply::ENVIRONMENT].concat();
        let (system, links) = start(&environment).await;
        let stage = Arc::new(prepare(&system).await);
        Self {
            seconds,
            seed,
            system,
            links,
            stage,
        }
    }

    /// Runs with all faults and checks the result; panics if anything is wrong.
    async fn run(self) {
        let stop = CancellationToken::new();
        let acting = act(&self.system, &self.stage, self.seed, 0..ACTORS, &stop).await;
        let supply = Supply::prepare(&self.system, self.seed).await;
        let supplying = tokio::spawn(supply.work(stop.clone()));
        let base_url = self.system.stack.database_base_url();
        let watching = tokio::spawn(books::watch(base_url, stop.clone()));
        let faults = Faults::new(self.seed, self.seconds);
        let struck = faults.strike(&self.system, &self.links).await;
        stop.cancel();
        let histories = remembered(acting).await;
        let watched = watching.await.unwrap();
        let (mut supply, mut told) = supplying.await.expect("the network got a forbidden answer");

        let answered: usize = histories.iter().map(|history| history.answered).sum();
        println!("{struck}; {answered} operations answered; {watched}; {told}");
        supply.conclude(&mut told).await;
        check::wait_until_quiet(&self.system).await;
        for history in &histories {
            check::compare(&self.system, history).await;
        }
        assert_eq!(watched.unbalanced, 0, "the books were off");
        assert!(
            u64::try_from(watched.balanced).unwrap() >= self.seconds / 2,
            "the books were looked at only {} times",
            watched.balanced
        );
        struck.assert_whole(self.seconds);
        told.assert_worked();
        assert!(
            answered >= self.operations(),
            "only {answered} operations were answered"
        );
        stop_system(self.system).await;
    }

    /// Operations that must be answered. The throughput of a short run depends on the machine and
    /// on how long RabbitMQ takes to start again; a tenth of that of a whole run is enough.
    fn operations(&self) -> usize {
        if self.seconds < WHOLE_RUN_SECONDS {
            let seconds = usize::try_from(self.seconds).unwrap();
            OPERATIONS * seconds / (10 * usize::try_from(WHOLE_RUN_SECONDS).unwrap())
        } else {
            OPERATIONS
        }
    }
}

async fn stop_system(system: Arc<System>) {
    Arc::into_inner(system)
        .expect("nobody else has the system")
        .stack
        .stop()
        .await;
}

/// A system whose components reach each other through proxies.
async fn start(environment: &[(Service, &str, &str)]) -> (Arc<System>, Links) {
    let mut builder = setup::builder();
    for (service, name, value) in environment {
        builder = builder.extra_env(*service, *name, *value);
    }
    if let Some(folder) = setting::<PathBuf>("CHAOS_DATA") {
        builder = builder.data_dir(folder);
    }
    let links = Links::start(&builder.pick_ports().unwrap()).await;
    let system = remembering(links.lead_through(builder)).await;
    (Arc::new(system), links)
}

/// A system that records the events of its services.
async fn remembering(builder: StackBuilder) -> System {
    let system = System::start_from(builder).await;
    let base_url = system.stack.database_base_url();
    for service in inboxes::SERVICES {
        let remembered = inboxes::remember(&books::database(&base_url, service)).await;
        remembered.expect("the service has its schema");
    }
    system
}

/// Actors of these numbers who act until stopped.
async fn act(
    system: &System,
    stage: &Arc<Stage>,
    seed: u64,
    numbers: Range<usize>,
    stop: &CancellationToken,
) -> Vec<JoinHandle<History>> {
    let mut actors = Vec::new();
    for number in numbers {
        actors.push(Actor::prepare(system, stage, number, seed).await);
    }
    actors
        .into_iter()
        .map(|actor| tokio::spawn(actor.act(stop.clone())))
        .collect()
}

/// What the actors remember once they have stopped.
async fn remembered(acting: Vec<JoinHandle<History>>) -> Vec<History> {
    let mut histories = Vec::new();
    for actor in acting {
        histories.push(actor.await.expect("an actor got a forbidden answer"));
    }
    histories
}

fn setting<T: FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} cannot be {text}")),
    )
}

/// A product, coupons, and offers of both directions.
async fn prepare(system: &System) -> Stage {
    // No placement of the network is in this country.
    let product_id = system.product_for("Chaos", "JP").await;
    let campaign = json!({
        "name": "Chaos", "type": "fixed_amount", "mode": "deduction", "value": "5.00", "amount_requirement": "10.00",
        "kind": "staff", "valid_days": 30,
    });
    let campaign = system.admin.post("/admin/coupon/campaign/create", campaign);
    let campaign_id = campaign.await.ok()["id"].as_str().unwrap().to_owned();
    let acceptor = json!({"kind": "personal", "name": "Ada", "rating": 4.8});
    let acceptor = system.admin.post("/admin/acceptor/create", acceptor);
    let acceptor_id = acceptor.await.ok()["id"].clone();
    let mut codes = Vec::new();
    for direction in ["wallet_to_currency", "currency_to_wallet"] {
        let offer = json!({
            "acceptor_id": acceptor_id, "direction": direction, "currency": "EUR", "rate": "0.9235", "min": "1.00",
            "max": "500.00", "expires_at": Utc::now() + TimeDelta::days(1),
        });
        let issued = system.admin.post("/admin/acceptance_code/create", offer);
        codes.push(issued.await.ok()["code"].as_str().unwrap().to_owned());
    }
    Stage {
        product_id,
        campaign_id,
        codes: codes.try_into().unwrap(),
        second_admin: system.second_admin().await,
        pause: Duration::ZERO,
        is_restless: true,
    }
}
