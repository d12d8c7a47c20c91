//! The SQL of the audit log.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::hash_chain::Place;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::entity::{AuditEntry, Filter, Listed, Position};
use super::own::{Actor, OwnEntry, UserAction, amount_of};
use super::seal::{Seal, Sealed};
use crate::ids::StaffId;

/// A row of `audit_log` with the name of the member of staff.
struct Row {
    id: Uuid,
    acted_at: DateTime<Utc>,
    staff_id: Uuid,
    action: String,
    target: String,
    user_id: Option<Uuid>,
    reason: String,
    request_id: String,
    before_json: String,
    after_json: String,
    staff_username: Option<String>,
}

/// A row of `audit_log`.
macro_rules! entry {
    ($row:ident) => {
        AuditEntry {
            id: $row.id,
            acted_at: $row.acted_at,
            staff: StaffId($row.staff_id),
            action: $row.action,
            target: $row.target,
            user: $row.user_id.map(UserId),
            reason: $row.reason,
            request_id: $row.request_id,
            before_json: $row.before_json,
            after_json: $row.after_json,
        }
    };
}

impl From<Row> for Listed {
    fn from(row: Row) -> Self {
        let entry = entry!(row);
        Self {
            entry,
            staff_username: row.staff_username,
        }
    }
}

/// Adds an entry; one that exists stays.
pub async fn insert_in_tx(tx: &mut Tx, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO audit_log (id, acted_at, staff_id, action, target, user_id, reason, request_id, before_json, after_json)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
        entry.id,
        entry.acted_at,
        entry.staff.0,
        entry.action,
        entry.target,
        entry.user.map(|id| id.0),
        entry.reason,
        entry.request_id,
        entry.before_json,
        entry.after_json,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A page that satisfies `$condition`, whose last three parameters are the position and the number of rows. The page is
/// cut before the names are joined, so that an index gives both its order and its end.
macro_rules! page {
    ($pool:expr; $condition:literal; $($argument:expr),+) => {
        sqlx::query_as!(
            Row,
            r#"SELECT page.*, staff.username AS "staff_username?" FROM (
                   SELECT id, acted_at, staff_id, action, target, user_id, reason, request_id, before_json, after_json
                   FROM audit_log WHERE "#
                + $condition
                + ") AS page LEFT JOIN staff ON staff.id = page.staff_id ORDER BY page.acted_at DESC, page.id DESC",
            $($argument),+
        )
        .fetch_all($pool)
        .await
    };
}

/// Entries behind `before`, newest first. There is a statement for each way of asking, each a range of its index that
/// no other index has in the same order: with equalities the planner might walk the whole log, expecting frequent
/// matches.
pub async fn list(
    pool: &Pool,
    filter: &Filter,
    before: Position,
    fetch: i64,
) -> Result<Vec<Listed>, sqlx::Error> {
    let Position { acted_at, id } = before;
    let (user, staff) = (filter.user.map(|id| id.0), filter.staff.map(|id| id.0));
    let rows: Result<Vec<Row>, sqlx::Error> = match (user, staff, filter.action.as_deref()) {
        // One user has few entries: the other conditions only filter them.
        (Some(user), staff, action) => page!(
            pool;
            "(user_id, acted_at, id) < ($1, $4, $5) AND user_id >= $1
             AND ($2::uuid IS NULL OR staff_id = $2) AND ($3::text IS NULL OR action = $3)
             ORDER BY user_id DESC, acted_at DESC, id DESC LIMIT $6";
            user, staff, action, acted_at, id, fetch
        ),
        (None, Some(staff), Some(action)) => page!(
            pool;
            "(staff_id, action, acted_at, id) < ($1, $2, $3, $4) AND (staff_id, action) >= ($1, $2)
             ORDER BY staff_id DESC, action DESC, acted_at DESC, id DESC LIMIT $5";
            staff, action, acted_at, id, fetch
        ),
        (None, Some(staff), None) => page!(
            pool;
            "(staff_id, acted_at, id) < ($1, $2, $3) AND staff_id >= $1
             ORDER BY staff_id DESC, acted_at DESC, id DESC LIMIT $4";
            staff, acted_at, id, fetch
        ),
        (None, None, Some(action)) => page!(
            pool;
            "(action, acted_at, id) < ($1, $2, $3) AND action >= $1
             ORDER BY action DESC, acted_at DESC, id DESC LIMIT $4";
            action, acted_at, id, fetch
        ),
        (None, None, None) => page!(
            pool;
            "(acted_at, id) < ($1, $2) ORDER BY acted_at DESC, id DESC LIMIT $3";
            acted_at, id, fetch
        ),
    };
    Ok(rows?.into_iter().map(Listed::from).collect())
}

/// Adds what a user did; an action that exists stays.
pub async fn insert_user_action_in_tx(tx: &mut Tx, action: &UserAction) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO user_acts (id, user_id, action, acted_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        action.id,
        action.user.0,
        action.action,
        action.acted_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What was done to a user's account behind `before`, newest first. Each log gives at most a page from its own index;
/// the answer is the newest of both. Looks of staff did nothing to it.
pub async fn list_of_user(
    pool: &Pool,
    user: UserId,
    before: Position,
    fetch: i64,
) -> Result<Vec<OwnEntry>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id!", acted_at AS "acted_at!", action AS "action!", reason AS "reason!",
                  after_json AS "after_json!", by_staff AS "by_staff!"
           FROM (
               (SELECT id, acted_at, action, reason, after_json, true AS by_staff FROM audit_log
                WHERE (user_id, acted_at, id) < ($1, $2, $3) AND user_id >= $1 AND action NOT LIKE '%.read\_%'
                ORDER BY user_id DESC, acted_at DESC, id DESC LIMIT $4)
               UNION ALL
               (SELECT id, acted_at, action, '', '', false FROM user_acts
                WHERE (user_id, acted_at, id) < ($1, $2, $3) AND user_id >= $1
                ORDER BY user_id DESC, acted_at DESC, id DESC LIMIT $4)
           ) AS entry ORDER BY acted_at DESC, id DESC LIMIT $4"#,
        user.0,
        before.acted_at,
        before.id,
        fetch,
    )
    .fetch_all(pool)
    .await?;
    let entries = rows.into_iter().map(|row| OwnEntry {
        id: row.id,
        acted_at: row.acted_at,
        action: row.action,
        reason: row.reason,
        amount: amount_of(&row.after_json),
        by: if row.by_staff {
            Actor::Staff
        } else {
            Actor::User
        },
    });
    Ok(entries.collect())
}

