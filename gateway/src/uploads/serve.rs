//! Serves uploaded pictures: public, immutable, and nothing but pictures.

use adfolio_kit::refusal::Reason;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use image::ImageFormat;

use super::{Uploads, unreachable_store};
use crate::context;
use crate::envelope;
use crate::errors::Failure;
use crate::etag;

/// A file never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Answers `GET /files/{id}`.
pub async fn serve(uploads: Uploads, request: Request) -> Response {
    let (asked, _) = request.into_parts();
    let lang = context::lang(&asked.headers, None);
    picture(&uploads, &asked)
        .await
        .unwrap_or_else(|failure| envelope::failure(&failure, lang))
}

async fn picture(uploads: &Uploads, asked: &Parts) -> Result<Response, Failure> {
    let unknown = || Failure::at_the_edge(StatusCode::NOT_FOUND, Reason::NotFound);
    let id = asked.uri.path().rsplit('/').next().unwrap_or_default();
    let found = uploads.read(id).await?.ok_or_else(unknown)?;
    // A file never changes, so its id is its tag.
    let tag = etag::strong(id);
    if etag::is_known(&asked.headers, &tag) {
        return Ok(etag::not_modified(tag, FOR_EVER));
    }
    let size = found.meta.size;
    let mut pieces = found.into_stream();
    let first = match pieces.next().await {
        Some(Ok(first)) => first,
        Some(Err(error)) => return Err(unreachable_store("read a file", &error)),
        None => Bytes::new(),
    };
    let content_type = match image::guess_format(&first) {
        Ok(ImageFormat::Jpeg) => HeaderValue::from_static("image/jpeg"),
        Ok(ImageFormat::Png) => HeaderValue::from_static("image/png"),
        // No other formats are stored.
        _ => return Err(unknown()),
    };
    let body = Body::from_stream(futures::stream::iter([Ok(first)]).chain(pieces));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CACHE_CONTROL, FOR_EVER);
    headers.insert(header::ETAG, tag);
    Ok(response)
}
