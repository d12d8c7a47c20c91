//! Campaigns that may cost much take two: nothing of them can be had until another person releases them.

use std::time::Duration;

use adfolio_coupon::Config;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::auth::v1::SecondPair;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::events::v1::StaffActed;
use futures::future::join_all;

use crate::helpers::{
    Coupon, call, new_user, operator, periodic, refused, staff, user, user_id, why, with_key,
};

const ACTED: &str = "adfolio.coupon.v1.StaffActed";

/// Five campaigns of [`small`] fit.
const THRESHOLD: i64 = 10_000;

const RELEASED: pb::CampaignDecision = pb::CampaignDecision::Released;
const REJECTED: pb::CampaignDecision = pb::CampaignDecision::Rejected;

fn four_eyes(config: &mut Config) {
    config.four_eyes = FourEyesArgs::above(Money::from_minor(THRESHOLD));
}

async fn spawn() -> Coupon {
    Coupon::builder().configure(four_eyes).spawn().await
}

/// Four coupons of 5.00.
fn small(name: &str) -> pb::Campaign {
    pb::Campaign {
        total: 4,
        ..periodic(name)
    }
}

/// Twenty-one coupons of 5.00.
fn large(name: &str) -> pb::Campaign {
    pb::Campaign {
        total: 21,
        ..periodic(name)
    }
}

fn id(caller: &Caller) -> String {
    caller.staff.unwrap().id.to_string()
}

