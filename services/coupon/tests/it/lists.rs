//! What a user sees of coupons: states, counts, pages, and what can be claimed.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_testkit::eventually;
use uuid::Uuid;

use crate::helpers::{Stack, call, in_zone, new_user, periodic, refused, user, why};

const WEEK: Duration = Duration::from_hours(7 * 24);

#[tokio::test]
async fn pages_are_newest_first_and_a_foreign_cursor_is_refused() {
    let stack = Stack::start().await;
    let (alice, bob) = (user(), user());
    let mut claimed = Vec::new();
    for number in 0..5 {
        let campaign = stack.campaign(periodic(&format!("Coupon {number}"))).await;
        claimed.push(stack.claim(&alice, &campaign.id).await.unwrap());
        stack.claim(&bob, &campaign.id).await.unwrap();
    }
    claimed.reverse();

    let first = stack
        .list_page(&alice, pb::CouponState::Unused, "", 3)
        .await
        .unwrap();
    let second = stack
        .list_page(&alice, pb::CouponState::Unused, &first.next_cursor, 3)
        .await
        .unwrap();
    assert_eq!([first.items, second.items].concat(), claimed);
    assert_eq!(second.next_cursor, "");

    let cursor_refused = (Reason::Validation, Some("cursor".to_owned()));
    let foreign = stack
        .list_page(&bob, pb::CouponState::Unused, &first.next_cursor, 3)
        .await;
    assert_eq!(why(foreign), cursor_refused);
    assert_eq!(
        why(stack
            .list_page(&alice, pb::CouponState::Used, &first.next_cursor, 3)
            .await),
        cursor_refused
    );
    assert_eq!(
        why(stack
            .list_page(&alice, pb::CouponState::Unused, "junk", 3)
            .await),
        cursor_refused
    );
    let too_many = stack
        .list_page(&alice, pb::CouponState::Unused, "", 101)
        .await;
    assert_eq!(
        why(too_many),
        (Reason::Validation, Some("limit".to_owned()))
    );
}

#[tokio::test]
async fn a_coupon_past_its_time_is_expired_at_once_and_marked_soon() {
    let stack = Stack::start().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let (_, reserved) = {
        let campaign = stack.campaign(periodic("Reserved")).await;
        let coupon = stack.claim(&user, &campaign.id).await.unwrap();
        let order = Uuid::now_v7();
        stack
            .reserve(order, &user, &coupon.id, 2_000)
            .await
            .unwrap();
        (order, coupon)
    };
    assert_eq!(stack.counts(&user).await, (2, 0, 0));
    stack.clock.advance(WEEK);
    assert_eq!(stack.counts(&user).await, (1, 0, 1));
    let expired = stack.list(&user, pb::CouponState::Expired).await.items;
    assert_eq!(
        (expired.len(), expired[0].id.as_str(), expired[0].state()),
        (1, coupon.id.as_str(), pb::CouponState::Expired)
    );
    let unused = stack.list(&user, pb::CouponState::Unused).await.items;
    assert_eq!(
        (unused.len(), unused[0].id.as_str()),
        (1, reserved.id.as_str())
    );
    let refused = stack
        .reserve(Uuid::now_v7(), &user, &coupon.id, 2_000)
        .await;
    assert_eq!(
        why(refused),
        (Reason::CouponNotUsable, Some("user_coupon_id".to_owned()))
    );

    let pool = stack.db.pool();
    eventually("the sweeper has marked the coupon", || async {
        let marked: i64 =
            sqlx::query_scalar("SELECT count(*) FROM coupons WHERE state = 'expired'")
                .fetch_one(&pool)
                .await
                .expect("a count");
        marked == 1
    })
    .await;
    assert_eq!(stack.counts(&user).await, (1, 0, 1));
}

#[tokio::test]
async fn usable_coupons_meet_the_amount_and_come_soonest_expiry_first() {
    let stack = Stack::start().await;
    let user = user();
    for (name, valid_days, requirement) in
        [("Long", 30, 1_000), ("Short", 2, 1_000), ("High", 1, 9_000)]
    {
        let campaign = pb::Campaign {
            valid_days,
            amount_requirement_minor: requirement,
            ..periodic(name)
        };
        let campaign = stack.campaign(campaign).await;
        stack.claim(&user, &campaign.id).await.unwrap();
    }
    let usable = |amount_max_minor: i64| {
        let request = call(&user, pb::ListUsableRequest { amount_max_minor });
        let mut client = stack.users();
        async move { client.list_usable(request).await.map_err(refused) }
    };
    let names = |answer: tonic::Response<pb::ListUsableResponse>| {
        answer
            .into_inner()
            .items
            .into_iter()
            .map(|coupon| coupon.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(usable(8_999).await.unwrap()), ["Short", "Long"]);
    assert_eq!(
        names(usable(9_000).await.unwrap()),
        ["High", "Short", "Long"]
    );
    assert_eq!(names(usable(999).await.unwrap()), Vec::<String>::new());
    assert_eq!(
        why(usable(-1).await),
        (Reason::Validation, Some("amount_max".to_owned()))
    );
}

#[tokio::test]
async fn what_can_be_claimed_and_what_was() {
    let stack = Stack::start().await;
    let now = stack.clock.now();
    let welcome = stack
        .campaign(pb::Campaign {
            ends_at: Some((now + WEEK).into()),
            ..new_user("Welcome")
        })
        .await;
    let daily = stack.campaign(periodic("Daily")).await;
    let rare = stack
        .campaign(pb::Campaign {
            total: 1,
            ..periodic("Rare")
        })
        .await;
    stack
        .campaign(pb::Campaign {
            kind: pb::CampaignKind::Staff.into(),
            ..periodic("Grant")
        })
        .await;
    stack
        .campaign(pb::Campaign {
            starts_at: Some((now + WEEK).into()),
            ..periodic("Later")
        })
        .await;
    let (alice, bob) = (in_zone(&user(), "Asia/Shanghai"), user());
    stack.claim(&alice, "").await.unwrap();
    stack.claim(&alice, &daily.id).await.unwrap();
    stack.claim(&alice, &rare.id).await.unwrap();

    let claimable = |caller: adfolio_kit::identity::Caller| {
        let stack = &stack;
        async move {
            let listed = stack.list(&caller, pb::CouponState::Unused).await.claimable;
            listed
                .into_iter()
                .map(|entry| (entry.name, entry.claimed))
                .collect::<Vec<_>>()
        }
    };
    let entry = |name: &str, claimed| (name.to_owned(), claimed);
    assert_eq!(
        claimable(alice.clone()).await,
        [
            entry("Welcome", true),
            entry("Rare", true),
            entry("Daily", true)
        ]
    );
    assert_eq!(
        claimable(bob).await,
        [entry("Welcome", false), entry("Daily", false)]
    );

    // A week later the new-user campaign is over, the claims of that day are history, and another campaign has begun.
    stack.clock.advance(WEEK);
    assert_eq!(
        claimable(alice).await,
        [
            entry("Welcome", true),
            entry("Later", false),
            entry("Daily", false)
        ]
    );
    assert_eq!(welcome.kind(), pb::CampaignKind::NewUser);
}
