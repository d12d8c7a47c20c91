//! Campaigns: what staff may offer, and when users may claim.

use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, TimeDelta, Utc};

use crate::benefit::{Benefit, CouponType, Kind, LARGEST_VALUE, Mode};
use crate::ids::{CampaignId, StaffId};

/// Coupons live ten years at most.
const LONGEST_VALID_DAYS: u32 = 3_650;

/// No campaign gives out more.
const LARGEST_TOTAL: i64 = 1_000_000_000;

/// Parts that a campaign's stock is cut into: as many claims of it commit side by side.
const STOCK_PARTS: i64 = 16;

/// What a coupon of a campaign is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Name shown.
    pub name: String,
    /// Type shown.
    pub coupon_type: CouponType,
    /// What it is worth.
    pub benefit: Benefit,
    /// Least put amount.
    pub amount_requirement: Money,
}

impl Terms {
    /// From columns: `(mode, value_minor, value_basis_points)` are those of the benefit.
    pub fn from_columns(
        name: String,
        coupon_type: CouponType,
        (mode, value_minor, value_basis_points): (Mode, i64, i32),
        amount_requirement_minor: i64,
    ) -> Option<Self> {
        Some(Self {
            name,
            coupon_type,
            benefit: Benefit::from_columns(mode, value_minor, value_basis_points)?,
            amount_requirement: Money::from_minor(amount_requirement_minor),
        })
    }
}

names! {
    /// Where a campaign stands as far as four eyes go.
    State {
        /// Waits for another member of staff.
        Proposed,
        /// Its coupons can be had.
        Released,
        /// Another member of staff has refused it.
        Rejected,
    }
}

names! {
    /// What a second member of staff says.
    Choice {
        /// Its coupons can be had.
        Released,
        /// They never can.
        Rejected,
    }
}

impl Choice {
    /// The state that follows.
    pub fn decided(self) -> State {
        match self {
            Self::Released => State::Released,
            Self::Rejected => State::Rejected,
        }
    }
}

/// Whether a decision is still to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody has decided yet.
    Now,
    /// The same member of staff has decided the same before.
    Before,
}

/// A campaign that can be made: everything checked.
#[derive(Clone, Debug)]
pub struct NewCampaign {
    /// What its coupons are.
    pub terms: Terms,
    /// Who may claim.
    pub kind: Kind,
    /// Days a coupon is valid after the claim.
    pub valid_days: u32,
    /// Coupons in all; none: no limit.
    pub total: Option<i64>,
    /// When claiming begins.
    pub starts_at: Option<DateTime<Utc>>,
    /// When claiming ends.
    pub ends_at: Option<DateTime<Utc>>,
}

impl NewCampaign {
    /// Checks what the parts' own types do not say; the offending input is named.
    pub fn check(self, now: DateTime<Utc>) -> Result<Self, Refusal> {
        let ensure = |holds: bool, field: &str| {
            if holds {
                Ok(())
            } else {
                Err(Refusal::invalid(field))
            }
        };
        let requirement = self.terms.amount_requirement;
        ensure(
            !requirement.is_negative() && requirement <= LARGEST_VALUE,
            "amount_requirement",
        )?;
        ensure(
            (1..=LONGEST_VALID_DAYS).contains(&self.valid_days),
            "valid_days",
        )?;
        ensure(
            self.total
                .is_none_or(|total| (1..=LARGEST_TOTAL).contains(&total)),
            "total",
        )?;
        let ends_after = |instant: DateTime<Utc>| self.ends_at.is_none_or(|end| end > instant);
        ensure(
            ends_after(now) && self.starts_at.is_none_or(ends_after),
            "ends_at",
        )?;
        Ok(self)
    }

    /// What its coupons cost at most; none where nothing bounds that.
    pub fn cost_max(&self) -> Option<Money> {
        let coupon = self.terms.benefit.cost_max()?;
        let cost = coupon.minor().checked_mul(self.total?)?;
        Some(Money::from_minor(cost))
    }

    /// The campaign that it becomes.
    pub fn made(self, id: CampaignId, state: State, created_by: StaffId) -> Campaign {
        Campaign {
            id,
            state,
            created_by,
            decided: None,
            terms: self.terms,
            kind: self.kind,
            valid_days: self.valid_days,
            total: self.total,
            claimed: 0,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            cost: Cost::default(),
        }
    }
}

/// The capacities of the parts that a stock is cut into.
pub fn stock_parts(total: Option<i64>) -> Vec<Option<i64>> {
    let Some(total) = total else {
        return (0..STOCK_PARTS).map(|_| None).collect();
    };
    let parts = total.clamp(1, STOCK_PARTS);
    let (share, rest) = (total / parts, total % parts);
    (0..parts)
        .map(|part| Some(share.saturating_add(i64::from(part < rest))))
        .collect()
}

