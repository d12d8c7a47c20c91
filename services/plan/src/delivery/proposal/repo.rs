//! The SQL of proposals.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use adfolio_kit::signing_key::Kid;
use adfolio_money::Micros;
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::entity::{Import, Notable, Rejection, State, Taken, Totals};
use crate::delivery::entity::Origin;
use crate::delivery::row::Reported;
use crate::error::PlanError;
use crate::gate::{Finding, Found};
use crate::ids::{BatchId, ImportId};

/// Staged rows that one statement deletes at most.
const CLEAR_BATCH: i64 = 20_000;

struct ImportRow {
    id: ImportId,
    source: String,
    origin: Origin,
    staff_id: Uuid,
    began_at: DateTime<Utc>,
    state: State,
    sha256: Option<Vec<u8>>,
    read: i64,
    plans: i64,
    impressions: i64,
    clicks: i64,
    spend_micros: i64,
    revenue_micros: i64,
    notable: Json<Vec<Notable>>,
    decided_by: Option<Uuid>,
    decided_at: Option<DateTime<Utc>>,
    decision_reason: String,
    applied: i64,
    repeated: i64,
    restated: i64,
    quarantined: i64,
    rejected: i64,
    rejections: Json<Vec<Rejection>>,
    done_at: Option<DateTime<Utc>>,
    signed_by_kid: Option<Kid>,
}

impl From<ImportRow> for Import {
    fn from(row: ImportRow) -> Self {
        Self {
            id: row.id,
            source: row.source,
            origin: row.origin,
            staff_id: row.staff_id,
            began_at: row.began_at,
            state: row.state,
            sha256: row.sha256,
            read: row.read,
            totals: Totals {
                plans: row.plans,
                impressions: row.impressions,
                clicks: row.clicks,
                spend: Micros::new(row.spend_micros),
                revenue: Micros::new(row.revenue_micros),
            },
            notable: row.notable.0,
            decided: row.decided_by.zip(row.decided_at),
            decision_reason: row.decision_reason,
            taken: Taken {
                applied: row.applied,
                repeated: row.repeated,
                restated: row.restated,
                quarantined: row.quarantined,
                rejected: row.rejected,
                rejections: row.rejections.0,
            },
            is_done: row.done_at.is_some(),
            signed_by: row.signed_by_kid,
        }
    }
}

/// A query for imports: what follows FROM, and its arguments.
macro_rules! query_imports {
    ($from:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            ImportRow,
            r#"SELECT id AS "id: _", source, origin AS "origin: _", staff_id, began_at, state AS "state: _", sha256, read,
                plans, impressions, clicks, spend_micros, revenue_micros, notable AS "notable: _", decided_by, decided_at,
                decision_reason, applied, repeated, restated, quarantined, rejected, rejections AS "rejections: _", done_at,
                signed_by_kid AS "signed_by_kid: _"
         FROM "# + $from
            $(, $argument)*
        )
    };
}

