//! The SQL of the roll-ups. Writers lock the users' rows of `user_totals` first, so they meet at
//! buckets in one order.

use std::collections::BTreeMap;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Figures, Pieces, Puts, Rolled};
use crate::error::PlanError;
use crate::ids::{OrderId, PlacementId};

/// Adds to a user's puts in a bucket; a put that failed is taken out with negative numbers. Puts are
/// added where they are placed (`put/place.sql`).
pub(super) async fn add_puts_in_tx(
    tx: &mut Tx,
    user: UserId,
    put_at: DateTime<Utc>,
    bucket: DateTime<Utc>,
    day: DateTime<Utc>,
    puts: Puts,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO user_totals AS total (user_id, invested_minor, delivery_orders, first_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) DO UPDATE SET
             invested_minor = total.invested_minor + excluded.invested_minor,
             delivery_orders = total.delivery_orders + excluded.delivery_orders,
             first_at = least(total.first_at, excluded.first_at)",
        user.0,
        puts.invested.minor(),
        puts.orders,
        put_at,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "WITH day AS (
             INSERT INTO user_days AS day (user_id, day, impressions, clicks, charged_micros, revenue_micros,
                                           invested_minor, delivery_orders)
             VALUES ($1, $3, 0, 0, 0, 0, $4, $5)
             ON CONFLICT (user_id, day) DO UPDATE SET
                 invested_minor = day.invested_minor + excluded.invested_minor,
                 delivery_orders = day.delivery_orders + excluded.delivery_orders)
         INSERT INTO user_buckets AS bucket (user_id, bucket, impressions, clicks, charged_micros, revenue_micros,
                                             invested_minor, delivery_orders)
         VALUES ($1, $2, 0, 0, 0, 0, $4, $5)
         ON CONFLICT (user_id, bucket) DO UPDATE SET
             invested_minor = bucket.invested_minor + excluded.invested_minor,
             delivery_orders = bucket.delivery_orders + excluded.delivery_orders",
        user.0,
        bucket,
        day,
        puts.invested.minor(),
        puts.orders,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Rows to add to a roll-up: an owner, a time, figures.
#[derive(Clone, Debug, Default)]
pub struct Additions {
    owners: Vec<Uuid>,
    times: Vec<DateTime<Utc>>,
    all: FigureColumns,
    estimated: FigureColumns,
    simulated: FigureColumns,
}

/// Figures as columns for SQL.
#[derive(Clone, Debug, Default)]
struct FigureColumns {
    impressions: Vec<i64>,
    clicks: Vec<i64>,
    charged: Vec<i64>,
    revenue: Vec<i64>,
}

impl FigureColumns {
    fn push(&mut self, figures: Figures) {
        self.impressions.push(figures.impressions);
        self.clicks.push(figures.clicks);
        self.charged.push(figures.charged.get());
        self.revenue.push(figures.revenue.get());
    }
}

impl Additions {
    /// Adds a row. A pair of owner and time may come only once.
    pub fn push(&mut self, owner: Uuid, time: DateTime<Utc>, rolled: Rolled) {
        self.owners.push(owner);
        self.times.push(time);
        self.all.push(rolled.all);
        self.estimated.push(rolled.estimated);
        self.simulated.push(rolled.simulated);
    }
}

