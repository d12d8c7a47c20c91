//! The product's main purpose on real input: register, deposit, put, deliver, settle, and every
//! cent of it in the wallet.

use std::collections::HashMap;

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::{
    client::Client,
    impressions::{
        self, Impression, Impressions, Sums, cents, cents_half_even, decimal, future_limit,
    },
    setup::{Advertiser, System},
};

/// Put into each of the three plans.
const PUT: &str = "100.00";
const DEPOSIT_CENTS: i128 = 50_000;

/// One zone without daylight saving, one off the hour, one with daylight saving.
const TIME_ZONES: [&str; 3] = ["Asia/Shanghai", "Asia/Kathmandu", "America/New_York"];

/// Cost and revenue of one impression or click of a plan, in billionths of a unit.
struct Pricing {
    json: Value,
    spend_per_impression: i128,
    revenue_per_impression: i128,
    spend_per_click: i128,
    revenue_per_click: i128,
}

fn pricings() -> [Pricing; 3] {
    let per_thousand = |cost: &str, revenue: &str, spend: i128, earned: i128| Pricing {
        json: json!({"model": "cpm", "cost": cost, "revenue": revenue}),
        spend_per_impression: spend,
        revenue_per_impression: earned,
        spend_per_click: 0,
        revenue_per_click: 0,
    };
    [
        per_thousand("2.50", "3.75", 2_500_000, 3_750_000),
        per_thousand("1.10", "0.90", 1_100_000, 900_000),
        Pricing {
            json: json!({"model": "cpc", "cost": "0.35", "revenue": "0.555"}),
            spend_per_impression: 0,
            revenue_per_impression: 0,
            spend_per_click: 350_000_000,
            revenue_per_click: 555_000_000,
        },
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_registration_to_the_last_cent() {
    let Some(impressions) = impressions::load(Utc::now().date_naive()) else {
        return;
    };
    let system = System::start().await;
    let advertiser = system.advertiser("journey").await;
    system
        .deposit(&advertiser.id, &decimal(DEPOSIT_CENTS))
        .await;
    let plans = put_three_plans(&system, &advertiser).await;
    let mapping = mapping(&impressions, &plans);

    let landed = import_once_and_again(&system, &impressions, &mapping).await;
    let per_plan = sums_by_plan(&landed);
    statistics_equal_the_file(&advertiser, &landed).await;
    plans_equal_the_file(&advertiser, &plans, &per_plan).await;
    let restated =
        a_restated_row_moves_the_figures_by_its_difference(&system, &advertiser, &plans, &per_plan)
            .await;

    finish_and_settle(&system, &plans).await;
    wallet_adds_up(&advertiser, &restated).await;
    notices_came(&advertiser).await;
    system.assert_reconciled().await;
    system.stack.stop().await;
}

async fn put_three_plans(system: &System, advertiser: &Advertiser) -> Vec<Value> {
    let mut plans = Vec::new();
    for name in ["Tea Garden", "Star Harbour", "Paper Planes"] {
        let product_id = system.product(name).await;
        let body = json!({"product_id": product_id, "amount": PUT});
        let key = name.replace(' ', "-");
        let plan = advertiser
            .client
            .post_keyed("/plan/order/put", &key, body)
            .await
            .ok();
        assert_eq!(
            (plan["status"].as_str(), plan["paid_amount"].as_str()),
            (Some("matching"), Some(PUT))
        );
        plans.push(plan);
    }
    let property = advertiser.client.get("/user/property").await.ok();
    assert_eq!(property["available_funds"], "200.00");
    assert_eq!(property["to_be_consumed"], "300.00");
    assert_eq!(property["total_assets"], "500.00");
    plans
}

/// Items are spread over the plans by their number; each plan has its own price.
fn mapping(impressions: &Impressions, plans: &[Value]) -> Value {
    let numbers: Vec<&str> = plans
        .iter()
        .map(|plan| plan["plan_number"].as_str().unwrap())
        .collect();
    let pricing: HashMap<_, _> = numbers
        .iter()
        .zip(pricings())
        .map(|(number, pricing)| (*number, pricing.json))
        .collect();
    json!({
        "timestamp": "time",
        "item_id": "plan_number",
        "click": "clicks",
        "constants": {"impressions": 1},
        "report_id": "line",
        "plans_modulo": numbers,
        "time_shift_days": impressions.shift_days,
        "pricing": pricing,
    })
}

/// Imports the file twice; rows in the future are refused by line, the others are stored once.
async fn import_once_and_again(
    system: &System,
    impressions: &Impressions,
    mapping: &Value,
) -> Vec<Impression> {
    let (first, report) = import(system, impressions, mapping).await;
    assert_eq!(report["applied"], first.len());
    assert_eq!(report["repeated"], 0);
    let (second, report) = import(system, impressions, mapping).await;
    // Time passes: what was just too far in the future before is new now. Everything else is known.
    assert_eq!(report["applied"], second.len() - first.len());
    assert_eq!(report["repeated"], first.len());
    second
}

/// Imports the file; returns the rows stored so far, and the import's answer.
async fn import(
    system: &System,
    impressions: &Impressions,
    mapping: &Value,
) -> (Vec<Impression>, Value) {
    let begun = Utc::now();
    let csv = impressions.csv.clone();
    let report = system.admin.import(csv, "openbandit", mapping).await.ok();
    let rejected: HashMap<u64, &str> = report["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["line"].as_u64().unwrap(),
                row["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let (refused, landed): (Vec<Impression>, Vec<Impression>) = impressions
        .rows
        .iter()
        .partition(|row| rejected.contains_key(&row.line));
    for row in &refused {
        let reason = rejected[&row.line];
        assert!(
            row.time > begun + future_limit(),
            "line {}: {reason}",
            row.line
        );
    }
    for row in &landed {
        assert!(
            row.time <= Utc::now() + future_limit(),
            "line {} lies in the future",
            row.line
        );
    }
    assert_eq!(report["read"], impressions.rows.len());
    assert_eq!(report["restated"], 0);
    (landed, report)
}

fn plan_of(row: &Impression) -> usize {
    usize::try_from(row.item % 3).unwrap()
}

fn add(sums: &mut Sums, row: &Impression, pricing: &Pricing) {
    let clicks = i128::from(row.clicks);
    sums.add(
        1,
        row.clicks,
        pricing.spend_per_impression + clicks * pricing.spend_per_click,
        pricing.revenue_per_impression + clicks * pricing.revenue_per_click,
    );
}

fn sums_by_plan(rows: &[Impression]) -> [Sums; 3] {
    let pricings = pricings();
    let mut sums = [Sums::default(); 3];
    for row in rows {
        add(&mut sums[plan_of(row)], row, &pricings[plan_of(row)]);
    }
    sums
}

fn sums_since(rows: &[Impression], since: DateTime<Utc>) -> Sums {
    let pricings = pricings();
    let mut sums = Sums::default();
    for row in rows.iter().filter(|row| row.time >= since) {
        add(&mut sums, row, &pricings[plan_of(row)]);
    }
    sums
}

async fn statistics_equal_the_file(advertiser: &Advertiser, landed: &[Impression]) {
    for zone in TIME_ZONES {
        let client = advertiser.client.in_time_zone(zone);
        let today = Utc::now()
            .with_timezone(&zone.parse::<Tz>().unwrap())
            .date_naive();
        let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
        let ranges = [Some(today), Some(monday), today.with_day(1), None];
        for (range, since) in (1..).zip(ranges) {
            let since = since.map_or(DateTime::<Utc>::MIN_UTC, |date| midnight(zone, date));
            let expected = sums_since(landed, since);
            let statistics = client
                .get(&format!("/ad/order/data_statistics/list?type={range}"))
                .await
                .ok();
            assert_statistics(&statistics, &expected, &format!("range {range} in {zone}"));
        }
        // The query's own time zone wins over the header's.
        let utc = client
            .get("/ad/order/data_statistics/list?type=1&user_time_zone=UTC")
            .await
            .ok();
        let expected = sums_since(landed, midnight("UTC", Utc::now().date_naive()));
        assert_statistics(&utc, &expected, "today in UTC");
    }
}

fn midnight(zone: &str, date: NaiveDate) -> DateTime<Utc> {
    let zone: Tz = zone.parse().unwrap();
    // None of the three zones changes its clocks at midnight.
    zone.from_local_datetime(&date.and_time(NaiveTime::MIN))
        .unwrap()
        .with_timezone(&Utc)
}

fn assert_statistics(statistics: &Value, expected: &Sums, what: &str) {
    let consumed = cents_half_even(expected.spend_nanos);
    let revenue = cents_half_even(expected.revenue_nanos);
    assert_eq!(
        statistics["impressions"], expected.impressions,
        "{what}: {statistics}"
    );
    assert_eq!(statistics["clicks"], expected.clicks, "{what}");
    assert_eq!(statistics["consumed"], decimal(consumed), "{what}");
    assert_eq!(statistics["revenue"], decimal(revenue), "{what}");
    assert_eq!(statistics["profit"], decimal(revenue - consumed), "{what}");
    assert_eq!(
        (
            statistics["invested"].as_str(),
            statistics["delivery_orders"].as_i64()
        ),
        (Some("300.00"), Some(3)),
        "{what}"
    );
    let points = statistics["series"].as_array().unwrap();
    let total: i64 = points
        .iter()
        .map(|point| point["impressions"].as_i64().unwrap())
        .sum();
    assert_eq!(
        total, expected.impressions,
        "the points of {what} do not add up"
    );
}

async fn plans_equal_the_file(advertiser: &Advertiser, plans: &[Value], per_plan: &[Sums; 3]) {
    for (plan, sums) in plans.iter().zip(per_plan) {
        assert_plan(&advertiser.client, plan, sums, "putting").await;
    }
}

async fn assert_plan(client: &Client, plan: &Value, sums: &Sums, status: &str) {
    let detail = client
        .post("/plan/order/detail", json!({"id": plan["id"]}))
        .await
        .ok();
    let consumed = cents_half_even(sums.spend_nanos);
    assert_eq!(detail["status"], status, "{detail:#}");
    assert_eq!(detail["impressions"], sums.impressions);
    assert_eq!(detail["clicks"], sums.clicks);
    assert_eq!(detail["consumed"], decimal(consumed));
    assert_eq!(
        detail["revenue"],
        decimal(cents_half_even(sums.revenue_nanos))
    );
    let left = if status == "putting" {
        cents(PUT) - consumed
    } else {
        0
    };
    assert_eq!(detail["to_be_consumed"], decimal(left));
}

/// One more report, then a higher revision of it, with its own spend and revenue.
async fn a_restated_row_moves_the_figures_by_its_difference(
    system: &System,
    advertiser: &Advertiser,
    plans: &[Value],
    per_plan: &[Sums; 3],
) -> [Sums; 3] {
    let number = plans[0]["plan_number"].as_str().unwrap();
    let time = (Utc::now() - Duration::minutes(1)).to_rfc3339();
    let header = "report_id,revision,plan_number,time,impressions,clicks,spend,revenue";
    let columns = json!({
        "report_id": "report_id", "revision": "revision", "plan_number": "plan_number", "time": "time",
        "impressions": "impressions", "clicks": "clicks", "spend": "spend", "revenue": "revenue",
    });
    let first = format!(
        "{header}\nr-1,1,{number},{time},100,7,1.234567,2.5\nr-2,1,{number},yesterday,1,0,0,0\nr-3,1,NOPE,{time},1,0,0,0\n"
    );
    let report = system.admin.import(first, "network-a", &columns).await.ok();
    assert_eq!(
        (&report["read"], &report["applied"]),
        (&json!(3), &json!(1)),
        "{report}"
    );
    let lines: Vec<_> = report["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [3, 4]);
    let mut sums = *per_plan;
    sums[0].add(100, 7, 1_234_567_000, 2_500_000_000);
    assert_plan(&advertiser.client, &plans[0], &sums[0], "putting").await;

    let restated = format!("{header}\nr-1,2,{number},{time},90,6,1.034567,2.75\n");
    let report = system
        .admin
        .import(restated, "network-a", &columns)
        .await
        .ok();
    assert_eq!(
        (&report["applied"], &report["restated"]),
        (&json!(0), &json!(1)),
        "{report}"
    );
    sums[0].add(-10, -1, -200_000_000, 250_000_000);
    assert_plan(&advertiser.client, &plans[0], &sums[0], "putting").await;
    sums
}

async fn finish_and_settle(system: &System, plans: &[Value]) {
    for plan in plans {
        let finish =
            json!({"id": plan["id"], "outcome": "put_finished", "reason": "end of the flight"});
        system.admin.post("/admin/plan/finish", finish).await.ok();
        let settled = system
            .admin
            .post("/admin/plan/settle", json!({"id": plan["id"]}))
            .await
            .ok();
        assert_eq!(settled["status"], "settled");
    }
}

async fn wallet_adds_up(advertiser: &Advertiser, sums: &[Sums; 3]) {
    let consumed: i128 = sums
        .iter()
        .map(|plan| cents_half_even(plan.spend_nanos))
        .sum();
    let revenue: i128 = sums
        .iter()
        .map(|plan| cents_half_even(plan.revenue_nanos))
        .sum();
    let property = advertiser.client.get("/user/property").await.ok();
    assert_eq!(
        property["available_funds"],
        decimal(DEPOSIT_CENTS - consumed + revenue)
    );
    for empty in ["to_be_consumed", "to_be_settled", "withdrawing"] {
        assert_eq!(property[empty], "0.00", "{empty}");
    }
    assert_eq!(property["total_assets"], property["available_funds"]);

    let lines = advertiser.fund_details().await;
    let sum_of = |account: &str, kind: Option<&str>| -> i128 {
        let chosen = lines.iter().filter(|line| {
            line["account"] == account && kind.is_none_or(|kind| line["type"] == kind)
        });
        chosen
            .map(|line| cents(line["amount"].as_str().unwrap()))
            .sum()
    };
    let available = |kind| sum_of("available", Some(kind));
    assert_eq!(available("system_top_up"), DEPOSIT_CENTS);
    assert_eq!(
        available("ad_serving"),
        -consumed,
        "what was put and not given back is what was consumed"
    );
    assert_eq!(available("profit_sharing"), revenue);
    let in_total = DEPOSIT_CENTS - consumed + revenue;
    assert_eq!(sum_of("available", None), in_total);
    assert_eq!(sum_of("to_be_consumed", Some("ad_billing")), -consumed);
    for empty in ["to_be_consumed", "to_be_settled", "withdrawing"] {
        assert_eq!(sum_of(empty, None), 0, "{empty}");
    }
}

async fn notices_came(advertiser: &Advertiser) {
    // One for the deposit, and of each of three plans that it started, finished and was settled.
    adfolio_testkit::eventually("ten notices", || async {
        let unread = advertiser
            .client
            .post("/user/notifications/unread_count", json!({}))
            .await
            .ok();
        unread["unread_total"] == 10
    })
    .await;
    let read = advertiser
        .client
        .post("/user/notifications/read", json!({"all": true}))
        .await
        .ok();
    assert_eq!(read["unread_total"], 0);
}
