//! Puts whose callers, peers or processes go away.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use crate::helpers::{Plan, *};

async fn unfinished(stack: &Plan) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM puts WHERE state IN ('driving', 'undoing') OR redeem_due",
    )
    .fetch_one(&stack.db.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_dropped_caller_breaks_nothing() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    for number in 0_u64..20 {
        let caller = with_key(&caller, &format!("dropped-{number}"));
        let put = stack.put(&caller, &product, 1_000);
        // Cut off at another moment each time.
        let _ = tokio::time::timeout(Duration::from_micros(number * 700), put).await;
    }
    for number in 0..20 {
        stack
            .put(
                &with_key(&caller, &format!("dropped-{number}")),
                &product,
                1_000,
            )
            .await
            .unwrap();
    }
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 980_000,
            to_be_consumed: 20_000,
            ..Money::default()
        }
    );
    assert_eq!(
        counts(&stack.list(&caller).await),
        [(PlanStatus::Matching, 20)]
    );
    assert_eq!(unfinished(&stack).await, 0);
}

#[tokio::test]
async fn a_put_without_wallet_ends_once_wallet_is_back() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(10_000).await, "cut-1");
    stack.wallet.cut();
    assert_eq!(
        why(stack.put(&caller, &product, 4_000).await).0,
        Reason::Unavailable
    );
    assert!(
        stack.list(&caller).await.items.is_empty(),
        "not shown before it is paid"
    );
    assert!(stack.holds().await.values().all(|hold| hold.in_flight));
    stack.wallet.reach();
    eventually("recovery drives the put", || async {
        unfinished(&stack).await == 0
    })
    .await;
    let listed = stack.list(&caller).await.items;
    assert_eq!(listed.len(), 1);
    assert_eq!(
        stack.put(&caller, &product, 4_000).await.unwrap(),
        listed[0]
    );
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_000,
            to_be_consumed: 4_000,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn a_put_in_doubt_that_is_refused_is_closed_for_good() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(1_000).await, "cut-1");
    stack.wallet.cut();
    assert_eq!(
        why(stack.put(&caller, &product, 4_000).await).0,
        Reason::Unavailable
    );
    stack.wallet.reach();
    eventually("recovery drives the put", || async {
        unfinished(&stack).await == 0
    })
    .await;
    assert_eq!(
        why(stack.put(&caller, &product, 4_000).await).0,
        Reason::InsufficientBalance
    );
    let closed: bool = sqlx::query_scalar("SELECT release_hold FROM puts")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert!(closed, "an earlier hold may still be on its way");
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 1_000,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn a_put_without_coupon_service_ends_once_it_is_back() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = with_key(&stack.user_with(10_000).await, "cut-1");
    let coupon = stack.coupon(&caller, |_| {}).await;
    stack.coupon.cut();
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_into(&product, 4_000)
    };
    assert_eq!(
        why(stack.put_request(&caller, request.clone()).await).0,
        Reason::Unavailable
    );
    stack.coupon.reach();
    let plan = eventually("a repeat drives the put", || async {
        stack.put_request(&caller, request.clone()).await.ok()
    })
    .await;
    assert_eq!(plan.discount_amount_minor, 500);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 6_500,
            to_be_consumed: 4_000,
            ..Money::default()
        }
    );
}

#[tokio::test]
async fn puts_survive_the_end_of_their_process() {
    let mut stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    stack.wallet.cut();
    let puts = (0..8).map(|number| {
        let caller = with_key(&caller, &format!("killed-{number}"));
        let (mut users, request) = (stack.users(), put_into(&product, 1_000));
        tokio::spawn(async move { users.put_plan(call(&caller, request)).await })
    });
    let puts: Vec<_> = puts.collect();
    eventually("the puts are under way", || async {
        unfinished(&stack).await == 8
    })
    .await;
    stack.crash().await;
    stack.wallet.reach();
    let _ = futures::future::join_all(puts).await;
    eventually("every put ends", || async { unfinished(&stack).await == 0 }).await;
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 992_000,
            to_be_consumed: 8_000,
            ..Money::default()
        }
    );
    assert_eq!(
        counts(&stack.list(&caller).await),
        [(PlanStatus::Matching, 8)]
    );
}

#[tokio::test]
async fn two_replicas_share_the_work() {
    let stack = Plan::builder().replicas(2).spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    stack.wallet.cut();
    for number in 0..3 {
        let caller = with_key(&caller, &format!("shared-{number}"));
        assert_eq!(
            why(stack.put(&caller, &product, 1_000).await).0,
            Reason::Unavailable
        );
    }
    stack.wallet.reach();
    let mut other = PlanServiceClient::new(stack.replicas[1].channel());
    for number in 0..3 {
        let caller = with_key(&caller, &format!("shared-{number}"));
        eventually("the other replica answers", || {
            let mut other = other.clone();
            let request = call(&caller, put_into(&product, 1_000));
            async move { other.put_plan(request).await.is_ok() }
        })
        .await;
    }
    let listed = other
        .list_plans(call(&caller, ListPlansRequest::default()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(counts(&listed), [(PlanStatus::Matching, 3)]);
    assert_eq!(
        stack.money(&caller).await,
        Money {
            available: 997_000,
            to_be_consumed: 3_000,
            ..Money::default()
        }
    );
}
