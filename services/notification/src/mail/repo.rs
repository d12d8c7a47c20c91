//! The SQL of mail.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Kept, Mail, NewMail, Query, State};
use super::link::LinkDigest;
use crate::error::NotificationError;
use crate::ids::MailId;
use crate::text;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

struct Row {
    id: MailId,
    user: UserId,
    former_email: Option<Uuid>,
    email_code: Option<Uuid>,
    template: String,
    params: serde_json::Value,
    occurred_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    state: State,
    attempts: i32,
    due_at: DateTime<Utc>,
    give_up_at: DateTime<Utc>,
    last_error: Option<String>,
    lang: Option<String>,
    finished_at: Option<DateTime<Utc>>,
    disowned_at: Option<DateTime<Utc>>,
}

impl TryFrom<Row> for Mail {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        Ok(Self {
            id: row.id,
            user: row.user,
            kept: row
                .former_email
                .map(Kept::FormerEmail)
                .or(row.email_code.map(Kept::EmailCode)),
            template: row.template,
            params: text::params_from_json(row.params).ok_or(CoreError::Corrupt("mails.params"))?,
            occurred_at: row.occurred_at,
            created_at: row.created_at,
            state: row.state,
            attempts: row.attempts,
            due_at: row.due_at,
            give_up_at: row.give_up_at,
            last_error: row.last_error,
            lang: row.lang,
            finished_at: row.finished_at,
            disowned_at: row.disowned_at,
        })
    }
}

/// A statement that answers mails: what comes before its columns, what behind them, and its arguments.
macro_rules! query_mails {
    ($verb:literal, $rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            $verb
                + r#" id AS "id: _", user_id AS "user: _", former_email_id AS former_email,
                      email_code_id AS email_code, template, params, occurred_at, created_at, state AS "state: _", attempts, due_at, give_up_at, last_error, lang, finished_at,
                      disowned_at "#
                + $rest
            $(, $argument)*
        )
    };
}

