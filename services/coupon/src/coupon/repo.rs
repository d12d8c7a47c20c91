//! The SQL of users' coupons.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use adfolio_kit::refusal::is_unique_violation;
use adfolio_kit::time_zone::TimeZone;
use adfolio_money::Money;
use chrono::{DateTime, NaiveDate, Utc};

use super::entity::{Claimable, Counts, Coupon, ShownState, State};
use crate::benefit::{CouponType, Kind, Mode};
use crate::campaign::Terms;
use crate::campaign::entity::name_key;
use crate::error::CouponError;
use crate::ids::{CampaignId, CouponId, OrderId};

struct Row {
    id: CouponId,
    user_id: UserId,
    name: String,
    coupon_type: CouponType,
    mode: Mode,
    value_minor: i64,
    value_basis_points: i32,
    amount_requirement_minor: i64,
    source: Kind,
    state: State,
    expires_at: DateTime<Utc>,
    used_at: Option<DateTime<Utc>>,
    order_id: Option<OrderId>,
}

/// A query for coupons: what comes after its columns, and its arguments. In a union PostgreSQL does not know that columns
/// are never null; hence the exclamation marks.
macro_rules! query_coupons {
    ($from:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"SELECT id AS "id!: _", user_id AS "user_id!: _", name AS "name!", type AS "coupon_type!: _", mode AS "mode!: _",
                    value_minor AS "value_minor!", value_basis_points AS "value_basis_points!",
                    amount_requirement_minor AS "amount_requirement_minor!", source AS "source!: _", state AS "state!: _",
                    expires_at AS "expires_at!", used_at, order_id AS "order_id: _"
             "# + $from
            $(, $argument)*
        )
    };
}

impl TryFrom<Row> for Coupon {
    type Error = CouponError;

    fn try_from(row: Row) -> Result<Self, CouponError> {
        Ok(Self {
            id: row.id,
            user: row.user_id,
            terms: Terms::from_columns(
                row.name,
                row.coupon_type,
                (row.mode, row.value_minor, row.value_basis_points),
                row.amount_requirement_minor,
            )
            .ok_or(CoreError::Corrupt("terms of coupons"))?,
            source: row.source,
            expires_at: row.expires_at,
            used_at: row.used_at,
            order: row.order_id,
            state: row.state,
        })
    }
}

/// Writes a claimed coupon. A concurrent claim that the rules allow only once waits here for the first one's end.
pub async fn insert_in_tx(
    tx: &mut Tx,
    coupon: &Coupon,
    campaign: CampaignId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<(), CouponError> {
    let (mode, value_minor, value_basis_points) = coupon.terms.benefit.columns();
    let inserted = sqlx::query!(
        "INSERT INTO coupons (id, user_id, campaign_id, name, name_key, type, mode, value_minor, value_basis_points,
                              amount_requirement_minor, source, state, claimed_at, claimed_on, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        coupon.id.0,
        coupon.user.0,
        campaign.0,
        coupon.terms.name,
        name_key(&coupon.terms.name),
        coupon.terms.coupon_type.as_str(),
        mode,
        value_minor,
        value_basis_points,
        coupon.terms.amount_requirement.minor(),
        coupon.source.as_str(),
        coupon.state.as_str(),
        now,
        today,
        coupon.expires_at,
    )
    .execute(tx)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique_violation(&error, "coupons_new_user_once") => {
            Err(CouponError::AlreadyClaimed)
        }
        Err(error) if is_unique_violation(&error, "coupons_name_once_a_day") => {
            Err(CouponError::NameClaimedToday)
        }
        Err(error) => Err(error.into()),
    }
}

/// The time zone of the user's claims: that of the first claim, which `sent` is if there was none.
pub async fn time_zone_in_tx(
    tx: &mut Tx,
    user: UserId,
    sent: TimeZone,
) -> Result<TimeZone, CouponError> {
    sqlx::query!(
        "INSERT INTO claim_zones (user_id, time_zone) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        user.0,
        sent.to_string(),
    )
    .execute(&mut *tx)
    .await?;
    let kept = sqlx::query_scalar!(
        "SELECT time_zone FROM claim_zones WHERE user_id = $1",
        user.0,
    )
    .fetch_one(tx)
    .await?;
    Ok(TimeZone::parse(&kept))
}

/// Whether the user has a periodic coupon of this name from `day` or later.
pub async fn has_claimed_since_in_tx(
    tx: &mut Tx,
    user: UserId,
    name: &str,
    day: NaiveDate,
) -> Result<bool, CouponError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM coupons
                          WHERE user_id = $1 AND name_key = $2 AND claimed_on >= $3 AND source = 'periodic') AS "found!""#,
        user.0,
        name_key(name),
        day,
    )
    .fetch_one(tx)
    .await?;
    Ok(found)
}

