//! Who may claim what, how often, and how many get one when everybody wants one.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_testkit::answered;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Counts, Coupon, in_zone, new_user, operator, periodic, user, why, with_key};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn two_hundred_claims_of_the_new_user_coupon_give_one() {
    let stack = Coupon::spawn().await;
    let first = stack.campaign(new_user("Welcome")).await;
    let second = stack.campaign(new_user("Hello")).await;
    let user = user();
    let ids = ["", first.id.as_str(), second.id.as_str()];
    let claims = ids.iter().cycle().take(200);
    let outcomes = join_all(claims.map(|id| answered(|| stack.claim(&user, id)))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(why(outcome).0, Reason::CouponAlreadyClaimed);
    }
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1));
    assert_eq!(
        why(stack.claim(&user, "").await).0,
        Reason::CouponAlreadyClaimed
    );
}

#[tokio::test]
async fn a_total_of_ten_serves_ten_of_two_hundred() {
    let stack = Coupon::spawn().await;
    let campaign = stack
        .campaign(pb::Campaign {
            total: 10,
            ..periodic("Rare")
        })
        .await;
    let outcomes = join_all((0..200).map(|_| async {
        let user = user();
        answered(|| stack.claim(&user, &campaign.id)).await
    }))
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 10);
    for outcome in lost {
        assert_eq!(
            why(outcome),
            (Reason::CouponNotUsable, Some("campaign_id".to_owned()))
        );
    }
    let request = crate::helpers::call(&operator(), pb::ListCampaignsRequest::default());
    let listed = stack
        .staff()
        .list_campaigns(request)
        .await
        .unwrap()
        .into_inner()
        .items;
    assert_eq!(listed[0].total, 10);
    assert_eq!(listed[0].claimed, 10);
}

#[tokio::test]
async fn a_total_larger_than_the_parts_of_its_stock_is_given_out_to_the_last() {
    let stack = Coupon::spawn().await;
    let campaign = stack
        .campaign(pb::Campaign {
            total: 37,
            ..periodic("Many")
        })
        .await;
    let outcomes =
        join_all((0..60).map(|_| async { stack.claim(&user(), &campaign.id).await })).await;
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        37
    );
}

#[tokio::test]
async fn the_new_user_coupon_comes_from_whichever_campaign_has_one_left() {
    let stack = Coupon::spawn().await;
    assert_eq!(
        why(stack.claim(&user(), "").await),
        (Reason::NotFound, Some("campaign_id".to_owned()))
    );
    stack
        .campaign(pb::Campaign {
            total: 3,
            ..new_user("Older")
        })
        .await;
    stack
        .campaign(pb::Campaign {
            total: 4,
            ..new_user("Newer")
        })
        .await;
    let outcomes = join_all((0..20).map(|_| async { stack.claim(&user(), "").await })).await;
    let names: Vec<_> = outcomes
        .iter()
        .flatten()
        .map(|coupon| coupon.name.as_str())
        .collect();
    assert_eq!(names.len(), 7);
    assert_eq!(names.iter().filter(|name| **name == "Newer").count(), 4);
    assert_eq!(
        why(stack.claim(&user(), "").await),
        (Reason::CouponNotUsable, Some("campaign_id".to_owned()))
    );
}

#[tokio::test]
async fn one_coupon_of_a_name_per_local_day() {
    let stack = Coupon::spawn().await;
    let morning = stack.campaign(periodic("Daily Boost")).await;
    let same_name = stack.campaign(periodic(" daily  BOOST ")).await;
    let other = stack.campaign(periodic("Weekly Boost")).await;
    let shanghai = in_zone(&user(), "Asia/Shanghai GMT+08:00");

    let outcomes = join_all((0..50).map(|number| {
        let campaign = if number % 2 == 0 {
            &morning.id
        } else {
            &same_name.id
        };
        stack.claim(&shanghai, campaign)
    }))
    .await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    stack
        .claim(&shanghai, &other.id)
        .await
        .expect("another name is another coupon");

    // It is six in the evening there; the day ends six hours later, in UTC's afternoon.
    stack.clock.advance(HOUR * 5);
    assert_eq!(
        why(stack.claim(&shanghai, &morning.id).await).0,
        Reason::CouponNameClaimedToday
    );
    stack.clock.advance(HOUR);
    stack
        .claim(&shanghai, &morning.id)
        .await
        .expect("tomorrow has come in Shanghai");
}

