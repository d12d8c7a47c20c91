//! Consumers: once, in order, past poison events, through failures.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_kit::admin::Readiness;
use adfolio_kit::broker::{Broker, BrokerError, Session, Stream};
use adfolio_kit::consumer::{CONSUMERS, Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::{dead_letter, inbox};
use adfolio_testkit::{
    Proxy, TestBroker, TestDatabase, eventually, publish_event, publish_event_with_id,
    publish_events,
};
use futures::StreamExt as _;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use serde_json::json;
use sqlx::PgPool;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::helpers::{Nodes, broker_address, broker_url_at};

const EVENT: &str = "adfolio.test.v1.Happened";

/// Writes a row per event; `mode` in the event's data selects a failure.
#[derive(Clone, Default)]
struct Recorder {
    deliveries: Arc<Mutex<HashMap<String, u32>>>,
    healed: Arc<std::sync::atomic::AtomicBool>,
    /// Attempts at the held event that are let through.
    let_go: Arc<LetGo>,
}

struct LetGo(Semaphore);

impl Default for LetGo {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Recorder {
    fn attempts(&self, subject: &str) -> u32 {
        self.deliveries
            .lock()
            .unwrap()
            .get(subject)
            .copied()
            .unwrap_or(0)
    }

    fn heal(&self) {
        self.healed.store(true, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Handler for Recorder {
    fn concerns(&self, event: &CloudEvent) -> bool {
        event.data["mode"] != "unconcerning"
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        *self
            .deliveries
            .lock()
            .unwrap()
            .entry(event.subject.clone())
            .or_default() += 1;
        sqlx::query("INSERT INTO seen (subject, number) VALUES ($1, $2)")
            .bind(&event.subject)
            .bind(event.data["number"].as_i64().unwrap_or(0))
            .execute(&mut *tx)
            .await?;
        let healed = self.healed.load(std::sync::atomic::Ordering::SeqCst);
        match event.data["mode"].as_str() {
            _ if healed => Ok(()),
            Some("held") => {
                let attempt = self.let_go.0.acquire().await;
                attempt.map_err(HandlerError::permanent)?.forget();
                Err(HandlerError::failed("on purpose"))
            }
            Some("fail") => Err(HandlerError::failed("on purpose")),
            Some("poison") => Err(HandlerError::permanent("on purpose")),
            Some("unavailable") => Err(HandlerError::unavailable("on purpose")),
            _ => Ok(()),
        }
    }
}

struct Running {
    database: TestDatabase,
    broker: TestBroker,
    recorder: Recorder,
    shutdown: Shutdown,
    task: JoinHandle<()>,
}

async fn start() -> Running {
    let broker = TestBroker::namespace();
    let reached = broker.broker();
    start_through(broker, reached).await
}

async fn start_through(broker: TestBroker, reached: Broker) -> Running {
    let database = TestDatabase::of_kit().await;
    sqlx::raw_sql("CREATE TABLE seen (id bigserial PRIMARY KEY, subject text NOT NULL, number bigint NOT NULL)")
        .execute(&database.pool())
        .await
        .unwrap();
    broker.clean_up("test", "recorder");
    let (recorder, shutdown) = (Recorder::default(), Shutdown::manual());
    let readiness = Readiness::new(shutdown.clone());
    let consumer = Consumer::new("test", "recorder").bind("adfolio.test.v1.*");
    let (pool, migrated) = (database.kit_pool(), database.migrated());
    let (handler, ending) = (recorder.clone(), shutdown.clone());
    let task = tokio::spawn(consumer.run(pool, reached, migrated, &readiness, ending, handler));
    eventually("the queue is declared", || readiness.is_ready()).await;
    Running {
        database,
        broker,
        recorder,
        shutdown,
        task,
    }
}

/// Bound, too: a consumer binds its queue before it consumes.
async fn queue_is_consumed(broker: &TestBroker) -> bool {
    let session = broker.broker().open("look").await.unwrap();
    let queue = broker.broker().queue("test", "recorder");
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let declared = session
        .channel
        .queue_declare(queue.into(), passive, FieldTable::default())
        .await;
    session.close().await;
    declared.is_ok_and(|queue| queue.consumer_count() > 0)
}

impl Running {
    async fn publish(&self, subject: &str, number: i64, mode: &str) -> Uuid {
        publish_event(
            &self.broker.broker(),
            EVENT,
            subject,
            &json!({"number": number, "mode": mode}),
        )
        .await
    }

    async fn seen(&self, subject: &str) -> Vec<i64> {
        numbers(&self.database.pool(), subject).await
    }

    async fn wait_for(&self, subject: &str, expected: &[i64]) {
        eventually(&format!("{subject} is {expected:?}"), || async {
            self.seen(subject).await == expected
        })
        .await;
    }

    async fn dead(&self) -> u32 {
        dead_letter::count(&self.broker.broker(), "test", "recorder")
            .await
            .unwrap()
    }

    async fn stop(self) {
        self.shutdown.trigger();
        tokio::time::timeout(Duration::from_secs(10), self.task)
            .await
            .expect("the consumer ends in time")
            .unwrap();
    }
}

async fn numbers(pool: &PgPool, subject: &str) -> Vec<i64> {
    sqlx::query_scalar("SELECT number FROM seen WHERE subject = $1 ORDER BY id")
        .bind(subject)
        .fetch_all(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_event_delivered_again_changes_nothing() {
    let running = start().await;
    let id = Uuid::now_v7();
    for _ in 0..5 {
        publish_event_with_id(
            &running.broker.broker(),
            id,
            EVENT,
            "user-1",
            &json!({"number": 1}),
        )
        .await;
    }
    running.publish("user-1", 2, "").await;
    running.wait_for("user-1", &[1, 2]).await;
    assert_eq!(
        running.recorder.attempts("user-1"),
        2,
        "duplicates do not reach the handler"
    );
    assert_eq!(running.dead().await, 0);
    running.stop().await;
}

/// Two events that occupy the consumer's batches until they are let go; meanwhile others gather.
async fn hold_batches(running: &Running) {
    for subject in ["held-1", "held-2"] {
        running.publish(subject, 1, "held").await;
        eventually("it is held", || async {
            running.recorder.attempts(subject) > 0
        })
        .await;
    }
}

/// Ends every attempt that is held, now and later.
fn let_go(running: &Running) {
    running.recorder.let_go.0.add_permits(1_000);
}

/// They wait in the queue before it is consumed, so that it does not matter how fast they are published.
#[tokio::test]
async fn what_has_gathered_shares_transactions() {
    let broker = TestBroker::namespace();
    let reached = broker.broker();
    broker
        .declare_queue("test", "recorder", &["adfolio.test.v1.*"])
        .await;
    for number in [1, 2] {
        let users = (0..20).map(|user| format!("user-{user}"));
        publish_events(&reached, EVENT, users, &json!({"number": number})).await;
    }
    let running = start_through(broker, reached).await;
    for user in 0..20 {
        running.wait_for(&format!("user-{user}"), &[1, 2]).await;
    }
    let transactions: i64 = sqlx::query_scalar("SELECT count(DISTINCT xmin::text) FROM seen")
        .fetch_one(&running.database.pool())
        .await
        .unwrap();
    assert!(
        transactions < 20,
        "{transactions} transactions for 40 events"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_batch_that_fails_is_handled_event_by_event() {
    let running = start().await;
    hold_batches(&running).await;
    for user in 0..10 {
        running.publish(&format!("user-{user}"), 1, "").await;
    }
    running.publish("bad", 1, "poison").await;
    for user in 0..10 {
        running.publish(&format!("user-{user}"), 2, "").await;
    }
    let_go(&running);
    for user in 0..10 {
        running.wait_for(&format!("user-{user}"), &[1, 2]).await;
    }
    eventually("the poison and what was held are dead letters", || async {
        running.dead().await == 3
    })
    .await;
    assert_eq!(running.seen("bad").await, Vec::<i64>::new());
    running.stop().await;
}

#[tokio::test]
async fn an_event_that_is_twice_in_a_batch_counts_once() {
    let running = start().await;
    hold_batches(&running).await;
    let (id, broker) = (Uuid::now_v7(), running.broker.broker());
    for _ in 0..2 {
        publish_event_with_id(&broker, id, EVENT, "user-1", &json!({"number": 1})).await;
    }
    running.publish("user-1", 2, "").await;
    let_go(&running);
    running.wait_for("user-1", &[1, 2]).await;
    assert_eq!(running.recorder.attempts("user-1"), 2);
    running.stop().await;
}

#[tokio::test]
async fn what_is_of_no_concern_is_acknowledged_without_a_trace() {
    let running = start().await;
    running.publish("user-1", 1, "unconcerning").await;
    running.publish("user-1", 2, "").await;
    running.wait_for("user-1", &[2]).await;
    assert_eq!(running.recorder.attempts("user-1"), 1);
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox")
        .fetch_one(&running.database.pool())
        .await
        .unwrap();
    assert_eq!(kept, 1);
    assert_eq!(running.dead().await, 0);
    running.stop().await;
}

/// An acknowledgement that was given up when the next event arrived left the whole prefetch
/// unacknowledged: such a backlog took minutes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backlog_of_no_concern_holds_nobody_up() {
    let running = start().await;
    let unconcerning = json!({"mode": "unconcerning"});
    let subjects = (0..20_000).map(|user| format!("user-{user}"));
    publish_events(&running.broker.broker(), EVENT, subjects, &unconcerning).await;
    running.publish("behind", 1, "").await;
    running.wait_for("behind", &[1]).await;
    running.stop().await;
}

#[tokio::test]
async fn every_subject_keeps_its_order_however_many_there_are() {
    let running = start().await;
    // More subjects than are handled in parallel.
    let subjects: Vec<String> = (0..24).map(|user| format!("user-{user}")).collect();
    for number in 0..10 {
        for subject in &subjects {
            running.publish(subject, number, "").await;
        }
    }
    for subject in &subjects {
        running
            .wait_for(subject, &(0..10).collect::<Vec<_>>())
            .await;
    }
    running.stop().await;
}

#[tokio::test]
async fn poison_is_dead_lettered_without_delaying_neighbours_and_can_be_redriven() {
    let running = start().await;
    running.publish("bad", 1, "poison").await;
    running.publish("good", 1, "").await;
    running.wait_for("good", &[1]).await;
    eventually("the poison is a dead letter", || async {
        running.dead().await == 1
    })
    .await;
    // In its batch, and by itself.
    assert_eq!(running.recorder.attempts("bad"), 2);
    assert_eq!(
        running.seen("bad").await,
        Vec::<i64>::new(),
        "its transaction was rolled back"
    );
    let letters = dead_letter::list(&running.broker.broker(), "test", "recorder", 10)
        .await
        .unwrap();
    assert_eq!(
        (
            letters.len(),
            letters[0].subject.as_str(),
            letters[0].event_type.as_str()
        ),
        (1, "bad", EVENT)
    );
    assert_eq!(running.dead().await, 1, "looking takes nothing");
    running.recorder.heal();
    assert_eq!(
        dead_letter::redrive(&running.broker.broker(), "test", "recorder", 10)
            .await
            .unwrap(),
        1
    );
    running.wait_for("bad", &[1]).await;
    assert_eq!(running.dead().await, 0);
    running.stop().await;
}

#[tokio::test]
async fn an_event_that_always_fails_is_dead_lettered_within_ten_deliveries() {
    let running = start().await;
    running.publish("bad", 1, "fail").await;
    for number in 0..10 {
        running.publish("good", number, "").await;
    }
    running.wait_for("good", &(0..10).collect::<Vec<_>>()).await;
    eventually("it is a dead letter", || async {
        running.dead().await == 1
    })
    .await;
    // Three attempts in place per delivery.
    assert!(
        running.recorder.attempts("bad") <= 30,
        "{}",
        running.recorder.attempts("bad")
    );
    running.stop().await;
}

/// Every attempt at the poison event is held until its neighbours are handled: if one of them
/// waited for it, neither would ever end.
#[tokio::test]
async fn poison_delays_no_neighbour_in_any_of_its_deliveries() {
    let running = start().await;
    running.publish("bad", 1, "held").await;
    let mut attempts = 0;
    loop {
        let goes_on = eventually("the poison is tried again, or is dead", || async {
            let again = running.recorder.attempts("bad") > attempts;
            (again || running.dead().await == 1).then_some(again)
        })
        .await;
        if !goes_on {
            break;
        }
        attempts += 1;
        assert!(attempts <= 30, "three attempts in each of ten deliveries");
        let neighbours: Vec<String> = (0..3).map(|it| format!("good-{attempts}-{it}")).collect();
        for neighbour in &neighbours {
            running.publish(neighbour, 1, "").await;
        }
        for neighbour in &neighbours {
            running.wait_for(neighbour, &[1]).await;
        }
        assert_eq!(running.recorder.attempts("bad"), attempts, "still held");
        running.recorder.let_go.0.add_permits(1);
    }
    assert!(attempts > 3, "it was delivered again: {attempts}");
    assert_eq!(running.seen("bad").await, Vec::<i64>::new());
    println!(
        "{} neighbours handled beside {attempts} attempts",
        attempts * 3
    );
    running.stop().await;
}

#[tokio::test]
async fn what_is_no_event_is_dead_lettered_at_once() {
    let running = start().await;
    let session = running.broker.broker().open("junk").await.unwrap();
    session
        .channel
        .basic_publish(
            running.broker.broker().events_exchange().into(),
            EVENT.into(),
            lapin::options::BasicPublishOptions::default(),
            b"{not json",
            lapin::BasicProperties::default(),
        )
        .await
        .unwrap();
    eventually("it is a dead letter", || async {
        running.dead().await == 1
    })
    .await;
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[1]).await;
    running.stop().await;
}

#[tokio::test]
async fn an_outage_of_a_dependency_burns_no_deliveries() {
    let running = start().await;
    running.publish("waits", 1, "unavailable").await;
    running.publish("good", 1, "").await;
    running.wait_for("good", &[1]).await;
    eventually("it was tried often", || {
        std::future::ready(running.recorder.attempts("waits") >= 6)
    })
    .await;
    assert_eq!(running.dead().await, 0);
    running.recorder.heal();
    running.wait_for("waits", &[1]).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_whose_connection_breaks_all_the_time_misses_nothing() {
    let broker = TestBroker::namespace();
    let proxy = Proxy::start(&broker_address()).await;
    let through = Broker::new(&broker.args_at(&broker_url_at(proxy.address()))).unwrap();
    let running = start_through(broker, through).await;
    for number in 0..60 {
        running.publish("user-1", number, "").await;
        if number % 10 == 5 {
            proxy.cut();
        }
    }
    running
        .wait_for("user-1", &(0..60).collect::<Vec<_>>())
        .await;
    assert_eq!(running.dead().await, 0);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_goes_back_to_its_node_and_misses_nothing() {
    let (broker, nodes) = (TestBroker::namespace(), Nodes::start().await);
    let through = nodes.broker(&broker);
    let running = start_through(broker, through).await;
    eventually("one session is left", || async {
        nodes.connections().iter().sum::<usize>() == 1
    })
    .await;
    let before = nodes.connections();
    let lost = usize::from(before[1] == 1);
    running.publish("user-1", 0, "").await;
    nodes.lose(lost);
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[0, 1]).await;
    nodes.bring_back(lost);
    for number in 2..200 {
        running.publish("user-1", number, "").await;
    }
    eventually("it is back", || async { nodes.connections() == before }).await;
    running.publish("user-1", 200, "").await;
    running
        .wait_for("user-1", &(0..=200).collect::<Vec<_>>())
        .await;
    assert_eq!(running.dead().await, 0);
    running.stop().await;
}

#[tokio::test]
async fn a_consumer_whose_queue_was_deleted_declares_it_again() {
    let running = start().await;
    let broker = running.broker.broker();
    let session = broker.open("delete").await.unwrap();
    session
        .channel
        .queue_delete(
            broker.queue("test", "recorder").into(),
            QueueDeleteOptions::default(),
        )
        .await
        .unwrap();
    eventually("the queue is back", || queue_is_consumed(&running.broker)).await;
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[1]).await;
    running.stop().await;
}

/// Declares a queue like another release or a person.
async fn declare(session: &Session, queue: &str, kind: &str, more: &[(&'static str, AMQPValue)]) {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString(kind.into()));
    for (name, value) in more {
        arguments.insert((*name).into(), value.clone());
    }
    let options = QueueDeclareOptions {
        durable: true,
        ..QueueDeclareOptions::default()
    };
    let declared = session
        .channel
        .queue_declare(queue.into(), options, arguments);
    declared.await.unwrap();
}

#[tokio::test]
async fn a_queue_with_the_arguments_of_another_release_is_used_as_it_is() {
    let named = TestBroker::namespace();
    let broker = named.broker();
    let queue = broker.queue("test", "recorder");
    let mut session = broker.open("another-release").await.unwrap();
    let of_another = [("x-delivery-limit", AMQPValue::LongLongInt(3))];
    declare(&session, &queue, "quorum", &of_another).await;
    let running = start_through(named, broker.clone()).await;
    eventually("it is consumed", || queue_is_consumed(&running.broker)).await;
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[1]).await;
    // Poison events go where this release wants them, even from an older queue.
    let deleting = session
        .channel
        .queue_delete(queue.into(), QueueDeleteOptions::default());
    deleting.await.unwrap();
    eventually("the queue is back", || queue_is_consumed(&running.broker)).await;
    running.publish("user-1", 2, "poison").await;
    eventually("it is dead", || async { running.dead().await == 1 }).await;
    // The same for a stream, with a channel that stays open.
    let stream = Stream {
        name: format!("{}.stream", broker.queue("test", "log")),
        pattern: "adfolio.test.v1.#",
    };
    let age = [("x-max-age", AMQPValue::LongString("1h".into()))];
    declare(&session, &stream.name, "stream", &age).await;
    broker.declare_stream(&mut session, &stream).await.unwrap();
    session.probe(&stream.name).await.unwrap();
    let deleting = session
        .channel
        .queue_delete(stream.name.into(), QueueDeleteOptions::default());
    deleting.await.unwrap();
    running.stop().await;
}

#[tokio::test]
async fn a_queue_that_would_lose_its_messages_is_refused() {
    let named = TestBroker::namespace();
    named.clean_up("test", "recorder");
    let broker = named.broker();
    let queue = broker.queue("test", "recorder");
    let mut session = broker.open("by-hand").await.unwrap();
    let options = QueueDeclareOptions::default();
    let declared =
        session
            .channel
            .queue_declare(queue.clone().into(), options, FieldTable::default());
    declared.await.unwrap();
    let refused = broker
        .declare_consumer(&mut session, "test", "recorder", &[])
        .await;
    assert!(matches!(refused, Err(BrokerError::Amqp(_))), "{refused:?}");
}

#[tokio::test]
async fn the_inbox_forgets_in_time() {
    let running = start().await;
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[1]).await;
    let pool = running.database.kit_pool();
    assert_eq!(inbox::prune(&pool, inbox::EVENT_LIFETIME).await.unwrap(), 0);
    assert_eq!(inbox::prune(&pool, Duration::ZERO).await.unwrap(), 1);
    running.stop().await;
}

/// Another replica of the same consumer, with its own recorder.
fn second_replica(running: &Running, shutdown: &Shutdown) -> (Recorder, JoinHandle<()>) {
    let recorder = Recorder::default();
    let readiness = Readiness::new(shutdown.clone());
    let (pool, broker, migrated) = (
        running.database.kit_pool(),
        running.broker.broker(),
        running.database.migrated(),
    );
    let consumer = Consumer::new("test", "recorder").bind("adfolio.test.v1.*");
    let (handler, ending) = (recorder.clone(), shutdown.clone());
    let task = tokio::spawn(consumer.run(pool, broker, migrated, &readiness, ending, handler));
    (recorder, task)
}

#[tokio::test]
async fn a_second_replica_takes_over() {
    let running = start().await;
    let shutdown = Shutdown::manual();
    let (_, second) = second_replica(&running, &shutdown);
    running.publish("user-1", 1, "").await;
    running.wait_for("user-1", &[1]).await;
    running.shutdown.trigger();
    running.publish("user-1", 2, "").await;
    running.wait_for("user-1", &[1, 2]).await;
    shutdown.trigger();
    second.await.unwrap();
    running.stop().await;
}

#[tokio::test]
async fn replicas_share_what_is_in_the_queue() {
    let running = start().await;
    let shutdown = Shutdown::manual();
    let (recorder, second) = second_replica(&running, &shutdown);
    let mut published = 0;
    eventually("both have handled some", || {
        published += 1;
        let (running, recorder) = (&running, &recorder);
        async move {
            running.publish(&format!("user-{published}"), 1, "").await;
            let handled = |recorder: &Recorder| recorder.deliveries.lock().unwrap().len();
            handled(&running.recorder) > 0 && handled(recorder) > 0
        }
    })
    .await;
    for user in 1..=published {
        running.wait_for(&format!("user-{user}"), &[1]).await;
    }
    shutdown.trigger();
    second.await.unwrap();
    running.stop().await;
}

/// As declared by an earlier release: one active consumer at a time.
async fn declare_former(broker: &TestBroker) -> String {
    let broker = broker.broker();
    let session = broker.open("former").await.unwrap();
    let queue = broker.former_queues("test", "recorder").remove(0);
    let mut arguments = FieldTable::default();
    arguments.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    arguments.insert("x-single-active-consumer".into(), AMQPValue::Boolean(true));
    let durable = QueueDeclareOptions {
        durable: true,
        ..QueueDeclareOptions::default()
    };
    session
        .channel
        .queue_declare(queue.as_str().into(), durable, arguments)
        .await
        .unwrap();
    session.close().await;
    queue
}

async fn bind_former(broker: &TestBroker, queue: &str) {
    let broker = broker.broker();
    let session = broker.open("former").await.unwrap();
    session
        .channel
        .queue_bind(
            queue.into(),
            broker.events_exchange().into(),
            "adfolio.test.v1.*".into(),
            QueueBindOptions::default(),
            FieldTable::default(),
        )
        .await
        .unwrap();
    session.close().await;
}

#[tokio::test]
async fn what_is_left_in_a_queue_of_the_release_before_is_handled_and_the_queue_removed() {
    let broker = TestBroker::namespace();
    let queue = declare_former(&broker).await;
    bind_former(&broker, &queue).await;
    // Only the former queue exists so far.
    let event = json!({"number": 1, "mode": ""});
    publish_event(&broker.broker(), EVENT, "user-1", &event).await;
    let reached = broker.broker();
    let running = start_through(broker, reached).await;
    running.wait_for("user-1", &[1]).await;
    eventually("the former queue is gone", || async {
        let session = running.broker.broker().open("look").await.unwrap();
        let passive = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let found = session
            .channel
            .queue_declare(queue.as_str().into(), passive, FieldTable::default())
            .await;
        session.close().await;
        found.is_err()
    })
    .await;
    running.publish("user-1", 2, "").await;
    running.wait_for("user-1", &[1, 2]).await;
    running.stop().await;
}

#[tokio::test]
async fn a_queue_that_the_release_before_still_uses_stays_bound() {
    let broker = TestBroker::namespace();
    let queue = declare_former(&broker).await;
    // Somebody was retiring it when its replica came back: it has a consumer, but no binding any
    // more.
    let former = broker.broker().open("former").await.unwrap();
    let mut deliveries = former
        .channel
        .basic_consume(
            queue.as_str().into(),
            "former".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .unwrap();
    let reached = broker.broker();
    let running = start_through(broker, reached).await;
    let mut number = 0;
    let delivered = loop {
        number += 1;
        assert!(number < 100, "nothing reaches the queue in use");
        running.publish("user-1", number, "").await;
        let next = timeout(Duration::from_millis(500), deliveries.next());
        if let Ok(delivery) = next.await {
            break delivery.unwrap().unwrap();
        }
    };
    delivered
        .acker
        .ack(BasicAckOptions::default())
        .await
        .unwrap();
    let all: Vec<_> = (1..=number).collect();
    running.wait_for("user-1", &all).await;
    former.close().await;
    running.stop().await;
}

#[test]
fn every_consumer_of_the_system_is_listed() {
    let services = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = std::collections::BTreeSet::new();
    for service in std::fs::read_dir(services).unwrap() {
        let source = service.unwrap().path().join("src");
        // kit's own are only examples.
        let is_service = source.exists() && !source.ends_with("kit/src");
        let mut open: Vec<_> = is_service.then_some(source).into_iter().collect();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(path).unwrap();
                for made in text.split("Consumer::new(\"").skip(1) {
                    let mut words = made.split('"');
                    let (service, name) = (words.next().unwrap(), words.nth(1).unwrap());
                    found.insert((service.to_owned(), name.to_owned()));
                }
            }
        }
    }
    let listed = CONSUMERS.map(|(service, name)| (service.to_owned(), name.to_owned()));
    assert_eq!(found, listed.into());
}
