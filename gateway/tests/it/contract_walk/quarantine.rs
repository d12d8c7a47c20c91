//! Reports that the gate holds back.

use adfolio_testkit::eventually;
use chrono::Utc;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::{UNKNOWN, Walk};
use crate::stack::product;

const LIST: &str = "/admin/delivery/quarantine/list";
const DECIDE: &str = "/admin/delivery/quarantine/decide";
const SOURCE: &str = "walk-gate";

pub async fn walk(walk: &Walk) {
    is_listed(walk).await;
    refuses(walk).await;
    let import = imports(walk).await;
    let held = is_held(walk, &import).await;
    is_released_by_another(walk, &held).await;
}

/// Nothing of this source is held back before its file.
async fn is_listed(walk: &Walk) {
    for state in ["waiting", "approved", "released", "rejected"] {
        let page = walk.staff_get(&format!("{LIST}?state={state}")).await;
        let mut items = page["items"].as_array().unwrap().iter();
        assert!(items.all(|item| item["source"] != SOURCE), "{page}");
    }
    for (query, field) in [("state=lost", "state"), ("cursor=lost", "cursor")] {
        let path = format!("{LIST}?{query}");
        let reply = walk.stack.get(&path, &walk.admin).await;
        assert_eq!(reply.refused(400, "VALIDATION")["field"], field);
    }
}

async fn refuses(walk: &Walk) {
    let decide = |body: Value| walk.staff(DECIDE, body);
    let ids = json!([UNKNOWN]);
    let unknown = json!({"ids": ids, "decision": "rejected", "reason": "no reply"});
    decide(unknown).await.refused(405, "NOT_FOUND");
    let many = vec![UNKNOWN; 101];
    for (body, field) in [
        (
            json!({"ids": ids, "decision": "deleted", "reason": "no reply"}),
            "decision",
        ),
        (json!({"ids": ids, "decision": "released"}), "reason"),
        (
            json!({"ids": ids, "decision": "released", "reason": ""}),
            "reason",
        ),
        (json!({"decision": "released", "reason": "seen"}), "ids"),
        (
            json!({"ids": [], "decision": "released", "reason": "seen"}),
            "ids",
        ),
        (
            json!({"ids": many, "decision": "released", "reason": "seen"}),
            "ids",
        ),
    ] {
        let data = decide(body).await.refused(400, "VALIDATION");
        assert_eq!(data["field"], field);
    }
}

/// A file with a good row, and one that costs money for nothing.
async fn imports(walk: &Walk) -> Value {
    let stack = &walk.stack;
    let user = walk.funded("200.00").await;
    let product = product("Harbour Gate");
    let product = walk.staff("/admin/product/create", product).await.ok();
    let put = json!({"product_id": product["id"], "amount": "100.00"});
    let plan = stack.post("/plan/order/put", &user.token, &put).await.ok();
    let number = plan["plan_number"].as_str().unwrap();
    let time = Utc::now().to_rfc3339();
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\n\
         good,{number},{time},1000,7,2.00,3.00\n\
         costly,{number},{time},0,0,1.00,0.00\n"
    );
    let form = Form::new()
        .text("source", SOURCE)
        .text("mapping", "{}")
        .part("file", Part::text(file).file_name("reports.csv"));
    let path = "/admin/delivery/import";
    let imported = stack.post_form(path, &walk.admin, form).await.ok();
    assert_eq!(
        (
            &imported["quarantined"][0]["line"],
            &imported["quarantined_count"],
            &imported["rejected_count"]
        ),
        (&json!(3), &json!(1), &json!(0))
    );
    let release = json!({
        "import_id": imported["import_id"], "decision": "released", "reason": "as agreed",
    });
    let path = "/admin/delivery/import/decide";
    stack.post(path, &walk.second, &release).await.ok();
    imported["import_id"].clone()
}

/// The report that waits for a decision.
async fn is_held(walk: &Walk, import: &Value) -> Value {
    let held = eventually("the report is held back", || async {
        let page = walk
            .staff_get(&format!("{LIST}?state=waiting&limit=100"))
            .await;
        let mut items = page["items"].as_array().unwrap().iter();
        items.find(|item| item["source"] == SOURCE).cloned()
    })
    .await;
    assert_eq!(
        (&held["report_id"], &held["import_id"], &held["line"]),
        (&json!("costly"), import, &json!(3))
    );
    assert_eq!(held["findings"][0]["rule"], "spend_without_impressions");
    held["id"].clone()
}

async fn is_released_by_another(walk: &Walk, id: &Value) {
    let decide =
        |decision: &str| json!({"ids": [id], "decision": decision, "reason": "a fixed fee"});
    let own = walk.staff(DECIDE, decide("released")).await;
    assert_eq!(own.refused(403, "FORBIDDEN")["field"], "requested_by");
    let by_second = |decision: &str| {
        let body = decide(decision);
        async move { walk.stack.post(DECIDE, &walk.second, &body).await }
    };
    for _ in 0..2 {
        let released = by_second("released").await.ok();
        let report = &released["items"][0];
        assert_eq!(
            (&report["id"], &report["state"], &report["outcome"]),
            (id, &json!("released"), &json!("applied"))
        );
    }
    by_second("rejected").await.refused(400, "NOTHING_CHANGED");
}
