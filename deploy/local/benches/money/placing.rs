//! A round of the placement algorithm for many plans, and how long a network's fetch of it takes.
//!
//! Plans and supply are written into plan's database: putting 10,000 plans would take longer than all other parts.

use std::fs;
use std::time::{Duration, Instant};

use adfolio_local::{Service, Stack};
use chrono::{Timelike as _, Utc};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use sqlx::{Executor as _, PgPool};

use crate::api::{Api, text};
use crate::processes::Processes;
use crate::results::Results;

/// Running plans.
const PLANS: i32 = 10_000;

/// Placements, all of which every plan can be placed on.
const PLACEMENTS: i32 = 100;

/// Products that the plans are of.
const PRODUCTS: i32 = 1_000;

const FETCHES: usize = 50;

/// Between two looks whether the round is decided.
const LOOK: Duration = Duration::from_millis(100);

/// Rounds are decided in the last minute before they begin: a new one that begins sooner than this may be the next one.
const ROUND_SECONDS: u32 = 300;
const SPARE_SECONDS: u32 = 90;

/// The cost of a round and of a fetch.
pub async fn run(stack: &Stack, results: &mut Results) {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let product = api.product(&admin).await;
    let (token, _) = api.advertiser(&admin, "placing").await;
    let put = json!({"product_id": product, "amount": "1000.00"});
    let plan = api.post("/plan/order/put", &token, None, put).await;
    let network = json!({"name": "Bench", "source": "bench-network"});
    let network = api
        .post("/admin/network/create", &admin, None, network)
        .await;
    let key = text(&network["key"]);
    let pause =
        |state: &str| json!({"network_id": network["id"], "state": state, "reason": "benchmark"});
    api.post("/admin/network/edit", &admin, None, pause("paused"))
        .await;

    let url = stack.database_superuser_url(Service::Plan);
    let plans = PgPool::connect(&url).await.unwrap();
    supply(&plans, &text(&network["id"])).await;
    copy_plans(&plans, &text(&plan["id"])).await;
    plans.execute("ANALYZE").await.unwrap();
    away_from_a_rounds_end().await;

    let pid = stack.pid(Service::Plan).unwrap();
    // From now on the kernel remembers the most that the process uses.
    fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    let processes = Processes::of(stack);
    processes.settle().await;
    let before = processes.snapshot();
    let begun = Instant::now();
    api.post("/admin/network/edit", &admin, None, pause("active"))
        .await;
    plans
        .execute("DELETE FROM allotment_rounds WHERE ends_at > now()")
        .await
        .unwrap();
    let allotted = allotted(&plans).await;
    let used = processes.snapshot().since(&before);
    results.add_once("placing.round_seconds", begun.elapsed().as_secs_f64());
    let cpu_us = used.by_process.get("plan").copied().unwrap_or_default();
    results.add_once("placing.round_cpu_seconds", cpu_us / 1e6);
    results.add_once("placing.peak_mib", peak_mib(pid));
    results.add_once("placing.allotments", allotted as f64);

    fetch(&api, &key, &plans, results).await;
}

/// Waits for the round under way to be decided, at most until it ends; how many allotments it granted.
async fn allotted(plans: &PgPool) -> i64 {
    let deadline = Instant::now() + Duration::from_secs(ROUND_SECONDS.into());
    while Instant::now() < deadline {
        let granted: Option<i64> = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM allotments a WHERE a.begins_at = r.begins_at) FROM allotment_rounds r
             WHERE begins_at <= now() AND ends_at > now() AND done_at IS NOT NULL",
        )
        .fetch_optional(plans)
        .await
        .unwrap();
        if let Some(granted) = granted.filter(|granted| *granted > 0) {
            return granted;
        }
        tokio::time::sleep(LOOK).await;
    }
    panic!("the round was not decided before it ended");
}

