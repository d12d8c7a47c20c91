//! Bodies of JSON lines, read piece by piece.

use std::marker::PhantomData;

use adfolio_kit::refusal::Reason;
use axum::body::{BodyDataStream, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use futures::StreamExt as _;
use utoipa::ToSchema;

use crate::errors::Failure;
use crate::input::{Carrier, Input};

/// The content types of JSON lines. A body without a type is taken for one as well.
pub const MEDIA_TYPES: [&str; 3] = ["application/x-ndjson", "application/jsonl", "text/plain"];

/// A body of JSON lines; `S` is its schema. It is never in memory as a whole.
#[derive(Debug)]
pub struct Lines<S> {
    body: BodyDataStream,
    left: usize,
    shape: PhantomData<S>,
}

impl<S> Lines<S> {
    /// The next piece, which may end within a line.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, Failure> {
        let Some(piece) = self.body.next().await else {
            return Ok(None);
        };
        // The client disconnected, so it does not see this answer.
        let piece = piece.map_err(|_| Failure::malformed())?;
        self.left = self.left.checked_sub(piece.len()).ok_or_else(too_large)?;
        Ok(Some(piece))
    }
}

impl<S: ToSchema + Send + 'static> Input for Lines<S> {
    const CARRIER: Carrier = Carrier::Lines;
    type Shape = S;

    async fn read(request: Request, limit: usize) -> Result<Self, Failure> {
        if !has_lines(request.headers()) {
            return Err(Failure::at_the_edge(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Reason::Validation,
            ));
        }
        if usize::try_from(request.body().size_hint().lower()).unwrap_or(usize::MAX) > limit {
            return Err(too_large());
        }
        Ok(Self {
            body: request.into_body().into_data_stream(),
            left: limit,
            shape: PhantomData,
        })
    }
}

/// Whether the request says that its body is JSON lines, or nothing.
fn has_lines(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    let essence = value.to_str().unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES
        .iter()
        .any(|known| known.eq_ignore_ascii_case(essence))
}

fn too_large() -> Failure {
    Failure::at_the_edge(StatusCode::PAYLOAD_TOO_LARGE, Reason::FileTooLarge)
}
