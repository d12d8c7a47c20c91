//! Sessions of users and staff: opening, verifying with a sliding expiry, and ending with an event for caches.

pub mod entity;
mod repo;
pub mod uses;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, TimeDelta, Utc};

pub use entity::{
    Client, Kind, Listed, Opened, Opening, Origin, Owner, Session, Token, TokenDigest,
};

use crate::app::App;
use crate::device;
use crate::error::AuthError;
use crate::events::{self, Revoked};
use crate::ids::{SessionId, StaffId};

/// How long a session is remembered after its end: until then its token answers SESSION_EXPIRED, later
/// NOT_AUTHENTICATED.
const MEMORY: TimeDelta = TimeDelta::days(30);

/// How long an account remembers a client that it is not used with any more.
const CLIENT_MEMORY: TimeDelta = TimeDelta::days(180);

/// Opens a session; beyond the allowed number the one not used for longest ends. The caller holds the lock on the
/// owner's row.
pub async fn open_in_tx(tx: &mut Tx, app: &App, opening: &Opening) -> Result<Opened, AuthError> {
    let owner = opening.owner;
    let now = app.clock.now();
    let keep = app.sessions.max_per_owner.saturating_sub(1).max(0);
    end_in_tx(tx, owner, keep, now).await?;
    let expires_at = app.sessions.expiry(owner, now, now);
    let session = Session {
        id: SessionId(app.ids.next()),
        owner,
        origin: opening.origin,
        created_at: now,
        confirmed_at: now,
        factor_at: opening.shows_factor.then_some(now),
        last_seen_at: now,
        expires_at,
        ended_at: None,
    };
    let token = Token::random();
    repo::insert_in_tx(tx, &session, token.digest(), opening).await?;
    remember_client_in_tx(tx, opening, now).await?;
    Ok(Opened { token, expires_at })
}

/// Remembers the client that a user registers or logs in with, and announces a login with a new one. What a host opens,
/// the host answers for.
async fn remember_client_in_tx(
    tx: &mut Tx,
    opening: &Opening,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    let Owner::User(user) = opening.owner else {
        return Ok(());
    };
    if !matches!(opening.origin, Origin::Login | Origin::Registration) {
        return Ok(());
    }
    let client = (&opening.client).into();
    let known = repo::remember_client_in_tx(tx, user, client, now).await?;
    if known == Some(false) && opening.origin == Origin::Login {
        events::new_client_logged_in_in_tx(tx, user).await?;
    }
    Ok(())
}

/// Ends every live session of the owner. The caller holds the lock on the owner's row.
pub async fn end_all_in_tx(tx: &mut Tx, owner: Owner, now: DateTime<Utc>) -> Result<(), AuthError> {
    end_in_tx(tx, owner, 0, now).await
}

/// Ends every live session of the owner for good and announces it, so that every cache drops them, and forgets the
/// owner's devices; answers how many that were. The caller holds the lock on the owner's row and opens no new session.
pub async fn revoke_all_in_tx(
    tx: &mut Tx,
    owner: Owner,
    now: DateTime<Utc>,
) -> Result<usize, AuthError> {
    device::forget_all_in_tx(tx, owner).await?;
    let ended = repo::end_all_but_in_tx(tx, owner, 0, now).await?;
    events::sessions_revoked_in_tx(tx, owner, &ended, Revoked::All).await?;
    Ok(ended.len())
}

/// The live session of a user's token, or SESSION_EXPIRED. The caller holds the lock on the owner's row.
pub async fn require_live_in_tx(
    tx: &mut Tx,
    app: &App,
    user: UserId,
    token: TokenDigest,
) -> Result<Session, AuthError> {
    require_in_tx(tx, app, Owner::User(user), token).await
}

/// The live session of a staff token, or SESSION_EXPIRED. The caller holds the lock on the owner's row.
pub async fn require_staff_in_tx(
    tx: &mut Tx,
    app: &App,
    staff: StaffId,
    token: TokenDigest,
) -> Result<Session, AuthError> {
    require_in_tx(tx, app, Owner::Staff(staff), token).await
}

async fn require_in_tx(
    tx: &mut Tx,
    app: &App,
    owner: Owner,
    token: TokenDigest,
) -> Result<Session, AuthError> {
    let session = repo::find(tx, token)
        .await?
        .filter(|session| session.owner == owner)
        .ok_or(AuthError::NotAuthenticated)?
        .under(&app.sessions);
    session.require_live(app.clock.now())?;
    Ok(session)
}

