//! Each service has a user of its own at the broker, limited to its own queues.

use adfolio_kit::broker::{Broker, Session};
use adfolio_kit::config::BrokerArgs;
use adfolio_local::{Service, Stack};
use lapin::options::{BasicConsumeOptions, BasicPublishOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Connection, ConnectionProperties};

/// The broker's answer to a user without permission.
const ACCESS_REFUSED: u16 = 403;

fn broker(url: &str) -> Broker {
    Broker::new(&BrokerArgs::new(url, "adfolio")).unwrap()
}

async fn session(stack: &Stack, service: Service) -> Session {
    let url = stack.service_amqp_url(service).unwrap();
    broker(&url).open(service.name()).await.unwrap()
}

/// The broker's code for a refused request.
fn code<T: std::fmt::Debug>(outcome: lapin::Result<T>) -> u16 {
    let error = outcome.expect_err("the broker refuses");
    match error.kind() {
        lapin::ErrorKind::ProtocolError(error) => error.get_id(),
        other => panic!("not refused but failed: {other:?}"),
    }
}

async fn consume(session: &Session, queue: &str) -> lapin::Result<lapin::Consumer> {
    let (options, arguments) = (BasicConsumeOptions::default(), FieldTable::default());
    session
        .channel
        .basic_consume(queue.into(), "".into(), options, arguments)
        .await
}

async fn declare(session: &Session, queue: &str) -> lapin::Result<lapin::Queue> {
    let (options, arguments) = (QueueDeclareOptions::default(), FieldTable::default());
    session
        .channel
        .queue_declare(queue.into(), options, arguments)
        .await
}

/// Publishes, and waits until the broker has accepted or refused it.
async fn publish(session: &Session, exchange: &str, event_type: &str) -> lapin::Result<()> {
    session.confirm().await.unwrap();
    let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
    session
        .channel
        .basic_publish(
            exchange.into(),
            event_type.into(),
            options,
            b"{}",
            properties,
        )
        .await?
        .await
        .map(drop)
}

#[tokio::test]
async fn a_service_stays_among_its_own_queues_and_speaks_for_itself() {
    let stack = Stack::builder().services([]).start().await.unwrap();
    for service in Service::ALL {
        let url = stack.service_amqp_url(service).unwrap();
        let mut own = session(&stack, service).await;
        let bindings = ["adfolio.#".to_owned()];
        let broker = broker(&url);
        let queue = broker.queue(service.name(), "test");
        if service == Service::Gateway {
            // Its queues are temporary, and it has no dead letters.
            declare(&own, &queue).await.unwrap();
        } else {
            let declared = broker.declare_consumer(&mut own, service.name(), "test", &bindings);
            declared.await.unwrap();
            let event = format!("adfolio.{service}.v1.Happened");
            publish(&own, "adfolio.events", &event).await.unwrap();
        }
        consume(&own, &queue).await.unwrap();
        own.close().await;
    }
    let coupon = session(&stack, Service::Coupon).await;
    let options = lapin::options::ExchangeDeleteOptions::default();
    let deleted = coupon
        .channel
        .exchange_delete("adfolio.events".into(), options);
    assert_eq!(code(deleted.await), ACCESS_REFUSED);
    // A refusal closes the channel, so each needs a session of its own.
    for queue in [
        "adfolio.unrouted",
        "adfolio.wallet.test.2",
        "adfolio.wallet.test.dead",
        "wallet.events",
    ] {
        let coupon = session(&stack, Service::Coupon).await;
        assert_eq!(
            code(consume(&coupon, queue).await),
            ACCESS_REFUSED,
            "{queue}"
        );
        let coupon = session(&stack, Service::Coupon).await;
        assert_eq!(
            code(declare(&coupon, queue).await),
            ACCESS_REFUSED,
            "{queue}"
        );
    }
    for (service, exchange, event) in [
        (
            Service::Coupon,
            "adfolio.events",
            "adfolio.wallet.v1.Happened",
        ),
        (
            Service::Gateway,
            "adfolio.events",
            "adfolio.gateway.v1.Happened",
        ),
        (Service::Coupon, "", "adfolio.wallet.test.2"),
    ] {
        let session = session(&stack, service).await;
        let refused = code(publish(&session, exchange, event).await);
        assert_eq!(refused, ACCESS_REFUSED, "{service} publishes {event}");
    }
    stack.stop().await;
}

#[tokio::test]
async fn the_brokers_own_account_is_closed_and_a_reader_reads_the_wallets_events() {
    let stack = Stack::builder().services([]).start().await.unwrap();
    let address = stack.amqp_url().rsplit('@').next().unwrap().to_owned();
    for password in ["guest", ""] {
        let url = format!("amqp://guest:{password}@{address}");
        let opened = Connection::connect(&url, ConnectionProperties::default()).await;
        assert_eq!(code(opened), ACCESS_REFUSED);
    }
    let reader = Connection::connect(&stack.reader_amqp_url(), ConnectionProperties::default())
        .await
        .unwrap();
    let channel = reader.create_channel().await.unwrap();
    let (options, arguments) = (QueueDeclareOptions::default(), FieldTable::default());
    channel
        .queue_declare("reader.test".into(), options, arguments.clone())
        .await
        .unwrap();
    for (topics, is_allowed) in [
        ("adfolio.wallet.v1.#", true),
        ("adfolio.wallet.v1.FundsMoved", true),
        ("adfolio.#", false),
        ("#", false),
        ("adfolio.auth.v1.UserRegistered", false),
    ] {
        // A refusal closes its channel.
        let channel = reader.create_channel().await.unwrap();
        let bound = channel
            .queue_bind(
                "reader.test".into(),
                "adfolio.events".into(),
                topics.into(),
                lapin::options::QueueBindOptions::default(),
                arguments.clone(),
            )
            .await;
        if is_allowed {
            bound.unwrap();
        } else {
            assert_eq!(code(bound), ACCESS_REFUSED, "{topics}");
        }
    }
    let refused = channel
        .basic_get(
            "adfolio.wallet.passwords.2".into(),
            lapin::options::BasicGetOptions::default(),
        )
        .await;
    assert_eq!(code(refused), ACCESS_REFUSED);
    stack.stop().await;
}
