//! A RabbitMQ that does not answer blocks no put and no wallet call, and the events of that time
//! arrive once it is back.

use adfolio_local::{Component, Signal};
use adfolio_testkit::eventually;
use serde_json::json;

use crate::setup::System;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_moves_while_the_broker_is_stopped() {
    let system = System::start().await;
    let product_id = system.product("Outage").await;
    let advertiser = system.advertiser("outage").await;

    system
        .stack
        .kill(Component::Rabbitmq, Signal::SIGSTOP)
        .await
        .unwrap();
    system.deposit(&advertiser.id, "100.00").await;
    for _ in 0..5 {
        advertiser
            .client
            .post(
                "/plan/order/put",
                json!({"product_id": product_id, "amount": "20.00"}),
            )
            .await
            .ok();
    }
    let property = advertiser.client.get("/user/property").await.ok();
    assert_eq!(
        (
            property["available_funds"].as_str(),
            property["to_be_consumed"].as_str()
        ),
        (Some("0.00"), Some("100.00"))
    );
    let unread = advertiser
        .client
        .post("/user/notifications/unread_count", json!({}))
        .await
        .ok();
    assert_eq!(
        unread["unread_total"], 0,
        "nothing can have been delivered by a stopped broker"
    );

    system
        .stack
        .kill(Component::Rabbitmq, Signal::SIGCONT)
        .await
        .unwrap();
    eventually("the deposit's notice arrives", || async {
        let unread = advertiser
            .client
            .post("/user/notifications/unread_count", json!({}))
            .await
            .ok();
        unread["unread_total"] == 1
    })
    .await;
    system.assert_reconciled().await;
    system.stack.stop().await;
}
