//! The rules of the ledger: what a command does to what is there. Pure functions; every rule stands here and nowhere
//! else.
//!
//! All amounts are minor units. An amount of a command is at most [`LARGEST_AMOUNT`](super::amount::LARGEST_AMOUNT)
//! and a balance at most [`BALANCE_LIMIT`], so a sum of a few of them is far inside 64 bits: where one saturates,
//! nothing is lost.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use chrono::{DateTime, Utc};

use super::command::{Action, Command};
use super::movement::{Movement, MovementKind};
use super::outcome::{Booked, Refused};
use super::transaction_type::TransactionType;
use crate::outflow::Left;
use crate::property::entity::Property;
use crate::withdrawal::entity::{Status, Withdrawal};

/// The largest balance; the schema has the same.
pub const BALANCE_LIMIT: i64 = 1_000_000_000_000_000_000;

/// The balances of a user's five accounts, or changes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    pub available: i64,
    pub to_be_consumed: i64,
    pub to_be_settled: i64,
    pub withdrawing: i64,
    pub guarantee: i64,
}

impl Balances {
    /// In the order in which the chain covers them.
    pub fn to_array(self) -> [i64; 5] {
        [
            self.available,
            self.to_be_consumed,
            self.to_be_settled,
            self.withdrawing,
            self.guarantee,
        ]
    }

    /// What they are together.
    pub fn sum(self) -> i64 {
        self.to_array().into_iter().fold(0, i64::saturating_add)
    }
}

/// What a command moves with one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub kind: TransactionType,
    /// What events name as its amount.
    pub amount: i64,
    pub change: Balances,
    /// What of a paid withdrawal the platform keeps.
    pub fee: i64,
    /// How the start-up funds that are outstanding change.
    pub start_up: i64,
    /// How what coupons paid changes.
    pub discount: i64,
}

impl Step {
    fn new(kind: TransactionType, amount: i64, change: Balances) -> Self {
        Self {
            kind,
            amount,
            change,
            fee: 0,
            start_up: 0,
            discount: 0,
        }
    }

    /// A step that moves nothing leaves no transaction: a settlement without revenue, the closing of an order that held
    /// nothing, a report that changed only one of spend and revenue.
    fn moves_something(&self) -> bool {
        self.change != Balances::default()
    }

    /// How the platform's account changes: what makes the entries sum to zero.
    pub fn platform_change(&self) -> i64 {
        self.change.sum().saturating_add(self.fee).saturating_neg()
    }

    /// A wallet's figures after it. They may become negative, which the schema refuses: no rule lets it come to that.
    pub fn apply_to(&self, figures: &Property) -> Result<Property, Refused> {
        let sum = |balance: i64, change: i64| {
            let sum = balance.saturating_add(change);
            (sum <= BALANCE_LIMIT)
                .then_some(sum)
                .ok_or(Refused::BalanceLimit)
        };
        Ok(Property {
            available: sum(figures.available, self.change.available)?,
            to_be_consumed: sum(figures.to_be_consumed, self.change.to_be_consumed)?,
            to_be_settled: sum(figures.to_be_settled, self.change.to_be_settled)?,
            withdrawing: sum(figures.withdrawing, self.change.withdrawing)?,
            guarantee: sum(figures.guarantee, self.change.guarantee)?,
            discount_total: sum(figures.discount_total, self.discount)?,
            start_up_outstanding: sum(figures.start_up_outstanding, self.start_up)?,
            ..*figures
        })
    }
}

names! {
    /// Where an order's money is.
    HoldState as "hold_state" {
        /// Held.
        Held,
        /// Given back.
        Released,
        /// Paid for and given back.
        Settled,
    }
}

/// What an order holds, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub user_id: UserId,
    pub state: HoldState,
    /// The user's part. Both parts are 0 when the order was released before it held anything.
    pub paid: i64,
    /// The coupon's part.
    pub discount: i64,
    /// Version of the delivery that stands.
    pub version: i64,
    pub consumed: i64,
    pub revenue: i64,
    /// Given back to the available balance so far.
    pub paid_returned: i64,
    /// Given back to promotions so far.
    pub discount_returned: i64,
    /// Given back to the available balance by the settlement.
    pub paid_returned_at_settle: i64,
    pub platform_share: i64,
}

