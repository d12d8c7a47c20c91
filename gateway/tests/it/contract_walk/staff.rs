//! Staff accounts are confirmed, and end.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{UNKNOWN, Walk};
use crate::stack::{PASSWORD, Reply};

const NEW_PASSWORD: &str = "an even longer staple";

/// A member of finance.
pub struct Member {
    pub id: Value,
    pub name: String,
}

impl Member {
    pub async fn of(walk: &Walk) -> Self {
        let name = format!("m{}", &Uuid::new_v4().simple().to_string()[..15]);
        let body = json!({"username": name, "password": PASSWORD, "role": "finance"});
        let created = walk.staff("/admin/staff/create", body).await.ok();
        Self {
            id: created["id"].clone(),
            name,
        }
    }

    pub async fn try_log_in(&self, walk: &Walk, password: &str) -> Reply {
        let body = json!({"username": self.name, "password": password});
        walk.stack.post_open("/admin/login", &body).await
    }

    pub async fn log_in(&self, walk: &Walk, password: &str) -> String {
        let session = self.try_log_in(walk, password).await.ok();
        session["token"].as_str().unwrap().to_owned()
    }
}

pub async fn walk(walk: &Walk) {
    futures::join!(
        standing(walk),
        confirmations(walk),
        passwords(walk),
        sessions(walk)
    );
}

/// The id of the admin who walks.
pub async fn own_id(walk: &Walk) -> Value {
    let staff = walk.staff_get("/admin/staff/list?limit=100").await;
    let mut all = staff["items"].as_array().unwrap().iter();
    let found = all.find(|member| member["username"] == "admin");
    found.expect("the admin")["id"].clone()
}

async fn standing(walk: &Walk) {
    let member = Member::of(walk).await;
    let own = own_id(walk).await;
    let token = member.log_in(walk, PASSWORD).await;
    for (path, field, to, back) in [
        ("/admin/staff/role", "role", "support", "finance"),
        ("/admin/staff/state", "state", "disabled", "active"),
    ] {
        let body = |id: &Value, to: &str| json!({"staff_id": id, field: to, "reason": "walk"});
        let reply = walk.staff(path, body(&json!(UNKNOWN), to)).await;
        assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "staff_id");
        let reply = walk.staff(path, body(&own, to)).await;
        assert!(reply.msg.contains("another admin"), "{reply:?}");
        assert_eq!(reply.refused(403, "FORBIDDEN")["field"], "staff_id");
        let mut blank = body(&member.id, to);
        blank["reason"] = json!(" ");
        let reply = walk.staff(path, blank).await;
        assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
        let reply = walk.staff(path, body(&member.id, back)).await;
        reply.refused(400, "NOTHING_CHANGED");
        let changed = walk.staff(path, body(&member.id, to)).await.ok();
        assert_eq!(changed[field], to);
    }
    let reply = walk.stack.get("/admin/user/list", &token).await;
    reply.refused(503, "SESSION_EXPIRED");
    let reply = member.try_log_in(walk, "not the password").await;
    reply.refused(400, "BAD_CREDENTIALS");
    let reply = member.try_log_in(walk, PASSWORD).await;
    reply.refused(403, "ACCOUNT_DISABLED");
    let body = json!({"staff_id": member.id, "state": "active", "reason": "walk"});
    walk.staff("/admin/staff/state", body).await.ok();
    member.log_in(walk, PASSWORD).await;
    let staff = walk.staff_get("/admin/staff/list?limit=100").await;
    let mut all = staff["items"].as_array().unwrap().iter();
    let listed = all.find(|other| other["id"] == member.id).unwrap();
    assert_eq!(
        (&listed["state"], &listed["sessions"]),
        (&json!("active"), &json!(1))
    );
}