/// Whether the user has had the new-user coupon.
pub async fn has_new_user_coupon_in_tx(tx: &mut Tx, user: UserId) -> Result<bool, CouponError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM coupons WHERE user_id = $1 AND source = 'new_user') AS "found!""#,
        user.0,
    )
    .fetch_one(tx)
    .await?;
    Ok(found)
}

/// Open new-user campaigns with coupons left, newest first.
pub async fn new_user_candidates(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<CampaignId>, CouponError> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM campaigns
         WHERE kind = 'new_user' AND (starts_at IS NULL OR starts_at <= $1) AND (ends_at IS NULL OR ends_at > $1)
           -- One that is only proposed has nothing left.
           AND EXISTS (SELECT 1 FROM campaign_stock
                       WHERE campaign_id = campaigns.id AND (capacity IS NULL OR claimed < capacity))
         ORDER BY id DESC LIMIT $2",
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(CampaignId).collect())
}

/// Whether any new-user campaign is open, whatever is left of it.
pub async fn has_open_new_user_campaign_in_tx(
    tx: &mut Tx,
    now: DateTime<Utc>,
) -> Result<bool, CouponError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM campaigns
                          WHERE kind = 'new_user' AND (starts_at IS NULL OR starts_at <= $1)
                            AND (ends_at IS NULL OR ends_at > $1)
                            AND NOT EXISTS (SELECT FROM campaign_proposals
                                            WHERE campaign_id = campaigns.id AND state <> 'released')) AS "found!""#,
        now,
    )
    .fetch_one(tx)
    .await?;
    Ok(found)
}

/// The user's coupons of one shown state that are older than `before`, newest first.
pub async fn list(
    pool: &Pool,
    user: UserId,
    state: ShownState,
    before: Option<CouponId>,
    fetch: i64,
    now: DateTime<Utc>,
) -> Result<Vec<Coupon>, CouponError> {
    let before = bound(before);
    let rows = if state == ShownState::Expired {
        // Those that are marked, and the few past their time that the sweeper has not reached yet.
        query_coupons!(
            "FROM ((SELECT * FROM coupons
                    WHERE (user_id, listed_as, id) < ($1, 'expired', $2)
                      AND (user_id, listed_as, id) >= ($1, 'expired', '00000000-0000-0000-0000-000000000000')
                    ORDER BY user_id DESC, listed_as DESC, id DESC LIMIT $4)
                   UNION ALL
                   (SELECT * FROM coupons WHERE user_id = $1 AND state = 'unused' AND expires_at <= $3 AND id < $2)) AS expired
             ORDER BY id DESC LIMIT $4",
            user.0,
            before,
            now,
            fetch,
        )
        .fetch_all(pool)
        .await?
    } else {
        // Compared as one, because then no other index has the order: a filter on top of another one would walk past
        // everything that stands in other lists.
        query_coupons!(
            "FROM coupons
             WHERE (user_id, listed_as, id) < ($1, $2, $3)
               AND (user_id, listed_as, id) >= ($1, $2, '00000000-0000-0000-0000-000000000000')
               AND (state <> 'unused' OR expires_at > $4)
             ORDER BY user_id DESC, listed_as DESC, id DESC LIMIT $5",
            user.0,
            state.as_str(),
            before,
            now,
            fetch,
        )
        .fetch_all(pool)
        .await?
    };
    rows.into_iter().map(Coupon::try_from).collect()
}

/// What a listing of a user's coupons consists of.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// By shown state.
    pub counts: Counts,
    /// Whether [`claimable`] may find anything: a campaign is open, or the user has had the new-user coupon.
    pub may_claim: bool,
    /// The time zone of the user's claims; none before the first.
    pub time_zone: Option<TimeZone>,
}