/// Adds a mail; the same happening again adds nothing.
pub async fn add_in_tx(tx: &mut Tx, mail: &NewMail) -> Result<(), NotificationError> {
    sqlx::query!(
        "INSERT INTO mails (id, user_id, former_email_id, email_code_id, template, params, source_key, occurred_at,
                            created_at, due_at, give_up_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)
         ON CONFLICT (source_key) DO NOTHING",
        mail.id.0,
        mail.user.0,
        mail.kept.and_then(Kept::former_email),
        mail.kept.and_then(Kept::email_code),
        mail.template.as_str(),
        serde_json::to_value(&mail.params)?,
        mail.source_key,
        mail.occurred_at,
        mail.now,
        mail.give_up_at(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes mails that are due, oldest first, until `lease_until`, and counts one more attempt of each. Skips what another
/// replica is taking at this moment, so that no two take the same.
pub async fn claim_in_tx(
    tx: &mut Tx,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Mail>, NotificationError> {
    let rows = query_mails!(
        "UPDATE mails SET attempts = attempts + 1, due_at = $2
         WHERE id IN (SELECT id FROM mails WHERE state = 'pending' AND due_at <= $1
                      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
         RETURNING",
        "",
        now,
        lease_until,
        limit,
    )
    .fetch_all(tx)
    .await?;
    rows.into_iter().map(Mail::try_from).collect()
}

/// Writes down the links of the attempts that begin.
pub async fn add_links_in_tx(
    tx: &mut Tx,
    links: &[(MailId, LinkDigest)],
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    let (mails, digests): (Vec<Uuid>, Vec<Vec<u8>>) = links
        .iter()
        .map(|(mail, digest)| (mail.0, digest.0.to_vec()))
        .unzip();
    sqlx::query!(
        "INSERT INTO mail_links (digest, mail_id, made_at)
         SELECT digest, mail_id, $3 FROM unnest($1::bytea[], $2::uuid[]) AS links (digest, mail_id)",
        &digests,
        &mails,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The mail of a link that was made after `made_after`, locked.
pub async fn lock_by_link_in_tx(
    tx: &mut Tx,
    digest: LinkDigest,
    made_after: DateTime<Utc>,
) -> Result<Option<Mail>, NotificationError> {
    let row = query_mails!(
        "SELECT",
        "FROM mails WHERE id = (SELECT mail_id FROM mail_links WHERE digest = $1 AND made_at > $2) FOR UPDATE",
        &digest.0[..],
        made_after,
    )
    .fetch_optional(tx)
    .await?;
    row.map(Mail::try_from).transpose()
}

/// Writes when a mail was disowned. An attempt to send it may go on meanwhile.
pub async fn save_disowned_in_tx(tx: &mut Tx, mail: &Mail) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE mails SET disowned_at = $2 WHERE id = $1",
        mail.id.0,
        mail.disowned_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes what became of a mail; nothing if another attempt has begun since.
pub async fn save_in_tx(tx: &mut Tx, mail: &Mail) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE mails SET state = $3, due_at = $4, give_up_at = $5, last_error = $6, lang = $7, finished_at = $8
         WHERE id = $1 AND attempts = $2",
        mail.id.0,
        mail.attempts,
        mail.state.as_str(),
        mail.due_at,
        mail.give_up_at,
        mail.last_error,
        mail.lang,
        mail.finished_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// When the last but `count` of the mails that a user was sent was; none if there are not so many. Auth limits codes by
/// itself, so they neither count here nor keep other mail back.
pub async fn sent_before(
    pool: &Pool,
    user: UserId,
    count: i64,
) -> Result<Option<DateTime<Utc>>, NotificationError> {
    let finished_at = sqlx::query_scalar!(
        "SELECT finished_at FROM mails WHERE user_id = $1 AND state = 'sent' AND email_code_id IS NULL
         ORDER BY id DESC LIMIT 1 OFFSET $2",
        user.0,
        count,
    )
    .fetch_optional(pool)
    .await?;
    Ok(finished_at.flatten())
}

/// One, locked.
pub async fn lock_in_tx(tx: &mut Tx, id: MailId) -> Result<Option<Mail>, NotificationError> {
    let row = query_mails!("SELECT", "FROM mails WHERE id = $1 FOR UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    row.map(Mail::try_from).transpose()
}

/// Mails behind `before`, newest first. A query of its own for each way to filter, so that PostgreSQL always takes the
/// index that is made for it.
pub async fn list(
    pool: &Pool,
    query: Query,
    before: Option<MailId>,
    fetch: i64,
) -> Result<Vec<Mail>, NotificationError> {
    let before = bound(before);
    let rows = match (
        query.user.map(|user| user.0),
        query.state.map(State::as_str),
    ) {
        (None, None) => {
            query_mails!(
                "SELECT",
                "FROM mails WHERE id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch
            )
            .fetch_all(pool)
            .await?
        }
        (Some(user), None) => {
            query_mails!(
                "SELECT",
                "FROM mails WHERE user_id = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch,
                user,
            )
            .fetch_all(pool)
            .await?
        }
        (None, Some(state)) => {
            query_mails!(
                "SELECT",
                "FROM mails WHERE state = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch,
                state,
            )
            .fetch_all(pool)
            .await?
        }
        (Some(user), Some(state)) => query_mails!(
            "SELECT",
            "FROM mails WHERE user_id = $3 AND state = $4 AND id < $1 ORDER BY id DESC LIMIT $2",
            before,
            fetch,
            user,
            state,
        )
        .fetch_all(pool)
        .await?,
    };
    rows.into_iter().map(Mail::try_from).collect()
}

/// Mails that wait, mails that were given up, and when the oldest that waits was made; counted up to a limit.
#[derive(Debug)]
pub struct Backlog {
    pub pending: i64,
    pub dead: i64,
    pub oldest: Option<DateTime<Utc>>,
}

/// The backlog.
pub async fn backlog(pool: &Pool) -> Result<Backlog, NotificationError> {
    let backlog = sqlx::query_as!(
        Backlog,
        r#"SELECT (SELECT count(*) FROM (SELECT FROM mails WHERE state = 'pending' LIMIT $1) AS counted) AS "pending!",
                  (SELECT count(*) FROM (SELECT FROM mails WHERE state = 'dead' LIMIT $1) AS counted) AS "dead!",
                  (SELECT created_at FROM mails WHERE state = 'pending' ORDER BY id LIMIT 1) AS oldest"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok(backlog)
}

/// Deletes a batch of mails that were finished before `before`; answers whether there may be more.
pub async fn prune_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<bool, NotificationError> {
    let done = sqlx::query!(
        "DELETE FROM mails WHERE id IN (
             SELECT id FROM mails WHERE state <> 'pending' AND finished_at < $1
             ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() >= PRUNE_BATCH.unsigned_abs())
}
