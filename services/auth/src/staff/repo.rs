//! The SQL of staff accounts.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::StaffRole;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::entity::{Listed, StaffMember, StaffState};
use super::pair::{self, Account, Kin};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::lookalike;

/// A query for members of staff: what comes after their columns and table, and its arguments.
macro_rules! query_staff {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            StaffMember,
            r#"SELECT id AS "id: _", username, role AS "role: _", state AS "state: _", must_change_password, created_at,
                      made_by AS "made_by: _", confirmed_by AS "confirmed_by: _",
                      factor_confirmed_at IS NOT NULL AS "has_totp!",
                      (SELECT count(*) FROM staff_passkeys p WHERE p.staff_id = staff.id) AS "passkeys!" "#
                + "FROM staff " + $rest
            $(, $argument)*
        )
    };
}

/// What a taken user name violates, and one that looks like a taken one.
pub const USERNAME_CONSTRAINTS: [&str; 2] = ["staff_username_key", "staff_username_skeleton"];

/// The id and password hash of a compared user name.
pub async fn find_credentials(
    pool: &Pool,
    username_key: &str,
) -> Result<Option<(StaffId, String)>, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT id, password_hash FROM staff WHERE username_key = $1",
        username_key
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (StaffId(row.id), row.password_hash)))
}

/// A staff member.
pub async fn find(
    executor: impl PgExecutor<'_>,
    id: StaffId,
) -> Result<Option<StaffMember>, AuthError> {
    let member = query_staff!("WHERE id = $1", id.0)
        .fetch_optional(executor)
        .await?;
    Ok(member)
}

/// The password hash of a member.
pub async fn find_password(pool: &Pool, id: StaffId) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("SELECT password_hash FROM staff WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await
}

/// The same. The caller holds the lock on the row.
pub async fn password_in_tx(tx: &mut Tx, id: StaffId) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("SELECT password_hash FROM staff WHERE id = $1", id.0)
        .fetch_optional(tx)
        .await
}

/// The active admins, locked in the order of their ids: of admins who end each other's accounts at once the later one
/// sees what the earlier one did.
pub async fn lock_active_admins_in_tx(tx: &mut Tx) -> Result<Vec<StaffId>, sqlx::Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM staff WHERE role = $1 AND state = $2 ORDER BY id FOR NO KEY UPDATE",
        StaffRole::Admin.as_str(),
        StaffState::Active.as_str(),
    )
    .fetch_all(tx)
    .await?;
    Ok(ids.into_iter().map(StaffId).collect())
}

/// Whether there is such an account; adfolioctl has none.
pub async fn exists_in_tx(tx: &mut Tx, id: StaffId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM staff WHERE id = $1) AS "exists!""#,
        id.0
    )
    .fetch_one(tx)
    .await
}

