//! Deciding how an open order ends: by its user or by staff, once.

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use prost::Message;
use serde_json::json;
use uuid::Uuid;

use super::Exchanges;
use super::entity::{Ending, EndingCall, Exchange, Status};
use super::repo;
use crate::error::AcceptorError;

/// A decision about an order.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The order.
    pub id: Uuid,
    /// Only when it is this user's; none for staff.
    pub owner: Option<UserId>,
    /// How it ends.
    pub ending: Ending,
    /// Why.
    pub reason: String,
    /// Who decides: the scope of the idempotency key.
    pub scope: Uuid,
    /// The name of the call, and its digest.
    pub operation: &'static str,
    /// The digest of the request.
    pub digest: [u8; 32],
}

impl Exchanges {
    /// Decides how an open order ends, and answers it once wallet has posted what follows.
    pub async fn decide<M: Message + Default + 'static>(
        &self,
        caller: &Caller,
        decision: Decision,
        answer: fn(&Exchange) -> M,
    ) -> Result<M, AcceptorError> {
        let now = self.clock.now();
        let (token, lease) = (self.ids.next(), self.rules.recovery_after);
        let (deciding, id) = (caller.clone(), decision.id);
        let decided = db::write(&self.pool, move |tx| {
            Box::pin(async move { decide_in_tx(tx, &deciding, decision, token, lease, now).await })
        })
        .await?;
        match decided {
            Decided::Now(exchange) => {
                let exchange = self
                    .reach(caller, id, Some(*exchange), Exchange::has_ended)
                    .await?;
                Ok(answer(&exchange))
            }
            Decided::ByThisCall => {
                let exchange = self.reach(caller, id, None, Exchange::has_ended).await?;
                Ok(answer(&exchange))
            }
            Decided::Before(bytes) => {
                M::decode(&*bytes).map_err(|_| AcceptorError::UnknownColumnValue("response"))
            }
        }
    }
}

/// What became of a call that decides.
enum Decided {
    /// It decided, and its drive follows.
    Now(Box<Exchange>),
    /// An earlier call with its key decided, and wallet has not posted yet.
    ByThisCall,
    /// An earlier call with its key was answered this.
    Before(Vec<u8>),
}

async fn decide_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    decision: Decision,
    token: Uuid,
    lease: Duration,
    now: DateTime<Utc>,
) -> Result<Decided, AcceptorError> {
    let call = caller.idempotency_key.clone().map(|key| EndingCall {
        scope: decision.scope,
        key,
    });
    if let Some(EndingCall { scope, key }) = &call {
        let claim =
            idempotency::claim_in_tx(tx, *scope, key, decision.operation, &decision.digest).await?;
        if let idempotency::Claim::Replay(answer) = claim {
            return Ok(Decided::Before(answer));
        }
    }
    let found = repo::lock_in_tx(tx, decision.id).await?;
    // Somebody else's order answers like one that does not exist.
    let mut exchange = found
        .filter(|exchange| decision.owner.is_none_or(|owner| owner == exchange.user))
        .ok_or_else(|| Refusal::not_found("id"))?;
    if call.is_some() && exchange.ending_call == call {
        return Ok(Decided::ByThisCall);
    }
    let shown_reason = match decision.ending {
        Ending::Cancelled => decision.reason.clone(),
        Ending::Completed | Ending::Expired => String::new(),
    };
    exchange.decide(decision.ending, shown_reason, call)?;
    (exchange.attempts, exchange.lease_token) = (1, token);
    repo::save_decision_in_tx(tx, &exchange, lease).await?;
    let figures = |status: &str| {
        json!({
            "status": status, "direction": exchange.direction.as_str(), "amount": exchange.amount,
            "currency": exchange.currency.as_str(), "counter_amount": exchange.counter_amount,
        })
    };
    audit::Entry::new("acceptor.decide_exchange", exchange.id)
        .user(exchange.user.0)
        .reason(decision.reason)
        .before(&figures(Status::Pending.as_str()))?
        .after(&figures(decision.ending.as_str()))?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(Decided::Now(Box::new(exchange)))
}