impl Hold {
    fn new(user_id: UserId, state: HoldState, paid: i64, discount: i64) -> Self {
        Self {
            user_id,
            state,
            paid,
            discount,
            version: 0,
            consumed: 0,
            revenue: 0,
            paid_returned: 0,
            discount_returned: 0,
            paid_returned_at_settle: 0,
            platform_share: 0,
        }
    }

    /// Whether the order was released before it held anything.
    fn never_held(&self) -> bool {
        self.paid == 0 && self.discount == 0
    }

    fn total(&self) -> i64 {
        self.paid.saturating_add(self.discount)
    }

    fn returned(&self) -> i64 {
        self.paid_returned.saturating_add(self.discount_returned)
    }

    /// What it has not given back: consumed or still there.
    fn kept(&self) -> i64 {
        self.total().saturating_sub(self.returned())
    }

    /// What is still there.
    fn open(&self) -> i64 {
        self.kept().saturating_sub(self.consumed)
    }

    /// Gives back what is still there, in the proportion paid. The proportion is of all that was ever returned, so that
    /// several returns round as one; what does not divide is the user's.
    fn give_back(&mut self) -> Step {
        let open = self.open();
        let returned = i128::from(self.returned().saturating_add(open));
        let coupons_part = returned
            .saturating_mul(i128::from(self.discount))
            .checked_div(i128::from(self.total()))
            .and_then(|part| i64::try_from(part).ok())
            .unwrap_or(0);
        let discount = coupons_part.saturating_sub(self.discount_returned);
        let paid = open.saturating_sub(discount);
        self.paid_returned = self.paid_returned.saturating_add(paid);
        self.discount_returned = self.discount_returned.saturating_add(discount);
        let change = Balances {
            available: paid,
            to_be_consumed: open.saturating_neg(),
            ..Balances::default()
        };
        Step {
            discount: discount.saturating_neg(),
            ..Step::new(TransactionType::Release, paid, change)
        }
    }

    /// What the settlement paid out to the available balance.
    pub fn paid_out(&self) -> i64 {
        // The schema keeps the share between zero and the revenue.
        self.revenue.saturating_sub(self.platform_share)
    }
}

/// What a movement was first posted as, by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstUse {
    pub user_id: UserId,
    /// SHA-256 of what was asked for.
    pub digest: [u8; 32],
    pub available_change: i64,
    pub booked: Booked,
}

/// What a command is decided by: what it refers to, as it stands. What there is not is none.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub wallet: Option<&'a Property>,
    /// The order's.
    pub hold: Option<&'a Hold>,
    /// Of the key.
    pub first_use: Option<&'a FirstUse>,
    /// That a decision is about.
    pub withdrawal: Option<&'a Withdrawal>,
    /// That a return gives back.
    pub debit: Option<&'a FirstUse>,
    /// The user whose return closed the exchange order.
    pub closed_for: Option<UserId>,
    /// What left the wallet in the last 24 hours; read only for what leaves.
    pub left: Left,
}

/// What an accepted command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An earlier command did it.
    Repeated,
    Applied(Effect),
}

/// What an accepted command does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What it moves: at most two transactions, in this order.
    pub steps: Vec<Step>,
    /// The order's hold after it.
    pub hold: Option<Hold>,
    pub withdrawal: Option<WithdrawalChange>,
    /// Whether the exchange order may never be debited any more.
    pub closes_exchange: bool,
}

/// What becomes of a withdrawal with the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawalChange {
    Requested,
    Decided(Status),
}

/// Decides about a command: refused, done before, or done with these effects. A refusal changes nothing.
pub fn decide(
    command: &Command,
    found: &Found<'_>,
    now: DateTime<Utc>,
) -> Result<Verdict, Refused> {
    let mut verdict = match &command.action {
        Action::Move(movement) => decide_movement(command.user_id, movement, found, now)?,
        Action::Hold { paid, discount, .. } => {
            decide_hold(command.user_id, (paid.minor(), discount.minor()), found)?
        }
        Action::RecordDelivery {
            version,
            consumed,
            revenue,
            ..
        } => {
            let report = (*version, consumed.minor(), revenue.minor());
            decide_delivery(command.user_id, report, found)?
        }
        Action::Release { .. } => decide_release(command.user_id, found)?,
        Action::Settle {
            consumed,
            revenue,
            platform_share,
            ..
        } => {
            let account = (consumed.minor(), revenue.minor(), platform_share.minor());
            decide_settlement(command.user_id, account, found)?
        }
    };
    if let Verdict::Applied(effect) = &mut verdict {
        effect.steps.retain(Step::moves_something);
        let mut figures = found.wallet.copied().unwrap_or_default();
        for step in &effect.steps {
            figures = step.apply_to(&figures)?;
        }
    }
    Ok(verdict)
}

