//! What is scheduled, changed and withdrawn.

use adfolio_testkit::eventually;
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};

use super::{UNKNOWN, Walk};

const CREATE: &str = "/admin/notification/create";
const LIST: &str = "/admin/announcement/list";
const DETAIL: &str = "/admin/announcement/detail";
const EDIT: &str = "/admin/announcement/edit";
const WITHDRAW: &str = "/admin/announcement/withdraw";

pub async fn walk(walk: &Walk) {
    futures::join!(
        is_withdrawn(walk),
        is_published(walk),
        is_counted(walk),
        names_its_users(walk)
    );
}

fn at(delta: TimeDelta) -> Value {
    json!(Utc::now() + delta)
}

fn scheduled(title: &str, publish_at: &Value) -> Value {
    json!({
        "category": "announcement", "to": "all", "title": {"en": title}, "content": {"en": "More later."},
        "publish_at": publish_at,
    })
}

async fn listed(walk: &Walk, state: &str, id: &Value) -> Option<Value> {
    let page = walk
        .staff_get(&format!("{LIST}?state={state}&limit=100"))
        .await;
    let mut items = page["items"].as_array().unwrap().iter();
    items.find(|item| item["id"] == *id).cloned()
}

async fn is_withdrawn(walk: &Walk) {
    let late = scheduled("In a year", &at(TimeDelta::days(400)));
    let reply = walk.staff(CREATE, late).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "publish_at");
    let tomorrow = scheduled("Tomorrow", &at(TimeDelta::days(1)));
    let created = walk.staff(CREATE, tomorrow).await.ok();
    assert_eq!(created["state"], "scheduled");
    let id = &created["id"];
    let before = listed(walk, "scheduled", id).await.unwrap();
    assert_eq!(
        (&before["version"], &before["to"]),
        (&json!(1), &json!("all"))
    );

    let edit =
        |id: &Value, version: i64| json!({"id": id, "version": version, "title": {"en": "Later"}});
    let edited = walk.staff(EDIT, edit(id, 1)).await.ok();
    assert_eq!(edited["title"], json!({"en": "Later"}));
    assert_eq!(edited["content"], before["content"]);
    let reply = walk.staff(EDIT, edit(id, 1)).await;
    assert_eq!(reply.refused(400, "CHANGED_MEANWHILE")["field"], "version");
    walk.staff(EDIT, edit(&json!(UNKNOWN), 1))
        .await
        .refused(405, "NOT_FOUND");
    let empty = json!({"id": id, "version": 2, "title": {}});
    let reply = walk.staff(EDIT, empty).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "title");

    let withdraw =
        |id: &Value, version: i64| json!({"id": id, "version": version, "reason": "postponed"});
    let reply = walk.staff(WITHDRAW, withdraw(id, 1)).await;
    assert_eq!(reply.refused(400, "CHANGED_MEANWHILE")["field"], "version");
    walk.staff(WITHDRAW, withdraw(&json!(UNKNOWN), 1))
        .await
        .refused(405, "NOT_FOUND");
    let reply = walk.staff(WITHDRAW, json!({"id": id})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
    let withdrawn = walk.staff(WITHDRAW, withdraw(id, 2)).await.ok();
    assert_eq!(withdrawn["withdrawal_reason"], "postponed");
    walk.staff(WITHDRAW, withdraw(id, 3))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(EDIT, edit(id, 3))
        .await
        .refused(400, "NOTHING_CHANGED");
    assert!(listed(walk, "withdrawn", id).await.is_some());
}

async fn is_published(walk: &Walk) {
    let user = walk.user().await;
    let soon = scheduled("In a moment", &at(TimeDelta::seconds(2)));
    let id = walk.staff(CREATE, soon).await.ok()["id"].clone();
    let published = eventually("it is published and counted", || async {
        let found = listed(walk, "published", &id).await;
        found.filter(|found| !found["reached"].is_null())
    })
    .await;
    assert!(published["reached"].as_i64().unwrap() > 0);
    let list = json!({"category": "announcement"});
    let inbox = walk.stack.post("/user/notifications", &user.token, &list);
    let inbox = inbox.await.ok();
    let mut items = inbox["items"].as_array().unwrap().iter();
    assert!(items.any(|item| item["id"] == id && item["title"] == "In a moment"));
}

async fn is_counted(walk: &Walk) {
    let audience = walk.staff_get("/admin/announcement/audience").await;
    assert_eq!(audience["more"], json!(false));
}

async fn names_its_users(walk: &Walk) {
    let user = walk.user().await;
    let mut message = scheduled("To one", &at(TimeDelta::days(1)));
    message["to"] = json!([user.id]);
    let id = walk.staff(CREATE, message).await.ok()["id"].clone();
    let id = id.as_str().unwrap();
    let detail = walk.staff_get(&format!("{DETAIL}?id={id}")).await;
    assert_eq!(
        (&detail["to"], &detail["recipients"]),
        (&json!("users"), &json!(1))
    );
    assert_eq!(detail["users"][0]["id"], user.id);
    assert!(detail["users"][0]["username"].is_string());
    let unknown = format!("{DETAIL}?id={UNKNOWN}");
    let reply = walk.stack.get(&unknown, &walk.admin).await;
    assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "id");
}
