//! The SQL of staff accounts.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::pagination::bound;

use super::entity::StaffMember;
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::lookalike;

/// A query for members of staff: what comes after their columns and table, and its arguments.
macro_rules! query_staff {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            StaffMember,
            r#"SELECT id AS "id: _", username, role AS "role: _", created_at "#
                + "FROM staff " + $rest
            $(, $argument)*
        )
    };
}

/// What a taken user name violates, and one that looks like a taken one.
pub const USERNAME_CONSTRAINTS: [&str; 2] = ["staff_username_key", "staff_username_skeleton"];

/// The id and password hash of a compared user name.
pub async fn find_credentials(
    pool: &PgPool,
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
pub async fn find(pool: &PgPool, id: StaffId) -> Result<Option<StaffMember>, AuthError> {
    let member = query_staff!("WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    Ok(member)
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
        "INSERT INTO staff (id, username, username_key, password_hash, role, created_at, username_skeleton)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        staff.id.0,
        staff.username,
        username_key,
        password_hash,
        staff.role.as_str(),
        staff.created_at,
        lookalike::skeleton(&staff.username),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keeps others from adding staff until the end of the transaction, and answers whether there is any. Without the lock
/// two callers could both be the first.
pub async fn lock_and_look_for_any_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query!("LOCK TABLE staff IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM staff) AS "any!""#)
        .fetch_one(tx)
        .await
}

/// Staff added before `before`, newest first.
pub async fn list(
    pool: &PgPool,
    before: Option<StaffId>,
    fetch: i64,
) -> Result<Vec<StaffMember>, AuthError> {
    let members = query_staff!(
        "WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        fetch,
    )
    .fetch_all(pool)
    .await?;
    Ok(members)
}
