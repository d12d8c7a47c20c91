//! How plans end, and what the ledger learns of it.

use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use PlanStatus::{Matching, PutFinished, Putting, Settled, WaitingSettlement};

use sqlx::{Connection as _, PgConnection};

use crate::helpers::{Plan, *};

const DAY: Duration = Duration::from_hours(24);

/// A plan of 60.00 with a report of 12.345678 spent and 20.005 earned.
async fn delivered(stack: &Plan) -> (Caller, pb::Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let plan = stack.put(&caller, &product, 6_000).await.unwrap();
    let summary = report(stack, &plan, "r1", 1, "12.345678", "20.005").await;
    assert_eq!(summary.applied, 1);
    assert_eq!(summary.rejected_count, 0);
    (caller, plan)
}

async fn report(
    stack: &Plan,
    plan: &pb::Plan,
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
async fn a_plan_that_matches_is_cancelled_once_and_gives_back_money_and_coupon() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let (caller, stranger) = (stack.user_with(10_000).await, stack.user_with(1).await);
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_into(&product, 6_000)
    };
    let plan = stack.put_request(&caller, request).await.unwrap();
    assert_eq!(plan.status(), Matching);
    let unknown = (Reason::NotFound, Some("id".to_owned()));
    assert_eq!(why(stack.cancel(&stranger, &plan.id).await), unknown);
    let cancels = (0..20).map(|_| stack.cancel(&caller, &plan.id));
    for outcome in futures::future::join_all(cancels).await {
        assert_eq!(outcome.unwrap().status(), PlanStatus::PutFailed);
    }
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000,
            ..Money::default()
        }
    );
    let counts = stack.coupon_counts(&caller).await;
    assert_eq!((counts.unused, counts.used), (1, 0));
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(statuses(&detail), [Matching, PlanStatus::PutFailed]);
    // No report counts for it any more.
    let late = report(&stack, &plan, "r1", 1, "1.00", "1.00").await;
    assert_eq!((late.applied, late.rejected_count), (0, 1));
}

#[tokio::test]
async fn what_delivers_or_has_ended_is_not_cancelled() {
    let stack = Plan::spawn().await;
    let (caller, plan) = delivered(&stack).await;
    let nothing = (Reason::NothingChanged, None);
    assert_eq!(why(stack.cancel(&caller, &plan.id).await), nothing);
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(why(stack.cancel(&caller, &plan.id).await), nothing);
    // What staff ended is none of the user's cancellations.
    let product = stack.product().await;
    let plan = stack.put(&caller, &product, 1_000).await.unwrap();
    stack
        .finish(&plan.id, FinishOutcome::PutFailed)
        .await
        .unwrap();
    assert_eq!(why(stack.cancel(&caller, &plan.id).await), nothing);
}

#[tokio::test]
async fn the_first_report_and_a_cancellation_race_and_one_of_them_counts() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    for number in 0..5 {
        let caller = stack.user_with(1_000).await;
        let plan = stack.put(&caller, &product, 1_000).await.unwrap();
        let id = format!("race-{number}");
        let (cancelled, reported) = tokio::join!(
            stack.cancel(&caller, &plan.id),
            report(&stack, &plan, &id, 1, "1.00", "1.00"),
        );
        assert_eq!(cancelled.is_ok(), reported.applied == 0, "{reported:?}");
        let seen = stack.plan(&caller, &plan.id).await;
        if cancelled.is_ok() {
            assert_eq!(seen.status(), PlanStatus::PutFailed);
            assert_eq!(stack.money(&caller).await.available, 1_000);
        } else {
            assert_eq!(seen.status(), Putting);
        }
    }
}

#[tokio::test]
async fn delivery_reaches_the_ledger_rounded_once() {
    let stack = Plan::spawn().await;
    let (caller, plan) = delivered(&stack).await;
    eventually("the ledger has it", || async {
        stack.money(&caller).await
            == Money {
                available: 4_000,
                to_be_consumed: 4_765,
                to_be_settled: 2_000,
            }
    })
    .await;
    let seen = stack.plan(&caller, &plan.id).await;
    assert_eq!(seen.status(), PlanStatus::Putting);
    assert_eq!(seen.consumed_minor, 1_235);
    assert_eq!(seen.revenue_minor, 2_000);
    assert_eq!(seen.to_be_consumed_minor, 4_765);
    assert_eq!(seen.put_progress, 20);
    assert_eq!(seen.impressions, 100);
    assert_eq!(seen.clicks, 3);
    assert!(!seen.estimated);
    assert_eq!(seen.sources, ["import"]);
    eventually("nothing is in flight", || async {
        !stack.holds().await[&plan.id].in_flight
    })
    .await;
    assert_eq!(stack.holds().await[&plan.id].open_minor, 4_765);
}

