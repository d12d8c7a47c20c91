//! The orders that a figure counts, and the figure over all of them.
//!
//! | figure | orders | also shown by |
//! |---|---|---|
//! | invested, delivery orders | paid in the range, and not failed | statistics |
//! | to be consumed | with a budget that is neither consumed nor given back | statistics, wallet |
//! | to be settled | with revenue that is not paid out | wallet |

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::time_zone::TimeZone;
use chrono::{DateTime, Utc};

use super::entity::Order;
use super::repo::figure::{self, Open};
use super::repo::list;
use super::status::{Filter, Status};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::statistics;
use crate::statistics::entity::{Puts, Range, Stretches};

names! {
    /// A figure that is a sum over orders.
    Figure {
        /// Put amounts.
        Invested,
        /// The number of orders.
        DeliveryOrders,
        /// Budgets that are not consumed yet.
        ToBeConsumed,
        /// Revenue that is not paid out yet.
        ToBeSettled,
    }
}

/// A figure, and the range in which its orders were paid. What is to be consumed or settled has no range.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The figure.
    pub figure: Figure,
    /// The range.
    pub range: Range,
    /// Where its days begin.
    pub zone: TimeZone,
}

/// A page of the orders that a figure counts.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The page, newest first.
    pub orders: Vec<Order>,
    /// The figure over all orders that the filter lets through: minor units, or a number of orders.
    pub sum: i64,
}

/// A user's orders that a figure counts, older than `before`.
pub async fn list_counted(
    app: &App,
    user: UserId,
    wanted: Wanted,
    filter: &Filter,
    before: Option<OrderId>,
    fetch: i64,
) -> Result<Counted, PlanError> {
    match wanted.figure {
        Figure::Invested => {
            let (orders, puts) = paid(app, user, wanted, filter, before, fetch).await?;
            let sum = puts.invested.minor();
            Ok(Counted { orders, sum })
        }
        Figure::DeliveryOrders => {
            let (orders, puts) = paid(app, user, wanted, filter, before, fetch).await?;
            let sum = puts.orders;
            Ok(Counted { orders, sum })
        }
        Figure::ToBeConsumed => open(app, user, Open::Budget, filter, before, fetch).await,
        Figure::ToBeSettled => open(app, user, Open::Revenue, filter, before, fetch).await,
    }
}

/// Orders that were paid in a range, and the sums of all of them.
async fn paid(
    app: &App,
    user: UserId,
    wanted: Wanted,
    filter: &Filter,
    before: Option<OrderId>,
    fetch: i64,
) -> Result<(Vec<Order>, Puts), PlanError> {
    let narrowed = filter.within(&Status::PAID);
    let within = paid_within(wanted, app.clock.now());
    let orders = if let Some(within) = within {
        figure::paid(&app.reads, user, &narrowed, within, before, fetch).await?
    } else {
        let found = list::newest_of_user(&app.reads, user, &narrowed, before, fetch).await?;
        found.0
    };
    // The running total is of all orders.
    let is_whole = within.is_none() && filter.is_whole();
    let puts = if is_whole {
        statistics::puts_of_user(app, user).await?
    } else {
        figure::sum_of_paid(&app.reads, user, &narrowed, within).await?
    };
    Ok((orders, puts))
}

/// When orders of a range were paid; none for all.
fn paid_within(wanted: Wanted, now: DateTime<Utc>) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    match wanted.range {
        Range::All => None,
        range => {
            let edges = Stretches::of_range(range, wanted.zone, now, None).edges;
            edges.first().copied().zip(edges.last().copied())
        }
    }
}

/// Orders that are not settled and of which something is left, and the sum of that.
async fn open(
    app: &App,
    user: UserId,
    what: Open,
    filter: &Filter,
    before: Option<OrderId>,
    fetch: i64,
) -> Result<Counted, PlanError> {
    let narrowed = filter.within(&Status::OPEN);
    let orders = figure::open(&app.reads, user, &narrowed, what, before, fetch).await?;
    let sum = figure::sum_of_open(&app.reads, user, &narrowed, what).await?;
    Ok(Counted {
        orders,
        sum: sum.minor(),
    })
}
