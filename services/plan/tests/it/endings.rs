//! How plans end, and what the ledger learns of it.

use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use PlanStatus::{Matching, PutFinished, Putting, Settled, WaitingSettlement};

use sqlx::{Connection as _, PgConnection};

use crate::helpers::*;

const DAY: Duration = Duration::from_hours(24);

/// A plan of 60.00 with a report of 12.345678 spent and 20.005 earned.
async fn delivered(stack: &Stack) -> (Caller, Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let plan = stack.put(&caller, &product, 6_000).await.unwrap();
    let summary = report(stack, &plan, "r1", 1, "12.345678", "20.005").await;
    assert_eq!((summary.applied, summary.rejected_count), (1, 0));
    (caller, plan)
}

async fn report(
    stack: &Stack,
    plan: &Plan,
    id: &str,
    revision: i64,
    spend: &str,
    revenue: &str,
) -> ImportDeliveryResponse {
    let file = format!(
        "report_id,revision,plan_number,time,impressions,clicks,spend,revenue\n{id},{revision},{},2026-11-20T08:00:00Z,100,3,{spend},{revenue}\n",
        plan.plan_number
    );
    stack.import("network-a", "{}", &file).await
}

fn statuses(detail: &GetPlanResponse) -> Vec<PlanStatus> {
    detail.timeline.iter().map(TimelineEntry::status).collect()
}

#[tokio::test]
async fn delivery_reaches_the_ledger_rounded_once() {
    let stack = Stack::start().await;
    let (caller, plan) = delivered(&stack).await;
    eventually("the ledger has it", || async {
        stack.money(&caller).await == (4_000, 4_765, 2_000)
    })
    .await;
    let seen = stack.plan(&caller, &plan.id).await;
    assert_eq!(
        (seen.status(), seen.consumed_minor, seen.revenue_minor),
        (PlanStatus::Putting, 1_235, 2_000)
    );
    assert_eq!((seen.to_be_consumed_minor, seen.put_progress), (4_765, 20));
    assert_eq!(
        (seen.impressions, seen.clicks, seen.estimated),
        (100, 3, false)
    );
    assert_eq!(seen.sources, ["import"]);
    eventually("nothing is in flight", || async {
        !stack.holds().await[&plan.id].in_flight
    })
    .await;
    assert_eq!(stack.holds().await[&plan.id].open_minor, 4_765);
}

#[tokio::test]
async fn staff_finish_and_settle_at_once() {
    let stack = Stack::start().await;
    let (caller, plan) = delivered(&stack).await;
    let finished = stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(
        (finished.status(), finished.to_be_consumed_minor),
        (PlanStatus::WaitingSettlement, 0)
    );
    let settled = stack.settle(&plan.id).await.unwrap();
    assert_eq!(settled.status(), PlanStatus::Settled);
    assert_eq!(stack.money(&caller).await, (10_000 - 1_235 + 2_000, 0, 0));
    assert!(stack.holds().await.is_empty());
    assert_eq!(stack.settle(&plan.id).await.unwrap(), settled, "once");
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(
        statuses(&detail),
        [Matching, Putting, PutFinished, WaitingSettlement, Settled]
    );
    assert_eq!(detail.timeline[2].reason, "by hand");
}

/// The same call of staff 200 times at once, at two replicas.
async fn two_hundred<F>(
    stack: &Stack,
    replica: &PlanAdminServiceClient<Channel>,
    call: impl Fn(PlanAdminServiceClient<Channel>) -> F,
) -> Vec<Plan>
where
    F: Future<Output = Result<Plan, tonic::Status>>,
{
    let calls = (0..200).map(|turn| {
        call(if turn % 2 == 0 {
            stack.staff()
        } else {
            replica.clone()
        })
    });
    let answers = futures::future::join_all(calls).await;
    answers.into_iter().map(|it| it.unwrap()).collect()
}

#[tokio::test]
async fn two_hundred_who_finish_and_settle_at_once_pay_once_and_hear_the_same() {
    let stack = Stack::start().await;
    let probe = stack.broker.probe(&["adfolio.plan.v1.*"]).await;
    let replica = stack.replica().await;
    let staff = PlanAdminServiceClient::new(replica.channel());
    let (caller, plan) = delivered(&stack).await;
    let finished = two_hundred(&stack, &staff, |mut staff| {
        let request = FinishPlanRequest {
            plan_id: plan.id.clone(),
            outcome: FinishOutcome::PutFinished.into(),
            reason: "by hand".into(),
        };
        async move {
            let answer = staff.finish_plan(call(&operator(), request)).await?;
            Ok(answer.into_inner().plan.unwrap())
        }
    })
    .await;
    assert_eq!(finished[0].status(), WaitingSettlement);
    assert!(finished.iter().all(|it| *it == finished[0]), "{finished:?}");
    let settled = two_hundred(&stack, &staff, |mut staff| {
        let request = SettlePlanRequest {
            plan_id: plan.id.clone(),
        };
        async move {
            let answer = staff.settle_plan(call(&operator(), request)).await?;
            Ok(answer.into_inner().plan.unwrap())
        }
    })
    .await;
    assert_eq!(settled[0].status(), Settled);
    assert!(settled.iter().all(|it| *it == settled[0]), "{settled:?}");
    assert_eq!(stack.money(&caller).await, (10_000 - 1_235 + 2_000, 0, 0));
    assert!(stack.holds().await.is_empty());
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(
        statuses(&detail),
        [Matching, Putting, PutFinished, WaitingSettlement, Settled]
    );
    // Told once each, as acts of staff and as changes of the plan: seen once nothing is left to tell.
    eventually("everything is told", || async {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM outbox")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        left == 0
    })
    .await;
    let acts = probe.wait_for("adfolio.plan.v1.StaffActed", 2).await;
    let mut acts: Vec<String> = acts
        .iter()
        .map(|it| it.data::<StaffActed>().unwrap().action)
        .filter(|it| ["plan.finish", "plan.settle"].contains(&it.as_str()))
        .collect();
    acts.sort();
    assert_eq!(acts, ["plan.finish", "plan.settle"]);
    let paid: i64 = sqlx::query_scalar("SELECT count(*) FROM transactions WHERE type = 'settle'")
        .fetch_one(&stack.wallet_db.pool())
        .await
        .unwrap();
    assert_eq!(paid, 1);
}

