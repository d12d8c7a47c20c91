//! The stream of wallet's events, as another service reads it.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use adfolio_kit::outbox::CloudEvent;
use futures::StreamExt as _;
use lapin::{
    Channel, Connection, ConnectionProperties, Consumer,
    options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions},
    types::{AMQPValue, FieldTable},
};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use super::books;
use crate::setup::System;

const STREAM: &str = "wallet.events";

const POSTED: &str = "adfolio.wallet.v1.TransactionPosted";

/// Messages of a stream must be asked for.
const PREFETCH: u16 = 500;

/// The next message comes within this time, unless there is none.
const NEXT_LIMIT: Duration = Duration::from_secs(10);

/// A reader that drops repeats finds every posting, and those of a user in their order.
pub(super) async fn check(system: &System) {
    let posted = postings(system).await;
    let mut unread: HashSet<(String, i64)> = posted.clone();
    let mut last = HashMap::new();
    let mut seen = HashSet::new();
    let mut repeated = 0_usize;
    let (_connection, mut messages) = read(system).await;
    while !unread.is_empty() {
        let next = timeout(NEXT_LIMIT, messages.next()).await;
        let Ok(Some(delivery)) = next else {
            panic!("{} postings are not in the stream", unread.len())
        };
        let delivery = delivery.unwrap();
        delivery.ack(BasicAckOptions::default()).await.unwrap();
        let event = CloudEvent::decode(&delivery.data).unwrap();
        if event.event_type != POSTED {
            continue;
        }
        if !seen.insert(event.id) {
            repeated += 1;
            continue;
        }
        let (user, number) = (event.subject, event.sequence.unwrap());
        let before = last.insert(user.clone(), number).unwrap_or(0);
        assert_eq!(number, before + 1, "the events of {user} have a gap");
        assert!(
            unread.remove(&(user, number)),
            "an event of a posting that does not exist"
        );
    }
    println!(
        "{} postings in the stream, in order; {repeated} repeats",
        posted.len()
    );
}

/// The user and the number of every posting.
async fn postings(system: &System) -> HashSet<(String, i64)> {
    let url = books::database(&system.stack.database_base_url(), "wallet");
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let rows: Vec<(String, i64)> = sqlx::query_as("SELECT user_id::text, seq FROM transactions")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    rows.into_iter().collect()
}

/// The messages of the stream from its beginning, and the connection that they come through.
async fn read(system: &System) -> (Connection, Consumer) {
    let (connection, channel) = open(&system.stack.reader_amqp_url()).await;
    let prefetch = channel.basic_qos(PREFETCH, BasicQosOptions::default());
    prefetch.await.unwrap();
    let mut from_the_first = FieldTable::default();
    from_the_first.insert(
        "x-stream-offset".into(),
        AMQPValue::LongString("first".into()),
    );
    let consumer = channel.basic_consume(
        STREAM.into(),
        "".into(),
        BasicConsumeOptions::default(),
        from_the_first,
    );
    (connection, consumer.await.unwrap())
}

async fn open(url: &str) -> (Connection, Channel) {
    // The client knows one host.
    let (login, hosts) = url.rsplit_once('@').unwrap();
    for host in hosts.split(',') {
        let url = format!("{login}@{host}");
        if let Ok(connection) = Connection::connect(&url, ConnectionProperties::default()).await {
            let channel = connection.create_channel().await.unwrap();
            return (connection, channel);
        }
    }
    panic!("no node of RabbitMQ answers")
}
