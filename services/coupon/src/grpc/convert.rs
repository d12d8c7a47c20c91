//! Between the contract's messages and this service's own types.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as pb;
use chrono::{DateTime, Utc};

use crate::benefit::{Benefit, CouponType, Kind};
use crate::campaign::{Campaign, NewCampaign, Terms};
use crate::coupon::{Claimable, Coupon, ShownState};

/// Longest name of a campaign, in characters.
const LONGEST_NAME: usize = 100;

pub fn coupon(coupon: &Coupon, now: DateTime<Utc>) -> pb::Coupon {
    let (mode, value_minor, value_basis_points) = benefit_fields(coupon.terms.benefit);
    let state = coupon.shown_state(now);
    // An order that is still being placed is no plan yet.
    let plan = coupon.order.filter(|_| state == ShownState::Used);
    pb::Coupon {
        id: coupon.id.to_string(),
        name: coupon.terms.name.clone(),
        r#type: type_to_wire(coupon.terms.coupon_type).into(),
        mode: mode.into(),
        value_minor,
        value_basis_points,
        amount_requirement_minor: coupon.terms.amount_requirement.minor(),
        expires_at: Some(coupon.expires_at.into()),
        state: state_to_wire(state).into(),
        used_at: coupon.used_at.map(Into::into),
        plan_id: plan.map(|order| order.to_string()).unwrap_or_default(),
        source: kind_to_wire(coupon.source).into(),
    }
}

pub fn claimable(claimable: &Claimable) -> pb::Claimable {
    let (mode, value_minor, value_basis_points) = benefit_fields(claimable.benefit);
    pb::Claimable {
        campaign_id: claimable.campaign.to_string(),
        name: claimable.name.clone(),
        kind: kind_to_wire(claimable.kind).into(),
        mode: mode.into(),
        value_minor,
        value_basis_points,
        claimed: claimable.claimed,
    }
}

pub fn campaign(campaign: &Campaign) -> pb::Campaign {
    let (mode, value_minor, value_basis_points) = benefit_fields(campaign.terms.benefit);
    pb::Campaign {
        id: campaign.id.to_string(),
        name: campaign.terms.name.clone(),
        r#type: type_to_wire(campaign.terms.coupon_type).into(),
        mode: mode.into(),
        value_minor,
        value_basis_points,
        amount_requirement_minor: campaign.terms.amount_requirement.minor(),
        kind: kind_to_wire(campaign.kind).into(),
        valid_days: campaign.valid_days,
        total: campaign.total.unwrap_or(0),
        claimed: campaign.claimed,
        starts_at: campaign.starts_at.map(Into::into),
        ends_at: campaign.ends_at.map(Into::into),
    }
}

/// The campaign that staff ask for; fields are named as in the staff API.
pub fn new_campaign(campaign: &pb::Campaign) -> Result<NewCampaign, Refusal> {
    let terms = Terms {
        name: wire::line(&campaign.name, LONGEST_NAME, "name")?,
        coupon_type: type_from_wire(campaign.r#type())?,
        benefit: benefit_from_wire(campaign)?,
        amount_requirement: Money::from_minor(campaign.amount_requirement_minor),
    };
    Ok(NewCampaign {
        terms,
        kind: kind_from_wire(campaign.kind())?,
        valid_days: campaign.valid_days,
        total: Some(campaign.total).filter(|total| *total != 0),
        starts_at: wire::instant(campaign.starts_at, "starts_at")?,
        ends_at: wire::instant(campaign.ends_at, "ends_at")?,
    })
}

/// Mode, amount and percentage. A value of the other kind beside the right one is a mistake, not something to ignore.
fn benefit_from_wire(campaign: &pb::Campaign) -> Result<Benefit, Refusal> {
    let value = Money::from_minor(campaign.value_minor);
    let (benefit, other_is_absent) = match campaign.mode() {
        pb::CouponMode::Unspecified => return Err(Refusal::invalid("mode")),
        pb::CouponMode::Discount => (
            Benefit::discount(campaign.value_basis_points)?,
            value.is_zero(),
        ),
        pb::CouponMode::Deduction => (Benefit::deduction(value)?, campaign.value_basis_points == 0),
        pb::CouponMode::Addition => (Benefit::addition(value)?, campaign.value_basis_points == 0),
    };
    if other_is_absent {
        Ok(benefit)
    } else {
        Err(Refusal::invalid("value"))
    }
}

pub fn benefit_fields(benefit: Benefit) -> (pb::CouponMode, i64, u32) {
    match benefit {
        Benefit::Discount { basis_points } => (pb::CouponMode::Discount, 0, basis_points),
        Benefit::Deduction { value } => (pb::CouponMode::Deduction, value.minor(), 0),
        Benefit::Addition { value } => (pb::CouponMode::Addition, value.minor(), 0),
    }
}

/// The state asked for; without one, unused.
pub fn state_from_wire(state: i32) -> Result<ShownState, Refusal> {
    match pb::CouponState::try_from(state) {
        Ok(pb::CouponState::Unspecified | pb::CouponState::Unused) => Ok(ShownState::Unused),
        Ok(pb::CouponState::Used) => Ok(ShownState::Used),
        Ok(pb::CouponState::Expired) => Ok(ShownState::Expired),
        Err(_) => Err(Refusal::invalid("state")),
    }
}

pub fn state_to_wire(state: ShownState) -> pb::CouponState {
    match state {
        ShownState::Unused => pb::CouponState::Unused,
        ShownState::Used => pb::CouponState::Used,
        ShownState::Expired => pb::CouponState::Expired,
    }
}

fn type_from_wire(coupon_type: pb::CouponType) -> Result<CouponType, Refusal> {
    match coupon_type {
        pb::CouponType::Unspecified => Err(Refusal::invalid("type")),
        pb::CouponType::Increment => Ok(CouponType::Increment),
        pb::CouponType::Deduction => Ok(CouponType::Deduction),
        pb::CouponType::Team => Ok(CouponType::Team),
        pb::CouponType::Custom => Ok(CouponType::Custom),
        pb::CouponType::FixedAmount => Ok(CouponType::FixedAmount),
    }
}

fn type_to_wire(coupon_type: CouponType) -> pb::CouponType {
    match coupon_type {
        CouponType::Increment => pb::CouponType::Increment,
        CouponType::Deduction => pb::CouponType::Deduction,
        CouponType::Team => pb::CouponType::Team,
        CouponType::Custom => pb::CouponType::Custom,
        CouponType::FixedAmount => pb::CouponType::FixedAmount,
    }
}

fn kind_from_wire(kind: pb::CampaignKind) -> Result<Kind, Refusal> {
    match kind {
        pb::CampaignKind::Unspecified => Err(Refusal::invalid("kind")),
        pb::CampaignKind::NewUser => Ok(Kind::NewUser),
        pb::CampaignKind::Periodic => Ok(Kind::Periodic),
        pb::CampaignKind::Staff => Ok(Kind::Staff),
    }
}

fn kind_to_wire(kind: Kind) -> pb::CampaignKind {
    match kind {
        Kind::NewUser => pb::CampaignKind::NewUser,
        Kind::Periodic => pb::CampaignKind::Periodic,
        Kind::Staff => pb::CampaignKind::Staff,
    }
}
