//! Proxy operators that the caller follows.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;

use crate::call::{Call, read, write_call};
use crate::dto::follow::{Follow, FollowPage, FollowRequest};
use crate::dto::{PageQuery, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/assistance/list",
            "listFollows",
            "Whom the caller has followed, newest first.",
            list,
        )
        .user(),
        Route::post(
            "/assistance/follow",
            "follow",
            "Follows a proxy operator instead of the one followed now.",
            follow,
        )
        .user()
        .fails(&[Reason::FollowIdError, Reason::FollowIdCurrent])
        .says(Success::Submission),
    ]
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<FollowPage, Failure> {
    let message = plan::ListFollowsRequest {
        page: query.into_page(),
    };
    FollowPage::from_proto(read!(call, plan.list_follows, message)?)
}

async fn follow(call: Call, Json(request): Json<FollowRequest>) -> Result<Follow, Failure> {
    let message = plan::FollowRequest {
        operator_id: request.operator_id,
    };
    Follow::from_proto(present(
        write_call!(call, plan.follow, message)?.follow,
        "follow",
    )?)
}
