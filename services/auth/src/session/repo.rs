//! The SQL of sessions.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::signing_key::Kid;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::entity::{Client, ClientDigest, Listed, Opening, Origin, Owner, Session, TokenDigest};
use super::uses::Use;
use crate::ids::{SessionId, StaffId};

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Adds a session.
pub async fn insert_in_tx(
    tx: &mut Tx,
    session: &Session,
    digest: TokenDigest,
    opening: &Opening,
) -> Result<(), sqlx::Error> {
    let (user, staff) = columns(session.owner);
    sqlx::query!(
        "INSERT INTO sessions (id, user_id, staff_id, token_hash, created_at, last_seen_at, expires_at, user_agent, address,
                               origin, host_kid, factor_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        session.id.0,
        user,
        staff,
        &digest.0[..],
        session.created_at,
        session.last_seen_at,
        session.expires_at,
        opening.client.user_agent,
        opening.client.address,
        session.origin.as_str(),
        opening.host_kid.as_ref().map(Kid::as_str),
        session.factor_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The session of a token, live or not. One that an assertion opened has ended with the key of that assertion.
pub async fn find(
    executor: impl PgExecutor<'_>,
    digest: TokenDigest,
) -> Result<Option<Session>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT s.id, s.user_id, s.staff_id, s.origin AS "origin: Origin", s.created_at,
                  coalesce(s.confirmed_at, s.created_at) AS "confirmed_at!", s.factor_at, s.last_seen_at,
                  s.expires_at, coalesce(s.ended_at, k.revoked_at) AS ended_at
           FROM sessions s LEFT JOIN host_keys k ON k.kid = s.host_kid
           WHERE s.token_hash = $1"#,
        &digest.0[..],
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.and_then(|row| {
        let owner = row
            .user_id
            .map(|id| Owner::User(UserId(id)))
            .or(row.staff_id.map(|id| Owner::Staff(StaffId(id))))?;
        Some(Session {
            id: SessionId(row.id),
            owner,
            origin: row.origin,
            created_at: row.created_at,
            confirmed_at: row.confirmed_at,
            factor_at: row.factor_at,
            last_seen_at: row.last_seen_at,
            expires_at: row.expires_at,
            ended_at: row.ended_at,
        })
    }))
}

/// A user's live sessions that were opened after `opened_after`, newest first.
pub async fn live_of_user(
    pool: &Pool,
    user: UserId,
    now: DateTime<Utc>,
    opened_after: DateTime<Utc>,
) -> Result<Vec<Listed>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT s.id, s.origin AS "origin: Origin", s.created_at,
                  coalesce(s.confirmed_at, s.created_at) AS "confirmed_at!", s.last_seen_at, s.expires_at, s.user_agent,
                  s.address
           FROM sessions s LEFT JOIN host_keys k ON k.kid = s.host_kid
           WHERE s.user_id = $1 AND s.ended_at IS NULL AND s.expires_at > $2 AND s.created_at > $3
             AND k.revoked_at IS NULL
           ORDER BY s.id DESC"#,
        user.0,
        now,
        opened_after,
    )
    .fetch_all(pool)
    .await?;
    let sessions = rows.into_iter().map(|row| Listed {
        session: Session {
            id: SessionId(row.id),
            owner: Owner::User(user),
            origin: row.origin,
            created_at: row.created_at,
            confirmed_at: row.confirmed_at,
            factor_at: None,
            last_seen_at: row.last_seen_at,
            expires_at: row.expires_at,
            ended_at: None,
        },
        client: Client {
            user_agent: row.user_agent,
            address: row.address,
        },
    });
    Ok(sessions.collect())
}