/// One import, locked until the transaction ends.
pub(super) async fn lock_in_tx(tx: &mut Tx, id: ImportId) -> Result<Option<Import>, PlanError> {
    let row = query_imports!("delivery_imports WHERE id = $1 FOR NO KEY UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    Ok(row.map(Import::from))
}

/// One import.
pub(super) async fn find(pool: &Pool, id: ImportId) -> Result<Option<Import>, PlanError> {
    let row = query_imports!("delivery_imports WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(Import::from))
}

/// Imports older than `before` in one of `states`, newest first. Ids are ordered by time.
pub(super) async fn list(
    pool: &Pool,
    states: &[State],
    before: Option<ImportId>,
    limit: i64,
) -> Result<Vec<Import>, PlanError> {
    let states: Vec<String> = states
        .iter()
        .map(|state| state.as_str().to_owned())
        .collect();
    let rows = query_imports!(
        "delivery_imports WHERE state = ANY($1) AND id < $2 ORDER BY id DESC LIMIT $3",
        &states,
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Import::from).collect())
}

/// How many imports wait for a decision, and when the oldest came.
pub(super) async fn count_proposed(pool: &Pool) -> Result<(i64, Option<DateTime<Utc>>), PlanError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(began_at) AS oldest_at
           FROM (SELECT began_at FROM delivery_imports WHERE state = 'proposed' ORDER BY id LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok((row.count, row.oldest_at))
}

/// The same import, waiting. The caller holds the lock of its source.
pub(super) async fn find_open_in_tx(
    tx: &mut Tx,
    request_sha256: &[u8],
) -> Result<Option<ImportId>, PlanError> {
    let id = sqlx::query_scalar!(
        r#"SELECT id AS "id: ImportId" FROM delivery_imports WHERE request_sha256 = $1 AND state = 'proposed'"#,
        request_sha256,
    )
    .fetch_optional(tx)
    .await?;
    Ok(id)
}

/// What begins an import.
#[derive(Clone, Debug)]
pub struct Beginning {
    pub id: ImportId,
    pub source: String,
    pub origin: Origin,
    pub staff_id: Uuid,
    pub request_id: String,
    pub began_at: DateTime<Utc>,
}

/// Records an import with the first of its rows; it is there already with the next ones.
pub(super) async fn begin_in_tx(tx: &mut Tx, import: &Beginning) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO delivery_imports (id, source, origin, staff_id, request_id, began_at, state)
         VALUES ($1, $2, $3, $4, $5, $6, 'reading') ON CONFLICT DO NOTHING",
        import.id.0,
        import.source,
        import.origin.as_str(),
        import.staff_id,
        import.request_id,
        import.began_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Stages rows.
pub(super) async fn stage_in_tx(
    tx: &mut Tx,
    id: ImportId,
    rows: &[&Reported],
    found: &Found,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($row:ident => $value:expr) => {
            rows.iter().map(|$row| $value).collect::<Vec<_>>()
        };
    }
    sqlx::query!(
        "INSERT INTO staged_reports (import_id, line, report_id, revision, plan_number, time, impressions, clicks,
                                     spend_micros, revenue_micros, estimated, placement, findings)
         SELECT $1, * FROM UNNEST($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::bigint[],
                                  $8::bigint[], $9::bigint[], $10::bigint[], $11::boolean[], $12::text[], $13::jsonb[])",
        id.0,
        &column!(row => i64::try_from(row.line).unwrap_or(i64::MAX)),
        &column!(row => row.report_id.clone()),
        &column!(row => row.revision),
        &column!(row => row.plan_number.clone()),
        &column!(row => row.time),
        &column!(row => row.impressions),
        &column!(row => row.clicks),
        &column!(row => row.spend.get()),
        &column!(row => row.revenue.get()),
        &column!(row => row.estimated),
        &column!(row => row.placement.clone().unwrap_or_default()),
        &column!(row => found.get(&row.line).map(Json)) as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Those of a network's reports that wait already, by id and revision.
pub(super) async fn held_in_tx(
    tx: &mut Tx,
    source: &str,
    report_ids: &[String],
) -> Result<Vec<(String, i64)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT s.report_id, s.revision FROM staged_reports s JOIN delivery_imports i ON i.id = s.import_id
         WHERE s.report_id = ANY($2) AND i.source = $1 AND i.state IN ('proposed', 'released')",
        source,
        report_ids,
    )
    .fetch_all(tx)
    .await?;
    let held = rows.into_iter().map(|row| (row.report_id, row.revision));
    Ok(held.collect())
}

/// What is known of an import at its end.
#[derive(Clone, Debug)]
pub struct End {
    pub state: State,
    pub sha256: Option<[u8; 32]>,
    pub request_sha256: [u8; 32],
    pub read: i64,
    /// Rows in which the gate found something.
    pub quarantined: i64,
    pub totals: Totals,
    pub notable: Vec<Notable>,
    pub signed_by: Option<Kid>,
    pub now: DateTime<Utc>,
}

