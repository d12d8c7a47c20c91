//! Subscriptions without a database.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use adfolio_kit::broker::Broker;
use adfolio_kit::consumer::{EventSink, Interests, Subscription};
use adfolio_kit::db;
use adfolio_kit::outbox::{CloudEvent, Event, Relay, enqueue_in_tx, subject_key};
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{Proxy, TestBroker, TestDatabase, eventually, publish_event};
use serde_json::json;
use uuid::Uuid;

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

/// The calls of a sink, in order: new keys of interest, and subjects of events.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn told(&self, what: &str) -> usize {
        let told = self.0.lock().unwrap();
        told.iter().filter(|entry| *entry == what).count()
    }
}

impl EventSink for Heard {
    fn on_gap(&mut self) {
        self.0.lock().unwrap().push("gap".to_owned());
    }

    fn on_interest(&mut self, key: &str) {
        self.0.lock().unwrap().push(key.to_owned());
    }

    fn on_event(&mut self, event: CloudEvent) {
        self.0.lock().unwrap().push(event.subject);
    }
}

/// Writes an event of an unbound type for each subject, and has the relay publish them in order.
async fn announce(
    database: &TestDatabase,
    relay: &adfolio_kit::outbox::Notifier,
    subjects: &[String],
) {
    let events: Vec<Event> = subjects
        .iter()
        .map(|subject| Event::new("adfolio.test.v1.Happened", subject, &json!({})).unwrap())
        .collect();
    db::write(&database.kit_pool(), move |tx| {
        Box::pin(async move { enqueue_in_tx(tx, &events).await })
    })
    .await
    .unwrap();
    relay.notify();
}

#[tokio::test]
async fn a_subscription_follows_single_subjects_and_leaves_them_while_it_runs() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let relay = Relay::new("test", database.kit_pool(), broker.broker());
    let (notifier, end) = (relay.notifier(), Shutdown::manual());
    tokio::spawn(relay.run(database.migrated(), end.clone()));
    let proxy = Proxy::start(&broker_address()).await;
    let through = Broker::new(&broker.args_at(&broker_url_at(proxy.address()))).unwrap();
    let (heard, interests) = (Heard::default(), Interests::default());
    let (early, late, other) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    interests.add(subject_key(early));
    // The last event of every round shows that the round has been received.
    let mark = Uuid::now_v7();
    interests.add(subject_key(mark));
    let subscription = Subscription::ephemeral("gateway").with_interests(interests.clone());
    tokio::spawn(subscription.run(through, end.clone(), heard.clone()));
    let told = |what: String, count: usize| {
        let heard = heard.clone();
        move || std::future::ready(heard.told(&what) >= count)
    };
    eventually("both are followed", told(subject_key(mark), 1)).await;
    interests.add(subject_key(late));
    eventually("the late one, too", told(subject_key(late), 1)).await;
    let round = [early, late, other, mark].map(|subject| subject.to_string());
    announce(&database, &notifier, &round).await;
    eventually("the first round is heard", told(mark.to_string(), 1)).await;
    let counts = || [early, late, other].map(|subject| heard.told(&subject.to_string()));
    assert_eq!(counts(), [1, 1, 0]);

    // Old keys are unbound before new ones are bound.
    interests.remove(&subject_key(early));
    interests.add(subject_key(other));
    eventually("the other one is followed", told(subject_key(other), 1)).await;
    announce(&database, &notifier, &round).await;
    eventually("the second round is heard", told(mark.to_string(), 2)).await;
    assert_eq!(counts(), [1, 2, 1]);

    // A new session follows the same ones.
    proxy.cut();
    eventually("it follows again", told(subject_key(mark), 2)).await;
    eventually("all of them", told(subject_key(other), 2)).await;
    announce(&database, &notifier, &round).await;
    eventually("the third round is heard", told(mark.to_string(), 3)).await;
    assert_eq!(counts(), [1, 3, 2]);
    end.trigger();
}

#[tokio::test]
async fn an_event_that_both_keys_match_comes_once() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let relay = Relay::new("test", database.kit_pool(), broker.broker());
    let (notifier, end) = (relay.notifier(), Shutdown::manual());
    tokio::spawn(relay.run(database.migrated(), end.clone()));
    let (heard, interests) = (Heard::default(), Interests::default());
    let (subject, mark) = (Uuid::now_v7(), Uuid::now_v7());
    interests.add(subject_key(subject));
    let subscription = Subscription::ephemeral("gateway")
        .bind("adfolio.test.v1.*")
        .with_interests(interests);
    tokio::spawn(subscription.run(broker.broker(), end.clone(), heard.clone()));
    eventually("it is followed", || {
        std::future::ready(heard.told(&subject_key(subject)) == 1)
    })
    .await;
    let round = [subject, mark].map(|subject| subject.to_string());
    announce(&database, &notifier, &round).await;
    eventually("the mark is heard", || {
        std::future::ready(heard.told(&mark.to_string()) == 1)
    })
    .await;
    assert_eq!(heard.told(&subject.to_string()), 1);
    end.trigger();
}
