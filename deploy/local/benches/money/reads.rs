//! The requests of the web client's pages.

use std::sync::Arc;

use adfolio_local::Stack;
use serde_json::json;

use crate::api::{Api, advertisers};
use crate::callers::{self, Call};
use crate::rounds::Measurement;

/// Of the ad centre, the plans, the wallet and the account, by advertisers with some plans each: the name of each
/// page's own measurement, and its path.
const PAGES: [(&str, &str); 9] = [
    ("page info", "/user/info"),
    ("page property", "/user/property"),
    (
        "page statistics",
        "/ad/order/data_statistics/list?type=1&user_time_zone=Asia/Singapore",
    ),
    ("page products", "/plan/product/list"),
    ("page plans", "/plan/order/list"),
    ("page withdrawals", "/user/withdraw/list"),
    ("page flow", "/transaction_flow/list"),
    ("page coupons", "/user_coupon/list"),
    ("page exchanges", "/acceptor/order/list"),
];

/// So that no list is empty.
const PLANS: usize = 10;

/// The pages in turn, by 32 callers, and if `each` every page alone too.
pub async fn prepare(stack: &Stack, each: bool) -> Vec<Measurement> {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let product_id = api.product(&admin).await;
    let tokens = advertisers(&api, &admin, "reads").await;
    for token in &tokens {
        for number in 0..PLANS {
            let body = json!({"product_id": product_id, "amount": "1.00"});
            let key = Some(format!("put-{number}"));
            api.post("/plan/order/put", token, key, body).await;
        }
    }
    let mut measurements = vec![measurement("reads", &api, &tokens, &PAGES)];
    if each {
        let alone = |page: &(&'static str, &'static str)| {
            measurement(page.0, &api, &tokens, std::slice::from_ref(page))
        };
        measurements.extend(PAGES.iter().map(alone));
    }
    measurements
}

/// The pages in turn, called with each of the tokens at the same time.
fn measurement(
    name: &'static str,
    api: &Api,
    tokens: &[String],
    pages: &[(&'static str, &'static str)],
) -> Measurement {
    let (api, tokens, pages) = (api.clone(), tokens.to_vec(), pages.to_vec());
    let call: Call<String> = Arc::new(move |token, number| {
        let (api, path) = (api.clone(), pages[number % pages.len()].1);
        Box::pin(async move {
            api.get(path, &token).await;
        })
    });
    Measurement::new(name, move |duration| {
        let (tokens, call) = (tokens.clone(), call.clone());
        Box::pin(async move { callers::saturate(&tokens, duration, &call).await })
    })
}
