//! The cost of an advertiser's statistics after few and after many reports.

use std::{fmt::Write as _, time::Instant};

use adfolio_local::Stack;
use chrono::{Duration, Utc};
use hdrhistogram::Histogram;
use serde_json::json;

use crate::api::{Api, text};
use crate::results::Results;

const FEW: usize = 10_000;
const MANY: usize = 1_000_000;

/// Rows per file, below the import's limit.
const ROWS_PER_FILE: usize = 250_000;

/// Reports are spread evenly over this many minutes before now, so that both users fill the same
/// buckets.
const SPREAD_MINUTES: i64 = 28 * 24 * 60;

/// Requests for each range and user, taken in turn.
const REQUESTS: usize = 300;

/// The medians and their ratio for each range.
pub async fn run(stack: &Stack, results: &mut Results) {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let product_id = api.product(&admin).await;
    let few = advertiser_with_reports(&api, &admin, &product_id, FEW, results).await;
    let many = advertiser_with_reports(&api, &admin, &product_id, MANY, results).await;

    for (range, name) in [(1, "today"), (2, "week"), (3, "month"), (4, "all")] {
        let path =
            format!("/ad/order/data_statistics/list?type={range}&user_time_zone=Asia/Kathmandu");
        let mut latencies_us = [
            Histogram::<u64>::new(3).unwrap(),
            Histogram::<u64>::new(3).unwrap(),
        ];
        for _ in 0..REQUESTS {
            for (token, histogram) in [&few, &many].into_iter().zip(&mut latencies_us) {
                let begun = Instant::now();
                api.get(&path, token).await;
                histogram
                    .record(u64::try_from(begun.elapsed().as_micros()).unwrap())
                    .unwrap();
            }
        }
        let [few_ms, many_ms] =
            latencies_us.map(|histogram| histogram.value_at_quantile(0.5) as f64 / 1_000.0);
        results.add_once(format!("statistics_{name}.{FEW}_ms"), few_ms);
        results.add_once(format!("statistics_{name}.{MANY}_ms"), many_ms);
        results.add_once(format!("statistics_{name}.ratio"), many_ms / few_ms);
    }
}

async fn advertiser_with_reports(
    api: &Api,
    admin: &str,
    product_id: &str,
    reports: usize,
    results: &mut Results,
) -> String {
    let (token, _) = api.advertiser(admin, &format!("reports-{reports}")).await;
    let put = json!({"product_id": product_id, "amount": "900000.00"});
    let plan = api
        .post("/plan/order/put", &token, Some("put".to_owned()), put)
        .await;
    let number = text(&plan["plan_number"]);
    let first_report_at = Utc::now() - Duration::minutes(SPREAD_MINUTES);
    let begun = Instant::now();
    for first in (0..reports).step_by(ROWS_PER_FILE) {
        let mut csv = String::from("report_id,plan_number,time,impressions,clicks,spend,revenue\n");
        for row in first..reports.min(first + ROWS_PER_FILE) {
            let minute =
                i64::try_from(row).unwrap() * SPREAD_MINUTES / i64::try_from(reports).unwrap();
            let time = (first_report_at + Duration::minutes(minute)).format("%Y-%m-%dT%H:%M:%SZ");
            writeln!(csv, "r{row},{number},{time},10,1,0.0123,0.0234").unwrap();
        }
        let fields = [
            "report_id",
            "plan_number",
            "time",
            "impressions",
            "clicks",
            "spend",
            "revenue",
        ];
        let mapping: serde_json::Map<_, _> = fields
            .iter()
            .map(|field| ((*field).to_owned(), json!(field)))
            .collect();
        let landed = api
            .import(admin, csv, &format!("bench-{reports}"), &json!(mapping))
            .await;
        assert_eq!(
            landed["rejected"].as_array().map(Vec::len),
            Some(0),
            "{landed}"
        );
    }
    let per_second = reports as f64 / begun.elapsed().as_secs_f64();
    results.add_once(format!("import_{reports}.per_second"), per_second);
    token
}
