//! Exchange orders: opened and cancelled by users, decided by staff or by time.
//!
//! | what | where |
//! |---|---|
//! | checks, transaction password, then the order as `placing` | [`open`] |
//! | the decision, recorded before wallet hears of it; a large completion takes two | [`decide`], [`expire`] |
//! | wallet posts; the order is open or has ended | [`drive`] |
//! | orders that a caller or a crash left unfinished | [`saga::recover`] |
//!
//! What had ended otherwise is completed as well while its payment may only be late: then wallet is asked for the money
//! once more, and the order ends as it had if wallet refuses.
//!
//! A row lock settles decisions that race: the first finds the order open, the others do not.

mod counter;
mod decision;
mod drive;
pub mod entity;
#[cfg(test)]
mod model;
mod opening;
mod repo;

use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use adfolio_kit::{db, saga};
use chrono::{DateTime, Utc};

pub use decision::{Decider, Decision, decide};
pub use entity::{Ending, Exchange, Status};
pub use opening::{Command, open};

use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::ExchangeId;

/// The user's open order, as far as users see it.
pub async fn current(app: &App, user: UserId) -> Result<Option<Exchange>, AcceptorError> {
    let open = repo::find_open(&app.pool, user).await?;
    Ok(open.filter(|exchange| exchange.status().is_some()))
}

/// Orders older than `before`, newest first: of one user or of all, of one status or of any.
pub async fn list(
    app: &App,
    user: Option<UserId>,
    status: Option<Status>,
    before: Option<ExchangeId>,
    fetch: i64,
) -> Result<Vec<Exchange>, AcceptorError> {
    let before = bound(before);
    repo::list(&app.reads, user, status.map(Status::as_str), before, fetch).await
}

/// How many orders wait for a decision, and since when the oldest does.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), AcceptorError> {
    repo::count_pending(&app.pool).await
}

/// Ends all open orders past their time.
pub async fn expire(app: &App) -> Result<(), AcceptorError> {
    saga::drive_all(app, |claim| {
        let now = app.clock.now();
        db::write(&app.pool, move |tx| {
            Box::pin(repo::expire_in_tx(tx, now, claim))
        })
    })
    .await
}
