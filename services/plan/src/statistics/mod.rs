//! Statistics of the ad centre and of a plan's detail. They are read from roll-ups alone, so they
//! cost the same however many reports there are.
//!
//! | value | read from |
//! |---|---|
//! | a point of a series | whole UTC days, and the 15-minute buckets before and after them |
//! | a range up to a month | the sum of its points |
//! | the range before | the same, up to the bucket that corresponds to that of now |
//! | everything | the running total |
//! | to be consumed | the user's plans that are not settled, now |
//!
//! One statement reads the points and what is to be consumed, another the range before; the running total is a third.
//!
//! Sums are exact in millionths of a unit; a value is rounded once, half to even. What is to be consumed is the sum of what
//! wallet holds for each plan, in minor units.

pub mod entity;
mod repo;

use std::collections::BTreeMap;

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::time_zone::TimeZone;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, TimeDelta, Utc};

use crate::app::App;
use crate::delivery::entity::Report;
use crate::error::PlanError;
use crate::ids::{OrderId, PlacementId};
use crate::order::entity::Order;
pub use entity::Step;
use entity::{Figures, Puts, Range, Rolled, Stretches, bucket_of, day_of};
use repo::{Additions, Point};

/// Local days up to which a plan's series is by the hour.
const HOURLY_DAYS: i64 = 3;

/// Local days that a plan's series goes back from its last.
const LONGEST_DAYS: i64 = 366;

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesPoint {
    /// When it begins.
    pub time: DateTime<Utc>,
    /// What was delivered in it.
    pub figures: Figures,
}

/// The figures of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// When the range begins.
    pub from: DateTime<Utc>,
    /// When it ends.
    pub to: DateTime<Utc>,
    /// What was put in it.
    pub puts: Puts,
    /// What was delivered in it.
    pub rolled: Rolled,
    /// Budget not yet consumed of plans that are not settled, now.
    pub to_be_consumed: Money,
    /// Until when each source has reported, the latest first.
    pub reported_until: Vec<(String, DateTime<Utc>)>,
    /// Its points.
    pub series: Vec<SeriesPoint>,
    /// How long they are.
    pub step: Step,
    /// The range before, as far as this one has come.
    pub previous: Option<Previous>,
}

/// The figures of the range before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Previous {
    /// When it began.
    pub from: DateTime<Utc>,
    /// Until when its figures count.
    pub to: DateTime<Utc>,
    /// What was put in it.
    pub puts: Puts,
    /// What was delivered in it.
    pub figures: Figures,
}

/// The figures of a user for a range in a time zone.
pub async fn of_user(
    app: &App,
    user: UserId,
    range: Range,
    zone: TimeZone,
) -> Result<Statistics, PlanError> {
    // Only everything begins where the user's data does.
    let totals = match range {
        Range::All => repo::totals(&app.reads, user).await?,
        _ => None,
    };
    let first_at = totals.as_ref().and_then(|totals| totals.first_at);
    let now = app.clock.now();
    let stretches = Stretches::of_range(range, zone, now, first_at);
    let sums = repo::sums(&app.reads, user, &stretches.pieces()).await?;
    let mut series: Vec<SeriesPoint> = stretches
        .pairs()
        .map(|(time, _)| SeriesPoint {
            time,
            figures: Figures::default(),
        })
        .collect();
    let (mut rolled, mut puts) = (Rolled::default(), Puts::default());
    for Point {
        index,
        rolled: part,
        puts: put,
    } in sums.points
    {
        if let Some(point) = series.get_mut(index) {
            point.figures = point.figures.checked_add(part.all)?;
        }
        rolled = rolled.checked_add(part)?;
        puts = add_puts(puts, put)?;
    }
    let mut from = stretches.edges.first().copied().unwrap_or_default();
    if range == Range::All {
        from = first_at.unwrap_or(from);
        if let Some(totals) = totals {
            (rolled, puts) = (totals.rolled, totals.puts);
        }
    }
    Ok(Statistics {
        from,
        to: stretches.edges.last().copied().unwrap_or_default(),
        puts,
        rolled,
        to_be_consumed: sums.to_be_consumed,
        step: stretches.step,
        reported_until: repo::reported_until(&app.reads, user).await?,
        previous: previous(app, user, Stretches::before(range, zone, now)).await?,
        series,
    })
}

