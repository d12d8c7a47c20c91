//! Proxy operators that the caller follows.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;

use crate::call::{Call, send};
use crate::dto::follow::{Follow, FollowPage, FollowRequest};
use crate::dto::{Decode, PageQuery};
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
            "The proxy operators that the caller has followed, newest first.",
            list,
        )
        .user(),
        Route::post(
            "/assistance/follow",
            "follow",
            "Follows a proxy operator instead of the current one.",
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
    let response = send!(call.reading(), plan.list_follows, message).await?;
    FollowPage::from_proto(response)
}

async fn follow(call: Call, Json(request): Json<FollowRequest>) -> Result<Follow, Failure> {
    let message = plan::FollowRequest {
        operator_id: request.operator_id,
    };
    let response = send!(call.writing(), plan.follow, message).await?;
    Follow::decode(response.follow, "follow")
}
