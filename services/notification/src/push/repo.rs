//! The SQL of push messages.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Browser, NewPush, NewSubscription, Push, State};
use crate::error::NotificationError;
use crate::ids::{PushId, SubscriptionId};
use crate::text;

/// Browsers that one user has at most.
const BROWSERS_MAX: i64 = 10;

/// Messages that wait for one browser at most: while its push service is away, later ones are in the inbox alone.
const WAITING_MAX: i64 = 50;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Subscribes a browser or renews it. It belongs to one user: the last who said so.
pub async fn subscribe_in_tx(tx: &mut Tx, new: &NewSubscription) -> Result<(), NotificationError> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE endpoint = $1 AND user_id <> $2",
        new.endpoint.as_str(),
        new.user.0,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "INSERT INTO push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth, lang, renewed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (endpoint) DO UPDATE
            SET user_id = $2, session_id = $3, p256dh = $5, auth = $6, lang = $7, renewed_at = $8",
        new.id.0,
        new.user.0,
        new.session,
        new.endpoint.as_str(),
        new.p256dh,
        new.auth,
        new.lang,
        new.now,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE id IN (
             SELECT id FROM push_subscriptions WHERE user_id = $1 ORDER BY renewed_at DESC, id DESC OFFSET $2)",
        new.user.0,
        BROWSERS_MAX,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets a browser of the user's.
