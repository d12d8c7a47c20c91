//! Deciding how an open order ends: by its user or by staff, once. Staff also complete what had ended otherwise, if its
//! payment came late.
//!
//! A completion by staff that exceeds the threshold of four eyes takes two: the first call is kept as the wish of who
//! made it and refused, and another person's same decision completes the order. So does every completion that takes
//! money for an order that was called off. To cancel gives money back to its owner, and takes one.

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::four_eyes::{self, Threshold};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::{self, Lease};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::entity::{Asked, Completion, Ending, EndingCall, Exchange, State, Status};
use super::repo;
use crate::acceptance::entity::Direction;
use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::{AttemptId, ExchangeId, StaffId};

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The order's user; another user's order is none.
    Owner(UserId),
    Staff(StaffId),
}

/// A decision about an order.
#[derive(Clone, Debug)]
pub struct Decision {
    pub id: ExchangeId,
    pub by: Decider,
    /// How it ends.
    pub ending: Ending,
    /// Why.
    pub reason: String,
}

/// Decides how an open order ends, and answers once wallet has posted what follows. APPROVAL_REQUIRED once it is kept
/// that a completion is asked for.
pub async fn decide(
    app: &App,
    once: Once<Exchange>,
    caller: &Caller,
    decision: Decision,
) -> Result<Answer<Exchange>, AcceptorError> {
    let id = decision.id;
    require_not_frozen(app, caller, &decision).await?;
    let lone = lone_completion(app, caller, &decision).await?;
    let deciding = Deciding {
        lone,
        decision,
        once,
        caller: caller.clone(),
        lease: Lease::first(app.ids.next()),
        lease_time: app.rules.recovery_after,
        attempt: AttemptId(app.ids.next()),
        now: app.clock.now(),
    };
    let decided = db::write(&app.pool, move |tx| Box::pin(deciding.decide_in_tx(tx))).await?;
    let leased = match decided {
        Decided::Before(answer) => return Ok(answer),
        Decided::Asked => return Err(Refusal::new(Reason::ApprovalRequired).into()),
        Decided::ByThisCall => None,
        Decided::Now(exchange) => Some(exchange),
    };
    let reached = Exchange::decision_outcome;
    let outcome = saga::follow(app, caller.deadline, id.0, leased, reached).await?;
    Ok(Answer::Made(outcome?))
}

/// Whether wallet's money may leave by this completion: not once its owner has frozen the wallet. WALLET_FROZEN.
async fn require_not_frozen(
    app: &App,
    caller: &Caller,
    decision: &Decision,
) -> Result<(), AcceptorError> {
    if decision.ending != Ending::Completed {
        return Ok(());
    }
    let exchange = repo::find(&app.pool, decision.id).await?;
    let now = app.clock.now();
    let leaving = exchange.filter(|exchange| {
        exchange.is_completable(now) && exchange.direction == Direction::WalletToCurrency
    });
    if let Some(exchange) = leaving {
        app.peers.check_freeze(caller, exchange.user).await?;
    }
    Ok(())
}

/// What a completion by staff is measured by; none of another decision, or where nothing takes two. Where somebody else
/// has asked for it, auth must say that the decider is another person.
async fn lone_completion(
    app: &App,
    caller: &Caller,
    decision: &Decision,
) -> Result<Option<Lone>, AcceptorError> {
    let (Decider::Staff(staff), Ending::Completed) = (decision.by, decision.ending) else {
        return Ok(None);
    };
    if !app.threshold.is_set() {
        return Ok(None);
    }
    let Some(exchange) = repo::find(&app.pool, decision.id).await? else {
        return Ok(None);
    };
    let mut confirmed = None;
    if let (true, Completion::Second(first)) = (
        exchange.is_completable(app.clock.now()),
        exchange.completion_by(staff),
    ) {
        app.second_pair.require(caller, first.0, staff.0).await?;
        confirmed = Some(first);
    }
    Ok(Some(Lone {
        staff,
        user: exchange.user,
        threshold: app.threshold,
        confirmed,
    }))
}

/// What a completion by staff is measured by.
struct Lone {
    staff: StaffId,
    user: UserId,
    threshold: Threshold,
    /// Who asked for it and is another person, by auth's word.
    confirmed: Option<StaffId>,
}

/// What became of a call that decides.
enum Decided {
    /// It decided, and its drive follows.
    Now(Exchange),
    /// It is kept that a completion is asked for, which takes another member of staff.
    Asked,
    /// An earlier call with its key decided, or another member of staff did what it asked for; wallet may not have posted
    /// yet.
    ByThisCall,
    /// An earlier call with its key got this answer.
    Before(Answer<Exchange>),
}

/// A decision, and what its transaction needs.
struct Deciding {
    decision: Decision,
    lone: Option<Lone>,
    once: Once<Exchange>,
    caller: Caller,
    lease: Lease,
    lease_time: Duration,
    /// Wallet knows a late completion by it.
    attempt: AttemptId,
    now: DateTime<Utc>,
}

