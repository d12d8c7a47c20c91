//! Acceptance codes: issued by staff, looked up by users.
//!
//! A look-up is one transaction: the user's row of attempts is locked, the code is counted as wrong, and only then looked
//! at; a right one is taken off again. Five hundred guesses at once queue up behind the row, so no more than the limit are
//! ever evaluated, on however many replicas.

mod code;
pub mod entity;
mod rate;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::MessageOnce;
use chrono::{DateTime, Utc};
use prost::Message;
use serde_json::json;
use uuid::Uuid;

pub use code::Code;
pub use entity::{Acceptance, Currency, Direction, NewAcceptance, Offer};
pub use rate::Rate;

use crate::acceptor::{self, Kind};
use crate::error::AcceptorError;
use crate::peers::Peers;

/// Random codes that are drawn at most before giving up: two alike are next to impossible.
const DRAWS: usize = 3;

/// The use cases of acceptance codes.
#[derive(Clone, Debug)]
pub struct Acceptances {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
    peers: Peers,
}

impl Acceptances {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids, peers: Peers) -> Self {
        Self {
            pool,
            clock,
            ids,
            peers,
        }
    }

    /// An id for a new offer.
    pub fn offer_id(&self) -> Uuid {
        self.ids.next()
    }

    /// Issues a code for a member of staff.
    pub async fn issue<M: Message + Default + 'static>(
        &self,
        once: MessageOnce,
        caller: &Caller,
        staff_id: Uuid,
        mut new: NewAcceptance,
        answer: fn(&Code, &Offer) -> M,
    ) -> Result<M, AcceptorError> {
        let now = self.clock.now();
        new.offer = new.offer.check(now)?;
        if let Some(user) = new.user {
            self.peers.check_user(caller, user).await?;
        }
        let caller = caller.clone();
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                let code = issue_in_tx(tx, &new, staff_id, now).await?;
                issued_act(&new)?.record_in_tx(tx, &caller, now).await?;
                let issued = answer(&code, &new.offer);
                once.keep_in_tx(tx, &issued).await?;
                Ok(issued)
            })
        })
        .await
    }

    /// What is behind a code that a user typed, or why that is not told.
    pub async fn look_up(
        &self,
        user: UserId,
        kind: Kind,
        code: Option<Code>,
    ) -> Result<Acceptance, AcceptorError> {
        let now = self.clock.now();
        let found = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                let before = repo::lock_attempts_in_tx(tx, user, now).await?;
                repo::save_attempts_in_tx(tx, user, before.count(now)?).await?;
                let found = match &code {
                    Some(code) => repo::find_in_tx(tx, code).await?,
                    // What no code looks like is a wrong code all the same.
                    None => None,
                };
                let right = found.filter(|acceptance| acceptance.is_right_for(user, kind, now));
                if right.is_some() {
                    repo::save_attempts_in_tx(tx, user, before).await?;
                }
                // A wrong code is no error in here: its count must be committed.
                Ok::<_, AcceptorError>(right)
            })
        })
        .await?;
        found.ok_or(AcceptorError::CodeWrong)
    }
}

/// What was issued, without the code itself: whoever knows it may use it.
fn issued_act(new: &NewAcceptance) -> Result<audit::Entry, AcceptorError> {
    let offer = &new.offer;
    let act = audit::Entry::new("acceptor.issue_code", offer.id).after(&json!({
        "acceptor_id": new.acceptor, "direction": offer.direction.as_str(), "currency": offer.currency.as_str(),
        "rate": offer.rate.to_string(), "min": offer.min, "max": offer.max, "expires_at": offer.expires_at,
    }))?;
    Ok(match new.user {
        Some(user) => act.user(user.0),
        None => act,
    })
}

async fn issue_in_tx(
    tx: &mut Tx,
    new: &NewAcceptance,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Code, AcceptorError> {
    if acceptor::repo::find_in_tx(tx, new.acceptor)
        .await?
        .is_none()
    {
        return Err(AcceptorError::AcceptorUnknown);
    }
    if let Some(code) = &new.code {
        let issued = repo::insert_in_tx(tx, code, new, staff_id, now).await?;
        return if issued {
            Ok(code.clone())
        } else {
            Err(AcceptorError::CodeTaken)
        };
    }
    for _ in 0..DRAWS {
        let code = Code::random();
        if repo::insert_in_tx(tx, &code, new, staff_id, now).await? {
            return Ok(code);
        }
    }
    Err(AcceptorError::CodeTaken)
}
