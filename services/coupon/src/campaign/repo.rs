//! The SQL of campaigns and their stock.

use std::collections::HashMap;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::four_eyes::Alone;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use sqlx::Connection as _;
use uuid::Uuid;

use super::entity::{Campaign, Cost, NewCampaign, State, Terms, name_key, stock_parts};
use crate::benefit::{CouponType, Kind, Mode};
use crate::error::CouponError;
use crate::ids::{CampaignId, StaffId};

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
    state: State,
    created_by: StaffId,
    decided_by: Option<StaffId>,
    decided_at: Option<DateTime<Utc>>,
}

impl TryFrom<Row> for Campaign {
    type Error = CouponError;

    fn try_from(row: Row) -> Result<Self, CouponError> {
        Ok(Self {
            id: row.id,
            state: row.state,
            created_by: row.created_by,
            decided: row.decided_by.zip(row.decided_at),
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
            cost: Cost::default(),
        })
    }
}

/// Writes a campaign without its stock.
pub async fn insert_in_tx(
    tx: &mut Tx,
    id: CampaignId,
    new: &NewCampaign,
    staff_id: StaffId,
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
        staff_id.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes a campaign's stock, which must have none yet, so that its coupons can be had.
pub async fn stock_in_tx(
    tx: &mut Tx,
    id: CampaignId,
    total: Option<i64>,
) -> Result<(), CouponError> {
    let capacities = stock_parts(total);
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

/// Keeps a campaign for another member of staff: it has nothing to claim from.
pub async fn propose_in_tx(
    tx: &mut Tx,
    id: CampaignId,
    total: Option<i64>,
) -> Result<(), CouponError> {
    sqlx::query!(
        "INSERT INTO campaign_proposals (campaign_id, total) VALUES ($1, $2)",
        id.0,
        total
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "INSERT INTO campaign_stock (campaign_id, part, capacity, claimed) VALUES ($1, 0, 1, 1)",
        id.0
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the proposal of a campaign, so that of several deciders one decides. False if there is none.
pub async fn lock_proposal_in_tx(tx: &mut Tx, id: CampaignId) -> Result<bool, CouponError> {
    let found = sqlx::query_scalar!(
        "SELECT campaign_id FROM campaign_proposals WHERE campaign_id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Writes a decision. The proposal is locked by the caller.
pub async fn save_decision_in_tx(
    tx: &mut Tx,
    campaign: &Campaign,
    reason: &str,
) -> Result<(), CouponError> {
    let (decided_by, decided_at) = campaign.decided.unzip();
    sqlx::query!(
        "UPDATE campaign_proposals SET state = $2, decided_by = $3, decided_at = $4, decision_reason = $5
         WHERE campaign_id = $1",
        campaign.id.0,
        campaign.state.as_str(),
        decided_by.map(|id| id.0),
        decided_at,
        reason
    )
    .execute(&mut *tx)
    .await?;
    if campaign.state == State::Released {
        sqlx::query!(
            "DELETE FROM campaign_stock WHERE campaign_id = $1",
            campaign.id.0
        )
        .execute(&mut *tx)
        .await?;
        stock_in_tx(tx, campaign.id, campaign.total).await?;
    }
    Ok(())
}

/// What a member of staff has made alone after that time.
pub async fn sum_alone_in_tx(
    tx: &mut Tx,
    staff_id: StaffId,
    since: DateTime<Utc>,
) -> Result<Alone, CouponError> {
    let by_member = sqlx::query_scalar!(
        r#"SELECT least(coalesce(sum(amount), 0), 1000000000000000000)::bigint AS "sum!"
           FROM lone_campaigns WHERE staff_id = $1 AND created_at > $2"#,
        staff_id.0,
        since
    )
    .fetch_one(tx)
    .await?;
    Ok(Alone {
        by_member,
        for_beneficiary: 0,
    })
}

/// Counts what a member of staff makes alone.
pub async fn count_alone_in_tx(
    tx: &mut Tx,
    id: CampaignId,
    staff_id: StaffId,
    cost: Money,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    sqlx::query!(
        "INSERT INTO lone_campaigns (campaign_id, staff_id, amount, created_at) VALUES ($1, $2, $3, $4)",
        id.0,
        staff_id.0,
        cost.minor(),
        now
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
                    valid_days, starts_at, ends_at,
                    CASE WHEN coalesce(proposal.state, 'released') = 'released' THEN stock.total ELSE proposal.total END AS "total?",
                    CASE WHEN coalesce(proposal.state, 'released') = 'released' THEN stock.claimed ELSE 0 END AS "claimed!",
                    coalesce(proposal.state, 'released') AS "state!: _", created_by AS "created_by: _",
                    proposal.decided_by AS "decided_by?: _", proposal.decided_at AS "decided_at?"
             FROM campaigns
             LEFT JOIN campaign_proposals AS proposal ON proposal.campaign_id = campaigns.id
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

/// The campaign, if it exists.
pub async fn find(pool: &Pool, id: CampaignId) -> Result<Option<Campaign>, CouponError> {
    let row = query_campaigns!("WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    row.map(Campaign::try_from).transpose()
}

/// Campaigns older than `before`, newest first.
pub async fn list(
    pool: &Pool,
    before: Option<CampaignId>,
    fetch: i64,
) -> Result<Vec<Campaign>, CouponError> {
    let before = bound(before);
    let rows = query_campaigns!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, fetch)
        .fetch_all(pool)
        .await?;
    rows.into_iter().map(Campaign::try_from).collect()
}

/// What these campaigns have cost so far: a few rows of each.
pub async fn costs(
    pool: &Pool,
    campaigns: &[CampaignId],
) -> Result<HashMap<CampaignId, Cost>, CouponError> {
    let ids: Vec<Uuid> = campaigns.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT campaign_id AS "campaign: CampaignId", sum(redeemed)::bigint AS "redeemed!",
                  sum(redeemed_minor)::bigint AS "redeemed_minor!", sum(expired)::bigint AS "expired!"
           FROM campaign_costs WHERE campaign_id = ANY($1) GROUP BY campaign_id"#,
        &ids,
    )
    .fetch_all(pool)
    .await?;
    let cost = rows.into_iter().map(|row| {
        let cost = Cost {
            redeemed: row.redeemed,
            amount: Money::from_minor(row.redeemed_minor),
            expired: row.expired,
        };
        (row.campaign, cost)
    });
    Ok(cost.collect())
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

/// How many campaigns wait for a second person, and when the oldest was made.
pub async fn count_proposed(pool: &Pool) -> Result<(i64, Option<DateTime<Utc>>), CouponError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(created_at) AS oldest_at
           FROM (SELECT c.created_at FROM campaign_proposals p JOIN campaigns c ON c.id = p.campaign_id
                 WHERE p.state = 'proposed' LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok((row.count, row.oldest_at))
}
