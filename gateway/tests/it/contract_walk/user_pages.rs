//! What support sees of a user, and ending the user's sessions.

use adfolio_testkit::eventually;
use serde_json::{Value, json};

use super::{UNKNOWN, Walk};

const END: &str = "/admin/user/sessions/end";

pub async fn walk(walk: &Walk) {
    let user = walk.user().await;
    let stack = &walk.stack;
    let campaign = json!({
        "name": "User page", "type": "team", "mode": "deduction", "value": 5, "amount_requirement": 0, "kind": "staff",
        "valid_days": 1, "total": 3,
    });
    let path = "/admin/coupon/campaign/create";
    let campaign = walk.staff(path, campaign).await.ok();
    let grant = json!({"campaign_id": campaign["id"], "user_id": user.id});
    let coupon = walk.staff("/admin/coupon/grant", grant).await.ok();
    let path = format!("/admin/user/coupons?user_id={}", user.id);
    let coupons = walk.staff_get(&path).await;
    assert_eq!(coupons["items"][0]["id"], coupon["id"]);
    assert_eq!(coupons["counts"]["unused"], 1);

    let notice = json!({
        "category": "activity", "to": [user.id], "title": {"en": "News of page seven"}, "content": {"en": "Read by support."},
    });
    let notice = walk.staff("/admin/notification/create", notice).await.ok();
    let path = format!("/admin/user/notices?user_id={}&category=activity", user.id);
    let notices = walk.staff_get(&path).await;
    let own = json!({"category": "activity"});
    let own = stack.post("/user/notifications", &user.token, &own).await;
    let titles = |page: &Value| -> Vec<Value> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["title"].clone()).collect()
    };
    assert!(
        titles(&notices).contains(&json!("News of page seven")),
        "{notice}"
    );
    assert!(titles(&own.ok()).contains(&json!("News of page seven")));

    for path in ["coupons", "notices", "security_log"] {
        let unknown = format!("/admin/user/{path}?user_id={UNKNOWN}");
        let reply = stack.get(&unknown, &walk.admin).await;
        assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "user_id");
        let path = format!("/admin/user/{path}");
        let reply = stack.get(&path, &walk.admin).await;
        assert_eq!(reply.refused(400, "VALIDATION")["field"], "user_id");
    }
    ends_sessions(walk, &user.id, &user.token).await;
}

async fn ends_sessions(walk: &Walk, id: &str, token: &str) {
    let stack = &walk.stack;
    let end = |id: &str| json!({"user_id": id, "reason": "a stolen phone"});
    walk.staff(END, end(UNKNOWN))
        .await
        .refused(405, "NOT_FOUND");
    let reply = walk.staff(END, json!({"user_id": id, "reason": " "})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
    assert_eq!(walk.staff(END, end(id)).await.ok()["ended"], 1);
    assert_eq!(walk.staff(END, end(id)).await.ok()["ended"], 0);
    eventually("the session is over", || async {
        stack.get("/user/info", token).await.reason() == "SESSION_EXPIRED"
    })
    .await;
    let path = format!("/admin/user/security_log?user_id={id}");
    eventually("it is in the log", || async {
        let log = walk.staff_get(&path).await;
        let mut items = log["items"].as_array().unwrap().iter();
        items.any(|item| {
            item["action"] == "auth.end_user_sessions" && item["reason"] == "a stolen phone"
        })
    })
    .await;
}
