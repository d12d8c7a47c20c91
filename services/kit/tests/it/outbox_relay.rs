//! Events from the transaction to the broker.

use std::time::Duration;

use adfolio_kit::broker::{Broker, Stream};
use adfolio_kit::db;
use adfolio_kit::outbox::{CloudEvent, Event, Notifier, Relay, enqueue_in_tx, prune_sent};
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{Proxy, TestBroker, TestDatabase, eventually, within_limit};
use futures::StreamExt as _;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable};
use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::helpers::{broker_address, broker_url_at};

const EVENT: &str = "adfolio.test.v1.Happened";

struct RunningRelay {
    notifier: Notifier,
    end: Shutdown,
    task: JoinHandle<()>,
}

impl RunningRelay {
    fn start(database: &TestDatabase, broker: Broker) -> Self {
        Self::run(Relay::new("test", database.kit_pool(), broker), database)
    }

    fn run(relay: Relay, database: &TestDatabase) -> Self {
        let (notifier, end) = (relay.notifier(), Shutdown::manual());
        let task = tokio::spawn(relay.run(database.migrated(), end.clone()));
        Self {
            notifier,
            end,
            task,
        }
    }

    async fn stop(self) {
        self.end.trigger();
        tokio::time::timeout(Duration::from_secs(10), self.task)
            .await
            .expect("the relay ends in time")
            .unwrap();
    }
}

async fn enqueue(pool: &PgPool, subject: &str, numbers: std::ops::Range<i64>) {
    let events: Vec<Event> = numbers
        .map(|number| {
            Event::new(EVENT, subject, &json!({"number": number}))
                .unwrap()
                .sequence(number)
        })
        .collect();
    db::write(pool, move |tx| {
        Box::pin(async move { enqueue_in_tx(tx, &events).await })
    })
    .await
    .unwrap();
}

