//! Keeps a consumer alive: connects, declares, consumes, and starts over after every failure.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use super::lanes::Lanes;
use super::worker::{PREFETCH, Worker, consume, next};
use super::{Handler, retire};
use crate::admin::Flag;
use crate::backoff::Backoff;
use crate::broker::{BrokerError, Session};
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// How often a quiet consumer probes its channel: a channel that died silently looks quiet.
const PROBE_INTERVAL: Duration = Duration::from_secs(10);

/// If the broker is down at the start, the service is not ready for this long, then serves without
/// its consumers.
const READY_WITHOUT_BROKER: Duration = Duration::from_secs(5);

/// A session that lasted this long was good: the next failure starts with a short delay again.
const GOOD_SESSION: Duration = Duration::from_secs(30);

/// How long running handlers may take at the end of the process or of a session; unfinished events
/// are redelivered.
const FINISH_LIMIT: Duration = Duration::from_secs(8);

pub(super) async fn run<H: Handler>(
    worker: Arc<Worker<H>>,
    migrated: Latch,
    declared: Flag,
    shutdown: Shutdown,
) {
    let ready_without_broker = {
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
        () = ready_without_broker => {}
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

/// One session: from connecting to the first failure, or to the shutdown or a recall (`Ok`).
async fn session<H: Handler>(
    worker: &Arc<Worker<H>>,
    migrated: &Latch,
    declared: &Flag,
    shutdown: &Shutdown,
) -> Result<(), BrokerError> {
    let queue = worker.queue();
    // Until deliveries flow, the shutdown may interrupt anything.
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

/// Connects, declares, and starts to consume once the schema is current.
async fn prepare<H: Handler>(
    worker: &Arc<Worker<H>>,
    queue: &str,
    migrated: &Latch,
    declared: &Flag,
) -> Result<(Session, lapin::Consumer), BrokerError> {
    let mut session = worker.broker.open(&worker.consumer.inbox_name()).await?;
    // Declared before the schema is current, so that no event is missed while the database is down.
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
    session.prefetch(PREFETCH).await?;
    let deliveries = consume(&session, queue).await?;
    Ok((session, deliveries))
}

/// Takes deliveries until the channel breaks, or until the shutdown or a recall (`Ok`).
async fn take<H: Handler>(
    worker: &Arc<Worker<H>>,
    session: &Session,
    queue: &str,
    mut deliveries: lapin::Consumer,
    shutdown: &Shutdown,
) -> Result<(), BrokerError> {
    // Dropped on every exit: handlers that are waiting stop, and their events are redelivered.
    let mut lanes = Lanes::new(Arc::clone(worker), shutdown.clone());
    loop {
        tokio::select! {
            biased;
            () = ended(session, shutdown) => {
                let _ = tokio::time::timeout(FINISH_LIMIT, lanes.finish()).await;
                return Ok(());
            }
            // All that has arrived, at most the prefetch, goes into batches before any of them runs.
            delivery = next(&mut deliveries), if lanes.has_room() => lanes.take(delivery?),
            finished = lanes.next_finished(), if lanes.is_busy() => lanes.end(finished).await?,
            () = tokio::time::sleep(PROBE_INTERVAL) => session.probe(queue).await?,
        }
    }
}

/// Waits until the session is to be closed in order.
async fn ended(session: &Session, shutdown: &Shutdown) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = session.recalled() => {}
    }
}
