//! Networks, their placements and prices.

use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use super::{UNKNOWN, Walk};

pub async fn walk(walk: &Walk) {
    let network = networks(walk).await;
    placements(walk, &network).await;
}

async fn networks(walk: &Walk) -> Value {
    let create = |source: &str| {
        let body = json!({"name": "Network A", "source": source, "simulated": true});
        walk.staff("/admin/network/create", body)
    };
    let data = create("Network A").await.refused(400, "VALIDATION");
    assert_eq!(data["field"], "source");
    let created = create("walk-network").await.ok();
    assert_eq!(
        (&created["simulated"], &created["report_delay_seconds"]),
        (&json!(true), &json!(300))
    );
    let data = create("walk-network").await.refused(400, "VALIDATION");
    assert_eq!(data["field"], "source");

    let edit = |network: &Value| {
        let body = json!({"network_id": network, "name": "Network B", "reason": "renamed"});
        walk.staff("/admin/network/edit", body)
    };
    edit(&json!(UNKNOWN)).await.refused(405, "NOT_FOUND");
    assert_eq!(edit(&created["id"]).await.ok()["name"], "Network B");

    let key = |network: &Value| {
        let body = json!({"network_id": network, "overlap_seconds": 60, "reason": "rotation"});
        walk.staff("/admin/network/key", body)
    };
    key(&json!(UNKNOWN)).await.refused(405, "NOT_FOUND");
    let rotated = key(&created["id"]).await.ok();
    assert_ne!(rotated["key"], created["key"]);
    assert!(rotated["keys"][1]["expires_at"].is_string());
    let listed = walk.staff_get("/admin/network/list").await;
    assert!(listed["items"][0]["key"].is_null());
    calls(walk, &created["key"]).await;
    calls(walk, &rotated["key"]).await;
    created["id"].clone()
}

/// What a network does with its key; an earlier one is valid until its overlap ends.
async fn calls(walk: &Walk, key: &Value) {
    let call = |method: Method, path: &str, key: &str| {
        let request = walk.stack.request(method, path, None);
        request.header("X-Network-Key", key)
    };
    let key = key.as_str().unwrap();
    let fetch = |query: &str, key: &str| {
        let path = format!("/network/allotments{query}");
        walk.stack.send(call(Method::GET, &path, key))
    };
    let unknown = "5e".repeat(32);
    fetch("", &unknown).await.refused(401, "NOT_AUTHENTICATED");
    let after = format!("?after={UNKNOWN}");
    for (query, field) in [("?limit=0", "limit"), (after.as_str(), "after")] {
        let data = fetch(query, key).await.refused(400, "VALIDATION");
        assert_eq!(data["field"], field);
    }
    let allotted = fetch("?limit=1000", key).await.ok();
    assert_eq!(allotted["items"], json!([]));

    let report = |key: &str| {
        let request = call(Method::POST, "/network/reports", key);
        let request = request.header("Content-Type", "application/x-ndjson");
        walk.stack.send(request.body("{}\n"))
    };
    report(&unknown).await.refused(401, "NOT_AUTHENTICATED");
    let reported = report(key).await.ok();
    assert_eq!(
        (&reported["read"], &reported["rejected"][0]["line"]),
        (&json!(1), &json!(1))
    );
}

async fn placements(walk: &Walk, network: &Value) {
    let create = |network: &Value, countries: Value| {
        let body = json!({
            "network_id": network, "name": "Feed, top", "format": "native", "countries": countries, "systems": ["ios"],
        });
        walk.staff("/admin/placement/create", body)
    };
    create(&json!(UNKNOWN), json!([]))
        .await
        .refused(405, "NOT_FOUND");
    let data = create(network, json!(["Austria"]))
        .await
        .refused(400, "VALIDATION");
    assert_eq!(data["field"], "countries");
    let placement = create(network, json!(["at", "DE"])).await.ok();
    assert_eq!(placement["countries"], json!(["AT", "DE"]));

    let edit = |placement: &Value| {
        let body = json!({"placement_id": placement, "countries": [], "reason": "everywhere"});
        walk.staff("/admin/placement/edit", body)
    };
    edit(&json!(UNKNOWN)).await.refused(405, "NOT_FOUND");
    assert_eq!(edit(&placement["id"]).await.ok()["countries"], json!([]));

    let price = |placement: &Value, cost: &str| {
        let body = json!({
            "placement_id": placement, "model": "cpm", "cost": cost, "revenue": 3.1,
            "valid_from": Utc::now() + TimeDelta::hours(1),
        });
        walk.staff("/admin/placement/price", body)
    };
    price(&json!(UNKNOWN), "2.00")
        .await
        .refused(405, "NOT_FOUND");
    let data = price(&placement["id"], "2.0005")
        .await
        .refused(400, "VALIDATION");
    assert_eq!(data["field"], "cost");
    let priced = price(&placement["id"], "2.005").await.ok();
    let proposed = &priced["prices"][0];
    assert_eq!(
        (&proposed["cost"], &proposed["state"]),
        (&json!("2.005"), &json!("proposed"))
    );
    assert!(proposed["holds_from"].is_null());
    let same = json!({
        "placement_id": placement["id"], "model": "cpm", "cost": "2.005", "revenue": 3.1,
        "valid_from": proposed["valid_from"],
    });
    let path = "/admin/placement/price";
    let confirmed = walk.stack.post(path, &walk.second, &same).await.ok();
    let price = &confirmed["prices"][0];
    assert_eq!(
        (&price["state"], &price["holds_from"]),
        (&json!("confirmed"), &proposed["valid_from"])
    );
    let listed = walk.staff_get("/admin/placement/list").await;
    assert_eq!(listed["items"][0]["prices"], confirmed["prices"]);
}
