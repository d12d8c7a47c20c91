//! The requests of the web client's pages.

use std::sync::Arc;

use adfolio_local::Stack;
use serde_json::json;

use crate::api::{Api, advertisers};
use crate::callers::{self, Call};
use crate::rounds::Measurement;

/// Of the ad centre, the plans, the wallet and the account, by advertisers with some plans each.
const PAGES: [&str; 9] = [
    "/user/info",
    "/user/property",
    "/ad/order/data_statistics/list?type=1&user_time_zone=Asia/Singapore",
    "/plan/product/list",
    "/plan/order/list",
    "/user/withdraw/list",
    "/transaction_flow/list",
    "/user_coupon/list",
    "/acceptor/order/list",
];

/// So that no list is empty.
const PLANS: usize = 10;

/// The pages in turn, by 32 callers.
pub async fn prepare(stack: &Stack) -> Measurement {
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
    let call: Call<String> = Arc::new(move |token, number| {
        let api = api.clone();
        Box::pin(async move {
            api.get(PAGES[number % PAGES.len()], &token).await;
        })
    });
    Measurement::new("reads", move |duration| {
        let (tokens, call) = (tokens.clone(), call.clone());
        Box::pin(async move { callers::saturate(&tokens, duration, &call).await })
    })
}
