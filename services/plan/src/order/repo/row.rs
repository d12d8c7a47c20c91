//! Orders as rows.

use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};

use crate::error::PlanError;
use crate::ids::{CouponId, OperatorId, OrderId, ProductId, ReservationId};
use crate::order::entity::{CouponUse, Delivered, Order};
use crate::order::status::{Pending, Status};
use crate::product::entity::{Audience, Gender};

/// `query_orders!("FROM orders WHERE id = $1", id)`: a query for orders. It names every column, so it
/// goes on working when a later release adds one. `query_orders!(ListedRow, "counted", "FROM orders")`
/// selects more columns into another row.
macro_rules! query_orders {
    ($from:literal $(, $argument:expr)* $(,)?) => {
        query_orders!(OrderRow, "", $from $(, $argument)*)
    };
    ($row:ident, $more:literal, $from:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            $row,
            r#"SELECT "# + $more + r#"id AS "id: _", user_id AS "user_id: _", plan_number, product_id AS "product_id: _",
                   product_name, product_icon_url, status AS "status: _", official, operator_id AS "operator_id: _",
                   put_content, put_rule, regions, age_min, age_max, gender AS "gender: _", put_amount_minor,
                   paid_amount_minor, discount_amount_minor, coupon_id AS "coupon_id: _", coupon_name,
                   reservation_id AS "reservation_id: _", impressions, clicks, reported_micros, charged_micros,
                   revenue_micros, estimated_reports, sources, version, posted_version, pending AS "pending: _",
                   fail_reason, paid_out_minor, created_at, put_at, window_ends_at, finished_at, settle_after,
                   settled_at, expires_at, allotted_micros, no_supply_since "#
                + $from
            $(, $argument)*
        )
    };
}
pub(super) use query_orders;

/// Rows with the columns of an order, each with columns of its own.
macro_rules! order_rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        pub(super) struct $name {
            $($(#[$field_doc])* pub(super) $field: $type,)*
            pub(super) id: OrderId,
            pub(super) user_id: UserId,
            pub(super) plan_number: String,
            pub(super) product_id: ProductId,
            pub(super) product_name: String,
            pub(super) product_icon_url: String,
            pub(super) status: Status,
            pub(super) official: bool,
            pub(super) operator_id: Option<OperatorId>,
            pub(super) put_content: String,
            pub(super) put_rule: String,
            pub(super) regions: Vec<String>,
            pub(super) age_min: i32,
            pub(super) age_max: i32,
            pub(super) gender: Gender,
            pub(super) put_amount_minor: i64,
            pub(super) paid_amount_minor: i64,
            pub(super) discount_amount_minor: i64,
            pub(super) coupon_id: Option<CouponId>,
            pub(super) coupon_name: String,
            pub(super) reservation_id: Option<ReservationId>,
            pub(super) impressions: i64,
            pub(super) clicks: i64,
            pub(super) reported_micros: i64,
            pub(super) charged_micros: i64,
            pub(super) revenue_micros: i64,
            pub(super) estimated_reports: i64,
            pub(super) sources: Vec<String>,
            pub(super) version: i64,
            pub(super) posted_version: i64,
            pub(super) pending: Option<Pending>,
            pub(super) fail_reason: String,
            pub(super) paid_out_minor: i64,
            pub(super) created_at: DateTime<Utc>,
            pub(super) put_at: Option<DateTime<Utc>>,
            pub(super) window_ends_at: Option<DateTime<Utc>>,
            pub(super) finished_at: Option<DateTime<Utc>>,
            pub(super) settle_after: Option<DateTime<Utc>>,
            pub(super) settled_at: Option<DateTime<Utc>>,
            pub(super) expires_at: Option<DateTime<Utc>>,
            pub(super) allotted_micros: i64,
            pub(super) no_supply_since: Option<DateTime<Utc>>,
        }

        impl TryFrom<$name> for Order {
            type Error = PlanError;

            fn try_from(row: $name) -> Result<Self, PlanError> {
                let coupon = row
                    .coupon_id
                    .zip(row.reservation_id)
                    .map(|(id, reservation_id)| CouponUse {
                        id,
                        name: row.coupon_name,
                        reservation_id,
                    });
                let delivered = Delivered {
                    impressions: row.impressions,
                    clicks: row.clicks,
                    reported: Micros::new(row.reported_micros),
                    charged: Micros::new(row.charged_micros),
                    revenue: Micros::new(row.revenue_micros),
                    estimated_reports: row.estimated_reports,
                };
                Ok(Self {
                    id: row.id,
                    user_id: row.user_id,
                    plan_number: row.plan_number,
                    product_id: row.product_id,
                    product_name: row.product_name,
                    product_icon_url: row.product_icon_url,
                    status: row.status,
                    official: row.official,
                    operator_id: row.operator_id,
                    put_content: row.put_content,
                    put_rule: row.put_rule,
                    audience: Audience::from_columns(row.regions, row.age_min, row.age_max, row.gender)?,
                    put_amount: Money::from_minor(row.put_amount_minor),
                    paid: Money::from_minor(row.paid_amount_minor),
                    discount: Money::from_minor(row.discount_amount_minor),
                    coupon,
                    delivered,
                    sources: row.sources,
                    version: row.version,
                    posted_version: row.posted_version,
                    pending: row.pending,
                    fail_reason: row.fail_reason,
                    paid_out: Money::from_minor(row.paid_out_minor),
                    created_at: row.created_at,
                    put_at: row.put_at,
                    window_ends_at: row.window_ends_at,
                    finished_at: row.finished_at,
                    settle_after: row.settle_after,
                    settled_at: row.settled_at,
                    expires_at: row.expires_at,
                    allotted: Micros::new(row.allotted_micros),
                    no_supply_since: row.no_supply_since,
                })
            }
        }
    )*};
}

order_rows! {
    /// A row of orders.
    OrderRow {}

    /// A row of a user's list, with the user's counts: the same in every row.
    ListedRow {
        counted: Vec<Status>,
        counts: Vec<i64>,
    }
}
