//! What an advertiser sees of placement: how a plan keeps pace, where it was shown, and why.

use adfolio_kit::identity::UserId;
use adfolio_kit::time_zone::TimeZone;
use adfolio_money::{Micros, MoneyError};
use adfolio_placement::belief::Counts;
use adfolio_placement::decision::Reason;
use adfolio_placement::pace::Schedule;
use chrono::{DateTime, TimeDelta, Utc};

use super::pace::{self, PaceState};
use super::repo;
use crate::app::App;
use crate::delivery::entity::Origin;
use crate::error::PlanError;
use crate::ids::{OrderId, PlacementId};
use crate::order;
use crate::order::entity::Order;
use crate::statistics::{self, Step};

/// Clicks in [`LEARNING_TIME`] from which a plan is no longer learning (SPEC.md, section 9: 30 to 50).
pub const LEARNING_CLICKS: i64 = 50;

const LEARNING_TIME: TimeDelta = TimeDelta::days(7);

/// What is planned and spent until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacePoint {
    pub time: DateTime<Utc>,
    pub planned: Micros,
    /// The band in which a plan is on pace.
    pub band: (Micros, Micros),
    /// None of the future.
    pub spent: Option<Micros>,
}

/// How a plan keeps pace.
#[derive(Clone, Debug)]
pub struct Pace {
    pub series: Vec<PacePoint>,
    pub state: PaceState,
    pub step: Step,
}

/// How a plan keeps pace, of `user` alone if one is named.
pub async fn pace(
    app: &App,
    id: OrderId,
    user: Option<UserId>,
    zone: TimeZone,
) -> Result<Pace, PlanError> {
    let order = order::find_listed(app, id, user).await?;
    let now = app.clock.now();
    let not_paced = Pace {
        series: Vec::new(),
        state: PaceState::NotPaced,
        step: Step::Day,
    };
    let Some(schedule) = schedule(&order)? else {
        return Ok(not_paced);
    };
    if !repo::shown::is_placed(&app.reads, id).await? {
        return Ok(not_paced);
    }
    let shape = repo::shown::newest_shape(&app.reads)
        .await?
        .unwrap_or_default();
    let (step, edges) = statistics::edges(zone, schedule.from, schedule.to);
    let spent = statistics::spent_until(app, id, &edges, now).await?;
    let mut series = Vec::with_capacity(edges.len());
    for (time, spent) in edges.into_iter().zip(spent) {
        series.push(PacePoint {
            time,
            planned: schedule.planned(&shape, time),
            band: pace::band(&schedule, &shape, time)?,
            spent,
        });
    }
    let state = if order.is_running() {
        pace::state(&schedule, &shape, order.delivered.charged, now)?
    } else {
        PaceState::Ended
    };
    Ok(Pace {
        series,
        state,
        step,
    })
}

fn schedule(order: &Order) -> Result<Option<Schedule>, MoneyError> {
    let (Some(from), Some(to)) = (order.put_at, order.window_ends_at) else {
        return Ok(None);
    };
    let budget = Micros::try_from(order.put_amount)?;
    Ok(Some(Schedule { budget, from, to }))
}

/// What a plan has shown on a placement.
#[derive(Clone, Debug)]
pub struct ShownPlace {
    /// None for what was reported without one.
    pub placement: Option<PlacementId>,
    pub name: String,
    pub counts: Counts,
    pub charged: Micros,
    pub is_simulated: bool,
    /// The share in millionths with which the newest round chose it, and why; none where it was no candidate.
    pub decided: Option<(u32, Reason)>,
}

/// Where a plan was shown.
#[derive(Clone, Debug)]
pub struct Places {
    pub items: Vec<ShownPlace>,
    /// Clicks of the last days.
    pub learning_clicks: i64,
    /// The time of the newest report.
    pub reported_until: Option<DateTime<Utc>>,
}

/// Where a plan was shown, of `user` alone if one is named: by spend, the largest first, then candidates that have shown
/// nothing yet, then what was reported without a placement.
pub async fn places(app: &App, id: OrderId, user: Option<UserId>) -> Result<Places, PlanError> {
    let order = order::find_listed(app, id, user).await?;
    let mut places = repo::shown::places(&app.reads, id).await?;
    if order.is_running() {
        for (placement, name, part) in repo::shown::newest_parts(&app.reads, id).await? {
            let decided = Some((part.share, part.reason));
            let known = places.iter_mut().find(|it| it.placement == Some(placement));
            match known {
                Some(place) => place.decided = decided,
                None => places.push(ShownPlace {
                    placement: Some(placement),
                    name,
                    counts: Counts::default(),
                    charged: Micros::ZERO,
                    is_simulated: false,
                    decided,
                }),
            }
        }
    }
    places.extend(without_placement(app, &order, &places).await?);
    let since = app.clock.now() - LEARNING_TIME;
    Ok(Places {
        items: places,
        learning_clicks: statistics::clicks_since(app, id, since).await?,
        reported_until: repo::shown::newest_report(&app.reads, id).await?,
    })
}

/// What a plan's figures say beyond those of its placements.
async fn without_placement(
    app: &App,
    order: &Order,
    places: &[ShownPlace],
) -> Result<Option<ShownPlace>, PlanError> {
    let all = &order.delivered;
    let (mut impressions, mut clicks, mut charged) = (all.impressions, all.clicks, all.charged);
    for place in places {
        impressions = impressions.saturating_sub_unsigned(place.counts.trials);
        clicks = clicks.saturating_sub_unsigned(place.counts.successes);
        charged = charged.checked_sub(place.charged)?;
    }
    // A plan whose reports came in between the two looks may show less than its placements: the next look tells.
    if impressions <= 0 && clicks <= 0 && charged <= Micros::ZERO {
        return Ok(None);
    }
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    let simulator = order
        .sources
        .iter()
        .any(|origin| origin == Origin::Simulator.as_str());
    Ok(Some(ShownPlace {
        placement: None,
        name: String::new(),
        counts: Counts::new(count(impressions), count(clicks)),
        charged: charged.max(Micros::ZERO),
        is_simulated: simulator
            && repo::shown::is_simulated_without_placement(&app.reads, order.id).await?,
        decided: None,
    }))
}