/// The figures of a stretch before a range.
async fn previous(
    app: &App,
    user: UserId,
    before: Option<Stretches>,
) -> Result<Option<Previous>, PlanError> {
    let Some(before) = before else {
        return Ok(None);
    };
    let Some((from, to)) = before.pairs().next() else {
        return Ok(None);
    };
    let (mut puts, mut figures) = (Puts::default(), Figures::default());
    for part in repo::sums(&app.reads, user, &before.pieces()).await?.points {
        puts = add_puts(puts, part.puts)?;
        figures = figures.checked_add(part.rolled.all)?;
    }
    Ok(Some(Previous {
        from,
        to,
        puts,
        figures,
    }))
}

/// What a user has put in total, without what failed.
pub async fn puts_of_user(app: &App, user: UserId) -> Result<Puts, PlanError> {
    let totals = repo::totals(&app.reads, user).await?;
    Ok(totals.map(|totals| totals.puts).unwrap_or_default())
}

/// The delivery of a plan by local hour up to three days, else by local day, and which of them it is.
pub async fn series_of_plan(
    app: &App,
    order: OrderId,
    zone: TimeZone,
) -> Result<(Step, Vec<SeriesPoint>), PlanError> {
    let Some((first, last)) = repo::plan_span(&app.reads, order).await? else {
        return Ok((Step::Hour, Vec::new()));
    };
    let last_date = zone.local_date(last);
    let earliest = last_date
        .checked_sub_signed(TimeDelta::days(LONGEST_DAYS - 1))
        .unwrap_or(last_date);
    let first_date = zone.local_date(first).max(earliest);
    let days = Stretches::days(zone, first_date, last_date);
    let (step, stretches) = match (days.edges.first(), days.edges.last()) {
        (Some(from), Some(to)) if (last_date - first_date).num_days() < HOURLY_DAYS => {
            (Step::Hour, Stretches::hours(*from, *to))
        }
        _ => (Step::Day, days),
    };
    let Some(from) = stretches.edges.first() else {
        return Ok((step, Vec::new()));
    };
    let mut buckets = repo::plan_buckets(&app.reads, order, *from)
        .await?
        .into_iter()
        .peekable();
    let mut series = Vec::new();
    for (time, end) in stretches.pairs() {
        let mut figures = Figures::default();
        while let Some((_, part)) = buckets.next_if(|(bucket, _)| *bucket < end) {
            figures = figures.checked_add(part)?;
        }
        series.push(SeriesPoint { time, figures });
    }
    Ok((step, series))
}

/// The ends of local hours up to three days, else of local days, from one time to another, and which of them they are.
pub fn edges(zone: TimeZone, from: DateTime<Utc>, to: DateTime<Utc>) -> (Step, Vec<DateTime<Utc>>) {
    let (first, last) = (zone.local_date(from), zone.local_date(to));
    let days = Stretches::days(zone, first, last);
    let stretches = match (days.edges.first(), days.edges.last()) {
        (Some(begin), Some(end)) if (last - first).num_days() < HOURLY_DAYS => {
            Stretches::hours(*begin, *end)
        }
        _ => days,
    };
    let inner = stretches.edges.iter().copied();
    let inner = inner.filter(|edge| *edge > from && *edge < to);
    let edges = std::iter::once(from).chain(inner).chain([to]).collect();
    (stretches.step, edges)
}

/// What of a plan was charged until each of these times, in their order; none of times after `now`, except the first of
/// them, until which counts what was charged until now.
pub async fn spent_until(
    app: &App,
    order: OrderId,
    edges: &[DateTime<Utc>],
    now: DateTime<Utc>,
) -> Result<Vec<Option<Micros>>, PlanError> {
    let start = DateTime::UNIX_EPOCH;
    let buckets = repo::plan_buckets(&app.reads, order, start).await?;
    let mut buckets = buckets.into_iter().peekable();
    let (mut spent, mut before) = (Micros::ZERO, start);
    let mut until = Vec::with_capacity(edges.len());
    for edge in edges {
        while let Some((_, figures)) = buckets.next_if(|(bucket, _)| bucket < edge) {
            spent = spent.checked_add(figures.charged)?;
        }
        until.push((before <= now).then_some(spent));
        before = *edge;
    }
    Ok(until)
}

/// Clicks of a plan since a time.
pub async fn clicks_since(
    app: &App,
    order: OrderId,
    since: DateTime<Utc>,
) -> Result<i64, PlanError> {
    let buckets = repo::plan_buckets(&app.reads, order, since).await?;
    let clicks = buckets.iter().map(|(_, figures)| figures.clicks);
    Ok(clicks.fold(0, i64::saturating_add))
}

