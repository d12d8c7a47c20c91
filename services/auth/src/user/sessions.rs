//! A user's own sessions: which there are, and ending them.

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use tracing::info;
use uuid::Uuid;

use super::repo;
use crate::audit::{self, UserAct};
use crate::context::Context;
use crate::error::AuthError;
use crate::session::{self, Listed, TokenDigest};

/// Which sessions a user ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// This one; it may be the one that asks.
    One(Uuid),
    /// All but the one that asks.
    Others,
}

/// A user's live sessions, newest first, and which of them has the token.
pub async fn sessions(
    context: &Context,
    id: Uuid,
    token: TokenDigest,
) -> Result<(Vec<Listed>, Option<Uuid>), AuthError> {
    let sessions = session::live_of_user(&context.pool, id, context.clock.now()).await?;
    let current = session::find(&context.pool, token).await?;
    Ok((sessions, current.map(|session| session.id)))
}

/// Ends sessions of a user at the wish of one of them.
///
/// Whoever was ended a moment ago ends nothing: of two sessions that end all others at once exactly one stays. Ending what is
/// over already is no error.
pub async fn end_sessions(
    context: &Context,
    id: Uuid,
    token: TokenDigest,
    which: Which,
) -> Result<(), AuthError> {
    let context_here = context.clone();
    db::write(&context.pool, move |tx| {
        Box::pin(async move { end_in_tx(tx, &context_here, id, token, which).await })
    })
    .await?;
    context.notifier.notify();
    info!(user = %id, ?which, "user ended sessions");
    Ok(())
}

async fn end_in_tx(
    tx: &mut Tx,
    context: &Context,
    id: Uuid,
    token: TokenDigest,
    which: Which,
) -> Result<(), AuthError> {
    repo::lock_in_tx(tx, id)
        .await?
        .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?;
    let now = context.clock.now();
    let current = session::require_live_in_tx(tx, id, token, now).await?;
    let is_noted = match which {
        // Ending the session that asks is a logout, and as little worth noting.
        Which::One(session) => {
            session::end_one_in_tx(tx, id, session, now).await? && session != current.id
        }
        Which::Others => session::end_others_in_tx(tx, id, current.id, now).await?,
    };
    if is_noted {
        let act = UserAct::new(context.ids.next(), id, UserAct::SESSIONS_ENDED, now);
        audit::note_in_tx(tx, &act).await?;
    }
    Ok(())
}
