//! The SQL of skeletons, of users and of staff.

use adfolio_kit::db::{Pool, Tx};
use uuid::Uuid;

/// The advisory lock of whoever adds missing skeletons.
const LOCK: &str = "auth.skeletons";

/// Whose names are compared: users with users, staff with staff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owners {
    Users,
    Staff,
}

/// Rows and their skeletons.
#[derive(Debug, Default)]
pub struct Rows {
    pub ids: Vec<Uuid>,
    pub skeletons: Vec<String>,
    /// Whether it is the first of these rows with its skeleton.
    pub firsts: Vec<bool>,
}

/// Whether a name or what it looks like is taken.
pub async fn is_taken(
    pool: &Pool,
    owners: Owners,
    key: &str,
    skeleton: &str,
) -> Result<bool, sqlx::Error> {
    match owners {
        Owners::Users => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (SELECT FROM users WHERE username_key = $1)
                       OR EXISTS (SELECT FROM users WHERE username_skeleton = $2) AS "taken!""#,
                key,
                skeleton,
            )
            .fetch_one(pool)
            .await
        }
        Owners::Staff => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (SELECT FROM staff WHERE username_key = $1)
                       OR EXISTS (SELECT FROM staff WHERE username_skeleton = $2) AS "taken!""#,
                key,
                skeleton,
            )
            .fetch_one(pool)
            .await
        }
    }
}

/// Whether a row waits for its skeleton.
pub async fn is_any_missing(pool: &Pool, owners: Owners) -> Result<bool, sqlx::Error> {
    match owners {
        Owners::Users => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (SELECT FROM users WHERE username_skeleton IS NULL) AS "any!""#
            )
            .fetch_one(pool)
            .await
        }
        Owners::Staff => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (SELECT FROM staff WHERE username_skeleton IS NULL) AS "any!""#
            )
            .fetch_one(pool)
            .await
        }
    }
}

/// Waits for its turn to add missing skeletons, until the end of the transaction.
pub async fn lock_in_tx(tx: &mut Tx) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text AS "locked""#,
        LOCK,
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// The oldest rows without a skeleton that nobody else has locked, locked, and their names.
pub async fn missing_in_tx(
    tx: &mut Tx,
    owners: Owners,
    limit: i64,
) -> Result<Vec<(Uuid, String)>, sqlx::Error> {
    let rows = match owners {
        Owners::Users => {
            sqlx::query!(
                "SELECT id, username FROM users WHERE username_skeleton IS NULL
                 ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED",
                limit,
            )
            .map(|row| (row.id, row.username))
            .fetch_all(tx)
            .await?
        }
        Owners::Staff => {
            sqlx::query!(
                "SELECT id, username FROM staff WHERE username_skeleton IS NULL
                 ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED",
                limit,
            )
            .map(|row| (row.id, row.username))
            .fetch_all(tx)
            .await?
        }
    };
    Ok(rows)
}

/// Writes skeletons. One that another row has already gets the id behind it, after a blank that no skeleton has.
pub async fn save_in_tx(tx: &mut Tx, owners: Owners, rows: &Rows) -> Result<(), sqlx::Error> {
    match owners {
        Owners::Users => {
            sqlx::query!(
                "UPDATE users SET username_skeleton = CASE
                     WHEN row.first AND NOT EXISTS (SELECT FROM users WHERE username_skeleton = row.skeleton)
                     THEN row.skeleton ELSE row.skeleton || ' ' || row.id END
                 FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS row (id, skeleton, first)
                 WHERE users.id = row.id",
                &rows.ids,
                &rows.skeletons,
                &rows.firsts,
            )
            .execute(tx)
            .await?
        }
        Owners::Staff => {
            sqlx::query!(
                "UPDATE staff SET username_skeleton = CASE
                     WHEN row.first AND NOT EXISTS (SELECT FROM staff WHERE username_skeleton = row.skeleton)
                     THEN row.skeleton ELSE row.skeleton || ' ' || row.id END
                 FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS row (id, skeleton, first)
                 WHERE staff.id = row.id",
                &rows.ids,
                &rows.skeletons,
                &rows.firsts,
            )
            .execute(tx)
            .await?
        }
    };
    Ok(())
}
