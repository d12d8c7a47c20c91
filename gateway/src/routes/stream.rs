//! The event stream.

use adfolio_kit::refusal::Reason;
use axum::response::Response;

use crate::call::Call;
use crate::errors::Failure;
use crate::input::Nothing;
use crate::route::Route;
use crate::stream::Listener;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get_whole(
            "/stream",
            "openStream",
            "Events `unread {at, total, sequence}`, `wallet {at, sequence}` and `plan {at, id, sequence}`. Of two about one \
             thing, the one with the larger sequence is later; a total or id of null stands for what is not known. Ends \
             with the session.",
            "text/event-stream",
            open,
        )
        .user()
        .fails(&[Reason::TooManyAttempts]),
    ]
}

async fn open(call: Call, _: Nothing) -> Result<Response, Failure> {
    let token = call.token()?.clone();
    let listener = Listener::open(call.gateway.streams(), call.user()?, token)?;
    Ok(listener.into_response())
}
