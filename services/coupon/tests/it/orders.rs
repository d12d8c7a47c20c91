//! The coupon's part in the put saga: once per order, one order per coupon, and nothing of somebody else's.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_testkit::answered;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Counts, Coupon, Totals, periodic, user, why};

#[tokio::test]
async fn two_hundred_orders_want_one_coupon_and_one_gets_it() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let orders: Vec<Uuid> = (0..200).map(|_| Uuid::now_v7()).collect();
    let outcomes = join_all(
        orders
            .iter()
            .map(|order| answered(|| stack.reserve(*order, &user, &coupon.id, 2_000))),
    )
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(
            why(outcome),
            (Reason::CouponNotUsable, Some("user_coupon_id".to_owned()))
        );
    }
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 500,
            reserved: 500
        }
    );
}

#[tokio::test]
async fn each_step_repeated_answers_the_same() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    let outcomes = join_all((0..10).map(|_| stack.reserve(order, &user, &coupon.id, 2_000))).await;
    for outcome in outcomes {
        let reserved = outcome.expect("the same answer");
        assert_eq!(reserved.mode(), pb::CouponMode::Deduction);
        assert_eq!(reserved.discount_minor, 500);
        assert_eq!(reserved.coupon_name, coupon.name);
    }
    let other_amount = stack.reserve(order, &user, &coupon.id, 3_000).await;
    assert_eq!(
        why(other_amount),
        (Reason::IdempotencyKeyReused, Some("order_id".to_owned()))
    );

    for outcome in join_all((0..5).map(|_| stack.redeem(order, &user))).await {
        outcome.expect("redeemed");
    }
    assert_eq!(stack.counts(&user).await, Counts::NONE.used(1));
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 500,
            reserved: 0
        }
    );
    let listed = stack.list(&user, pb::CouponState::Used).await.items;
    assert_eq!(listed[0].plan_id, order.to_string());
    assert_eq!(listed[0].used_at, Some(stack.clock.now().into()));
    stack
        .reserve(order, &user, &coupon.id, 2_000)
        .await
        .expect("a repeat after the fact");

    for outcome in join_all((0..5).map(|_| stack.release(order, &user))).await {
        outcome.expect("released");
    }
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1));
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 0,
            reserved: 0
        }
    );
    let closed = (Reason::CouponNotUsable, Some("order_id".to_owned()));
    assert_eq!(
        why(stack.reserve(order, &user, &coupon.id, 2_000).await),
        closed
    );
    assert_eq!(why(stack.redeem(order, &user).await), closed);
    stack
        .reserve(Uuid::now_v7(), &user, &coupon.id, 2_000)
        .await
        .expect("the coupon is free for another order");
}

#[tokio::test]
async fn an_order_released_first_can_never_reserve() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    stack.release(order, &user).await.unwrap();
    stack.release(order, &user).await.unwrap();
    let late = stack.reserve(order, &user, &coupon.id, 2_000).await;
    assert_eq!(
        why(late),
        (Reason::CouponNotUsable, Some("order_id".to_owned()))
    );
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1));
}

#[tokio::test]
async fn a_release_racing_a_reservation_leaves_the_coupon_free() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    for _ in 0..20 {
        let order = Uuid::now_v7();
        let (_, released) = tokio::join!(
            stack.reserve(order, &user, &coupon.id, 2_000),
            stack.release(order, &user)
        );
        released.unwrap();
        assert_eq!(
            why(stack.reserve(order, &user, &coupon.id, 2_000).await).0,
            Reason::CouponNotUsable
        );
    }
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 0,
            reserved: 0
        }
    );
    stack
        .reserve(Uuid::now_v7(), &user, &coupon.id, 2_000)
        .await
        .expect("the coupon is free");
}

#[tokio::test]
async fn what_a_coupon_is_worth() {
    let stack = Coupon::spawn().await;
    let discount = |basis_points| pb::Campaign {
        mode: pb::CouponMode::Discount.into(),
        value_minor: 0,
        value_basis_points: basis_points,
        amount_requirement_minor: 0,
        ..periodic("")
    };
    let deduction = |value_minor| pb::Campaign {
        value_minor,
        amount_requirement_minor: 0,
        ..periodic("")
    };
    let addition = |value_minor| pb::Campaign {
        mode: pb::CouponMode::Addition.into(),
        ..deduction(value_minor)
    };
    for (campaign, amount, worth) in [
        (discount(3_333), 10_001, 3_333),
        (discount(10_000), 12_345, 12_345),
        (discount(1), 9_999, 0),
        (deduction(5_000), 4_999, 4_999),
        (deduction(5_000), 5_001, 5_000),
        (addition(5_000), 100, 5_000),
    ] {
        let name = Uuid::now_v7().to_string();
        let campaign = stack.campaign(pb::Campaign { name, ..campaign }).await;
        let user = user();
        let coupon = stack.claim(&user, &campaign.id).await.unwrap();
        let reserved = stack
            .reserve(Uuid::now_v7(), &user, &coupon.id, amount)
            .await
            .unwrap();
        assert_eq!(reserved.mode(), campaign.mode());
        assert_eq!(reserved.discount_minor, worth);
    }
}

#[tokio::test]
async fn an_amount_below_the_requirement_changes_nothing() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    let below = stack.reserve(order, &user, &coupon.id, 999).await;
    assert_eq!(
        why(below),
        (Reason::CouponBelowRequirement, Some("amount".to_owned()))
    );
    for amount in [0, -1, i64::MIN] {
        let outcome = stack.reserve(order, &user, &coupon.id, amount).await;
        assert_eq!(
            why(outcome),
            (Reason::Validation, Some("amount".to_owned()))
        );
    }
    stack
        .reserve(order, &user, &coupon.id, 1_000)
        .await
        .expect("a refused order may try again");
}

#[tokio::test]
async fn nothing_of_another_user_can_be_touched() {
    let stack = Coupon::spawn().await;
    let (alice, coupon) = stack.user_with_coupon().await;
    let mallory = user();
    let order = Uuid::now_v7();
    let stolen = stack.reserve(order, &mallory, &coupon.id, 2_000).await;
    let unknown = stack
        .reserve(order, &mallory, &Uuid::now_v7().to_string(), 2_000)
        .await;
    let not_found = (Reason::NotFound, Some("user_coupon_id".to_owned()));
    assert_eq!(why(stolen), not_found);
    assert_eq!(why(unknown), not_found);

    stack
        .reserve(order, &alice, &coupon.id, 2_000)
        .await
        .unwrap();
    let order_unknown = (Reason::NotFound, Some("order_id".to_owned()));
    assert_eq!(why(stack.redeem(order, &mallory).await), order_unknown);
    assert_eq!(why(stack.release(order, &mallory).await), order_unknown);
    assert_eq!(
        why(stack.redeem(Uuid::now_v7(), &alice).await),
        order_unknown
    );
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 500,
            reserved: 500
        }
    );
    assert!(
        stack
            .list(&mallory, pb::CouponState::Unused)
            .await
            .items
            .is_empty()
    );
}

#[tokio::test]
async fn a_coupon_released_past_its_time_is_expired() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    stack
        .reserve(order, &user, &coupon.id, 2_000)
        .await
        .unwrap();
    stack.clock.advance(Duration::from_hours(8 * 24));
    stack.release(order, &user).await.unwrap();
    assert_eq!(stack.counts(&user).await, Counts::NONE.expired(1));
}