/// Stores the state, and who made the member active again.
pub async fn save_state_in_tx(
    tx: &mut Tx,
    staff: &StaffMember,
    by: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET state = $2, enabled_by = CASE WHEN $5 THEN $3 ELSE enabled_by END,
             enabled_at = CASE WHEN $5 THEN $4 ELSE enabled_at END
         WHERE id = $1",
        staff.id.0,
        staff.state.as_str(),
        by.0,
        now,
        staff.state == StaffState::Active,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores the role, and who set it.
pub async fn save_role_in_tx(
    tx: &mut Tx,
    staff: &StaffMember,
    by: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET role = $2, role_set_by = $3, role_set_at = $4 WHERE id = $1",
        staff.id.0,
        staff.role.as_str(),
        by.0,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores a password, and whether it must be changed.
pub async fn save_password_in_tx(
    tx: &mut Tx,
    staff: &StaffMember,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET password_hash = $2, must_change_password = $3 WHERE id = $1",
        staff.id.0,
        password_hash,
        staff.must_change_password,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores who confirmed an account.
pub async fn save_confirmation_in_tx(
    tx: &mut Tx,
    staff: &StaffMember,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET confirmed_by = $2, confirmed_at = $3 WHERE id = $1",
        staff.id.0,
        staff.confirmed_by.map(|id| id.0),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores who reset the member's password.
pub async fn save_password_reset_in_tx(
    tx: &mut Tx,
    id: StaffId,
    by: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET reset_by = $2, reset_at = $3 WHERE id = $1",
        id.0,
        by.0,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores who reset the member's second factor.
pub async fn save_factor_reset_in_tx(
    tx: &mut Tx,
    id: StaffId,
    by: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET factor_reset_by = $2, factor_reset_at = $3 WHERE id = $1",
        id.0,
        by.0,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stores the time of a login.
pub async fn save_login_in_tx(
    tx: &mut Tx,
    id: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET last_login_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A staff member, locked: sessions open one after the other.
pub async fn lock_in_tx(tx: &mut Tx, id: StaffId) -> Result<Option<StaffMember>, AuthError> {
    let member = query_staff!("WHERE id = $1 FOR NO KEY UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    Ok(member)
}

/// Adds a staff member. A user name that is taken, or looks so, is a unique violation.
pub async fn insert_in_tx(
    tx: &mut Tx,
    staff: &StaffMember,
    username_key: &str,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO staff (id, username, username_key, password_hash, role, created_at, username_skeleton, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        staff.id.0,
        staff.username,
        username_key,
        password_hash,
        staff.role.as_str(),
        staff.created_at,
        lookalike::skeleton(&staff.username),
        staff.made_by.map(|id| id.0),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Accounts with those that made them or lately changed them, through however many steps up to a limit.
pub async fn find_kin(
    executor: impl PgExecutor<'_>,
    of: &[StaffId],
    now: DateTime<Utc>,
) -> Result<Kin, sqlx::Error> {
    let of: Vec<Uuid> = of.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"WITH RECURSIVE kin AS (
               SELECT id, 0 AS steps FROM staff WHERE id = ANY($1)
               UNION
               SELECT s.id, kin.steps + 1
               FROM kin JOIN staff k USING (id)
               JOIN staff s ON s.id = k.made_by OR (s.id = k.reset_by AND k.reset_at > $2)
                            OR (s.id = k.factor_reset_by AND k.factor_reset_at > $2)
                            OR (s.id = k.enabled_by AND k.enabled_at > $2)
                            OR (s.id = k.role_set_by AND k.role_set_at > $2)
               WHERE kin.steps < $3)
           SELECT s.id AS "id: StaffId", s.state AS "state: StaffState", s.made_by AS "made_by: StaffId",
                  s.confirmed_by IS NOT NULL AS "is_confirmed!", s.created_at, s.reset_by AS "reset_by: StaffId",
                  s.reset_at, s.factor_reset_by AS "factor_reset_by: StaffId", s.factor_reset_at,
                  s.enabled_by AS "enabled_by: StaffId", s.enabled_at, s.role_set_by AS "role_set_by: StaffId",
                  s.role_set_at,
                  found.steps AS "steps!"
           FROM (SELECT id, max(steps) AS steps FROM kin GROUP BY id) found JOIN staff s USING (id)"#,
        &of,
        pair::changes_count_after(now),
        pair::MOST_STEPS,
    )
    .fetch_all(executor)
    .await?;
    let is_complete = rows.iter().all(|row| row.steps < pair::MOST_STEPS);
    let accounts = rows.into_iter().map(|row| {
        let account = Account {
            is_active: row.state == StaffState::Active,
            made_by: row.made_by,
            is_confirmed: row.is_confirmed,
            created_at: row.created_at,
            changes: [
                row.reset_by.zip(row.reset_at),
                row.factor_reset_by.zip(row.factor_reset_at),
                row.enabled_by.zip(row.enabled_at),
                row.role_set_by.zip(row.role_set_at),
            ],
        };
        (row.id, account)
    });
    Ok(Kin::new(accounts.collect(), is_complete))
}

/// Whether there is any member of staff. Nobody ends being one.
pub async fn is_any_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM staff) AS "any!""#)
        .fetch_one(tx)
        .await
}

/// Keeps others from adding staff until the end of the transaction, and answers whether there is any. Without the lock
/// two callers could both be the first.
pub async fn lock_and_look_for_any_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query!("LOCK TABLE staff IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    is_any_in_tx(tx).await
}

/// Staff added before `before`, newest first. A session is live if it was opened after `opened_after` and has not ended.
pub async fn list(
    pool: &Pool,
    before: Option<StaffId>,
    fetch: i64,
    now: DateTime<Utc>,
    opened_after: DateTime<Utc>,
) -> Result<Vec<Listed>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: StaffId", username, role AS "role: StaffRole", state AS "state: StaffState",
                  must_change_password, created_at, last_login_at, made_by AS "made_by: StaffId",
                  confirmed_by AS "confirmed_by: StaffId", factor_confirmed_at IS NOT NULL AS "has_totp!",
                  (SELECT count(*) FROM staff_passkeys p WHERE p.staff_id = staff.id) AS "passkeys!",
                  (SELECT count(*) FROM sessions s
                   WHERE s.staff_id = staff.id AND s.ended_at IS NULL AND s.expires_at > $3 AND s.created_at > $4)
                      AS "sessions!"
           FROM staff WHERE id < $1 ORDER BY id DESC LIMIT $2"#,
        bound(before),
        fetch,
        now,
        opened_after,
    )
    .fetch_all(pool)
    .await?;
    let members = rows.into_iter().map(|row| Listed {
        member: StaffMember {
            id: row.id,
            username: row.username,
            role: row.role,
            state: row.state,
            must_change_password: row.must_change_password,
            created_at: row.created_at,
            made_by: row.made_by,
            confirmed_by: row.confirmed_by,
            has_totp: row.has_totp,
            passkeys: row.passkeys,
        },
        last_login_at: row.last_login_at,
        sessions: row.sessions.try_into().unwrap_or(u32::MAX),
    });
    Ok(members.collect())
}
