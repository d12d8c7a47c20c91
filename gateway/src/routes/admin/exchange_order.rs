//! Exchange orders of all users.

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as acceptor;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::exchange::{
    CompletionRequest, DecideExchangeRequest, ExchangeOrder, StaffExchangeListQuery,
    StaffExchangeOrder,
};
use crate::dto::{Decode as _, Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/exchange/list",
            "listAllExchanges",
            "Exchange orders of all users, newest first.",
            list,
        )
        .staff(FINANCE),
        Route::post(
            "/admin/exchange/decide",
            "decideExchange",
            "Completes or cancels a pending exchange order. A large completion takes the same decision of a second person.",
            decide,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
            Reason::WalletFrozen,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<StaffExchangeListQuery>,
) -> Result<Page<StaffExchangeOrder>, Failure> {
    let message = acceptor::AdminListExchangesRequest {
        status: query.status.map_or(0, Into::into),
        user_id: query.user_id.unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), acceptor_admin.admin_list_exchanges, message).await?;
    let names = Names::of(&call, response.items.iter().map(|item| &item.user_id)).await;
    Page::compose(response.items, response.next_cursor, |item| {
        with_user(&names, item)
    })
}

async fn decide(
    call: Call,
    Json(request): Json<DecideExchangeRequest>,
) -> Result<StaffExchangeOrder, Failure> {
    let message = acceptor::DecideExchangeRequest {
        exchange_id: request.id,
        decision: request.decision.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), acceptor_admin.decide_exchange, message).await?;
    let order = present(response.exchange, "exchange")?;
    let names = Names::of(&call, [&order.user_id].into_iter()).await;
    with_user(&names, order)
}

fn with_user(names: &Names, order: acceptor::Exchange) -> Result<StaffExchangeOrder, Failure> {
    let user = names.user(order.user_id.clone());
    let asked = order.completion_request.clone();
    Ok(StaffExchangeOrder {
        completion_request: Option::<CompletionRequest>::decode(asked, "completion_request")?,
        order: ExchangeOrder::from_proto(order)?,
        user,
    })
}
