//! A constant rate of requests, reads and writes of every service, each made once.

use std::{fmt, sync::Arc, time::Duration};

use adfolio_testkit::within_limit;
use serde_json::json;
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::rolling::READS;
use crate::client::{Client, Reply};
use crate::setup::{Advertiser, PASSWORD, System};

const USERS: usize = 8;

/// A user's initial money, and the amount of each put.
const DEPOSIT: &str = "100000.00";
const PUT: &str = "10.00";

/// Of this many requests one is a put, one a deposit, one a login; the others read.
const PERIOD: usize = 20;

/// The callers.
pub struct Users {
    advertisers: Arc<Vec<Advertiser>>,
    anyone: Client,
    admin: Client,
    product_id: String,
}

impl Users {
    /// Advertisers with money, and a product.
    pub async fn come(system: &System) -> Self {
        let product_id = system.product("Load").await;
        let mut advertisers = Vec::new();
        for number in 0..USERS {
            let advertiser = system.advertiser(&format!("load{number}")).await;
            system.deposit(&advertiser.id, DEPOSIT).await;
            advertisers.push(advertiser);
        }
        // Logs in again and again: many sessions of one user end the oldest.
        system.advertiser("guest").await;
        Self {
            advertisers: Arc::new(advertisers),
            anyone: system.anyone.clone(),
            admin: system.admin.clone(),
            product_id,
        }
    }

    /// Each answered put and deposit exists once, and no other.
    pub async fn assert_have(&self, seen: &Seen) {
        let (mut plans, mut deposits) = (0, 0);
        for advertiser in &*self.advertisers {
            plans += advertiser.plans().await.len();
            let details = advertiser.fund_details().await;
            deposits += details
                .iter()
                .filter(|line| line["type"] == "system_top_up")
                .count();
        }
        assert_eq!(plans, seen.puts, "plans");
        assert_eq!(deposits, seen.deposits + USERS, "deposits");
    }

    /// The kind is random: in turn, all events of a kind could fall to the same replica.
    async fn ask(&self, number: usize) -> Seen {
        let mut seen = Seen::default();
        let user = &self.advertisers[number % USERS];
        let key = Uuid::new_v4().to_string();
        let (what, outcome) = match rand::random_range(0..PERIOD) {
            0 => {
                let put = json!({"product_id": self.product_id, "amount": PUT});
                let what = "/plan/order/put";
                let outcome = user.client.try_post_keyed(what, &key, &put).await;
                seen.puts += usize::from(is_done(&outcome));
                (what, outcome)
            }
            7 => {
                let deposit = json!({"user_id": user.id, "amount": "1.00", "remark": "load"});
                let what = "/admin/wallet/deposit";
                let outcome = self.admin.try_post_keyed(what, &key, &deposit).await;
                seen.deposits += usize::from(is_done(&outcome));
                (what, outcome)
            }
            13 => {
                let login = json!({"username": "guest", "password": PASSWORD});
                let what = "/auth/v2/login";
                (what, self.anyone.try_post(what, &login).await)
            }
            1 | 11 => {
                let what = "/user/notifications/unread_count";
                (what, user.client.try_post(what, &json!({})).await)
            }
            other => {
                let what = READS[other % READS.len()];
                (what, user.client.try_get(what).await)
            }
        };
        seen.note(what, &outcome);
        seen
    }
}

fn is_done(outcome: &Result<Reply, String>) -> bool {
    matches!(outcome, Ok(reply) if reply.http_status == 200 && reply.code == 200)
}

/// Running requests. Dropped, it makes no more.
pub struct Load {
    stop: DropGuard,
    asking: JoinHandle<Seen>,
}

impl Load {
    /// Makes `rate` requests a second until stopped, whether or not earlier ones have been
    /// answered.
    pub fn start(users: &Users, rate: u32) -> Self {
        let stop = CancellationToken::new();
        let users = Arc::new(Users {
            advertisers: Arc::clone(&users.advertisers),
            anyone: users.anyone.clone(),
            admin: users.admin.clone(),
            product_id: users.product_id.clone(),
        });
        let asking = tokio::spawn(keep_asking(users, rate, stop.clone()));
        Self {
            stop: stop.drop_guard(),
            asking,
        }
    }

    /// Makes no more requests, and waits for the last answers.
    pub async fn stop(self) -> Seen {
        drop(self.stop);
        within_limit("the last requests are answered", self.asking)
            .await
            .unwrap()
    }
}

async fn keep_asking(users: Arc<Users>, rate: u32, stop: CancellationToken) -> Seen {
    let mut seen = Seen::default();
    let mut asked = JoinSet::new();
    let mut ticks = interval(Duration::from_secs(1) / rate);
    // A busy machine catches up on late requests: the rate is guaranteed.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0.. {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stop.cancelled() => break,
        }
        let users = Arc::clone(&users);
        asked.spawn(async move { users.ask(number).await });
        while let Some(answered) = asked.try_join_next() {
            seen.add(answered.unwrap());
        }
    }
    while let Some(answered) = asked.join_next().await {
        seen.add(answered.unwrap());
    }
    seen
}

/// The requests, and those that failed.
#[derive(Debug, Default)]
pub struct Seen {
    pub calls: usize,
    pub puts: usize,
    pub deposits: usize,
    pub failures: Vec<String>,
}

impl Seen {
    fn note(&mut self, what: &str, outcome: &Result<Reply, String>) {
        self.calls += 1;
        if !is_done(outcome) {
            let problem = format!("{what}: {outcome:?}");
            println!("failed: {problem}");
            self.failures.push(problem);
        }
    }

    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.puts += other.puts;
        self.deposits += other.deposits;
        self.failures.extend(other.failures);
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} requests ({} puts, {} deposits), {} failed",
            self.calls,
            self.puts,
            self.deposits,
            self.failures.len()
        )
    }
}
