//! How many events the consumers of a service could not handle, for its staff.

use adfolio_kit::admin::Readiness;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::dead_letter::OwnLetters;
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::waiting::Kind;
use adfolio_testkit::{TestBroker, TestDatabase, eventually, publish_event};
use serde_json::json;

const EVENT: &str = "adfolio.test.v1.Refused";

/// Handles nothing.
struct Refusing;

impl Handler for Refusing {
    async fn handle(&self, _: &mut Tx, _: &CloudEvent) -> Result<(), HandlerError> {
        Err(HandlerError::permanent("on purpose"))
    }
}

#[tokio::test]
async fn a_service_counts_the_dead_letters_of_its_own_consumers() {
    let (broker, database) = (TestBroker::namespace(), TestDatabase::of_kit().await);
    broker.clean_up("coupon", "plans");
    let count = async || {
        let letters = OwnLetters::new("coupon", broker.broker());
        letters.waiting().await.map(|waiting| waiting.count)
    };
    assert_eq!(count().await, None, "there is no queue yet");
    let shutdown = Shutdown::manual();
    let readiness = Readiness::new(shutdown.clone());
    let consumer = Consumer::new("coupon", "plans").bind("adfolio.test.v1.*");
    let task = tokio::spawn(consumer.run(
        database.kit_pool(),
        broker.broker(),
        database.migrated(),
        &readiness,
        shutdown.clone(),
        Refusing,
    ));
    eventually("the queue is declared", || readiness.is_ready()).await;
    let kept = OwnLetters::new("coupon", broker.broker());
    let first = kept.waiting().await.unwrap();
    assert_eq!(
        (first.kind, first.count, first.oldest_at),
        (Kind::DeadLetters, 0, None)
    );
    for subject in ["a", "b"] {
        publish_event(&broker.broker(), EVENT, subject, &json!({})).await;
    }
    eventually("both are counted", || async { count().await == Some(2) }).await;
    // A count is kept for some seconds, so that a page that many look at costs the broker little.
    assert_eq!(kept.waiting().await, Some(first));
    // Of a service without consumers nothing is asked.
    let none = OwnLetters::new("acceptor", broker.broker()).waiting().await;
    assert_eq!(none.map(|waiting| waiting.count), Some(0));
    shutdown.trigger();
    task.await.unwrap();
}

#[tokio::test]
async fn a_broker_that_is_not_there_is_no_count() {
    let broker = TestBroker::namespace();
    let args = broker.args_at("amqp://nobody:nothing@127.0.0.1:9");
    let nowhere = adfolio_kit::broker::Broker::new(&args).unwrap();
    assert_eq!(OwnLetters::new("auth", nowhere).waiting().await, None);
}
