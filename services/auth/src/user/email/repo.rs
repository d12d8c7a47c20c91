//! The SQL of codes that confirm addresses.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::entity::{EmailCode, Mailbox, Sent};
use crate::error::AuthError;
use crate::ids::EmailCodeId;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

struct Row {
    id: EmailCodeId,
    user: UserId,
    mailbox: Vec<u8>,
    made_at: DateTime<Utc>,
    tries_left: i32,
}

impl TryFrom<Row> for EmailCode {
    type Error = AuthError;

    fn try_from(row: Row) -> Result<Self, AuthError> {
        let mailbox = row.mailbox.try_into();
        Ok(Self {
            id: row.id,
            user: row.user,
            mailbox: Mailbox(mailbox.map_err(|_| CoreError::Corrupt("email_codes.mailbox"))?),
            made_at: row.made_at,
            tries_left: row.tries_left,
        })
    }
}

/// Waits until no other transaction counts the codes of this mailbox, until the end of this one: users may have the
/// same address.
pub async fn lock_mailbox_in_tx(tx: &mut Tx, mailbox: Mailbox) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('mailbox:' || $1, 0))::text AS "locked""#,
        hex::encode(mailbox.0),
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// The codes that were sent to this user, and to this mailbox, after `since`.
pub async fn sent_in_tx(
    tx: &mut Tx,
    user: UserId,
    mailbox: Mailbox,
    since: DateTime<Utc>,
) -> Result<Sent, sqlx::Error> {
    let to_user = sqlx::query_scalar!(
        "SELECT made_at FROM email_codes WHERE user_id = $1 AND made_at > $2 ORDER BY made_at DESC",
        user.0,
        since,
    )
    .fetch_all(&mut *tx)
    .await?;
    let to_mailbox = sqlx::query_scalar!(
        "SELECT made_at FROM email_codes WHERE mailbox = $1 AND made_at > $2 ORDER BY made_at DESC",
        &mailbox.0[..],
        since,
    )
    .fetch_all(tx)
    .await?;
    Ok(Sent {
        to_user,
        to_mailbox,
    })
}

/// Adds a code. The user has no other live one.
pub async fn insert_in_tx(tx: &mut Tx, code: &EmailCode) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO email_codes (id, user_id, mailbox, made_at, tries_left) VALUES ($1, $2, $3, $4, $5)",
        code.id.0,
        code.user.0,
        &code.mailbox.0[..],
        code.made_at,
        code.tries_left,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The user's code that has tries left. The user is locked.
pub async fn find_live_in_tx(tx: &mut Tx, user: UserId) -> Result<Option<EmailCode>, AuthError> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id AS "id: _", user_id AS "user: _", mailbox, made_at, tries_left
           FROM email_codes WHERE user_id = $1 AND tries_left > 0"#,
        user.0,
    )
    .fetch_optional(tx)
    .await?;
    row.map(EmailCode::try_from).transpose()
}

/// A code of this user.
pub async fn find(
    pool: &Pool,
    id: EmailCodeId,
    user: UserId,
) -> Result<Option<EmailCode>, AuthError> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id AS "id: _", user_id AS "user: _", mailbox, made_at, tries_left
           FROM email_codes WHERE id = $1 AND user_id = $2"#,
        id.0,
        user.0,
    )
    .fetch_optional(pool)
    .await?;
    row.map(EmailCode::try_from).transpose()
}

/// Writes the tries that a code has left. Its user is locked.
pub async fn save_in_tx(tx: &mut Tx, code: &EmailCode) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE email_codes SET tries_left = $2 WHERE id = $1",
        code.id.0,
        code.tries_left,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends the user's code: a newer one replaces it, it was used, or the address has changed. The user is locked.
pub async fn end_in_tx(tx: &mut Tx, user: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE email_codes SET tries_left = 0 WHERE user_id = $1 AND tries_left > 0",
        user.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a batch of codes that count no more.
pub async fn prune_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM email_codes WHERE id IN (
             SELECT id FROM email_codes WHERE made_at <= $1
             ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
