//! The reason for an action of staff: the `reason` in the body of any staff call, for the audit log.
//!
//! It is read here for all routes, so that no handler can forget it. A multipart form is read part by part, so its
//! handler reads the part `reason` itself.

use adfolio_kit::identity::cut_reason;
use axum::body::Body;
use axum::extract::Request;
use serde::Deserialize;

use crate::call::Call;
use crate::errors::Failure;
use crate::input::read_body;

/// The only field that is read here. The route itself validates the body.
#[derive(Deserialize)]
struct Reasoned {
    reason: Option<String>,
}

/// Sets the reason of a staff call in its caller, and returns the request with its body restored.
pub async fn take(
    call: &mut Call,
    request: Request,
    body_limit: usize,
) -> Result<Request, Failure> {
    let (parts, body) = request.into_parts();
    let bytes = read_body(body, body_limit).await?;
    let given = serde_json::from_slice::<Reasoned>(&bytes).ok();
    if let Some(reason) = given.and_then(|body| body.reason) {
        call.caller.reason = cut_reason(&reason);
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}