/// How many coupons the user has, by shown state, and whether there may be anything to claim: one row, and the few past
/// their time that are not marked yet.
pub async fn summary(
    pool: &Pool,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Summary, CouponError> {
    let row = sqlx::query!(
        r#"SELECT coalesce(unused, 0) - overdue AS "unused!", coalesce(used, 0) AS "used!",
                  coalesce(expired, 0) + overdue AS "expired!",
                  EXISTS (SELECT 1 FROM campaigns WHERE kind <> 'staff' AND (ends_at IS NULL OR ends_at > $2))
                      OR EXISTS (SELECT 1 FROM coupons WHERE user_id = $1 AND source = 'new_user') AS "may_claim!",
                  (SELECT time_zone FROM claim_zones WHERE user_id = $1)
           FROM (SELECT count(*) AS overdue FROM coupons
                 WHERE user_id = $1 AND state = 'unused' AND expires_at <= $2) AS unmarked
           LEFT JOIN coupon_counts ON user_id = $1"#,
        user.0,
        now,
    )
    .fetch_one(pool)
    .await?;
    Ok(Summary {
        counts: Counts {
            unused: row.unused,
            used: row.used,
            expired: row.expired,
        },
        may_claim: row.may_claim,
        time_zone: row.time_zone.as_deref().map(TimeZone::parse),
    })
}

/// Open campaigns that have coupons left or that the user has claimed from, and the new-user campaign that the user's
/// coupon came from, though it may be over. New-user campaigns first, then the newest.
pub async fn claimable(
    pool: &Pool,
    user: UserId,
    today: NaiveDate,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Claimable>, CouponError> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id!: CampaignId", name AS "name!", type AS "coupon_type!: CouponType", kind AS "kind!: Kind",
                  mode AS "mode!: Mode", value_minor AS "value_minor!", value_basis_points AS "value_basis_points!",
                  amount_requirement_minor AS "amount_requirement_minor!", valid_days AS "valid_days!", ends_at,
                  claimed AS "claimed!"
           FROM (SELECT campaigns.*,
                        (starts_at IS NULL OR starts_at <= $3) AND (ends_at IS NULL OR ends_at > $3) AS open,
                        EXISTS (SELECT 1 FROM campaign_stock
                                WHERE campaign_id = campaigns.id AND (capacity IS NULL OR claimed < capacity)) AS left,
                        CASE kind
                            WHEN 'new_user' THEN EXISTS (SELECT 1 FROM coupons
                                                         WHERE user_id = $1 AND source = 'new_user')
                            ELSE EXISTS (SELECT 1 FROM coupons
                                         WHERE user_id = $1 AND name_key = campaigns.name_key AND claimed_on >= $2
                                           AND source = 'periodic')
                        END AS claimed
                 FROM campaigns
                 WHERE kind <> 'staff' AND (ends_at IS NULL OR ends_at > $3)
                   AND NOT EXISTS (SELECT FROM campaign_proposals
                                   WHERE campaign_id = campaigns.id AND state <> 'released')
                 UNION ALL
                 SELECT campaigns.*, true, true, true FROM campaigns JOIN coupons ON coupons.campaign_id = campaigns.id
                 WHERE coupons.user_id = $1 AND coupons.source = 'new_user' AND campaigns.ends_at <= $3) AS campaigns
           WHERE open AND ("left" OR claimed)
           ORDER BY kind = 'new_user' DESC, id DESC LIMIT $4"#,
        user.0,
        today,
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Claimable {
                campaign: row.id,
                kind: row.kind,
                terms: Terms::from_columns(
                    row.name,
                    row.coupon_type,
                    (row.mode, row.value_minor, row.value_basis_points),
                    row.amount_requirement_minor,
                )
                .ok_or(CoreError::Corrupt("terms of campaigns"))?,
                valid_days: u32::try_from(row.valid_days)
                    .map_err(|_| CoreError::Corrupt("campaigns.valid_days"))?,
                ends_at: row.ends_at,
                claimed: row.claimed,
            })
        })
        .collect()
}

/// The user's unused coupons whose requirement `amount_max` meets, soonest expiry first.
pub async fn usable(
    pool: &Pool,
    user: UserId,
    amount_max: Money,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Coupon>, CouponError> {
    let rows = query_coupons!(
        "FROM coupons WHERE user_id = $1 AND state = 'unused' AND expires_at > $2 AND amount_requirement_minor <= $3
         ORDER BY expires_at, id LIMIT $4",
        user.0,
        now,
        amount_max.minor(),
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Coupon::try_from).collect()
}

/// The user's coupon, locked. Another user's is none.
pub async fn lock_in_tx(
    tx: &mut Tx,
    id: CouponId,
    user: UserId,
) -> Result<Option<Coupon>, CouponError> {
    let row = query_coupons!(
        "FROM coupons WHERE id = $1 AND user_id = $2 FOR UPDATE",
        id.0,
        user.0,
    )
    .fetch_optional(tx)
    .await?;
    row.map(Coupon::try_from).transpose()
}

/// Writes a coupon's state.
pub async fn save_in_tx(tx: &mut Tx, coupon: &Coupon) -> Result<(), CouponError> {
    sqlx::query!(
        "UPDATE coupons SET state = $2, order_id = $3, used_at = $4 WHERE id = $1",
        coupon.id.0,
        coupon.state.as_str(),
        coupon.order.map(|order| order.0),
        coupon.used_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Marks some unused coupons past their time; those that a call has locked wait for the next round.
pub async fn expire_in_tx(tx: &mut Tx, now: DateTime<Utc>, limit: i64) -> Result<u64, CouponError> {
    let done = sqlx::query!(
        "UPDATE coupons SET state = 'expired' WHERE id IN (
             SELECT id FROM coupons WHERE state = 'unused' AND expires_at <= $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        now,
        limit,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
