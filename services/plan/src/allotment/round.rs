//! A round: what every running plan may spend until the next one, divided over its placements.
//!
//! Rounds begin at the multiples of the interval. Shortly before one begins, a replica claims it, decides for all plans
//! from one look at them, and grants in batches under the orders' locks. A replica that dies loses its claim, and another
//! one decides for the plans that are left. A plan that has changed meanwhile so that the grant does not fit gets nothing
//! in this round; its pace catches up in the next one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_money::Micros;
use adfolio_placement::decision::{Decision, Inputs, Menu};
use adfolio_placement::pace::{HOURS, Schedule, Shape, Standing, hour_of_week};
use adfolio_placement::supply::{self, Demand};
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use tracing::info;
use uuid::Uuid;

use super::pace::{self, PaceState};
use super::repo;
use super::supply::Supply;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::{AllotmentId, MenuId, OrderId, PlacementId, ProductId};
use crate::{events, network, order};

/// Without progress for so long, another replica takes over.
pub const CLAIM: Duration = Duration::from_secs(30);

/// Plans that one transaction grants to.
const BATCH: usize = 200;

/// A round is decided so long before it begins, at most.
const LONGEST_LEAD: TimeDelta = TimeDelta::seconds(60);

/// The lead takes at most one part in so many of an interval.
const LEAD_PART: i32 = 5;

/// The traffic's shape is learnt from so many weeks at most.
const WEEKS: u32 = 4;

/// A running plan as a round sees it.
#[derive(Clone, Debug)]
pub struct Running {
    pub id: OrderId,
    pub product: ProductId,
    pub regions: Vec<String>,
    pub schedule: Schedule,
    pub standing: Standing,
    /// Whether it says that no placement can be chosen for it.
    pub is_without_supply: bool,
}

/// The time of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub begins_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

impl Span {
    /// The round under way, and the next one if it begins soon.
    pub fn due(now: DateTime<Utc>, interval: TimeDelta) -> Vec<Self> {
        let Ok(begins_at) = now.duration_trunc(interval) else {
            return Vec::new();
        };
        let lead = interval.checked_div(LEAD_PART).unwrap_or(interval);
        let current = Self::at(begins_at, interval);
        let next = Self::at(current.ends_at, interval);
        let is_soon = next.begins_at.signed_duration_since(now) <= lead.min(LONGEST_LEAD);
        let mut due = vec![current];
        due.extend(is_soon.then_some(next));
        due
    }

    fn at(begins_at: DateTime<Utc>, interval: TimeDelta) -> Self {
        Self {
            begins_at,
            ends_at: begins_at.checked_add_signed(interval).unwrap_or(begins_at),
        }
    }

    /// Begin of its clock hour.
    fn hour(&self) -> DateTime<Utc> {
        self.begins_at
            .duration_trunc(TimeDelta::hours(1))
            .unwrap_or(self.begins_at)
    }
}

/// What a round is worth of an hour of average traffic, in thousandths.
pub fn hour_thousandths(shape: &Shape, begins_at: DateTime<Utc>, ends_at: DateTime<Utc>) -> u64 {
    let week = begins_at.checked_add_signed(TimeDelta::weeks(1));
    let of_week = shape.between(begins_at, week.unwrap_or(begins_at));
    let average = of_week.checked_div(HOURS as u128).unwrap_or(1).max(1);
    let of_round = shape.between(begins_at, ends_at).saturating_mul(1_000);
    u64::try_from(of_round.checked_div(average).unwrap_or(0)).unwrap_or(u64::MAX)
}

/// Rounds without a report after which a network is silent.
const SILENT_ROUNDS: i32 = 3;

/// Sets the gauges of supply: running plans for which no placement can be chosen, those that are off pace, networks that
/// report nothing of what they were allotted, and placements without a price.
pub async fn record_supply(app: &App) -> Result<(), PlanError> {
    let now = app.clock.now();
    let of_rounds = app.rules.allotment_interval.checked_mul(SILENT_ROUNDS);
    let since = now - of_rounds.unwrap_or_default();
    let lacks = repo::count_lacks(&app.pool, since, now).await?;
    let gauges = [
        ("plan_orders_without_supply", lacks.orders),
        ("plan_orders_off_pace", lacks.off_pace),
        ("plan_networks_silent", lacks.silent_networks),
        ("plan_placements_without_price", lacks.unpriced),
    ];
    for (name, count) in gauges {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        metrics::gauge!(name).set(f64::from(count));
    }
    Ok(())
}

