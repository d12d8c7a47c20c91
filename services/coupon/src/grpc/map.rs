//! Between the contract's messages and this service's own types.

use adfolio_kit::identity::Staff;
use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as proto;

use crate::benefit::{Benefit, CouponType, Kind, Mode};
use crate::campaign::{Campaign, Choice, Decision, NewCampaign, State, Terms};
use crate::coupon::{Claimable, Counts, ShownCoupon, ShownState};
use crate::ids::StaffId;
use crate::reservation::Reserved;

/// Longest name of a campaign, in characters.
const LONGEST_NAME: usize = 100;

/// Longest reason of a decision, in characters.
const LONGEST_REASON: usize = 500;

mirror! {
    CouponType = proto::CouponType,
    Kind = proto::CampaignKind,
    Mode = proto::CouponMode,
    ShownState = proto::CouponState,
    State = proto::CampaignState,
    Choice = proto::CampaignDecision,
}

impl From<&ShownCoupon> for proto::Coupon {
    fn from(ShownCoupon { coupon, state }: &ShownCoupon) -> Self {
        let (mode, value_minor, value_basis_points) = benefit_fields(coupon.terms.benefit);
        // An order that is still being placed is no plan yet.
        let plan = coupon.order.filter(|_| *state == ShownState::Used);
        Self {
            id: coupon.id.to_string(),
            name: coupon.terms.name.clone(),
            r#type: coupon.terms.coupon_type.to_wire(),
            mode,
            value_minor,
            value_basis_points,
            amount_requirement_minor: coupon.terms.amount_requirement.minor(),
            expires_at: Some(coupon.expires_at.into()),
            state: state.to_wire(),
            used_at: coupon.used_at.map(Into::into),
            plan_id: plan.map(|order| order.to_string()).unwrap_or_default(),
            source: coupon.source.to_wire(),
        }
    }
}

impl From<&ShownCoupon> for proto::ReceiveCouponResponse {
    fn from(coupon: &ShownCoupon) -> Self {
        Self {
            coupon: Some(coupon.into()),
        }
    }
}

impl From<&ShownCoupon> for proto::GrantCouponResponse {
    fn from(coupon: &ShownCoupon) -> Self {
        Self {
            coupon: Some(coupon.into()),
        }
    }
}

impl From<&Claimable> for proto::Claimable {
    fn from(claimable: &Claimable) -> Self {
        let (mode, value_minor, value_basis_points) = benefit_fields(claimable.terms.benefit);
        Self {
            campaign_id: claimable.campaign.to_string(),
            name: claimable.terms.name.clone(),
            kind: claimable.kind.to_wire(),
            mode,
            value_minor,
            value_basis_points,
            claimed: claimable.claimed,
            r#type: claimable.terms.coupon_type.to_wire(),
            amount_requirement_minor: claimable.terms.amount_requirement.minor(),
            valid_days: claimable.valid_days,
            ends_at: claimable.ends_at.map(Into::into),
        }
    }
}

impl From<Counts> for Vec<proto::StateCount> {
    fn from(counts: Counts) -> Self {
        ShownState::ALL
            .iter()
            .map(|state| proto::StateCount {
                state: state.to_wire(),
                count: counts.of(*state),
            })
            .collect()
    }
}

impl From<&Campaign> for proto::Campaign {
    fn from(campaign: &Campaign) -> Self {
        let (mode, value_minor, value_basis_points) = benefit_fields(campaign.terms.benefit);
        Self {
            id: campaign.id.to_string(),
            name: campaign.terms.name.clone(),
            r#type: campaign.terms.coupon_type.to_wire(),
            mode,
            value_minor,
            value_basis_points,
            amount_requirement_minor: campaign.terms.amount_requirement.minor(),
            kind: campaign.kind.to_wire(),
            valid_days: campaign.valid_days,
            total: campaign.total.unwrap_or(0),
            claimed: campaign.claimed,
            starts_at: campaign.starts_at.map(Into::into),
            ends_at: campaign.ends_at.map(Into::into),
            state: campaign.state.to_wire(),
            created_by: campaign.created_by.to_string(),
            decided_by: campaign
                .decided
                .map(|(by, _)| by.to_string())
                .unwrap_or_default(),
            decided_at: campaign.decided.map(|(_, at)| at.into()),
            redeemed: campaign.cost.redeemed,
            redeemed_minor: campaign.cost.amount.minor(),
            expired: campaign.cost.expired,
        }
    }
}

impl From<&Campaign> for proto::DecideCampaignResponse {
    fn from(campaign: &Campaign) -> Self {
        Self {
            campaign: Some(campaign.into()),
        }
    }
}

impl From<&Campaign> for proto::CreateCampaignResponse {
    fn from(campaign: &Campaign) -> Self {
        Self {
            campaign: Some(campaign.into()),
        }
    }
}

impl From<Reserved> for proto::ReserveResponse {
    fn from(reserved: Reserved) -> Self {
        Self {
            mode: reserved.coupon.terms.benefit.mode().to_wire(),
            discount_minor: reserved.discount.minor(),
            coupon_name: reserved.coupon.terms.name,
        }
    }
}

/// The campaign that staff ask for; a refusal names fields as the staff API does.
impl TryFrom<proto::Campaign> for NewCampaign {
    type Error = Refusal;

    fn try_from(campaign: proto::Campaign) -> Result<Self, Refusal> {
        let terms = Terms {
            name: wire::line(&campaign.name, LONGEST_NAME, "name")?,
            coupon_type: CouponType::required(campaign.r#type, "type")?,
            benefit: benefit(&campaign)?,
            amount_requirement: Money::from_minor(campaign.amount_requirement_minor),
        };
        Ok(Self {
            terms,
            kind: Kind::required(campaign.kind, "kind")?,
            valid_days: campaign.valid_days,
            total: Some(campaign.total).filter(|total| *total != 0),
            starts_at: wire::instant(campaign.starts_at, "starts_at")?,
            ends_at: wire::instant(campaign.ends_at, "ends_at")?,
        })
    }
}

/// The decision of this member of staff.
pub fn decision(staff: Staff, request: &proto::DecideCampaignRequest) -> Result<Decision, Refusal> {
    Ok(Decision {
        id: wire::id(&request.campaign_id, "id")?,
        by: StaffId(staff.id),
        choice: Choice::required(request.decision, "decision")?,
        reason: wire::line(&request.reason, LONGEST_REASON, "reason")?,
    })
}

/// A value of the other kind beside the right one is a mistake, not something to ignore.
fn benefit(campaign: &proto::Campaign) -> Result<Benefit, Refusal> {
    let value = Money::from_minor(campaign.value_minor);
    let basis_points = campaign.value_basis_points;
    let (benefit, other_is_absent) = match Mode::required(campaign.mode, "mode")? {
        Mode::Discount => (Benefit::discount(basis_points)?, value.is_zero()),
        Mode::Deduction => (Benefit::deduction(value)?, basis_points == 0),
        Mode::Addition => (Benefit::addition(value)?, basis_points == 0),
    };
    if other_is_absent {
        Ok(benefit)
    } else {
        Err(Refusal::invalid("value"))
    }
}

/// The fields `mode`, `value_minor` and `value_basis_points`.
fn benefit_fields(benefit: Benefit) -> (i32, i64, u32) {
    let mode = benefit.mode().to_wire();
    match benefit {
        Benefit::Discount { basis_points } => (mode, 0, basis_points),
        Benefit::Deduction { value } | Benefit::Addition { value } => (mode, value.minor(), 0),
    }
}