/// Makes `call` while its order's row is locked, and meanwhile `change` what the row says, as another call would.
async fn meeting<T>(
    stack: &Stack,
    plan: &Plan,
    change: &'static str,
    call: impl Future<Output = T>,
) -> T {
    let mut session = PgConnection::connect(stack.db.url()).await.unwrap();
    let mut other_call = session.begin().await.unwrap();
    let id: uuid::Uuid = plan.id.parse().unwrap();
    sqlx::query("SELECT FROM orders WHERE id = $1 FOR UPDATE")
        .bind(id)
        .execute(&mut *other_call)
        .await
        .unwrap();
    let pool = stack.db.pool();
    let change = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%orders%')";
        eventually("the call waits for the order", || async {
            sqlx::query_scalar::<_, bool>(waits)
                .fetch_one(&pool)
                .await
                .unwrap()
        })
        .await;
        sqlx::query(change)
            .bind(id)
            .execute(&mut *other_call)
            .await
            .unwrap();
        other_call.commit().await.unwrap();
    };
    futures::future::join(call, change).await.0
}

#[tokio::test]
async fn a_repeat_that_meets_the_end_of_the_first_call_is_answered_like_it() {
    let stack = Stack::start().await;
    let (_, plan) = delivered(&stack).await;
    let finish = || stack.finish(&plan.id, FinishOutcome::PutFinished);
    let finished = meeting(
        &stack,
        &plan,
        "UPDATE orders SET status = 'put_finished', finished_at = now() WHERE id = $1",
        finish(),
    );
    let finished = finished.await.unwrap();
    assert!(matches!(finished.status(), PutFinished | WaitingSettlement));
    eventually("the ledger has it", || async {
        finish().await.unwrap().status() == WaitingSettlement
    })
    .await;
    let settled = meeting(
        &stack,
        &plan,
        "UPDATE orders SET status = 'settled', settled_at = now() WHERE id = $1",
        stack.settle(&plan.id),
    );
    assert_eq!(settled.await.unwrap().status(), Settled);

    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let plan = stack.put(&caller, &product, 6_000).await.unwrap();
    let failed = meeting(
        &stack,
        &plan,
        "UPDATE orders SET status = 'put_failed', finished_at = now() WHERE id = $1",
        stack.finish(&plan.id, FinishOutcome::PutFailed),
    );
    assert_eq!(failed.await.unwrap().status(), PlanStatus::PutFailed);
}

#[tokio::test]
async fn a_plan_that_runs_cannot_be_settled_and_one_that_consumed_cannot_fail() {
    let stack = Stack::start().await;
    let (_, plan) = delivered(&stack).await;
    assert_eq!(
        reason(stack.settle(&plan.id).await),
        (Reason::Validation, Some("id".into()))
    );
    assert_eq!(
        reason(stack.finish(&plan.id, FinishOutcome::PutFailed).await).0,
        Reason::Validation
    );
    let unknown = "00000000-0000-7000-8000-000000000000";
    assert_eq!(
        reason(stack.settle(unknown).await),
        (Reason::NotFound, Some("id".into()))
    );
    assert_eq!(
        reason(stack.finish(unknown, FinishOutcome::PutFinished).await).0,
        Reason::NotFound
    );
}