/// Allots the rounds that are due and that no other replica has allotted.
pub async fn run(app: &App) -> Result<(), PlanError> {
    // Without networks nothing is allotted: reports come as files.
    if !network::is_any_registered(app).await? {
        return Ok(());
    }
    let now = app.clock.now();
    for span in Span::due(now, app.rules.allotment_interval) {
        if repo::is_done(&app.pool, span.begins_at).await? {
            continue;
        }
        let (claim, shape) = (app.ids.next(), shape(app, span.begins_at).await?);
        let claimed = db::write(&app.pool, move |tx| {
            Box::pin(async move { repo::claim_in_tx(tx, span, claim, &shape, CLAIM).await })
        });
        if let Some(shape) = claimed.await? {
            allot(app, span, claim, &shape).await?;
        }
    }
    Ok(())
}

/// The traffic's shape, of the whole weeks before a time. The same at every hour until the first week is over.
async fn shape(app: &App, until: DateTime<Utc>) -> Result<Shape, PlanError> {
    let until = until.duration_trunc(TimeDelta::hours(1)).unwrap_or(until);
    let first = repo::learning::first_traffic(&app.pool).await?;
    let known = first.map_or(TimeDelta::zero(), |first| {
        until.signed_duration_since(first)
    });
    let weeks = u32::try_from(known.num_weeks()).unwrap_or(0).min(WEEKS);
    if weeks == 0 {
        return Ok(Shape::even());
    }
    let since = until.checked_sub_signed(TimeDelta::weeks(weeks.into()));
    let mut impressions = [0_u64; HOURS];
    for (hour, count) in repo::learning::traffic(&app.pool, since.unwrap_or(until), until).await? {
        if let Some(sum) = impressions.get_mut(hour_of_week(hour)) {
            *sum = sum.saturating_add(count);
        }
    }
    Ok(Shape::of_impressions(&impressions, weeks))
}

/// What a plan is granted, before it is looked at again under its lock.
#[derive(Clone, Debug)]
pub struct Grant {
    pub order: OrderId,
    pub menu: MenuId,
    pub inputs: Inputs,
    pub decision: Decision,
    pub allotments: Vec<NewAllotment>,
}

/// An allotment to be written.
#[derive(Clone, Debug)]
pub struct NewAllotment {
    pub id: AllotmentId,
    /// Position of its site.
    pub site: usize,
    pub units: u64,
    pub budget: Micros,
}

/// A menu to be written.
#[derive(Clone, Debug)]
pub struct NewMenu {
    pub id: MenuId,
    pub product: ProductId,
    /// Positions of its sites.
    pub sites: Vec<usize>,
    pub menu: Menu,
    pub shares: Vec<u32>,
    placed: Vec<(usize, u32)>,
}

async fn allot(app: &App, span: Span, claim: Uuid, shape: &Shape) -> Result<(), PlanError> {
    let running = repo::running(&app.pool, span.begins_at, span.hour()).await?;
    let off_pace = off_pace(&running, shape, app.clock.now())?;
    let decided = repo::decided(&app.pool, span.begins_at).await?;
    let waiting: Vec<Running> = running
        .into_iter()
        .filter(|plan| !decided.contains(&plan.id))
        .collect();
    let sites = repo::sites(&app.pool, span.begins_at).await?;
    let aims = repo::aims(&app.pool, &products(&waiting)).await?;
    let known = repo::learning::known(&app.pool).await?;
    let taken = repo::units_taken(&app.pool, span.begins_at).await?;
    let ids = app.ids.clone();
    let shape = shape.clone();
    // Integrates probabilities for seconds where there are thousands of plans.
    let planned = tokio::task::spawn_blocking(move || {
        let supply = Supply::new(sites, aims, known);
        let new_id = || ids.next();
        let planned = Planned::new(&supply, waiting, span, &shape, &taken, new_id);
        (supply, planned)
    });
    let (supply, planned) = planned
        .await
        .map_err(|_| adfolio_kit::error::CoreError::Unfinished)?;
    let (count, without) = (planned.grants.len(), planned.without_supply.len());
    write(app, span, (claim, off_pace), supply, planned).await?;
    info!(begins_at = %span.begins_at, plans = count, without_supply = without, off_pace, "round allotted");
    Ok(())
}

/// How many plans with supply are off pace.
fn off_pace(plans: &[Running], shape: &Shape, now: DateTime<Utc>) -> Result<i64, PlanError> {
    let mut count = 0_i64;
    for plan in plans.iter().filter(|plan| !plan.is_without_supply) {
        let state = pace::state(&plan.schedule, shape, plan.standing.charged, now)?;
        let is_off = matches!(state, PaceState::Behind | PaceState::Ahead);
        count = count.saturating_add(is_off.into());
    }
    Ok(count)
}

