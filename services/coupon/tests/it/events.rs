//! What the plan service announces has its effect once, in any order, and what happens here is announced once.

use adfolio_kit::identity::Caller;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::events::v1 as wire;
use adfolio_testkit::{
    Told, deliver_twice_and_shuffled, eventually, publish_event, publish_event_with_id, tell,
};
use uuid::Uuid;

use crate::helpers::{Counts, Coupon, PLAN_STATUS_CHANGED, Totals, user_id};

const CLAIMED: &str = "adfolio.coupon.v1.CouponClaimed";
const REDEEMED: &str = "adfolio.coupon.v1.CouponRedeemed";
const RELEASED: &str = "adfolio.coupon.v1.CouponReleased";

fn status(order: Uuid, caller: &Caller, coupon: &str, to: &str) -> wire::PlanStatusChanged {
    wire::PlanStatusChanged {
        plan_id: order.to_string(),
        user_id: user_id(caller),
        to: to.to_owned(),
        user_coupon_id: coupon.to_owned(),
        ..wire::PlanStatusChanged::default()
    }
}

#[tokio::test]
async fn a_put_plan_redeems_and_a_failed_one_gives_back() {
    let stack = Coupon::spawn().await;
    let probe = stack.broker.probe(&["adfolio.coupon.v1.*"]).await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    stack
        .reserve(order, &user, &coupon.id, 2_000)
        .await
        .unwrap();
    let put = status(order, &user, &coupon.id, "matching");
    let id = Uuid::now_v7();
    for _ in 0..2 {
        publish_event_with_id(
            &stack.broker.broker(),
            id,
            PLAN_STATUS_CHANGED,
            &user_id(&user),
            &put,
        )
        .await;
    }
    eventually("the coupon is used", || async {
        stack.counts(&user).await == Counts::NONE.used(1)
    })
    .await;
    stack
        .redeem(order, &user)
        .await
        .expect("the same as the event");

    let failed = status(order, &user, &coupon.id, "put_failed");
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&user),
        &failed,
    )
    .await;
    eventually("the coupon is back", || async {
        stack.counts(&user).await == Counts::NONE.unused(1)
    })
    .await;
    stack
        .release(order, &user)
        .await
        .expect("the same as the event");

    let released: wire::CouponReleased = probe.wait_for(RELEASED, 1).await[0].data().unwrap();
    let claimed: wire::CouponClaimed = probe.of_type(CLAIMED)[0].data().unwrap();
    let redeemed: wire::CouponRedeemed = probe.of_type(REDEEMED)[0].data().unwrap();
    assert_eq!(claimed.coupon_id, coupon.id);
    assert_eq!(claimed.user_id, user_id(&user));
    assert_eq!(redeemed.coupon_id, coupon.id);
    assert_eq!(redeemed.order_id, order.to_string());
    assert_eq!(redeemed.discount_minor, 500);
    assert_eq!(released.coupon_id, coupon.id);
    assert_eq!(released.order_id, order.to_string());
    // Beside what the operator did, who made the campaign.
    let of_coupons = probe.events().into_iter();
    assert_eq!(
        of_coupons
            .filter(|event| event.event_type != "adfolio.coupon.v1.StaffActed")
            .count(),
        3
    );
}

#[tokio::test]
async fn a_late_put_does_not_use_a_coupon_that_went_back() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let order = Uuid::now_v7();
    stack
        .reserve(order, &user, &coupon.id, 2_000)
        .await
        .unwrap();
    for to in ["put_failed", "matching"] {
        let change = status(order, &user, &coupon.id, to);
        publish_event(
            &stack.broker.broker(),
            PLAN_STATUS_CHANGED,
            &user_id(&user),
            &change,
        )
        .await;
    }
    // A second order of the same user is handled after them, because a user's events keep their order.
    let marker = Uuid::now_v7();
    let change = status(marker, &user, &coupon.id, "put_failed");
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&user),
        &change,
    )
    .await;
    eventually("the marker was handled", || async {
        let closed: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM reservations WHERE order_id = $1)")
                .bind(marker)
                .fetch_one(&stack.db.pool())
                .await
                .unwrap();
        closed
    })
    .await;
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1));
    assert_eq!(
        stack.list(&user, pb::CouponState::Unused).await.items[0].id,
        coupon.id
    );
}

