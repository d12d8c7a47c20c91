//! The SQL of claims.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};

use super::entity::{Claim, Item, Kind};
use crate::ids::{ClaimId, StaffId};

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Takes an item that nobody has, or renews the claim of the member who has it; answers whose it is then. Of two who
/// take it at once, the second waits for the row and finds the first.
pub(super) async fn take_in_tx(
    tx: &mut Tx,
    id: ClaimId,
    item: &Item,
    staff: StaffId,
    (now, expires_at): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Claim, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        r#"WITH taken AS (
               INSERT INTO claims AS c (kind, item_id, id, staff_id, claimed_at, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT (kind, item_id) DO UPDATE SET
                   id = CASE WHEN c.expires_at <= $5 THEN excluded.id ELSE c.id END,
                   staff_id = CASE WHEN c.expires_at <= $5 THEN excluded.staff_id ELSE c.staff_id END,
                   claimed_at = CASE WHEN c.expires_at <= $5 THEN excluded.claimed_at ELSE c.claimed_at END,
                   expires_at = CASE WHEN c.expires_at <= $5 OR c.staff_id = excluded.staff_id
                                     THEN greatest(c.expires_at, excluded.expires_at) ELSE c.expires_at END
               RETURNING *)
           SELECT t.id AS "id: _", t.kind AS "kind: _", t.item_id, t.staff_id AS "staff_id: _",
                  coalesce(s.username, '') AS "staff_username!", t.claimed_at, t.expires_at
           FROM taken t LEFT JOIN staff s ON s.id = t.staff_id"#,
        item.kind.as_str(),
        item.id,
        id.0,
        staff.0,
        now,
        expires_at,
    )
    .fetch_one(tx)
    .await
}

/// Deletes all claims of a member but the `keep` newest.
pub(super) async fn keep_newest_in_tx(
    tx: &mut Tx,
    staff: StaffId,
    keep: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM claims WHERE (kind, item_id) IN (
             SELECT kind, item_id FROM claims WHERE staff_id = $1
             ORDER BY id DESC OFFSET $2 FOR UPDATE SKIP LOCKED)",
        staff.0,
        keep,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a member's claim on an item, if there is one.
pub(super) async fn release_in_tx(
    tx: &mut Tx,
    item: &Item,
    staff: StaffId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM claims WHERE kind = $1 AND item_id = $2 AND staff_id = $3",
        item.kind.as_str(),
        item.id,
        staff.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Live claims of a kind behind `before`, newest first: ids grow with time.
pub(super) async fn list(
    pool: &Pool,
    kind: Kind,
    now: DateTime<Utc>,
    before: Option<ClaimId>,
    fetch: i64,
) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        r#"SELECT c.id AS "id: _", c.kind AS "kind: _", c.item_id, c.staff_id AS "staff_id: _",
                  coalesce(s.username, '') AS "staff_username!", c.claimed_at, c.expires_at
           FROM claims c LEFT JOIN staff s ON s.id = c.staff_id
           WHERE c.kind = $1 AND c.expires_at > $2 AND c.id < $3 ORDER BY c.id DESC LIMIT $4"#,
        kind.as_str(),
        now,
        bound(before),
        fetch,
    )
    .fetch_all(pool)
    .await
}

/// Deletes claims that have run out.
pub(super) async fn prune_in_tx(tx: &mut Tx, now: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM claims WHERE (kind, item_id) IN (
             SELECT kind, item_id FROM claims WHERE expires_at <= $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        now,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
