//! The SQL of users.

use std::collections::HashSet;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::entity::{Entry, Query, User, UserState};
use crate::error::AuthError;
use crate::ids::{FormerEmailId, HostId, StaffId};
use crate::license::entity::Code;
use crate::lookalike;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// What a taken user name violates, and one that looks like a taken one.
pub const USERNAME_CONSTRAINTS: [&str; 2] = ["users_username_key", "users_username_skeleton"];

/// A row of `users`, as far as anything here reads it.
struct Row {
    id: UserId,
    username: String,
    nickname: String,
    email: String,
    confirmed_email: Option<String>,
    phone: String,
    password_hash: Option<String>,
    entry: Entry,
    state: UserState,
    lang: String,
    credit_score: i32,
    shop_level: i32,
    vip: bool,
    license_code: Option<Code>,
    avatar_file_id: String,
    created_at: DateTime<Utc>,
}

/// Users by `$rest`. Columns are named, not `*`: a prepared `*` fails when a newer replica adds a column.
macro_rules! select_users {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"SELECT id AS "id: _", username, nickname, email, confirmed_email, phone, password_hash,
                    entry AS "entry: _", state AS "state: _", lang, credit_score, shop_level, vip,
                    license_code AS "license_code: _", avatar_file_id, created_at
             FROM users "# + $rest
            $(, $argument)*
        )
    };
}

/// A user with what only login and hosts need. No Debug: a hash of a password is not for logs.
pub struct Account {
    pub user: User,
    /// Absent for host users.
    pub password_hash: Option<String>,
}

impl From<Row> for Account {
    fn from(row: Row) -> Self {
        Self {
            password_hash: row.password_hash,
            user: User {
                id: row.id,
                username: row.username,
                nickname: row.nickname,
                email_confirmed: row.confirmed_email.as_ref() == Some(&row.email),
                email: row.email,
                phone: row.phone,
                entry: row.entry,
                state: row.state,
                lang: row.lang,
                credit_score: row.credit_score,
                shop_level: row.shop_level,
                vip: row.vip,
                license_code: row.license_code,
                avatar_file_id: row.avatar_file_id,
                created_at: row.created_at,
            },
        }
    }
}

impl From<Row> for User {
    fn from(row: Row) -> Self {
        Account::from(row).user
    }
}

/// The account of a compared user name.
pub async fn find_by_name(pool: &Pool, username_key: &str) -> Result<Option<Account>, AuthError> {
    let row = select_users!("WHERE username_key = $1", username_key)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(Account::from))
}

/// A user's account.
pub async fn find_account(pool: &Pool, id: UserId) -> Result<Option<Account>, AuthError> {
    let row = select_users!("WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(Account::from))
}

/// A user.
pub async fn find(pool: &Pool, id: UserId) -> Result<Option<User>, AuthError> {
    Ok(find_account(pool, id).await?.map(|account| account.user))
}

/// How many users are active, `most` at most: one range of an index.
pub async fn count_active(pool: &Pool, most: i64) -> Result<i64, AuthError> {
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT 1 FROM users WHERE state = 'active' LIMIT $1) AS active"#,
        most
    )
    .fetch_one(pool)
    .await?;
    Ok(count)
}

