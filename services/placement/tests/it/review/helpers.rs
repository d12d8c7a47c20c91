//! Rows and contexts to start from.

use adfolio_money::Micros;
use adfolio_placement::review::{
    Context, Model, Peer, Placement, Plan, Price, PriceList, Review, Row, Rule, Tally, Windows,
};
use chrono::{DateTime, Days, TimeDelta, TimeZone, Utc};
use rand::rngs::StdRng;
use rand_distr::{Distribution, Poisson};

pub const PLAN: &str = "AD1";
pub const PLACEMENT: &str = "p0";

/// Cost of a thousand impressions: 2.00.
pub const COST: i64 = 2_000_000;
/// What they earn: 3.10.
pub const REVENUE: i64 = 3_100_000;

/// Noon of a day.
pub fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 6, 15, 12, 0, 0).unwrap()
}

/// The start of the day so many days before [`noon`].
pub fn day(before: u64) -> DateTime<Utc> {
    let date = noon().date_naive() - Days::new(before);
    date.and_hms_opt(0, 0, 0).unwrap().and_utc()
}

/// Names live as long as the tests.
pub fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}

/// A row at the listed price, with an id of its own.
pub fn row(
    line: usize,
    placement: &'static str,
    time: DateTime<Utc>,
    impressions: i64,
    clicks: i64,
) -> Row<'static> {
    Row {
        line: line as u64,
        report_id: leak(format!("r{line}")),
        revision: 1,
        plan: PLAN,
        placement: Some(placement),
        time,
        impressions,
        clicks,
        spend: Micros::new(COST)
            .ratio_half_even(impressions, 1_000)
            .unwrap(),
        revenue: Micros::new(REVENUE)
            .ratio_half_even(impressions, 1_000)
            .unwrap(),
        is_estimated: false,
    }
}

/// Gives rows lines and ids in their order.
pub fn numbered(mut rows: Vec<Row<'static>>, first: usize) -> Vec<Row<'static>> {
    for (index, row) in rows.iter_mut().enumerate() {
        row.line = (first + index) as u64;
        row.report_id = leak(format!("r{}", first + index));
    }
    rows
}

pub fn price() -> Price {
    Price {
        from: DateTime::UNIX_EPOCH,
        until: None,
        model: Model::Cpm,
        cost: Micros::new(COST),
        revenue: Micros::new(REVENUE),
    }
}

/// A placement of the source with a price.
pub fn own() -> Placement {
    Placement {
        is_own: true,
        prices: PriceList::new(vec![price()]),
        ..Placement::default()
    }
}

/// The source's own, priced placements, allotted to the plan for ever.
pub fn context_of(placements: &[&'static str]) -> Context<'static> {
    let mut context = Context::new(noon());
    let plan = Plan {
        has_supply: true,
        ..Plan::default()
    };
    context.plans.insert(PLAN, plan);
    for name in placements {
        let always = Windows::new(vec![(DateTime::UNIX_EPOCH, noon() + TimeDelta::days(400))]);
        context.placements.insert(name, own());
        context.allotments.insert((PLAN, name), always);
    }
    context
}

/// [`PLACEMENT`] among 33 others whose click rate is 0.3 %.
pub fn context() -> Context<'static> {
    let mut context = context_of(&[PLACEMENT]);
    context.peers.placements = peers(3_000, 9);
    context
}

pub fn peers(impressions: i64, clicks: i64) -> Vec<Peer<'static>> {
    let tally = Tally {
        impressions,
        clicks,
    };
    (1..34)
        .map(|peer| Peer {
            name: leak(format!("p{peer}")),
            tally,
        })
        .collect()
}

/// Lines that a rule holds.
pub fn held(review: &Review<'_>, rule: Rule) -> Vec<u64> {
    let of_rule = review
        .findings
        .iter()
        .filter(|finding| finding.rule == rule);
    of_rule.map(|finding| finding.line).collect()
}

/// All lines that are held, once each.
pub fn held_lines(review: &Review<'_>) -> Vec<u64> {
    let mut lines: Vec<u64> = review.findings.iter().map(|finding| finding.line).collect();
    lines.dedup();
    lines
}

pub fn poisson(random: &mut StdRng, mean: f64) -> i64 {
    if mean <= 0.0 {
        return 0;
    }
    Poisson::new(mean).unwrap().sample(random) as i64
}

/// Traffic by hour of the day, 1 on average.
pub fn diurnal(hour: usize) -> f64 {
    1.0 + 0.7 * ((hour as f64 - 14.0) * std::f64::consts::PI / 12.0).cos()
}

/// A placement's honest rows of a day, so many per hour.
pub fn honest_day(
    random: &mut StdRng,
    placement: &'static str,
    start: DateTime<Utc>,
    per_hour: usize,
    (impressions_of_day, click_rate): (f64, f64),
) -> Vec<Row<'static>> {
    let rows = 24 * per_hour;
    (0..rows)
        .filter_map(|index| {
            let time = start + TimeDelta::minutes((index * 60 / per_hour) as i64);
            let mean = impressions_of_day / rows as f64 * diurnal(index / per_hour);
            let impressions = poisson(random, mean);
            let clicks = poisson(random, impressions as f64 * click_rate).min(impressions);
            (impressions > 0).then(|| row(0, placement, time, impressions, clicks))
        })
        .collect()
}