async fn waiting(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM outbox")
        .fetch_one(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_event_arrives_as_a_cloud_event_and_leaves_the_outbox() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relay = RunningRelay::start(&database, broker.broker());
    let event = Event::new(EVENT, "user-1", &json!({"amount": "12"}))
        .unwrap()
        .sequence(7);
    let id = event.id();
    db::write(&database.kit_pool(), move |tx| {
        Box::pin(async move { enqueue_in_tx(tx, &[event]).await })
    })
    .await
    .unwrap();
    relay.notifier.notify();
    let seen = probe.wait_for(EVENT, 1).await.remove(0);
    assert_eq!(
        (seen.id, seen.subject.as_str(), seen.source.as_str()),
        (id, "user-1", "/adfolio/test")
    );
    assert_eq!(
        (seen.sequence, seen.data),
        (Some(7), json!({"amount": "12"}))
    );
    eventually("the outbox is empty", || async {
        waiting(&database.pool()).await == 0
    })
    .await;
    relay.stop().await;
}

#[tokio::test]
async fn a_rolled_back_change_reports_nothing() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relay = RunningRelay::start(&database, broker.broker());
    let event = Event::new(EVENT, "user-1", &json!({})).unwrap();
    let rolled_back: Result<(), sqlx::Error> = db::write(&database.kit_pool(), move |tx| {
        Box::pin(async move {
            enqueue_in_tx(tx, &[event]).await?;
            Err(sqlx::Error::RowNotFound)
        })
    })
    .await;
    assert!(rolled_back.is_err());
    enqueue(&database.kit_pool(), "user-1", 0..1).await;
    assert_eq!(probe.wait_for(EVENT, 1).await.len(), 1);
    relay.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_relays_keep_each_subjects_order() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relays: Vec<_> = (0..3)
        .map(|_| RunningRelay::start(&database, broker.broker()))
        .collect();
    let (pool, subjects, each) = (database.kit_pool(), 8, 150);
    let writers = (0..subjects).map(|subject| {
        let pool = pool.clone();
        async move {
            for number in 0..each {
                enqueue(&pool, &format!("user-{subject}"), number..number + 1).await;
            }
        }
    });
    futures::future::join_all(writers).await;
    let seen = probe
        .wait_for(EVENT, usize::try_from(subjects * each).unwrap())
        .await;
    for subject in 0..subjects {
        let numbers: Vec<i64> = seen
            .iter()
            .filter(|event| event.subject == format!("user-{subject}"))
            .filter_map(|event| event.sequence)
            .collect();
        assert_eq!(numbers, (0..each).collect::<Vec<_>>(), "user-{subject}");
    }
    for relay in relays {
        relay.stop().await;
    }
    assert_eq!(waiting(&database.pool()).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_connections_break_all_the_time() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let proxy = Proxy::start(&broker_address()).await;
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let through = Broker::new(&broker.args_at(&broker_url_at(proxy.address()))).unwrap();
    let relay = RunningRelay::start(&database, through);
    let pool = database.kit_pool();
    for round in 0..10 {
        enqueue(&pool, "user-1", round * 50..(round + 1) * 50).await;
        relay.notifier.notify();
        // Cut in the middle of a round.
        eventually("the first of the round arrive", || {
            let seen = probe.of_type(EVENT);
            std::future::ready(seen.iter().any(|event| event.sequence >= Some(round * 50)))
        })
        .await;
        proxy.cut();
    }
    eventually("the outbox is empty", || async {
        waiting(&database.pool()).await == 0
    })
    .await;
    let expected: Vec<i64> = (0..500).collect();
    let seen = eventually("every event arrives", || {
        let mut numbers = Vec::new();
        for number in probe
            .of_type(EVENT)
            .iter()
            .filter_map(|event| event.sequence)
        {
            // The inbox drops a repeat; the rest keeps its order.
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        std::future::ready((numbers.len() >= 500).then_some(numbers))
    })
    .await;
    assert_eq!(seen, expected);
    relay.stop().await;
}

#[tokio::test]
async fn a_stream_has_everything_for_readers_that_come_later() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let stream = Stream {
        name: format!("test.{}", Uuid::now_v7().simple()),
        pattern: "adfolio.test.v1.#",
    };
    let relay = Relay::new("test", database.kit_pool(), broker.broker());
    let relay = RunningRelay::run(relay.with_stream(stream.clone()), &database);
    enqueue(&database.kit_pool(), "user-1", 0..5).await;
    relay.notifier.notify();
    eventually("the outbox is empty", || async {
        waiting(&database.pool()).await == 0
    })
    .await;
    relay.stop().await;

    let session = broker.broker().open("reader").await.unwrap();
    for _reader in 0..2 {
        session.prefetch(10).await.unwrap();
        let mut from_the_first = FieldTable::default();
        from_the_first.insert(
            "x-stream-offset".into(),
            AMQPValue::LongString("first".into()),
        );
        let mut deliveries = session
            .channel
            .basic_consume(
                stream.name.as_str().into(),
                "".into(),
                BasicConsumeOptions::default(),
                from_the_first,
            )
            .await
            .unwrap();
        for number in 0..5 {
            let delivery = within_limit("the next event", deliveries.next()).await;
            let delivery = delivery.unwrap().unwrap();
            let event = CloudEvent::decode(&delivery.data).unwrap();
            assert_eq!(event.sequence, Some(number));
            delivery.ack(BasicAckOptions::default()).await.unwrap();
        }
    }
    session
        .channel
        .queue_delete(stream.name.into(), QueueDeleteOptions::default())
        .await
        .unwrap();
    session.close().await;
}

#[tokio::test]
async fn without_a_broker_events_wait_and_the_relay_still_ends_in_time() {
    let database = TestDatabase::create(&[]).await;
    let nobody = adfolio_kit::config::BrokerArgs::new("amqp://guest:guest@127.0.0.1:1", "test");
    let relay = RunningRelay::start(&database, Broker::new(&nobody).unwrap());
    enqueue(&database.kit_pool(), "user-1", 0..3).await;
    relay.notifier.notify();
    relay.stop().await;
    assert_eq!(waiting(&database.pool()).await, 3);
}

#[tokio::test]
async fn events_written_before_the_end_still_leave() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&database.kit_pool(), "user-1", 0..800).await;
    relay.stop().await;
    assert_eq!(waiting(&database.pool()).await, 0);
    probe.wait_for(EVENT, 800).await;
}

#[tokio::test]
async fn an_event_that_nobody_consumes_does_not_hold_up_others() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&database.kit_pool(), "user-1", 0..5).await;
    relay.notifier.notify();
    eventually("the outbox is empty", || async {
        waiting(&database.pool()).await == 0
    })
    .await;
    relay.stop().await;
}

