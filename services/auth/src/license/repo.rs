//! The SQL of licence keys.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Code, LicenseKey};
use crate::ids::{LicenseKeyId, StaffId};

struct Row {
    id: Uuid,
    code: String,
    note: String,
    activate: bool,
    created_at: DateTime<Utc>,
    used_by: Option<Uuid>,
}

impl From<Row> for LicenseKey {
    fn from(row: Row) -> Self {
        Self {
            id: LicenseKeyId(row.id),
            code: row.code.into(),
            note: row.note,
            activate: row.activate,
            created_at: row.created_at,
            used_by: row.used_by.map(UserId),
        }
    }
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
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, code, note, activate, created_at, used_by FROM license_keys WHERE code = ANY ($1)",
        &exposed(codes),
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(LicenseKey::from).collect())
}

/// One key.
pub async fn find(pool: &PgPool, code: &Code) -> Result<Option<LicenseKey>, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, code, note, activate, created_at, used_by FROM license_keys WHERE code = $1",
        code.expose(),
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(LicenseKey::from))
}

/// One key, locked. Of many accounts opened with it at once the first to come here gets it; the others wait and then
/// see it used.
pub async fn lock_in_tx(tx: &mut Tx, code: &Code) -> Result<Option<LicenseKey>, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, code, note, activate, created_at, used_by FROM license_keys WHERE code = $1 FOR UPDATE",
        code.expose(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(LicenseKey::from))
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
    pool: &PgPool,
    before: Option<LicenseKeyId>,
    fetch: i64,
) -> Result<Vec<LicenseKey>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, code, note, activate, created_at, used_by FROM license_keys
         WHERE id < $1 ORDER BY id DESC LIMIT $2",
        before.map_or(Uuid::max(), |id| id.0),
        fetch,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(LicenseKey::from).collect())
}

/// For an array parameter.
fn exposed(codes: &[Code]) -> Vec<String> {
    codes.iter().map(|code| code.expose().to_owned()).collect()
}
