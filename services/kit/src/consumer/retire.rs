//! Retires the queues of earlier generations, once the replicas that consumed them are gone.
//!
//! While replicas of two releases run, each consumes the queues of its generation, and both queues
//! receive every event; the inbox drops duplicates. When the last replica of the earlier release
//! has ended, its queue has no consumer. The rest of it is handled here and the queue is deleted:
//! an abandoned queue would fill up, and a full queue stops all publishing.

use std::sync::Arc;
use std::time::Duration;

use tracing::{debug, info};

use super::Handler;
use super::lanes::Lanes;
use super::worker::{PREFETCH, Worker, consume, next};
use crate::broker::{BrokerError, Session, short, unbind};
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// How often a former queue is checked.
const LOOK_INTERVAL: Duration = Duration::from_secs(30);

/// How often to check after there was none: a restarted replica of an earlier release declares its
/// queue again. Each check for a missing queue is an error in the broker's log.
const REST_INTERVAL: Duration = Duration::from_mins(10);

/// The present queue is usually bound by then; nothing is retired before it is.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// A queue that delivers nothing for this long is empty.
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
            // A broker that does not answer must not delay the shutdown. Deliveries in progress are
            // redelivered.
            let attempted = tokio::select! {
                attempted = attempt(&worker, &queue, &shutdown) => attempted,
                () = shutdown.cancelled() => return,
            };
            match attempted {
                Ok(Former::Gone) => {}
                Ok(Former::Waits) => pause = LOOK_INTERVAL,
                Err(error) => {
                    debug!(
                        queue,
                        error = chain(&error),
                        "former queue cannot be retired yet"
                    );
                    pause = LOOK_INTERVAL;
                }
            }
        }
    }
}

/// The state of a former queue.
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
    // Checked first: events from here on must reach the present queue as well. A queue that exists
    // but is not bound receives nothing.
    let is_bound = session.is_bound(&worker.queue()).await?;
    let Some((_, consumers)) = session.inspect(queue).await? else {
        return Ok(Former::Gone);
    };
    if !is_bound {
        return Ok(Former::Waits);
    }
    if consumers > 0 {
        // Replicas of the earlier release may soon be the only ones again, and may have come while
        // their queue was being retired.
        bind_again(worker, session, queue).await?;
        return Ok(Former::Waits);
    }
    let exchange = short(&worker.broker.events_exchange())?;
    for pattern in &worker.consumer.bindings {
        unbind(&session.channel, &short(queue)?, &exchange, pattern).await?;
    }
    let drained = drain(worker, session, queue, shutdown).await?;
    // Another replica may be draining it too, or a replica of the earlier release may be back.
    if session.inspect(queue).await? != Some((0, 1)) {
        bind_again(worker, session, queue).await?;
        return Ok(Former::Waits);
    }
    // This was its only consumer.
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

/// Handles the remaining events; returns the consumer.
async fn drain<H: Handler>(
    worker: &Arc<Worker<H>>,
    session: &Session,
    queue: &str,
    shutdown: &Shutdown,
) -> Result<lapin::Consumer, BrokerError> {
    session.prefetch(PREFETCH).await?;
    let mut deliveries = consume(session, queue).await?;
    let mut lanes = Lanes::new(Arc::clone(worker), shutdown.clone());
    loop {
        tokio::select! {
            biased;
            delivery = next(&mut deliveries), if lanes.has_room() => lanes.take(delivery?),
            finished = lanes.next_finished(), if lanes.is_busy() => lanes.end(finished).await?,
            () = tokio::time::sleep(QUIET), if !lanes.is_busy() => return Ok(deliveries),
        }
    }
}
