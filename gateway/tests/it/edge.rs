//! What happens to requests before and around the business.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use adfolio_kit::deadline::DEFAULT_CALL_LIMIT;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stack::{Reply, Stack};

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[track_caller]
fn at_the_edge(reply: &Reply, http: u16, code: i64, reason: &str) {
    assert_eq!(
        (reply.http, reply.code, reply.reason()),
        (http, code, reason),
        "{reply:?}"
    );
}

#[tokio::test]
async fn what_never_reaches_the_business_has_its_own_status_and_an_envelope() {
    let stack = Stack::start().await;
    at_the_edge(
        &stack
            .send(stack.request(Method::GET, "/nowhere", None))
            .await,
        404,
        405,
        "NOT_FOUND",
    );
    at_the_edge(
        &stack
            .send(stack.request(Method::GET, "/auth/v2/login", None))
            .await,
        405,
        400,
        "VALIDATION",
    );
    let login = || stack.request(Method::POST, "/auth/v2/login", None);
    at_the_edge(
        &stack
            .send(login().header(CONTENT_TYPE, "text/plain").body("{}"))
            .await,
        415,
        400,
        "VALIDATION",
    );
    let large = format!(
        r#"{{"username": "{}", "password": "x"}}"#,
        "a".repeat(70_000)
    );
    at_the_edge(
        &stack
            .send(login().header(CONTENT_TYPE, "application/json").body(large))
            .await,
        413,
        400,
        "VALIDATION",
    );
    // An empty body says the same as an empty object.
    assert_eq!(
        stack.send(login()).await.refused(400, "VALIDATION")["field"],
        "username"
    );
    let lang = stack.send(login().header("X-Lang", "vi")).await;
    assert_eq!(lang.data["lang"], "vi");
}

#[tokio::test]
async fn every_answer_names_its_request_and_is_safe_to_show() {
    let stack = Stack::start().await;
    let named = stack
        .request(Method::GET, "/auth/v2/lang", None)
        .header("X-Request-Id", "my-request.7");
    let named = stack.send(named).await;
    assert_eq!(header(&named.headers, "x-request-id"), "my-request.7");
    assert_eq!(named.ok()["items"].as_array().unwrap().len(), 12);
    for path in ["/auth/v2/lang", "/nowhere", "/user/info"] {
        let request = stack
            .request(Method::GET, path, None)
            .header("X-Request-Id", "a b<script>");
        let reply = stack.send(request).await;
        assert_eq!(header(&reply.headers, "x-request-id").len(), 36, "{path}");
        assert_eq!(header(&reply.headers, "traceparent").len(), 55, "{path}");
        assert_eq!(
            header(&reply.headers, "x-content-type-options"),
            "nosniff",
            "{path}"
        );
        // What has a tag may be kept, but is asked for before it is used again.
        let kept = header(&reply.headers, "cache-control");
        let tagged = reply.headers.contains_key("etag");
        assert_eq!(kept, if tagged { "no-cache" } else { "no-store" }, "{path}");
        assert!(
            header(&reply.headers, "content-security-policy").contains("frame-ancestors 'none'"),
            "{path}"
        );
    }
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let traced = stack
        .send(
            stack
                .request(Method::GET, "/auth/v2/lang", None)
                .header("traceparent", trace),
        )
        .await;
    assert!(header(&traced.headers, "traceparent").contains("4bf92f3577b34da6a3ce929d0e0e4736"));
}

#[tokio::test]
async fn a_flood_is_refused_by_address_and_by_token() {
    let stack = Stack::start_with(|config| config.flood_limit_per_second = 5).await;
    let mut refused = None;
    for _ in 0..50 {
        // The forwarded address counts, because the peer is a trusted proxy.
        let request = stack
            .request(Method::GET, "/auth/v2/lang", None)
            .header("X-Forwarded-For", "203.0.113.9");
        let reply = stack.send(request).await;
        if reply.http != 200 {
            refused = Some(reply);
            break;
        }
    }
    let refused = refused.expect("the flood is refused");
    at_the_edge(&refused, 429, 429, "TOO_MANY_ATTEMPTS");
    assert!(refused.data["retry_after"].as_u64().unwrap() >= 1);
    assert!(!header(&refused.headers, "retry-after").is_empty());
    let other = stack
        .request(Method::GET, "/auth/v2/lang", None)
        .header("X-Forwarded-For", "203.0.113.10");
    stack.send(other).await.ok();
}

/// Calls of a user and the field that each is refused for.
fn user_calls() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/plan/order/put", json!({"product_id": "p"}), "amount"),
        ("/plan/order/put", json!({"amount": 1}), "product_id"),
        (
            "/plan/order/put",
            json!({"amount": 1, "product_id": "p", "plan_id": "q"}),
            "plan_id",
        ),
        (
            "/plan/order/put",
            json!({"amount": "1e3", "product_id": "p"}),
            "amount",
        ),
        (
            "/plan/order/put",
            json!({"amount": 1.001, "product_id": "p"}),
            "amount",
        ),
        ("/plan/order/detail", json!({}), "id"),
        ("/plan/order/detail", json!({"id": 7}), "id"),
        ("/plan/order/app/detail", json!({"id": "p"}), "product_id"),
        ("/opening_store", json!({}), "code"),
        (
            "/user_coupon/receive",
            json!({"campaign_id": 1}),
            "campaign_id",
        ),
        ("/user/notifications", json!({"limit": 0}), "limit"),
        ("/user/notifications", json!({"filter": "some"}), "filter"),
        ("/user/notifications/read", json!({}), "id"),
        (
            "/user/notifications/read",
            json!({"id": "x", "all": true}),
            "all",
        ),
        (
            "/acceptor/detail",
            json!({"kind": "both", "code": "X"}),
            "kind",
        ),
    ]
}

