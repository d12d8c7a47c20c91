//! A service that is gone fails its own calls, fast, and nobody else's.

use std::pin::pin;

use adfolio_testkit::{eventually, within_limit};
use futures::future::{Either, select};
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

    stack.services.acceptor.shutdown.trigger();
    eventually("acceptor is gone", || async {
        stack.get("/admin/acceptor/list", &admin).await.http == 503
    })
    .await;
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

    stack.services.coupon.shutdown.trigger();
    stack.services.notification.shutdown.trigger();
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

    stack.services.wallet.shutdown.trigger();
    eventually("wallet is gone", || async {
        stack.get("/user/property", &token).await.http == 503
    })
    .await;
    stack.get("/plan/order/list", &token).await.ok();
    // Nobody knows whether there is a transaction password: a login says no, and who asks for just that is not told so.
    let session = stack.post_open("/auth/v2/login", &body).await.ok();
    assert_eq!(session["user"]["has_pay_password"], false);
    // A profile from a moment ago may still be shown.
    eventually("the profile is unavailable", || async {
        let reply = stack.get("/user/info", &token).await;
        (reply.http, reply.reason()) == (503, "UNAVAILABLE")
    })
    .await;
    let edit = json!({"nickname": "Ada"});
    let edited = stack.post("/user/info/edit", &token, &edit).await.ok();
    assert_eq!(edited["nickname"], "Ada");
}

#[tokio::test]
async fn a_frozen_service_fails_its_calls_in_time_and_slows_nobody_else() {
    // Accepts connections and never answers, like a stopped process.
    let frozen = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", frozen.local_addr().unwrap());
    let stack = Stack::start_with(|config| config.services.acceptor_url = url).await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    let code = json!({"kind": "personal", "code": "X"});
    let waiting = pin!(async {
        let reply = stack.post("/acceptor/detail", &token, &code).await;
        assert_eq!(
            (reply.code, reply.reason()),
            (500, "UNAVAILABLE"),
            "{reply:?}"
        );
        assert!([503, 504].contains(&reply.http), "{reply:?}");
    });
    let others = pin!(async {
        for _ in 0..5 {
            stack.get("/user/property", &token).await.ok();
        }
    });
    match select(others, waiting).await {
        Either::Left(((), waiting)) => within_limit("the frozen service's call", waiting).await,
        Either::Right(_) => panic!("the others waited for the frozen service"),
    }
}
