//! Notifications, feedback, texts, the public configuration.

use adfolio_testkit::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{UNKNOWN, Walk};
use crate::services::PUSH_SERVICE;

pub async fn walk(walk: &Walk) {
    futures::join!(
        notifies(walk),
        listens(walk),
        edits_texts(walk),
        subscribes(walk)
    );
}

async fn notifies(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let publish = |to: Value| {
        json!({
            "category": "maintenance", "to": to, "title": {"en": "Maintenance on Sunday", "de": "Wartung am Sonntag"},
            "content": {"en": "From 02:00 to 03:00 UTC."}, "reason": "planned",
        })
    };
    let path = "/admin/notification/create";
    walk.staff(path, publish(json!("all"))).await.ok();
    let some = walk.staff(path, publish(json!([user.id]))).await.ok();
    assert_eq!(some["recipients"], 1);
    walk.staff(path, publish(json!([UNKNOWN])))
        .await
        .refused(405, "NOT_FOUND");
    let mut nameless = publish(json!("all"));
    nameless["title"] = json!({"de": "Wartung am Sonntag"});
    let reply = walk.staff(path, nameless).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "title.en");
    let reply = walk.staff(path, publish(json!("everybody"))).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "to");

    let list = json!({"category": "maintenance", "filter": "unread"});
    let german = stack
        .request(Method::POST, "/user/notifications", Some(&user.token))
        .header("X-Lang", "de")
        .json(&list);
    let page = stack.send(german).await.ok();
    assert_eq!(page["items"][0]["title"], "Wartung am Sonntag");
    let read = "/user/notifications/read";
    let one = json!({"id": page["items"][0]["id"]});
    stack.post(read, &user.token, &one).await.ok();
    let unknown = json!({"id": UNKNOWN});
    let reply = stack.post(read, &user.token, &unknown).await;
    reply.refused(405, "NOT_FOUND");
    let all = json!({"all": true});
    let left = stack.post(read, &user.token, &all).await.ok();
    assert_eq!(left["unread_total"], 0);
    let count = "/user/notifications/unread_count";
    stack.post(count, &user.token, &json!({})).await.ok();
}

async fn subscribes(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let key = stack.send(stack.request(Method::GET, "/push/key", None));
    let key = key.await.ok()["public_key"].clone();
    let endpoint = format!("{PUSH_SERVICE}/a-browser");
    // Any point of the curve is a key; this one is the installation's.
    let browser = json!({"endpoint": endpoint, "p256dh": key, "auth": "_ordMnz7uTCmrpBTeUV4Bw"});
    let subscribe = "/push/subscribe";
    stack.post(subscribe, &user.token, &browser).await.ok();
    for (field, value) in [
        ("endpoint", "https://adfolio.example/elsewhere"),
        ("p256dh", "?"),
        ("auth", "c2hvcnQ"),
    ] {
        let mut wrong = browser.clone();
        wrong[field] = json!(value);
        let reply = stack.post(subscribe, &user.token, &wrong).await;
        assert_eq!(reply.refused(400, "VALIDATION")["field"], field);
    }
    let same = json!({"endpoint": endpoint});
    let path = "/push/unsubscribe";
    stack.post(path, &user.token, &same).await.ok();
}

