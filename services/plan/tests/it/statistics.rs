//! Statistics against sums that the test makes from the rows themselves.

use adfolio_kit::identity::Caller;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::instant;
use chrono::{DateTime, TimeDelta, Utc};

use StatisticsRange::{Month, Today, Week};

use crate::helpers::{Plan, *};

/// A row of the test's own books, in millionths.
struct Row {
    time: DateTime<Utc>,
    impressions: i64,
    clicks: i64,
    spend: i64,
    revenue: i64,
}

fn half_even(micros: i64) -> i64 {
    let (floor, rest) = (micros.div_euclid(10_000), micros.rem_euclid(10_000));
    floor + i64::from(rest > 5_000 || (rest == 5_000 && floor % 2 == 1))
}

/// Rows from `from` on, one every 37 minutes and some seconds, with fractions of cents.
fn rows(from: &str, count: i64) -> Vec<Row> {
    let from = instant(from);
    let row = |number: i64| Row {
        time: from + TimeDelta::seconds(number * 2_243),
        impressions: 50 + number % 17,
        clicks: number % 5,
        spend: 101_117 + number * 13,
        revenue: 155_005 + number * 7,
    };
    (0..count).map(row).collect()
}

async fn import(stack: &Plan, plan: &pb::Plan, rows: &[Row]) {
    let micros = |micros: i64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let lines: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let (time, spend, revenue) = (
                row.time.to_rfc3339(),
                micros(row.spend),
                micros(row.revenue),
            );
            format!(
                "r{index},{},{time},{},{},{spend},{revenue}\n",
                plan.plan_number, row.impressions, row.clicks
            )
        })
        .collect();
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\n{}",
        lines.concat()
    );
    let summary = stack.import("net", "{}", &file).await;
    assert_eq!(
        summary.applied,
        i64::try_from(rows.len()).unwrap(),
        "{:?}",
        summary.rejected.first()
    );
}

fn sums(rows: &[Row], from: DateTime<Utc>, to: DateTime<Utc>) -> [i64; 4] {
    let mut sums = [0; 4];
    for row in rows.iter().filter(|row| (from..to).contains(&row.time)) {
        for (sum, part) in
            sums.iter_mut()
                .zip([row.impressions, row.clicks, row.spend, row.revenue])
        {
            *sum += part;
        }
    }
    [sums[0], sums[1], half_even(sums[2]), half_even(sums[3])]
}

fn shown(statistics: &GetStatisticsResponse) -> [i64; 4] {
    [
        statistics.impressions,
        statistics.clicks,
        statistics.consumed_minor,
        statistics.revenue_minor,
    ]
}

fn time_of(point: &SeriesPoint) -> DateTime<Utc> {
    point.time.unwrap().try_into().unwrap()
}

/// Checks a range and each of its points.
async fn check(
    stack: &Plan,
    caller: &Caller,
    rows: &[Row],
    range: StatisticsRange,
    zone: &str,
    from: &str,
    to: &str,
) {
    let statistics = stack.statistics(caller, range, zone).await;
    let (from, to) = (instant(from), instant(to));
    let bounds: (DateTime<Utc>, DateTime<Utc>) = (
        statistics.from.unwrap().try_into().unwrap(),
        statistics.to.unwrap().try_into().unwrap(),
    );
    assert_eq!(bounds, (from, to), "{range:?} in {zone}");
    assert_eq!(
        shown(&statistics),
        sums(rows, from, to),
        "{range:?} in {zone}"
    );
    let previous = statistics.previous.expect("the range before");
    let (from, until): (DateTime<Utc>, DateTime<Utc>) = (
        previous.from.unwrap().try_into().unwrap(),
        previous.to.unwrap().try_into().unwrap(),
    );
    assert!(from < until && until <= bounds.0, "{range:?} in {zone}");
    let figures = [
        previous.impressions,
        previous.clicks,
        previous.consumed_minor,
        previous.revenue_minor,
    ];
    assert_eq!(
        figures,
        sums(rows, from, until),
        "before {range:?} in {zone}"
    );
    for (index, point) in statistics.series.iter().enumerate() {
        let end = statistics.series.get(index + 1).map_or(to, time_of);
        let figures = [
            point.impressions,
            point.clicks,
            point.consumed_minor,
            point.revenue_minor,
        ];
        assert_eq!(
            figures,
            sums(rows, time_of(point), end),
            "{range:?} in {zone} at {}",
            time_of(point)
        );
    }
}

async fn stack_with(now: &str, rows: &[Row]) -> (Plan, Caller, pb::Plan) {
    let stack = Plan::builder().at(now).spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    let plan = stack.put(&caller, &product, 900_000).await.unwrap();
    import(&stack, &plan, rows).await;
    (stack, caller, plan)
}