#[tokio::test]
async fn the_day_is_that_of_the_first_claim_whatever_zone_is_sent() {
    const SENT: [&str; 5] = [
        "Asia/Kathmandu",
        "Etc/GMT+12",
        "Pacific/Kiritimati",
        "UTC",
        "",
    ];
    let stack = Coupon::spawn().await;
    let campaign = stack.campaign(periodic("Daily")).await;
    let user = user();
    stack
        .claim(&in_zone(&user, "Asia/Kathmandu"), &campaign.id)
        .await
        .unwrap();
    // It is a quarter to four there, and tomorrow on Kiritimati.
    for zone in SENT {
        let sent = in_zone(&user, zone);
        let outcome = stack.claim(&sent, &campaign.id).await;
        assert_eq!(why(outcome).0, Reason::CouponNameClaimedToday, "{zone}");
        let listed = stack.list(&sent, pb::CouponState::Unused).await.claimable;
        assert!(listed[0].claimed, "{zone}");
    }
    // Still yesterday in UTC.
    stack.clock.advance(HOUR * 8 + HOUR / 4);
    for zone in SENT {
        let sent = in_zone(&user, zone);
        let listed = stack.list(&sent, pb::CouponState::Unused).await.claimable;
        assert!(!listed[0].claimed, "{zone}");
    }
    stack
        .claim(&user, &campaign.id)
        .await
        .expect("a new day in Kathmandu");
    for zone in SENT {
        let outcome = stack.claim(&in_zone(&user, zone), &campaign.id).await;
        assert_eq!(why(outcome).0, Reason::CouponNameClaimedToday, "{zone}");
    }
}

#[tokio::test]
async fn a_campaign_is_open_from_its_beginning_until_its_end() {
    let stack = Coupon::spawn().await;
    let now = stack.clock.now();
    let window = pb::Campaign {
        starts_at: Some((now + HOUR).into()),
        ends_at: Some((now + HOUR * 2).into()),
        ..periodic("Happy hour")
    };
    let campaign = stack.campaign(window).await;
    let refused = (Reason::CouponNotUsable, Some("campaign_id".to_owned()));
    assert_eq!(why(stack.claim(&user(), &campaign.id).await), refused);
    stack.clock.advance(HOUR);
    let coupon = stack
        .claim(&user(), &campaign.id)
        .await
        .expect("it has begun");
    assert_eq!(coupon.expires_at, Some((now + HOUR + DAY * 7).into()));
    stack.clock.advance(HOUR);
    assert_eq!(why(stack.claim(&user(), &campaign.id).await), refused);
}

#[tokio::test]
async fn what_does_not_exist_for_users_is_not_found() {
    let stack = Coupon::spawn().await;
    let staff_only = pb::Campaign {
        kind: pb::CampaignKind::Staff.into(),
        ..periodic("Grant")
    };
    let staff_only = stack.campaign(staff_only).await;
    for id in [
        staff_only.id,
        Uuid::now_v7().to_string(),
        "nonsense".to_owned(),
        "'; DROP TABLE".to_owned(),
    ] {
        let outcome = stack.claim(&user(), &id).await;
        assert_eq!(
            why(outcome),
            (Reason::NotFound, Some("campaign_id".to_owned())),
            "{id}"
        );
    }
    let nobody = adfolio_kit::identity::Caller::system();
    assert_eq!(
        why(stack.claim(&nobody, "").await).0,
        Reason::NotAuthenticated
    );
}

#[tokio::test]
async fn a_repeated_key_answers_the_same_coupon() {
    let stack = Coupon::spawn().await;
    let campaign = stack.campaign(new_user("Welcome")).await;
    let caller = with_key(&user(), "claim-1");
    let outcomes = join_all((0..10).map(|_| stack.claim(&caller, &campaign.id))).await;
    let coupons: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| outcome.expect("the same answer"))
        .collect();
    assert!(coupons.iter().all(|coupon| *coupon == coupons[0]));
    assert_eq!(
        why(stack.claim(&caller, "").await).0,
        Reason::IdempotencyKeyReused
    );
    let other_key = with_key(&caller, "claim-2");
    assert_eq!(
        why(stack.claim(&other_key, "").await).0,
        Reason::CouponAlreadyClaimed
    );
}