/// Stores the last uses of sessions. Never backwards: of two replicas that extend one the later use counts. Locked in
/// one order, so that two replicas do not wait for each other.
pub async fn touch_in_tx(tx: &mut Tx, uses: &[(SessionId, Use)]) -> Result<(), sqlx::Error> {
    let ids: Vec<_> = uses.iter().map(|(id, _)| id.0).collect();
    let seen: Vec<_> = uses.iter().map(|(_, last)| last.last_seen_at).collect();
    let expiries: Vec<_> = uses.iter().map(|(_, last)| last.expires_at).collect();
    sqlx::query!(
        "WITH used AS (
             SELECT s.id, u.last_seen_at, u.expires_at
             FROM sessions s JOIN unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS u (id, last_seen_at, expires_at)
               USING (id)
             WHERE s.ended_at IS NULL AND s.last_seen_at < u.last_seen_at
             ORDER BY s.id FOR UPDATE OF s
         )
         UPDATE sessions s SET last_seen_at = used.last_seen_at, expires_at = used.expires_at
         FROM used WHERE s.id = used.id",
        &ids,
        &seen,
        &expiries,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores when the session's holder last proved who they are.
pub async fn confirm_in_tx(tx: &mut Tx, session: &Session) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE sessions SET confirmed_at = $2 WHERE id = $1 AND ended_at IS NULL",
        session.id.0,
        session.confirmed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores when the second factor was shown.
pub async fn show_factor_in_tx(tx: &mut Tx, session: &Session) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE sessions SET factor_at = $2 WHERE id = $1 AND ended_at IS NULL",
        session.id.0,
        session.factor_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends one session; false when it was over already.
pub async fn end_in_tx(
    tx: &mut Tx,
    id: SessionId,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL",
        id.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether a session is, or was, the user's.
pub async fn is_of_user_in_tx(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM sessions WHERE id = $1 AND user_id = $2) AS "exists!""#,
        id.0,
        user.0
    )
    .fetch_one(tx)
    .await
}

/// Ends the user's live sessions except one; answers which.
pub async fn end_others_in_tx(
    tx: &mut Tx,
    user: UserId,
    kept: SessionId,
    now: DateTime<Utc>,
) -> Result<Vec<SessionId>, sqlx::Error> {
    let ended = sqlx::query_scalar!(
        "UPDATE sessions SET ended_at = $3
         WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL AND expires_at > $3 RETURNING id",
        user.0,
        kept.0,
        now,
    )
    .fetch_all(tx)
    .await?;
    Ok(ended.into_iter().map(SessionId).collect())
}

/// Ends the owner's live sessions except the `keep` last used; answers which. The caller holds the lock on the owner's
/// row, so that sessions opened at the same time are counted one after the other.
pub async fn end_all_but_in_tx(
    tx: &mut Tx,
    owner: Owner,
    keep: i64,
    now: DateTime<Utc>,
) -> Result<Vec<SessionId>, sqlx::Error> {
    let (user, staff) = columns(owner);
    let ended = sqlx::query_scalar!(
        "UPDATE sessions SET ended_at = $3 WHERE id IN (
             SELECT id FROM sessions
             WHERE (user_id = $1 OR staff_id = $2) AND ended_at IS NULL AND expires_at > $3
             ORDER BY last_seen_at DESC, id DESC OFFSET $4)
         RETURNING id",
        user,
        staff,
        now,
        keep,
    )
    .fetch_all(tx)
    .await?;
    Ok(ended.into_iter().map(SessionId).collect())
}

/// Remembers a client that its user logs in with; answers whether it was known, and none for the first one.
pub async fn remember_client_in_tx(
    tx: &mut Tx,
    user: UserId,
    client: ClientDigest,
    now: DateTime<Utc>,
) -> Result<Option<bool>, sqlx::Error> {
    // The first part sees the table as it was before the second one writes.
    sqlx::query_scalar!(
        "WITH before AS (SELECT bool_or(client = $2) AS is_known FROM known_clients WHERE user_id = $1),
              remembered AS (
                  INSERT INTO known_clients (user_id, client, seen_at) VALUES ($1, $2, $3)
                  ON CONFLICT (user_id, client) DO UPDATE SET seen_at = excluded.seen_at)
         SELECT is_known FROM before",
        user.0,
        &client.0[..],
        now,
    )
    .fetch_one(tx)
    .await
}

/// Deletes a batch of clients that were last used before `before`.
pub async fn prune_clients_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM known_clients WHERE (user_id, client) IN (
             SELECT user_id, client FROM known_clients WHERE seen_at < $1
             ORDER BY seen_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes a batch of sessions that ended before `before`.
pub async fn prune_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM sessions WHERE id IN (
             SELECT id FROM sessions WHERE least(ended_at, expires_at) < $1
             ORDER BY least(ended_at, expires_at) LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

fn columns(owner: Owner) -> (Option<Uuid>, Option<Uuid>) {
    match owner {
        Owner::User(id) => (Some(id.0), None),
        Owner::Staff(id) => (None, Some(id.0)),
    }
}
