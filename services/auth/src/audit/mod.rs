//! The audit log: what staff did, over all services. It is written from the events that announce it, auth's own included, so
//! that there is one way in, and only ever appended to. Beside it stands what was done from users' own sessions to protect their
//! accounts; a user sees both together, without who of the staff it was and why.

mod entity;
mod own;
mod repo;

use adfolio_kit::db::Tx;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::Refusal;
use uuid::Uuid;

pub use entity::{AuditEntry, Filter, Listed, Position};
pub use own::{Actor, OwnEntry, UserAct};

use crate::context::Context;
use crate::error::AuthError;

/// Keeps an entry; one that is there already stays as it is.
pub async fn keep_in_tx(tx: &mut Tx, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    repo::insert_in_tx(tx, entry).await
}

/// A page of what staff did, newest first.
pub async fn list(
    context: &Context,
    filter: &Filter,
    cursor: Option<&str>,
    page: Page,
) -> Result<(Vec<Listed>, Option<String>), AuthError> {
    let cursors = Cursor::new(&filter.scope(), "");
    let before = position(&cursors, cursor)?;
    let rows = repo::list(&context.pool, filter, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| {
        let [time, id] = last.entry.position().write();
        cursors.encode(&[&time, &id])
    }))
}

/// Keeps what a user did; what is there already stays as it is.
pub async fn note_in_tx(tx: &mut Tx, act: &UserAct) -> Result<(), sqlx::Error> {
    repo::insert_user_act_in_tx(tx, act).await
}

/// A page of what was done to a user's account, by staff and by themselves, newest first.
pub async fn list_of_user(
    context: &Context,
    user: Uuid,
    cursor: Option<&str>,
    page: Page,
) -> Result<(Vec<OwnEntry>, Option<String>), AuthError> {
    let cursors = Cursor::new("auth.security_log", &user.to_string());
    let before = position(&cursors, cursor)?;
    let rows = repo::list_of_user(&context.pool, user, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| {
        let [time, id] = last.position().write();
        cursors.encode(&[&time, &id])
    }))
}

fn position(cursors: &Cursor, cursor: Option<&str>) -> Result<Position, Refusal> {
    let Some(text) = cursor else {
        return Ok(Position::newest());
    };
    Position::read(&cursors.decode(text, Position::FIELDS)?)
        .ok_or_else(|| Refusal::invalid("cursor"))
}