fn decide_hold(
    user_id: UserId,
    (paid, discount): (i64, i64),
    found: &Found<'_>,
) -> Result<Verdict, Refused> {
    if let Some(hold) = found.hold {
        return if hold.user_id != user_id {
            Err(Refused::KeyReused)
        } else if hold.never_held() {
            Err(Refused::OrderClosed)
        } else if (hold.paid, hold.discount) != (paid, discount) {
            Err(Refused::KeyReused)
        } else if hold.state != HoldState::Held {
            Err(Refused::OrderClosed)
        } else {
            Ok(Verdict::Repeated)
        };
    }
    require(paid, found.wallet.map_or(0, |wallet| wallet.available))?;
    let change = Balances {
        available: paid.saturating_neg(),
        to_be_consumed: paid.saturating_add(discount),
        ..Balances::default()
    };
    let step = Step {
        discount,
        ..Step::new(TransactionType::Hold, paid, change)
    };
    Ok(Verdict::Applied(Effect {
        steps: vec![step],
        hold: Some(Hold::new(user_id, HoldState::Held, paid, discount)),
        ..Effect::default()
    }))
}

/// The hold of an order that has held something of this user's.
fn held(user_id: UserId, found: &Found<'_>) -> Result<Hold, Refused> {
    let hold = found
        .hold
        .filter(|hold| hold.user_id == user_id && !hold.never_held());
    hold.copied().ok_or(Refused::UnknownOrder)
}

/// Brings spend and revenue to their new totals.
fn decide_delivery(
    user_id: UserId,
    (version, consumed, revenue): (i64, i64, i64),
    found: &Found<'_>,
) -> Result<Verdict, Refused> {
    let mut hold = held(user_id, found)?;
    if version <= hold.version {
        return Ok(Verdict::Repeated);
    }
    if hold.state == HoldState::Settled {
        return Err(Refused::OrderClosed);
    }
    if consumed > hold.kept() {
        return Err(Refused::ConsumedOutOfRange);
    }
    let spent = consumed.saturating_sub(hold.consumed);
    let earned = revenue.saturating_sub(hold.revenue);
    (hold.version, hold.consumed, hold.revenue) = (version, consumed, revenue);
    let consume = Balances {
        to_be_consumed: spent.saturating_neg(),
        ..Balances::default()
    };
    let accrue = Balances {
        to_be_settled: earned,
        ..Balances::default()
    };
    Ok(Verdict::Applied(Effect {
        steps: vec![
            Step::new(TransactionType::Consume, spent, consume),
            Step::new(TransactionType::Accrue, earned, accrue),
        ],
        hold: Some(hold),
        ..Effect::default()
    }))
}

/// A release that comes before its hold closes the order.
fn decide_release(user_id: UserId, found: &Found<'_>) -> Result<Verdict, Refused> {
    let mut hold = match found.hold {
        None => {
            return Ok(Verdict::Applied(Effect {
                hold: Some(Hold::new(user_id, HoldState::Released, 0, 0)),
                ..Effect::default()
            }));
        }
        Some(hold) if hold.user_id != user_id => return Err(Refused::UnknownOrder),
        Some(hold) => *hold,
    };
    match hold.state {
        HoldState::Settled => return Ok(Verdict::Repeated),
        // A report may have lowered the spend since.
        HoldState::Released if hold.open() == 0 => return Ok(Verdict::Repeated),
        HoldState::Held | HoldState::Released => {}
    }
    hold.state = HoldState::Released;
    let step = hold.give_back();
    Ok(Verdict::Applied(Effect {
        steps: vec![step],
        hold: Some(hold),
        ..Effect::default()
    }))
}

