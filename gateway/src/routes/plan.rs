//! Products, plans and statistics.

use adfolio_kit::refusal::Reason;
use adfolio_kit::time_zone::TimeZone;
use adfolio_proto::coupon::v1::ListUsableRequest;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1::ListOrderFlowRequest;

use crate::call::{Call, read, write_call};
use crate::dto::coupon::Coupon;
use crate::dto::plan::{Count, Plan, PlanCounts, PlanDetail, PlanListQuery, PlanPage, PutRequest};
use crate::dto::product::{AppDetail, AppDetailRequest, Product, ProductPage};
use crate::dto::statistics::{Statistics, StatisticsQuery, StatisticsType};
use crate::dto::wallet::FlowEntry;
use crate::dto::{ById, Empty, PageQuery, each, non_empty, page, present};
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
            "A plan with its life, its delivery and its money.",
            detail,
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
            "/plan/order/await/put/count",
            "countWaitingPlans",
            "How many pushed plans wait.",
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
            "The ad centre's figures.",
            statistics,
        )
        .user(),
    ]
}

async fn list(call: Call, Query(query): Query<PlanListQuery>) -> Result<PlanPage, Failure> {
    let message = plan::ListPlansRequest {
        push: query.push.unwrap_or_default().into(),
        status: query.status.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = read!(call, plan.list_plans, message)?;
    Ok(PlanPage {
        items: each(response.items, Plan::from_proto)?,
        next_cursor: non_empty(response.next_cursor),
        counts: PlanCounts::from_proto(response.counts)?,
    })
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
        read!(call, plan.get_plan, message)
    };
    let flow = async { read!(call, ledger.list_order_flow, flow_of) };
    let (found, flow) = futures::join!(found, flow);
    // Whether there is such a plan is for plan to say.
    let found = found?;
    PlanDetail::compose(
        found.plan,
        found.timeline,
        found.series,
        FlowEntry::of_order(flow?.items)?,
    )
}

async fn app_detail(
    call: Call,
    Json(request): Json<AppDetailRequest>,
) -> Result<AppDetail, Failure> {
    let found = read!(
        call,
        plan.get_product,
        plan::GetProductRequest {
            product_id: request.product_id
        }
    )?;
    let product = present(found.product, "product")?;
    let usable = read!(
        call,
        coupon.list_usable,
        ListUsableRequest {
            amount_max_minor: product.put_max_minor
        }
    )?;
    Ok(AppDetail {
        product: Product::from_proto(product)?,
        coupons: each(usable.items, Coupon::from_proto)?,
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
    Plan::from_proto(present(
        write_call!(call, plan.put_plan, message)?.plan,
        "plan",
    )?)
}

async fn count_waiting(call: Call, _: Json<Empty>) -> Result<Count, Failure> {
    let response = read!(call, plan.count_waiting, plan::CountWaitingRequest {})?;
    Ok(Count {
        count: response.count,
    })
}

async fn products(call: Call, Query(query): Query<PageQuery>) -> Result<ProductPage, Failure> {
    let response = read!(
        call,
        plan.list_products,
        plan::ListProductsRequest {
            page: query.into_page()
        }
    )?;
    ProductPage::from_proto(response.items, response.next_cursor)
}

async fn statistics(
    call: Call,
    Query(query): Query<StatisticsQuery>,
) -> Result<Statistics, Failure> {
    let kind = query.kind.unwrap_or(StatisticsType::TODAY);
    let message = plan::GetStatisticsRequest {
        range: kind.range().into(),
        // Junk is UTC here as in the header, and goes on in its canonical form.
        time_zone: query
            .user_time_zone
            .map(|text| TimeZone::parse(&text).to_string())
            .unwrap_or_default(),
    };
    Statistics::from_proto(kind, read!(call, plan.get_statistics, message)?)
}