/// Marks the second factor as shown in a session from now on. The caller holds the lock on the owner's row.
pub async fn show_factor_in_tx(
    tx: &mut Tx,
    session: &mut Session,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    session.factor_at = Some(now);
    Ok(repo::show_factor_in_tx(tx, session).await?)
}

/// Makes a session fresh from now on. The caller holds the lock on the owner's row.
pub async fn confirm_in_tx(
    tx: &mut Tx,
    session: &mut Session,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    session.confirmed_at = now;
    Ok(repo::confirm_in_tx(tx, session).await?)
}

/// Ends one session of a user: false when it was over already, NOT_FOUND when the user never had it. The caller holds
/// the lock on the owner's row.
pub async fn end_one_in_tx(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    if !repo::is_of_user_in_tx(tx, user, id).await? {
        return Err(AuthError::SessionUnknown);
    }
    let ended = repo::end_in_tx(tx, id, now).await?;
    if ended {
        events::sessions_revoked_in_tx(tx, Owner::User(user), &[id], Revoked::Named).await?;
    }
    Ok(ended)
}

/// Ends every live session of a user but one; false when there was none. The caller holds the lock on the owner's row.
pub async fn end_others_in_tx(
    tx: &mut Tx,
    user: UserId,
    kept: SessionId,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    let ended = repo::end_others_in_tx(tx, user, kept, now).await?;
    if ended.is_empty() {
        return Ok(false);
    }
    events::sessions_revoked_in_tx(tx, Owner::User(user), &ended, Revoked::Named).await?;
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
    events::sessions_revoked_in_tx(tx, owner, &ended, Revoked::Named).await
}

/// The session of a token, which this use extends. An unknown token is NOT_AUTHENTICATED; one that was valid once is
/// SESSION_EXPIRED.
pub async fn verify(app: &App, kind: Kind, token: TokenDigest) -> Result<Session, AuthError> {
    let found = repo::find(&app.pool, token).await?;
    // A token of the other kind is as unknown here as one that was never issued.
    let mut session = found
        .filter(|session| kind.matches(session.owner))
        .ok_or(AuthError::NotAuthenticated)?;
    session = app.session_uses.apply(session).under(&app.sessions);
    let now = app.clock.now();
    session.require_live(now)?;
    if session.touch(now, &app.sessions) {
        app.session_uses.add(&session);
    }
    Ok(session)
}

/// Ends the session of a token. An expired or unknown token is no error: there is nothing left to end.
pub async fn end(app: &App, kind: Kind, token: TokenDigest) -> Result<(), AuthError> {
    let Some(session) = repo::find(&app.pool, token).await? else {
        return Ok(());
    };
    if !kind.matches(session.owner) {
        return Ok(());
    }
    let now = app.clock.now();
    app.write(move |tx| {
        Box::pin(async move { end_found_in_tx(tx, &session, now).await.map(|_| ()) })
    })
    .await
}

/// Ends a session; false when it was over already.
pub async fn end_found_in_tx(
    tx: &mut Tx,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    let ended = repo::end_in_tx(tx, session.id, now).await?;
    if ended {
        events::sessions_revoked_in_tx(tx, session.owner, &[session.id], Revoked::Named).await?;
    }
    Ok(ended)
}

/// The session of a token, live or not.
pub async fn find(app: &App, token: TokenDigest) -> Result<Option<Session>, AuthError> {
    Ok(repo::find(&app.pool, token).await?)
}

/// The session of a token, live or not, as the transaction sees it.
pub async fn find_in_tx(tx: &mut Tx, token: TokenDigest) -> Result<Option<Session>, AuthError> {
    Ok(repo::find(tx, token).await?)
}

/// A user's live sessions, newest first.
pub async fn live_of_user(app: &App, user: UserId) -> Result<Vec<Listed>, AuthError> {
    let now = app.clock.now();
    let opened_after = app.sessions.user_opened_after(now);
    let found = repo::live_of_user(&app.pool, user, now, opened_after).await?;
    let under = |listed: Listed| Listed {
        session: app.session_uses.apply(listed.session).under(&app.sessions),
        ..listed
    };
    Ok(found.into_iter().map(under).collect())
}

/// Deletes a batch of sessions that ended long ago.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let now = app.clock.now();
    let before = now.checked_sub_signed(MEMORY).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before).await?) })
    })
    .await
}

/// Deletes a batch of clients that their users have not used for long.
pub async fn prune_clients(app: &App) -> Result<u64, AuthError> {
    let now = app.clock.now();
    let before = now.checked_sub_signed(CLIENT_MEMORY).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_clients_in_tx(tx, before).await?) })
    })
    .await
}