/// Adds rows to a roll-up of users, in order of owner and time: its table with the columns of owner and time, more
/// columns and their first values, its key, and what else an addition changes.
macro_rules! add {
    ($rows:ident, $table:literal ($owner:literal, $time:literal) $(, $more:literal = $first:literal)?; $key:literal $(; $set:literal)?) => {
        sqlx::query!(
            "INSERT INTO " + $table + " AS known (" + $owner + ", " + $time +
                 ", impressions, clicks, charged_micros, revenue_micros, estimated_charged_micros, estimated_revenue_micros,
                 simulated_impressions, simulated_clicks, simulated_charged_micros, simulated_revenue_micros"
                 $(+ ", " + $more)? + ")
             SELECT owner, at, impressions, clicks, charged, revenue, estimated_charged, estimated_revenue,
                    simulated_impressions, simulated_clicks, simulated_charged, simulated_revenue" $(+ ", " + $first)? + "
             FROM UNNEST($1::uuid[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                         $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
                 AS new (owner, at, impressions, clicks, charged, revenue, estimated_charged, estimated_revenue,
                         simulated_impressions, simulated_clicks, simulated_charged, simulated_revenue)
             ORDER BY owner, at
             ON CONFLICT (" + $key + ") DO UPDATE SET
                 impressions = known.impressions + excluded.impressions,
                 clicks = known.clicks + excluded.clicks,
                 charged_micros = known.charged_micros + excluded.charged_micros,
                 revenue_micros = known.revenue_micros + excluded.revenue_micros,
                 estimated_charged_micros = known.estimated_charged_micros + excluded.estimated_charged_micros,
                 estimated_revenue_micros = known.estimated_revenue_micros + excluded.estimated_revenue_micros,
                 simulated_impressions = known.simulated_impressions + excluded.simulated_impressions,
                 simulated_clicks = known.simulated_clicks + excluded.simulated_clicks,
                 simulated_charged_micros = known.simulated_charged_micros + excluded.simulated_charged_micros,
                 simulated_revenue_micros = known.simulated_revenue_micros + excluded.simulated_revenue_micros"
                 $(+ ", " + $set)?,
            &$rows.owners,
            &$rows.times,
            &$rows.all.impressions,
            &$rows.all.clicks,
            &$rows.all.charged,
            &$rows.all.revenue,
            &$rows.estimated.charged,
            &$rows.estimated.revenue,
            &$rows.simulated.impressions,
            &$rows.simulated.clicks,
            &$rows.simulated.charged,
            &$rows.simulated.revenue,
        )
    };
}

/// Adds to users' running totals; `times` are those of each user's first report. Locks the users in
/// order of id.
pub(super) async fn add_to_totals_in_tx(tx: &mut Tx, rows: &Additions) -> Result<(), PlanError> {
    add!(rows, "user_totals" ("user_id", "first_at"); "user_id"; "first_at = least(known.first_at, excluded.first_at)")
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds to users' buckets.
pub(super) async fn add_to_user_buckets_in_tx(
    tx: &mut Tx,
    rows: &Additions,
) -> Result<(), PlanError> {
    add!(rows, "user_buckets" ("user_id", "bucket"), "invested_minor, delivery_orders" = "0, 0"; "user_id, bucket")
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds to users' days.
pub(super) async fn add_to_user_days_in_tx(tx: &mut Tx, rows: &Additions) -> Result<(), PlanError> {
    add!(rows, "user_days" ("user_id", "day"), "invested_minor, delivery_orders" = "0, 0"; "user_id, day")
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds to plans' buckets, which have no marks.
pub(super) async fn add_to_plan_buckets_in_tx(
    tx: &mut Tx,
    rows: &Additions,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO plan_buckets AS known (order_id, bucket, impressions, clicks, charged_micros, revenue_micros)
         SELECT owner, at, impressions, clicks, charged, revenue
         FROM UNNEST($1::uuid[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
             AS new (owner, at, impressions, clicks, charged, revenue)
         ORDER BY owner, at
         ON CONFLICT (order_id, bucket) DO UPDATE SET
             impressions = known.impressions + excluded.impressions,
             clicks = known.clicks + excluded.clicks,
             charged_micros = known.charged_micros + excluded.charged_micros,
             revenue_micros = known.revenue_micros + excluded.revenue_micros",
        &rows.owners,
        &rows.times,
        &rows.all.impressions,
        &rows.all.clicks,
        &rows.all.charged,
        &rows.all.revenue,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Adds what reports of plans say by placement.
pub(super) async fn add_to_placements_in_tx(
    tx: &mut Tx,
    sums: &BTreeMap<(OrderId, PlacementId), Rolled>,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { sums.values().map(|rolled| rolled.$($field)*).collect::<Vec<i64>>() };
    }
    let orders: Vec<Uuid> = sums.keys().map(|(order, _)| order.0).collect();
    let placements: Vec<Uuid> = sums.keys().map(|(_, placement)| placement.0).collect();
    sqlx::query!(
        "INSERT INTO order_placements AS known (order_id, placement_id, impressions, clicks, charged_micros,
                                                revenue_micros, simulated)
         SELECT * FROM UNNEST($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
             AS new (order_id, placement_id, impressions, clicks, charged, revenue, simulated)
         ORDER BY order_id, placement_id
         ON CONFLICT (order_id, placement_id) DO UPDATE SET
             impressions = known.impressions + excluded.impressions,
             clicks = known.clicks + excluded.clicks,
             charged_micros = known.charged_micros + excluded.charged_micros,
             revenue_micros = known.revenue_micros + excluded.revenue_micros,
             simulated = known.simulated + excluded.simulated",
        &orders,
        &placements,
        &column!(all.impressions),
        &column!(all.clicks),
        &column!(all.charged.get()),
        &column!(all.revenue.get()),
        &column!(simulated.impressions),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Notes until when sources have reported about users' plans; it never goes back.
pub(super) async fn report_until_in_tx(
    tx: &mut Tx,
    until: &BTreeMap<(UserId, String), DateTime<Utc>>,
) -> Result<(), PlanError> {
    let users: Vec<Uuid> = until.keys().map(|(user, _)| user.0).collect();
    let sources: Vec<String> = until.keys().map(|(_, source)| source.clone()).collect();
    let times: Vec<DateTime<Utc>> = until.values().copied().collect();
    sqlx::query!(
        "INSERT INTO user_sources AS known (user_id, source, reported_until)
         SELECT * FROM UNNEST($1::uuid[], $2::text[], $3::timestamptz[]) AS new (user_id, source, until)
         ORDER BY user_id, source
         ON CONFLICT (user_id, source) DO UPDATE SET reported_until = excluded.reported_until
         WHERE known.reported_until < excluded.reported_until",
        &users,
        &sources,
        &times,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Until when each source has reported about a user's plans, the latest first.
pub(super) async fn reported_until(
    pool: &Pool,
    user: UserId,
) -> Result<Vec<(String, DateTime<Utc>)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT source, reported_until FROM user_sources WHERE user_id = $1 ORDER BY reported_until DESC, source",
        user.0,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.source, row.reported_until))
        .collect())
}

/// A piece that was read.
pub(super) struct Point {
    pub(super) index: usize,
    pub(super) rolled: Rolled,
    pub(super) puts: Puts,
}

/// What one statement reads of a user: the pieces that have rows, and the budget that the user's
/// plans have not consumed yet.
pub(super) struct Sums {
    pub(super) points: Vec<Point>,
    pub(super) to_be_consumed: Money,
}

/// The figures of a row, by the names of its columns.
macro_rules! rolled {
    ($row:ident) => {
        Rolled {
            all: figures(
                $row.impressions,
                $row.clicks,
                $row.charged_micros,
                $row.revenue_micros,
            ),
            estimated: figures(
                0,
                0,
                $row.estimated_charged_micros,
                $row.estimated_revenue_micros,
            ),
            simulated: figures(
                $row.simulated_impressions,
                $row.simulated_clicks,
                $row.simulated_charged_micros,
                $row.simulated_revenue_micros,
            ),
        }
    };
}

fn figures(impressions: i64, clicks: i64, charged: i64, revenue: i64) -> Figures {
    Figures {
        impressions,
        clicks,
        charged: Micros::new(charged),
        revenue: Micros::new(revenue),
    }
}

fn puts(invested: i64, orders: i64) -> Puts {
    Puts {
        invested: Money::from_minor(invested),
        orders,
    }
}

/// Sums of a user's days and buckets. A run of pieces without gaps is one range of a primary key:
/// LATERAL makes it one, where a plain join may read all rows of the user once for every run.
pub(super) async fn sums(pool: &Pool, user: UserId, pieces: &Pieces) -> Result<Sums, PlanError> {
    let (days, buckets) = (&pieces.days, &pieces.buckets);
    let (day_runs, bucket_runs) = (days.runs(), buckets.runs());
    let rows = sqlx::query!(
        r#"SELECT 'day' AS "source!", width_bucket(part.day, $2::timestamptz[]) AS place,
                  coalesce(sum(impressions), 0)::bigint AS "impressions!", coalesce(sum(clicks), 0)::bigint AS "clicks!",
                  coalesce(sum(charged_micros), 0)::bigint AS "charged_micros!",
                  coalesce(sum(revenue_micros), 0)::bigint AS "revenue_micros!",
                  coalesce(sum(estimated_charged_micros), 0)::bigint AS "estimated_charged_micros!",
                  coalesce(sum(estimated_revenue_micros), 0)::bigint AS "estimated_revenue_micros!",
                  coalesce(sum(simulated_impressions), 0)::bigint AS "simulated_impressions!",
                  coalesce(sum(simulated_clicks), 0)::bigint AS "simulated_clicks!",
                  coalesce(sum(simulated_charged_micros), 0)::bigint AS "simulated_charged_micros!",
                  coalesce(sum(simulated_revenue_micros), 0)::bigint AS "simulated_revenue_micros!",
                  coalesce(sum(invested_minor), 0)::bigint AS "invested!", coalesce(sum(delivery_orders), 0)::bigint AS "orders!"
           FROM UNNEST($3::timestamptz[], $4::timestamptz[]) AS run (start, finish)
           CROSS JOIN LATERAL (SELECT * FROM user_days WHERE user_id = $1 AND day >= run.start AND day < run.finish) AS part
           GROUP BY 2
           UNION ALL
           SELECT 'bucket', width_bucket(part.bucket, $5::timestamptz[]),
                  coalesce(sum(impressions), 0)::bigint, coalesce(sum(clicks), 0)::bigint,
                  coalesce(sum(charged_micros), 0)::bigint, coalesce(sum(revenue_micros), 0)::bigint,
                  coalesce(sum(estimated_charged_micros), 0)::bigint, coalesce(sum(estimated_revenue_micros), 0)::bigint,
                  coalesce(sum(simulated_impressions), 0)::bigint, coalesce(sum(simulated_clicks), 0)::bigint,
                  coalesce(sum(simulated_charged_micros), 0)::bigint, coalesce(sum(simulated_revenue_micros), 0)::bigint,
                  coalesce(sum(invested_minor), 0)::bigint, coalesce(sum(delivery_orders), 0)::bigint
           FROM UNNEST($6::timestamptz[], $7::timestamptz[]) AS run (start, finish)
           CROSS JOIN LATERAL (SELECT * FROM user_buckets
                               WHERE user_id = $1 AND bucket >= run.start AND bucket < run.finish) AS part
           GROUP BY 2
           UNION ALL
           SELECT 'open', NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                  coalesce(sum(put_amount_minor - minor_of(charged_micros)), 0)::bigint, 0
           FROM orders WHERE user_id = $1 AND status IN ('matching', 'putting', 'put_finished', 'waiting_settlement')"#,
        user.0,
        &days.from,
        &day_runs.from,
        &day_runs.to,
        &buckets.from,
        &bucket_runs.from,
        &bucket_runs.to,
    )
    .fetch_all(pool)
    .await?;
    let mut sums = Sums {
        points: Vec::with_capacity(rows.len()),
        to_be_consumed: Money::ZERO,
    };
    for row in rows {
        let columns = match row.source.as_str() {
            "day" => days,
            "bucket" => buckets,
            _ => {
                sums.to_be_consumed = Money::from_minor(row.invested);
                continue;
            }
        };
        sums.points.push(Point {
            index: columns.point_at(row.place),
            rolled: rolled!(row),
            puts: puts(row.invested, row.orders),
        });
    }
    Ok(sums)
}

/// A user's running totals.
pub(super) struct Totals {
    pub(super) rolled: Rolled,
    pub(super) puts: Puts,
    pub(super) first_at: Option<DateTime<Utc>>,
}

/// A user's running totals, if there are any.
pub(super) async fn totals(pool: &Pool, user: UserId) -> Result<Option<Totals>, PlanError> {
    let row = sqlx::query!(
        "SELECT impressions, clicks, charged_micros, revenue_micros, estimated_charged_micros, estimated_revenue_micros,
                simulated_impressions, simulated_clicks, simulated_charged_micros, simulated_revenue_micros,
                invested_minor, delivery_orders, first_at
         FROM user_totals WHERE user_id = $1",
        user.0,
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| Totals {
        rolled: rolled!(row),
        puts: puts(row.invested_minor, row.delivery_orders),
        first_at: row.first_at,
    }))
}

/// First and last bucket of a plan.
pub(super) async fn plan_span(
    pool: &Pool,
    order: OrderId,
) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>, PlanError> {
    let row = sqlx::query!(
        "SELECT min(bucket) AS first, max(bucket) AS last FROM plan_buckets WHERE order_id = $1",
        order.0
    )
    .fetch_one(pool)
    .await?;
    Ok(row.first.zip(row.last))
}

/// A plan's buckets from `from` on, oldest first.
pub(super) async fn plan_buckets(
    pool: &Pool,
    order: OrderId,
    from: DateTime<Utc>,
) -> Result<Vec<(DateTime<Utc>, Figures)>, PlanError> {
    let buckets = sqlx::query!(
        "SELECT bucket, impressions, clicks, charged_micros, revenue_micros FROM plan_buckets
         WHERE order_id = $1 AND bucket >= $2 ORDER BY bucket",
        order.0,
        from,
    )
    .map(|row| {
        let figures = figures(
            row.impressions,
            row.clicks,
            row.charged_micros,
            row.revenue_micros,
        );
        (row.bucket, figures)
    })
    .fetch_all(pool)
    .await?;
    Ok(buckets)
}
