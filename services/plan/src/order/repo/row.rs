//! Orders as rows.

use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::PlanError;
use crate::ids::{CouponId, OperatorId, OrderId, ProductId, ReservationId};
use crate::order::entity::{CouponUse, Delivered, Order};
use crate::order::status::{Pending, Status};
use crate::product::entity::Audience;

/// `query_orders!("SELECT ", " FROM orders WHERE id = $1", id)`: a query for orders. It names every
/// column, so it goes on working when a later release adds one.
macro_rules! query_orders {
    ($before:tt, $after:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            OrderRow,
            $before
                + "id, user_id, plan_number, product_id, product_name, product_icon_url, status, official, operator_id, put_content,
                   put_rule, regions, age_min, age_max, gender, put_amount_minor, paid_amount_minor, discount_amount_minor,
                   coupon_id, coupon_name, reservation_id, impressions, clicks, reported_micros, charged_micros,
                   revenue_micros, estimated_reports, sources, version, posted_version, pending, fail_reason, paid_out_minor,
                   created_at, put_at, window_ends_at, finished_at, settle_after, settled_at, expires_at"
                + $after
            $(, $argument)*
        )
    };
}
pub(super) use query_orders;

/// A row of orders.
pub(super) struct OrderRow {
    pub(super) id: Uuid,
    pub(super) user_id: Uuid,
    pub(super) plan_number: String,
    pub(super) product_id: Uuid,
    pub(super) product_name: String,
    pub(super) product_icon_url: String,
    pub(super) status: String,
    pub(super) official: bool,
    pub(super) operator_id: Option<Uuid>,
    pub(super) put_content: String,
    pub(super) put_rule: String,
    pub(super) regions: Vec<String>,
    pub(super) age_min: i32,
    pub(super) age_max: i32,
    pub(super) gender: String,
    pub(super) put_amount_minor: i64,
    pub(super) paid_amount_minor: i64,
    pub(super) discount_amount_minor: i64,
    pub(super) coupon_id: Option<Uuid>,
    pub(super) coupon_name: String,
    pub(super) reservation_id: Option<Uuid>,
    pub(super) impressions: i64,
    pub(super) clicks: i64,
    pub(super) reported_micros: i64,
    pub(super) charged_micros: i64,
    pub(super) revenue_micros: i64,
    pub(super) estimated_reports: i64,
    pub(super) sources: Vec<String>,
    pub(super) version: i64,
    pub(super) posted_version: i64,
    pub(super) pending: Option<String>,
    pub(super) fail_reason: String,
    pub(super) paid_out_minor: i64,
    pub(super) created_at: DateTime<Utc>,
    pub(super) put_at: Option<DateTime<Utc>>,
    pub(super) window_ends_at: Option<DateTime<Utc>>,
    pub(super) finished_at: Option<DateTime<Utc>>,
    pub(super) settle_after: Option<DateTime<Utc>>,
    pub(super) settled_at: Option<DateTime<Utc>>,
    pub(super) expires_at: Option<DateTime<Utc>>,
}

impl TryFrom<OrderRow> for Order {
    type Error = PlanError;

    fn try_from(row: OrderRow) -> Result<Self, PlanError> {
        let coupon = row
            .coupon_id
            .zip(row.reservation_id)
            .map(|(id, reservation_id)| CouponUse {
                id: CouponId(id),
                name: row.coupon_name,
                reservation_id: ReservationId(reservation_id),
            });
        let status = Status::from_name(&row.status).ok_or(CoreError::Corrupt("orders.status"))?;
        let pending =
            |name: &str| Pending::from_name(name).ok_or(CoreError::Corrupt("orders.pending"));
        let delivered = Delivered {
            impressions: row.impressions,
            clicks: row.clicks,
            reported: Micros::new(row.reported_micros),
            charged: Micros::new(row.charged_micros),
            revenue: Micros::new(row.revenue_micros),
            estimated_reports: row.estimated_reports,
        };
        Ok(Self {
            id: OrderId(row.id),
            user_id: UserId(row.user_id),
            plan_number: row.plan_number,
            product_id: ProductId(row.product_id),
            product_name: row.product_name,
            product_icon_url: row.product_icon_url,
            status,
            official: row.official,
            operator_id: row.operator_id.map(OperatorId),
            put_content: row.put_content,
            put_rule: row.put_rule,
            audience: Audience::from_columns(row.regions, row.age_min, row.age_max, &row.gender)?,
            put_amount: Money::from_minor(row.put_amount_minor),
            paid: Money::from_minor(row.paid_amount_minor),
            discount: Money::from_minor(row.discount_amount_minor),
            coupon,
            delivered,
            sources: row.sources,
            version: row.version,
            posted_version: row.posted_version,
            pending: row.pending.as_deref().map(pending).transpose()?,
            fail_reason: row.fail_reason,
            paid_out: Money::from_minor(row.paid_out_minor),
            created_at: row.created_at,
            put_at: row.put_at,
            window_ends_at: row.window_ends_at,
            finished_at: row.finished_at,
            settle_after: row.settle_after,
            settled_at: row.settled_at,
            expires_at: row.expires_at,
        })
    }
}
