//! Single requests, each with a time limit.

use std::time::Duration;

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, ExchangeKind, Queue};

use super::BrokerError;

/// Limit of a single request to the broker.
pub(crate) const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// Every request has a limit: a half-open connection never answers.
pub(crate) async fn bounded<T>(
    what: &'static str,
    limit: Duration,
    request: impl Future<Output = lapin::Result<T>>,
) -> Result<T, BrokerError> {
    match tokio::time::timeout(limit, request).await {
        Ok(outcome) => outcome.map_err(BrokerError::Amqp),
        Err(_) => Err(BrokerError::TimedOut(what)),
    }
}

/// lapin panics on longer names.
pub(crate) fn short(name: &str) -> Result<ShortString, BrokerError> {
    ShortString::try_new(name).map_err(|_| BrokerError::NameTooLong)
}

pub(super) fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

/// Whether the broker answered NOT_FOUND.
pub(super) fn is_not_found(error: &lapin::Error) -> bool {
    match error.kind() {
        lapin::ErrorKind::ProtocolError(problem) => {
            *problem.kind() == AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND)
        }
        _ => false,
    }
}

/// Fails if the exchange does not exist. Needs no permission on it.
pub(super) async fn find_exchange(channel: &Channel, name: ShortString) -> Result<(), BrokerError> {
    let options = ExchangeDeclareOptions {
        passive: true,
        ..ExchangeDeclareOptions::default()
    };
    // The broker ignores the kind of an existing exchange.
    declare_exchange(
        channel,
        name,
        ExchangeKind::Topic,
        options,
        FieldTable::default(),
    )
    .await
}

/// Fails if the queue does not exist. Needs no permission on it.
pub(super) async fn find_queue(channel: &Channel, name: ShortString) -> Result<Queue, BrokerError> {
    let options = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let asked = channel.queue_declare(name, options, FieldTable::default());
    bounded("queue.declare", REQUEST_LIMIT, asked).await
}

pub(super) async fn declare_exchange(
    channel: &Channel,
    name: ShortString,
    kind: ExchangeKind,
    options: ExchangeDeclareOptions,
    arguments: FieldTable,
) -> Result<(), BrokerError> {
    bounded(
        "exchange.declare",
        REQUEST_LIMIT,
        channel.exchange_declare(name, kind, options, arguments),
    )
    .await
}

pub(super) async fn declare_queue(
    channel: &Channel,
    name: &ShortString,
    arguments: FieldTable,
) -> Result<(), BrokerError> {
    let options = QueueDeclareOptions {
        durable: true,
        ..QueueDeclareOptions::default()
    };
    let declared = channel.queue_declare(name.clone(), options, arguments);
    bounded("queue.declare", REQUEST_LIMIT, declared)
        .await
        .map(|_| ())
}

pub(crate) async fn bind(
    channel: &Channel,
    queue: &ShortString,
    exchange: &ShortString,
    routing_key: &str,
) -> Result<(), BrokerError> {
    let options = QueueBindOptions { nowait: false };
    let bound = channel.queue_bind(
        queue.clone(),
        exchange.clone(),
        short(routing_key)?,
        options,
        FieldTable::default(),
    );
    bounded("queue.bind", REQUEST_LIMIT, bound).await
}

pub(crate) async fn unbind(
    channel: &Channel,
    queue: &ShortString,
    exchange: &ShortString,
    routing_key: &str,
) -> Result<(), BrokerError> {
    let unbound = channel.queue_unbind(
        queue.clone(),
        exchange.clone(),
        short(routing_key)?,
        FieldTable::default(),
    );
    bounded("queue.unbind", REQUEST_LIMIT, unbound).await
}
