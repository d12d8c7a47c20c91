//! Wallet balances and fund details.

use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::wallet::{
    FlowEntry, FlowListQuery, Month, MonthCount, Monthly, MonthlyQuery, Property,
};
use crate::dto::{Page, page, present};
use crate::errors::Failure;
use crate::input::{Nothing, Query};
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/user/property",
            "getProperty",
            "The balances of the wallet.",
            property,
        )
        .user(),
        Route::get(
            "/transaction_flow/list",
            "listFlow",
            "Fund details, newest first.",
            flow,
        )
        .user(),
        Route::get(
            "/transaction_flow/monthly",
            "getMonthly",
            "Income and expense by month.",
            monthly,
        )
        .user(),
    ]
}

async fn property(call: Call, _: Nothing) -> Result<Property, Failure> {
    let response = send!(
        call.reading(),
        wallet.get_property,
        wallet::GetPropertyRequest {}
    )
    .await?;
    let property = present(response.property, "property")?;
    Property::from_proto(property, call.gateway.currency())
}

async fn flow(call: Call, Query(query): Query<FlowListQuery>) -> Result<Page<FlowEntry>, Failure> {
    let message = wallet::ListFlowRequest {
        r#type: query.kind.map_or(0, Into::into),
        month: query.month.map(Month::into_text).unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), wallet.list_flow, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn monthly(call: Call, Query(query): Query<MonthlyQuery>) -> Result<Monthly, Failure> {
    let months = query.months.map_or(0, MonthCount::get);
    let message = wallet::GetMonthlyRequest { months };
    let response = send!(call.reading(), wallet.get_monthly, message).await?;
    Monthly::from_proto(response)
}
