//! The life of an order, which people call a plan. Every change of state is a method here.
//!
//! ```text
//! placing ─┐                ┌─▶ putting ─▶ put_finished ─▶ waiting_settlement ─▶ settled
//!          ├─▶ matching ────┤
//! waiting ─┘                └─▶ put_failed
//! ```
//! Users never see `placing` (a put into a product) and its bad end `refused`. A pushed plan stays
//! `waiting` during its put.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::{Micros, Money, MoneyError};
use chrono::{DateTime, TimeDelta, Utc};

use super::status::{Pending, Status, Transition};
use crate::error::PlanError;
use crate::ids::{CouponId, OperatorId, OrderId, ProductId, ReservationId};
use crate::product::entity::{Audience, Product};

/// Why a pushed order failed into which nobody put money in time.
pub const EXPIRED: &str = "EXPIRED";

/// Why it failed: its user has cancelled it.
const CANCELLED: &str = "cancelled by its user";

/// The coupon of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouponUse {
    /// The user's coupon.
    pub id: CouponId,
    /// Its name.
    pub name: String,
    /// The id by which coupon knows the order.
    pub reservation_id: ReservationId,
}

/// What was delivered so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// Spend as reported, including over-delivery.
    pub reported: Micros,
    /// Spend that is charged, never more than the budget.
    pub charged: Micros,
    /// Revenue.
    pub revenue: Micros,
    /// Reports whose money is estimated from an import's pricing.
    pub estimated_reports: i64,
}

/// The amounts of a put and its coupon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutTerms {
    /// The budget.
    pub put_amount: Money,
    /// The user's part.
    pub paid: Money,
    /// The coupon's part.
    pub discount: Money,
    /// The coupon.
    pub coupon: Option<CouponUse>,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its id, also in wallet.
    pub id: OrderId,
    /// Its user.
    pub user_id: UserId,
    /// The number that people and reports use.
    pub plan_number: String,
    /// The product.
    pub product_id: ProductId,
    /// The product's name at the put.
    pub product_name: String,
    /// The product's icon at the put.
    pub product_icon_url: String,
    /// Where it stands.
    pub status: Status,
    /// Pushed by an operator.
    pub official: bool,
    /// The operator it was pushed for.
    pub operator_id: Option<OperatorId>,
    /// What is advertised.
    pub put_content: String,
    /// How it is advertised.
    pub put_rule: String,
    /// Whom it is shown to.
    pub audience: Audience,
    /// The budget; until the put the proposed amount.
    pub put_amount: Money,
    /// The user's part.
    pub paid: Money,
    /// The coupon's part.
    pub discount: Money,
    /// The coupon.
    pub coupon: Option<CouponUse>,
    /// What was delivered.
    pub delivered: Delivered,
    /// Where its reports came from.
    pub sources: Vec<String>,
    /// Counts the changes of money in `delivered`.
    pub version: i64,
    /// The version that the ledger has.
    pub posted_version: i64,
    /// An ending that is decided.
    pub pending: Option<Pending>,
    /// Why it failed.
    pub fail_reason: String,
    /// Paid out at settlement.
    pub paid_out: Money,
    /// When it was pushed or placed.
    pub created_at: DateTime<Utc>,
    /// When it was paid.
    pub put_at: Option<DateTime<Utc>>,
    /// When delivery ends by itself.
    pub window_ends_at: Option<DateTime<Utc>>,
    /// When delivery ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// When it settles by itself.
    pub settle_after: Option<DateTime<Utc>>,
    /// When it was settled.
    pub settled_at: Option<DateTime<Utc>>,
    /// When a pushed order that waits expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// What of the budget is allotted to placements, and neither charged nor given back.
    pub allotted: Micros,
    /// Since when no placement can be chosen for it.
    pub no_supply_since: Option<DateTime<Utc>>,
}

