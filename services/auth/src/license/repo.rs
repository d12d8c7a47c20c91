//! The SQL of licence keys.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};

use super::entity::{Code, LicenseKey};
use crate::ids::{LicenseKeyId, StaffId};

/// A query for licence keys: what comes after their columns and table, and its arguments.
macro_rules! query_keys {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            LicenseKey,
            r#"SELECT id AS "id: _", code AS "code: _", note, activate, created_at, used_by AS "used_by: _" "#
                + "FROM license_keys " + $rest
            $(, $argument)*
        )
    };
}

/// Keys to issue together.
#[derive(Debug)]
pub struct NewKeys {
    pub ids: Vec<LicenseKeyId>,
    pub codes: Vec<Code>,
    pub note: String,
    /// Whether the accounts they open are active at once.
    pub activate: bool,
    pub created_by: StaffId,
    pub created_at: DateTime<Utc>,
}

/// Adds keys and answers how many; codes that exist stay as they are. In the order of codes, so that two
/// calls with the same codes cannot wait for each other.
pub async fn insert_in_tx(tx: &mut Tx, keys: &NewKeys) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO license_keys (id, code, note, activate, created_by, created_at)
         SELECT id, code, $3, $4, $5, $6 FROM unnest($1::uuid[], $2::text[]) AS new (id, code) ORDER BY code
         ON CONFLICT ON CONSTRAINT license_keys_code DO NOTHING",
        &keys.ids.iter().map(|id| id.0).collect::<Vec<_>>(),
        &exposed(&keys.codes),
        keys.note,
        keys.activate,
        keys.created_by.0,
        keys.created_at,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// The keys with these codes, in no order.
pub async fn find_all_in_tx(tx: &mut Tx, codes: &[Code]) -> Result<Vec<LicenseKey>, sqlx::Error> {
    let keys = query_keys!("WHERE code = ANY ($1)", &exposed(codes))
        .fetch_all(tx)
        .await?;
    Ok(keys)
}

/// One key.
pub async fn find(pool: &Pool, code: &Code) -> Result<Option<LicenseKey>, sqlx::Error> {
    let key = query_keys!("WHERE code = $1", code.expose())
        .fetch_optional(pool)
        .await?;
    Ok(key)
}

/// One key, locked. Of many accounts opened with it at once the first to come here gets it; the others wait and then
/// see it used.
pub async fn lock_in_tx(tx: &mut Tx, code: &Code) -> Result<Option<LicenseKey>, sqlx::Error> {
    let key = query_keys!("WHERE code = $1 FOR UPDATE", code.expose())
        .fetch_optional(tx)
        .await?;
    Ok(key)
}

/// Marks a locked key as used.
pub async fn mark_used_in_tx(
    tx: &mut Tx,
    id: LicenseKeyId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE license_keys SET used_by = $2, used_at = $3 WHERE id = $1",
        id.0,
        user.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keys issued before `before`, newest first.
pub async fn list(
    pool: &Pool,
    before: Option<LicenseKeyId>,
    fetch: i64,
) -> Result<Vec<LicenseKey>, sqlx::Error> {
    let keys = query_keys!(
        "WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        fetch,
    )
    .fetch_all(pool)
    .await?;
    Ok(keys)
}

/// For an array parameter.
fn exposed(codes: &[Code]) -> Vec<String> {
    codes.iter().map(|code| code.expose().to_owned()).collect()
}