#[tokio::test]
async fn a_plan_that_fails_gives_money_and_coupon_back() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_into(&product, 4_000)
    };
    let plan = stack.put_request(&caller, request).await.unwrap();
    let statistics = stack
        .statistics(&caller, StatisticsRange::Today, "UTC")
        .await;
    assert_eq!(
        (statistics.invested_minor, statistics.delivery_orders),
        (4_000, 1)
    );
    let failed = stack
        .finish(&plan.id, FinishOutcome::PutFailed)
        .await
        .unwrap();
    assert_eq!(
        (failed.status(), failed.fail_reason.as_str()),
        (PlanStatus::PutFailed, "by hand")
    );
    assert_eq!(stack.money(&caller).await, (10_000, 0, 0));
    eventually("the coupon is back", || async {
        stack.coupon_counts(&caller).await == (1, 0)
    })
    .await;
    for range in [StatisticsRange::Today, StatisticsRange::All] {
        let statistics = stack.statistics(&caller, range, "UTC").await;
        assert_eq!(
            (statistics.invested_minor, statistics.delivery_orders),
            (0, 0),
            "taken out again"
        );
    }
    assert_eq!(
        report(&stack, &plan, "late", 1, "1", "1").await.rejected[0].reason,
        "the plan has failed"
    );
    assert_eq!(
        stack
            .finish(&plan.id, FinishOutcome::PutFailed)
            .await
            .unwrap(),
        failed,
        "once"
    );
}

#[tokio::test]
async fn spend_at_the_budget_finishes_the_plan_and_what_is_over_is_not_charged() {
    let stack = Stack::start().await;
    let (caller, plan) = delivered(&stack).await;
    report(&stack, &plan, "r2", 1, "60", "0").await;
    eventually("everything is in the ledger", || async {
        stack.money(&caller).await == (4_000, 0, 2_000)
    })
    .await;
    let seen = eventually("the plan waits for settlement", || async {
        Some(stack.plan(&caller, &plan.id).await)
            .filter(|plan| plan.status() == PlanStatus::WaitingSettlement)
    })
    .await;
    assert_eq!((seen.consumed_minor, seen.put_progress), (6_000, 100));
    // The second report falls away but for 50.00: what was over is charged now, up to the sum of both.
    let restated = report(&stack, &plan, "r2", 2, "50", "0").await;
    assert_eq!(restated.restated, 1);
    assert_eq!(stack.plan(&caller, &plan.id).await.consumed_minor, 6_000);
    report(&stack, &plan, "r2", 3, "10", "0").await;
    eventually("the ledger follows", || async {
        stack.money(&caller).await == (4_000, 3_765, 2_000)
    })
    .await;
    stack.settle(&plan.id).await.unwrap();
    assert_eq!(stack.money(&caller).await, (4_000 + 3_765 + 2_000, 0, 0));
    assert_eq!(
        report(&stack, &plan, "r3", 1, "1", "1").await.rejected[0].reason,
        "the plan is settled"
    );
}

#[tokio::test]
async fn time_settles_a_finished_plan() {
    let stack = Stack::start().await;
    let (caller, plan) = delivered(&stack).await;
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    stack.clock.advance(DAY * 3);
    eventually("the plan is settled", || async {
        stack.plan(&caller, &plan.id).await.status() == PlanStatus::Settled
    })
    .await;
    assert_eq!(stack.money(&caller).await, (10_765, 0, 0));
}

#[tokio::test]
async fn the_end_of_the_window_finishes_delivered_plans_and_fails_others() {
    let stack = Stack::start().await;
    let (caller, plan) = delivered(&stack).await;
    let product = stack.product().await;
    let other = stack.put(&caller, &product, 2_000).await.unwrap();
    stack.clock.advance(DAY * 30);
    eventually("the delivered plan finishes", || async {
        stack.plan(&caller, &plan.id).await.status() == PlanStatus::WaitingSettlement
    })
    .await;
    eventually("the other one fails", || async {
        stack.plan(&caller, &other.id).await.status() == PlanStatus::PutFailed
    })
    .await;
    assert_eq!(
        stack.plan(&caller, &other.id).await.fail_reason,
        "put window over"
    );
}

#[tokio::test]
async fn the_platform_keeps_its_share() {
    let stack = Stack::start_with("2026-11-20T10:00:00Z", |config| {
        config.platform_share_basis_points = 1_000;
    })
    .await;
    let (caller, plan) = delivered(&stack).await;
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    stack.settle(&plan.id).await.unwrap();
    assert_eq!(stack.money(&caller).await, (10_000 - 1_235 + 1_800, 0, 0));
}

#[tokio::test]
async fn an_ending_without_wallet_is_carried_out_once_it_is_back() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let failing = stack.put(&caller, &product, 2_000).await.unwrap();
    let running = stack.put(&caller, &product, 2_000).await.unwrap();
    stack.cut_wallet();
    report(&stack, &running, "r1", 1, "5", "7").await;
    let finished = stack
        .finish(&running.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(
        finished.status(),
        PlanStatus::PutFinished,
        "finished, though the ledger is behind"
    );
    assert_eq!(
        reason(stack.finish(&failing.id, FinishOutcome::PutFailed).await).0,
        Reason::Unavailable
    );
    assert!(stack.holds().await[&failing.id].in_flight);
    stack.reach_wallet();
    eventually("the failure is carried out", || async {
        stack.plan(&caller, &failing.id).await.status() == PlanStatus::PutFailed
    })
    .await;
    eventually("the postings are carried out", || async {
        stack.plan(&caller, &running.id).await.status() == PlanStatus::WaitingSettlement
    })
    .await;
    stack.settle(&running.id).await.unwrap();
    assert_eq!(stack.money(&caller).await, (10_000 - 500 + 700, 0, 0));
}
