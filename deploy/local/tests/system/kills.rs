//! Any process may be killed at any moment: what was acknowledged exists exactly once, what was not ends, the books balance.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use adfolio_local::{Component, Service, Signal};
use serde_json::{Value, json};

use crate::{
    client::Client,
    impressions::cents,
    setup::{Advertiser, System},
};

/// How often each of the nine processes is killed.
const ROUNDS: usize = 4;

/// Advertisers who put at the same time.
const WORKERS: usize = 6;

/// Between two attempts of one put while something is down.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A put that has not ended after so many attempts (about two minutes) will not end.
const ATTEMPTS_MAX: usize = 600;

/// What one advertiser's client remembers.
#[derive(Default)]
struct History {
    /// Key of each put that was acknowledged, and the plan it was told.
    acknowledged: HashMap<String, String>,
    /// Keys of puts that were sent once and never asked about again.
    abandoned: HashSet<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_and_double_nothing() {
    let system = System::start().await;
    let product_id = system.product("Kills").await;
    let mut advertisers = Vec::new();
    for worker in 0..WORKERS {
        let advertiser = system.advertiser(&format!("killed-{worker}")).await;
        system.deposit(&advertiser.id, "900000.00").await;
        advertisers.push(advertiser);
    }

    let stop = Arc::new(AtomicBool::new(false));
    let puts = Arc::new(AtomicUsize::new(0));
    let workers: Vec<_> = advertisers
        .iter()
        .map(|advertiser| {
            tokio::spawn(put_until(
                advertiser.client.clone(),
                product_id.clone(),
                stop.clone(),
                puts.clone(),
            ))
        })
        .collect();

    let kills = kill_everything_in_turn(&system, &puts).await;
    assert!(kills >= 30, "only {kills} kills");
    stop.store(true, Ordering::Relaxed);
    let mut histories = Vec::new();
    for worker in workers {
        histories.push(worker.await.unwrap());
    }

    println!(
        "{kills} kills, {} puts acknowledged",
        histories
            .iter()
            .map(|history| history.acknowledged.len())
            .sum::<usize>()
    );
    wait_until_reconciled(&system).await;
    for (advertiser, history) in advertisers.iter().zip(&histories) {
        check(advertiser, history).await;
    }
    system.stack.stop().await;
}

/// Kills each process by its id, with puts going through between two kills.
async fn kill_everything_in_turn(system: &System, puts: &AtomicUsize) -> usize {
    let mut kills = 0;
    for _ in 0..ROUNDS {
        let services = Service::ALL.into_iter().map(Component::from);
        for component in services.chain([Component::Postgres, Component::Rabbitmq]) {
            let before = puts.load(Ordering::Relaxed);
            system.stack.kill(component, Signal::SIGKILL).await.unwrap();
            kills += 1;
            system.stack.wait_ready(component).await.unwrap();
            wait_for(
                &format!("puts to go on after {component:?} came back"),
                async || puts.load(Ordering::Relaxed) > before + 3,
            )
            .await;
        }
    }
    kills
}

/// Puts one after the other, each with a key of its own, repeated until it is answered; every tenth is sent only once.
async fn put_until(
    client: Client,
    product_id: String,
    stop: Arc<AtomicBool>,
    puts: Arc<AtomicUsize>,
) -> History {
    let mut history = History::default();
    let body = json!({"product_id": product_id, "amount": "10.00"});
    for number in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let key = format!("put-{number}");
        if number % 10 == 9 {
            let _ = client.try_post_keyed("/plan/order/put", &key, &body).await;
            history.abandoned.insert(key);
            continue;
        }
        let plan_id = put_with_retries(&client, &key, &body).await;
        history.acknowledged.insert(key, plan_id);
        puts.fetch_add(1, Ordering::Relaxed);
    }
    history
}

async fn put_with_retries(client: &Client, key: &str, body: &Value) -> String {
    let mut pause = tokio::time::interval(RETRY_PAUSE);
    for _ in 0..ATTEMPTS_MAX {
        pause.tick().await;
        match client.try_post_keyed("/plan/order/put", key, body).await {
            Ok(reply) if reply.code == 200 => return reply.data["id"].as_str().unwrap().to_owned(),
            Ok(reply) => assert_eq!(
                (reply.code, reply.reason()),
                (500, "UNAVAILABLE"),
                "{key}: {reply:?}"
            ),
            // The connection broke: the outcome is unknown, the key makes asking again safe.
            Err(_) => {}
        }
    }
    panic!("{key} did not end after {ATTEMPTS_MAX} attempts");
}

/// Compares an advertiser's memory with what the system shows.
async fn check(advertiser: &Advertiser, history: &History) {
    let plans = advertiser.plans().await;
    let ids: HashSet<&str> = plans
        .iter()
        .map(|plan| plan["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), plans.len(), "a plan is listed twice");
    let acknowledged: HashSet<&str> = history.acknowledged.values().map(String::as_str).collect();
    assert_eq!(
        acknowledged.len(),
        history.acknowledged.len(),
        "two keys were told the same plan"
    );
    let lost: Vec<_> = acknowledged.difference(&ids).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let extra = plans.len() - acknowledged.len();
    assert!(
        extra <= history.abandoned.len(),
        "{extra} plans that nobody asked for"
    );

    let property = advertiser.client.get("/user/property").await.ok();
    let held = cents(property["to_be_consumed"].as_str().unwrap());
    assert_eq!(
        held,
        plans.len() as i128 * 1_000,
        "held money is not what the plans hold"
    );
    let available = cents(property["available_funds"].as_str().unwrap());
    assert_eq!(available + held, 90_000_000, "money was made or lost");
}

/// Unfinished puts end by themselves; then the books balance.
async fn wait_until_reconciled(system: &System) {
    wait_for("the books to balance", async || {
        let reply = system.admin.get("/admin/wallet/reconcile").await;
        reply.code == 200 && reply.data["ok"] == true
    })
    .await;
}

async fn wait_for(what: &str, condition: impl AsyncFn() -> bool) {
    let mut pause = tokio::time::interval(RETRY_PAUSE);
    for _ in 0..ATTEMPTS_MAX {
        pause.tick().await;
        if condition().await {
            return;
        }
    }
    panic!("waited in vain for {what}");
}