/// What a campaign has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Coupons that are used; one that came back is not.
    pub redeemed: i64,
    /// What they cost.
    pub amount: Money,
    /// Coupons that expired unused.
    pub expired: i64,
}

/// A campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Its id.
    pub id: CampaignId,
    /// Whether its coupons can be had.
    pub state: State,
    /// The member of staff who made it.
    pub created_by: StaffId,
    /// Who released or rejected it, and when; none of one that took one member of staff.
    pub decided: Option<(StaffId, DateTime<Utc>)>,
    /// What its coupons are.
    pub terms: Terms,
    /// Who may claim.
    pub kind: Kind,
    /// Days a coupon is valid after the claim.
    pub valid_days: u32,
    /// Coupons in all; none: no limit.
    pub total: Option<i64>,
    /// Coupons claimed.
    pub claimed: i64,
    /// When claiming begins.
    pub starts_at: Option<DateTime<Utc>>,
    /// When claiming ends.
    pub ends_at: Option<DateTime<Utc>>,
    /// What it has cost so far; only lists look it up. Nothing before its release.
    pub cost: Cost,
}

impl Campaign {
    /// Whether `by` may decide so now. Its maker never may, and a decision stands.
    pub fn verdict(&self, by: StaffId, choice: Choice) -> Result<Verdict, Refusal> {
        if self.state == State::Proposed {
            return Ok(Verdict::Now);
        }
        let is_theirs = self.decided.is_some_and(|(decider, _)| decider == by);
        if is_theirs && self.state == choice.decided() {
            return Ok(Verdict::Before);
        }
        Err(Refusal::new(Reason::NothingChanged))
    }

    /// A second member of staff has decided.
    pub fn decide(&mut self, choice: Choice, by: StaffId, now: DateTime<Utc>) {
        self.state = choice.decided();
        self.decided = Some((by, now));
    }

    /// Whether users may claim at `now`, as far as time goes. The beginning counts, the end does not.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.starts_at.is_none_or(|start| start <= now) && self.ends_at.is_none_or(|end| now < end)
    }

    /// When a coupon claimed at `now` expires.
    pub fn expiry(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(TimeDelta::days(i64::from(self.valid_days)))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

/// The form of a name by which "the same name" is meant: `Daily  Boost` and `daily boost` are one.
pub fn name_key(name: &str) -> String {
    name.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(total: Option<i64>) -> NewCampaign {
        let terms = Terms {
            name: "Boost".to_owned(),
            coupon_type: CouponType::Custom,
            benefit: Benefit::discount(500).unwrap(),
            amount_requirement: Money::ZERO,
        };
        NewCampaign {
            terms,
            kind: Kind::Periodic,
            valid_days: 7,
            total,
            starts_at: None,
            ends_at: None,
        }
    }

    #[test]
    fn the_parts_of_a_stock_add_up_to_it() {
        for total in [1, 2, 15, 16, 17, 1_000_003] {
            let parts = stock_parts(Some(total));
            assert!(parts.len() <= 16);
            assert!(
                parts
                    .iter()
                    .all(|part| part.is_some_and(|capacity| capacity > 0))
            );
            assert_eq!(parts.into_iter().flatten().sum::<i64>(), total);
        }
        assert_eq!(stock_parts(None), vec![None; 16]);
    }

    #[test]
    fn the_cost_of_a_campaign_is_bounded_by_value_and_total() {
        let cost = |benefit: Benefit, total| {
            let mut campaign = campaign(total);
            campaign.terms.benefit = benefit;
            campaign.cost_max().map(Money::minor)
        };
        let value = Money::from_minor(2_000);
        for benefit in [Benefit::Deduction { value }, Benefit::Addition { value }] {
            assert_eq!(cost(benefit, Some(50)), Some(100_000));
            assert_eq!(cost(benefit, None), None);
            assert_eq!(cost(benefit, Some(i64::MAX)), None);
        }
        assert_eq!(cost(Benefit::Discount { basis_points: 1 }, Some(1)), None);
    }

    #[test]
    fn an_end_lies_after_now_and_after_the_beginning() {
        let now = Utc::now();
        let hour = TimeDelta::hours(1);
        let window = |starts_at, ends_at| {
            NewCampaign {
                starts_at,
                ends_at,
                ..campaign(None)
            }
            .check(now)
            .map(|_| ())
        };
        assert_eq!(window(None, Some(now)), Err(Refusal::invalid("ends_at")));
        assert_eq!(
            window(Some(now + hour), Some(now + hour)),
            Err(Refusal::invalid("ends_at"))
        );
        assert_eq!(window(Some(now - hour), Some(now + hour)), Ok(()));
        assert_eq!(window(Some(now + hour), None), Ok(()));
    }

    #[test]
    fn the_same_name_is_the_same_in_any_case_and_spacing() {
        assert_eq!(name_key(" Daily \u{a0} BOOST"), name_key("daily boost"));
        assert_ne!(name_key("daily boost"), name_key("dailyboost"));
    }
}
