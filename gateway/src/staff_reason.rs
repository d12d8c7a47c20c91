//! Why a member of staff does what they do: the `reason` of any staff call's body, for the audit log.
//!
//! It is read here, once for all routes, so that no handler can forget it. A form is read part by part where it is used, so
//! there the handler takes its part `reason`.

use adfolio_kit::identity::cut_reason;
use axum::body::Body;
use axum::extract::Request;
use serde::Deserialize;

use crate::call::Call;
use crate::errors::Failure;
use crate::input::read_body;

/// The one field of interest. Whatever else is wrong with the body, and with this field, the route itself says.
#[derive(Deserialize)]
struct Reasoned {
    reason: Option<String>,
}

/// Puts the reason of a staff call into its caller, and gives the request back with its body unread.
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
