//! Putting money into a product.

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1::CouponMode;
use adfolio_proto::events::v1::PlanStatusChanged;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use crate::helpers::{Plan, *};

const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

#[tokio::test]
async fn a_put_holds_the_money_and_the_plan_runs() {
    let stack = Plan::spawn().await;
    let probe = stack.broker.probe(&[PLAN_STATUS_CHANGED]).await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let plan = stack.put(&caller, &product, 6_000).await.unwrap();
    assert_eq!(plan.status(), PlanStatus::Matching);
    assert_eq!(plan.put_amount_minor, 6_000);
    assert_eq!(plan.paid_amount_minor, 6_000);
    assert_eq!(plan.discount_amount_minor, 0);
    assert_eq!(plan.to_be_consumed_minor, 6_000);
    assert_eq!(plan.put_progress, 0);
    assert!(!plan.official);
    assert!(
        plan.plan_number.starts_with("AD261120"),
        "{}",
        plan.plan_number
    );
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 4_000,
            to_be_consumed: 6_000,
            ..Money::default()
        }
    );
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(detail.plan, Some(plan.clone()));
    assert_eq!(
        detail
            .timeline
            .iter()
            .map(TimelineEntry::status)
            .collect::<Vec<_>>(),
        [PlanStatus::Matching]
    );
    probe.wait_for(PLAN_STATUS_CHANGED, 1).await;
    let event: PlanStatusChanged = probe.of_type(PLAN_STATUS_CHANGED)[0].data().unwrap();
    assert_eq!(event.plan_id, plan.id);
    assert_eq!(event.from, "");
    assert_eq!(event.to, "matching");
}

#[tokio::test]
async fn a_repeat_with_the_same_key_is_the_same_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(10_000).await, "put-1");
    let plan = stack.put(&caller, &product, 4_000).await.unwrap();
    assert_eq!(stack.put(&caller, &product, 4_000).await.unwrap(), plan);
    assert_eq!(
        why(stack.put(&caller, &product, 4_001).await).0,
        Reason::IdempotencyKeyReused
    );
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_000,
            to_be_consumed: 4_000,
            ..Money::default()
        }
    );
    let without_key = caller.clone().with_key(None);
    let other = stack.put(&without_key, &product, 4_000).await.unwrap();
    assert_ne!(other.id, plan.id);
    assert_eq!(stack.list(&caller).await.items.len(), 2);
}

#[tokio::test]
async fn fifty_at_once_with_one_key_are_one_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(100_000).await, "put-1");
    let puts = (0..50).map(|_| stack.put(&caller, &product, 1_500));
    let plans: Vec<pb::Plan> = futures::future::join_all(puts)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(plans.iter().all(|plan| *plan == plans[0]));
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 98_500,
            to_be_consumed: 1_500,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn forty_at_once_on_money_for_ten_are_ten() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_500).await;
    let puts = (0..40).map(|_| stack.put(&caller, &product, 1_000));
    let outcomes = futures::future::join_all(puts).await;
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        10
    );
    for refusal in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(refusal.reason, Reason::InsufficientBalance);
        assert_eq!(refusal.field.as_deref(), Some("amount"));
    }
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 500,
            to_be_consumed: 10_000,
            ..Money::default()
        }
    );
    assert_eq!(
        counts(&stack.list(&caller).await),
        [(PlanStatus::Matching, 10)]
    );
}

#[tokio::test]
async fn a_refusal_is_repeated_and_leaves_nothing() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(1_500).await, "put-1");
    let refusal = why(stack.put(&caller, &product, 2_000).await);
    assert_eq!(
        refusal,
        (Reason::InsufficientBalance, Some("amount".into()))
    );
    stack.deposit(&caller, 5_000).await;
    assert_eq!(
        why(stack.put(&caller, &product, 2_000).await),
        refusal,
        "the first answer stands"
    );
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_500,
            ..Money::default()
        }
    );
    assert!(stack.list(&caller).await.items.is_empty());
    stack
        .put(&with_key(&caller, "put-2"), &product, 2_000)
        .await
        .unwrap();
}

