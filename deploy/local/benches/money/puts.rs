//! Puts like a browser's: nginx, gateway, plan, wallet, two databases.

use std::sync::{Arc, Mutex};

use adfolio_local::Stack;
use serde_json::json;
use uuid::Uuid;

use crate::api::{Api, advertisers};
use crate::callers::{self, Call};
use crate::rounds::Measurement;

/// As many puts as 32 callers get answered, and the latency at half of that rate, measured just
/// before in the same round. Under full load, latency only says how many callers there are; at half
/// of it, it is what a user waits.
pub async fn prepare(stack: &Stack) -> Vec<Measurement> {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let product_id = api.product(&admin).await;
    let tokens = advertisers(&api, &admin, "puts").await;
    let call: Call<String> = Arc::new(move |token, _| {
        let (api, product_id) = (api.clone(), product_id.clone());
        Box::pin(async move {
            let body = json!({"product_id": product_id, "amount": "1.00"});
            let key = Some(format!("put-{}", Uuid::now_v7()));
            api.post("/plan/order/put", &token, key, body).await;
        })
    });
    let full_load = Arc::new(Mutex::new(0.0));
    let puts = {
        let (tokens, call, full_load) = (tokens.clone(), call.clone(), full_load.clone());
        Measurement::new("puts", move |duration| {
            let (tokens, call, full_load) = (tokens.clone(), call.clone(), full_load.clone());
            Box::pin(async move {
                let outcome = callers::saturate(&tokens, duration, &call).await;
                *full_load.lock().unwrap() = outcome.figure("per_second");
                outcome
            })
        })
    };
    let at_half = Measurement::new("puts_at_half", move |duration| {
        let (tokens, call) = (tokens.clone(), call.clone());
        let half_load = *full_load.lock().unwrap() / 2.0;
        Box::pin(async move { callers::arrive(&tokens, half_load, duration, &call).await })
    });
    vec![puts, at_half]
}
