//! Plans that operators push.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;
use sqlx::{Connection as _, PgConnection};

use crate::helpers::{Plan, *};

#[tokio::test]
async fn a_pushed_plan_waits_for_its_user() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let (first, second) = (stack.user_with(10_000).await, user());
    let pushed = stack.push(&product, &[&first, &second, &first]).await;
    assert_eq!(pushed.len(), 2, "one for each user");
    let plan_id = &pushed
        .iter()
        .find(|pushed| pushed.user_id == user_id(&first))
        .unwrap()
        .plan_id;
    let waiting = stack.plan(&first, plan_id).await;
    assert_eq!(waiting.status(), PlanStatus::Waiting);
    assert!(waiting.official);
    assert_eq!(waiting.put_content, "Video");
    assert_eq!(waiting.put_rule, "Daily");
    let count = stack
        .users()
        .count_waiting(call(&first, CountWaitingRequest {}))
        .await
        .unwrap()
        .into_inner()
        .count;
    assert_eq!(count, 1);
    let plan = stack
        .put_request(&first, put_plan(plan_id, 6_000))
        .await
        .unwrap();
    assert_eq!(plan.status(), PlanStatus::Matching);
    assert_eq!(plan.put_amount_minor, 6_000);
    assert_eq!(plan.id, plan_id.as_str());
    assert_eq!(
        counts(&stack.list(&first).await),
        [(PlanStatus::Matching, 1)]
    );
    assert_eq!(
        counts(&stack.list(&second).await),
        [(PlanStatus::Waiting, 1)]
    );
}

#[tokio::test]
async fn a_pushed_plan_is_put_once() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    let puts = (0..50).map(|_| stack.put_request(&caller, put_plan(&id, 6_000)));
    let outcomes = futures::future::join_all(puts).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for refusal in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(refusal.reason, Reason::PlanNotPuttable);
    }
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 994_000,
            to_be_consumed: 6_000,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn a_key_repeats_the_put_of_a_pushed_plan() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(100_000).await, "pushed-1");
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    let plan = stack
        .put_request(&caller, put_plan(&id, 6_000))
        .await
        .unwrap();
    assert_eq!(
        stack
            .put_request(&caller, put_plan(&id, 6_000))
            .await
            .unwrap(),
        plan
    );
    let other = with_key(&caller, "pushed-2");
    assert_eq!(
        why(stack.put_request(&other, put_plan(&id, 6_000)).await).0,
        Reason::PlanNotPuttable
    );
}

#[tokio::test]
async fn a_repeat_that_meets_what_the_first_call_put_is_that_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(100_000).await, "pushed-1");
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    let put = || stack.put_request(&caller, put_plan(&id, 6_000));
    let first = put().await.unwrap();
    // Made as if the first call came while the repeat, which has not found the key, waits to read
    // the plan.
    let pool = stack.db.pool();
    let name = async |key: Option<&str>| {
        sqlx::query("UPDATE puts SET idempotency_key = $1")
            .bind(key)
            .execute(&pool)
            .await
            .unwrap();
    };
    name(None).await;
    let mut session = PgConnection::connect(stack.db.url()).await.unwrap();
    let mut table = session.begin().await.unwrap();
    sqlx::query("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *table)
        .await
        .unwrap();
    let first_call = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%orders%')";
        eventually("the repeat waits to read the plan", || async {
            sqlx::query_scalar::<_, bool>(waits)
                .fetch_one(&pool)
                .await
                .unwrap()
        })
        .await;
        name(Some("pushed-1")).await;
        table.rollback().await.unwrap();
    };
    let (repeat, ()) = futures::future::join(put(), first_call).await;
    assert_eq!(repeat.unwrap(), first);
}

#[tokio::test]
async fn a_refused_put_leaves_the_plan_waiting_and_its_coupon_usable() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000).await;
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id.clone(),
        ..put_plan(&id, 6_000)
    };
    assert_eq!(
        why(stack.put_request(&caller, request.clone()).await).0,
        Reason::InsufficientBalance
    );
    assert_eq!(stack.plan(&caller, &id).await.status(), PlanStatus::Waiting);
    eventually("the coupon is free", || async {
        stack.coupon_counts(&caller).await == CouponCounts { unused: 1, used: 0 }
    })
    .await;
    stack.deposit(&caller, 10_000).await;
    let plan = eventually("the plan can be put again", || async {
        stack.put_request(&caller, request.clone()).await.ok()
    })
    .await;
    assert_eq!(plan.status(), PlanStatus::Matching);
    assert_eq!(plan.discount_amount_minor, 500);
    eventually("the coupon is used", || async {
        stack.coupon_counts(&caller).await == CouponCounts { unused: 0, used: 1 }
    })
    .await;
}