async fn confirmations(walk: &Walk) {
    let path = "/admin/staff/confirm";
    let member = Member::of(walk).await;
    let confirm = |id: Value| json!({"staff_id": id, "reason": "met her"});
    let reply = walk.staff(path, confirm(member.id.clone())).await;
    assert!(reply.msg.contains("its maker"), "{reply:?}");
    assert_eq!(reply.refused(403, "FORBIDDEN")["field"], "made_by");
    let second = walk.stack.second_admin().await;
    let post = async |body: Value| walk.stack.post(path, &second, &body).await;
    post(confirm(json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let reply = post(json!({"staff_id": member.id, "reason": " "})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
    let confirmed = post(confirm(member.id.clone())).await.ok();
    assert_eq!(confirmed["made_by"], own_id(walk).await);
    let again = post(confirm(member.id)).await;
    again.refused(400, "NOTHING_CHANGED");
}

async fn passwords(walk: &Walk) {
    let stack = &walk.stack;
    let path = "/admin/staff/password";
    let member = Member::of(walk).await;
    let token = member.log_in(walk, PASSWORD).await;
    let change = |old: &str, new: &str| json!({"old_password": old, "new_password": new});
    for (body, reason, field) in [
        (json!({}), "VALIDATION", json!("old_password")),
        (
            json!({"old_password": PASSWORD}),
            "VALIDATION",
            json!("new_password"),
        ),
        (
            json!({"old_password": PASSWORD, "staff_id": member.id}),
            "VALIDATION",
            json!("staff_id"),
        ),
        (
            change("not the password", NEW_PASSWORD),
            "WRONG_PASSWORD",
            json!("old_password"),
        ),
        (
            change(PASSWORD, PASSWORD),
            "PASSWORD_UNCHANGED",
            json!("new_password"),
        ),
    ] {
        let reply = stack.post(path, &token, &body).await;
        assert_eq!(reply.refused(400, reason)["field"], field);
    }
    let reset = |id: Value| json!({"staff_id": id, "reason": "rang up"});
    let reply = stack.post(path, &token, &reset(member.id.clone())).await;
    reply.refused(403, "FORBIDDEN");
    let reply = walk.staff(path, reset(json!(UNKNOWN))).await;
    reply.refused(405, "NOT_FOUND");
    let reply = walk.staff(path, json!({"staff_id": member.id})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");

    let answer = walk.staff(path, reset(member.id.clone())).await.ok();
    let one_time = answer["one_time_password"].as_str().unwrap();
    let reply = stack.get("/admin/user/list", &token).await;
    reply.refused(503, "SESSION_EXPIRED");
    let session = member.try_log_in(walk, one_time).await.ok();
    assert_eq!(session["staff"]["must_change_password"], true);
    let token = session["token"].as_str().unwrap();
    // Nothing else is open, whatever the role allows.
    for path in ["/admin/user/list", "/admin/staff/list"] {
        let reply = stack.get(path, token).await;
        reply.refused(403, "PASSWORD_CHANGE_REQUIRED");
    }
    let end = json!({"staff_id": member.id});
    let reply = stack.post("/admin/staff/sessions/end", token, &end).await;
    reply.refused(403, "PASSWORD_CHANGE_REQUIRED");
    let other = member.log_in(walk, one_time).await;
    stack.post("/admin/logout", &other, &json!({})).await.ok();
    let body = change(one_time, NEW_PASSWORD);
    let changed = stack.post(path, token, &body).await.ok();
    assert_eq!(
        (
            &changed["must_change_password"],
            &changed["one_time_password"]
        ),
        (&json!(false), &Value::Null)
    );
    let reply = stack.get("/admin/user/list", token).await;
    reply.refused(503, "SESSION_EXPIRED");
    let token = member.log_in(walk, NEW_PASSWORD).await;
    stack.get("/admin/user/list", &token).await.ok();

    // An admin's one-time password changes no other one.
    let role = json!({"staff_id": member.id, "role": "admin", "reason": "walk"});
    walk.staff("/admin/staff/role", role).await.ok();
    let answer = walk.staff(path, reset(member.id.clone())).await.ok();
    let one_time = answer["one_time_password"].as_str().unwrap();
    let token = member.log_in(walk, one_time).await;
    let reply = stack.post(path, &token, &reset(own_id(walk).await)).await;
    reply.refused(403, "PASSWORD_CHANGE_REQUIRED");
}

async fn sessions(walk: &Walk) {
    let stack = &walk.stack;
    let path = "/admin/staff/sessions/end";
    let (member, other) = (Member::of(walk).await, Member::of(walk).await);
    let token = member.log_in(walk, PASSWORD).await;
    let end = |id: Value| json!({"staff_id": id});
    let reply = stack.post(path, &token, &end(other.id.clone())).await;
    reply.refused(403, "FORBIDDEN");
    let reply = walk.staff(path, end(json!(UNKNOWN))).await;
    reply.refused(405, "NOT_FOUND");
    stack.post(path, &token, &end(member.id.clone())).await.ok();
    let reply = stack.get("/admin/user/list", &token).await;
    reply.refused(503, "SESSION_EXPIRED");
    let token = member.log_in(walk, PASSWORD).await;
    walk.staff(path, end(member.id.clone())).await.ok();
    let reply = stack.get("/admin/user/list", &token).await;
    reply.refused(503, "SESSION_EXPIRED");
}
