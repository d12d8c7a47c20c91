//! Response bodies that end at the deadline of their call.
//!
//! The limit of a call covers the headers of its response. After them come a message and the
//! status, or a stream: one that stops in the middle, because its database or its peer is frozen,
//! would keep its reader waiting forever.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, sleep_until};
use tonic::Status;
use tonic::body::Body;

use crate::deadline::Deadline;

/// How a body ends at its deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Overdue {
    /// The server sends DEADLINE_EXCEEDED as the status of the call.
    EndsWithStatus,
    /// The client fails with it.
    Fails,
}

/// A response body and its deadline.
pub(crate) struct Timely {
    body: Body,
    deadline: Deadline,
    overdue: Overdue,
    /// Set when the body first makes its reader wait.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Timely {
    /// `body`, until `deadline`.
    pub(crate) fn until(deadline: Deadline, body: Body, overdue: Overdue) -> Body {
        Body::new(Self {
            body,
            deadline,
            overdue,
            alarm: None,
        })
    }

    fn end(&self) -> Result<Frame<Bytes>, Status> {
        let status = Status::deadline_exceeded("deadline exceeded within the answer");
        match self.overdue {
            Overdue::Fails => Err(status),
            Overdue::EndsWithStatus => {
                let mut trailers = HeaderMap::new();
                status.add_header(&mut trailers)?;
                Ok(Frame::trailers(trailers))
            }
        }
    }
}

impl HttpBody for Timely {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let instant = self.deadline.instant();
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(sleep_until(instant)));
        ready!(alarm.as_mut().poll(context));
        // Nothing follows, and the source of the body ends with it.
        self.body = Body::empty();
        Poll::Ready(Some(self.end()))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
