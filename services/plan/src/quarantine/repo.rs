//! The SQL of quarantine.

use std::collections::HashSet;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::four_eyes::Alone;
use adfolio_kit::metrics::{COUNTED_AT_MOST, InState};
use adfolio_kit::pagination::bound;
use adfolio_money::Micros;
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::entity::{Quarantined, State};
use crate::delivery::entity::Origin;
use crate::delivery::row::Reported;
use crate::error::PlanError;
use crate::gate::Finding;
use crate::ids::{ImportId, PlacementId, QuarantinedId};

struct QuarantinedRow {
    id: QuarantinedId,
    source: String,
    origin: Origin,
    import_id: Option<ImportId>,
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
    placement_id: Option<PlacementId>,
    findings: Json<Vec<Finding>>,
    came_at: DateTime<Utc>,
    state: State,
    approved_by: Option<Uuid>,
    approved_at: Option<DateTime<Utc>>,
    decided_by: Option<Uuid>,
    decided_at: Option<DateTime<Utc>>,
    reason: String,
    is_alone: bool,
    outcome: String,
}

impl TryFrom<QuarantinedRow> for Quarantined {
    type Error = PlanError;

    fn try_from(row: QuarantinedRow) -> Result<Self, PlanError> {
        let line = u64::try_from(row.line);
        Ok(Self {
            id: row.id,
            source: row.source,
            origin: row.origin,
            import: row.import_id,
            row: Reported {
                line: line.map_err(|_| CoreError::Corrupt("quarantined_reports.line"))?,
                report_id: row.report_id,
                revision: row.revision,
                plan_number: row.plan_number,
                time: row.time,
                impressions: row.impressions,
                clicks: row.clicks,
                spend: Micros::new(row.spend_micros),
                revenue: Micros::new(row.revenue_micros),
                estimated: row.estimated,
                placement: Some(row.placement).filter(|name| !name.is_empty()),
            },
            placement: row.placement_id,
            findings: row.findings.0,
            came_at: row.came_at,
            state: row.state,
            approved: row.approved_by.zip(row.approved_at),
            decided: row.decided_by.zip(row.decided_at),
            reason: row.reason,
            is_alone: row.is_alone,
            outcome: row.outcome,
        })
    }
}

/// A query for reports in quarantine: what follows WHERE, and its arguments.
macro_rules! query_quarantined {
    ($condition:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            QuarantinedRow,
            r#"SELECT id AS "id: _", source, origin AS "origin: _", import_id AS "import_id: _", line, report_id, revision,
                plan_number, time, impressions, clicks, spend_micros, revenue_micros, estimated, placement,
                placement_id AS "placement_id: _", findings AS "findings: _", came_at, state AS "state: _", approved_by,
                approved_at, decided_by, decided_at, reason, is_alone, outcome
         FROM quarantined_reports WHERE "# + $condition
            $(, $argument)*
        )
    };
}

fn all(rows: Vec<QuarantinedRow>) -> Result<Vec<Quarantined>, PlanError> {
    rows.into_iter().map(Quarantined::try_from).collect()
}

fn uuids(ids: &[QuarantinedId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.0).collect()
}

/// Revisions of these reports that are in quarantine, or were.
pub(super) async fn of_reports_in_tx(
    tx: &mut Tx,
    source: &str,
    report_ids: &[String],
) -> Result<Vec<Quarantined>, PlanError> {
    let rows = query_quarantined!("source = $1 AND report_id = ANY($2)", source, report_ids)
        .fetch_all(tx)
        .await?;
    all(rows)
}

/// Those with these ids, locked in order of id.
pub(super) async fn lock_all_in_tx(
    tx: &mut Tx,
    ids: &[QuarantinedId],
) -> Result<Vec<Quarantined>, PlanError> {
    let rows = query_quarantined!("id = ANY($1) ORDER BY id FOR UPDATE", &uuids(ids))
        .fetch_all(tx)
        .await?;
    all(rows)
}

/// Those with these ids.
pub(super) async fn find_all(
    pool: &Pool,
    ids: &[QuarantinedId],
) -> Result<Vec<Quarantined>, PlanError> {
    let rows = query_quarantined!("id = ANY($1)", &uuids(ids))
        .fetch_all(pool)
        .await?;
    all(rows)
}

/// Those older than `before`, newest first: those in a state, or all.
pub(super) async fn list(
    pool: &Pool,
    state: Option<State>,
    before: Option<QuarantinedId>,
    limit: i64,
) -> Result<Vec<Quarantined>, PlanError> {
    let rows = match state {
        Some(state) => {
            query_quarantined!(
                "state = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
                state.as_str(),
                bound(before),
                limit,
            )
            .fetch_all(pool)
            .await?
        }
        None => {
            query_quarantined!("id < $1 ORDER BY id DESC LIMIT $2", bound(before), limit)
                .fetch_all(pool)
                .await?
        }
    };
    all(rows)
}

