//! RabbitMQ away under load: money moves as usual, and the events of that time arrive soon
//! afterwards.
//!
//! `OUTAGE_SECONDS` (15) is the duration, `OUTAGE_PAUSE_MS` (1000) the pause of each of the twelve
//! advertisers between two journeys: the load must leave the machine room for catching up. It
//! continues until everything has arrived.

use std::{collections::BTreeMap, collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    ACTORS, act, books::database, check, notices, prepare, remembered, setting, start, stop_system,
};
use crate::setup::System;

/// Every consumer handles events again within this time after the broker's return.
const LIVE_LIMIT: Duration = Duration::from_secs(30);

/// Everything published before the broker's return has arrived within this time after it.
const BACKLOG_LIMIT: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(200);

/// The consumers, each with the database of its inbox. No journey has an event for plan's consumer,
/// which receives reports from outside, nor for wallet's of mails that are disowned.
const CONSUMERS: [(&str, &str); 6] = [
    ("auth", "audit"),
    ("auth", "membership"),
    ("auth", "security"),
    ("coupon", "plans"),
    ("notification", "inbox"),
    ("wallet", "passwords"),
];

const SENDERS: [&str; 6] = [
    "auth",
    "wallet",
    "plan",
    "coupon",
    "notification",
    "acceptor",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_does_not_need_the_broker() {
    let seconds = setting("OUTAGE_SECONDS").unwrap_or(15);
    let pause = Duration::from_millis(setting("OUTAGE_PAUSE_MS").unwrap_or(1_000));
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    println!("RabbitMQ gone for {seconds} s, CHAOS_SEED={seed}");
    let (system, links) = start(&[]).await;
    let stage = Arc::new(prepare(&system).await.with_pause(pause));
    let stop = CancellationToken::new();
    links.hide_broker(true);
    let began = Instant::now();
    let acting = act(&system, &stage, seed, 0..ACTORS, &stop).await;
    sleep(Duration::from_secs(seconds)).await;
    happen_to_one_user(&system).await;

    let before = Backlog::look(&system).await;
    links.hide_broker(false);
    let back = Instant::now();
    let live = timeout(LIVE_LIMIT, before.wait_until_consumers_live(&system));
    let live = live
        .await
        .unwrap_or_else(|_| panic!("not every consumer was live after {LIVE_LIMIT:?}"));
    let gone = timeout(
        BACKLOG_LIMIT.saturating_sub(back.elapsed()),
        before.wait_until_arrived(&system),
    );
    assert!(
        gone.await.is_ok(),
        "the backlog was not gone after {BACKLOG_LIMIT:?}"
    );
    let gone = back.elapsed();
    stop.cancel();
    let histories = remembered(acting).await;
    let loaded = began.elapsed();
    let answered: usize = histories.iter().map(|history| history.answered).sum();
    println!(
        "{answered} operations answered in {:.0} s; {} events waited; live again: {live:?}; backlog gone {:.1} s after the \
         broker's return",
        loaded.as_secs_f32(),
        before.waiting,
        gone.as_secs_f32()
    );
    check::wait_until_quiet(&system).await;
    for history in &histories {
        check::compare(&system, history).await;
        let failed = &history.unavailable;
        assert!(failed.is_empty(), "calls needed the broker: {failed:?}");
    }
    stop_system(system).await;
}

/// Events for the consumers that the journeys do not reach.
async fn happen_to_one_user(system: &System) {
    let user = system.advertiser("witness").await;
    system.deposit(&user.id, "1000.00").await;
    let fee = json!({"user_id": user.id, "amount": "10.00", "remark": "membership"});
    system
        .admin
        .post("/admin/wallet/membership", fee)
        .await
        .ok();
    let change = json!({
        "old_password": "correct horse battery", "new_password": "seven quiet lighthouses",
        "confirm_password": "seven quiet lighthouses",
    });
    user.client.post("/update/password", change).await.ok();
}

/// The backlog at the broker's return.
struct Backlog {
    /// Events in all outboxes.
    waiting: i64,
    /// What every consumer has handled.
    handled: BTreeMap<(&'static str, &'static str), i64>,
    /// The highest number in each outbox.
    outboxes: BTreeMap<&'static str, i64>,
    /// The notices that users must have.
    happened: BTreeSet<String>,
}

impl Backlog {
    async fn look(system: &System) -> Self {
        let mut waiting = 0;
        let mut outboxes = BTreeMap::new();
        for service in SENDERS {
            let query = "SELECT count(*), coalesce(max(id), 0) FROM unsent_events";
            let (count, last): (i64, i64) = sqlx::query_as(query)
                .fetch_one(&mut connect(system, service).await)
                .await
                .unwrap();
            waiting += count;
            outboxes.insert(service, last);
        }
        let mut handled = BTreeMap::new();
        for consumer in CONSUMERS {
            handled.insert(consumer, count_handled(system, consumer).await);
        }
        let happened = notices::happened(&system.stack.database_base_url())
            .await
            .unwrap();
        Self {
            waiting,
            handled,
            outboxes,
            happened,
        }
    }

    /// Returns how long each consumer took to handle its next event.
    async fn wait_until_consumers_live(&self, system: &System) -> BTreeMap<String, String> {
        let began = Instant::now();
        let mut live = BTreeMap::new();
        while live.len() < CONSUMERS.len() {
            for (consumer, before) in &self.handled {
                let name = format!("{}.{}", consumer.0, consumer.1);
                if !live.contains_key(&name) && count_handled(system, *consumer).await > *before {
                    live.insert(name, format!("{:.1} s", began.elapsed().as_secs_f32()));
                }
            }
            sleep(POLL).await;
        }
        live
    }

    /// No event of the backlog is left in an outbox, no coupon waits for its event, and users have
    /// their notices.
    async fn wait_until_arrived(&self, system: &System) {
        let base_url = system.stack.database_base_url();
        for (service, last) in &self.outboxes {
            let query = "SELECT count(*) FROM unsent_events WHERE id <= $1";
            let mut connection = connect(system, service).await;
            while sqlx::query_scalar::<_, i64>(query)
                .bind(last)
                .fetch_one(&mut connection)
                .await
                .unwrap()
                > 0
            {
                sleep(POLL).await;
            }
        }
        while !self
            .happened
            .is_subset(&notices::told(&base_url).await.unwrap())
        {
            sleep(POLL).await;
        }
    }
}

async fn count_handled(system: &System, (service, consumer): (&str, &str)) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM inbox WHERE consumer = $1")
        .bind(format!("{service}.{consumer}"))
        .fetch_one(&mut connect(system, service).await)
        .await
        .unwrap()
}

async fn connect(system: &System, service: &str) -> PgConnection {
    let url = database(&system.stack.database_base_url(), service);
    PgConnection::connect(&url).await.unwrap()
}