#[tokio::test]
async fn staff_finish_and_settle_at_once() {
    let stack = Plan::spawn().await;
    let (caller, plan) = delivered(&stack).await;
    let finished = stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(finished.status(), PlanStatus::WaitingSettlement);
    // A network may restate what it reported, so wallet goes on holding the rest.
    assert_eq!(finished.to_be_consumed_minor, 4_765);
    let settled = stack.settle(&plan.id).await.unwrap();
    assert_eq!(settled.status(), PlanStatus::Settled);
    assert_eq!(settled.to_be_consumed_minor, 0);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000 - 1_235 + 2_000,
            ..Money::default()
        }
    );
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
    stack: &Plan,
    call: impl Fn(PlanAdminServiceClient<Channel>) -> F,
) -> Vec<pb::Plan>
where
    F: Future<Output = Result<pb::Plan, tonic::Status>>,
{
    let clients = stack.replicas.iter();
    let clients: Vec<_> = clients
        .map(|replica| PlanAdminServiceClient::new(replica.channel()))
        .collect();
    let calls = clients.iter().cycle().take(200);
    let calls = calls.map(|client| call(client.clone()));
    let answers = futures::future::join_all(calls).await;
    answers.into_iter().map(|it| it.unwrap()).collect()
}

#[tokio::test]
async fn two_hundred_who_finish_and_settle_at_once_pay_once_and_hear_the_same() {
    let stack = Plan::builder().replicas(2).spawn().await;
    let probe = stack.broker.probe(&["adfolio.plan.v1.*"]).await;
    let (caller, plan) = delivered(&stack).await;
    let finished = two_hundred(&stack, |mut staff| {
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
    let asked = stack.settle_as(&operator(), &plan.id).await;
    assert_eq!(why(asked).0, Reason::ApprovalRequired);
    let settled = two_hundred(&stack, |mut staff| {
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
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000 - 1_235 + 2_000,
            ..Money::default()
        }
    );
    assert!(stack.holds().await.is_empty());
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(
        statuses(&detail),
        [Matching, Putting, PutFinished, WaitingSettlement, Settled]
    );
    // Each is announced once, as an audit entry and as a change of the plan: seen once the outbox is
    // empty.
    eventually("everything is sent", || async {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM unsent_events")
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
        .fetch_one(&stack.wallet.db.pool())
        .await
        .unwrap();
    assert_eq!(paid, 1);
}

/// Makes `call` while its order's row is locked, and meanwhile `change` what the row says, as
/// another call would.
async fn meeting<T>(
    stack: &Plan,
    plan: &pb::Plan,
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
    let stack = Plan::spawn().await;
    let (_, plan) = delivered(&stack).await;
    let finish = || stack.finish(&plan.id, FinishOutcome::PutFinished);
    let finished = meeting(
        &stack,
        &plan,
        // With the work that it leaves: the worker may have done all there was before.
        "WITH finished AS (
             UPDATE orders SET status = 'put_finished', finished_at = now() WHERE id = $1 RETURNING id)
         INSERT INTO order_work (order_id, due_at) SELECT id, clock_timestamp() FROM finished ON CONFLICT DO NOTHING",
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
    let stack = Plan::spawn().await;
    let (_, plan) = delivered(&stack).await;
    assert_eq!(
        why(stack.settle(&plan.id).await),
        (Reason::Validation, Some("id".into()))
    );
    assert_eq!(
        why(stack.finish(&plan.id, FinishOutcome::PutFailed).await).0,
        Reason::Validation
    );
    let unknown = "00000000-0000-7000-8000-000000000000";
    assert_eq!(
        why(stack.settle(unknown).await),
        (Reason::NotFound, Some("id".into()))
    );
    assert_eq!(
        why(stack.finish(unknown, FinishOutcome::PutFinished).await).0,
        Reason::NotFound
    );
}

#[tokio::test]
async fn a_plan_that_fails_gives_money_and_coupon_back() {
    let stack = Plan::spawn().await;
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
    assert_eq!(statistics.invested_minor, 4_000);
    assert_eq!(statistics.delivery_orders, 1);
    let failed = stack
        .finish(&plan.id, FinishOutcome::PutFailed)
        .await
        .unwrap();
    assert_eq!(failed.status(), PlanStatus::PutFailed);
    assert_eq!(failed.fail_reason, "by hand");
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000,
            ..Money::default()
        }
    );
    eventually("the coupon is back", || async {
        stack.coupon_counts(&caller).await == CouponCounts { unused: 1, used: 0 }
    })
    .await;
    for range in [StatisticsRange::Today, StatisticsRange::All] {
        let statistics = stack.statistics(&caller, range, "UTC").await;
        assert_eq!(statistics.invested_minor, 0, "taken out again");
        assert_eq!(statistics.delivery_orders, 0, "taken out again");
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
    let stack = Plan::spawn().await;
    let (caller, plan) = delivered(&stack).await;
    report(&stack, &plan, "r2", 1, "60", "0").await;
    eventually("everything is in the ledger", || async {
        stack.money(&caller).await
            == Money {
                available: 4_000,
                to_be_settled: 2_000,
                ..Money::default()
            }
    })
    .await;
    let seen = eventually("the plan waits for settlement", || async {
        Some(stack.plan(&caller, &plan.id).await)
            .filter(|plan| plan.status() == PlanStatus::WaitingSettlement)
    })
    .await;
    assert_eq!(seen.consumed_minor, 6_000);
    assert_eq!(seen.put_progress, 100);
    // The second report falls away but for 50.00: what was over is charged now, up to the sum of
    // both.
    let restated = report(&stack, &plan, "r2", 2, "50", "0").await;
    assert_eq!(restated.restated, 1);
    assert_eq!(stack.plan(&caller, &plan.id).await.consumed_minor, 6_000);
    report(&stack, &plan, "r2", 3, "10", "0").await;
    eventually("the ledger follows", || async {
        stack.money(&caller).await
            == Money {
                available: 4_000,
                to_be_consumed: 3_765,
                to_be_settled: 2_000,
            }
    })
    .await;
    stack.settle(&plan.id).await.unwrap();
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 4_000 + 3_765 + 2_000,
            ..Money::default()
        }
    );
    assert_eq!(
        report(&stack, &plan, "r3", 1, "1", "1").await.rejected[0].reason,
        "the plan is settled"
    );
}

#[tokio::test]
async fn time_settles_a_finished_plan() {
    let stack = Plan::spawn().await;
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
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_765,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn the_end_of_the_window_finishes_delivered_plans_and_fails_others() {
    let stack = Plan::spawn().await;
    let (caller, plan) = delivered(&stack).await;
    let product = stack.product().await;
    let other = stack.put(&caller, &product, 2_000).await.unwrap();
    let ends = |plan: &pb::Plan| Some(plan.put_time?.seconds + DAY.as_secs().cast_signed() * 30);
    for running in [&stack.plan(&caller, &plan.id).await, &other] {
        assert_eq!(running.end_time.map(|end| end.seconds), ends(running));
    }
    stack.clock.advance(DAY * 30);
    eventually("the delivered plan finishes", || async {
        stack.plan(&caller, &plan.id).await.status() == PlanStatus::WaitingSettlement
    })
    .await;
    eventually("the other one fails", || async {
        stack.plan(&caller, &other.id).await.status() == PlanStatus::PutFailed
    })
    .await;
    let other = stack.plan(&caller, &other.id).await;
    assert_eq!(other.fail_reason, "put window over");
    assert_eq!(other.end_time, None, "it has ended");
}

#[tokio::test]
async fn the_platform_keeps_its_share() {
    let stack = Plan::builder()
        .configure(|config| {
            config.platform_share_basis_points = 1_000;
        })
        .spawn()
        .await;
    let (caller, plan) = delivered(&stack).await;
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    stack.settle(&plan.id).await.unwrap();
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000 - 1_235 + 1_800,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn an_ending_without_wallet_is_carried_out_once_it_is_back() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let failing = stack.put(&caller, &product, 2_000).await.unwrap();
    let running = stack.put(&caller, &product, 2_000).await.unwrap();
    stack.wallet.cut();
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
        why(stack.finish(&failing.id, FinishOutcome::PutFailed).await).0,
        Reason::Unavailable
    );
    assert!(stack.holds().await[&failing.id].in_flight);
    stack.wallet.reach();
    eventually("the failure is carried out", || async {
        stack.plan(&caller, &failing.id).await.status() == PlanStatus::PutFailed
    })
    .await;
    eventually("the postings are carried out", || async {
        stack.plan(&caller, &running.id).await.status() == PlanStatus::WaitingSettlement
    })
    .await;
    stack.settle(&running.id).await.unwrap();
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000 - 500 + 700,
            ..Money::default()
        }
    );
}
