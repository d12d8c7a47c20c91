//! What waits for a person, in front of the real services, and with some of them gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfolio_kit::identity::StaffRole;
use adfolio_testkit::{eventually, free_listener};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::fakes::{Front, staff_token};
use crate::stack::Stack;

/// What waits, by kind.
fn by_kind(today: &Value) -> BTreeMap<String, Value> {
    let waiting = today["waiting"].as_array().unwrap().iter();
    let named = waiting.map(|item| (item["kind"].as_str().unwrap().to_owned(), item.clone()));
    named.collect()
}

#[tokio::test]
async fn a_role_sees_what_waits_of_what_it_may_open() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    let feedback = json!({"topic": "Help", "content": "My plan does not start."});
    stack.post("/feedback", &token, &feedback).await.ok();
    let freeze = json!({"reason": "not me"});
    stack.post("/user/freeze", &token, &freeze).await.ok();
    let everybodys = [
        "campaigns",
        "delivery_imports",
        "freezes",
        "plans_to_finish",
        "plans_to_settle",
        "quarantined_reports",
    ];
    let money = [
        "approvals",
        "bank_lines",
        "exchange_orders",
        "payment_batches",
        "withdrawals",
    ];
    for (role, own, has_books) in [
        (StaffRole::Support, &["feedback"][..], false),
        (StaffRole::Finance, &money, true),
        (StaffRole::Operator, &["dead_letters"], false),
    ] {
        let member = stack.staff(&admin, role).await;
        let today = stack.get("/admin/today", &member).await.ok();
        let waiting = by_kind(&today);
        let mut expected = [&everybodys, own].concat();
        expected.sort_unstable();
        assert_eq!(waiting.keys().collect::<Vec<_>>(), expected, "{role}");
        assert_eq!(today["books"].is_object(), has_books, "{role}");
        let operates = role == StaffRole::Operator;
        assert_eq!(today["alerts"].is_object(), operates, "{role}");
        let freezes = &waiting["freezes"];
        assert_eq!(
            (&freezes["count"], &freezes["state"]),
            (&json!(1), &json!("known"))
        );
        assert!(freezes["oldest_at"].is_string());
    }
    let today = stack.get("/admin/today", &admin).await.ok();
    let waiting = by_kind(&today);
    assert_eq!(waiting.len(), 13);
    assert_eq!(waiting["feedback"]["count"], 1);
    assert_eq!(waiting["withdrawals"]["count"], 0);
    assert_eq!(waiting["withdrawals"]["oldest_at"], Value::Null);
    assert_eq!(waiting["dead_letters"]["count"], 0);
    assert_eq!(waiting["dead_letters"]["state"], "known");
    assert_eq!(
        today["alerts"],
        json!({"state": "not_configured", "items": [], "more": false})
    );
}

#[tokio::test]
async fn a_service_that_is_gone_makes_its_kinds_unavailable_and_nothing_else() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    stack.services.coupon.shutdown.trigger();
    eventually("coupon is gone", || async {
        stack.get("/admin/coupon/campaign/list", &admin).await.http == 503
    })
    .await;
    let waiting = by_kind(&stack.get("/admin/today", &admin).await.ok());
    for (kind, item) in &waiting {
        let is_gone = ["campaigns", "dead_letters"].contains(&kind.as_str());
        let state = if is_gone { "unavailable" } else { "known" };
        assert_eq!(item["state"], state, "{item}");
    }
    assert_eq!(waiting["campaigns"]["count"], Value::Null);
    // What the others have counted is still shown.
    assert_eq!(waiting["dead_letters"]["count"], 0);
}

/// Services of the release before do not know the call.
#[tokio::test]
async fn the_page_is_there_without_any_answer() {
    let front = Front::start().await;
    let request = front.get("/admin/today").header("X-CT", staff_token());
    let today = front.send(request).await.envelope()["data"].clone();
    let waiting = by_kind(&today);
    assert_eq!(waiting.len(), 13);
    for item in waiting.values() {
        assert_eq!(
            (&item["state"], &item["count"]),
            (&json!("unavailable"), &Value::Null)
        );
    }
    assert_eq!(today["sources"]["state"], "unavailable");
    assert_eq!(today["books"]["state"], "unavailable");
}

/// Serves this as the list of a Prometheus, and counts how often it is read.
async fn prometheus(alerts: Vec<Value>) -> (String, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let body = json!({"status": "success", "data": {"alerts": alerts}});
    let counted = Arc::clone(&reads);
    let list = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Json(body.clone()))
    };
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/api/v1/alerts", get(list));
    tokio::spawn(axum::serve(listener, app).into_future());
    (url, reads)
}

#[tokio::test]
async fn alerts_that_fire_are_shown_and_prometheus_is_spared() {
    let alert = |name: String, severity: &str| {
        json!({
            "labels": {"alertname": name, "severity": severity}, "annotations": {"summary": "It is."},
            "state": "firing", "activeAt": "2026-11-29T08:00:00.5Z", "value": "1e+00",
        })
    };
    let tickets = (0..20).map(|number| alert(format!("Ticket{number:02}"), "ticket"));
    let fired = tickets.chain([alert("Page".to_owned(), "page")]).collect();
    let (url, reads) = prometheus(fired).await;
    let front = Front::start_with(|config| config.alerts_url = url).await;
    let read = || async {
        let request = front.get("/admin/today").header("X-CT", staff_token());
        front.send(request).await.data()["alerts"].clone()
    };
    let (alerts, again) = tokio::join!(read(), read());
    assert_eq!(
        (&alerts["state"], &alerts["more"]),
        (&json!("known"), &json!(true))
    );
    assert_eq!(alerts["items"].as_array().unwrap().len(), 20);
    assert_eq!(
        alerts["items"][0],
        json!({"name": "Page", "severity": "page", "summary": "It is.", "since": "2026-11-29T08:00:00.500Z"})
    );
    assert_eq!(alerts, again);
    assert_eq!(reads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_prometheus_that_is_gone_makes_alerts_unavailable_and_nothing_else() {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let front = Front::start_with(|config| config.alerts_url = url).await;
    let request = front.get("/admin/today").header("X-CT", staff_token());
    let today = front.send(request).await.data();
    assert_eq!(
        today["alerts"],
        json!({"state": "unavailable", "items": [], "more": false})
    );
    assert_eq!(by_kind(&today).len(), 13);
}