#[tokio::test]
async fn a_plan_may_fail_before_coupon_was_told_of_its_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000).await;
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_plan(&id, 6_000)
    };
    // Only a put after a refused one has a reservation id of its own, which coupon must be told.
    let refused = stack.put_request(&caller, request.clone()).await;
    assert_eq!(why(refused).0, Reason::InsufficientBalance);
    stack.deposit(&caller, 10_000).await;
    eventually("the plan can be put again", || async {
        stack.put_request(&caller, request.clone()).await.is_ok()
    })
    .await;
    eventually("the coupon is used", || async {
        stack.coupon_counts(&caller).await == CouponCounts { unused: 0, used: 1 }
    })
    .await;
    stack.finish(&id, FinishOutcome::PutFailed).await.unwrap();
    assert_eq!(
        stack.coupon_counts(&caller).await,
        CouponCounts { unused: 1, used: 0 }
    );
    // Made as if the process had died before it could note that coupon knew.
    let pool = stack.db.pool();
    let undone = sqlx::query("UPDATE puts SET redeem_due = true WHERE state = 'placed'");
    assert_eq!(undone.execute(&pool).await.unwrap().rows_affected(), 1);
    eventually("the put ends", || async {
        let due = sqlx::query_scalar("SELECT EXISTS (SELECT FROM puts WHERE redeem_due)");
        !due.fetch_one(&pool).await.unwrap_or(true)
    })
    .await;
    assert_eq!(
        stack.coupon_counts(&caller).await,
        CouponCounts { unused: 1, used: 0 }
    );
}

const UNKNOWN: &str = "00000000-0000-7000-8000-000000000000";

/// Makes a request one that cannot be taken.
type Change = fn(&mut PushPlanRequest);

#[tokio::test]
async fn what_cannot_be_pushed_is_refused() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let request = |change: Change| {
        let mut request = PushPlanRequest {
            product_id: product.id.clone(),
            amount_minor: 5_000,
            user_ids: vec![user_id(&user())],
            ..Default::default()
        };
        change(&mut request);
        request
    };
    let cases: [(Change, Reason, &str); 6] = [
        (
            |request| request.user_ids.push(NOBODY.into()),
            Reason::NotFound,
            "user_ids",
        ),
        (|request| request.user_ids.clear(), Reason::Validation, "to"),
        (
            |request| request.user_ids = (0..501).map(|_| user_id(&user())).collect(),
            Reason::Validation,
            "user_ids",
        ),
        (
            |request| request.product_id = UNKNOWN.into(),
            Reason::NotFound,
            "product_id",
        ),
        (
            |request| request.operator_id = UNKNOWN.into(),
            Reason::NotFound,
            "operator_id",
        ),
        (
            |request| request.amount_minor = 999,
            Reason::AmountOutOfRange,
            "amount",
        ),
    ];
    for (change, expected, field) in cases {
        assert_eq!(
            why(stack.try_push(request(change)).await),
            (expected, Some(field.into()))
        );
    }
}

#[tokio::test]
async fn a_pushed_plan_that_nobody_puts_expires() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let id = stack.push(&product, &[&caller]).await.remove(0).plan_id;
    stack.clock.advance(std::time::Duration::from_hours(7 * 24));
    assert_eq!(
        why(stack.put_request(&caller, put_plan(&id, 6_000)).await).0,
        Reason::PlanNotPuttable,
        "also before anybody came by"
    );
    let plan = eventually("the plan expires", || async {
        let plan = stack.plan(&caller, &id).await;
        (plan.status() == PlanStatus::PutFailed).then_some(plan)
    })
    .await;
    assert_eq!(plan.fail_reason, "EXPIRED");
    assert_eq!(plan.expire_time, None);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 100_000,
            ..Money::default()
        }
    );
    let answer = stack
        .users()
        .count_waiting(call(&caller, CountWaitingRequest {}))
        .await;
    assert_eq!(answer.unwrap().into_inner().count, 0);
}

#[tokio::test]
async fn a_put_and_the_expiry_never_both_win() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(stack.push(&product, &[&caller]).await.remove(0).plan_id);
    }
    let puts = ids
        .iter()
        .map(|id| stack.put_request(&caller, put_plan(id, 6_000)));
    let expiry = async { stack.clock.advance(std::time::Duration::from_hours(7 * 24)) };
    let (outcomes, ()) = futures::join!(futures::future::join_all(puts), expiry);
    let put = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let statuses = eventually("every plan is put or expired", || async {
        let mut statuses = Vec::new();
        for id in &ids {
            statuses.push(stack.plan(&caller, id).await.status());
        }
        (!statuses.contains(&PlanStatus::Waiting)).then_some(statuses)
    })
    .await;
    let running = statuses
        .iter()
        .filter(|status| **status == PlanStatus::Matching)
        .count();
    assert_eq!(running, put);
    let held = 6_000 * i64::try_from(put).unwrap();
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 1_000_000 - held,
            to_be_consumed: held,
            ..Money::default()
        }
    );
}