pub async fn unsubscribe_in_tx(
    tx: &mut Tx,
    user: UserId,
    endpoint: &str,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE endpoint = $1 AND user_id = $2",
        endpoint,
        user.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets a browser that takes no messages any more.
pub async fn forget_in_tx(tx: &mut Tx, id: SubscriptionId) -> Result<(), NotificationError> {
    sqlx::query!("DELETE FROM push_subscriptions WHERE id = $1", id.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Forgets the browsers of sessions that have ended.
pub async fn forget_sessions_in_tx(
    tx: &mut Tx,
    user: UserId,
    sessions: &[Uuid],
) -> Result<(), NotificationError> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE user_id = $1 AND session_id = ANY($2)",
        user.0,
        sessions,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets all browsers of a user.
pub async fn forget_user_in_tx(tx: &mut Tx, user: UserId) -> Result<(), NotificationError> {
    sqlx::query!("DELETE FROM push_subscriptions WHERE user_id = $1", user.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// The browsers of a user that take one more message.
pub async fn free_browsers_in_tx(
    tx: &mut Tx,
    user: UserId,
) -> Result<Vec<SubscriptionId>, NotificationError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT id AS "id: _" FROM push_subscriptions AS browser
           WHERE user_id = $1 AND (
               SELECT count(*) FROM (
                   SELECT FROM pushes WHERE subscription_id = browser.id AND state = 'pending' LIMIT $2) AS waiting) < $2"#,
        user.0,
        WAITING_MAX,
    )
    .fetch_all(tx)
    .await?;
    Ok(ids)
}

/// Adds a message to these browsers; the same happening again adds nothing.
pub async fn add_in_tx(
    tx: &mut Tx,
    push: &NewPush,
    to: &[(PushId, SubscriptionId)],
) -> Result<(), NotificationError> {
    let (ids, browsers): (Vec<Uuid>, Vec<Uuid>) =
        to.iter().map(|(id, browser)| (id.0, browser.0)).unzip();
    // A browser that was forgotten a moment ago must not fail the notice: its row is locked, or gone.
    sqlx::query!(
        "INSERT INTO pushes (id, subscription_id, template, params, source_key, occurred_at, due_at, give_up_at)
         SELECT message.id, browser.id, $3, $4, $5, $6, $7, $8
         FROM unnest($1::uuid[], $2::uuid[]) AS message (id, browser)
         JOIN (SELECT id FROM push_subscriptions WHERE id = ANY($2) FOR KEY SHARE) AS browser ON browser.id = message.browser
         ON CONFLICT (subscription_id, source_key) DO NOTHING",
        &ids,
        &browsers,
        push.template.as_str(),
        serde_json::to_value(&push.params)?,
        push.source_key,
        push.occurred_at,
        push.now,
        push.give_up_at(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

struct Row {
    id: PushId,
    subscription: SubscriptionId,
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
    lang: String,
    template: String,
    params: serde_json::Value,
    source_key: String,
    occurred_at: DateTime<Utc>,
    state: State,
    attempts: i32,
    due_at: DateTime<Utc>,
    give_up_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
}

impl TryFrom<Row> for Push {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        let corrupt = || CoreError::Corrupt("push_subscriptions");
        let endpoint = row.endpoint.parse().map_err(|_| corrupt())?;
        let browser = Browser::from_stored(endpoint, &row.p256dh, &row.auth);
        Ok(Self {
            id: row.id,
            subscription: row.subscription,
            browser: browser.map_err(|_| corrupt())?,
            lang: row.lang,
            template: row.template,
            params: text::params_from_json(row.params)
                .ok_or(CoreError::Corrupt("pushes.params"))?,
            source_key: row.source_key,
            occurred_at: row.occurred_at,
            state: row.state,
            attempts: row.attempts,
            due_at: row.due_at,
            give_up_at: row.give_up_at,
            finished_at: row.finished_at,
        })
    }
}

/// Takes messages that are due, oldest first, until `lease_until`, and counts one more attempt of each. Skips what another
/// replica is taking at this moment, so that no two take the same.
pub async fn claim_in_tx(
    tx: &mut Tx,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Push>, NotificationError> {
    let rows = sqlx::query_as!(
        Row,
        r#"WITH due AS (
               SELECT id FROM pushes WHERE state = 'pending' AND due_at <= $1
               ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
           UPDATE pushes AS push SET attempts = push.attempts + 1, due_at = $2
           FROM due, push_subscriptions AS browser
           WHERE push.id = due.id AND browser.id = push.subscription_id
           RETURNING push.id AS "id: _", push.subscription_id AS "subscription: _", browser.endpoint, browser.p256dh,
                     browser.auth, browser.lang, push.template, push.params, push.source_key, push.occurred_at,
                     push.state AS "state: _", push.attempts, push.due_at, push.give_up_at, push.finished_at"#,
        now,
        lease_until,
        limit,
    )
    .fetch_all(tx)
    .await?;
    rows.into_iter().map(Push::try_from).collect()
}

/// Writes what became of a message; nothing if another attempt has begun since.
pub async fn save_in_tx(tx: &mut Tx, push: &Push) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE pushes SET state = $3, due_at = $4, finished_at = $5 WHERE id = $1 AND attempts = $2",
        push.id.0,
        push.attempts,
        push.state.as_str(),
        push.due_at,
        push.finished_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Messages that wait, and since when the oldest does; counted up to a limit.
#[derive(Debug)]
pub struct Backlog {
    pub pending: i64,
    pub oldest: Option<DateTime<Utc>>,
}

/// The backlog.
pub async fn backlog(pool: &Pool) -> Result<Backlog, NotificationError> {
    let backlog = sqlx::query_as!(
        Backlog,
        r#"SELECT (SELECT count(*) FROM (SELECT FROM pushes WHERE state = 'pending' LIMIT $1) AS counted) AS "pending!",
                  (SELECT due_at FROM pushes WHERE state = 'pending' ORDER BY due_at LIMIT 1) AS oldest"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok(backlog)
}

/// Deletes a batch of messages that were finished, and of browsers that were last renewed, before these times; answers
/// whether there may be more.
pub async fn prune_in_tx(
    tx: &mut Tx,
    finished: DateTime<Utc>,
    renewed: DateTime<Utc>,
) -> Result<bool, NotificationError> {
    let messages = sqlx::query!(
        "DELETE FROM pushes WHERE id IN (
             SELECT id FROM pushes WHERE state <> 'pending' AND finished_at < $1
             ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        finished,
        PRUNE_BATCH,
    )
    .execute(&mut *tx)
    .await?;
    let browsers = sqlx::query!(
        "DELETE FROM push_subscriptions WHERE id IN (
             SELECT id FROM push_subscriptions WHERE renewed_at < $1
             ORDER BY renewed_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        renewed,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    let batch = PRUNE_BATCH.unsigned_abs();
    Ok(messages.rows_affected() >= batch || browsers.rows_affected() >= batch)
}
