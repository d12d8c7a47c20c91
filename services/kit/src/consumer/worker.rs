//! The parts of a consumer, and how it takes deliveries.

use chrono::{DateTime, Utc};
use futures::StreamExt;
use lapin::message::Delivery;
use lapin::options::BasicConsumeOptions;
use lapin::types::FieldTable;
use metrics::{Counter, Histogram};
use tokio::time::Instant;

use super::Consumer;
use crate::broker::{Broker, BrokerError, REQUEST_LIMIT, Session, bounded, short};
use crate::db::Pool;
use crate::telemetry::EVENT_LAG;

/// Most unacknowledged deliveries: enough to fill two batches while two others run.
pub(super) const PREFETCH: u16 = 256;

/// The parts of a consumer.
pub(super) struct Worker<H> {
    pub(super) consumer: Consumer,
    pub(super) pool: Pool,
    pub(super) broker: Broker,
    pub(super) handler: H,
    pub(super) measured: Measured,
}

/// The metrics of a consumer's events. Made with the consumer, after the recorder.
pub(super) struct Measured {
    pub(super) handled: Counter,
    pub(super) requeued: Counter,
    pub(super) dead: Counter,
    pub(super) abandoned: Counter,
    pub(super) seconds: Histogram,
    pub(super) lag: Histogram,
}

impl Measured {
    pub(super) fn new(consumer: &str) -> Self {
        let consumer = || consumer.to_owned();
        let count = |outcome| metrics::counter!("consumer_events_total", "consumer" => consumer(), "outcome" => outcome);
        Self {
            handled: count("handled"),
            requeued: count("requeued"),
            dead: count("dead"),
            abandoned: count("abandoned"),
            seconds: metrics::histogram!("consumer_handle_seconds", "consumer" => consumer()),
            lag: metrics::histogram!(EVENT_LAG, "consumer" => consumer()),
        }
    }

    /// Records an event of `time` that was handled since `started`.
    pub(super) fn record_handled(&self, started: Instant, time: DateTime<Utc>) {
        self.handled.increment(1);
        self.seconds.record(started.elapsed());
        // The clocks of two machines may differ: a negative lag counts as none.
        let lag = Utc::now().signed_duration_since(time);
        self.lag.record(lag.to_std().unwrap_or_default());
    }
}

impl<H> Worker<H> {
    pub(super) fn queue(&self) -> String {
        self.broker.queue(self.consumer.service, self.consumer.name)
    }

    pub(super) fn former_queues(&self) -> Vec<String> {
        let (service, name) = (self.consumer.service, self.consumer.name);
        self.broker.former_queues(service, name)
    }
}

pub(super) async fn consume(
    session: &Session,
    queue: &str,
) -> Result<lapin::Consumer, BrokerError> {
    // Acknowledged manually after the commit. Not exclusive: replicas share a queue.
    let options = BasicConsumeOptions {
        no_local: false,
        no_ack: false,
        exclusive: false,
        nowait: false,
    };
    let consuming =
        session
            .channel
            .basic_consume(short(queue)?, "".into(), options, FieldTable::default());
    bounded("basic.consume", REQUEST_LIMIT, consuming).await
}

pub(super) async fn next(deliveries: &mut lapin::Consumer) -> Result<Delivery, BrokerError> {
    match deliveries.next().await {
        Some(delivery) => Ok(delivery?),
        None => Err(BrokerError::Ended),
    }
}
