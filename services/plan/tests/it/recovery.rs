//! Puts whose callers, peers or processes go away.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use crate::helpers::*;

async fn unfinished(stack: &Stack) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM puts WHERE state IN ('driving', 'undoing') OR redeem_due",
    )
    .fetch_one(&stack.db.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_dropped_caller_breaks_nothing() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    for number in 0_u64..20 {
        let caller = keyed(&caller, &format!("dropped-{number}"));
        let put = stack.put(&caller, &product, 1_000);
        // Cut off at another moment each time.
        let _ = tokio::time::timeout(Duration::from_micros(number * 700), put).await;
    }
    for number in 0..20 {
        stack
            .put(
                &keyed(&caller, &format!("dropped-{number}")),
                &product,
                1_000,
            )
            .await
            .unwrap();
    }
    assert_eq!(stack.money(&caller).await, (980_000, 20_000, 0));
    assert_eq!(
        counts(&stack.list(&caller).await),
        [(PlanStatus::Matching, 20)]
    );
    assert_eq!(unfinished(&stack).await, 0);
}

#[tokio::test]
async fn a_put_without_wallet_ends_once_wallet_is_back() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = keyed(&stack.user_with(10_000).await, "cut-1");
    stack.cut_wallet();
    assert_eq!(
        reason(stack.put(&caller, &product, 4_000).await).0,
        Reason::Unavailable
    );
    assert!(
        stack.list(&caller).await.items.is_empty(),
        "not shown before it is paid"
    );
    assert!(stack.holds().await.values().all(|hold| hold.in_flight));
    stack.reach_wallet();
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
    assert_eq!(stack.money(&caller).await, (6_000, 4_000, 0));
}

#[tokio::test]
async fn a_put_in_doubt_that_is_refused_is_closed_for_good() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = keyed(&stack.user_with(1_000).await, "cut-1");
    stack.cut_wallet();
    assert_eq!(
        reason(stack.put(&caller, &product, 4_000).await).0,
        Reason::Unavailable
    );
    stack.reach_wallet();
    eventually("recovery drives the put", || async {
        unfinished(&stack).await == 0
    })
    .await;
    assert_eq!(
        reason(stack.put(&caller, &product, 4_000).await).0,
        Reason::InsufficientBalance
    );
    let closed: bool = sqlx::query_scalar("SELECT release_hold FROM puts")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert!(closed, "an earlier hold may still be on its way");
    assert_eq!(stack.money(&caller).await, (1_000, 0, 0));
}

#[tokio::test]
async fn a_put_without_coupon_service_ends_once_it_is_back() {
    let stack = Stack::start().await;
    let product = stack.product().await;
    let caller = keyed(&stack.user_with(10_000).await, "cut-1");
    let coupon = stack.coupon(&caller, |_| {}).await;
    stack.coupon_link.refuse(true);
    stack.coupon_link.cut();
    let request = PutPlanRequest {
        user_coupon_id: coupon.id,
        ..put_into(&product, 4_000)
    };
    assert_eq!(
        reason(stack.put_request(&caller, request.clone()).await).0,
        Reason::Unavailable
    );
    stack.coupon_link.refuse(false);
    let plan = eventually("a repeat drives the put", || async {
        stack.put_request(&caller, request.clone()).await.ok()
    })
    .await;
    assert_eq!(plan.discount_amount_minor, 500);
    assert_eq!(stack.money(&caller).await, (6_500, 4_000, 0));
}

#[tokio::test]
async fn puts_survive_the_end_of_their_process() {
    let mut stack = Stack::start().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    stack.cut_wallet();
    let puts = (0..8).map(|number| {
        let caller = keyed(&caller, &format!("killed-{number}"));
        let (mut users, request) = (stack.users(), put_into(&product, 1_000));
        tokio::spawn(async move { users.put_plan(call(&caller, request)).await })
    });
    let puts: Vec<_> = puts.collect();
    eventually("the puts are under way", || async {
        unfinished(&stack).await == 8
    })
    .await;
    stack.restart_plan().await;
    stack.reach_wallet();
    let _ = futures::future::join_all(puts).await;
    eventually("every put ends", || async { unfinished(&stack).await == 0 }).await;
    assert_eq!(stack.money(&caller).await, (992_000, 8_000, 0));
    assert_eq!(
        counts(&stack.list(&caller).await),
        [(PlanStatus::Matching, 8)]
    );
}

#[tokio::test]
async fn two_replicas_share_the_work() {
    let stack = Stack::start().await;
    let replica = stack.replica().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    stack.cut_wallet();
    for number in 0..3 {
        let caller = keyed(&caller, &format!("shared-{number}"));
        assert_eq!(
            reason(stack.put(&caller, &product, 1_000).await).0,
            Reason::Unavailable
        );
    }
    stack.reach_wallet();
    let mut other =
        adfolio_proto::plan::v1::plan_service_client::PlanServiceClient::new(replica.channel());
    for number in 0..3 {
        let caller = keyed(&caller, &format!("shared-{number}"));
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
    assert_eq!(stack.money(&caller).await, (997_000, 3_000, 0));
}
