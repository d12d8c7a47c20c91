//! Deciding how an open order ends: by its user or by staff, once.

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::saga::{self, Lease};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::entity::{Ending, EndingCall, Exchange, Status};
use super::repo;
use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::ExchangeId;

/// A decision about an order.
#[derive(Clone, Debug)]
pub struct Decision {
    pub id: ExchangeId,
    /// Only if it is this user's; none for staff.
    pub owner: Option<UserId>,
    /// How it ends.
    pub ending: Ending,
    /// Why.
    pub reason: String,
}

/// Decides how an open order ends, and answers once wallet has posted what follows.
pub async fn decide(
    app: &App,
    once: Once<Exchange>,
    caller: &Caller,
    decision: Decision,
) -> Result<Answer<Exchange>, AcceptorError> {
    let id = decision.id;
    let deciding = Deciding {
        decision,
        once,
        caller: caller.clone(),
        lease: Lease::first(app.ids.next()),
        lease_time: app.rules.recovery_after,
        now: app.clock.now(),
    };
    let decided = db::write(&app.pool, move |tx| Box::pin(deciding.decide_in_tx(tx))).await?;
    let leased = match decided {
        Decided::Before(answer) => return Ok(answer),
        Decided::ByThisCall => None,
        Decided::Now(exchange) => Some(exchange),
    };
    let ended = saga::follow(app, caller.deadline, id.0, leased, Exchange::ended).await?;
    Ok(Answer::Made(ended))
}

/// What became of a call that decides.
enum Decided {
    /// It decided, and its drive follows.
    Now(Exchange),
    /// An earlier call with its key decided, and wallet has not posted yet.
    ByThisCall,
    /// An earlier call with its key got this answer.
    Before(Answer<Exchange>),
}

/// A decision, and what its transaction needs.
struct Deciding {
    decision: Decision,
    once: Once<Exchange>,
    caller: Caller,
    lease: Lease,
    lease_time: Duration,
    now: DateTime<Utc>,
}

impl Deciding {
    async fn decide_in_tx(self, tx: &mut Tx) -> Result<Decided, AcceptorError> {
        if let Some(answer) = self.once.earlier_in_tx(tx).await? {
            return Ok(Decided::Before(answer));
        }
        let decision = &self.decision;
        let found = repo::lock_in_tx(tx, decision.id).await?;
        // Another user's order gets the answer of one that does not exist.
        let mut exchange = found
            .filter(|exchange| decision.owner.is_none_or(|owner| owner == exchange.user))
            .ok_or_else(|| Refusal::not_found("id"))?;
        let call = self.once.key().map(|key| EndingCall {
            scope: self.once.scope(),
            key: key.clone(),
        });
        if call.is_some() && exchange.ending_call == call {
            return Ok(Decided::ByThisCall);
        }
        let shown_reason = match decision.ending {
            Ending::Cancelled => decision.reason.clone(),
            Ending::Completed | Ending::Expired => String::new(),
        };
        exchange.decide(decision.ending, shown_reason, call)?;
        exchange.lease = self.lease;
        repo::save_decision_in_tx(tx, &exchange, self.lease_time).await?;
        self.audit_entry(&exchange)?
            .record_in_tx(tx, &self.caller, self.now)
            .await?;
        Ok(Decided::Now(exchange))
    }

    fn audit_entry(&self, exchange: &Exchange) -> Result<audit::Entry, AcceptorError> {
        let in_status = |status: &str| {
            json!({
                "status": status, "direction": exchange.direction.as_str(), "amount": exchange.amount,
                "currency": exchange.currency.as_str(), "counter_amount": exchange.counter_amount,
            })
        };
        Ok(audit::Entry::new("acceptor.decide_exchange", exchange.id)
            .user(exchange.user)
            .reason(self.decision.reason.clone())
            .before(&in_status(Status::Pending.as_str()))?
            .after(&in_status(self.decision.ending.as_str()))?)
    }
}