#[tokio::test]
async fn what_is_out_of_range_or_unknown_is_refused_before_anything_is_written() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000_000).await;
    for minor in [0, 999, 1_000_001] {
        let expected = (Reason::AmountOutOfRange, Some("amount".into()));
        assert_eq!(
            why(stack.put(&caller, &product, minor).await),
            expected,
            "{minor}"
        );
    }
    assert_eq!(
        why(stack.put(&caller, &product, -1).await),
        (Reason::Validation, Some("amount".into()))
    );
    let unknown = Product {
        id: "00000000-0000-7000-8000-000000000000".into(),
        ..product.clone()
    };
    let expected = (Reason::NotFound, Some("product_id".into()));
    assert_eq!(why(stack.put(&caller, &unknown, 1_000).await), expected);
    let nothing = PutPlanRequest {
        target: None,
        amount_minor: 1_000,
        user_coupon_id: String::new(),
    };
    assert_eq!(
        why(stack.put_request(&caller, nothing).await).0,
        Reason::Validation
    );
    let written: i64 = sqlx::query_scalar("SELECT count(*) FROM puts")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(written, 0);
}

#[tokio::test]
async fn a_coupon_takes_its_part_and_is_used() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id.clone(),
        ..put_into(&product, 4_000)
    };
    let plan = stack.put_request(&caller, request).await.unwrap();
    assert_eq!(plan.put_amount_minor, 4_000);
    assert_eq!(plan.paid_amount_minor, 3_500);
    assert_eq!(plan.discount_amount_minor, 500);
    assert_eq!(plan.coupon_id, coupon.id);
    assert_eq!(plan.coupon_name, coupon.name);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_500,
            to_be_consumed: 4_000,
            ..Money::default()
        }
    );
    eventually("the coupon is used", || async {
        stack.coupon_counts(&caller).await == CouponCounts { unused: 0, used: 1 }
    })
    .await;
}

#[tokio::test]
async fn a_coupon_of_mode_addition_adds_to_the_budget() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let coupon = stack
        .coupon(&caller, |campaign| {
            campaign.mode = CouponMode::Addition.into();
        })
        .await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_into(&product, 4_000)
    };
    let plan = stack.put_request(&caller, request).await.unwrap();
    assert_eq!(plan.put_amount_minor, 4_500);
    assert_eq!(plan.paid_amount_minor, 4_000);
    assert_eq!(plan.discount_amount_minor, 500);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_000,
            to_be_consumed: 4_500,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn no_coupon_lifts_a_plan_above_the_range_of_its_product() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(2 * product.put_max_minor).await;
    let coupon = stack
        .coupon(&caller, |campaign| {
            campaign.mode = CouponMode::Addition.into();
        })
        .await;
    let with = |minor| PutPlanRequest {
        user_coupon_id: coupon.id.clone(),
        ..put_into(&product, minor)
    };
    let above = stack.put_request(&caller, with(product.put_max_minor - 499));
    let expected = (Reason::AmountOutOfRange, Some("user_coupon_id".into()));
    assert_eq!(why(above.await), expected);
    let untouched = Money {
        available: 2 * product.put_max_minor,
        ..Money::default()
    };
    assert_eq!(stack.money(&caller).await, untouched);
    // The coupon is given back, and lifts another put up to the range's end.
    let plan = stack.put_request(&caller, with(product.put_max_minor - 500));
    assert_eq!(plan.await.unwrap().put_amount_minor, product.put_max_minor);
}

#[tokio::test]
async fn a_refused_hold_gives_the_coupon_back() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000).await;
    let coupon = stack.coupon(&caller, |_| {}).await;
    let request = PutPlanRequest {
        user_coupon_id: coupon.id.clone(),
        ..put_into(&product, 4_000)
    };
    assert_eq!(
        why(stack.put_request(&caller, request.clone()).await).0,
        Reason::InsufficientBalance
    );
    stack.deposit(&caller, 5_000).await;
    stack.put_request(&caller, request).await.unwrap();
}

#[tokio::test]
async fn a_coupon_that_cannot_be_used_refuses_the_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(10_000).await;
    let coupon = stack
        .coupon(&caller, |campaign| {
            campaign.amount_requirement_minor = 5_000;
        })
        .await;
    let with = |id: &str| PutPlanRequest {
        user_coupon_id: id.into(),
        ..put_into(&product, 4_000)
    };
    let keyed = with_key(&caller, "below");
    // A repeat gets the same answer.
    for _ in 0..2 {
        let outcome = stack.put_request(&keyed, with(&coupon.id)).await;
        let refusal = outcome.expect_err("a refusal");
        assert_eq!(refusal.reason, Reason::CouponBelowRequirement);
        assert_eq!(
            refusal.missing.map(adfolio_money::Money::minor),
            Some(1_000)
        );
    }
    for id in ["no id", "00000000-0000-7000-8000-000000000000"] {
        let expected = (Reason::NotFound, Some("user_coupon_id".into()));
        assert_eq!(why(stack.put_request(&caller, with(id)).await), expected);
    }
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 10_000,
            ..Money::default()
        }
    );
}