/// Gives back what the order still holds and pays its revenue out.
fn decide_settlement(
    user_id: UserId,
    (consumed, revenue, share): (i64, i64, i64),
    found: &Found<'_>,
) -> Result<Verdict, Refused> {
    let mut hold = held(user_id, found)?;
    if hold.state == HoldState::Settled {
        let is_same =
            (hold.consumed, hold.revenue, hold.platform_share) == (consumed, revenue, share);
        return if is_same {
            Ok(Verdict::Repeated)
        } else {
            Err(Refused::KeyReused)
        };
    }
    if hold.consumed != consumed {
        return Err(Refused::ConsumedDiffers);
    }
    if hold.revenue != revenue {
        return Err(Refused::RevenueDiffers);
    }
    if share > revenue {
        return Err(Refused::ShareOutOfRange);
    }
    let release = hold.give_back();
    hold.state = HoldState::Settled;
    hold.paid_returned_at_settle = release.change.available;
    hold.platform_share = share;
    let settle = Balances {
        available: hold.paid_out(),
        to_be_settled: revenue.saturating_neg(),
        ..Balances::default()
    };
    Ok(Verdict::Applied(Effect {
        steps: vec![release, Step::new(TransactionType::Settle, revenue, settle)],
        hold: Some(hold),
        ..Effect::default()
    }))
}

fn decide_movement(
    user_id: UserId,
    movement: &Movement,
    found: &Found<'_>,
    now: DateTime<Utc>,
) -> Result<Verdict, Refused> {
    if let Some(first) = found.first_use {
        return if first.digest == movement.digest {
            Ok(Verdict::Repeated)
        } else {
            Err(Refused::KeyReused)
        };
    }
    match movement.kind {
        MovementKind::WithdrawalPaid => decide_withdrawal(user_id, movement, Status::Paid, found),
        MovementKind::WithdrawalRejected => {
            decide_withdrawal(user_id, movement, Status::Rejected, found)
        }
        MovementKind::ExchangeReturn => decide_return(user_id, movement, found),
        MovementKind::ExchangeDebit | MovementKind::ExchangeCredit
            if found.wallet.is_some() && found.closed_for.is_some() =>
        {
            Err(Refused::OrderClosed)
        }
        MovementKind::Withdraw | MovementKind::ExchangeDebit => {
            decide_outflow(movement, found, now)
        }
        MovementKind::Deposit
        | MovementKind::Chargeback
        | MovementKind::RechargeDeduction
        | MovementKind::Membership
        | MovementKind::ExchangeCredit
        | MovementKind::StartUpGrant
        | MovementKind::StartUpReturn
        | MovementKind::GuaranteeDeposit
        | MovementKind::GuaranteeReturn => {
            let wallet = found.wallet.ok_or(Refused::NoWallet)?;
            let step = movement_step(movement.kind, movement.amount.minor());
            if step.start_up.saturating_neg() > wallet.start_up_outstanding {
                return Err(Refused::AmountOutOfRange);
            }
            require_available(wallet, &step)?;
            require_guarantee(wallet, &step)?;
            Ok(applied(step))
        }
    }
}

fn applied(step: Step) -> Verdict {
    Verdict::Applied(Effect {
        steps: vec![step],
        ..Effect::default()
    })
}

fn require_available(wallet: &Property, step: &Step) -> Result<(), Refused> {
    require(step.change.available.saturating_neg(), wallet.available)
}

/// Refuses INSUFFICIENT_BALANCE where a balance does not cover what is taken from it.
fn require(taken: i64, balance: i64) -> Result<(), Refused> {
    if taken > balance {
        Err(Refused::InsufficientBalance(taken.saturating_sub(balance)))
    } else {
        Ok(())
    }
}

/// A guarantee takes no start-up funds, which are not the user's, and gives back only what it has.
fn require_guarantee(wallet: &Property, step: &Step) -> Result<(), Refused> {
    let change = step.change.guarantee;
    let own = wallet.available.saturating_sub(wallet.start_up_outstanding);
    require(change.saturating_neg(), wallet.guarantee)?;
    if change > 0 && change > own {
        Err(Refused::StartUpFundsNotReturned)
    } else {
        Ok(())
    }
}

