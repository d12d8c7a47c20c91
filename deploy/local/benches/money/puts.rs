//! Puts like a browser's: nginx, gateway, plan, wallet, two databases.

use adfolio_local::Stack;
use serde_json::json;

use crate::api::{Api, advertisers};
use crate::callers;

/// Prints puts per second and their latencies.
pub async fn run(stack: &Stack) {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let product_id = api.product(&admin).await;
    let tokens = advertisers(&api, &admin, "puts").await;
    callers::measure("puts", tokens, move |token, number| {
        let (api, product_id) = (api.clone(), product_id.clone());
        Box::pin(async move {
            let body = json!({"product_id": product_id, "amount": "1.00"});
            let key = Some(format!("put-{number}"));
            api.post("/plan/order/put", &token, key, body).await;
        })
    })
    .await;
}
