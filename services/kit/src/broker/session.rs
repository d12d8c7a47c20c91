//! A connection with one channel, and the requests on it.

use std::time::Duration;

use lapin::options::{BasicQosOptions, ConfirmSelectOptions, QueueDeleteOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{FieldTable, ShortString};
use lapin::{Channel, Connection};
use tracing::warn;

use super::recall::Recall;
use super::requests::{REQUEST_LIMIT, bounded, declare_queue, find_queue, is_not_found, short};
use super::{BrokerError, OPEN_LIMIT};

/// Arguments that change the kind of a queue: with another kind, messages or their order could be
/// lost.
const KINDS: [&str; 5] = [
    "x-queue-type",
    "x-single-active-consumer",
    "durable",
    "exclusive",
    "auto_delete",
];

/// One connection and one channel on it.
#[derive(Debug)]
pub struct Session {
    pub(super) connection: Connection,
    /// The channel.
    pub channel: Channel,
    /// Of a session that is not at the first node of its order.
    pub(super) recall: Option<Recall>,
}

impl Session {
    /// Enables publisher confirms.
    pub async fn confirm(&self) -> Result<(), BrokerError> {
        let options = ConfirmSelectOptions { nowait: false };
        bounded(
            "confirm.select",
            REQUEST_LIMIT,
            self.channel.confirm_select(options),
        )
        .await
    }

    /// Declares a queue. Accepts an existing queue with different arguments, but not one of another
    /// kind.
    pub(super) async fn ensure_queue(
        &mut self,
        name: &ShortString,
        arguments: FieldTable,
    ) -> Result<(), BrokerError> {
        let other = match declare_queue(&self.channel, name, arguments).await {
            Ok(()) => None,
            Err(BrokerError::Amqp(error)) => {
                Some(other_argument(&error).ok_or(BrokerError::Amqp(error))?)
            }
            Err(error) => return Err(error),
        };
        let differs = if other.is_some() { 1.0 } else { 0.0 };
        metrics::gauge!("broker_queue_differs", "queue" => name.to_string()).set(differs);
        if let Some(argument) = other {
            warn!(
                queue = name.as_str(),
                argument, "queue has other arguments and is used as it is"
            );
            // The broker has closed the channel that sent the declaration.
            let opening = self.connection.create_channel();
            self.channel = bounded("channel.open", OPEN_LIMIT, opening).await?;
        }
        Ok(())
    }

    /// Limits the unacknowledged deliveries on this channel.
    pub async fn prefetch(&self, count: u16) -> Result<(), BrokerError> {
        // Quorum queues do not support a global prefetch.
        let options = BasicQosOptions { global: false };
        bounded(
            "basic.qos",
            REQUEST_LIMIT,
            self.channel.basic_qos(count, options),
        )
        .await
    }

    /// Whether connection and channel report to be usable. The report may be wrong; only a request
    /// can tell.
    pub fn is_connected(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }

    /// Whether it should be closed and opened anew, because a node answers again that
    /// comes before its own.
    pub fn is_recalled(&self) -> bool {
        self.recall.as_ref().is_some_and(Recall::is_recalled)
    }

    /// Waits until it should be closed and opened anew.
    pub async fn recalled(&self) {
        match &self.recall {
            Some(recall) => recall.recalled().await,
            None => std::future::pending().await,
        }
    }

    /// Sends a cheap request on the channel: real liveness, unlike the library's own status.
    pub async fn probe(&self, queue: &str) -> Result<(), BrokerError> {
        find_queue(&self.channel, short(queue)?).await.map(|_| ())
    }

    /// The messages and the consumers of a queue. `None` if it does not exist; the broker then
    /// closes the channel. Needs no permission on the queue.
    pub(crate) async fn inspect(&self, queue: &str) -> Result<Option<(u32, u32)>, BrokerError> {
        match find_queue(&self.channel, short(queue)?).await {
            Ok(found) => Ok(Some((found.message_count(), found.consumer_count()))),
            Err(BrokerError::Amqp(error)) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the queue of a consumer receives its events: it has a consumer, which starts after
    /// the queue was bound, or it holds messages. Its existence alone proves nothing. See
    /// [`Self::inspect`] for permissions.
    pub(crate) async fn is_bound(&self, queue: &str) -> Result<bool, BrokerError> {
        let found = self.inspect(queue).await?;
        Ok(found.is_some_and(|(waiting, consumers)| consumers > 0 || waiting > 0))
    }

    /// Deletes a queue with its messages.
    pub(crate) async fn delete(&self, queue: &str) -> Result<(), BrokerError> {
        // Quorum queues do not support conditions.
        let options = QueueDeleteOptions {
            if_unused: false,
            if_empty: false,
            nowait: false,
        };
        let deleted = self.channel.queue_delete(short(queue)?, options);
        bounded("queue.delete", REQUEST_LIMIT, deleted)
            .await
            .map(|_| ())
    }

    /// Closes the connection, waiting for a second at most; the broker notices a dropped connection
    /// anyway.
    pub async fn close(&self) {
        let _ = tokio::time::timeout(
            Duration::from_secs(1),
            self.connection.close(200, "done".into()),
        )
        .await;
    }
}

/// The argument that the broker named as different from that of the existing queue. `None` if the
/// difference makes it another kind of queue.
fn other_argument(error: &lapin::Error) -> Option<String> {
    let lapin::ErrorKind::ProtocolError(problem) = error.kind() else {
        return None;
    };
    if *problem.kind() != AMQPErrorKind::Soft(AMQPSoftError::PRECONDITIONFAILED) {
        return None;
    }
    let (_, rest) = problem
        .get_message()
        .as_str()
        .split_once("inequivalent arg '")?;
    let (argument, _) = rest.split_once('\'')?;
    (!KINDS.contains(&argument)).then(|| argument.to_owned())
}