impl Coupon {
    async fn decide(
        &self,
        caller: &Caller,
        campaign: &str,
        decision: pb::CampaignDecision,
        reason: &str,
    ) -> Result<pb::Campaign, Refusal> {
        let request = pb::DecideCampaignRequest {
            campaign_id: campaign.to_owned(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        let answer = self.staff().decide_campaign(call(caller, request)).await;
        Ok(answer.map_err(refused)?.into_inner().campaign.unwrap())
    }

    async fn listed(&self, campaign: &str) -> pb::Campaign {
        let request = pb::ListCampaignsRequest::default();
        let answer = self
            .staff()
            .list_campaigns(call(&operator(), request))
            .await;
        let items = answer.unwrap().into_inner().items;
        items.into_iter().find(|item| item.id == campaign).unwrap()
    }

    /// What a new user may claim, by name.
    async fn claimable(&self) -> Vec<String> {
        let listing = self.list(&user(), pb::CouponState::Unused).await;
        let names = listing.claimable.into_iter().map(|offer| offer.name);
        names.collect()
    }
}

#[tokio::test]
async fn a_campaign_that_may_cost_much_waits_for_a_second_person() {
    let stack = spawn().await;
    let probe = stack.broker.probe(&[ACTED]).await;
    let (first, second) = (operator(), operator());
    let proposed = stack.try_campaign(&first, large("Boost")).await.unwrap();
    assert_eq!(proposed.state(), pb::CampaignState::Proposed);
    assert_eq!((proposed.total, proposed.claimed), (21, 0));
    assert_eq!(proposed.created_by, id(&first));
    assert_eq!(stack.listed(&proposed.id).await, proposed);
    // Nobody has anything of it.
    let alice = user();
    let expected = (Reason::CouponNotUsable, Some("campaign_id".to_owned()));
    assert_eq!(why(stack.claim(&alice, &proposed.id).await), expected);
    let granted = stack.grant(&first, &proposed.id, &user_id(&alice)).await;
    assert_eq!(why(granted), expected);
    assert!(stack.claimable().await.is_empty());

    let released = stack
        .decide(&second, &proposed.id, RELEASED, "agreed")
        .await;
    let released = released.unwrap();
    assert_eq!(released.state(), pb::CampaignState::Released);
    assert_eq!(released.decided_by, id(&second));
    assert_eq!(stack.listed(&proposed.id).await, released);
    assert_eq!(stack.claimable().await, ["Boost"]);
    for _ in 0..21 {
        stack.claim(&user(), &proposed.id).await.unwrap();
    }
    assert_eq!(why(stack.claim(&user(), &proposed.id).await), expected);
    // The decision stands, and answers its decider alone.
    let again = stack
        .decide(&second, &proposed.id, RELEASED, "agreed")
        .await;
    assert_eq!(again.unwrap().decided_at, released.decided_at);
    for (caller, decision) in [(&second, REJECTED), (&operator(), RELEASED)] {
        let late = stack.decide(caller, &proposed.id, decision, "late").await;
        assert_eq!(why(late).0, Reason::NothingChanged);
    }
    let acts = probe.wait_for(ACTED, 2).await;
    let acts: Vec<StaffActed> = acts.iter().map(|event| event.data().unwrap()).collect();
    let said: Vec<_> = acts
        .iter()
        .map(|act| [&*act.action, &*act.staff_id, &*act.reason])
        .collect();
    assert_eq!(
        said,
        [
            ["coupon.create_campaign", &id(&first), ""],
            ["coupon.release_campaign", &id(&second), "agreed"],
        ]
    );
    assert!(acts[0].after_json.contains("proposed"), "{:?}", acts[0]);
}

#[tokio::test]
async fn what_nothing_bounds_takes_two() {
    let stack = spawn().await;
    let unbounded = periodic("Endless");
    let share = pb::Campaign {
        mode: pb::CouponMode::Discount.into(),
        value_minor: 0,
        value_basis_points: 1,
        ..small("Share")
    };
    for campaign in [unbounded, share] {
        let made = stack.try_campaign(&operator(), campaign).await.unwrap();
        assert_eq!(made.state(), pb::CampaignState::Proposed);
    }
    let made = stack.try_campaign(&operator(), small("Small")).await;
    assert_eq!(made.unwrap().state(), pb::CampaignState::Released);
}

#[tokio::test]
async fn campaigns_of_a_member_are_summed_for_a_day() {
    let stack = Coupon::builder()
        .replicas(2)
        .configure(four_eyes)
        .spawn()
        .await;
    let member = operator();
    let made = join_all((0..20).map(|number: usize| {
        let channel = stack.replicas[number % 2].channel();
        let request = pb::CreateCampaignRequest {
            campaign: Some(small(&format!("Part {number}"))),
        };
        let request = call(&member, request);
        async move {
            let mut client = CouponAdminServiceClient::new(channel);
            let answer = client.create_campaign(request).await.unwrap();
            answer.into_inner().campaign.unwrap().state()
        }
    }))
    .await;
    let released = made
        .iter()
        .filter(|state| **state == pb::CampaignState::Released);
    assert_eq!(released.count(), 5);
    let other = stack.try_campaign(&operator(), small("Other")).await;
    assert_eq!(other.unwrap().state(), pb::CampaignState::Released);
    stack.clock.advance(Duration::from_hours(24));
    let later = stack.try_campaign(&member, small("Later")).await;
    assert_eq!(later.unwrap().state(), pb::CampaignState::Released);
}

#[tokio::test]
async fn a_rejected_campaign_gives_out_nothing() {
    let stack = spawn().await;
    let campaign = stack
        .try_campaign(&operator(), new_user("Welcome"))
        .await
        .unwrap();
    let expected = (Reason::NotFound, Some("campaign_id".to_owned()));
    assert_eq!(why(stack.claim(&user(), "").await), expected);
    let caller = with_key(&operator(), "no");
    for _ in 0..2 {
        let rejected = stack
            .decide(&caller, &campaign.id, REJECTED, "too dear")
            .await;
        assert_eq!(rejected.unwrap().state(), pb::CampaignState::Rejected);
    }
    assert_eq!(why(stack.claim(&user(), "").await), expected);
    let by_id = stack.claim(&user(), &campaign.id).await;
    assert_eq!(why(by_id).0, Reason::CouponNotUsable);
    assert!(stack.claimable().await.is_empty());
    for statement in [
        "UPDATE campaign_proposals SET state = 'released'",
        "DELETE FROM campaign_proposals",
    ] {
        let changed = sqlx::query(statement).execute(&stack.db.pool()).await;
        assert!(changed.is_err(), "{statement}");
    }
}

#[tokio::test]
async fn only_another_person_decides_with_a_reason() {
    let stack = spawn().await;
    let (first, second, third) = (operator(), operator(), operator());
    let (support, long) = (staff(StaffRole::Support), "x".repeat(501));
    let deciders: Vec<Caller> = (0..10).map(|_| operator()).collect();
    let campaign = stack.try_campaign(&first, large("Boost")).await.unwrap();
    let decide = |caller, reason| stack.decide(caller, &campaign.id, RELEASED, reason);
    let requested_by = (Reason::Forbidden, Some("requested_by".to_owned()));
    assert_eq!(why(decide(&first, "mine").await), requested_by);
    for pair in [
        SecondPair::SamePerson,
        SecondPair::New,
        SecondPair::NotActive,
    ] {
        stack.directory.pair(&id(&first), &id(&second), pair);
        assert_eq!(why(decide(&second, "so").await), requested_by);
    }
    let invalid = (Reason::Validation, Some("reason".to_owned()));
    for reason in ["", " ", &long] {
        assert_eq!(why(decide(&third, reason).await), invalid);
    }
    assert_eq!(why(decide(&support, "so").await).0, Reason::Forbidden);
    stack.directory.die(true);
    assert_eq!(why(decide(&third, "so").await).0, Reason::Unavailable);
    stack.directory.die(false);
    let listed = stack.listed(&campaign.id).await;
    assert_eq!(listed.state(), pb::CampaignState::Proposed);
    // Of many at once one decides.
    let outcomes = join_all(deciders.iter().map(|caller| decide(caller, "so"))).await;
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(done, 1, "{outcomes:?}");
    let unknown = uuid::Uuid::now_v7().to_string();
    let unknown = stack.decide(&second, &unknown, RELEASED, "so").await;
    assert_eq!(why(unknown), (Reason::NotFound, Some("id".to_owned())));
}
