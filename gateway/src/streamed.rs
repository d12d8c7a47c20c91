//! Streams of messages to a service, made from a body that is read piece by piece.

use bytes::Bytes;
use futures::future::pending;
use futures::stream::{self, Stream};
use tokio::sync::mpsc::{self, Sender};

/// Bytes per piece sent to a service, which accepts up to 1 MiB.
const PIECE_BYTES: usize = 256 * 1024;

/// Maximum number of messages waiting for the service. It bounds how fast the body is read.
const MESSAGES_IN_FLIGHT: usize = 4;

/// Feeds a call that takes a stream.
#[derive(Debug)]
pub struct Feed<M>(Sender<Option<M>>);

impl<M: Send + 'static> Feed<M> {
    /// A feed and the messages for the call. The stream ends only by [`Feed::complete`]: if the feed is dropped earlier, the
    /// service must see a cancelled call and not a shorter body.
    pub fn open() -> (Self, impl Stream<Item = M> + Send + use<M>) {
        let (sender, receiver) = mpsc::channel(MESSAGES_IN_FLIGHT);
        let messages = stream::unfold(receiver, |mut receiver| async {
            match receiver.recv().await {
                Some(Some(message)) => Some((message, receiver)),
                Some(None) => None,
                None => pending().await,
            }
        });
        (Self(sender), messages)
    }

    /// Passes a message to the call if it is still running. Once it has ended, its answer has the reason.
    pub async fn send(&self, message: M) {
        let _ = self.0.send(Some(message)).await;
    }

    /// Passes bytes in pieces that the service accepts.
    pub async fn send_bytes(&self, mut bytes: Bytes, chunk: fn(Vec<u8>) -> M) {
        while !bytes.is_empty() && !self.0.is_closed() {
            let piece = bytes.split_to(bytes.len().min(PIECE_BYTES));
            self.send(chunk(piece.to_vec())).await;
        }
    }

    /// Says that this was all.
    pub async fn complete(self) {
        let _ = self.0.send(None).await;
    }
}
