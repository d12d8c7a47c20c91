//! The demo plans. Ordinary calls bring them to the status in the catalogue.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::put_plan_request::Target;
use adfolio_proto::plan::v1::{
    AdminGetPlanRequest, AdminListPlansRequest, DecideDeliveryImportRequest, FinishOutcome,
    FinishPlanRequest, ImportDecision, ImportFormat, ImportHeader, ImportState, Plan, PlanStatus,
    Product, PushPlanRequest, PutPlanRequest, SettlePlanRequest,
};
use anyhow::{Context as _, bail};
use uuid::Uuid;

use super::catalog::{DemoPlan, PLANS};
use super::{MOST_ITEMS, reason, reports, second, whole};
use crate::delivery;
use crate::output::say;
use crate::services::{Services, ask, keyed, list, on_behalf_of, operator};

/// The source of the demo reports.
const SOURCE: &str = "demo";

/// Time for the import of one plan's reports.
const IMPORT_LIMIT: Duration = Duration::from_mins(1);

/// Creates missing plans and advances the others to their status. Plans that are further stay as they are: their
/// windows ended, or people continued with them.
pub async fn load(
    services: &Services,
    user: Uuid,
    operator_id: &str,
    products: &[Product],
) -> anyhow::Result<()> {
    let message = AdminListPlansRequest {
        user_id: user.to_string(),
        page: None,
        ..Default::default()
    };
    let known = whole(list!(
        services.plan_admin,
        admin_list_plans,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    for demo in &PLANS {
        let product = products
            .get(demo.product)
            .context("the catalogue names a product that is not there")?;
        let found = known.iter().find(|plan| is(plan, demo, product));
        let plan = match found {
            Some(plan) => plan.clone(),
            None => create(services, user, operator_id, demo, product).await?,
        };
        drive(services, demo, plan)
            .await
            .with_context(|| format!("plan {}", demo.name))?;
    }
    Ok(())
}

fn is(plan: &Plan, demo: &DemoPlan, product: &Product) -> bool {
    plan.product_id == product.id
        && plan.put_amount_minor == demo.amount_minor
        && plan.official == demo.is_official()
}

async fn create(
    services: &Services,
    user: Uuid,
    operator_id: &str,
    demo: &DemoPlan,
    product: &Product,
) -> anyhow::Result<Plan> {
    let plan = if demo.is_official() {
        let message = PushPlanRequest {
            product_id: product.id.clone(),
            amount_minor: demo.amount_minor,
            user_ids: vec![user.to_string()],
            operator_id: operator_id.to_owned(),
            put_content: "Landing page of the week's box with a short clip from the farm"
                .to_owned(),
            put_rule: "Evenly over the day, at most three impressions per person and day"
                .to_owned(),
            user_targeting: None,
        };
        let caller = keyed(operator(), &format!("demo-push-{}-{user}", demo.name))?;
        let answer = ask!(services.plan_admin, push_plan, caller, message)?;
        let pushed = answer.items.into_iter().next();
        get(services, pushed.context("the answer has no plan")?.plan_id).await?
    } else {
        let message = PutPlanRequest {
            target: Some(Target::ProductId(product.id.clone())),
            amount_minor: demo.amount_minor,
            user_coupon_id: String::new(),
        };
        let caller = keyed(on_behalf_of(user), &format!("demo-put-{}", demo.name))?;
        let answer = ask!(services.plan, put_plan, caller, message)?;
        answer.plan.context("the answer has no plan")?
    };
    say(&format!(
        "made the plan {} ({})",
        plan.plan_number, demo.name
    ));
    Ok(plan)
}

/// Advances a plan to its status.
async fn drive(services: &Services, demo: &DemoPlan, plan: Plan) -> anyhow::Result<()> {
    let running = matches!(plan.status(), PlanStatus::Matching | PlanStatus::Putting);
    match demo.status {
        PlanStatus::PutFailed if plan.status() == PlanStatus::Matching => {
            let reason = "no inventory for this audience in the booked window";
            finish(services, plan.id, FinishOutcome::PutFailed, reason).await
        }
        PlanStatus::Putting if running => deliver(services, demo, &plan).await,
        PlanStatus::WaitingSettlement | PlanStatus::Settled if running => {
            deliver(services, demo, &plan).await?;
            let reason = "booked window is over";
            finish(
                services,
                plan.id.clone(),
                FinishOutcome::PutFinished,
                reason,
            )
            .await?;
            settle(services, demo, plan.id).await
        }
        PlanStatus::Settled if plan.status() == PlanStatus::WaitingSettlement => {
            settle(services, demo, plan.id).await
        }
        _ => Ok(()),
    }
}

/// Imports the plan's reports, unless they are there: an import that brings nothing would be listed as well.
async fn deliver(services: &Services, demo: &DemoPlan, plan: &Plan) -> anyhow::Result<()> {
    let csv = reports::csv(demo, plan).context("the plan's reports cannot be made")?;
    let import = async |dry_run| {
        let header = ImportHeader {
            format: ImportFormat::Csv.into(),
            source: SOURCE.to_owned(),
            mapping_json: "{}".to_owned(),
            dry_run,
            signature: Vec::new(),
        };
        let file = std::io::Cursor::new(csv.clone());
        delivery::import(services, header, file, IMPORT_LIMIT).await
    };
    let expected = import(true).await?;
    if let Some(row) = expected.rejected.first() {
        bail!("line {} would be rejected: {}", row.line, row.reason);
    }
    if expected.applied == 0 && expected.restated == 0 {
        return Ok(());
    }
    let outcome = import(false).await?;
    if let Some(row) = outcome.rejected.first() {
        bail!("line {} was rejected: {}", row.line, row.reason);
    }
    if outcome.state() == ImportState::Proposed {
        let message = DecideDeliveryImportRequest {
            import_id: outcome.import_id,
            decision: ImportDecision::Released.into(),
            reason: "reports of the demo".to_owned(),
        };
        let caller = second::caller(services).await?;
        ask!(services.plan_admin, decide_delivery_import, caller, message)?;
    }
    if outcome.applied > 0 {
        say(&format!(
            "imported {} reports for the plan {}",
            outcome.applied, plan.plan_number
        ));
    }
    Ok(())
}

async fn finish(
    services: &Services,
    plan_id: String,
    outcome: FinishOutcome,
    reason: &str,
) -> anyhow::Result<()> {
    let message = FinishPlanRequest {
        plan_id,
        outcome: outcome.into(),
        reason: reason.to_owned(),
    };
    ask!(services.plan_admin, finish_plan, operator(), message)?;
    Ok(())
}

async fn settle(services: &Services, demo: &DemoPlan, plan_id: String) -> anyhow::Result<()> {
    if demo.status != PlanStatus::Settled {
        return Ok(());
    }
    let message = SettlePlanRequest { plan_id };
    let asked = ask!(
        services.plan_admin,
        settle_plan,
        operator(),
        message.clone()
    );
    if reason(&asked) == Some(Reason::ApprovalRequired) {
        let caller = second::caller(services).await?;
        ask!(services.plan_admin, settle_plan, caller, message)?;
    } else {
        asked?;
    }
    Ok(())
}

async fn get(services: &Services, plan_id: String) -> anyhow::Result<Plan> {
    let message = AdminGetPlanRequest { plan_id };
    let answer = ask!(services.plan_admin, admin_get_plan, operator(), message)?;
    answer.plan.context("the answer has no plan")
}
