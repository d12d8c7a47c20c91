//! Staff make campaigns; what is out of form is named, and nobody else may.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::coupon::v1 as pb;
use uuid::Uuid;

use crate::helpers::{Coupon, call, operator, periodic, refused, user, why, with_key};

type Spoil = fn(&mut pb::Campaign);

const WRONG: [(&str, Spoil); 16] = [
    ("name", |campaign| campaign.name = String::from("  ")),
    ("name", |campaign| campaign.name = "x".repeat(101)),
    ("name", |campaign| campaign.name = String::from("a\u{0}b")),
    ("type", |campaign| campaign.r#type = 0),
    ("type", |campaign| campaign.r#type = 99),
    ("mode", |campaign| campaign.mode = 0),
    ("value", |campaign| campaign.value_minor = 0),
    ("value", |campaign| campaign.value_minor = -5),
    ("value", |campaign| campaign.value_minor = i64::MAX),
    ("value", |campaign| campaign.value_basis_points = 10),
    ("value", |campaign| {
        campaign.mode = pb::CouponMode::Discount.into();
    }),
    ("amount_requirement", |campaign| {
        campaign.amount_requirement_minor = -1;
    }),
    ("kind", |campaign| campaign.kind = 0),
    ("valid_days", |campaign| campaign.valid_days = 0),
    ("valid_days", |campaign| campaign.valid_days = u32::MAX),
    ("total", |campaign| campaign.total = -1),
];

#[tokio::test]
async fn every_wrong_input_is_named() {
    let stack = Coupon::spawn().await;
    let now = stack.clock.now();
    let mut wrong: Vec<_> = WRONG
        .iter()
        .map(|(field, spoil)| {
            let mut campaign = periodic("Boost");
            spoil(&mut campaign);
            (*field, campaign)
        })
        .collect();
    wrong.push((
        "ends_at",
        pb::Campaign {
            ends_at: Some(now.into()),
            ..periodic("Boost")
        },
    ));
    let mut out_of_range = pb::Campaign {
        starts_at: Some(now.into()),
        ..periodic("Boost")
    };
    out_of_range.starts_at.as_mut().unwrap().nanos = -1;
    wrong.push(("starts_at", out_of_range));
    for (field, campaign) in wrong {
        let outcome = stack.try_campaign(&operator(), campaign.clone()).await;
        assert_eq!(
            why(outcome),
            (Reason::Validation, Some(field.to_owned())),
            "{campaign:?}"
        );
    }
}

#[tokio::test]
async fn only_operators_make_campaigns_and_any_staff_lists_them() {
    let stack = Coupon::spawn().await;
    for role in [StaffRole::Support, StaffRole::Finance] {
        let caller = Caller::staff(Uuid::now_v7(), role);
        assert_eq!(
            why(stack.try_campaign(&caller, periodic("A")).await).0,
            Reason::Forbidden
        );
    }
    for caller in [Caller::system(), user()] {
        assert_eq!(
            why(stack.try_campaign(&caller, periodic("A")).await).0,
            Reason::NotAuthenticated
        );
        let listed = stack
            .staff()
            .list_campaigns(call(&caller, pb::ListCampaignsRequest::default()))
            .await;
        assert_eq!(
            refused(listed.unwrap_err()).reason,
            Reason::NotAuthenticated
        );
    }
    let admin = Caller::staff(Uuid::now_v7(), StaffRole::Admin);
    let mut made = vec![stack.try_campaign(&admin, periodic("A")).await.unwrap()];
    for name in ["B", "C", "D", "E"] {
        made.push(
            stack
                .campaign(pb::Campaign {
                    total: 3,
                    ..periodic(name)
                })
                .await,
        );
    }

    let support = Caller::staff(Uuid::now_v7(), StaffRole::Support);
    let mut listed = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = Some(PageRequest {
            cursor: cursor.clone(),
            limit: 2,
        });
        let answer = stack
            .staff()
            .list_campaigns(call(&support, pb::ListCampaignsRequest { page }))
            .await
            .unwrap();
        let answer = answer.into_inner();
        listed.extend(answer.items);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    made.reverse();
    assert_eq!(listed, made);
}

#[tokio::test]
async fn a_repeated_key_makes_one_campaign() {
    let stack = Coupon::spawn().await;
    let caller = with_key(&operator(), "campaign-1");
    let first = stack.try_campaign(&caller, periodic("A")).await.unwrap();
    let again = stack.try_campaign(&caller, periodic("A")).await.unwrap();
    assert_eq!(first, again);
    let other = stack.try_campaign(&caller, periodic("B")).await;
    assert_eq!(why(other).0, Reason::IdempotencyKeyReused);
    let listed = stack
        .staff()
        .list_campaigns(call(&operator(), pb::ListCampaignsRequest::default()))
        .await
        .unwrap();
    assert_eq!(listed.into_inner().items.len(), 1);
}

#[tokio::test]
async fn every_type_goes_with_every_mode() {
    let stack = Coupon::spawn().await;
    let user = user();
    for coupon_type in [
        pb::CouponType::Increment,
        pb::CouponType::Deduction,
        pb::CouponType::Team,
        pb::CouponType::Custom,
        pb::CouponType::FixedAmount,
    ] {
        for (mode, value_minor, value_basis_points) in [
            (pb::CouponMode::Discount, 0, 1_250),
            (pb::CouponMode::Deduction, 500, 0),
            (pb::CouponMode::Addition, 500, 0),
        ] {
            let asked = pb::Campaign {
                r#type: coupon_type.into(),
                mode: mode.into(),
                value_minor,
                value_basis_points,
                ..periodic(&format!("{coupon_type:?} {mode:?}"))
            };
            let made = stack.campaign(asked.clone()).await;
            assert_eq!(
                pb::Campaign {
                    id: made.id.clone(),
                    state: pb::CampaignState::Released.into(),
                    created_by: made.created_by.clone(),
                    ..asked.clone()
                },
                made
            );
            let coupon = stack.claim(&user, &made.id).await.unwrap();
            assert_eq!(coupon.r#type(), coupon_type);
            assert_eq!(coupon.mode(), mode);
            assert_eq!(coupon.source(), pb::CampaignKind::Periodic);
            assert_eq!(coupon.value_minor, value_minor);
            assert_eq!(coupon.value_basis_points, value_basis_points);
        }
    }
}
