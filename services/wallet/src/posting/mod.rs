//! Postings: everything that moves money.
//!
//! | statement | what it does | where |
//! |---|---|---|
//! | `post_commands` | locks the wallets of a batch in order of id, decides about each command, writes transactions, entries, balances, chain heads, holds, withdrawals and events | `migrations/0005_commands.sql` and `0007_cooling_off.sql`, called by `repo::post_commands` |
//!
//! There is no other statement that writes to the books. A command is refused or done by itself, whatever else is in its
//! batch; any number of replicas post side by side.

pub mod entity;
pub mod movement;
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

/// Posts to the wallet of a user whom the caller names. Only for a user without a wallet auth is asked whether there is such
/// a user: a wallet exists only for users that existed when it was opened.
pub async fn post_to_named(
    queue: &Queue,
    peers: &Peers,
    caller: &Caller,
    command: Command,
) -> Result<Done, WalletError> {
    match queue.post(command.clone(), caller.deadline).await {
        Err(WalletError::Refused(refusal))
            if refusal.reason == Reason::NotFound
                && refusal.field.as_deref() == Some("user_id") =>
        {
            peers.require_user(caller, command.user_id).await?;
            queue.post(command.opening_wallet(), caller.deadline).await
        }
        outcome => outcome,
    }
}
