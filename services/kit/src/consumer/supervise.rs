//! Keeps one consumer alive: connect, declare, consume, and anew after every failure.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use lapin::message::Delivery;
use lapin::options::BasicConsumeOptions;
use lapin::types::FieldTable;
use sqlx::PgPool;
use tokio::time::Instant;
use tracing::{info, warn};

use super::lanes::Lanes;
use super::{Consumer, Handler, retire};
use crate::admin::Flag;
use crate::backoff::Backoff;
use crate::broker::{Broker, BrokerError, REQUEST_LIMIT, Session, bounded, short};
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// Unacknowledged deliveries at most: enough to keep every lane busy over one round trip.
const PREFETCH_PER_LANE: u16 = 4;

/// A quiet consumer asks the broker this often whether its channel lives: a channel that died in silence looks quiet.
const PROBE_INTERVAL: Duration = Duration::from_secs(10);

/// With the broker down at the start, a service is held not ready for this long, then serves without its consumers.
const READY_WITHOUT_BROKER: Duration = Duration::from_secs(5);

/// A session that lasted this long was good: the next failure starts with a short wait again.
const GOOD_SESSION: Duration = Duration::from_secs(30);

/// Running handlers may finish for this long when the process ends; what does not is delivered again.
const FINISH_LIMIT: Duration = Duration::from_secs(8);

/// What a consumer works with.
pub(super) struct Worker<H> {
    pub(super) consumer: Consumer,
    pub(super) pool: PgPool,
    pub(super) broker: Broker,
    pub(super) handler: H,
}

impl<H> Worker<H> {
    pub(super) fn queue(&self) -> String {
        self.broker.queue(self.consumer.service, self.consumer.name)
    }

    pub(super) fn former_queues(&self) -> Vec<String> {
        let (service, name) = (self.consumer.service, self.consumer.name);
        self.broker.former_queues(service, name)
    }

    pub(super) fn prefetch(&self) -> u16 {
        let lanes = u16::try_from(self.consumer.concurrency).unwrap_or(u16::MAX);
        lanes.saturating_mul(PREFETCH_PER_LANE)
    }
}

pub(super) async fn run<H: Handler>(
    worker: Arc<Worker<H>>,
    migrated: Latch,
    declared: Flag,
    shutdown: Shutdown,
) {
    let patience = {
        let declared = declared.clone();
        async move {
            tokio::time::sleep(READY_WITHOUT_BROKER).await;
            declared.set(true);
            std::future::pending::<()>().await;
        }
    };
    let former = retire::run(Arc::clone(&worker), migrated.clone(), shutdown.clone());
    let present = sessions(worker, migrated, declared, shutdown);
    tokio::select! {
        ((), ()) = async { tokio::join!(present, former) } => {}
        () = patience => {}
    }
}

async fn sessions<H: Handler>(
    worker: Arc<Worker<H>>,
    migrated: Latch,
    declared: Flag,
    shutdown: Shutdown,
) {
    let mut backoff = Backoff::reconnect();
    metrics::gauge!("consumer_connected", "consumer" => worker.consumer.inbox_name()).set(0);
    while !shutdown.is_triggered() {
        let started = Instant::now();
        if let Err(error) = session(&worker, &migrated, &declared, &shutdown).await {
            metrics::counter!("consumer_sessions_lost_total", "consumer" => worker.consumer.inbox_name()).increment(1);
            warn!(
                consumer = worker.consumer.inbox_name(),
                error = chain(&error),
                "consumer lost its session"
            );
        }
        if started.elapsed() >= GOOD_SESSION {
            backoff.reset();
        }
        if !shutdown.sleep(backoff.next_wait()).await {
            return;
        }
    }
}

/// One session: from connecting to the first failure, or to the shutdown (`Ok`).
async fn session<H: Handler>(
    worker: &Arc<Worker<H>>,
    migrated: &Latch,
    declared: &Flag,
    shutdown: &Shutdown,
) -> Result<(), BrokerError> {
    let queue = worker.queue();
    // Until deliveries flow, the end may interrupt anything.
    let (session, deliveries) = tokio::select! {
        prepared = prepare(worker, &queue, migrated, declared) => prepared?,
        () = shutdown.cancelled() => return Ok(()),
    };
    info!(queue, "consuming");
    let connected =
        metrics::gauge!("consumer_connected", "consumer" => worker.consumer.inbox_name());
    connected.set(1);
    let outcome = take(worker, &session, &queue, deliveries, shutdown).await;
    connected.set(0);
    session.close().await;
    outcome
}

/// Connects, declares, and begins to consume once the schema is there.
async fn prepare<H: Handler>(
    worker: &Arc<Worker<H>>,
    queue: &str,
    migrated: &Latch,
    declared: &Flag,
) -> Result<(Session, lapin::Consumer), BrokerError> {
    let mut session = worker.broker.open(&worker.consumer.inbox_name()).await?;
    // Declared before the schema is there, so that no event passes by while the database is still down.
    worker
        .broker
        .declare_consumer(
            &mut session,
            worker.consumer.service,
            worker.consumer.name,
            &worker.consumer.bindings,
        )
        .await?;
    declared.set(true);
    migrated.wait().await;
    session.prefetch(worker.prefetch()).await?;
    let deliveries = consume(&session, queue).await?;
    Ok((session, deliveries))
}

pub(super) async fn consume(
    session: &Session,
    queue: &str,
) -> Result<lapin::Consumer, BrokerError> {
    // Acknowledged by hand after the commit; not exclusive, replicas share a queue.
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

/// Takes deliveries until the channel breaks, or until the shutdown (`Ok`).
async fn take<H: Handler>(
    worker: &Arc<Worker<H>>,
    session: &Session,
    queue: &str,
    mut deliveries: lapin::Consumer,
    shutdown: &Shutdown,
) -> Result<(), BrokerError> {
    // Dropped on every way out: handlers that wait in place stop then, and their events are delivered again.
    let mut lanes = Lanes::new(Arc::clone(worker), shutdown.clone());
    loop {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {
                let _ = tokio::time::timeout(FINISH_LIMIT, lanes.finish()).await;
                return Ok(());
            }
            outcome = lanes.next_finished(), if lanes.is_busy() => outcome?,
            delivery = next(&mut deliveries), if lanes.has_room() => lanes.start(delivery?),
            () = tokio::time::sleep(PROBE_INTERVAL) => session.probe(queue).await?,
        }
    }
}

pub(super) async fn next(deliveries: &mut lapin::Consumer) -> Result<Delivery, BrokerError> {
    match deliveries.next().await {
        Some(delivery) => Ok(delivery?),
        None => Err(BrokerError::Ended),
    }
}
