//! Guesses over many names or codes: a bounded number of failures within an hour per address and network, and of
//! authorisation codes also per account. Only failures count, and a right password clears nothing of other names.
//!
//! Their counters are shared by everybody behind an address, so they are locked last, after those of accounts, and
//! never in a transaction that opens a session.

pub mod entity;
mod repo;

use adfolio_kit::db::{self, Tx};
use chrono::{DateTime, Utc};
use tokio::sync::SemaphorePermit;
use tracing::warn;

pub use entity::Scopes;

use super::entity::{NotBegun, Wait};
use super::patiently;
use crate::app::App;
use crate::error::AuthError;

/// Transactions of one replica that count guesses at once.
pub const TURNS: usize = 4;

/// A guess that is counted and not decided yet.
#[derive(Clone, Debug)]
#[must_use = "a guess without an outcome counts until the end of the hour"]
pub struct Guess {
    scopes: Scopes,
    begun_at: DateTime<Utc>,
}

impl Guess {
    /// Waits for the turn to record its outcome, see [`turn`].
    pub async fn turn<'a>(&self, app: &'a App) -> Option<SemaphorePermit<'a>> {
        turn(app, &self.scopes).await
    }
}

/// Evaluates an authorisation code as a guess, or refuses it with TOO_MANY_ATTEMPTS. A wrong code and a used one count.
pub async fn evaluate<T>(
    app: &App,
    scopes: Scopes,
    evaluation: impl Future<Output = Result<T, AuthError>>,
) -> Result<T, AuthError> {
    let guess = patiently(|| begin(app, scopes.clone())).await?;
    let outcome = evaluation.await;
    let is_wrong = matches!(
        outcome,
        Err(AuthError::LicenseUnknown(_) | AuthError::LicenseUsed(_))
    );
    end(app, &guess, is_wrong).await;
    outcome
}

/// Waits for the turn to lock counters. Without it all that come from one address would wait for its counter with a
/// connection of the pool each, and nothing else would get one.
pub async fn turn<'a>(app: &'a App, scopes: &Scopes) -> Option<SemaphorePermit<'a>> {
    if scopes.is_empty() {
        return None;
    }
    // It is never closed.
    app.guess_turns.acquire().await.ok()
}

/// Refuses a guess whose limit is reached, without a lock: what a flood meets.
pub async fn refuse_early(app: &App, scopes: &Scopes) -> Result<(), NotBegun> {
    if scopes.is_empty() {
        return Ok(());
    }
    let now = app.clock.now();
    for row in repo::find(&app.pool, scopes).await? {
        let scope = scopes.find(&row.scope);
        if let Some(left) = scope.and_then(|scope| row.counter.locked_for(now, scope.most)) {
            return Err(Wait::Locked(left).into());
        }
    }
    Ok(())
}

async fn begin(app: &App, scopes: Scopes) -> Result<Guess, NotBegun> {
    refuse_early(app, &scopes).await?;
    let _turn = turn(app, &scopes).await;
    let now = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { begin_in_tx(tx, scopes, now).await })
    })
    .await
}

/// Counts a guess before it is evaluated. A refusal is an error, so that no counter stays of it.
pub async fn begin_in_tx(
    tx: &mut Tx,
    scopes: Scopes,
    now: DateTime<Utc>,
) -> Result<Guess, NotBegun> {
    if !scopes.is_empty() {
        let mut rows = repo::lock_or_add_in_tx(tx, &scopes, now).await?;
        // One that was pruned between insert and lock must not go uncounted: try again.
        if rows.len() < scopes.len() {
            return Err(Wait::Busy.into());
        }
        for (row, scope) in rows.iter_mut().zip(scopes.iter()) {
            row.counter.begin(now, scope.most)?;
        }
        repo::save_in_tx(tx, &rows).await?;
    }
    Ok(Guess {
        scopes,
        begun_at: now,
    })
}

/// Records the outcome of a guess, in a transaction of its own. The answer does not depend on it: a guess whose outcome
/// is lost counts until the end of the hour.
pub async fn end(app: &App, guess: &Guess, is_wrong: bool) {
    if guess.scopes.is_empty() {
        return;
    }
    let _turn = guess.turn(app).await;
    let guess = guess.clone();
    let ended = db::write(&app.pool, move |tx| {
        Box::pin(async move { end_in_tx(tx, &guess, is_wrong).await })
    })
    .await;
    if let Err(error) = ended {
        warn!(%error, "the outcome of a guess was not recorded");
    }
}

/// Records the outcome of a guess.
pub async fn end_in_tx(tx: &mut Tx, guess: &Guess, is_wrong: bool) -> Result<(), AuthError> {
    if guess.scopes.is_empty() {
        return Ok(());
    }
    let mut rows = repo::lock_in_tx(tx, &guess.scopes).await?;
    for row in &mut rows {
        row.counter.end(guess.begun_at, is_wrong);
        let scope = guess.scopes.find(&row.scope);
        if let Some(scope) = scope.filter(|scope| is_wrong && row.counter.failures == scope.most) {
            metrics::counter!("auth_guess_limits_total").increment(1);
            warn!(
                what = scope.what,
                scope = hex::encode(&row.scope[..8]),
                "guesses refused after too many failures"
            );
        }
    }
    Ok(repo::save_in_tx(tx, &rows).await?)
}

/// Deletes a batch of counters of past hours.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let now = app.clock.now();
    let before = now.checked_sub_signed(entity::WINDOW).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before).await?) })
    })
    .await
}
