//! Sessions of users and staff: opening, verifying with a sliding expiry, ending with an event to whoever caches them.

mod entity;
mod repo;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;
use uuid::Uuid;

pub use entity::{Client, Listed, Owner, Session, Token, TokenDigest};

use crate::context::Context;
use crate::error::AuthError;
use crate::events::{self, Revoked};

/// A dead session is remembered this long: until then its token answers SESSION_EXPIRED, later NOT_AUTHENTICATED.
const MEMORY: TimeDelta = TimeDelta::days(30);

/// A session that was just opened, with the token that is told only once.
#[derive(Debug)]
pub struct Opened {
    /// For its holder.
    pub token: Token,
    /// When it dies unless used.
    pub expires_at: DateTime<Utc>,
}

/// Which sessions a token may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Users'.
    User,
    /// Staff's.
    Staff,
}

impl Kind {
    fn matches(self, owner: Owner) -> bool {
        matches!(
            (self, owner),
            (Self::User, Owner::User(_)) | (Self::Staff, Owner::Staff(_))
        )
    }
}

/// Opens a session; beyond the allowed number the one not seen for longest ends. The caller holds the owner's row.
pub async fn open_in_tx(
    tx: &mut Tx,
    context: &Context,
    owner: Owner,
    client: &Client,
) -> Result<Opened, AuthError> {
    let now = context.clock.now();
    let keep = context.sessions.most_per_owner.saturating_sub(1).max(0);
    end_in_tx(tx, owner, keep, now).await?;
    let expires_at = now.checked_add_signed(ttl(context, owner)).unwrap_or(now);
    let session = Session {
        id: context.ids.next(),
        owner,
        created_at: now,
        last_seen_at: now,
        expires_at,
        ended_at: None,
    };
    let token = Token::random();
    repo::insert_in_tx(tx, &session, token.digest(), client).await?;
    Ok(Opened { token, expires_at })
}

/// Ends every live session of the owner. The caller holds the owner's row.
pub async fn end_all_in_tx(tx: &mut Tx, owner: Owner, now: DateTime<Utc>) -> Result<(), AuthError> {
    end_in_tx(tx, owner, 0, now).await
}

/// Ends every live session of the owner for good and says so: whoever caches any of them drops it. The caller holds the
/// owner's row and opens no new session.
pub async fn revoke_all_in_tx(
    tx: &mut Tx,
    owner: Owner,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    let ended = repo::end_all_but_in_tx(tx, owner, 0, now).await?;
    events::sessions_revoked_in_tx(tx, owner.id(), &ended, Revoked::All).await
}

/// The live session of a user's token, or SESSION_EXPIRED. The caller holds the owner's row.
pub async fn require_live_in_tx(
    tx: &mut Tx,
    user: Uuid,
    token: TokenDigest,
    now: DateTime<Utc>,
) -> Result<Session, AuthError> {
    let session = repo::find(tx, token)
        .await?
        .filter(|session| session.owner == Owner::User(user))
        .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?;
    session.require_live(now)?;
    Ok(session)
}

/// Ends one session of a user: false when it was over already, NOT_FOUND when the user never had it. The caller holds the
/// owner's row.
pub async fn end_one_in_tx(
    tx: &mut Tx,
    user: Uuid,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    if !repo::is_of_user_in_tx(tx, user, id).await? {
        return Err(Refusal::not_found("id").into());
    }
    let ended = repo::end_in_tx(tx, id, now).await?;
    if ended {
        events::sessions_revoked_in_tx(tx, user, &[id], Revoked::Named).await?;
    }
    Ok(ended)
}

/// Ends every live session of a user but one; false when there was none. The caller holds the owner's row.
pub async fn end_others_in_tx(
    tx: &mut Tx,
    user: Uuid,
    kept: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    let ended = repo::end_others_in_tx(tx, user, kept, now).await?;
    if ended.is_empty() {
        return Ok(false);
    }
    events::sessions_revoked_in_tx(tx, user, &ended, Revoked::Named).await?;
    Ok(true)
}

async fn end_in_tx(
    tx: &mut Tx,
    owner: Owner,
    keep: i64,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    let ended = repo::end_all_but_in_tx(tx, owner, keep, now).await?;
    if ended.is_empty() {
        return Ok(());
    }
    // Never marked as `all`, even when all ended: the owner may get a new session in the same transaction.
    events::sessions_revoked_in_tx(tx, owner.id(), &ended, Revoked::Named).await
}

/// Whose token this is. An unknown one is NOT_AUTHENTICATED, one that was alive once SESSION_EXPIRED. Using a session
/// slides its expiry.
pub async fn verify(
    context: &Context,
    kind: Kind,
    token: TokenDigest,
) -> Result<Session, AuthError> {
    let found = repo::find(&context.pool, token).await?;
    // The other kind's token is as unknown here as one that nobody issued.
    let mut session = found
        .filter(|session| kind.matches(session.owner))
        .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?;
    let now = context.clock.now();
    session.require_live(now)?;
    if session.touch(now, ttl(context, session.owner)) {
        let touched = session.clone();
        db::write(&context.pool, move |tx| {
            Box::pin(async move { repo::touch_in_tx(tx, &touched).await })
        })
        .await?;
    }
    Ok(session)
}

/// Ends the session of a token. A dead or unknown token is no error: there is nothing left to end.
pub async fn end(context: &Context, kind: Kind, token: TokenDigest) -> Result<(), AuthError> {
    let Some(session) = repo::find(&context.pool, token).await? else {
        return Ok(());
    };
    if !kind.matches(session.owner) {
        return Ok(());
    }
    let now = context.clock.now();
    db::write(&context.pool, move |tx| {
        Box::pin(async move {
            if repo::end_in_tx(tx, session.id, now).await? {
                let (owner, ended) = (session.owner.id(), [session.id]);
                events::sessions_revoked_in_tx(tx, owner, &ended, Revoked::Named).await?;
            }
            Ok::<_, AuthError>(())
        })
    })
    .await?;
    context.notifier.notify();
    Ok(())
}

/// The session of a token, dead or alive.
pub async fn find(pool: &PgPool, token: TokenDigest) -> Result<Option<Session>, AuthError> {
    Ok(repo::find(pool, token).await?)
}

/// A user's live sessions, newest first.
pub async fn live_of_user(
    pool: &PgPool,
    user: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<Listed>, AuthError> {
    Ok(repo::live_of_user(pool, user, now).await?)
}

/// Deletes a batch of long-dead sessions.
pub async fn prune(context: &Context) -> Result<u64, AuthError> {
    let now = context.clock.now();
    let before = now.checked_sub_signed(MEMORY).unwrap_or(now);
    db::write(&context.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before).await?) })
    })
    .await
}

fn ttl(context: &Context, owner: Owner) -> TimeDelta {
    match owner {
        Owner::User(_) => context.sessions.user_ttl,
        Owner::Staff(_) => context.sessions.staff_ttl,
    }
}