/// A plan whose first put was refused reserves its next one under another id, and redeems under that id itself.
#[tokio::test]
async fn a_plan_that_reserved_under_another_id_is_left_to_its_own_redeem() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let (plan, put) = (Uuid::now_v7(), Uuid::now_v7());
    stack.reserve(put, &user, &coupon.id, 2_000).await.unwrap();
    let change = status(plan, &user, &coupon.id, "matching");
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&user),
        &change,
    )
    .await;
    eventually("the event was handled", || async {
        let handled: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        handled == 1
    })
    .await;
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 500,
            reserved: 500
        }
    );
    stack.redeem(put, &user).await.unwrap();
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 500,
            reserved: 0
        }
    );
}

#[tokio::test]
async fn an_event_that_cannot_be_read_becomes_a_dead_letter_and_delays_nobody() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let mut nonsense = status(Uuid::now_v7(), &user, &coupon.id, "matching");
    nonsense.plan_id = "nonsense".to_owned();
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&user),
        &nonsense,
    )
    .await;
    let order = Uuid::now_v7();
    stack
        .reserve(order, &user, &coupon.id, 2_000)
        .await
        .unwrap();
    let put = status(order, &user, &coupon.id, "matching");
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&user),
        &put,
    )
    .await;
    eventually("the coupon is used", || async {
        stack.counts(&user).await == Counts::NONE.used(1)
    })
    .await;
    let broker = stack.broker.broker();
    eventually("the event is a dead letter", || async {
        adfolio_kit::dead_letter::count(&broker, "coupon", "plans")
            .await
            .is_ok_and(|count| count == 1)
    })
    .await;
}

#[tokio::test]
async fn everything_told_twice_and_shuffled_has_its_effect_once() {
    let stack = Coupon::spawn().await;
    let broker = stack.broker.broker();
    let probe = stack.broker.probe(&["adfolio.coupon.v1.*"]).await;
    // The events of a user's order, and whether the coupon is used in the end.
    let ways: [(&[&str], bool); 4] = [
        (&["matching", "putting", "put_finished", "settled"], true),
        (&["matching", "put_failed"], false),
        (&["put_failed"], false),
        (&["matching"], true),
    ];
    let (mut users, mut told) = (Vec::new(), Vec::new());
    for (changes, used) in ways.into_iter().cycle().take(12) {
        let (user, coupon) = stack.user_with_coupon().await;
        let order = Uuid::now_v7();
        let reserved = stack.reserve(order, &user, &coupon.id, 2_000).await;
        reserved.expect("reserved");
        for to in changes {
            let change = status(order, &user, &coupon.id, to);
            told.push(Told::new(PLAN_STATUS_CHANGED, user_id(&user), &change));
        }
        users.push((user, used));
    }
    // Some of it under another event's id, too, as from a service that lost track.
    let more: Vec<Told> = told.iter().step_by(4).map(Told::again).collect();
    told.extend(more);
    deliver_twice_and_shuffled(&broker, &told).await;
    // A user's events keep their order: once these are taken, all are.
    let last: Vec<Told> = users
        .iter()
        .map(|(user, _)| {
            let change = status(Uuid::now_v7(), user, "another", "put_failed");
            Told::new(PLAN_STATUS_CHANGED, user_id(user), &change)
        })
        .collect();
    tell(&broker, &last).await;
    eventually("everything was taken and told", || async {
        let (taken, left): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM inbox), (SELECT count(*) FROM unsent_events)",
        )
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
        (usize::try_from(taken).unwrap(), left) == (told.len() + last.len(), 0)
    })
    .await;
    for (user, used) in &users {
        let expected = if *used {
            Counts::NONE.used(1)
        } else {
            Counts::NONE.unused(1)
        };
        assert_eq!(stack.counts(user).await, expected);
    }
    assert_eq!(
        stack.totals().await,
        Totals {
            redeemed: 6 * 500,
            reserved: 0
        }
    );
    // Each use and each return is one event, and there is no other; a put that failed first has none of a use.
    let told_of = |event_type: &str, user: &Caller| {
        let events = probe.of_type(event_type).into_iter();
        events.filter(|it| it.subject == user_id(user)).count()
    };
    for (user, used) in &users {
        let (redeemed, released) = (told_of(REDEEMED, user), told_of(RELEASED, user));
        assert_eq!(released, usize::from(!used));
        assert!(redeemed == 1 || !used && redeemed == 0, "{redeemed}");
    }
}
