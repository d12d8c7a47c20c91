//! Events from the transaction to the broker.

use std::time::Duration;

use adfolio_kit::broker::{Broker, Stream};
use adfolio_kit::db::{self, Pool};
use adfolio_kit::outbox::{CloudEvent, Event, Notifier, Relay, enqueue_in_tx, keep_parts};
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{Proxy, TestBroker, TestDatabase, eventually, within_limit};
use futures::StreamExt as _;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use sqlx::{PgExecutor, PgPool};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::helpers::{Nodes, broker_address, broker_url_at};

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

async fn enqueue(pool: &Pool, subject: &str, numbers: std::ops::Range<i64>) {
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

async fn waiting(pool: impl PgExecutor<'_>) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM unsent_events")
        .fetch_one(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_event_arrives_as_a_cloud_event_and_is_sent_once() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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

/// A transaction that has taken the number of an event and stays open.
async fn open_transaction(
    pool: &PgPool,
    subject: &str,
    number: i64,
) -> sqlx::Transaction<'static, sqlx::Postgres> {
    #[allow(
        clippy::disallowed_methods,
        reason = "the test needs a transaction that stays open, and waits for its begin"
    )]
    let mut tx = pool.begin().await.unwrap();
    let event = Event::new(EVENT, subject, &json!({}))
        .unwrap()
        .sequence(number);
    enqueue_in_tx(&mut tx, &[event]).await.unwrap();
    tx
}