async fn listens(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let body = json!({"topic": "Coupons", "content": "Where is mine?"});
    let reply = stack.post("/feedback", &user.token, &body).await;
    assert_eq!(reply.msg, "Successfully posted");
    let id = reply.ok()["id"].clone();
    let open = walk.staff_get("/admin/feedback/list?state=open").await;
    assert!(!open["items"].as_array().unwrap().is_empty());
    let close = |id: &Value| json!({"id": id, "reply": "It is there now."});
    let path = "/admin/feedback/close";
    let closed = walk.staff(path, close(&id)).await.ok();
    assert_eq!(closed["user"]["id"], json!(user.id));
    walk.staff(path, close(&id))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(path, close(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let list = json!({"category": "activity"});
    eventually("the reply arrives", || async {
        let page = stack.post("/user/notifications", &user.token, &list).await;
        let items = page.ok()["items"].clone();
        items.as_array().unwrap().iter().any(|item| {
            let content = item["content"].as_str().unwrap();
            content.contains("It is there now.")
        })
    })
    .await;
}

async fn edits_texts(walk: &Walk) {
    let stack = &walk.stack;
    let before = walk.staff_get("/admin/content").await;
    assert_eq!(before["faq"].as_array().unwrap().len(), 5);
    let mut texts = before.clone();
    texts["customer_service"] = json!([
        {"type": 1, "url": "https://support.example.com/chat", "label": {"en": "Live chat", "de": "Chat"}},
    ]);
    texts["marketing"] = json!({"headline": {"en": "Advertise where people play"}});
    texts["deposit_methods"] = json!([{
        "name": {"en": "Bank transfer"}, "min": "10.00", "fee": {"en": "No fee"}, "arrival": {"en": "Within a day"},
    }]);
    texts["terms"] = json!({"en": "Be fair."});
    let terms = || stack.request(Method::GET, "/legal?name=terms", None);
    stack.send(terms()).await.refused(405, "NOT_FOUND");
    let after = walk.staff("/admin/content", texts.clone()).await.ok();
    assert_eq!(after["faq"], before["faq"]);
    texts["operating_rules"] = json!({"de": "Regeln"});
    let reply = walk.staff("/admin/content", texts).await;
    assert_eq!(
        reply.refused(400, "VALIDATION")["field"],
        "operating_rules.en"
    );
    let config = stack.request(Method::GET, "/basic_config?lang=de", None);
    let config = stack.send(config).await.ok();
    assert_eq!(config["customer_service_url"][0]["label"], "Chat");
    assert_eq!(config["deposit_methods"][0]["min"], "10.00");
    assert_eq!(config["deposit_methods"][0]["max"], Value::Null);
    assert_eq!(stack.send(terms()).await.ok()["text"], "Be fair.");
    assert_eq!(
        config["marketing"]["headline"],
        "Advertise where people play"
    );
    assert_eq!(config["faq_config"].as_array().unwrap().len(), 5);
    goes_back(walk, &after).await;
}

/// Somebody who has not seen the newest texts replaces none, and old ones can be had back.
async fn goes_back(walk: &Walk, after: &Value) {
    let headline = |text: &str, version: &Value| json!({"marketing": {"headline": {"en": text}}, "version": version, "reason": "new season"});
    let path = "/admin/content";
    let seen = &after["version"];
    let changed = walk.staff(path, headline("Winter", seen)).await.ok();
    let reply = walk.staff(path, headline("Summer", seen)).await;
    assert_eq!(reply.refused(400, "CHANGED_MEANWHILE")["field"], "version");
    let versions = walk.staff_get("/admin/content/versions?limit=2").await;
    assert_eq!(versions["items"][0]["version"], changed["version"]);
    assert_eq!(versions["items"][0]["parts"], json!(["marketing_headline"]));
    assert_eq!(versions["items"][0]["reason"], "new season");
    let old = walk
        .staff_get(&format!("/admin/content/version?version={seen}"))
        .await;
    assert_eq!(old["content"], *after);
    let unknown = "/admin/content/version?version=4711";
    let reply = walk.stack.get(unknown, &walk.admin).await;
    reply.refused(405, "NOT_FOUND");

    let restore = "/admin/content/restore";
    let back = |version: &Value, current: &Value| json!({"version": version, "current": current, "parts": ["marketing_headline"], "reason": "too early"});
    let reply = walk.staff(restore, back(seen, seen)).await;
    assert_eq!(reply.refused(400, "CHANGED_MEANWHILE")["field"], "current");
    let stands = &changed["version"];
    walk.staff(restore, back(&json!(4711), stands))
        .await
        .refused(405, "NOT_FOUND");
    let restored = walk.staff(restore, back(seen, stands)).await.ok();
    assert_eq!(restored["marketing"], after["marketing"]);
    let again = json!({"version": seen, "reason": "too early"});
    walk.staff(restore, again)
        .await
        .refused(400, "NOTHING_CHANGED");
}