/// Calls of staff and the field that each is refused for.
fn staff_calls() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/admin/license/create", json!({"count": 0}), "count"),
        ("/admin/license/create", json!({"count": 501}), "count"),
        ("/admin/license/create", json!({"count": "ten"}), "count"),
        (
            "/admin/wallet/deposit",
            json!({"user_id": "x", "amount": -5, "remark": ""}),
            "amount",
        ),
        (
            "/admin/wallet/deposit",
            json!({"user_id": "x", "amount": 5}),
            "remark",
        ),
        (
            "/admin/staff/create",
            json!({"username": "x", "password": "y", "role": "king"}),
            "role",
        ),
        (
            "/admin/user/state",
            json!({"id": "x", "state": "gone"}),
            "state",
        ),
        (
            "/admin/plan/finish",
            json!({"id": "x", "outcome": "settled"}),
            "outcome",
        ),
        (
            "/admin/plan/push",
            json!({"product_id": "p", "amount": 1, "to": {}, "put_content": "", "put_rule": ""}),
            "to",
        ),
    ]
}

#[tokio::test]
async fn bad_inputs_are_named_field_by_field() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    for (path, body, field) in user_calls() {
        let data = stack
            .post(path, &token, &body)
            .await
            .refused(400, "VALIDATION");
        assert_eq!(data["field"], field, "{path} {body}");
    }
    for (path, field) in [
        ("/plan/order/list?status=x", "status"),
        ("/plan/order/list?limit=abc", "limit"),
        ("/plan/product/list?cursor=nonsense", "cursor"),
        ("/transaction_flow/list?month=2026-99", "month"),
        ("/transaction_flow/list?cursor=%F0%9F%92%A9", "cursor"),
        ("/transaction_flow/monthly?months=0", "months"),
        ("/ad/order/data_statistics/list?type=0", "type"),
        ("/user_coupon/list?state=lost", "state"),
    ] {
        let data = stack.get(path, &token).await.refused(400, "VALIDATION");
        assert_eq!(data["field"], field, "{path}");
    }
    for (path, body, field) in staff_calls() {
        let data = stack
            .post(path, &admin, &body)
            .await
            .refused(400, "VALIDATION");
        assert_eq!(data["field"], field, "{path} {body}");
    }
}

#[tokio::test]
async fn a_flood_under_one_token_is_refused_wherever_it_comes_from() {
    let stack = Stack::start_with(|config| {
        config.flood_limit_per_second = 0;
        config.flood_limit_session_per_second = 5;
    })
    .await;
    let admin = stack.admin().await;
    let (_, flooding) = stack.user(&admin).await;
    let (_, other) = stack.user(&admin).await;
    let ask = |token: &str, address: String| {
        let request = stack.request(Method::GET, "/user/info", Some(token));
        stack.send(request.header("X-Forwarded-For", address))
    };
    let mut answered = 0;
    let refused = loop {
        // From another address each time: only the token is the same.
        let reply = ask(&flooding, format!("203.0.113.{answered}")).await;
        if reply.http != 200 {
            break reply;
        }
        answered += 1;
        assert!(answered < 200, "the flood is refused");
    };
    assert!(answered >= 5, "{answered}");
    at_the_edge(&refused, 429, 429, "TOO_MANY_ATTEMPTS");
    assert!(refused.data["retry_after"].as_u64().unwrap() >= 1);
    assert!(!header(&refused.headers, "retry-after").is_empty());
    // Nobody else is held up, not even from the address that was just refused.
    ask(&other, format!("203.0.113.{answered}")).await.ok();
}

#[tokio::test]
async fn slow_headers_hold_nobody_up_and_are_cut() {
    let stack = Stack::start_with(|config| config.header_read_timeout_seconds = 1).await;
    let address = stack.gateway.trim_start_matches("http://").to_owned();
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream
            .write_all(b"GET /api/auth/v2/lang HTTP/1.1\r\nHost: x\r\n")
            .await
            .unwrap();
        slow.push(stream);
    }
    stack
        .send(stack.request(Method::GET, "/auth/v2/lang", None))
        .await
        .ok();
    let mut rest = Vec::new();
    let closed =
        tokio::time::timeout(Duration::from_secs(10), slow[0].read_to_end(&mut rest)).await;
    assert!(
        closed.is_ok(),
        "a client that never ends its headers is cut off"
    );
}

#[tokio::test]
async fn two_thousand_connections_that_say_nothing_or_not_enough_hold_nobody_up() {
    const CONNECTIONS: usize = 2_000;
    adfolio_testkit::raise_file_limit(2 * CONNECTIONS + 1_000);
    let stack = Stack::start().await;
    let address = stack.gateway.trim_start_matches("http://").to_owned();
    let mut held = Vec::new();
    for number in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        if number % 10 == 0 {
            stream
                .write_all(b"GET /api/auth/v2/lang HTTP/1.1\r\nHost: x\r\n")
                .await
                .unwrap();
        }
        held.push(stream);
    }
    let began = Instant::now();
    let call = stack.send(stack.request(Method::GET, "/auth/v2/lang", None));
    let answer = tokio::time::timeout(DEFAULT_CALL_LIMIT, call).await;
    answer.expect("answered within the time of any call").ok();
    println!("beside {CONNECTIONS} connections: {:?}", began.elapsed());
    for stream in held {
        let read = stream.try_read(&mut [0]);
        let open = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        assert!(open, "all of them were there all the while");
    }
}

#[tokio::test]
async fn the_document_is_served() {
    let stack = Stack::start().await;
    let response = reqwest::get(format!("{}/api/openapi.json", stack.gateway))
        .await
        .unwrap();
    assert_eq!(
        response.text().await.unwrap(),
        include_str!("../../openapi.json")
    );
}
