//! The SQL of campaigns and their stock.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use sqlx::Connection as _;
use uuid::Uuid;

use super::entity::{Campaign, NewCampaign, Terms, name_key};
use crate::benefit::{CouponType, Kind, Mode};
use crate::error::CouponError;
use crate::ids::CampaignId;

struct Row {
    id: CampaignId,
    name: String,
    coupon_type: CouponType,
    mode: Mode,
    value_minor: i64,
    value_basis_points: i32,
    amount_requirement_minor: i64,
    kind: Kind,
    valid_days: i32,
    starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    total: Option<i64>,
    claimed: i64,
}

impl TryFrom<Row> for Campaign {
    type Error = CouponError;

    fn try_from(row: Row) -> Result<Self, CouponError> {
        Ok(Self {
            id: row.id,
            terms: Terms::from_columns(
                row.name,
                row.coupon_type,
                (row.mode, row.value_minor, row.value_basis_points),
                row.amount_requirement_minor,
            )
            .ok_or(CoreError::Corrupt("terms of campaigns"))?,
            kind: row.kind,
            valid_days: u32::try_from(row.valid_days)
                .map_err(|_| CoreError::Corrupt("campaigns.valid_days"))?,
            total: row.total,
            claimed: row.claimed,
            starts_at: row.starts_at,
            ends_at: row.ends_at,
        })
    }
}

/// Writes a campaign and its stock.
pub async fn insert_in_tx(
    tx: &mut Tx,
    id: CampaignId,
    new: &NewCampaign,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    let (mode, value_minor, value_basis_points) = new.terms.benefit.columns();
    sqlx::query!(
        "INSERT INTO campaigns (id, name, name_key, type, mode, value_minor, value_basis_points, amount_requirement_minor,
                                kind, valid_days, starts_at, ends_at, created_at, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        id.0,
        new.terms.name,
        name_key(&new.terms.name),
        new.terms.coupon_type.as_str(),
        mode,
        value_minor,
        value_basis_points,
        new.terms.amount_requirement.minor(),
        new.kind.as_str(),
        i32::try_from(new.valid_days).unwrap_or(i32::MAX),
        new.starts_at,
        new.ends_at,
        now,
        staff_id,
    )
    .execute(&mut *tx)
    .await?;
    let capacities = new.stock_parts();
    sqlx::query!(
        "INSERT INTO campaign_stock (campaign_id, part, capacity)
         SELECT $1, (number - 1)::smallint, capacity
         FROM UNNEST($2::bigint[]) WITH ORDINALITY AS part (capacity, number)",
        id.0,
        &capacities as &[Option<i64>],
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A query for campaigns: what comes after their columns and tables, and its arguments.
macro_rules! query_campaigns {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"SELECT id AS "id: _", name, type AS "coupon_type: _", mode AS "mode: _", value_minor, value_basis_points,
                    amount_requirement_minor, kind AS "kind: _",
                    valid_days, starts_at, ends_at, stock.total AS "total?", stock.claimed AS "claimed!"
             FROM campaigns
             CROSS JOIN LATERAL (SELECT sum(capacity)::bigint AS total, sum(claimed)::bigint AS claimed
                                 FROM campaign_stock WHERE campaign_id = campaigns.id) AS stock "# + $rest
            $(, $argument)*
        )
    };
}

/// The campaign, if it exists.
pub async fn find_in_tx(tx: &mut Tx, id: CampaignId) -> Result<Option<Campaign>, CouponError> {
    let row = query_campaigns!("WHERE id = $1", id.0)
        .fetch_optional(tx)
        .await?;
    row.map(Campaign::try_from).transpose()
}

/// Campaigns older than `before`, newest first.
pub async fn list(
    pool: &PgPool,
    before: Option<CampaignId>,
    fetch: i64,
) -> Result<Vec<Campaign>, CouponError> {
    let before = bound(before);
    let rows = query_campaigns!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, fetch)
        .fetch_all(pool)
        .await?;
    rows.into_iter().map(Campaign::try_from).collect()
}

/// The first part of a campaign's stock with something left, locked as `$lock` says.
macro_rules! lock_part {
    ($tx:expr, $id:ident, $lock:literal) => {
        sqlx::query_scalar!(
            "SELECT part FROM campaign_stock
         WHERE campaign_id = $1 AND (capacity IS NULL OR claimed < capacity)
         ORDER BY part LIMIT 1 "
                + $lock,
            $id.0,
        )
        .fetch_optional($tx)
        .await?
    };
}

/// Takes one coupon out of a campaign's stock; false when none is left. Called last in a claim, so the lock on one part of
/// the stock lasts no longer than the commit.
pub async fn take_stock_in_tx(tx: &mut Tx, id: CampaignId) -> Result<bool, CouponError> {
    let mut look = tx.begin().await?;
    let free = if let Some(part) = lock_part!(&mut *look, id, "FOR UPDATE SKIP LOCKED") {
        look.commit().await?;
        Some(part)
    } else {
        // Every part with something left is locked by another claim, which may yet roll back: wait for one. The look may have
        // locked parts that were used up in that moment; those who waited with such parts in hand could wait in a circle, so
        // they are given back. Parts are waited for in their order. PostgreSQL looks at the row again once it has the lock and
        // goes on to the next part when nothing is left.
        look.rollback().await?;
        lock_part!(&mut *tx, id, "FOR UPDATE")
    };
    let Some(part) = free else { return Ok(false) };
    sqlx::query!(
        "UPDATE campaign_stock SET claimed = claimed + 1 WHERE campaign_id = $1 AND part = $2",
        id.0,
        part
    )
    .execute(tx)
    .await?;
    Ok(true)
}
