//! The event stream of staff.

use adfolio_kit::refusal::Reason;
use axum::response::Response;

use crate::call::Call;
use crate::errors::Failure;
use crate::input::Nothing;
use crate::route::{ANY_ROLE, Route};
use crate::staff_stream::StaffListener;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get_whole(
            "/admin/stream",
            "openStaffStream",
            "Events `changed {kinds}`: something of these kinds may have changed, at most one event a second. The first \
             names every kind that the role may open. Without figures and ids. Ends with the session.",
            "text/event-stream",
            open,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::TooManyAttempts]),
    ]
}

async fn open(call: Call, _: Nothing) -> Result<Response, Failure> {
    let token = call.token()?.clone();
    let staff = call.caller.staff;
    let staff = staff.ok_or_else(|| Failure::new(Reason::NotAuthenticated))?;
    let listener = StaffListener::open(call.gateway.staff_streams(), staff, token)?;
    Ok(listener.into_response())
}
