//! A user's coupon and the ways its state can change.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use crate::benefit::Kind;
use crate::campaign::Terms;
use crate::error::CouponError;
use crate::ids::{CampaignId, CouponId, OrderId};

names! {
    /// Where a coupon stands, as stored.
    State {
        /// Can be used until it expires.
        Unused,
        /// Taken for an order that is being placed.
        Reserved,
        /// Used for an order.
        Used,
        /// Expired unused.
        Expired,
    }
}

names! {
    /// Where a coupon stands, as its owner sees it: time counts, and a reservation does not show.
    ShownState {
        /// Can be used, or is reserved for an order that is being placed.
        Unused,
        /// Used.
        Used,
        /// Expired unused.
        Expired,
    }
}

/// A user's coupon.
#[derive(Clone, Debug)]
pub struct Coupon {
    /// Its id.
    pub id: CouponId,
    /// Whose it is.
    pub user: UserId,
    /// What it is.
    pub terms: Terms,
    /// How the user came by it.
    pub source: Kind,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was used.
    pub used_at: Option<DateTime<Utc>>,
    /// The order that has it.
    pub order: Option<OrderId>,
    pub(super) state: State,
}

/// A coupon as its owner sees it at one moment.
#[derive(Clone, Debug)]
pub struct ShownCoupon {
    /// The coupon.
    pub coupon: Coupon,
    /// Where it stands at that moment.
    pub state: ShownState,
}

impl Coupon {
    /// As its owner sees it at `now`.
    pub fn shown_at(self, now: DateTime<Utc>) -> ShownCoupon {
        ShownCoupon {
            state: self.shown_state(now),
            coupon: self,
        }
    }

    /// Where it stands at `now`. A reserved coupon does not expire: its order was placed in time.
    pub fn shown_state(&self, now: DateTime<Utc>) -> ShownState {
        match self.state {
            State::Unused if self.has_expired(now) => ShownState::Expired,
            State::Unused | State::Reserved => ShownState::Unused,
            State::Used => ShownState::Used,
            State::Expired => ShownState::Expired,
        }
    }

    /// Takes it for an order of `amount`; answers what it is worth there.
    pub fn reserve(
        &mut self,
        order: OrderId,
        amount: Money,
        now: DateTime<Utc>,
    ) -> Result<Money, CouponError> {
        if self.state != State::Unused || self.has_expired(now) {
            return Err(CouponError::NotUsable);
        }
        let missing = self.terms.amount_requirement.checked_sub(amount)?;
        if missing > Money::ZERO {
            return Err(CouponError::BelowRequirement(missing));
        }
        let worth = self.terms.benefit.worth(amount)?;
        self.state = State::Reserved;
        self.order = Some(order);
        Ok(worth)
    }

    /// Uses it up for the order that reserved it.
    pub fn redeem(&mut self, order: OrderId, now: DateTime<Utc>) -> Result<(), CouponError> {
        if self.state != State::Reserved || self.order != Some(order) {
            return Err(CouponError::NotUsable);
        }
        self.state = State::Used;
        self.used_at = Some(now);
        Ok(())
    }

    /// Gives it back from the order that has it; past its time it expires instead.
    pub fn release(&mut self, order: OrderId, now: DateTime<Utc>) -> Result<(), CouponError> {
        if self.order != Some(order) {
            return Err(CouponError::NotUsable);
        }
        self.state = if self.has_expired(now) {
            State::Expired
        } else {
            State::Unused
        };
        self.order = None;
        self.used_at = None;
        Ok(())
    }

    fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at <= now
    }
}

/// How many coupons a user has, by shown state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Unused ones.
    pub unused: i64,
    /// Used ones.
    pub used: i64,
    /// Expired ones.
    pub expired: i64,
}

impl Counts {
    /// How many there are of one state.
    pub fn of(&self, state: ShownState) -> i64 {
        match state {
            ShownState::Unused => self.unused,
            ShownState::Used => self.used,
            ShownState::Expired => self.expired,
        }
    }
}

/// A campaign as a user sees it.
#[derive(Clone, Debug)]
pub struct Claimable {
    /// The campaign.
    pub campaign: CampaignId,
    /// New-user or periodic.
    pub kind: Kind,
    /// Name, type, worth and requirement of its coupons.
    pub terms: Terms,
    /// Days that a coupon is valid after its claim.
    pub valid_days: u32,
    /// End of claiming; none if it has none.
    pub ends_at: Option<DateTime<Utc>>,
    /// Whether the user has had it: for new-user campaigns ever, for periodic ones today.
    pub claimed: bool,
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;
    use crate::benefit::{Benefit, CouponType};

    fn coupon(now: DateTime<Utc>) -> Coupon {
        let terms = Terms {
            name: "Boost".to_owned(),
            coupon_type: CouponType::Deduction,
            benefit: Benefit::deduction(Money::from_minor(500)).unwrap(),
            amount_requirement: Money::from_minor(1_000),
        };
        Coupon {
            id: CouponId(Uuid::now_v7()),
            user: UserId(Uuid::now_v7()),
            terms,
            source: Kind::Periodic,
            expires_at: now + TimeDelta::days(1),
            used_at: None,
            order: None,
            state: State::Unused,
        }
    }

    #[test]
    fn it_serves_one_order_and_comes_back() {
        let (now, order, other) = (Utc::now(), OrderId(Uuid::now_v7()), OrderId(Uuid::now_v7()));
        let mut coupon = coupon(now);
        let amount = Money::from_minor(2_000);
        assert_eq!(
            coupon.reserve(order, amount, now).unwrap(),
            Money::from_minor(500)
        );
        assert!(matches!(
            coupon.reserve(other, amount, now),
            Err(CouponError::NotUsable)
        ));
        assert!(matches!(
            coupon.redeem(other, now),
            Err(CouponError::NotUsable)
        ));
        assert_eq!(coupon.shown_state(now), ShownState::Unused);
        coupon.redeem(order, now).unwrap();
        assert_eq!(coupon.shown_state(now), ShownState::Used);
        assert!(matches!(
            coupon.release(other, now),
            Err(CouponError::NotUsable)
        ));
        coupon.release(order, now).unwrap();
        assert_eq!(
            (coupon.shown_state(now), coupon.used_at),
            (ShownState::Unused, None)
        );
    }

    #[test]
    fn time_runs_out_for_an_unused_coupon_but_not_for_a_reserved_one() {
        let (now, order) = (Utc::now(), OrderId(Uuid::now_v7()));
        let late = now + TimeDelta::days(1);
        let mut fresh = coupon(now);
        let mut reserved = fresh.clone();
        reserved
            .reserve(order, Money::from_minor(1_000), now)
            .unwrap();
        assert_eq!(fresh.shown_state(late), ShownState::Expired);
        assert!(matches!(
            fresh.reserve(order, Money::from_minor(1_000), late),
            Err(CouponError::NotUsable)
        ));
        assert_eq!(reserved.shown_state(late), ShownState::Unused);
        reserved.release(order, late).unwrap();
        assert_eq!(reserved.shown_state(late), ShownState::Expired);
    }

    #[test]
    fn an_amount_below_the_requirement_leaves_it_alone() {
        let (now, order) = (Utc::now(), OrderId(Uuid::now_v7()));
        let mut coupon = coupon(now);
        let refused = coupon.reserve(order, Money::from_minor(999), now);
        assert!(
            matches!(refused, Err(CouponError::BelowRequirement(missing)) if missing.minor() == 1)
        );
        coupon
            .reserve(order, Money::from_minor(1_000), now)
            .unwrap();
    }
}
