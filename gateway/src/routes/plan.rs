//! Products, plans and statistics.

use adfolio_kit::refusal::Reason;
use adfolio_kit::time_zone::TimeZone;
use adfolio_proto::coupon::v1::ListUsableRequest;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1::ListOrderFlowRequest;

use crate::call::{Call, send};
use crate::dto::pace::{PlanPace, PlanPlacements};
use crate::dto::plan::{ByPlanId, Count, Plan, PlanDetail, PlanListQuery, PlanPage, PutRequest};
use crate::dto::product::{AppDetail, AppDetailRequest, Product};
use crate::dto::report::{ReportListQuery, ReportPage};
use crate::dto::statistics::{Statistics, StatisticsQuery, StatisticsType};
use crate::dto::wallet::FlowEntry;
use crate::dto::{ById, Decode, Empty, Page, PageQuery, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/plan/order/list",
            "listPlans",
            "The caller's plans, newest first.",
            list,
        )
        .user(),
        Route::post(
            "/plan/order/detail",
            "getPlan",
            "A plan with its timeline, delivery and wallet entries.",
            detail,
        )
        .user()
        .fails(&[Reason::NotFound]),
        Route::get(
            "/plan/order/reports",
            "listReports",
            "The delivery reports of a plan, newest first, and the figures that they sum to.",
            reports,
        )
        .user()
        .fails(&[Reason::NotFound]),
        Route::get(
            "/plan/order/pace",
            "getPlanPace",
            "How a plan keeps pace with what the algorithm plans.",
            pace,
        )
        .user()
        .fails(&[Reason::NotFound]),
        Route::get(
            "/plan/order/placements",
            "listPlanPlacements",
            "Where a plan was shown, and why.",
            placements,
        )
        .user()
        .fails(&[Reason::NotFound]),
        Route::post(
            "/plan/order/app/detail",
            "getProduct",
            "A product with the caller's coupons for it.",
            app_detail,
        )
        .user()
        .fails(&[Reason::NotFound]),
        Route::post(
            "/plan/order/put",
            "putPlan",
            "Puts money into a product or a pushed plan.",
            put,
        )
        .user()
        .fails(&[
            Reason::NotFound,
            Reason::InsufficientBalance,
            Reason::AmountOutOfRange,
            Reason::PlanNotPuttable,
            Reason::CouponNotUsable,
            Reason::CouponBelowRequirement,
        ])
        .says(Success::Placement)
        .keyed(),
        Route::post(
            "/plan/order/cancel",
            "cancelPlan",
            "Cancels one of the caller's plans that is still matching: its money and coupon come back.",
            cancel,
        )
        .user()
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::post(
            "/plan/order/await/put/count",
            "countWaitingPlans",
            "The number of pushed plans that are waiting for the caller's put.",
            count_waiting,
        )
        .user(),
        Route::get(
            "/plan/product/list",
            "listProducts",
            "Products that can be put, newest first.",
            products,
        )
        .user(),
        Route::get(
            "/ad/order/data_statistics/list",
            "getStatistics",
            "The ad centre's statistics.",
            statistics,
        )
        .user(),
    ]
}

async fn list(call: Call, Query(query): Query<PlanListQuery>) -> Result<PlanPage, Failure> {
    let named = query.user_time_zone.as_deref().map(TimeZone::parse);
    let table = query.table(named.unwrap_or(call.caller.time_zone));
    let message = plan::ListPlansRequest {
        push: query.push.unwrap_or_default().into(),
        status: query.status.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
        figure: query.figure.map_or(0, Into::into),
        range: query.kind.unwrap_or(StatisticsType::TODAY).range().into(),
        time_zone: canonical_zone(query.user_time_zone),
        table,
    };
    let response = send!(call.reading(), plan.list_plans, message).await?;
    Ok(PlanPage::from_proto(response, query.figure)?.in_lang(call.lang))
}

/// A time zone as it is passed on; empty for the header's. An invalid one is UTC, as in the header.
fn canonical_zone(text: Option<String>) -> String {
    text.map(|text| TimeZone::parse(&text).to_string())
        .unwrap_or_default()
}

async fn reports(call: Call, Query(query): Query<ReportListQuery>) -> Result<ReportPage, Failure> {
    let message = plan::ListReportsRequest {
        plan_id: query.plan_id,
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), plan.list_reports, message).await?;
    ReportPage::from_proto(response)
}

