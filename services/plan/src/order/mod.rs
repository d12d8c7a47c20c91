//! Orders, which people call plans: lists, details, pushes and expiry.
//!
//! | use case | statement |
//! |---|---|
//! | list | one index range for each filter value, merged newest first; of a user with the counts |
//! | the plans of a figure | [`figure`]: an index of the plans that it may count |
//! | a table | [`table`]: all orders of a user, sorted |
//! | counts | the rows of `order_counts`, which a trigger on orders keeps |
//! | push | [`push()`]: one insert for all users, whom auth knows or who follow the operator |
//! | expiry | [`expire`]: under the order's lock, unless a put of it is under way |
//! | a step in the life | [`record_in_tx`]: timeline and event, in the transaction of the step |

mod amounts;
pub mod entity;
mod expiry;
pub mod figure;
mod number;
mod push;
pub mod repo;
pub mod status;
pub mod table;
#[cfg(test)]
pub mod tests;

pub use expiry::expire;
pub use push::{Push, Pushed, is_number_taken, push};

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::time_zone::TimeZone;
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::events;
use crate::ids::OrderId;
use crate::statistics::{self, SeriesPoint, Step};
use entity::{Holding, Order};
use figure::Wanted;
use repo::list;
use status::{Filter, Status, TimelineEntry, Transition};

/// Attempts to find plan numbers that nobody has.
pub const NUMBER_ATTEMPTS: u32 = 5;

/// Orders that are named at once, at most.
const NAMES_MAX: usize = 100;

/// An order with its timeline and its delivery.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The order.
    pub order: Order,
    /// The steps of its life.
    pub timeline: Vec<TimelineEntry>,
    /// How long a point of the series is.
    pub step: Step,
    /// Its delivery.
    pub series: Vec<SeriesPoint>,
}

/// A page of a user's orders, and how many there are in each status that users see.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The page, newest first.
    pub orders: Vec<Order>,
    /// Every listed status with its number.
    pub counts: Vec<(Status, i64)>,
    /// The figure over all orders of the list; 0 without one.
    pub sum: i64,
}

/// A user's orders older than `before`, or those of them that a figure counts.
pub async fn list_of_user(
    app: &App,
    user: UserId,
    filter: &Filter,
    wanted: Option<Wanted>,
    before: Option<OrderId>,
    fetch: i64,
) -> Result<Listing, PlanError> {
    let (orders, counts, sum) = if let Some(wanted) = wanted {
        let counted = figure::list_counted(app, user, wanted, filter, before, fetch).await?;
        (counted.orders, None, counted.sum)
    } else {
        let found = list::newest_of_user(&app.reads, user, filter, before, fetch).await?;
        (found.0, found.1, 0)
    };
    let known = match counts {
        Some(counts) => counts,
        None => list::counts(&app.reads, user, &filter.official).await?,
    };
    Ok(Listing {
        orders,
        counts: listed_counts(&known),
        sum,
    })
}

/// How many orders of each listed status a user has.
pub async fn counts(
    app: &App,
    user: UserId,
    filter: &Filter,
) -> Result<Vec<(Status, i64)>, PlanError> {
    let known = list::counts(&app.reads, user, &filter.official).await?;
    Ok(listed_counts(&known))
}

fn listed_counts(known: &[(Status, i64)]) -> Vec<(Status, i64)> {
    let count_of = |status| {
        let same = known.iter().filter(|(found, _)| *found == status);
        same.fold(0_i64, |sum, (_, count)| sum.saturating_add(*count))
    };
    Status::LISTED
        .map(|status| (status, count_of(status)))
        .into()
}

/// Orders older than `before`, newest first, of a user or of all users.
pub async fn list(
    app: &App,
    user: Option<UserId>,
    filter: &Filter,
    before: Option<OrderId>,
    fetch: i64,
) -> Result<Vec<Order>, PlanError> {
    match user {
        Some(user) => {
            let found = list::newest_of_user(&app.reads, user, filter, before, fetch).await?;
            Ok(found.0)
        }
        None => list::newest(&app.reads, filter, before, fetch).await,
    }
}

/// The order with a plan number; empty if there is none or the filter excludes it.
pub async fn list_by_number(
    app: &App,
    number: &str,
    user: Option<UserId>,
    filter: &Filter,
) -> Result<Vec<Order>, PlanError> {
    list::by_number(&app.reads, number, user, filter).await
}

/// How many pushed plans wait for a user's put.
pub async fn count_waiting(app: &App, user: UserId) -> Result<i64, PlanError> {
    list::count_waiting(&app.reads, user).await
}

/// What an order is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The order.
    pub id: OrderId,
    /// The number that people use.
    pub number: String,
    /// The product's name at the put.
    pub product: String,
}

/// What a user's orders are called; ids that are not theirs are left out.
pub async fn names(app: &App, user: UserId, ids: &[Uuid]) -> Result<Vec<Name>, PlanError> {
    if ids.len() > NAMES_MAX {
        return Err(Refusal::invalid("plan_ids").into());
    }
    repo::names(&app.reads, user, ids).await
}

/// One order that users see, of `user` if one is given. Another user's order answers like an
/// unknown one.
pub async fn find_listed(app: &App, id: OrderId, user: Option<UserId>) -> Result<Order, PlanError> {
    let order = repo::find(&app.pool, id).await?;
    order
        .filter(|order| order.is_listed() && user.is_none_or(|user| user == order.user_id))
        .ok_or_else(|| Refusal::not_found("id").into())
}

/// Like [`find_listed`], with the timeline and the delivery in a time zone.
pub async fn detail(
    app: &App,
    id: OrderId,
    user: Option<UserId>,
    zone: TimeZone,
) -> Result<Detail, PlanError> {
    let order = find_listed(app, id, user).await?;
    let timeline = repo::history(&app.reads, id).await?;
    let (step, series) = statistics::series_of_plan(app, id, zone).await?;
    Ok(Detail {
        order,
        timeline,
        step,
        series,
    })
}

/// Orders that may hold money, in order of id after `after`.
pub async fn list_holds(
    app: &App,
    after: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Holding>, PlanError> {
    list::holding(&app.reads, after, limit).await
}

/// Writes steps of orders into the timelines and the outbox. The caller holds the users' locks.
pub async fn record_in_tx(tx: &mut Tx, steps: &[(&Order, Transition)]) -> Result<(), PlanError> {
    if steps.is_empty() {
        return Ok(());
    }
    repo::insert_history_in_tx(tx, steps).await?;
    events::status_changed_in_tx(tx, steps).await
}