/// A user's account, locked: changes of the state, the password or the set of sessions wait for each other.
pub async fn lock_account_in_tx(tx: &mut Tx, id: UserId) -> Result<Option<Account>, AuthError> {
    let row = select_users!("WHERE id = $1 FOR NO KEY UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    Ok(row.map(Account::from))
}

/// A user, locked like an account.
pub async fn lock_in_tx(tx: &mut Tx, id: UserId) -> Result<Option<User>, AuthError> {
    Ok(lock_account_in_tx(tx, id)
        .await?
        .map(|account| account.user))
}

/// The user of a host's id, locked.
pub async fn lock_by_external_id_in_tx(
    tx: &mut Tx,
    external_id: &SecretString,
) -> Result<Option<User>, AuthError> {
    let row = select_users!(
        "WHERE external_id = $1 FOR NO KEY UPDATE",
        external_id.expose_secret()
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(User::from))
}

/// The parts of a new account that are not in the profile. No Debug: they are secrets.
pub struct Credentials {
    /// The user name as compared.
    pub username_key: String,
    /// For users who log in.
    pub password_hash: Option<String>,
    /// For host users.
    pub external_id: Option<SecretString>,
    /// The registered host of a host user.
    pub host: Option<HostId>,
}

/// Adds a user; false when the host's id is known already. A user name that is taken, or looks so, is a unique violation.
pub async fn insert_in_tx(
    tx: &mut Tx,
    user: &User,
    credentials: &Credentials,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO users (id, username, username_key, nickname, email, phone, password_hash, entry, external_id, state,
                            lang, license_code, created_at, username_skeleton, host_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         ON CONFLICT ON CONSTRAINT users_external_id DO NOTHING",
        user.id.0,
        user.username,
        credentials.username_key,
        user.nickname,
        user.email,
        user.phone,
        credentials.password_hash,
        user.entry.as_str(),
        credentials
            .external_id
            .as_ref()
            .map(ExposeSecret::expose_secret),
        user.state.as_str(),
        user.lang,
        user.license_code.as_ref().map(Code::expose),
        user.created_at,
        lookalike::skeleton(&user.username),
        credentials.host.map(|id| id.0),
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the user of this id, who has no registered host, to that host under another id. None is given if the host has
/// that user already.
pub async fn adopt_in_tx(
    tx: &mut Tx,
    host: HostId,
    id: &SecretString,
    external_id: &SecretString,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET host_id = $1, external_id = $3
         WHERE external_id = $2 AND host_id IS NULL
           AND NOT EXISTS (SELECT FROM users other WHERE other.external_id = $3)",
        host.0,
        id.expose_secret(),
        external_id.expose_secret(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the columns that a change of state may change.
pub async fn save_state_in_tx(tx: &mut Tx, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET state = $2, license_code = $3, lang = $4 WHERE id = $1",
        user.id.0,
        user.state.as_str(),
        user.license_code.as_ref().map(Code::expose),
        user.lang,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the columns that users change themselves, and whether their address is confirmed.
pub async fn save_profile_in_tx(tx: &mut Tx, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET nickname = $2, email = $3, phone = $4, avatar_file_id = $5, lang = $6,
                          confirmed_email = CASE WHEN $7 THEN $3 END
         WHERE id = $1",
        user.id.0,
        user.nickname,
        user.email,
        user.phone,
        user.avatar_file_id,
        user.lang,
        user.email_confirmed,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keeps the address that a user had until now.
pub async fn insert_former_email_in_tx(
    tx: &mut Tx,
    id: FormerEmailId,
    user: &User,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO former_emails (id, user_id, email, changed_at) VALUES ($1, $2, $3, $4)",
        id.0,
        user.id.0,
        user.email,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// An address that a user had until after `since`.
pub async fn find_former_email(
    pool: &Pool,
    id: FormerEmailId,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT email FROM former_emails WHERE id = $1 AND user_id = $2 AND changed_at > $3",
        id.0,
        user.0,
        since,
    )
    .fetch_optional(pool)
    .await
}

/// Deletes a batch of addresses that changed before `before`.
pub async fn prune_former_emails_in_tx(
    tx: &mut Tx,
    before: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM former_emails WHERE id IN (
             SELECT id FROM former_emails WHERE changed_at < $1
             ORDER BY changed_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Writes the columns of a user's standing, which staff change.
pub async fn save_standing_in_tx(tx: &mut Tx, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET credit_score = $2, shop_level = $3, vip = $4 WHERE id = $1",
        user.id.0,
        user.credit_score,
        user.shop_level,
        user.vip,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes a user a member; false when there is no such user.
pub async fn make_member_in_tx(tx: &mut Tx, id: UserId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("UPDATE users SET vip = true WHERE id = $1", id.0)
        .execute(tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes a new password's hash.
pub async fn save_password_in_tx(tx: &mut Tx, id: UserId, hash: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET password_hash = $2 WHERE id = $1",
        id.0,
        hash
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A change of state to record.
#[derive(Debug)]
pub struct StateChange {
    pub id: Uuid,
    pub user: UserId,
    pub from: UserState,
    pub to: UserState,
    pub reason: String,
    /// Who; none when the user's own code did it.
    pub staff: Option<StaffId>,
    pub changed_at: DateTime<Utc>,
}

/// Records a change of state.
pub async fn insert_state_change_in_tx(
    tx: &mut Tx,
    change: &StateChange,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO user_state_changes (id, user_id, from_state, to_state, reason, staff_id, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        change.id,
        change.user.0,
        change.from.as_str(),
        change.to.as_str(),
        change.reason,
        change.staff.map(|id| id.0),
        change.changed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The users of these ids, in no order.
pub async fn find_all(pool: &Pool, ids: HashSet<UserId>) -> Result<Vec<User>, AuthError> {
    let ids: Vec<Uuid> = ids.into_iter().map(|id| id.0).collect();
    let rows = select_users!("WHERE id = ANY ($1)", &ids)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(User::from).collect())
}

/// The users whose payment references have these digits, in no order.
pub async fn find_payers(pool: &Pool, digits: Vec<String>) -> Result<Vec<User>, AuthError> {
    let rows = select_users!(
        "WHERE encode(substring(sha256(uuid_send(id)) FROM 1 FOR 8), 'hex') = ANY ($1)",
        &digits
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(User::from).collect())
}

/// Users before `before`, newest first. There is a statement for each way of asking: pages are walks along an index,
/// and only a search for a part of a name reads rows that it does not answer. A state is asked for as a range of its
/// index: with an equality the planner might walk all users, expecting the state to be a frequent one.
pub async fn list(
    pool: &Pool,
    query: &Query,
    before: Option<UserId>,
    fetch: i64,
) -> Result<Vec<User>, AuthError> {
    let before = bound(before);
    let state = query.state.map(UserState::as_str);
    if let Some(reference) = query.reference() {
        let rows = select_users!(
            "WHERE encode(substring(sha256(uuid_send(id)) FROM 1 FOR 8), 'hex') = $1
               AND id < $2 AND ($3::text IS NULL OR state = $3)
             ORDER BY id DESC LIMIT $4",
            reference,
            before,
            state,
            fetch,
        )
        .fetch_all(pool)
        .await?;
        return Ok(rows.into_iter().map(User::from).collect());
    }
    let rows = match (query.pattern(), state) {
        (None, None) => {
            select_users!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, fetch)
                .fetch_all(pool)
                .await?
        }
        (None, Some(state)) => select_users!(
            "WHERE (state, id) < ($1, $2) AND state >= $1 ORDER BY state DESC, id DESC LIMIT $3",
            state,
            before,
            fetch,
        )
        .fetch_all(pool)
        .await?,
        (Some(pattern), state) => {
            select_users!(
                "WHERE id < $1 AND ($2::text IS NULL OR state = $2)
                   AND (username_key LIKE $3 OR $6::boolean AND email ILIKE $3 OR id = $4)
                 ORDER BY id DESC LIMIT $5",
                before,
                state,
                pattern,
                query.id().map(|id| id.0),
                fetch,
                query.by_email,
            )
            .fetch_all(pool)
            .await?
        }
    };
    Ok(rows.into_iter().map(User::from).collect())
}