/// Entries without a seal, which the caller seals: they wait no longer.
pub async fn take_unsealed_in_tx(tx: &mut Tx, limit: i64) -> Result<Vec<AuditEntry>, sqlx::Error> {
    let mut entries = sqlx::query!(
        r#"WITH waiting AS MATERIALIZED (
               SELECT entry_id FROM audit_unsealed ORDER BY entry_id LIMIT $1 FOR UPDATE
           ), taken AS (
               DELETE FROM audit_unsealed u USING waiting w WHERE u.entry_id = w.entry_id
           )
           SELECT id, acted_at, staff_id, action, target, user_id, reason, request_id, before_json, after_json
           FROM audit_log WHERE id IN (SELECT entry_id FROM waiting)"#,
        limit
    )
    .map(|row| entry!(row))
    .fetch_all(tx)
    .await?;
    // Those of events grow with time.
    entries.sort_unstable_by_key(|entry| entry.id);
    Ok(entries)
}

/// Adds seals.
pub async fn add_seals_in_tx(tx: &mut Tx, seals: &[Seal]) -> Result<(), sqlx::Error> {
    let seqs: Vec<i64> = seals.iter().map(|seal| seal.place.seq).collect();
    let entries: Vec<Uuid> = seals.iter().map(|seal| seal.entry_id).collect();
    let hashes: Vec<Vec<u8>> = seals.iter().map(|seal| seal.place.hash.to_vec()).collect();
    sqlx::query!(
        "INSERT INTO audit_seals (seq, entry_id, hash) SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bytea[])",
        &seqs,
        &entries,
        &hashes
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The newest seal.
pub async fn newest_seal(executor: impl PgExecutor<'_>) -> Result<Option<Seal>, sqlx::Error> {
    sqlx::query!("SELECT seq, entry_id, hash FROM audit_seals ORDER BY seq DESC LIMIT 1")
        .try_map(|row| seal(row.seq, row.entry_id, row.hash))
        .fetch_optional(executor)
        .await
}

/// Seals behind a number up to and with another, in their order, with their entries.
pub async fn seals(
    pool: &Pool,
    after: i64,
    last: i64,
    limit: i64,
) -> Result<Vec<Sealed>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT s.seq, s.entry_id, s.hash, a.id AS "id?", a.acted_at AS "acted_at?", a.staff_id AS "staff_id?",
                  a.action AS "action?", a.target AS "target?", a.user_id AS "user_id?", a.reason AS "reason?",
                  a.request_id AS "request_id?", a.before_json AS "before_json?", a.after_json AS "after_json?"
           FROM audit_seals s LEFT JOIN audit_log a ON a.id = s.entry_id
           WHERE s.seq > $1 AND s.seq <= $2 ORDER BY s.seq LIMIT $3"#,
        after,
        last,
        limit
    )
    .try_map(|row| {
        let entry = row.id.map(|id| {
            Some(AuditEntry {
                id,
                acted_at: row.acted_at?,
                staff: StaffId(row.staff_id?),
                action: row.action?,
                target: row.target?,
                user: row.user_id.map(UserId),
                reason: row.reason?,
                request_id: row.request_id?,
                before_json: row.before_json?,
                after_json: row.after_json?,
            })
        });
        Ok(Sealed {
            seal: seal(row.seq, row.entry_id, row.hash)?,
            entry: entry.flatten(),
        })
    })
    .fetch_all(pool)
    .await
}

/// Entries without a seal.
pub async fn count_unsealed(pool: &Pool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM audit_unsealed"#)
        .fetch_one(pool)
        .await
}

fn seal(seq: i64, entry_id: Uuid, hash: Vec<u8>) -> Result<Seal, sqlx::Error> {
    let hash = hash.try_into();
    let hash = hash.map_err(|_| sqlx::Error::Decode("not 32 bytes".into()))?;
    Ok(Seal {
        place: Place { seq, hash },
        entry_id,
    })
}
