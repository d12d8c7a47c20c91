//! Wallet balances and fund details.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use adfolio_kit::client;
use adfolio_kit::refusal::Reason;
use adfolio_kit::wire::timestamp;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use tracing::warn;

use crate::call::{Call, send};
use crate::dto::wallet::{
    EntryPlan, FlowEntry, FlowListQuery, FlowPage, Month, MonthCount, Monthly, MonthlyQuery,
    Property, ReturnStartUpFundsRequest,
};
use crate::dto::{page, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing, Query};
use crate::messages::Success;
use crate::route::Route;

/// Limit of asking plan what plans are called: entries are worth more than their names.
const NAMES_LIMIT: Duration = Duration::from_secs(1);

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
        Route::post(
            "/user/start_up_funds/return",
            "returnStartUpFunds",
            "Returns start-up funds from the available funds.",
            return_start_up_funds,
        )
        .user()
        .fails(&[
            Reason::Forbidden,
            Reason::AmountOutOfRange,
            Reason::InsufficientBalance,
        ])
        .says(Success::Update)
        .keyed(),
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

async fn return_start_up_funds(
    call: Call,
    Json(request): Json<ReturnStartUpFundsRequest>,
) -> Result<Property, Failure> {
    let message = wallet::ReturnStartUpFundsRequest {
        amount_minor: request.amount.minor(),
    };
    let response = send!(call.writing(), wallet.return_start_up_funds, message).await?;
    let property = present(response.property, "property")?;
    Property::from_proto(property, call.gateway.currency())
}

async fn flow(call: Call, Query(query): Query<FlowListQuery>) -> Result<FlowPage, Failure> {
    let message = flow_request(&call, query);
    let response = send!(call.reading(), wallet.list_flow, message).await?;
    let mut page = FlowPage::from_proto(response)?;
    name_plans(&call, &mut page.items).await;
    Ok(page)
}

/// What wallet is asked for fund details.
pub fn flow_request(call: &Call, query: FlowListQuery) -> wallet::ListFlowRequest {
    let zone = call.caller.time_zone;
    wallet::ListFlowRequest {
        r#type: query.kind.map_or(0, Into::into),
        month: query.month.map(Month::into_text).unwrap_or_default(),
        page: page(query.cursor, query.limit),
        account: query.account.map_or(0, Into::into),
        from: query.from.map(|day| timestamp(day.start(zone))),
        to: query.until.map(|day| timestamp(day.end(zone))),
        with_totals: query.totals.unwrap_or(false),
        id: query.id.unwrap_or_default(),
    }
}

/// Says to which plans entries belong. Without plan the entries are shown as they are.
pub async fn name_plans(call: &Call, entries: &mut [FlowEntry]) {
    let of_plans = entries.iter().filter(|entry| entry.kind.is_of_plans());
    let plan_ids: BTreeSet<String> = of_plans
        .filter_map(|entry| entry.reference.clone())
        .collect();
    if plan_ids.is_empty() {
        return;
    }
    let message = plan::NamePlansRequest {
        plan_ids: plan_ids.into_iter().collect(),
    };
    let asked = client::Call::repeated(&call.caller, NAMES_LIMIT);
    let names = match adfolio_kit::call!(call.services().plan, name_plans, message, asked).await {
        Ok(named) => named.items,
        Err(status) => {
            warn!(%status, "entries are shown without their plans");
            return;
        }
    };
    let names: HashMap<String, EntryPlan> = names
        .into_iter()
        .filter_map(|name| Some((name.plan_id.clone(), EntryPlan::from_proto(name).ok()?)))
        .collect();
    for entry in entries {
        let plan = entry.reference.as_ref().and_then(|id| names.get(id));
        entry.plan = plan.cloned();
    }
}

async fn monthly(call: Call, Query(query): Query<MonthlyQuery>) -> Result<Monthly, Failure> {
    let months = query.months.map_or(0, MonthCount::get);
    let message = wallet::GetMonthlyRequest { months };
    let response = send!(call.reading(), wallet.get_monthly, message).await?;
    Monthly::from_proto(response)
}
