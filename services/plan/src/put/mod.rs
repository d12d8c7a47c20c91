//! The put saga: putting money into a product or a pushed plan, as the caller sees it. [`drive`]
//! has the steps.
//!
//! | what | where |
//! |---|---|
//! | checks, then puts and orders of many callers in one transaction | [`begin`] |
//! | coupon, wallet | [`drive`] |
//! | the plans of many puts run, in one transaction | [`place`] |
//! | puts that a caller or a crash left unfinished | [`saga::recover`] |
//!
//! A put with a known key is not begun again, because the key is unique: then the earlier put is the
//! answer.
//!
//! An acknowledged put exists exactly once: its row is unique by user and key, and the ledger holds
//! its order once. An unfinished put always ends: repeats of the call and recovery drive it until
//! wallet holds the money or refuses. Only a refusal undoes it. A put into a pushed plan is unique
//! by the plan, so it needs no key.

mod begin;
mod drive;
pub mod entity;
#[cfg(test)]
mod model;
mod place;
mod queues;
mod repo;

use std::borrow::Cow;

use adfolio_kit::chaos::Defect;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, IdempotencyKey, UserId};
use adfolio_kit::once::Answer;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga;
use adfolio_kit::saga::Rows as _;

use crate::app::App;
use crate::error::PlanError;
use crate::ids::PutId;
use crate::order::entity::Order;
use begin::Asked;
use entity::{Command, Put};
pub use queues::{Queues, Writers};

/// The order of a put is written with it.
const NO_ORDER: CoreError = CoreError::Corrupt("puts.order_id");

/// Puts money into a product or a pushed plan, and answers with the order. Repeats get the first
/// answer.
pub async fn put(
    app: &App,
    caller: &Caller,
    user: UserId,
    command: Command,
) -> Result<Answer<Order>, PlanError> {
    let key = caller.idempotency_key.as_ref();
    let key = key.filter(|_| !Defect::PutWithoutKey.is_enabled());
    let asked = Asked {
        user,
        command: command.clone(),
        key: key.cloned(),
    };
    match app.puts.begin(asked, caller.deadline).await {
        Ok(put) => follow(app, caller, put.id, Some(put)).await,
        Err(error) => {
            let Some(refusal) = error.refusal() else {
                return Err(error);
            };
            // The obstacle may be what an earlier call with this key has done.
            let known = find_known(app, user, key, &command).await?;
            follow(app, caller, known.ok_or(refusal)?.id, None).await
        }
    }
}

/// Waits for the end of a put, and drives it if nobody else does.
async fn follow(
    app: &App,
    caller: &Caller,
    id: PutId,
    leased: Option<Put>,
) -> Result<Answer<Order>, PlanError> {
    let outcome = saga::follow(app, caller.deadline, id.0, leased, Put::outcome).await?;
    Ok(Answer::Kept(outcome?))
}

async fn find_known(
    app: &App,
    user: UserId,
    key: Option<&IdempotencyKey>,
    command: &Command,
) -> Result<Option<Put>, PlanError> {
    let Some(key) = key else { return Ok(None) };
    match Put::find_by_key(&app.pool, user, key).await? {
        Some(known) if known.request_digest != command.digest => {
            Err(Refusal::new(Reason::IdempotencyKeyReused).into())
        }
        known => Ok(known),
    }
}

/// Whether a batch that failed may have been committed: whatever is not an answer of the database,
/// or of the rules here, before the commit.
fn is_unconfirmed(failure: &PlanError) -> bool {
    failure.database().is_some_and(|error| {
        let is_connection = |code: Cow<'_, str>| code.starts_with("08") || code.starts_with("57P0");
        error
            .as_database_error()
            .is_none_or(|error| error.code().is_some_and(is_connection))
    })
}
