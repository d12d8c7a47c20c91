//! Postings: everything that moves money.
//!
//! The writer takes what has queued up while its last batch was written and makes one batch of it:
//!
//! 1. [`repo`] reads what the commands refer to: wallets, holds, known keys, withdrawals;
//! 2. [`batch`] lets [`entity`] decide about one command after another: refused, or done with what it moves and changes;
//! 3. [`repo`] writes transactions, wallets, holds, withdrawals and events with one statement.
//!
//! No other statement writes to the books, and no rule of the ledger stands elsewhere than in [`entity`]. A command is
//! refused or done by itself, whatever else is in its batch; any number of replicas post side by side. Commands go
//! through the writer, which posts many with one commit; only what must commit together with another change is posted
//! in that change's transaction ([`post_in_tx`]).

pub mod amount;
pub mod batch;
pub mod command;
pub mod entity;
pub mod movement;
pub mod outcome;
mod repo;
pub mod transaction;
pub mod transaction_type;
pub mod writer;

use adfolio_kit::clock::Ids;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_kit::telemetry;
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::error::WalletError;
use batch::Item;
use command::Command;
use outcome::{Done, Refused, outcome_name};

/// Posts to the wallet of a user named by the caller. Auth is asked whether the user exists only if there is no
/// wallet: wallets are opened only for users that exist.
pub async fn post_to_named(
    app: &App,
    caller: &Caller,
    command: Command,
) -> Result<Done, WalletError> {
    match app.queue.post(command.clone(), caller.deadline).await {
        Err(WalletError::Core(CoreError::Refused(refusal)))
            if refusal.reason == Reason::NotFound
                && refusal.field.as_deref() == Some("user_id") =>
        {
            let user_id = command.user_id;
            app.users.require(caller, &[user_id], "user_id").await?;
            app.queue
                .post(command.opening_wallet(), caller.deadline)
                .await
        }
        outcome => outcome,
    }
}

/// Posts in the caller's transaction. The lock on the user's wallet lasts until its end and blocks other postings to
/// the wallet, so little may follow in the transaction.
pub async fn post_in_tx(
    tx: &mut Tx,
    now: DateTime<Utc>,
    ids: &Ids,
    command: &Command,
) -> Result<Result<Done, Refused>, WalletError> {
    let traceparent = telemetry::traceparent();
    let item = Item {
        command,
        ids: [ids.next(), ids.next()],
        traceparent: traceparent.as_deref(),
    };
    let outcomes = repo::post_in_tx(tx, now, &[item]).await?;
    let outcome = outcomes
        .into_iter()
        .next()
        .ok_or(CoreError::Corrupt("outcome of a posting"))?;
    metrics::counter!("wallet_postings_total", "outcome" => outcome_name(&outcome)).increment(1);
    Ok(outcome)
}