fn products(plans: &[Running]) -> Vec<ProductId> {
    let products: HashSet<ProductId> = plans.iter().map(|plan| plan.product).collect();
    products.into_iter().collect()
}

/// What a round decides.
#[derive(Debug, Default)]
struct Planned {
    menus: Vec<NewMenu>,
    grants: Vec<Grant>,
    /// Plans for which no placement can be chosen, and that do not say so yet.
    without_supply: Vec<OrderId>,
    /// Plans that say so although one can be chosen.
    supplied: Vec<OrderId>,
}

impl Planned {
    fn new(
        supply: &Supply,
        plans: Vec<Running>,
        span: Span,
        shape: &Shape,
        taken: &HashMap<PlacementId, u64>,
        new_id: impl Fn() -> Uuid,
    ) -> Self {
        let mut planned = Self::default();
        let mut menus: BTreeMap<(ProductId, Vec<usize>), usize> = BTreeMap::new();
        let mut chosen: Vec<(Running, usize)> = Vec::new();
        for plan in plans {
            let sites = supply.eligible(plan.product, &plan.regions);
            if supply.are_held(&sites) {
                planned.without_supply.push(plan.id);
                continue;
            }
            if plan.is_without_supply {
                planned.supplied.push(plan.id);
            }
            let product = plan.product;
            let at = *menus
                .entry((product, sites))
                .or_insert_with_key(|(_, sites)| {
                    let id = MenuId(new_id());
                    planned
                        .menus
                        .push(NewMenu::new(id, supply, product, sites.clone()));
                    planned.menus.len().saturating_sub(1)
                });
            chosen.push((plan, at));
        }
        let inputs: Vec<Inputs> = chosen.iter().map(|(plan, _)| plan.inputs(span)).collect();
        let rooms = rooms(
            supply,
            &planned.menus,
            &chosen,
            &inputs,
            (span, shape),
            taken,
        );
        for (((plan, at), inputs), rooms) in chosen.into_iter().zip(inputs).zip(rooms) {
            let Some(menu) = planned.menus.get(at) else {
                continue;
            };
            let inputs = Inputs { rooms, ..inputs };
            let decision = inputs.decide(&menu.menu, &menu.shares, shape);
            let parts = menu.sites.iter().zip(&decision.parts);
            let allotments = parts
                .filter(|(_, part)| part.units > 0)
                .map(|(site, part)| NewAllotment {
                    id: AllotmentId(new_id()),
                    site: *site,
                    units: part.units,
                    budget: part.budget,
                })
                .collect();
            planned.grants.push(Grant {
                order: plan.id,
                menu: menu.id,
                inputs,
                decision,
                allotments,
            });
        }
        planned
    }
}

impl NewMenu {
    fn new(id: MenuId, supply: &Supply, product: ProductId, sites: Vec<usize>) -> Self {
        let menu = supply.menu(product, &sites);
        let shares = menu.shares();
        Self {
            id,
            product,
            placed: sites.iter().copied().zip(shares.iter().copied()).collect(),
            sites,
            menu,
            shares,
        }
    }
}

impl Running {
    fn inputs(&self, span: Span) -> Inputs {
        Inputs {
            schedule: self.schedule,
            standing: self.standing,
            from: span.begins_at,
            until: span.ends_at,
            rooms: Vec::new(),
            draw: rand::random(),
        }
    }
}

/// What each plan may have of each of its placements.
fn rooms(
    supply: &Supply,
    menus: &[NewMenu],
    chosen: &[(Running, usize)],
    inputs: &[Inputs],
    (span, shape): (Span, &Shape),
    taken: &HashMap<PlacementId, u64>,
) -> Vec<Vec<Option<Micros>>> {
    let time = hour_thousandths(shape, span.begins_at, span.ends_at);
    let room: Vec<Option<Micros>> = supply
        .sites
        .iter()
        .map(|site| {
            let taken = taken.get(&site.placement).copied().unwrap_or(0);
            let units = site.capacity.units(time)?.saturating_sub(taken);
            let units = i64::try_from(units).unwrap_or(i64::MAX);
            Some(Micros::new(units.saturating_mul(site.unit_cost().get())))
        })
        .collect();
    let demands: Vec<Demand<'_>> = inputs
        .iter()
        .zip(chosen)
        .map(|(inputs, (_, at))| {
            let menu = menus.get(*at);
            Demand {
                grant: inputs.target(shape),
                shares: menu.map_or(&[], |menu| &menu.placed),
                highest: menu.map_or(0, |menu| menu.menu.highest_share()),
            }
        })
        .collect();
    supply::divide(&demands, &room)
}

