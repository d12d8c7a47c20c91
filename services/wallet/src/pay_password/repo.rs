//! The SQL of transaction passwords. The flag in `wallets` follows in the same transaction.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::entity::{Attempts, Open};
use crate::ids::AttemptId;

pub(super) async fn is_set(pool: &Pool, user_id: UserId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pay_passwords WHERE user_id = $1) AS "is_set!""#,
        user_id.0
    )
    .fetch_one(pool)
    .await
}

/// The hash and its wrong attempts, locked: attempts that come together are counted one after the other.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    user_id: UserId,
) -> Result<Option<(String, Attempts)>, sqlx::Error> {
    sqlx::query!(
        "SELECT hash, attempts, day_attempts, day_began_at, locked_until, locked_for_good
         FROM pay_passwords WHERE user_id = $1 FOR UPDATE",
        user_id.0
    )
    .map(|row| {
        let attempts = Attempts {
            row: row.attempts,
            day: row.day_attempts,
            day_began_at: row.day_began_at,
            locked_until: row.locked_until,
            locked_for_good: row.locked_for_good,
        };
        (row.hash, attempts)
    })
    .fetch_optional(tx)
    .await
}

pub(super) async fn store_attempts_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    attempts: Attempts,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE pay_passwords
         SET attempts = $2, day_attempts = $3, day_began_at = $4, locked_until = $5, locked_for_good = $6
         WHERE user_id = $1",
        user_id.0,
        attempts.row,
        attempts.day,
        attempts.day_began_at,
        attempts.locked_until,
        attempts.locked_for_good,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The attempts without an outcome, once those that began at `forgotten` or before are gone. The hash must be locked.
pub(super) async fn open_attempts_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    forgotten: Option<DateTime<Utc>>,
) -> Result<Open, sqlx::Error> {
    sqlx::query!(
        "DELETE FROM pay_password_attempts WHERE user_id = $1 AND began_at <= $2",
        user_id.0,
        forgotten
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query_as!(
        Open,
        r#"SELECT count(*) AS "count!", min(began_at) AS first_began_at
           FROM pay_password_attempts WHERE user_id = $1"#,
        user_id.0
    )
    .fetch_one(tx)
    .await
}

pub(super) async fn open_attempt_in_tx(
    tx: &mut Tx,
    id: AttemptId,
    user_id: UserId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO pay_password_attempts (id, user_id, began_at) VALUES ($1, $2, $3)",
        id.0,
        user_id.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// False if the attempt was forgotten or its password is gone.
pub(super) async fn close_attempt_in_tx(tx: &mut Tx, id: AttemptId) -> Result<bool, sqlx::Error> {
    let closed = sqlx::query!("DELETE FROM pay_password_attempts WHERE id = $1", id.0)
        .execute(tx)
        .await?;
    Ok(closed.rows_affected() == 1)
}

/// A password where there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// The user never had one.
    First,
    /// Staff have removed one before.
    Again,
}

/// Sets a password where there is none. None if there is one already.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    hash: &str,
) -> Result<Option<Insertion>, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO pay_passwords (user_id, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        user_id.0,
        hash
    )
    .execute(&mut *tx)
    .await?;
    if inserted.rows_affected() == 0 {
        return Ok(None);
    }
    let was_reset = sqlx::query_scalar!(
        "INSERT INTO wallets (user_id, has_pay_password) VALUES ($1, true)
         ON CONFLICT (user_id) DO UPDATE SET has_pay_password = true
         RETURNING pay_password_was_reset",
        user_id.0
    )
    .fetch_one(tx)
    .await?;
    Ok(Some(if was_reset {
        Insertion::Again
    } else {
        Insertion::First
    }))
}

/// Replaces the hash that was verified. False if it is gone.
pub(super) async fn change_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    before: &str,
    after: &str,
) -> Result<bool, sqlx::Error> {
    let changed = sqlx::query!(
        "UPDATE pay_passwords SET hash = $3 WHERE user_id = $1 AND hash = $2",
        user_id.0,
        before,
        after
    )
    .execute(tx)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// How many hashes do not have `mark` in them. Reads all of them.
pub(super) async fn count_without(pool: &Pool, mark: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM pay_passwords WHERE strpos(hash, $1) = 0"#,
        mark
    )
    .fetch_one(pool)
    .await
}

/// Removes hash and lock. False if there is none.
pub(super) async fn delete_in_tx(tx: &mut Tx, user_id: UserId) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!("DELETE FROM pay_passwords WHERE user_id = $1", user_id.0)
        .execute(&mut *tx)
        .await?;
    if deleted.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!(
        "UPDATE wallets SET has_pay_password = false, pay_password_was_reset = true WHERE user_id = $1",
        user_id.0
    )
    .execute(tx)
    .await?;
    Ok(true)
}