/// Those that wait for a decision.
pub(super) async fn waiting(pool: &Pool, now: DateTime<Utc>) -> Result<Vec<InState>, PlanError> {
    let waiting = sqlx::query_as!(
        InState,
        r#"SELECT 'waiting' AS "state!", count(*) AS "count!",
                  coalesce(greatest(extract(epoch FROM $1 - min(came_at)), 0), 0)::float8 AS "oldest_seconds!"
           FROM (SELECT came_at FROM quarantined_reports WHERE state IN ('waiting', 'approved')
                 ORDER BY state, id LIMIT $2) AS held"#,
        now,
        COUNTED_AT_MOST,
    )
    .fetch_all(pool)
    .await?;
    Ok(waiting)
}

/// Writes reports, except those that are there already; answers which were not.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    reports: &[Quarantined],
) -> Result<HashSet<QuarantinedId>, PlanError> {
    macro_rules! column {
        ($report:ident => $value:expr) => {
            reports.iter().map(|$report| $value).collect::<Vec<_>>()
        };
    }
    let inserted = sqlx::query_scalar!(
        r#"INSERT INTO quarantined_reports (id, source, origin, import_id, line, report_id, revision, plan_number, time,
                                          impressions, clicks, spend_micros, revenue_micros, estimated, placement,
                                          placement_id, findings, came_at)
         SELECT * FROM UNNEST($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bigint[],
                              $8::text[], $9::timestamptz[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                              $14::boolean[], $15::text[], $16::uuid[], $17::jsonb[], $18::timestamptz[])
         ON CONFLICT (source, report_id, revision) DO NOTHING RETURNING id AS "id: QuarantinedId""#,
        &column!(it => it.id.0),
        &column!(it => it.source.clone()),
        &column!(it => it.origin.as_str().to_owned()),
        &column!(it => it.import.map(|id| id.0)) as &[Option<Uuid>],
        &column!(it => i64::try_from(it.row.line).unwrap_or(i64::MAX)),
        &column!(it => it.row.report_id.clone()),
        &column!(it => it.row.revision),
        &column!(it => it.row.plan_number.clone()),
        &column!(it => it.row.time),
        &column!(it => it.row.impressions),
        &column!(it => it.row.clicks),
        &column!(it => it.row.spend.get()),
        &column!(it => it.row.revenue.get()),
        &column!(it => it.row.estimated),
        &column!(it => it.row.placement.clone().unwrap_or_default()),
        &column!(it => it.placement.map(|id| id.0)) as &[Option<Uuid>],
        &column!(it => Json(&it.findings)) as _,
        &column!(it => it.came_at),
    )
    .fetch_all(tx)
    .await?;
    Ok(inserted.into_iter().collect())
}

/// Writes decisions. The caller holds the locks.
pub(super) async fn save_in_tx(tx: &mut Tx, reports: &[Quarantined]) -> Result<(), PlanError> {
    macro_rules! column {
        ($report:ident => $value:expr) => {
            reports.iter().map(|$report| $value).collect::<Vec<_>>()
        };
    }
    sqlx::query!(
        "UPDATE quarantined_reports SET state = saved.state, approved_by = saved.approved_by,
             approved_at = saved.approved_at, decided_by = saved.decided_by, decided_at = saved.decided_at,
             reason = saved.reason, is_alone = saved.is_alone, outcome = saved.outcome
         FROM UNNEST($1::uuid[], $2::text[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::timestamptz[], $7::text[],
                     $8::boolean[], $9::text[])
             AS saved (id, state, approved_by, approved_at, decided_by, decided_at, reason, is_alone, outcome)
         WHERE quarantined_reports.id = saved.id",
        &column!(it => it.id.0),
        &column!(it => it.state.as_str().to_owned()),
        &column!(it => it.approved.map(|(by, _)| by)) as &[Option<Uuid>],
        &column!(it => it.approved.map(|(_, at)| at)) as &[Option<DateTime<Utc>>],
        &column!(it => it.decided.map(|(by, _)| by)) as &[Option<Uuid>],
        &column!(it => it.decided.map(|(_, at)| at)) as &[Option<DateTime<Utc>>],
        &column!(it => it.reason.clone()),
        &column!(it => it.is_alone),
        &column!(it => it.outcome.clone()),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What was released alone after a time: by a member of staff, and of these sources by anybody; in minor units.
pub(super) async fn sum_alone_in_tx(
    tx: &mut Tx,
    by: Uuid,
    sources: &[String],
    since: DateTime<Utc>,
) -> Result<Alone, PlanError> {
    let sums = sqlx::query!(
        r#"SELECT least(coalesce(sum(ceil((spend_micros::numeric + revenue_micros) / 10000))
                                 FILTER (WHERE decided_by = $1), 0), 1000000000000000000)::bigint AS "by_member!",
                  least(coalesce(sum(ceil((spend_micros::numeric + revenue_micros) / 10000))
                                 FILTER (WHERE source = ANY($2)), 0), 1000000000000000000)::bigint AS "of_sources!"
           FROM quarantined_reports WHERE is_alone AND decided_at > $3"#,
        by,
        sources,
        since,
    )
    .fetch_one(tx)
    .await?;
    Ok(Alone {
        by_member: sums.by_member,
        for_beneficiary: sums.of_sources,
    })
}
