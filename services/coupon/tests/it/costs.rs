//! What campaigns have cost so far, and a user's coupons as staff see them.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_testkit::eventually;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Coupon, call, operator, periodic, refused, staff, user, user_id, why};

/// Claimed, redeemed, what that cost, expired.
type Cost = (i64, i64, i64, i64);

async fn cost(stack: &Coupon, campaign: &str) -> Cost {
    let request = call(&operator(), pb::ListCampaignsRequest::default());
    let answer = stack.staff().list_campaigns(request).await.unwrap();
    let campaigns = answer.into_inner().items;
    let found = campaigns.iter().find(|one| one.id == campaign).unwrap();
    (
        found.claimed,
        found.redeemed,
        found.redeemed_minor,
        found.expired,
    )
}

/// A user with a coupon of the campaign that is held for an order.
async fn held(stack: &Coupon, campaign: &str) -> (Caller, Uuid) {
    let (caller, order) = (user(), Uuid::now_v7());
    let coupon = stack.claim(&caller, campaign).await.unwrap();
    stack
        .reserve(order, &caller, &coupon.id, 2_000)
        .await
        .unwrap();
    (caller, order)
}

#[tokio::test]
async fn a_campaign_costs_what_is_redeemed_and_not_returned() {
    let stack = Coupon::spawn().await;
    let campaign = stack.campaign(periodic("Costly")).await.id;
    let other = stack.campaign(periodic("Another")).await.id;
    assert_eq!(cost(&stack, &campaign).await, (0, 0, 0, 0));
    let (ann, first) = held(&stack, &campaign).await;
    let (bob, second) = held(&stack, &campaign).await;
    // What is only held costs nothing yet.
    assert_eq!(cost(&stack, &campaign).await, (2, 0, 0, 0));
    for _ in 0..2 {
        stack.redeem(first, &ann).await.unwrap();
        stack.redeem(second, &bob).await.unwrap();
    }
    assert_eq!(cost(&stack, &campaign).await, (2, 2, 1_000, 0));
    for _ in 0..2 {
        stack.release(second, &bob).await.unwrap();
    }
    assert_eq!(cost(&stack, &campaign).await, (2, 1, 500, 0));
    let (eve, third) = held(&stack, &campaign).await;
    stack.claim(&user(), &campaign).await.unwrap();
    stack.clock.advance(Duration::from_hours(8 * 24));
    eventually("what nobody used has expired", || async {
        cost(&stack, &campaign).await == (4, 1, 500, 2)
    })
    .await;
    // One comes back after its time.
    stack.release(third, &eve).await.unwrap();
    assert_eq!(cost(&stack, &campaign).await, (4, 1, 500, 3));
    stack.release(first, &ann).await.unwrap();
    assert_eq!(cost(&stack, &campaign).await, (4, 0, 0, 4));
    assert_eq!(cost(&stack, &other).await, (0, 0, 0, 0));
}

#[tokio::test]
async fn the_sums_are_those_of_the_coupons_while_many_are_redeemed_and_returned_at_once() {
    let stack = Coupon::builder().replicas(2).spawn().await;
    let campaigns = [
        stack.campaign(periodic("One")).await.id,
        stack.campaign(periodic("Two")).await.id,
    ];
    let lives = (0..40).map(|number| {
        let (stack, campaign) = (&stack, &campaigns[number % 2]);
        async move {
            let (caller, order) = held(stack, campaign).await;
            stack.redeem(order, &caller).await.unwrap();
            if number % 3 == 0 {
                stack.release(order, &caller).await.unwrap();
            }
        }
    });
    join_all(lives).await;
    let pool = stack.db.pool();
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM campaigns
         WHERE (coalesce((SELECT sum(redeemed)::bigint FROM campaign_costs WHERE campaign_id = campaigns.id), 0),
                coalesce((SELECT sum(redeemed_minor)::bigint FROM campaign_costs WHERE campaign_id = campaigns.id), 0))
            <> ((SELECT count(*) FROM coupons WHERE campaign_id = campaigns.id AND state = 'used'),
                coalesce((SELECT sum(discount_minor)::bigint FROM reservations JOIN coupons ON coupons.id = coupon_id
                          WHERE campaign_id = campaigns.id AND reservations.state = 'redeemed'), 0))",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(wrong, 0);
    let redeemed = [
        cost(&stack, &campaigns[0]).await,
        cost(&stack, &campaigns[1]).await,
    ];
    assert_eq!(redeemed, [(20, 13, 6_500, 0), (20, 13, 6_500, 0)]);
}

#[tokio::test]
async fn staff_see_the_coupons_of_a_user() {
    let stack = Coupon::spawn().await;
    let (alice, coupon) = stack.user_with_coupon().await;
    let ask = async |caller: &Caller, user_id: String, state: pb::CouponState| {
        let request = pb::AdminListCouponsRequest {
            user_id,
            state: state.into(),
            page: None,
        };
        let answer = stack
            .staff()
            .admin_list_coupons(call(caller, request))
            .await;
        answer.map(tonic::Response::into_inner).map_err(refused)
    };
    for role in [StaffRole::Support, StaffRole::Finance, StaffRole::Operator] {
        let by = staff(role);
        let unused = ask(&by, user_id(&alice), pb::CouponState::Unspecified).await;
        let unused = unused.unwrap();
        assert_eq!(unused.items, std::slice::from_ref(&coupon));
        assert_eq!(unused.counts.len(), 3);
        let used = ask(&by, user_id(&alice), pb::CouponState::Used).await;
        assert!(used.unwrap().items.is_empty());
    }
    let own = ask(&alice, user_id(&alice), pb::CouponState::Unspecified).await;
    assert!(own.is_err());
    let by = operator();
    let nobody = user();
    stack.directory.nobody(&user_id(&nobody));
    let unknown = ask(&by, user_id(&nobody), pb::CouponState::Unspecified).await;
    assert_eq!(why(unknown), (Reason::NotFound, Some("user_id".to_owned())));
}
