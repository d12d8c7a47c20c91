//! The audit log: what staff did, over all services. It is written from the events that announce it, auth's own included, so
//! that there is one way in, and only ever appended to.

mod entity;
mod repo;

use adfolio_kit::db::Tx;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::Refusal;

pub use entity::{AuditEntry, Filter, Listed, Position};

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
    let before = match cursor {
        None => Position::newest(),
        Some(text) => Position::read(&cursors.decode(text, Position::FIELDS)?)
            .ok_or_else(|| Refusal::invalid("cursor"))?,
    };
    let rows = repo::list(&context.pool, filter, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| {
        let [time, id] = last.entry.position().write();
        cursors.encode(&[&time, &id])
    }))
}