/// Records that an import was read to its end, and where it stands then.
pub(super) async fn end_in_tx(tx: &mut Tx, id: ImportId, end: &End) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE delivery_imports SET state = $2, sha256 = $3,
             finished_at = CASE WHEN $3::bytea IS NOT NULL THEN $4::timestamptz END, request_sha256 = $5, read = $6,
             plans = $7, impressions = $8, clicks = $9, spend_micros = $10, revenue_micros = $11, notable = $12,
             signed_by_kid = $13
         WHERE id = $1 AND state = 'reading'",
        id.0,
        end.state.as_str(),
        end.sha256.as_ref().map(|digest| &digest[..]),
        end.now,
        &end.request_sha256[..],
        end.read,
        end.totals.plans,
        end.totals.impressions,
        end.totals.clicks,
        end.totals.spend.get(),
        end.totals.revenue.get(),
        Json(&end.notable) as _,
        end.signed_by.as_ref().map(Kid::as_str),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records a decision.
pub(super) async fn decide_in_tx(tx: &mut Tx, import: &Import) -> Result<(), PlanError> {
    let (by, at) = import.decided.unzip();
    sqlx::query!(
        "UPDATE delivery_imports SET state = $2, decided_by = $3, decided_at = $4, decision_reason = $5 WHERE id = $1",
        import.id.0,
        import.state.as_str(),
        by,
        at,
        import.decision_reason,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Imports whose rows are still staged although nobody waits for them: released ones, in the order of their beginning, and
/// ones that ended otherwise.
pub(super) async fn undone(pool: &Pool, limit: i64) -> Result<Vec<(ImportId, State)>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ImportId", state AS "state: State" FROM delivery_imports
           WHERE done_at IS NULL AND state NOT IN ('reading', 'proposed') ORDER BY began_at LIMIT $1"#,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.state)).collect())
}

/// Ends imports that nobody decided since `proposed_before`, and ones whose file has not arrived since `read_before`.
pub(super) async fn give_up_in_tx(
    tx: &mut Tx,
    proposed_before: DateTime<Utc>,
    read_before: DateTime<Utc>,
) -> Result<u64, PlanError> {
    let ended = sqlx::query!(
        "UPDATE delivery_imports SET state = CASE state WHEN 'proposed' THEN 'expired' ELSE 'broken_off' END
         WHERE done_at IS NULL AND ((state = 'proposed' AND began_at <= $1) OR (state = 'reading' AND began_at <= $2))",
        proposed_before,
        read_before,
    )
    .execute(tx)
    .await?;
    Ok(ended.rows_affected())
}

struct StagedRow {
    line: i64,
    report_id: String,
    revision: i64,
    plan_number: String,
    time: DateTime<Utc>,
    impressions: i64,
    clicks: i64,
    spend_micros: i64,
    revenue_micros: i64,
    estimated: bool,
    placement: String,
    findings: Option<Json<Vec<Finding>>>,
}

impl StagedRow {
    /// The row, and what the gate found in it when it was read.
    fn into_reported(self) -> Result<(Reported, Vec<Finding>), PlanError> {
        let line = u64::try_from(self.line);
        let reported = Reported {
            line: line.map_err(|_| CoreError::Corrupt("staged_reports.line"))?,
            report_id: self.report_id,
            revision: self.revision,
            plan_number: self.plan_number,
            time: self.time,
            impressions: self.impressions,
            clicks: self.clicks,
            spend: Micros::new(self.spend_micros),
            revenue: Micros::new(self.revenue_micros),
            estimated: self.estimated,
            placement: Some(self.placement).filter(|name| !name.is_empty()),
        };
        Ok((reported, self.findings.map_or_else(Vec::new, |it| it.0)))
    }
}

/// The next staged rows of an import, with a condition.
macro_rules! query_staged {
    ($condition:literal, $id:expr, $limit:expr) => {
        sqlx::query_as!(
            StagedRow,
            r#"SELECT line, report_id, revision, plan_number, time, impressions, clicks, spend_micros, revenue_micros,
                estimated, placement, findings AS "findings: _"
         FROM staged_reports WHERE import_id = $1 AND "# + $condition + " ORDER BY line LIMIT $2",
            $id,
            $limit,
        )
    };
}

/// The next staged rows of an import that the gate let pass, in the order of the file.
pub(super) async fn next_in_tx(
    tx: &mut Tx,
    id: ImportId,
    limit: i64,
) -> Result<Vec<Reported>, PlanError> {
    let rows = query_staged!("findings IS NULL", id.0, limit)
        .fetch_all(tx)
        .await?;
    let rows = rows.into_iter().map(StagedRow::into_reported);
    let rows = rows.map(|row| row.map(|(reported, _)| reported));
    rows.collect()
}

/// The next staged rows in which the gate found something, in the order of the file.
pub(super) async fn next_found_in_tx(
    tx: &mut Tx,
    id: ImportId,
    limit: i64,
) -> Result<(Vec<Reported>, Found), PlanError> {
    let rows = query_staged!("findings IS NOT NULL", id.0, limit)
        .fetch_all(tx)
        .await?;
    let mut found = Found::new();
    let mut reported = Vec::with_capacity(rows.len());
    for row in rows {
        let (row, findings) = row.into_reported()?;
        found.insert(row.line, findings);
        reported.push(row);
    }
    Ok((reported, found))
}

/// Takes the staged rows up to a line away, with what became of them.
pub(super) async fn taken_in_tx(
    tx: &mut Tx,
    id: ImportId,
    up_to_line: i64,
    taken: &Taken,
) -> Result<(), PlanError> {
    sqlx::query!(
        "DELETE FROM staged_reports WHERE import_id = $1 AND line <= $2 AND findings IS NULL",
        id.0,
        up_to_line
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE delivery_imports SET applied = $2, repeated = $3, restated = $4, rejected = $5, rejections = $6,
                                     quarantined = $7
         WHERE id = $1",
        id.0,
        taken.applied,
        taken.repeated,
        taken.restated,
        taken.rejected,
        Json(&taken.rejections) as _,
        taken.quarantined,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes the staged rows up to a line away that went to quarantine.
pub(super) async fn moved_in_tx(
    tx: &mut Tx,
    id: ImportId,
    up_to_line: i64,
    count: i64,
) -> Result<(), PlanError> {
    sqlx::query!(
        "DELETE FROM staged_reports WHERE import_id = $1 AND line <= $2 AND findings IS NOT NULL",
        id.0,
        up_to_line
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE delivery_imports SET quarantined = quarantined + $2 WHERE id = $1",
        id.0,
        count,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Imports that were read to their end, with staged rows in which the gate found something.
pub(super) async fn with_found(pool: &Pool, limit: i64) -> Result<Vec<ImportId>, PlanError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT i.id AS "id: ImportId" FROM delivery_imports i
           WHERE i.done_at IS NULL AND i.state IN ('proposed', 'released')
             AND EXISTS (SELECT FROM staged_reports s WHERE s.import_id = i.id AND s.findings IS NOT NULL)
           ORDER BY i.began_at LIMIT $1"#,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids)
}

/// Takes staged rows of an import away that are not taken; answers whether there may be more.
pub(super) async fn clear_in_tx(tx: &mut Tx, id: ImportId) -> Result<bool, PlanError> {
    let cleared = sqlx::query!(
        "DELETE FROM staged_reports WHERE import_id = $1 AND line IN (
             SELECT line FROM staged_reports WHERE import_id = $1 ORDER BY line LIMIT $2)",
        id.0,
        CLEAR_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(cleared.rows_affected() == u64::try_from(CLEAR_BATCH).unwrap_or(u64::MAX))
}

/// Records that nothing of an import is staged any more.
pub(super) async fn done_in_tx(
    tx: &mut Tx,
    id: ImportId,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE delivery_imports SET done_at = $2 WHERE id = $1 AND done_at IS NULL",
        id.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes whose plans the reports of a batch changed; answers those that the import had not changed before.
pub(super) async fn add_users_in_tx(
    tx: &mut Tx,
    id: ImportId,
    batch: BatchId,
) -> Result<Vec<UserId>, PlanError> {
    let added = sqlx::query_scalar!(
        r#"INSERT INTO imported_users (import_id, user_id)
           SELECT DISTINCT $1::uuid, o.user_id FROM delivery_reports r JOIN orders o ON o.id = r.order_id
           WHERE r.batch_id = $2
           ON CONFLICT DO NOTHING
           RETURNING user_id AS "user_id: UserId""#,
        id.0,
        batch.0,
    )
    .fetch_all(tx)
    .await?;
    Ok(added)
}