impl Deciding {
    async fn decide_in_tx(self, tx: &mut Tx) -> Result<Decided, AcceptorError> {
        if let Some(answer) = self.once.earlier_in_tx(tx).await? {
            return Ok(Decided::Before(answer));
        }
        if let Some(lone) = &self.lone {
            // Before the order, so that no two wait for each other.
            four_eyes::lock_in_tx(tx, lone.staff.0, lone.user.0).await?;
        }
        let decision = &self.decision;
        let found = repo::lock_in_tx(tx, decision.id).await?;
        // Another user's order gets the answer of one that does not exist.
        let mut exchange = found
            .filter(|exchange| match decision.by {
                Decider::Owner(owner) => owner == exchange.user,
                Decider::Staff(_) => true,
            })
            .ok_or_else(|| Refusal::not_found("id"))?;
        let call = self.once.key().map(|key| EndingCall {
            scope: self.once.scope(),
            key: key.clone(),
        });
        if call.is_some() && exchange.ending_call == call {
            return Ok(Decided::ByThisCall);
        }
        if let Some(lone) = &self.lone
            && let Some(decided) = self.take_two_in_tx(tx, lone, &mut exchange).await?
        {
            return Ok(decided);
        }
        let shown_reason = match decision.ending {
            Ending::Cancelled => decision.reason.clone(),
            Ending::Completed | Ending::Expired => String::new(),
        };
        let before = exchange.status();
        match (decision.by, decision.ending) {
            (Decider::Staff(_), Ending::Completed) if exchange.state != State::Pending => {
                exchange.reopen(self.attempt, call, self.now)?;
            }
            _ => exchange.decide(decision.ending, shown_reason, call)?,
        }
        exchange.lease = self.lease;
        repo::save_decision_in_tx(tx, &exchange, self.lease_time).await?;
        self.audit_entry(&exchange, before)?
            .record_in_tx(tx, &self.caller, self.now)
            .await?;
        Ok(Decided::Now(exchange))
    }

    /// What becomes of a completion that needs a second person; none if the call may decide.
    async fn take_two_in_tx(
        &self,
        tx: &mut Tx,
        lone: &Lone,
        exchange: &mut Exchange,
    ) -> Result<Option<Decided>, AcceptorError> {
        match exchange.completion_by(lone.staff) {
            Completion::Granted => Ok(Some(Decided::ByThisCall)),
            Completion::Asked => Ok(Some(Decided::Asked)),
            // Somebody asked for it after auth was called: the repeated call asks auth.
            Completion::Second(first)
                if exchange.is_completable(self.now) && lone.confirmed != Some(first) =>
            {
                Ok(Some(Decided::Asked))
            }
            Completion::Second(_) => Ok(None),
            Completion::First if !exchange.is_completable(self.now) => Ok(None),
            // Its owner has the money back and expects to keep it.
            Completion::First if exchange.is_called_off() && takes_money(exchange) => {
                self.ask_in_tx(tx, lone.staff, exchange).await?;
                Ok(Some(Decided::Asked))
            }
            Completion::First => {
                let since = four_eyes::counted_since(self.now);
                let alone = repo::sum_alone_in_tx(tx, lone.staff, lone.user, since).await?;
                if lone.threshold.is_exceeded_after(alone, exchange.amount) {
                    self.ask_in_tx(tx, lone.staff, exchange).await?;
                    return Ok(Some(Decided::Asked));
                }
                let id = match exchange.state {
                    State::Pending => exchange.id.0,
                    _ => self.attempt.0,
                };
                repo::count_alone_in_tx(tx, lone.staff, (id, exchange), self.now).await?;
                Ok(None)
            }
        }
    }

    async fn ask_in_tx(
        &self,
        tx: &mut Tx,
        staff: StaffId,
        exchange: &mut Exchange,
    ) -> Result<(), AcceptorError> {
        let asked = Asked {
            by: staff,
            at: self.now,
            reason: self.decision.reason.clone(),
        };
        let status = exchange.status().map_or("", Status::as_str);
        exchange.ask(asked.clone(), self.now)?;
        repo::save_asked_in_tx(tx, exchange.id, &asked).await?;
        audit::Entry::new("acceptor.ask_completion", exchange.id)
            .user(exchange.user)
            .reason(asked.reason)
            .after(&audited(exchange, status))?
            .record_in_tx(tx, &self.caller, self.now)
            .await?;
        Ok(())
    }

    fn audit_entry(
        &self,
        exchange: &Exchange,
        before: Option<Status>,
    ) -> Result<audit::Entry, AcceptorError> {
        let before = before.map_or("", Status::as_str);
        Ok(audit::Entry::new("acceptor.decide_exchange", exchange.id)
            .user(exchange.user)
            .reason(self.decision.reason.clone())
            .before(&audited(exchange, before))?
            .after(&audited(exchange, self.decision.ending.as_str()))?)
    }
}

/// Whether a completion takes money from the wallet of what was given back.
fn takes_money(exchange: &Exchange) -> bool {
    exchange.direction == Direction::WalletToCurrency
}

/// What the audit log says of an order.
fn audited(exchange: &Exchange, status: &str) -> serde_json::Value {
    json!({
        "status": status, "direction": exchange.direction.as_str(), "amount": exchange.amount,
        "currency": exchange.currency.as_str(), "counter_amount": exchange.counter_amount,
        "completion_requested_by": exchange.asked.as_ref().map(|asked| asked.by.0),
    })
}
