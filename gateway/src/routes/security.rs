//! The caller's sessions and security log.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::auth::v1::end_sessions_request::Target;

use crate::call::{Call, send};
use crate::dto::security::{EndSessionsRequest, OwnSessionList, SecurityEntry};
use crate::dto::{Empty, Page, PageQuery};
use crate::errors::Failure;
use crate::input::{Json, Nothing, Query};
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/user/security/log",
            "listSecurityLog",
            "The security log: actions of staff on the caller's account, and security changes from the caller's own sessions, newest first.",
            log,
        )
        .user(),
        Route::get(
            "/user/sessions",
            "listSessions",
            "The caller's active sessions, newest first.",
            sessions,
        )
        .user(),
        Route::post(
            "/user/sessions/end",
            "endSessions",
            "Ends one session of the caller, or all except the current one.",
            end,
        )
        .user()
        .fails(&[Reason::NotFound]),
    ]
}

async fn log(call: Call, Query(query): Query<PageQuery>) -> Result<Page<SecurityEntry>, Failure> {
    let message = auth::ListSecurityLogRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), auth.list_security_log, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn sessions(call: Call, _: Nothing) -> Result<OwnSessionList, Failure> {
    let message = auth::ListSessionsRequest {
        token: call.token()?.to_message(),
    };
    let response = send!(call.reading(), auth.list_sessions, message).await?;
    OwnSessionList::from_proto(response)
}

async fn end(call: Call, Json(request): Json<EndSessionsRequest>) -> Result<Empty, Failure> {
    let target = match (request.id, request.others) {
        (Some(id), None | Some(false)) => Target::SessionId(id),
        (None, Some(true)) => Target::Others(true),
        (Some(_), Some(true)) => return Err(Failure::invalid("others")),
        (None, None | Some(false)) => return Err(Failure::invalid("id")),
    };
    let message = auth::EndSessionsRequest {
        token: call.token()?.to_message(),
        target: Some(target),
    };
    send!(call.writing(), auth.end_sessions, message).await?;
    // The event tells every replica. This one must know before the next request.
    call.gateway.sessions().forget(call.user()?.0);
    Ok(Empty {})
}
