//! A user's own sessions: which there are, and ending them.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use tracing::info;

use super::repo;
use crate::app::App;
use crate::audit::{self, UserAction};
use crate::error::AuthError;
use crate::ids::SessionId;
use crate::session::{self, Listed, TokenDigest};

/// Which sessions a user ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// This one; it may be the one that asks.
    One(SessionId),
    /// All but the one that asks.
    Others,
}

/// A user's live sessions, newest first, and which of them has the token.
pub async fn sessions(
    app: &App,
    id: UserId,
    token: TokenDigest,
) -> Result<(Vec<Listed>, Option<SessionId>), AuthError> {
    let sessions = session::live_of_user(app, id).await?;
    let current = session::find(app, token).await?;
    Ok((sessions, current.map(|session| session.id)))
}

/// Ends sessions of a user at the request of one of them.
///
/// A session that was ended a moment ago ends nothing: of two sessions that end all others at once exactly one stays.
/// Ending a session that is over already is no error.
pub async fn end_sessions(
    app: &App,
    id: UserId,
    token: TokenDigest,
    which: Which,
) -> Result<(), AuthError> {
    let owned = app.clone();
    app.write(move |tx| Box::pin(async move { end_in_tx(tx, &owned, id, token, which).await }))
        .await?;
    info!(user = %id, ?which, "user ended sessions");
    Ok(())
}

async fn end_in_tx(
    tx: &mut Tx,
    app: &App,
    id: UserId,
    token: TokenDigest,
    which: Which,
) -> Result<(), AuthError> {
    repo::lock_in_tx(tx, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    let now = app.clock.now();
    let current = session::require_live_in_tx(tx, app, id, token).await?;
    let is_recorded = match which {
        // Ending the session that asks is a logout, which is not recorded either.
        Which::One(session) => {
            session::end_one_in_tx(tx, id, session, now).await? && session != current.id
        }
        Which::Others => session::end_others_in_tx(tx, id, current.id, now).await?,
    };
    if is_recorded {
        let action = UserAction::new(app.ids.next(), id, UserAction::SESSIONS_ENDED, now);
        audit::record_user_action_in_tx(tx, &action).await?;
    }
    Ok(())
}