#[tokio::test]
async fn every_range_in_three_zones_is_the_sum_of_its_rows() {
    // Sunday evening; New York set its clocks back on the first of this month, at six in the
    // morning, UTC.
    let rows = rows("2026-10-25T00:10:00Z", 840);
    let (stack, caller, _) = stack_with("2026-11-15T22:00:00Z", &rows).await;
    for (range, zone, from, to) in [
        (Today, "UTC", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"),
        (Week, "UTC", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"),
        (Month, "UTC", "2026-11-01T00:00:00Z", "2026-11-16T00:00:00Z"),
        (
            Today,
            "Asia/Kathmandu GMT+05:45",
            "2026-11-15T18:15:00Z",
            "2026-11-16T18:15:00Z",
        ),
        (
            Week,
            "Asia/Kathmandu GMT+05:45",
            "2026-11-15T18:15:00Z",
            "2026-11-16T18:15:00Z",
        ),
        (
            Month,
            "Asia/Kathmandu GMT+05:45",
            "2026-10-31T18:15:00Z",
            "2026-11-16T18:15:00Z",
        ),
        (
            StatisticsRange::Last7Days,
            "Asia/Kathmandu",
            "2026-11-09T18:15:00Z",
            "2026-11-16T18:15:00Z",
        ),
        (
            StatisticsRange::Last30Days,
            "America/New_York",
            "2026-10-17T04:00:00Z",
            "2026-11-16T05:00:00Z",
        ),
        (
            Today,
            "America/New_York",
            "2026-11-15T05:00:00Z",
            "2026-11-16T05:00:00Z",
        ),
        (
            Week,
            "America/New_York",
            "2026-11-09T05:00:00Z",
            "2026-11-16T05:00:00Z",
        ),
        (
            Month,
            "America/New_York",
            "2026-11-01T04:00:00Z",
            "2026-11-16T05:00:00Z",
        ),
    ] {
        check(&stack, &caller, &rows, range, zone, from, to).await;
    }
    for zone in ["UTC", "Asia/Kathmandu", "America/New_York"] {
        let all = stack.statistics(&caller, StatisticsRange::All, zone).await;
        assert_eq!(
            shown(&all),
            sums(&rows, DateTime::UNIX_EPOCH, instant("2027-01-01T00:00:00Z"))
        );
        assert_eq!(all.invested_minor, 900_000);
        assert_eq!(all.delivery_orders, 1);
        assert_eq!(
            all.series
                .iter()
                .map(|point| point.impressions)
                .sum::<i64>(),
            all.impressions
        );
        assert_eq!(all.series.len(), 2, "October and November");
        let from: DateTime<Utc> = all.from.unwrap().try_into().unwrap();
        assert_eq!(from, rows[0].time);
    }
}

#[tokio::test]
async fn the_day_the_clocks_change_has_its_hours() {
    let rows = rows("2026-10-31T20:00:00Z", 40);
    let (stack, caller, plan) = stack_with("2026-11-01T21:00:00Z", &rows).await;
    let zone = "America/New_York";
    check(
        &stack,
        &caller,
        &rows,
        StatisticsRange::Today,
        zone,
        "2026-11-01T04:00:00Z",
        "2026-11-02T05:00:00Z",
    )
    .await;
    let today = stack
        .statistics(&caller, StatisticsRange::Today, zone)
        .await;
    assert_eq!(today.series.len(), 25);
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(
        detail.series.iter().map(|point| point.clicks).sum::<i64>(),
        rows.iter().map(|row| row.clicks).sum::<i64>()
    );
}

#[tokio::test]
async fn a_plans_series_is_by_day_beyond_three_days() {
    let rows = rows("2026-11-05T00:10:00Z", 300);
    let (stack, caller, plan) = stack_with("2026-11-15T22:00:00Z", &rows).await;
    let mut caller = caller;
    caller.time_zone = adfolio_kit::time_zone::TimeZone::parse("Asia/Kathmandu");
    let detail = stack.plan_of(&caller, &plan.id).await.unwrap();
    assert_eq!(detail.series.len(), 9);
    for (index, point) in detail.series.iter().enumerate() {
        let end = detail
            .series
            .get(index + 1)
            .map_or(instant("2026-11-30T00:00:00Z"), time_of);
        let figures = [
            point.impressions,
            point.clicks,
            point.consumed_minor,
            point.revenue_minor,
        ];
        assert_eq!(figures, sums(&rows, time_of(point), end));
    }
}

#[tokio::test]
async fn budgets_are_to_be_consumed_in_every_range_until_the_settlement() {
    let rows = rows("2026-11-15T10:00:00Z", 10);
    let (stack, caller, plan) = stack_with("2026-11-15T22:00:00Z", &rows).await;
    let spent = sums(&rows, DateTime::UNIX_EPOCH, instant("2027-01-01T00:00:00Z"))[2];
    let to_be_consumed = async |range| {
        let statistics = stack.statistics(&caller, range, "UTC").await;
        statistics.to_be_consumed_minor
    };
    for range in [StatisticsRange::Today, StatisticsRange::All] {
        assert_eq!(to_be_consumed(range).await, 900_000 - spent);
    }
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(to_be_consumed(StatisticsRange::All).await, 900_000 - spent);
    stack.settle(&plan.id).await.unwrap();
    assert_eq!(to_be_consumed(StatisticsRange::All).await, 0);
    let nobody = stack
        .statistics(&user(), StatisticsRange::All, "junk")
        .await;
    assert_eq!(shown(&nobody), [0; 4]);
    assert_eq!(nobody.delivery_orders, 0);
}
