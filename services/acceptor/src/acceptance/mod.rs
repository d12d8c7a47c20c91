//! Acceptance codes: issued by staff, looked up by users.
//!
//! A look-up is one transaction: it locks the user's row of attempts, counts the code as wrong, and only then looks it
//! up. A right code is taken off the count again. Five hundred guesses at once queue up behind the row, so no more than
//! the limit are ever evaluated, on any number of replicas.

pub mod code;
pub mod entity;
pub mod rate;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

pub use code::Code;
pub use entity::{Acceptance, Issued, NewAcceptance, Offer};

use crate::acceptor::{self, Kind};
use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::OfferId;

/// Random codes that are drawn at most: two alike are next to impossible.
const DRAWS: usize = 3;

/// Issues a code for a member of staff.
pub async fn issue(
    app: &App,
    once: Once<Issued>,
    caller: &Caller,
    staff: Staff,
    new: NewAcceptance,
) -> Result<Answer<Issued>, AcceptorError> {
    let (now, id) = (app.clock.now(), OfferId(app.ids.next()));
    new.terms.check(now)?;
    if let Some(user) = new.user {
        app.users.require(caller, &[user], "user_id").await?;
    }
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let issued = issue_in_tx(tx, id, &new, staff.id, now).await?;
            audit_entry(&new, id)?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(issued)
        })
    })
    .await
}

/// What is behind a code that a user typed, if the code is right for the user.
pub async fn look_up(
    app: &App,
    user: UserId,
    kind: Kind,
    code: Option<Code>,
) -> Result<Acceptance, AcceptorError> {
    let now = app.clock.now();
    let found = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let before = repo::lock_attempts_in_tx(tx, user, now).await?;
            repo::save_attempts_in_tx(tx, user, before.count(now)?).await?;
            let found = match &code {
                Some(code) => repo::find_in_tx(tx, code).await?,
                // A text that cannot be a code counts as a wrong code, too.
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

/// What was issued, without the code: anyone who knows it may use it.
fn audit_entry(new: &NewAcceptance, id: OfferId) -> Result<audit::Entry, AcceptorError> {
    let terms = &new.terms;
    let entry = audit::Entry::new("acceptor.issue_code", id).after(&json!({
        "acceptor_id": new.acceptor.0, "direction": terms.direction.as_str(), "currency": terms.currency.as_str(),
        "rate": terms.rate.to_string(), "min": terms.min, "max": terms.max, "expires_at": terms.expires_at,
    }))?;
    Ok(match new.user {
        Some(user) => entry.user(user),
        None => entry,
    })
}

async fn issue_in_tx(
    tx: &mut Tx,
    id: OfferId,
    new: &NewAcceptance,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Issued, AcceptorError> {
    acceptor::repo::find_in_tx(tx, new.acceptor)
        .await?
        .ok_or(AcceptorError::AcceptorUnknown)?;
    let draws = if new.code.is_some() { 1 } else { DRAWS };
    for _ in 0..draws {
        let issued = Issued {
            code: new.code.clone().unwrap_or_else(Code::random),
            offer: Offer {
                id,
                terms: new.terms.clone(),
            },
        };
        if repo::insert_in_tx(tx, &issued, new.acceptor, new.user, staff_id, now).await? {
            return Ok(issued);
        }
    }
    Err(AcceptorError::CodeTaken)
}
