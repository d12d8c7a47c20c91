//! Conditional GET: ETags and 304.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use sha2::{Digest, Sha256};

/// May be stored, but must be revalidated.
pub const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// The headers that an answer depends on.
const VARY: HeaderValue = HeaderValue::from_static("x-lang, accept-language");

/// Bytes of the digest in a tag, enough to avoid collisions.
const TAG_BYTES: usize = 16;

/// The tag of a body. It is weak because the same answer may be sent compressed or not.
pub fn of(body: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(body);
    let digits = hex::encode(digest.get(..TAG_BYTES).unwrap_or(&digest));
    value(&format!("W/\"{digits}\""))
}

/// The tag of a body that never changes and is identified by `name`.
pub fn strong(name: &str) -> HeaderValue {
    value(&format!("\"{name}\""))
}

fn value(text: &str) -> HeaderValue {
    // Hex digits in quotes are always a valid header value.
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether the client has the body with this tag.
pub fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(wanted) = tag.to_str().map(opaque) else {
        return false;
    };
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim() == "*" || opaque(known) == wanted)
}

/// The answer to a client that has the body.
pub fn not_modified(tag: HeaderValue, cache_control: HeaderValue) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, cache_control);
    response
}

/// A JSON answer with its tag, or 304 if the client has it. `request` are the headers of the request.
pub fn conditional(request: &HeaderMap, body: bytes::Bytes) -> Response {
    let tag = of(&body);
    let mut response = if is_known(request, &tag) {
        not_modified(tag, ASK_AGAIN)
    } else {
        let mut response = Response::new(Body::from(body));
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        headers.insert(header::ETAG, tag);
        headers.insert(header::CACHE_CONTROL, ASK_AGAIN);
        response
    };
    response.headers_mut().insert(header::VARY, VARY);
    response
}
