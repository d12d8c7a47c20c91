//! Takes queues of earlier generations out of service, once the replicas that consumed them are gone.
//!
//! While replicas of two releases run, each consumes the queues of its own, and both queues get every event; the inbox drops what
//! the other has handled. Nobody consumes a queue any more when the last replica of the earlier release has ended. What is left
//! in it then is handled here, and the queue is removed: an abandoned queue would fill, and a full one stops all publishing.

use std::sync::Arc;
use std::time::Duration;

use tracing::{debug, info};

use super::Handler;
use super::lanes::Lanes;
use super::supervise::{Worker, consume, next};
use crate::broker::{BrokerError, Session, short, unbind};
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// How often is looked while there is a former queue.
const LOOK_INTERVAL: Duration = Duration::from_secs(30);

/// How often is looked when there was none: a replica of an earlier release that starts again brings its queue back. Each look
/// for what is not there is an error in the broker's log.
const REST_INTERVAL: Duration = Duration::from_mins(10);

/// By then the present queue is mostly there; until it is, nothing is retired.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// A queue that delivers nothing for this long has nothing more.
const QUIET: Duration = Duration::from_secs(2);

/// Retires former queues until the shutdown.
pub(super) async fn run<H: Handler>(worker: Arc<Worker<H>>, migrated: Latch, shutdown: Shutdown) {
    tokio::select! {
        () = migrated.wait() => {}
        () = shutdown.cancelled() => return,
    }
    let mut pause = FIRST_LOOK;
    while shutdown.sleep(pause).await {
        pause = REST_INTERVAL;
        for queue in worker.former_queues() {
            // A broker that does not answer must not hold up the end. What is in hand then is delivered again.
            let attempted = tokio::select! {
                attempted = attempt(&worker, &queue, &shutdown) => attempted,
                () = shutdown.cancelled() => return,
            };
            match attempted {
                Ok(Former::Gone) => {}
                Ok(Former::Waits) => pause = LOOK_INTERVAL,
                Err(error) => {
                    debug!(queue, error = chain(&error), "former queue waits");
                    pause = LOOK_INTERVAL;
                }
            }
        }
    }
}

/// What there is of a former queue.
enum Former {
    Gone,
    Waits,
}

async fn attempt<H: Handler>(
    worker: &Arc<Worker<H>>,
    queue: &str,
    shutdown: &Shutdown,
) -> Result<Former, BrokerError> {
    let session = worker
        .broker
        .open(&format!("{}-former", worker.consumer.inbox_name()))
        .await?;
    let retired = retire(worker, &session, queue, shutdown).await;
    session.close().await;
    retired
}

async fn retire<H: Handler>(
    worker: &Arc<Worker<H>>,
    session: &Session,
    queue: &str,
    shutdown: &Shutdown,
) -> Result<Former, BrokerError> {
    // First of all: what comes from here on must be in the present queue, too. One that is there and not bound yet gets nothing.
    let is_bound = session.is_bound(&worker.queue()).await?;
    let Some((_, consumers)) = session.look(queue).await? else {
        return Ok(Former::Gone);
    };
    if !is_bound {
        return Ok(Former::Waits);
    }
    if consumers > 0 {
        // Replicas of the earlier release may soon be the only ones again, and may have come while somebody retired their queue.
        bind_again(worker, session, queue).await?;
        return Ok(Former::Waits);
    }
    let exchange = short(&worker.broker.events_exchange())?;
    for pattern in &worker.consumer.bindings {
        unbind(&session.channel, &short(queue)?, &exchange, pattern).await?;
    }
    let drained = drain(worker, session, queue, shutdown).await?;
    // Somebody else may have come to drain it, too, or a replica of the earlier release may be back.
    if session.look(queue).await? != Some((0, 1)) {
        bind_again(worker, session, queue).await?;
        return Ok(Former::Waits);
    }
    // It was the one consumer.
    drop(drained);
    session.delete(queue).await?;
    info!(queue, "former queue was retired");
    Ok(Former::Gone)
}

async fn bind_again<H: Handler>(
    worker: &Worker<H>,
    session: &Session,
    queue: &str,
) -> Result<(), BrokerError> {
    let bindings = &worker.consumer.bindings;
    let again = worker
        .broker
        .bind_to_events(&session.channel, queue, bindings);
    again.await
}

/// Handles what is left, and answers the consumer that did.
async fn drain<H: Handler>(
    worker: &Arc<Worker<H>>,
    session: &Session,
    queue: &str,
    shutdown: &Shutdown,
) -> Result<lapin::Consumer, BrokerError> {
    session.prefetch(worker.prefetch()).await?;
    let mut deliveries = consume(session, queue).await?;
    let mut lanes = Lanes::new(Arc::clone(worker), shutdown.clone());
    loop {
        tokio::select! {
            biased;
            outcome = lanes.next_finished(), if lanes.is_busy() => outcome?,
            delivery = next(&mut deliveries), if lanes.has_room() => lanes.start(delivery?),
            () = tokio::time::sleep(QUIET), if !lanes.is_busy() => return Ok(deliveries),
        }
    }
}