async fn pace(call: Call, Query(query): Query<ByPlanId>) -> Result<PlanPace, Failure> {
    let message = plan::GetPlanPaceRequest {
        plan_id: query.plan_id,
    };
    let found = send!(call.reading(), plan.get_plan_pace, message).await?;
    PlanPace::from_proto(present(found.pace, "pace")?)
}

async fn placements(call: Call, Query(query): Query<ByPlanId>) -> Result<PlanPlacements, Failure> {
    let message = plan::ListPlanPlacementsRequest {
        plan_id: query.plan_id,
    };
    let found = send!(call.reading(), plan.list_plan_placements, message).await?;
    PlanPlacements::from_proto(present(found.placements, "placements")?)
}

async fn detail(call: Call, Json(request): Json<ById>) -> Result<PlanDetail, Failure> {
    let flow_of = ListOrderFlowRequest {
        order_id: request.id.clone(),
        user_id: call.user()?.to_string(),
    };
    let found = async {
        let message = plan::GetPlanRequest {
            plan_id: request.id,
        };
        send!(call.reading(), plan.get_plan, message).await
    };
    let flow = async { send!(call.reading(), ledger.list_order_flow, flow_of).await };
    let (found, flow) = futures::join!(found, flow);
    // plan decides whether the plan exists.
    let found = found?;
    PlanDetail::compose(found, FlowEntry::of_order(flow?.items)?, call.lang)
}

async fn app_detail(
    call: Call,
    Json(request): Json<AppDetailRequest>,
) -> Result<AppDetail, Failure> {
    let message = plan::GetProductRequest {
        product_id: request.product_id,
    };
    let found = send!(call.reading(), plan.get_product, message).await?;
    let product = present(found.product, "product")?;
    let message = ListUsableRequest {
        amount_max_minor: product.put_max_minor,
    };
    let usable = send!(call.reading(), coupon.list_usable, message).await?;
    Ok(AppDetail {
        product: Product::from_proto(product)?,
        coupons: Decode::decode(usable.items, "items")?,
    })
}

async fn put(call: Call, Json(request): Json<PutRequest>) -> Result<Plan, Failure> {
    let target = match (request.product_id, request.plan_id) {
        (Some(product_id), None) => plan::put_plan_request::Target::ProductId(product_id),
        (None, Some(plan_id)) => plan::put_plan_request::Target::PlanId(plan_id),
        (Some(_), Some(_)) => return Err(Failure::invalid("plan_id")),
        (None, None) => return Err(Failure::invalid("product_id")),
    };
    let message = plan::PutPlanRequest {
        target: Some(target),
        amount_minor: request.amount.minor(),
        user_coupon_id: request.user_coupon_id.unwrap_or_default(),
    };
    let response = send!(call.writing(), plan.put_plan, message).await?;
    Ok(Plan::decode(response.plan, "plan")?.in_lang(call.lang))
}

async fn cancel(call: Call, Json(request): Json<ByPlanId>) -> Result<Plan, Failure> {
    let message = plan::CancelPlanRequest {
        plan_id: request.plan_id,
    };
    let response = send!(call.writing(), plan.cancel_plan, message).await?;
    Ok(Plan::decode(response.plan, "plan")?.in_lang(call.lang))
}

async fn count_waiting(call: Call, _: Json<Empty>) -> Result<Count, Failure> {
    let response = send!(
        call.reading(),
        plan.count_waiting,
        plan::CountWaitingRequest {}
    )
    .await?;
    Ok(Count {
        count: response.count,
    })
}

async fn products(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Product>, Failure> {
    let ask = || async {
        let message = plan::ListProductsRequest {
            page: query.clone().into_page(),
        };
        let response = send!(call.reading(), plan.list_products, message).await?;
        Page::from_proto(response.items, response.next_cursor)
    };
    call.gateway.recent().products(&query, ask).await
}

async fn statistics(
    call: Call,
    Query(query): Query<StatisticsQuery>,
) -> Result<Statistics, Failure> {
    let kind = query.kind.unwrap_or(StatisticsType::TODAY);
    let message = plan::GetStatisticsRequest {
        range: kind.range().into(),
        time_zone: canonical_zone(query.user_time_zone),
    };
    let response = send!(call.reading(), plan.get_statistics, message).await?;
    Statistics::from_proto(response, kind)
}
