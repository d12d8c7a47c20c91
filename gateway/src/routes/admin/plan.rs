//! Products, operators and plans, as staff see and change them.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1::ListOrderFlowRequest;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::pace::{PlanPace, PlanPlacements};
use crate::dto::plan::{ByPlanId, Plan, PlanDetail};
use crate::dto::product::{Audience, CreateProductRequest, EditProductRequest, StaffProduct};
use crate::dto::staff_plan::{
    CreateOperatorRequest, FinishPlanRequest, Operator, PushPlanRequest, PushedPlans, StaffPlan,
    StaffPlanDetail, StaffPlanListQuery,
};
use crate::dto::wallet::FlowEntry;
use crate::dto::{ById, Decode, Page, PageQuery, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, OPERATOR, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [product_routes(), plan_routes()]
        .into_iter()
        .flatten()
        .collect()
}

fn product_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/product/create",
            "createProduct",
            "Creates a product.",
            create_product,
        )
        .staff(OPERATOR)
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/admin/product/edit",
            "editProduct",
            "Changes a product.",
            edit_product,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound])
        .says(Success::Update)
        .keyed(),
        Route::get(
            "/admin/product/list",
            "listAllProducts",
            "Products, newest first.",
            products,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/operator/create",
            "createOperator",
            "Creates a proxy operator.",
            create_operator,
        )
        .staff(OPERATOR)
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/operator/list",
            "listOperators",
            "Proxy operators, newest first.",
            operators,
        )
        .staff(ANY_ROLE),
    ]
}

fn plan_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/plan/push",
            "pushPlan",
            "Pushes a plan to users, where it waits for their put.",
            push,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound, Reason::AmountOutOfRange])
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/plan/list",
            "listAllPlans",
            "Plans of all users, newest first.",
            plans,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/plan/detail",
            "getAnyPlan",
            "A plan of any user.",
            plan_detail,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/plan/pace",
            "getAnyPlanPace",
            "How a plan of any user keeps pace.",
            plan_pace,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/plan/placements",
            "listAnyPlanPlacements",
            "Where a plan of any user was shown, and why.",
            plan_placements,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::post(
            "/admin/plan/finish",
            "finishPlan",
            "Ends delivery of a plan.",
            finish,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/plan/settle",
            "settlePlan",
            "Settles a plan that is waiting for settlement; before its time by two members of staff.",
            settle,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound, Reason::ApprovalRequired])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn create_product(
    call: Call,
    Json(request): Json<CreateProductRequest>,
) -> Result<StaffProduct, Failure> {
    let message = plan::CreateProductRequest {
        product: Some(request.into_proto()),
    };
    let response = send!(call.writing(), plan_admin.create_product, message).await?;
    StaffProduct::decode(response.product, "product")
}

async fn edit_product(
    call: Call,
    Json(request): Json<EditProductRequest>,
) -> Result<StaffProduct, Failure> {
    let message = plan::EditProductRequest {
        product: Some(request.into_proto()),
    };
    let response = send!(call.writing(), plan_admin.edit_product, message).await?;
    StaffProduct::decode(response.product, "product")
}

async fn products(
    call: Call,
    Query(query): Query<PageQuery>,
) -> Result<Page<StaffProduct>, Failure> {
    let message = plan::AdminListProductsRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), plan_admin.admin_list_products, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn create_operator(
    call: Call,
    Json(request): Json<CreateOperatorRequest>,
) -> Result<Operator, Failure> {
    let message = plan::CreateOperatorRequest { name: request.name };
    let response = send!(call.writing(), plan_admin.create_operator, message).await?;
    Operator::decode(response.operator, "operator")
}