/// The numbers that the relay still looks for behind its back.
async fn gaps(pool: impl PgExecutor<'_>) -> Vec<i64> {
    sqlx::query_scalar("SELECT gap_first FROM outbox_position")
        .fetch_one(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_open_transaction_holds_up_nobody_and_its_event_is_sent_after_it() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let (pool, probe) = (
        database.kit_pool(),
        broker.probe(&["adfolio.test.v1.*"]).await,
    );
    let relay = RunningRelay::start(&database, broker.broker());
    let late = open_transaction(&database.pool(), "late", 1).await;
    let never = open_transaction(&database.pool(), "never", 1).await;
    enqueue(&pool, "user-1", 0..3).await;
    relay.notifier.notify();
    let seen = probe.wait_for(EVENT, 3).await;
    assert!(seen.iter().all(|event| event.subject == "user-1"));
    eventually("both are missing", || async { gaps(&pool).await == [1] }).await;

    late.commit().await.unwrap();
    enqueue(&pool, "late", 2..3).await;
    relay.notifier.notify();
    let seen = probe.wait_for(EVENT, 5).await;
    let late: Vec<_> = seen
        .iter()
        .filter(|event| event.subject == "late")
        .map(|event| event.sequence)
        .collect();
    assert_eq!(late, [Some(1), Some(2)]);
    eventually("one may still come", || async { gaps(&pool).await == [2] }).await;
    never.rollback().await.unwrap();
    eventually("the other never comes", || async {
        gaps(&pool).await.is_empty()
    })
    .await;
    relay.stop().await;
    assert_eq!(probe.of_type(EVENT).len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_missed_among_transactions_that_end_in_any_order() {
    const WRITERS: u64 = 12;
    const EACH: i64 = 40;
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let (pool, probe) = (
        database.kit_pool(),
        broker.probe(&["adfolio.test.v1.*"]).await,
    );
    let relays: Vec<_> = (0..2)
        .map(|_| RunningRelay::start(&database, broker.broker()))
        .collect();
    let notifier = relays[0].notifier.clone();
    let writers = (0..WRITERS).map(|writer| {
        let (pool, notifier) = (database.pool(), notifier.clone());
        tokio::spawn(async move {
            let mut random = StdRng::seed_from_u64(writer);
            let mut number = 0;
            while number < EACH {
                let tx = open_transaction(&pool, &format!("user-{writer}"), number).await;
                // Stays open while others begin and end.
                for _ in 0..random.random_range(0..10) {
                    sqlx::query("SELECT count(*) FROM outbox")
                        .execute(&pool)
                        .await
                        .unwrap();
                }
                if random.random_ratio(1, 3) {
                    tx.rollback().await.unwrap();
                } else {
                    tx.commit().await.unwrap();
                    number += 1;
                    notifier.notify();
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    eventually("everything is sent", || async {
        waiting(&pool).await == 0 && gaps(&pool).await.is_empty()
    })
    .await;
    let all = usize::try_from(EACH).unwrap() * usize::try_from(WRITERS).unwrap();
    let seen = probe.wait_for(EVENT, all).await;
    for relay in relays {
        relay.stop().await;
    }
    assert_eq!(probe.of_type(EVENT).len(), all, "nothing is sent twice");
    for writer in 0..WRITERS {
        let numbers: Vec<_> = seen
            .iter()
            .filter(|event| event.subject == format!("user-{writer}"))
            .filter_map(|event| event.sequence)
            .collect();
        assert_eq!(numbers, (0..EACH).collect::<Vec<_>>(), "user-{writer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_connections_break_all_the_time() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_goes_back_to_its_node_and_keeps_the_order() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let nodes = Nodes::start().await;
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relay = RunningRelay::start(&database, nodes.broker(&broker));
    let pool = database.kit_pool();
    let sent = async |from: i64, to: i64| {
        enqueue(&pool, "user-1", from..to).await;
        relay.notifier.notify();
        eventually("the events arrive", || {
            std::future::ready(probe.of_type(EVENT).len() >= usize::try_from(to).unwrap())
        })
        .await;
    };
    sent(0, 10).await;
    let before = nodes.connections();
    let lost = usize::from(before[1] == 1);
    nodes.lose(lost);
    sent(10, 20).await;
    nodes.bring_back(lost);
    let mut next = 20;
    let back = async {
        while nodes.connections() != before {
            sent(next, next + 1).await;
            next += 1;
        }
    };
    within_limit("the relay is back", back).await;
    let numbers: Vec<_> = probe
        .of_type(EVENT)
        .iter()
        .filter_map(|event| event.sequence)
        .collect();
    assert_eq!(numbers, (0..next).collect::<Vec<_>>());
    relay.stop().await;
}

#[tokio::test]
async fn a_stream_has_everything_for_readers_that_come_later() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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
    let database = TestDatabase::of_kit().await;
    let nobody = adfolio_kit::config::BrokerArgs::new("amqp://guest:guest@127.0.0.1:1", "test");
    let relay = RunningRelay::start(&database, Broker::new(&nobody).unwrap());
    enqueue(&database.kit_pool(), "user-1", 0..3).await;
    relay.notifier.notify();
    relay.stop().await;
    assert_eq!(waiting(&database.pool()).await, 3);
}

#[tokio::test]
async fn events_written_before_the_end_still_leave() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&database.kit_pool(), "user-1", 0..800).await;
    relay.stop().await;
    assert_eq!(waiting(&database.pool()).await, 0);
    probe.wait_for(EVENT, 800).await;
}

#[tokio::test]
async fn an_event_that_nobody_consumes_does_not_hold_up_others() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&database.kit_pool(), "user-1", 0..5).await;
    relay.notifier.notify();
    eventually("the outbox is empty", || async {
        waiting(&database.pool()).await == 0
    })
    .await;
    relay.stop().await;
}

/// The number of sent events in the log.
async fn sent(pool: impl PgExecutor<'_>) -> i64 {
    sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM outbox) - (SELECT count(*) FROM unsent_events)",
    )
    .fetch_one(pool)
    .await
    .unwrap()
}

/// Like a restored database: its server has another history than the one in which events were sent.
async fn begin_another_history(pool: impl PgExecutor<'_>) {
    sqlx::query("UPDATE outbox_position SET history = 'earlier'")
        .execute(pool)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restore_what_was_sent_goes_again_in_order_and_once() {
    // More than one batch that is put back, and more than one that is published.
    const SENT: i64 = 5_200;
    const ALL: i64 = SENT + 300;
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let (pool, probe) = (
        database.kit_pool(),
        broker.probe(&["adfolio.test.v1.*"]).await,
    );
    let relay = RunningRelay::start(&database, broker.broker());
    enqueue(&pool, "user-1", 0..SENT).await;
    // A relay that ends sends what is left for a bounded time, which is too short for so much on a slow machine.
    eventually("everything is sent once", || async {
        waiting(&pool).await == 0
    })
    .await;
    relay.stop().await;
    assert_eq!((waiting(&pool).await, sent(&pool).await), (0, SENT));

    begin_another_history(&pool).await;
    enqueue(&pool, "user-1", SENT..ALL).await;
    let relays: Vec<_> = (0..3)
        .map(|_| RunningRelay::start(&database, broker.broker()))
        .collect();
    eventually("everything is sent", || async {
        waiting(&pool).await == 0 && sent(&pool).await == ALL
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

/// The log's parts for hours.
async fn hours(pool: impl PgExecutor<'_>) -> i64 {
    let parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'outbox'::regclass
                 AND inhrelid <> 'outbox_other'::regclass";
    sqlx::query_scalar(parts).fetch_one(pool).await.unwrap()
}

/// Makes everything in the log older by hours, in the part of that hour.
async fn age(pool: &PgPool, hours: i32) {
    let hour = "date_trunc('hour', clock_timestamp()) - make_interval(hours => $1)";
    let part = format!("SELECT 'outbox_' || to_char({hour}, 'YYYYMMDDHH24'), ({hour})::text");
    let (part, from): (String, String) = sqlx::query_as(sqlx::AssertSqlSafe(part))
        .bind(hours)
        .fetch_one(pool)
        .await
        .unwrap();
    let aged = format!(
        "CREATE TABLE aged AS SELECT * FROM outbox;
         TRUNCATE outbox;
         CREATE TABLE {part} PARTITION OF outbox FOR VALUES FROM ('{from}') TO (timestamptz '{from}' + interval '1 hour');
         UPDATE aged SET created_at = '{from}';
         INSERT INTO outbox SELECT * FROM aged;
         DROP TABLE aged;"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(aged))
        .execute(pool)
        .await
        .unwrap();
}

#[tokio::test]
async fn old_parts_are_dropped_whole_unless_their_events_may_have_to_go_again() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let pool = database.kit_pool();
    let an_hour = Duration::from_hours(1);
    keep_parts(&pool, an_hour).await.unwrap();
    let ahead = hours(&pool).await;
    assert!(ahead > 1, "{ahead}");
    keep_parts(&pool, an_hour).await.unwrap();
    assert_eq!(hours(&pool).await, ahead, "twice is as once");

    enqueue(&pool, "user-1", 0..5).await;
    age(&database.pool(), 3).await;
    let relay = RunningRelay::start(&database, broker.broker());
    eventually("all are sent", || async { sent(&pool).await == 5 }).await;
    relay.stop().await;
    begin_another_history(&pool).await;
    keep_parts(&pool, an_hour).await.unwrap();
    assert_eq!(sent(&pool).await, 5, "they may have to go again");

    sqlx::query("UPDATE outbox_position SET history = database_history()")
        .execute(&pool)
        .await
        .unwrap();
    keep_parts(&pool, Duration::from_hours(3)).await.unwrap();
    assert_eq!(sent(&pool).await, 5, "not old enough");
    keep_parts(&pool, an_hour).await.unwrap();
    assert_eq!((sent(&pool).await, hours(&pool).await), (0, ahead));
}

#[tokio::test]
async fn what_was_not_sent_is_kept_however_old() {
    let database = TestDatabase::of_kit().await;
    let pool = database.kit_pool();
    enqueue(&pool, "user-1", 0..5).await;
    age(&database.pool(), 3).await;
    keep_parts(&pool, Duration::ZERO).await.unwrap();
    assert_eq!(waiting(&pool).await, 5);
}

#[tokio::test]
async fn events_for_which_no_part_was_made_are_sent_and_forgotten_too() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let pool = database.kit_pool();
    let probe = broker.probe(&["adfolio.test.v1.*"]).await;
    enqueue(&pool, "user-1", 0..5).await;
    let other = || async {
        sqlx::query_scalar::<_, i64>("SELECT count(*) FROM outbox_other")
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    assert_eq!(other().await, 5);
    // The part of this hour cannot take over what is already elsewhere; the next ones can be made.
    keep_parts(&pool, Duration::ZERO).await.unwrap();
    assert_eq!(other().await, 5, "not sent");
    assert!(hours(&pool).await > 1);
    let relay = RunningRelay::start(&database, broker.broker());
    assert_eq!(probe.wait_for(EVENT, 5).await.len(), 5);
    relay.stop().await;
    keep_parts(&pool, Duration::ZERO).await.unwrap();
    assert_eq!(other().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restore_nothing_is_sent_before_every_consumer_is_there() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
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
    assert_eq!((waiting(&pool).await, sent(&pool).await), (3, 0));

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
