//! Acceptors: made and listed by staff.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::audit;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::once::{Answer, Once};
use serde_json::json;

pub use entity::{Acceptor, Kind, NewAcceptor, Rating};

use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::AcceptorId;

/// Makes an acceptor for a member of staff.
pub async fn create(
    app: &App,
    once: Once<Acceptor>,
    caller: &Caller,
    staff: Staff,
    new: NewAcceptor,
) -> Result<Answer<Acceptor>, AcceptorError> {
    let now = app.clock.now();
    let acceptor = new.made(AcceptorId(app.ids.next()));
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &acceptor, staff.id, now).await?;
            audit::Entry::new("acceptor.create", acceptor.id)
                .after(&json!({
                    "kind": acceptor.kind.as_str(), "name": acceptor.name,
                    "rating_tenths": acceptor.rating.tenths(),
                }))?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(acceptor)
        })
    })
    .await
}

/// Acceptors older than `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<AcceptorId>,
    fetch: i64,
) -> Result<Vec<Acceptor>, AcceptorError> {
    repo::list(&app.pool, before, fetch).await
}
