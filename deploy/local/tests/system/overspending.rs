//! A put takes the whole amount once, or nothing.

use std::collections::HashSet;

use futures::future::join_all;
use serde_json::json;

use crate::{impressions::decimal, setup::System};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_put_takes_what_is_there_once_or_nothing() {
    let system = System::start().await;
    let product_id = system.product("Overspending").await;
    refuses_what_it_cannot_take(&system, &product_id).await;
    answers_a_repeated_key_from_the_first_put(&system, &product_id).await;
    gives_two_hundred_at_once_exactly_what_the_money_is_for(&system, &product_id).await;
    system.assert_reconciled().await;
    system.stack.stop().await;
}

async fn refuses_what_it_cannot_take(system: &System, product_id: &str) {
    let advertiser = system.advertiser("refused").await;
    system.deposit(&advertiser.id, "50.00").await;
    for (amount, reason) in [
        (json!("50.01"), "INSUFFICIENT_BALANCE"),
        (json!("9.99"), "AMOUNT_OUT_OF_RANGE"),
        (json!("100000.01"), "AMOUNT_OUT_OF_RANGE"),
        (json!("-20.00"), "VALIDATION"),
        (json!("20.001"), "VALIDATION"),
        (json!("2e1"), "VALIDATION"),
        (json!(null), "VALIDATION"),
    ] {
        let reply = advertiser
            .client
            .post(
                "/plan/order/put",
                json!({"product_id": product_id, "amount": amount}),
            )
            .await;
        assert_eq!(
            (reply.http_status, reply.code, reply.reason()),
            (200, 400, reason),
            "{amount}: {reply:?}"
        );
        assert_eq!(reply.data["field"], "amount", "{amount}: {reply:?}");
    }
    assert_eq!(
        advertiser.client.get("/user/property").await.ok()["available_funds"],
        "50.00"
    );
    assert!(advertiser.plans().await.is_empty());
}

async fn answers_a_repeated_key_from_the_first_put(system: &System, product_id: &str) {
    let advertiser = system.advertiser("repeats").await;
    system.deposit(&advertiser.id, "50.00").await;
    let body = json!({"product_id": product_id, "amount": "20.00"});
    let first = advertiser
        .client
        .post_keyed("/plan/order/put", "key-1", body.clone())
        .await
        .ok();
    let again = advertiser
        .client
        .post_keyed("/plan/order/put", "key-1", body)
        .await
        .ok();
    assert_eq!(first["id"], again["id"]);

    let other = json!({"product_id": product_id, "amount": "21.00"});
    let reused = advertiser
        .client
        .post_keyed("/plan/order/put", "key-1", other)
        .await;
    assert_eq!(
        (reused.code, reused.reason()),
        (400, "IDEMPOTENCY_KEY_REUSED")
    );

    assert_eq!(advertiser.plans().await.len(), 1);
    assert_eq!(
        advertiser.client.get("/user/property").await.ok()["available_funds"],
        "30.00"
    );
}

async fn gives_two_hundred_at_once_exactly_what_the_money_is_for(
    system: &System,
    product_id: &str,
) {
    const PUTS: usize = 200;
    const AFFORDABLE: usize = 10;
    let advertiser = system.advertiser("crowd").await;
    system
        .deposit(&advertiser.id, &decimal(AFFORDABLE as i128 * 2_000))
        .await;

    let replies = join_all((0..PUTS).map(|_| {
        let client = advertiser.client.clone();
        async move {
            client
                .post(
                    "/plan/order/put",
                    json!({"product_id": product_id, "amount": 20}),
                )
                .await
        }
    }))
    .await;

    let (placed, refused): (Vec<_>, Vec<_>) =
        replies.into_iter().partition(|reply| reply.code == 200);
    assert_eq!(placed.len(), AFFORDABLE);
    for reply in &refused {
        assert_eq!(
            (reply.code, reply.reason()),
            (400, "INSUFFICIENT_BALANCE"),
            "{reply:?}"
        );
    }
    let ids: HashSet<_> = placed
        .iter()
        .map(|reply| reply.data["id"].to_string())
        .collect();
    assert_eq!(ids.len(), AFFORDABLE);
    assert_eq!(advertiser.plans().await.len(), AFFORDABLE);
    let property = advertiser.client.get("/user/property").await.ok();
    assert_eq!(
        (
            property["available_funds"].as_str(),
            property["to_be_consumed"].as_str()
        ),
        (Some("0.00"), Some("200.00"))
    );
}
