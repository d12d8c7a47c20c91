//! Postings: everything that moves money.
//!
//! | statement | what it does | where |
//! |---|---|---|
//! | `post_batch` | locks the wallets of a batch in order of id, decides about each command, writes transactions, entries, balances, chain heads, holds and events | `migrations/0002_posting.sql`, called by `repo::post_batch` |
//!
//! There is no other statement that writes to the books. A command is refused or done by itself, whatever else is in its
//! batch; any number of replicas post side by side.

pub mod entity;
pub mod outcome;
mod repo;
mod writer;

pub use writer::{Queue, queue};

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;

use crate::error::WalletError;
use crate::peers::Peers;
use entity::Command;
use outcome::Done;

/// Posts a deposit. Only for a user without a wallet auth is asked whether there is such a user: a wallet exists only for
/// users that existed when it was opened.
pub async fn deposit(
    queue: &Queue,
    peers: &Peers,
    caller: &Caller,
    command: Command,
) -> Result<Done, WalletError> {
    match queue.post(command.clone(), caller.deadline).await {
        Err(WalletError::Refused(refusal)) if refusal.reason == Reason::NotFound => {
            peers.require_user(caller, command.user_id).await?;
            queue.post(command.opening_wallet(), caller.deadline).await
        }
        outcome => outcome,
    }
}
