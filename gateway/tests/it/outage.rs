//! A service that is gone fails its own calls, fast, and nobody else's.

use std::time::{Duration, Instant};

use adfolio_testkit::eventually;
use reqwest::Method;
use serde_json::json;

use crate::stack::{PASSWORD, Stack};

#[tokio::test]
async fn a_dead_service_fails_its_own_calls_only() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    let product = stack.product(&admin).await;
    stack.get("/user/property", &token).await.ok();

    // acceptor never was there.
    let started = Instant::now();
    let reply = stack
        .post(
            "/acceptor/detail",
            &token,
            &json!({"kind": "personal", "code": "X"}),
        )
        .await;
    assert_eq!(
        (reply.http, reply.code, reply.reason()),
        (503, 500, "UNAVAILABLE"),
        "{reply:?}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );

    stack.coupon.shutdown.trigger();
    stack.notification.shutdown.trigger();
    eventually("coupon is gone", || async {
        stack.get("/user_coupon/list", &token).await.http == 503
    })
    .await;
    eventually("notification is gone", || async {
        stack
            .post("/user/notifications/unread_count", &token, &json!({}))
            .await
            .http
            == 503
    })
    .await;
    stack.get("/user/property", &token).await.ok();
    stack.get("/plan/product/list", &token).await.ok();
    let reply = stack
        .post(
            "/plan/order/app/detail",
            &token,
            &json!({"product_id": product}),
        )
        .await;
    assert_eq!((reply.http, reply.code), (503, 500), "{reply:?}");

    // Without notification a login only lacks the customer-service entries.
    let username = stack.get("/user/info", &token).await.ok()["username"].clone();
    let body = json!({"username": username, "password": PASSWORD});
    let session = stack
        .send(
            stack
                .request(Method::POST, "/auth/v2/login", None)
                .json(&body),
        )
        .await
        .ok();
    assert_eq!(session["user"]["customer_service_url"], json!([]));

    stack.wallet.shutdown.trigger();
    eventually("wallet is gone", || async {
        stack.get("/user/property", &token).await.http == 503
    })
    .await;
    stack.get("/plan/order/list", &token).await.ok();
}
