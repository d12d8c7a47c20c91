//! A call that can be sent again while it is certain that nobody has seen it.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// A body up to this size is kept, so that it can be sent again.
const KEPT_BYTES: usize = 256 * 1024;

/// A request whose body was looked at: all of it, if it was there at once and is small, as those of unary calls are.
pub(super) struct Replayable {
    parts: Parts,
    frames: Vec<Kept>,
    /// What comes behind the frames: the rest of a stream. None when the frames are all there is.
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
    /// Takes what is there of the body without waiting for more.
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

    /// Whether it can be made a second time.
    pub(super) fn can_repeat(&self) -> bool {
        self.rest.is_none()
    }

    /// The request. Of a stream, the rest goes with the first one made.
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

    /// Takes a request back of which nothing was sent.
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
        // gRPC frames its messages itself, so nobody needs the length.
        SizeHint::default()
    }
}