/// Takes a failed put out of its bucket again. Locks the user's totals.
pub async fn remove_put_in_tx(tx: &mut Tx, order: &Order) -> Result<(), PlanError> {
    let Some(put_at) = order.put_at else {
        return Ok(());
    };
    let removed = Puts {
        invested: order.put_amount.checked_neg()?,
        orders: -1,
    };
    let (bucket, day) = (bucket_of(put_at), day_of(put_at));
    repo::add_puts_in_tx(tx, order.user_id, put_at, bucket, day, removed).await
}

/// What a batch of reports changes, by plan and bucket.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    by_plan: BTreeMap<(OrderId, DateTime<Utc>), (UserId, Rolled)>,
    by_placement: BTreeMap<(OrderId, PlacementId), Rolled>,
    first_report: BTreeMap<UserId, DateTime<Utc>>,
    reported_until: BTreeMap<(UserId, String), DateTime<Utc>>,
}

impl Changes {
    /// Adds figures of a report of a plan and its user, or of its part.
    pub fn add_report(
        &mut self,
        user: UserId,
        report: &Report,
        rolled: Rolled,
    ) -> Result<(), PlanError> {
        if let Some(placement) = report.placement {
            let place = (report.order_id, placement);
            add_to(&mut self.by_placement, place, rolled)?;
        }
        self.add(report.order_id, user, report.time, rolled)
    }

    /// Adds figures of a plan and its user at a time.
    pub fn add(
        &mut self,
        order: OrderId,
        user: UserId,
        time: DateTime<Utc>,
        rolled: Rolled,
    ) -> Result<(), PlanError> {
        let (_, known) = self
            .by_plan
            .entry((order, bucket_of(time)))
            .or_insert((user, Rolled::default()));
        *known = known.checked_add(rolled)?;
        let first = self.first_report.entry(user).or_insert(time);
        *first = (*first).min(time);
        Ok(())
    }

    /// Notes that a source has reported about a user's plan at a time.
    pub fn report_until(&mut self, user: UserId, source: &str, time: DateTime<Utc>) {
        let until = self.reported_until.entry((user, source.to_owned()));
        let until = until.or_insert(time);
        *until = (*until).max(time);
    }
}

/// Rolls a batch of reports up. Locks the users' totals in order of id, then changes buckets and
/// days.
pub async fn roll_up_in_tx(tx: &mut Tx, changes: &Changes) -> Result<(), PlanError> {
    let mut plans = Additions::default();
    let mut buckets: BTreeMap<(UserId, DateTime<Utc>), Rolled> = BTreeMap::new();
    let mut days: BTreeMap<(UserId, DateTime<Utc>), Rolled> = BTreeMap::new();
    let mut totals: BTreeMap<UserId, Rolled> = BTreeMap::new();
    for ((order, bucket), (user, rolled)) in &changes.by_plan {
        plans.push(order.0, *bucket, *rolled);
        add_to(&mut buckets, (*user, *bucket), *rolled)?;
        add_to(&mut days, (*user, day_of(*bucket)), *rolled)?;
        add_to(&mut totals, *user, *rolled)?;
    }
    let mut user_totals = Additions::default();
    for (user, rolled) in totals {
        let first = changes.first_report.get(&user).copied();
        user_totals.push(user.0, first.unwrap_or_default(), rolled);
    }
    repo::add_to_totals_in_tx(tx, &user_totals).await?;
    repo::add_to_user_buckets_in_tx(tx, &additions(buckets)).await?;
    repo::add_to_user_days_in_tx(tx, &additions(days)).await?;
    repo::add_to_plan_buckets_in_tx(tx, &plans).await?;
    if !changes.by_placement.is_empty() {
        repo::add_to_placements_in_tx(tx, &changes.by_placement).await?;
    }
    repo::report_until_in_tx(tx, &changes.reported_until).await
}

fn add_to<K: Ord>(sums: &mut BTreeMap<K, Rolled>, key: K, rolled: Rolled) -> Result<(), PlanError> {
    let sum = sums.entry(key).or_default();
    *sum = sum.checked_add(rolled)?;
    Ok(())
}

fn additions(sums: BTreeMap<(UserId, DateTime<Utc>), Rolled>) -> Additions {
    let mut rows = Additions::default();
    for ((user, time), rolled) in sums {
        rows.push(user.0, time, rolled);
    }
    rows
}

fn add_puts(puts: Puts, other: Puts) -> Result<Puts, PlanError> {
    Ok(Puts {
        invested: puts.invested.checked_add(other.invested)?,
        orders: puts.orders.saturating_add(other.orders),
    })
}

/// An amount of a point or range, rounded once.
pub fn rounded(micros: Micros) -> Money {
    micros.to_money_half_even()
}
