//! Coupons that staff give away: of any campaign, past the claim rules, never past the total.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::events::v1::{CouponGranted, StaffActed};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::NOBODY;
use crate::helpers::{Counts, Coupon, new_user, operator, periodic, user, user_id, why, with_key};

const GRANTED: &str = "adfolio.coupon.v1.CouponGranted";
const ACTED: &str = "adfolio.coupon.v1.StaffActed";

#[tokio::test]
async fn a_grant_is_told_and_audited() {
    let stack = Coupon::spawn().await;
    let probe = stack.broker.probe(&[GRANTED, ACTED]).await;
    let staff_only = pb::Campaign {
        kind: pb::CampaignKind::Staff.into(),
        ..periodic("Thanks")
    };
    let campaign = stack.campaign(staff_only).await;
    let alice = user();
    let operator = Caller {
        reason: "for the long wait".to_owned(),
        ..operator()
    };
    let coupon = stack
        .grant(&operator, &campaign.id, &user_id(&alice))
        .await
        .unwrap();
    assert_eq!(coupon.name, "Thanks");
    assert_eq!(coupon.source(), pb::CampaignKind::Staff);
    assert_eq!(coupon.state(), pb::CouponState::Unused);
    let listed = stack.list(&alice, pb::CouponState::Unused).await.items;
    assert_eq!(listed, std::slice::from_ref(&coupon));

    let told: CouponGranted = probe.wait_for(GRANTED, 1).await[0].data().unwrap();
    assert_eq!(told.coupon_id, coupon.id);
    assert_eq!(told.user_id, user_id(&alice));
    assert_eq!(told.name, "Thanks");
    let acts = probe.wait_for(ACTED, 2).await;
    let acts: Vec<StaffActed> = acts.iter().map(|event| event.data().unwrap()).collect();
    assert_eq!(acts[0].action, "coupon.create_campaign");
    assert!(acts[0].after_json.contains("Thanks"), "{:?}", acts[0]);
    assert_eq!(acts[1].action, "coupon.grant");
    assert_eq!(acts[1].target, coupon.id);
    assert_eq!(acts[1].user_id, user_id(&alice));
    assert_eq!(acts[1].reason, "for the long wait");
}

#[tokio::test]
async fn the_claim_rules_and_the_window_do_not_bind_staff() {
    let stack = Coupon::spawn().await;
    let alice = user();
    let now = stack.clock.now();
    let welcome = stack.campaign(new_user("Welcome")).await;
    let daily = stack.campaign(periodic("Daily")).await;
    let later = stack
        .campaign(pb::Campaign {
            starts_at: Some((now + Duration::from_hours(1)).into()),
            ..periodic("Later")
        })
        .await;
    for campaign in [&welcome, &daily, &later] {
        for _ in 0..2 {
            stack
                .grant(&operator(), &campaign.id, &user_id(&alice))
                .await
                .unwrap();
        }
    }
    // Nor does a granted coupon use up what the user may claim.
    stack.claim(&alice, "").await.unwrap();
    stack.claim(&alice, &daily.id).await.unwrap();
    assert_eq!(stack.counts(&alice).await, Counts::NONE.unused(8));
}

#[tokio::test]
async fn fifty_grants_and_claims_share_one_total() {
    let stack = Coupon::spawn().await;
    // More than once: claims that wait for each other in a circle do so in some rounds only.
    for round in 0..5 {
        let campaign = stack
            .campaign(pb::Campaign {
                total: 10,
                ..periodic(&format!("Rare {round}"))
            })
            .await;
        let outcomes = join_all((0..50).map(|number| {
            let (stack, id) = (&stack, campaign.id.as_str());
            async move {
                if number % 2 == 0 {
                    stack.claim(&user(), id).await
                } else {
                    stack.grant(&operator(), id, &user_id(&user())).await
                }
            }
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
    }
}

#[tokio::test]
async fn fifty_repeats_of_a_key_grant_one_coupon() {
    let stack = Coupon::spawn().await;
    let campaign = stack.campaign(periodic("Daily")).await;
    let alice = user();
    let alice_id = user_id(&alice);
    let caller = with_key(&operator(), "grant-1");
    let outcomes = join_all((0..50).map(|_| stack.grant(&caller, &campaign.id, &alice_id))).await;
    let coupons: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    assert!(coupons.iter().all(|coupon| *coupon == coupons[0]));
    assert_eq!(stack.counts(&alice).await, Counts::NONE.unused(1));
    assert_eq!(
        why(stack.grant(&caller, &campaign.id, &user_id(&user())).await).0,
        Reason::IdempotencyKeyReused
    );
}

#[tokio::test]
async fn only_operators_grant_and_only_what_exists_to_whom_exists() {
    let stack = Coupon::spawn().await;
    let campaign = stack.campaign(periodic("Daily")).await;
    let alice = user_id(&user());
    for (caller, reason) in [
        (
            Caller::staff(Uuid::now_v7(), StaffRole::Support),
            Reason::Forbidden,
        ),
        (
            Caller::staff(Uuid::now_v7(), StaffRole::Finance),
            Reason::Forbidden,
        ),
        (user(), Reason::NotAuthenticated),
    ] {
        assert_eq!(
            why(stack.grant(&caller, &campaign.id, &alice).await).0,
            reason
        );
    }
    let unknown = Uuid::now_v7().to_string();
    for (campaign_id, to, reason, field) in [
        ("", alice.as_str(), Reason::Validation, "campaign_id"),
        (campaign.id.as_str(), "", Reason::Validation, "user_id"),
        (campaign.id.as_str(), NOBODY, Reason::NotFound, "user_id"),
        (campaign.id.as_str(), "junk", Reason::NotFound, "user_id"),
        (
            unknown.as_str(),
            alice.as_str(),
            Reason::NotFound,
            "campaign_id",
        ),
    ] {
        assert_eq!(
            why(stack.grant(&operator(), campaign_id, to).await),
            (reason, Some(field.to_owned()))
        );
    }
    let coupons: i64 = sqlx::query_scalar("SELECT count(*) FROM coupons")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(coupons, 0);
}