/// The number of kept sent events.
async fn kept(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM sent_events")
        .fetch_one(pool)
        .await
        .unwrap()
}

/// Like a restored database: its server has another history than the one in which events were sent.
async fn begin_another_history(pool: &PgPool) {
    sqlx::query("UPDATE relay_history SET history = 'earlier'")
        .execute(pool)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restore_what_was_sent_goes_again_in_order_and_once() {
    // More than one batch that is put back, and more than one that is published.
    const SENT: i64 = 5_200;
    const ALL: i64 = SENT + 300;
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let (pool, probe) = (
        database.kit_pool(),
        broker.probe(&["adfolio.test.v1.*"]).await,
    );
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&pool, "user-1", 0..SENT).await;
    relay.stop().await;
    assert_eq!((waiting(&pool).await, kept(&pool).await), (0, SENT));

    begin_another_history(&pool).await;
    enqueue(&pool, "user-1", SENT..ALL).await;
    let relays: Vec<_> = (0..3)
        .map(|_| RunningRelay::start(&database, broker.broker()))
        .collect();
    eventually("everything is sent", || async {
        waiting(&pool).await == 0 && kept(&pool).await == ALL
    })
    .await;
    for relay in relays {
        relay.stop().await;
    }
    let count = usize::try_from(SENT + ALL).unwrap();
    let seen = probe.wait_for(EVENT, count).await;
    let numbers: Vec<i64> = seen.iter().filter_map(|event| event.sequence).collect();
    let expected: Vec<i64> = (0..SENT).chain(0..ALL).collect();
    assert_eq!(numbers, expected);
    let ids: std::collections::HashSet<Uuid> = seen.iter().map(|event| event.id).collect();
    assert_eq!(ids.len(), usize::try_from(ALL).unwrap(), "a new id");

    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&pool, "user-1", ALL..ALL + 1).await;
    relay.stop().await;
    assert_eq!(probe.wait_for(EVENT, count + 1).await.len(), count + 1);
}

#[tokio::test]
async fn sent_events_are_forgotten_after_their_time_unless_they_may_have_to_go_again() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let pool = database.kit_pool();
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&pool, "user-1", 0..5_500).await;
    relay.stop().await;
    let an_hour = Duration::from_hours(1);
    assert_eq!(prune_sent(&pool, an_hour).await.unwrap(), 0);
    begin_another_history(&pool).await;
    assert_eq!(prune_sent(&pool, Duration::ZERO).await.unwrap(), 0);
    assert_eq!(kept(&pool).await, 5_500);
    sqlx::query("UPDATE relay_history SET history = database_history()")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(prune_sent(&pool, Duration::ZERO).await.unwrap(), 5_500);
    assert_eq!(kept(&pool).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restore_nothing_is_sent_before_every_consumer_is_there() {
    let (database, broker) = (TestDatabase::create(&[]).await, TestBroker::namespace());
    let pool = database.kit_pool();
    begin_another_history(&pool).await;
    enqueue(&pool, "user-1", 0..3).await;
    let relay = Relay::new("test", pool.clone(), broker.broker()).awaiting(&[("test", "late")]);
    let relay = RunningRelay::run(relay, &database);
    let mut session = broker.broker().open("test").await.unwrap();
    let queue = broker.broker().queue("test", "late");
    let declared = broker.broker();
    declared
        .declare_consumer(&mut session, "test", "late", &[])
        .await
        .unwrap();
    // The queue exists without its binding.
    relay.stop().await;
    assert_eq!((waiting(&pool).await, kept(&pool).await), (3, 0));

    declared
        .declare_consumer(&mut session, "test", "late", &[EVENT.to_owned()])
        .await
        .unwrap();
    let mut deliveries = session
        .channel
        .basic_consume(
            queue.as_str().into(),
            "".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .unwrap();
    let relay = Relay::new("test", pool.clone(), broker.broker()).awaiting(&[("test", "late")]);
    let relay = RunningRelay::run(relay, &database);
    for number in 0..3 {
        let delivery = within_limit("the next event", deliveries.next()).await;
        let event = CloudEvent::decode(&delivery.unwrap().unwrap().data).unwrap();
        assert_eq!(event.sequence, Some(number));
    }
    relay.stop().await;
    session.close().await;
}
