//! Wallet figures and fund details.

use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, read};
use crate::dto::wallet::{
    FlowListQuery, FlowPage, Month, MonthCount, MonthSummary, Monthly, MonthlyQuery, Property,
};
use crate::dto::{each, page, present};
use crate::errors::Failure;
use crate::input::{Nothing, Query};
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/user/property",
            "getProperty",
            "The wallet's figures.",
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
    let response = read!(call, wallet.get_property, wallet::GetPropertyRequest {})?;
    Property::from_proto(
        &present(response.property, "property")?,
        call.gateway.currency(),
    )
}

async fn flow(call: Call, Query(query): Query<FlowListQuery>) -> Result<FlowPage, Failure> {
    let message = wallet::ListFlowRequest {
        r#type: query.kind.map_or(0, Into::into),
        month: query.month.map(Month::into_text).unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    FlowPage::from_proto(read!(call, wallet.list_flow, message)?)
}

async fn monthly(call: Call, Query(query): Query<MonthlyQuery>) -> Result<Monthly, Failure> {
    let months = query.months.map_or(0, MonthCount::get);
    let response = read!(
        call,
        wallet.get_monthly,
        wallet::GetMonthlyRequest { months }
    )?;
    Ok(Monthly {
        items: each(response.items, MonthSummary::from_proto)?,
    })
}
