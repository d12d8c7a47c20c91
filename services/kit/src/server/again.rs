//! Calls that are made again: their database had moved to another server, and they had changed
//! nothing.
//!
//! What they changed they say themselves ([`Attempt`]). A call that may have changed something is
//! left to its caller, who repeats it with its idempotency key.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::Full;
use tonic::Status;
use tonic::body::Body;

use crate::attempt::Attempt;
use crate::backoff::Backoff;
use crate::deadline::Deadline;
use crate::refusal::MOVED;

/// A request of more bytes is not kept.
const KEPT_BYTES: usize = 256 * 1024;

/// Delays between two attempts. An attempt waits by itself while there is no primary.
const FIRST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// A request that can be sent again once all of it has been read.
pub(super) struct Again {
    parts: Parts,
    kept: Arc<Mutex<Kept>>,
    deadline: Deadline,
    backoff: Backoff,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    is_whole: bool,
    is_too_large: bool,
}

impl Again {
    /// The request as it is sent first, and what is needed to send it again before `deadline`.
    pub(super) fn of(request: Request<Body>, deadline: Deadline) -> (Request<Body>, Self) {
        let (parts, body) = request.into_parts();
        let kept = Arc::<Mutex<Kept>>::default();
        let again = Self {
            parts: parts.clone(),
            kept: Arc::clone(&kept),
            deadline,
            backoff: Backoff::new(FIRST_WAIT, LONGEST_WAIT),
        };
        let body = Body::new(Keeping { body, kept });
        (Request::from_parts(parts, body), again)
    }

    /// The request once more, a moment later, if the answer says that the database has moved, and
    /// if nothing can have been changed. Removes what it says from the answer.
    pub(super) async fn after(
        &mut self,
        response: &mut Response<Body>,
        attempt: &Attempt,
    ) -> Option<Request<Body>> {
        response.headers_mut().remove(MOVED)?;
        if attempt.may_have_written() {
            return None;
        }
        let body = {
            let kept = lock(&self.kept);
            (kept.is_whole && !kept.is_too_large).then(|| Bytes::from(kept.bytes.clone()))?
        };
        let wait = self.backoff.next_wait();
        if self.deadline.remaining() <= wait {
            return None;
        }
        tokio::time::sleep(wait).await;
        metrics::counter!("grpc_server_calls_repeated_total").increment(1);
        let body = Body::new(Full::new(body));
        Some(Request::from_parts(self.parts.clone(), body))
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body whose bytes are kept as they are read.
struct Keeping {
    body: Body,
    kept: Arc<Mutex<Kept>>,
}

impl HttpBody for Keeping {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let mut kept = lock(&self.kept);
        match &frame {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    if kept.bytes.len().saturating_add(data.len()) > KEPT_BYTES {
                        kept.is_too_large = true;
                        kept.bytes = Vec::new();
                    } else if !kept.is_too_large {
                        kept.bytes.extend_from_slice(data);
                    }
                }
                kept.is_whole = frame.is_trailers() || self.body.is_end_stream();
            }
            Some(Err(_)) => kept.is_too_large = true,
            None => kept.is_whole = true,
        }
        drop(kept);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
