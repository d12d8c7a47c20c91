//! RabbitMQ gone under load: money goes on as if nothing were, and what happened meanwhile arrives soon after.
//!
//! `OUTAGE_SECONDS` (15) says for how long.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{act, check, prepare, remembered, setting, start, stop_system};
use crate::client::Client;

/// Every consumer takes events again within this after the broker's return.
const LIVE_LIMIT: Duration = Duration::from_secs(30);

const POLL: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_does_not_need_the_broker() {
    let seconds = setting("OUTAGE_SECONDS").unwrap_or(15);
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    println!("RabbitMQ gone for {seconds} s, CHAOS_SEED={seed}");
    let (system, links) = start(&[]).await;
    let stage = Arc::new(prepare(&system).await);
    let stop = CancellationToken::new();
    let witness = system.advertiser("witness").await;
    links.hide_broker(true);
    let acting = act(&system, &stage, seed, &stop).await;
    sleep(Duration::from_secs(seconds)).await;
    let deposited = system.deposit(&witness.id, "1.00").await;
    assert_eq!(deposited["amount"], "1.00");

    links.hide_broker(false);
    let back = Instant::now();
    let notified = timeout(LIVE_LIMIT, async {
        while unread(&witness.client).await == 0 {
            sleep(POLL).await;
        }
    });
    assert!(notified.await.is_ok(), "no notice after {LIVE_LIMIT:?}");
    let live = back.elapsed();
    stop.cancel();
    let histories = remembered(acting).await;
    check::wait_until_quiet(&system).await;
    let gone = back.elapsed();
    let answered: usize = histories.iter().map(|history| history.answered).sum();
    println!(
        "{answered} operations answered; consumers live {:.1} s and the backlog gone {:.1} s after the broker's return",
        live.as_secs_f32(),
        gone.as_secs_f32()
    );
    for history in &histories {
        check::compare(&system, history).await;
        assert_eq!(history.unavailable, 0, "a call needed the broker");
    }
    stop_system(system).await;
}

async fn unread(client: &Client) -> i64 {
    let reply = client.post("/user/notifications/unread_count", json!({}));
    reply.await.ok()["unread_total"].as_i64().unwrap()
}