/// Writes what was decided, batch by batch, as long as the claim lasts.
async fn write(
    app: &App,
    span: Span,
    (claim, off_pace): (Uuid, i64),
    supply: Supply,
    planned: Planned,
) -> Result<(), PlanError> {
    let now = app.clock.now();
    let Planned {
        menus,
        grants,
        without_supply,
        supplied,
    } = planned;
    let sites = std::sync::Arc::new(supply.sites);
    let known = std::sync::Arc::clone(&sites);
    let held = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if !repo::renew_in_tx(tx, span.begins_at, claim, CLAIM).await? {
                return Ok::<_, PlanError>(false);
            }
            repo::insert_menus_in_tx(tx, span.begins_at, &menus, &known).await?;
            let changes = repo::set_supply_in_tx(tx, &without_supply, &supplied, now).await?;
            events::supply_changed_in_tx(tx, &changes, now).await?;
            Ok(true)
        })
    });
    if !held.await? {
        return Ok(());
    }
    app.notifier.notify();
    let mut grants = grants;
    // In order of id, as locks are taken.
    grants.sort_unstable_by_key(|grant| grant.order);
    let mut grants = grants.into_iter().peekable();
    while grants.peek().is_some() {
        let batch: Vec<Grant> = grants.by_ref().take(BATCH).collect();
        let sites = std::sync::Arc::clone(&sites);
        let held = db::write(&app.pool, move |tx| {
            Box::pin(async move {
                if !repo::renew_in_tx(tx, span.begins_at, claim, CLAIM).await? {
                    return Ok::<_, PlanError>(false);
                }
                grant_in_tx(tx, span, batch, &sites).await?;
                Ok(true)
            })
        });
        if !held.await? {
            return Ok(());
        }
    }
    db::write(&app.pool, move |tx| {
        Box::pin(repo::done_in_tx(tx, span.begins_at, claim, off_pace, now))
    })
    .await
}

/// Grants to those of the plans that still run, have not got anything in this round, and have the budget.
async fn grant_in_tx(
    tx: &mut Tx,
    span: Span,
    grants: Vec<Grant>,
    sites: &[super::supply::Site],
) -> Result<(), PlanError> {
    let ids = grants.iter().map(|grant| grant.order).collect();
    let orders = order::repo::lock_many_in_tx(tx, ids).await?;
    let mut free: HashMap<OrderId, Micros> = HashMap::new();
    for order in orders.iter().filter(|order| order.is_running()) {
        free.insert(order.id, order.free_budget()?);
    }
    let fits = |grant: &Grant| {
        free.get(&grant.order)
            .is_some_and(|free| grant.decision.total() <= *free)
    };
    let grants: Vec<Grant> = grants.into_iter().filter(fits).collect();
    let new = repo::insert_decisions_in_tx(tx, span.begins_at, &grants).await?;
    let grants: Vec<Grant> = grants
        .into_iter()
        .filter(|grant| new.contains(&grant.order))
        .collect();
    repo::insert_allotments_in_tx(tx, span, &grants, sites).await?;
    repo::add_allotted_in_tx(tx, &grants).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn the_next_round_is_due_shortly_before_it_begins() {
        let interval = TimeDelta::seconds(300);
        let begins = |now: &str| -> Vec<String> {
            let due = Span::due(time(now), interval);
            due.iter()
                .map(|span| span.begins_at.format("%H:%M").to_string())
                .collect()
        };
        assert_eq!(begins("2026-11-20T10:02:00Z"), ["10:00"]);
        assert_eq!(begins("2026-11-20T10:03:59Z"), ["10:00"]);
        assert_eq!(begins("2026-11-20T10:04:00Z"), ["10:00", "10:05"]);
        assert_eq!(begins("2026-11-20T10:05:00Z"), ["10:05"]);
        let short = Span::due(time("2026-11-20T10:00:07Z"), TimeDelta::seconds(10));
        assert_eq!(short.len(), 1);
    }

    #[test]
    fn a_round_of_even_traffic_is_its_part_of_an_hour() {
        let (from, to) = (time("2026-11-20T10:00:00Z"), time("2026-11-20T10:05:00Z"));
        assert_eq!(hour_thousandths(&Shape::even(), from, to), 83);
    }
}
