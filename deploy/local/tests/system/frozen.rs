//! Frozen and restarted components: what they affect, and for how long.

use std::{collections::BTreeMap, time::Duration};

use adfolio_local::{Component, Service, Signal};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    client::{Client, Reply},
    setup::System,
};

/// After a restart everything is answered again within this time.
const RECOVERY_LIMIT: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(50);

/// A call that needs only this service, and auth.
const CALLS: [(Service, &str); 5] = [
    (Service::Plan, "/plan/order/list"),
    (Service::Wallet, "/user/property"),
    (Service::Coupon, "/user_coupon/list"),
    (Service::Notification, "/user/notifications/unread_count"),
    (Service::Acceptor, "/acceptor/order/list"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_service_fails_its_callers_in_time_and_slows_nobody_else() {
    let system = System::start().await;
    let user = system.advertiser("ada").await;
    for (frozen, path) in CALLS {
        system.stack.kill(frozen, Signal::SIGSTOP).await.unwrap();
        let client = user.client.clone();
        let began = Instant::now();
        let stuck = tokio::spawn(async move { read(&client, path).await });
        for (service, path) in CALLS {
            if service != frozen {
                read(&user.client, path).await.ok();
            }
        }
        let others = began.elapsed();
        assert!(!stuck.is_finished(), "{} was not needed", frozen.name());
        let reply = stuck.await.unwrap();
        assert_eq!(
            reply.reason(),
            "UNAVAILABLE",
            "{}: {reply:?}",
            frozen.name()
        );
        println!(
            "{} frozen: its call failed after {:.1} s, the four others were answered within {} ms",
            frozen.name(),
            began.elapsed().as_secs_f32(),
            others.as_millis()
        );
        system.stack.kill(frozen, Signal::SIGCONT).await.unwrap();
        until_ok(|| read(&user.client, path)).await;
    }
    system.stack.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_is_taken_again_after_every_restart() {
    let system = System::start().await;
    let user = system.advertiser("ada").await;
    system.deposit(&user.id, "1000.00").await;
    let product = system.product("Restarts").await;
    let mut parts: BTreeMap<String, Component> = Service::ALL
        .map(|service| (service.name().to_owned(), service.into()))
        .into();
    parts.insert("postgres".to_owned(), Component::Postgres);
    parts.insert("rabbitmq".to_owned(), Component::Rabbitmq);
    let puts = parts.len();
    for (name, part) in parts {
        // PostgreSQL's own way to restart without waiting for its clients.
        let signal = if part == Component::Postgres {
            Signal::SIGINT
        } else {
            Signal::SIGTERM
        };
        system.stack.kill(part, signal).await.unwrap();
        let began = Instant::now();
        let body = json!({"product_id": product, "amount": "10.00"});
        until_done(&user.client, &name, &body).await;
        println!(
            "{name} restarted: a put is answered {:.1} s after its end",
            began.elapsed().as_secs_f32()
        );
        system.stack.wait_ready(part).await.unwrap();
    }
    assert_eq!(user.plans().await.len(), puts);
    system.assert_reconciled().await;
    system.stack.stop().await;
}

async fn read(client: &Client, path: &str) -> Reply {
    if path.starts_with("/user/notifications") {
        client.post(path, json!({})).await
    } else {
        client.get(path).await
    }
}

/// Repeats a call with one key until it succeeds.
async fn until_done(client: &Client, key: &str, body: &Value) {
    let asked = timeout(RECOVERY_LIMIT, async {
        while !client
            .try_post_keyed("/plan/order/put", key, body)
            .await
            .is_ok_and(|reply| reply.code == 200)
        {
            sleep(POLL).await;
        }
    });
    assert!(
        asked.await.is_ok(),
        "{key}: no put after {RECOVERY_LIMIT:?}"
    );
}

async fn until_ok<F: Future<Output = Reply>>(call: impl Fn() -> F) {
    let answered = timeout(RECOVERY_LIMIT, async {
        while call().await.code != 200 {
            sleep(POLL).await;
        }
    });
    assert!(answered.await.is_ok(), "no answer after {RECOVERY_LIMIT:?}");
}
