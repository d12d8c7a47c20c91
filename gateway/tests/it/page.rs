//! The API's page, and how long answers travel.

use serde_json::json;

use crate::fakes::Front;

#[tokio::test]
async fn the_page_fetches_nothing_from_elsewhere() {
    let front = Front::start().await;
    let page = front.send(front.get("/docs")).await;
    assert_eq!(
        (page.http, page.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy");
    assert!(policy.contains("script-src 'self';") && policy.contains("connect-src 'self';"));
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    let html = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(
        !html.contains("http:") && !html.contains("https:"),
        "{html}"
    );
    let mut files = 0;
    for address in html.split('"').filter(|part| part.starts_with("/api/")) {
        let file = front
            .send(front.get(address.trim_start_matches("/api")))
            .await;
        assert_eq!(file.http, 200, "{address}");
        assert!(!file.header("content-type").is_empty(), "{address}");
        files += 1;
    }
    assert_eq!(files, 5);
    let start = front.send(front.get("/docs/start.js")).await;
    assert!(String::from_utf8_lossy(&start.body).contains("\"/api/openapi.json\""));
    let with_slash = front.send(front.get("/docs/")).await;
    assert_eq!(with_slash.body, html.as_bytes());
    let other = front.send(front.get("/docs/oauth2-redirect.html")).await;
    assert_eq!(other.refusal(), (404, 405, "NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn who_must_wait_is_told_how_long_in_the_answer_and_its_header() {
    let front = Front::start().await;
    let login = front.http.post(format!("{}/auth/v2/login", front.url));
    let login = login.json(&json!({"username": "ada", "password": "wrong horse"}));
    let locked = front.send(login).await;
    assert_eq!(locked.refusal(), (200, 429, "TOO_MANY_ATTEMPTS".to_owned()));
    assert_eq!(locked.envelope()["data"]["retry_after"], 1_800);
    assert_eq!(locked.header("retry-after"), "1800");
}

#[tokio::test]
async fn long_answers_are_compressed_for_those_who_can_read_it() {
    let front = Front::start().await;
    let ask =
        |path: &str, encoding: &'static str| front.get(path).header("Accept-Encoding", encoding);
    for path in [
        "/openapi.json",
        "/basic_config",
        "/docs/swagger-ui-bundle.js",
    ] {
        let plain = front.send(ask(path, "identity")).await;
        let packed = front.send(ask(path, "gzip")).await;
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        assert_eq!(packed.header("content-encoding"), "gzip", "{path}");
        assert!(packed.body.len() * 2 < plain.body.len(), "{path}");
        assert_eq!(packed.header("etag"), plain.header("etag"), "{path}");
        let vary = packed.headers.get_all("vary");
        assert!(
            vary.iter().any(|value| value == "accept-encoding"),
            "{path}"
        );
    }
    let short = front.send(ask("/nowhere", "gzip")).await;
    assert_eq!((short.http, short.header("content-encoding")), (404, ""));
}

#[tokio::test]
async fn the_document_and_the_languages_are_sent_once() {
    let front = Front::start().await;
    for path in ["/openapi.json", "/auth/v2/lang"] {
        let first = front.send(front.get(path)).await;
        assert_eq!(first.http, 200);
        let again = front
            .get(path)
            .header("If-None-Match", first.header("etag"));
        let again = front.send(again).await;
        assert_eq!((again.http, again.body.len()), (304, 0), "{path}");
        assert!(again.headers.contains_key("x-request-id"), "{path}");
    }
}
