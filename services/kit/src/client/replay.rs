//! A call that can be sent again as long as no replica has seen it.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// Bodies up to this size are kept for a retry.
const KEPT_BYTES: usize = 256 * 1024;

/// A request with as much of its body as was available at once: all of it for a small unary call.
pub(super) struct Replayable {
    parts: Parts,
    frames: Vec<Kept>,
    /// The rest of the body after the frames, if it is a stream. None if the frames are complete.
    rest: Option<Body>,
}

#[derive(Clone)]
enum Kept {
    Data(Bytes),
    Trailers(HeaderMap),
}

impl Kept {
    fn frame(&self) -> Frame<Bytes> {
        match self {
            Self::Data(bytes) => Frame::data(bytes.clone()),
            Self::Trailers(trailers) => Frame::trailers(trailers.clone()),
        }
    }
}

impl Replayable {
    /// Takes the available part of the body without waiting.
    pub(super) async fn new(request: Request<Body>) -> Result<Self, Status> {
        let (parts, mut body) = request.into_parts();
        let mut frames = Vec::new();
        let mut bytes: usize = 0;
        while bytes <= KEPT_BYTES {
            let polled = std::future::poll_fn(|context| {
                Poll::Ready(Pin::new(&mut body).poll_frame(context))
            })
            .await;
            match polled {
                Poll::Ready(Some(frame)) => match frame?.into_data() {
                    Ok(data) => {
                        bytes = bytes.saturating_add(data.len());
                        frames.push(Kept::Data(data));
                    }
                    Err(other) => frames.extend(other.into_trailers().ok().map(Kept::Trailers)),
                },
                Poll::Ready(None) => {
                    return Ok(Self {
                        parts,
                        frames,
                        rest: None,
                    });
                }
                Poll::Pending => break,
            }
        }
        Ok(Self {
            parts,
            frames,
            rest: Some(body),
        })
    }

    /// Whether it can be sent again.
    pub(super) fn can_repeat(&self) -> bool {
        self.rest.is_none()
    }

    /// The request. The rest of a stream goes with the first one.
    pub(super) fn request(&mut self) -> Request<Body> {
        let frames = self.frames.clone().into_iter();
        Request::from_parts(
            self.parts.clone(),
            Body::new(Replay {
                frames,
                rest: self.rest.take(),
            }),
        )
    }

    /// Takes back a request of which nothing was sent.
    pub(super) fn put_back(&mut self, request: Request<Body>, repeatable: bool) {
        if !repeatable {
            self.frames.clear();
            self.rest = Some(request.into_body());
        }
    }
}

struct Replay {
    frames: std::vec::IntoIter<Kept>,
    rest: Option<Body>,
}

impl HttpBody for Replay {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(kept) = self.frames.next() {
            return Poll::Ready(Some(Ok(kept.frame())));
        }
        match &mut self.rest {
            Some(rest) => Pin::new(rest).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.len() == 0 && self.rest.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        // gRPC frames its messages itself, so the length is not needed.
        SizeHint::default()
    }
}
