//! The audit log: what staff did, in all services. Auth writes it from the events that announce it, its own included,
//! and only ever appends to it. Looks at personal data here are the one exception: they are written [before the
//! answer](read). Beside it are the actions of users that protect their accounts. A user sees both together, but neither
//! which member of staff acted nor why, and no looks: nothing was done.
//!
//! What staff did is [sealed](seal) into a hash chain.

mod entity;
mod own;
mod read;
mod repo;
pub mod seal;

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;

pub use entity::{AuditEntry, Filter, Listed, Position};
pub use own::{Actor, OwnEntry, UserAction};
pub use read::{Look, record_look, record_look_in_tx};

use crate::app::App;
use crate::error::AuthError;

/// Records what a member of staff did; an entry that exists stays as it is.
pub async fn record_in_tx(tx: &mut Tx, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    repo::insert_in_tx(tx, entry).await
}

/// Records what a user did; an action that exists stays as it is.
pub async fn record_user_action_in_tx(tx: &mut Tx, action: &UserAction) -> Result<(), sqlx::Error> {
    repo::insert_user_action_in_tx(tx, action).await
}

/// What staff did before `before`, newest first.
pub async fn list(
    app: &App,
    filter: &Filter,
    before: Position,
    fetch: i64,
) -> Result<Vec<Listed>, AuthError> {
    Ok(repo::list(&app.reads, filter, before, fetch).await?)
}

/// What staff and the user did to the user's account before `before`, newest first.
pub async fn list_of_user(
    app: &App,
    user: UserId,
    before: Position,
    fetch: i64,
) -> Result<Vec<OwnEntry>, AuthError> {
    Ok(repo::list_of_user(&app.reads, user, before, fetch).await?)
}