/// Placements with prices that have held since yesterday.
async fn supply(plans: &PgPool, network: &str) {
    sqlx::query(
        "INSERT INTO placements (id, network_id, name, format, countries, systems, state, created_at)
         SELECT gen_random_uuid(), $1::uuid, 'P' || number, 'native', '{}', '{}', 'active', now()
         FROM generate_series(1, $2) AS number",
    )
    .bind(network)
    .bind(PLACEMENTS)
    .execute(plans)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO placement_prices (placement_id, valid_from, model, cost_micros, revenue_micros, set_by, set_at,
                                       confirmed_at)
         SELECT id, now() - interval '1 day', 'cpm', 2000000, 3000000, gen_random_uuid(), now() - interval '1 day',
                now() - interval '1 day'
         FROM placements WHERE network_id = $1::uuid",
    )
    .bind(network)
    .execute(plans)
    .await
    .unwrap();
}

/// Running plans of many products, three days into a week, with what else their model has.
async fn copy_plans(plans: &PgPool, model: &str) {
    sqlx::query(
        "INSERT INTO products
         SELECT copy.*
         FROM products p, orders o, generate_series(1, $2) AS number,
              LATERAL jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'name', 'Placed ' || number)) AS copy
         WHERE o.id = $1::uuid AND p.id = o.product_id",
    )
    .bind(model)
    .bind(PRODUCTS)
    .execute(plans)
    .await
    .unwrap();
    sqlx::query(
        "WITH placed AS (SELECT array_agg(id) AS ids FROM products WHERE name LIKE 'Placed %')
         INSERT INTO orders
         SELECT copy.*
         FROM orders o, placed, generate_series(1, $3) AS number,
              LATERAL (SELECT 100000 + number * 37 % 900000 AS put) AS amount,
              LATERAL jsonb_populate_record(o, jsonb_build_object(
                  'id', gen_random_uuid(), 'plan_number', 'B' || number, 'status', 'putting',
                  'put_at', now() - interval '3 days', 'window_ends_at', now() + interval '4 days',
                  'put_amount_minor', put, 'paid_amount_minor', put,
                  'product_id', placed.ids[1 + number % $2])) AS copy
         WHERE o.id = $1::uuid",
    )
    .bind(model)
    .bind(PRODUCTS)
    .bind(PLANS)
    .execute(plans)
    .await
    .unwrap();
}

/// Waits for a round with enough time left.
async fn away_from_a_rounds_end() {
    let into = Utc::now().num_seconds_from_midnight() % ROUND_SECONDS;
    let left = ROUND_SECONDS - into;
    if left < SPARE_SECONDS {
        tokio::time::sleep(Duration::from_secs(left.into())).await;
    }
}

/// The median time of a network's fetch of a whole page, and of what comes behind the last allotment: nothing.
async fn fetch(api: &Api, key: &str, plans: &PgPool, results: &mut Results) {
    let last: String = sqlx::query_scalar(
        "SELECT id::text FROM allotments WHERE state = 'open' ORDER BY begins_at DESC, id DESC LIMIT 1",
    )
    .fetch_one(plans)
    .await
    .unwrap();
    let behind = format!("?after={last}");
    for (name, query, is_empty) in [("page", "", false), ("nothing_new", &*behind, true)] {
        let mut latencies_us = Histogram::<u64>::new(3).unwrap();
        for _ in 0..FETCHES {
            let begun = Instant::now();
            let page = api.allotments(query, key).await;
            let took = u64::try_from(begun.elapsed().as_micros()).unwrap();
            latencies_us.record(took).unwrap();
            let page: Value = serde_json::from_slice(&page).unwrap();
            assert_eq!(
                page["data"]["items"].as_array().unwrap().is_empty(),
                is_empty
            );
        }
        let median_ms = latencies_us.value_at_quantile(0.5) as f64 / 1_000.0;
        results.add_once(format!("placing.fetch_{name}_ms"), median_ms);
    }
}

/// The most memory that a process has used, in MiB.
fn peak_mib(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib: f64 = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kib / 1_024.0
}