async fn operators(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Operator>, Failure> {
    let message = plan::ListOperatorsRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), plan_admin.list_operators, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn push(call: Call, Json(request): Json<PushPlanRequest>) -> Result<PushedPlans, Failure> {
    let (user_ids, operator_id) = match (request.to.user_ids, request.to.operator_id) {
        (None, None) => return Err(Failure::invalid("to")),
        // An empty list means no users, not all followers.
        (Some(user_ids), _) if user_ids.is_empty() => {
            return Err(Failure::invalid("to.user_ids"));
        }
        (None, Some(operator_id)) if operator_id.is_empty() => {
            return Err(Failure::invalid("to.operator_id"));
        }
        (user_ids, operator_id) => (
            user_ids.unwrap_or_default(),
            operator_id.unwrap_or_default(),
        ),
    };
    let message = plan::PushPlanRequest {
        product_id: request.product_id,
        amount_minor: request.amount.minor(),
        user_ids,
        operator_id,
        put_content: request.put_content,
        put_rule: request.put_rule,
        user_targeting: request.user_targeting.map(Audience::into_proto),
    };
    let response = send!(call.writing(), plan_admin.push_plan, message).await?;
    PushedPlans::from_proto(response)
}

async fn plans(
    call: Call,
    Query(query): Query<StaffPlanListQuery>,
) -> Result<Page<StaffPlan>, Failure> {
    let message = plan::AdminListPlansRequest {
        user_id: query.user_id.unwrap_or_default(),
        status: query.status.map_or(0, Into::into),
        plan_number: query.plan_number.unwrap_or_default(),
        page: page(query.cursor, query.limit),
        push: query.push.map_or(0, Into::into),
    };
    let response = send!(call.reading(), plan_admin.admin_list_plans, message).await?;
    let names = Names::of(&call, response.items.iter().map(|plan| &plan.user_id)).await;
    Page::compose(response.items, response.next_cursor, |plan| {
        let user = names.user(plan.user_id.clone());
        Ok(StaffPlan {
            plan: Plan::from_proto(plan)?.in_lang(call.lang),
            user,
        })
    })
}

async fn plan_pace(call: Call, Query(query): Query<ByPlanId>) -> Result<PlanPace, Failure> {
    let message = plan::AdminGetPlanPaceRequest {
        plan_id: query.plan_id,
    };
    let found = send!(call.reading(), plan_admin.admin_get_plan_pace, message).await?;
    PlanPace::from_proto(present(found.pace, "pace")?)
}

async fn plan_placements(
    call: Call,
    Query(query): Query<ByPlanId>,
) -> Result<PlanPlacements, Failure> {
    let message = plan::AdminListPlanPlacementsRequest {
        plan_id: query.plan_id,
    };
    let found = send!(
        call.reading(),
        plan_admin.admin_list_plan_placements,
        message
    )
    .await?;
    PlanPlacements::from_proto(present(found.placements, "placements")?)
}

async fn plan_detail(call: Call, Json(request): Json<ById>) -> Result<StaffPlanDetail, Failure> {
    let message = plan::AdminGetPlanRequest {
        plan_id: request.id,
    };
    let found = send!(call.reading(), plan_admin.admin_get_plan, message).await?;
    let plan = present(found.plan, "plan")?;
    let flow_of = ListOrderFlowRequest {
        order_id: plan.id.clone(),
        user_id: plan.user_id.clone(),
    };
    let (flow, names) = futures::join!(
        async { send!(call.reading(), ledger.list_order_flow, flow_of).await },
        Names::of(&call, [&plan.user_id].into_iter())
    );
    let user = names.user(plan.user_id.clone());
    let flow = FlowEntry::of_order(flow?.items)?;
    let shown = plan::GetPlanResponse {
        plan: Some(plan),
        timeline: found.timeline,
        series: found.series,
        bucket: found.bucket,
    };
    Ok(StaffPlanDetail {
        detail: PlanDetail::compose(shown, flow, call.lang)?,
        user,
    })
}

async fn finish(call: Call, Json(request): Json<FinishPlanRequest>) -> Result<Plan, Failure> {
    let message = plan::FinishPlanRequest {
        plan_id: request.id,
        outcome: request.outcome.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), plan_admin.finish_plan, message).await?;
    Ok(Plan::decode(response.plan, "plan")?.in_lang(call.lang))
}

async fn settle(call: Call, Json(request): Json<ById>) -> Result<Plan, Failure> {
    let message = plan::SettlePlanRequest {
        plan_id: request.id,
    };
    let response = send!(call.writing(), plan_admin.settle_plan, message).await?;
    Ok(Plan::decode(response.plan, "plan")?.in_lang(call.lang))
}