impl Order {
    /// An order for a put into a product, not shown until it is paid.
    pub fn for_put(
        id: OrderId,
        user_id: UserId,
        product: &Product,
        amount: Money,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            user_id,
            plan_number: super::number::plan_number(id.0, now),
            product_id: product.id,
            product_name: product.details.name.clone(),
            product_icon_url: product.details.icon_url.clone(),
            status: Status::Placing,
            official: false,
            operator_id: None,
            put_content: product.details.description.clone(),
            put_rule: String::new(),
            audience: product.details.audience.clone(),
            put_amount: amount,
            paid: Money::ZERO,
            discount: Money::ZERO,
            coupon: None,
            delivered: Delivered::default(),
            sources: Vec::new(),
            version: 0,
            posted_version: 0,
            pending: None,
            fail_reason: String::new(),
            paid_out: Money::ZERO,
            created_at: now,
            put_at: None,
            window_ends_at: None,
            finished_at: None,
            settle_after: None,
            settled_at: None,
            expires_at: None,
            allotted: Micros::ZERO,
            no_supply_since: None,
        }
    }

    /// The order as one that an operator pushes. It waits for the user's put until `expires_at`.
    #[must_use]
    pub fn pushed(
        self,
        expires_at: Option<DateTime<Utc>>,
        operator_id: Option<OperatorId>,
        put_content: String,
        put_rule: String,
        audience: Audience,
    ) -> Self {
        Self {
            status: Status::Waiting,
            official: true,
            expires_at,
            operator_id,
            put_content,
            put_rule,
            audience,
            ..self
        }
    }

    /// The first entry of the timeline of a pushed order.
    pub fn first_transition(&self) -> Transition {
        Transition {
            from: None,
            to: self.status,
            time: self.created_at,
            reason: String::new(),
        }
    }

    /// Whether it was pushed and waits for the user's put.
    pub fn is_waiting(&self) -> bool {
        self.status == Status::Waiting
    }

    /// Whether the user can put money into it now. Its time may be over before the sweep expires
    /// it.
    pub fn is_puttable(&self, now: DateTime<Utc>) -> bool {
        self.is_waiting() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Its time is over, and nobody put money into it.
    pub fn expire(&mut self, now: DateTime<Utc>) -> Result<Transition, PlanError> {
        if !self.is_waiting() || self.is_puttable(now) {
            return Err(PlanError::NotAllowed(self.status));
        }
        EXPIRED.clone_into(&mut self.fail_reason);
        self.finished_at = Some(now);
        Ok(self.move_to(Status::PutFailed, Some(Status::Waiting), now, EXPIRED))
    }

    /// When delivery ends at the latest, while it has not ended.
    pub fn delivery_ends_at(&self) -> Option<DateTime<Utc>> {
        self.window_ends_at
            .filter(|_| matches!(self.status, Status::Matching | Status::Putting))
    }

    /// Since when no placement can be chosen for it, while it could be delivered.
    pub fn no_supply_since(&self) -> Option<DateTime<Utc>> {
        self.no_supply_since.filter(|_| self.is_running())
    }

    /// Whether it may be delivered.
    pub fn is_running(&self) -> bool {
        self.require(&[Status::Matching, Status::Putting]).is_ok()
    }

    /// Whether users and staff see it.
    pub fn is_listed(&self) -> bool {
        Status::LISTED.contains(&self.status)
    }

    /// The put succeeded: the money is held.
    pub fn place(
        &mut self,
        terms: PutTerms,
        now: DateTime<Utc>,
        window: TimeDelta,
    ) -> Result<Transition, PlanError> {
        self.require(&[Status::Placing, Status::Waiting])?;
        let from = (self.status == Status::Waiting).then_some(Status::Waiting);
        self.put_amount = terms.put_amount;
        self.paid = terms.paid;
        self.discount = terms.discount;
        self.coupon = terms.coupon;
        self.put_at = Some(now);
        self.window_ends_at = now.checked_add_signed(window);
        Ok(self.move_to(Status::Matching, from, now, ""))
    }

    /// The put was refused. An order of a put into a product ends unseen. A pushed one goes on
    /// waiting, unless wallet had to close it for good (`closed`): then it fails, and its user sees
    /// that.
    pub fn refuse_put(
        &mut self,
        closed: bool,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Option<Transition> {
        match self.status {
            Status::Placing => {
                self.status = Status::Refused;
                reason.clone_into(&mut self.fail_reason);
                None
            }
            Status::Waiting if closed => {
                reason.clone_into(&mut self.fail_reason);
                self.finished_at = Some(now);
                Some(self.move_to(Status::PutFailed, Some(Status::Waiting), now, reason))
            }
            _ => None,
        }
    }

    /// Why reports cannot be taken, if they cannot.
    pub fn refuses_reports(&self) -> Option<&'static str> {
        if self.pending.is_some() {
            return Some("the plan is being settled or given back");
        }
        match self.status {
            Status::Placing | Status::Refused => Some("unknown plan"),
            Status::Waiting => Some("the plan has not been put yet"),
            Status::PutFailed => Some("the plan has failed"),
            Status::Settled => Some("the plan is settled"),
            Status::Matching
            | Status::Putting
            | Status::PutFinished
            | Status::WaitingSettlement => None,
        }
    }

    /// The steps after reports were taken: the first report starts delivery, and spend that reaches
    /// the budget ends it.
    pub fn progress(
        &mut self,
        now: DateTime<Utc>,
        settlement_delay: TimeDelta,
    ) -> Result<Vec<Transition>, MoneyError> {
        let mut transitions = Vec::new();
        if self.status == Status::Matching {
            transitions.push(self.move_to(Status::Putting, Some(Status::Matching), now, ""));
        }
        if self.status == Status::Putting && self.budget_left()? <= Micros::ZERO {
            transitions.push(self.end_delivery("budget consumed", now, settlement_delay));
        }
        Ok(transitions)
    }

    /// Delivery ends: staff decide so, or its window is over.
    pub fn finish(
        &mut self,
        reason: &str,
        now: DateTime<Utc>,
        delay: TimeDelta,
    ) -> Result<Transition, PlanError> {
        self.require(&[Status::Matching, Status::Putting])?;
        Ok(self.end_delivery(reason, now, delay))
    }

    /// Whether anything was delivered.
    pub fn has_delivered(&self) -> bool {
        self.status == Status::Putting
    }

    /// Whether delivery has finished, so that finishing it again changes nothing.
    pub fn is_finished(&self) -> bool {
        matches!(
            self.status,
            Status::PutFinished | Status::WaitingSettlement | Status::Settled
        )
    }

    /// Whether it failed or is about to.
    pub fn is_failed(&self) -> bool {
        self.status == Status::PutFailed || self.pending == Some(Pending::Fail)
    }

    /// Decides that the order fails. Not allowed once money was consumed or earned: delivery cannot
    /// be undone.
    pub fn begin_fail(&mut self, reason: &str) -> Result<(), PlanError> {
        self.require(&[Status::Matching, Status::Putting])?;
        if self.delivered.charged != Micros::ZERO || self.delivered.revenue != Micros::ZERO {
            return Err(PlanError::NotAllowed(self.status));
        }
        self.pending = Some(Pending::Fail);
        reason.clone_into(&mut self.fail_reason);
        Ok(())
    }

    /// Whether its user has cancelled it.
    pub fn is_cancelled(&self) -> bool {
        self.is_failed() && self.fail_reason == CANCELLED
    }

    /// Its user cancels it, which is possible until it delivers, or may be delivered by what is allotted: NOTHING_CHANGED.
    pub fn begin_cancel(&mut self) -> Result<(), PlanError> {
        let refused = || Refusal::new(Reason::NothingChanged);
        self.require(&[Status::Matching]).map_err(|_| refused())?;
        if self.allotted != Micros::ZERO {
            return Err(refused().into());
        }
        self.begin_fail(CANCELLED)
    }

    /// Wallet and coupon have returned everything.
    pub fn fail(&mut self, now: DateTime<Utc>) -> Result<Transition, PlanError> {
        if self.pending != Some(Pending::Fail) {
            return Err(PlanError::NotAllowed(self.status));
        }
        self.pending = None;
        self.finished_at = Some(now);
        let reason = self.fail_reason.clone();
        Ok(self.move_to(Status::PutFailed, Some(self.status), now, &reason))
    }

    /// The ledger has all of the delivery.
    pub fn await_settlement(&mut self, now: DateTime<Utc>) -> Result<Transition, PlanError> {
        self.require(&[Status::PutFinished])?;
        Ok(self.move_to(
            Status::WaitingSettlement,
            Some(Status::PutFinished),
            now,
            "",
        ))
    }

    /// Decides that the order settles. From now on reports are rejected, so the totals are final.
    pub fn begin_settle(&mut self) -> Result<(), PlanError> {
        self.require(&[Status::WaitingSettlement])?;
        self.pending = Some(Pending::Settle);
        Ok(())
    }

    /// Wallet has paid out.
    pub fn settle(&mut self, paid_out: Money, now: DateTime<Utc>) -> Result<Transition, PlanError> {
        if self.pending != Some(Pending::Settle) {
            return Err(PlanError::NotAllowed(self.status));
        }
        self.pending = None;
        self.paid_out = paid_out;
        self.settled_at = Some(now);
        Ok(self.move_to(Status::Settled, Some(self.status), now, ""))
    }

    /// Whether it is settled.
    pub fn is_settled(&self) -> bool {
        self.status == Status::Settled
    }

    /// Whether it was settled or is about to.
    pub fn is_settling(&self) -> bool {
        self.is_settled() || self.pending == Some(Pending::Settle)
    }

    /// Whether it settles by itself now.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.settle_after.is_some_and(|due| due <= now)
    }

    /// Whether it waits for its settlement, and nothing is decided about it.
    pub fn awaits_settlement(&self) -> bool {
        self.require(&[Status::WaitingSettlement]).is_ok()
    }

    /// Whether its delivery has ended but the ledger may not have everything yet.
    pub fn awaits_ledger(&self) -> bool {
        self.status == Status::PutFinished
    }

    fn end_delivery(
        &mut self,
        reason: &str,
        now: DateTime<Utc>,
        settlement_delay: TimeDelta,
    ) -> Transition {
        self.finished_at = Some(now);
        self.settle_after = now.checked_add_signed(settlement_delay);
        self.move_to(Status::PutFinished, Some(self.status), now, reason)
    }

    fn require(&self, allowed: &[Status]) -> Result<(), PlanError> {
        if self.pending.is_none() && allowed.contains(&self.status) {
            Ok(())
        } else {
            Err(PlanError::NotAllowed(self.status))
        }
    }

    fn move_to(
        &mut self,
        to: Status,
        from: Option<Status>,
        time: DateTime<Utc>,
        reason: &str,
    ) -> Transition {
        self.status = to;
        Transition {
            from,
            to,
            time,
            reason: reason.to_owned(),
        }
    }
}

/// An order that may hold money, for reconciliation.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The order.
    pub order: Order,
    /// What it holds by what was posted.
    pub open: Money,
    /// Whether wallet may be ahead of the order, or behind it.
    pub in_flight: bool,
}
