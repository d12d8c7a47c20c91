//! What waits for staff, who is logged in, and who works on what.

use adfolio_kit::identity::StaffRole;
use serde_json::{Value, json};

use super::Walk;
use super::staff::own_id;

pub async fn walk(walk: &Walk) {
    futures::join!(looks(walk), claims(walk));
}

async fn looks(walk: &Walk) {
    let today = walk.staff_get("/admin/today").await;
    assert_eq!(today["waiting"].as_array().unwrap().len(), 13);
    assert_eq!(today["books"]["state"], "known");
    let me = walk.staff_get("/admin/me").await;
    assert_eq!(
        (&me["id"], &me["role"]),
        (&own_id(walk).await, &json!("admin"))
    );
    assert!(me["session"]["opened_at"].is_string() && me["session"]["expires_at"].is_string());
}

async fn claims(walk: &Walk) {
    let stack = &walk.stack;
    let item = json!({"kind": "withdrawal", "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e77"});
    let first = walk.staff("/admin/claim", item.clone()).await.ok();
    assert_eq!((&first["own"], &first["id"]), (&json!(true), &item["id"]));
    let told = stack.post("/admin/claim", &walk.second, &item).await.ok();
    assert_eq!(told["own"], false);
    assert_eq!(
        told["staff"],
        json!({"id": own_id(walk).await, "username": "admin"})
    );
    let listed = async || {
        let page = stack
            .get("/admin/claims?kind=withdrawal", &walk.second)
            .await;
        let page = page.ok()["items"].as_array().unwrap().clone();
        page.into_iter().find(|claim| claim["id"] == item["id"])
    };
    let listed_first = listed().await.expect("the claim");
    assert_eq!(listed_first["staff"]["username"], "admin");

    let support = stack.staff(&walk.admin, StaffRole::Support).await;
    for path in ["/admin/claim", "/admin/claim/release"] {
        stack
            .post(path, &support, &item)
            .await
            .refused(403, "FORBIDDEN");
        for (body, field) in [
            (json!({"kind": "house", "id": "x"}), "kind"),
            (json!({"kind": "plan", "id": " "}), "id"),
            (json!({"kind": "plan"}), "id"),
        ] {
            let reply = stack.post(path, &support, &body).await;
            assert_eq!(reply.refused(400, "VALIDATION")["field"], field);
        }
    }
    let reply = stack.get("/admin/claims?kind=withdrawal", &support).await;
    reply.refused(403, "FORBIDDEN");
    let reply = stack.get("/admin/claims", &support).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "kind");

    let release = async |token: &str| stack.post("/admin/claim/release", token, &item).await.ok();
    release(&walk.second).await;
    assert!(
        listed().await.is_some(),
        "it is not the second's to release"
    );
    release(&walk.admin).await;
    assert_eq!(listed().await, None::<Value>);
}
