//! The balances of a wallet, the smallest read of the REST contract: nginx, gateway, wallet, its
//! database. The bare path does the same without Adfolio.

use std::sync::Arc;

use adfolio_local::Stack;

use crate::api::{Api, advertisers};
use crate::callers::{self, Call};
use crate::rounds::Measurement;

pub const PATH: &str = "/user/property";

pub async fn prepare(stack: &Stack) -> Measurement {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let tokens = advertisers(&api, &admin, "property").await;
    measurement("property", api, tokens)
}

/// The path called with each of the tokens at the same time.
pub fn measurement(name: &'static str, api: Api, tokens: Vec<String>) -> Measurement {
    let call: Call<String> = Arc::new(move |token, _| {
        let api = api.clone();
        Box::pin(async move {
            api.get(PATH, &token).await;
        })
    });
    Measurement::new(name, move |duration| {
        let (tokens, call) = (tokens.clone(), call.clone());
        Box::pin(async move { callers::saturate(&tokens, duration, &call).await })
    })
}