/// Money that leaves: a user's withdrawal, or the debit of an exchange order. What does not say how it leaves stays.
fn decide_outflow(
    movement: &Movement,
    found: &Found<'_>,
    now: DateTime<Utc>,
) -> Result<Verdict, Refused> {
    let wallet = found.wallet.ok_or(Refused::NoWallet)?;
    let amount = movement.amount.minor();
    let step = movement_step(movement.kind, amount);
    require_available(wallet, &step)?;
    let outflow = movement.outflow.ok_or(Refused::NothingChanged)?;
    outflow
        .rules
        .check(wallet, &found.left, (outflow.exit, amount), now)?;
    let is_withdrawal = movement.withdrawal.is_some();
    Ok(Verdict::Applied(Effect {
        steps: vec![step],
        withdrawal: is_withdrawal.then_some(WithdrawalChange::Requested),
        ..Effect::default()
    }))
}

/// The decision about a withdrawal moves what was asked for. What is in a payment batch is decided by that alone.
fn decide_withdrawal(
    user_id: UserId,
    movement: &Movement,
    status: Status,
    found: &Found<'_>,
) -> Result<Verdict, Refused> {
    let withdrawal = found
        .withdrawal
        .filter(|withdrawal| withdrawal.user_id == user_id)
        .ok_or(Refused::UnknownWithdrawal)?;
    let is_theirs = withdrawal.payment_batch_id == movement.payment_batch;
    if withdrawal.status != Status::Pending || !is_theirs {
        return Err(Refused::NothingChanged);
    }
    let step = if status == Status::Paid {
        found.wallet.map_or(Ok(()), Property::require_not_frozen)?;
        let paid = movement_step(MovementKind::WithdrawalPaid, withdrawal.amount);
        Step {
            fee: withdrawal.fee,
            ..paid
        }
    } else {
        movement_step(MovementKind::WithdrawalRejected, withdrawal.amount)
    };
    Ok(Verdict::Applied(Effect {
        steps: vec![step],
        withdrawal: Some(WithdrawalChange::Decided(status)),
        ..Effect::default()
    }))
}

/// A return that comes before its debit closes the exchange order and moves nothing.
fn decide_return(
    user_id: UserId,
    movement: &Movement,
    found: &Found<'_>,
) -> Result<Verdict, Refused> {
    let amount = movement.amount.minor();
    if let Some(debit) = found.debit {
        return if debit.user_id != user_id {
            Err(Refused::UnknownExchange)
        } else if debit.available_change != amount.saturating_neg() {
            Err(Refused::KeyReused)
        } else {
            Ok(applied(movement_step(movement.kind, amount)))
        };
    }
    if found.wallet.is_none() {
        return Err(Refused::NoWallet);
    }
    match found.closed_for {
        None => Ok(Verdict::Applied(Effect {
            closes_exchange: true,
            ..Effect::default()
        })),
        Some(closed_for) if closed_for != user_id => Err(Refused::UnknownExchange),
        Some(_) => Ok(Verdict::Repeated),
    }
}

/// What a movement of this kind moves.
fn movement_step(kind: MovementKind, amount: i64) -> Step {
    let less = amount.saturating_neg();
    let (available, withdrawing, guarantee, start_up) = match kind {
        MovementKind::Deposit | MovementKind::ExchangeReturn | MovementKind::ExchangeCredit => {
            (amount, 0, 0, 0)
        }
        MovementKind::Chargeback
        | MovementKind::RechargeDeduction
        | MovementKind::Membership
        | MovementKind::ExchangeDebit => (less, 0, 0, 0),
        MovementKind::Withdraw => (less, amount, 0, 0),
        MovementKind::WithdrawalPaid => (0, less, 0, 0),
        MovementKind::WithdrawalRejected => (amount, less, 0, 0),
        MovementKind::StartUpGrant => (amount, 0, 0, amount),
        MovementKind::StartUpReturn => (less, 0, 0, less),
        MovementKind::GuaranteeDeposit => (less, 0, amount, 0),
        MovementKind::GuaranteeReturn => (amount, 0, less, 0),
    };
    let change = Balances {
        available,
        withdrawing,
        guarantee,
        ..Balances::default()
    };
    Step {
        start_up,
        ..Step::new(kind.into(), amount, change)
    }
}
