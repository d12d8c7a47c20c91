//! The books of any user: fund details, statement, and where money may go.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;
use axum::response::Response;

use crate::call::{Call, send};
use crate::dto::ledger::{UserFlowListQuery, UserQuery, UserStatementQuery};
use crate::dto::wallet::FlowPage;
use crate::dto::withdrawal::Destinations;
use crate::dto::{Decode, present};
use crate::errors::Failure;
use crate::input::Query;
use crate::route::{ANY_ROLE, FINANCE, Route};
use crate::routes::statement;
use crate::routes::wallet::{flow_request, name_plans};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/user/flow",
            "listUserFlow",
            "Fund details of a user, newest first.",
            flow,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::get_whole(
            "/admin/user/statement",
            "getUserStatement",
            "Every transaction of a user in a month as CSV; each row has its hash and the previous hash.",
            statement::CSV,
            user_statement,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/user/destinations",
            "getUserDestinations",
            "Where a user's money may go, masked.",
            destinations,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
    ]
}

async fn flow(call: Call, Query(query): Query<UserFlowListQuery>) -> Result<FlowPage, Failure> {
    let (user_id, query) = query.split();
    let message = wallet::ListUserFlowRequest {
        user_id,
        query: Some(flow_request(&call, query)),
    };
    let response = send!(call.reading(), wallet_admin.list_user_flow, message).await?;
    let mut page = FlowPage::from_proto(present(response.page, "page")?)?;
    name_plans(&call, &mut page.items).await;
    Ok(page)
}

async fn user_statement(
    call: Call,
    Query(query): Query<UserStatementQuery>,
) -> Result<Response, Failure> {
    statement::of_user(call, query.user_id, query.month).await
}

async fn destinations(call: Call, Query(query): Query<UserQuery>) -> Result<Destinations, Failure> {
    let message = wallet::GetUserDestinationsRequest {
        user_id: query.user_id,
    };
    let response = send!(call.reading(), wallet_admin.get_user_destinations, message).await?;
    Destinations::decode(response.destinations, "destinations")
}
