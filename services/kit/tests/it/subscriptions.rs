//! Subscriptions without a database.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfolio_kit::broker::Broker;
use adfolio_kit::consumer::{EventSink, Subscription};
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{Proxy, TestBroker, eventually, publish_event};
use serde_json::json;

use crate::helpers::{broker_address, broker_url_at};

#[derive(Clone, Default)]
struct Counts {
    gaps: Arc<AtomicUsize>,
    events: Arc<AtomicUsize>,
}

impl EventSink for Counts {
    fn on_gap(&mut self) {
        self.gaps.fetch_add(1, Ordering::SeqCst);
    }

    fn on_event(&mut self, _: CloudEvent) {
        self.events.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_lost_connection_is_a_gap_and_events_flow_again() {
    let broker = TestBroker::namespace();
    let proxy = Proxy::start(&broker_address()).await;
    let through = Broker::new(&broker.args_at(&broker_url_at(proxy.address()))).unwrap();
    let (counts, shutdown) = (Counts::default(), Shutdown::manual());
    let subscription = Subscription::ephemeral("gateway").bind("adfolio.auth.v1.*");
    let running = tokio::spawn(subscription.run(through, shutdown.clone(), counts.clone()));
    let gaps = |count: usize| {
        let counts = counts.clone();
        move || std::future::ready(counts.gaps.load(Ordering::SeqCst) >= count)
    };
    eventually("the subscription begins", gaps(1)).await;
    publish_event(
        &broker.broker(),
        "adfolio.auth.v1.SessionsRevoked",
        "user-1",
        &json!({}),
    )
    .await;
    eventually("the event is heard", || {
        std::future::ready(counts.events.load(Ordering::SeqCst) == 1)
    })
    .await;
    proxy.cut();
    eventually("the gap is told", gaps(2)).await;
    publish_event(
        &broker.broker(),
        "adfolio.auth.v1.SessionsRevoked",
        "user-1",
        &json!({}),
    )
    .await;
    publish_event(
        &broker.broker(),
        "adfolio.wallet.v1.TransactionPosted",
        "user-1",
        &json!({}),
    )
    .await;
    eventually("the next event is heard", || {
        std::future::ready(counts.events.load(Ordering::SeqCst) == 2)
    })
    .await;
    shutdown.trigger();
    running.await.unwrap();
}
