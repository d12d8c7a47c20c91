//! Hosts, the sessions that their assertions open, and fresh sessions.

use adfolio_testkit::TestSigner;
use chrono::Utc;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{PIN, UNKNOWN, User, Walk};
use crate::stack::{PASSWORD, Reply};

pub async fn walk(walk: &Walk) {
    futures::join!(hosts_vouch(walk), stale_sessions_step_up(walk));
}

async fn hosts_vouch(walk: &Walk) {
    let (signer, next) = (TestSigner::new(1), TestSigner::new(2));
    let create = |name: &str, signer: &TestSigner| {
        let body = json!({"name": name, "public_key": signer.public_key_pem()});
        walk.staff("/admin/host/create", body)
    };
    let host = create("Walk's shell", &signer).await.ok();
    assert_eq!(create("Walk's shell", &signer).await.ok(), host);
    let data = create("Walk's shell", &next)
        .await
        .refused(400, "VALIDATION");
    assert_eq!(data["field"], "name");
    let add = |id: &Value| {
        let body = json!({"host_id": id, "public_key": next.public_key_pem()});
        walk.staff("/admin/host/key/add", body)
    };
    add(&json!(UNKNOWN)).await.refused(405, "NOT_FOUND");
    add(&host["id"]).await.ok();

    let user = enters(walk, &signer).await;
    is_vouched_for(walk, &signer, &user).await;
    staff_become_nobody(walk, &host["id"]).await;

    let revoke = |kid: String| {
        let body = json!({"kid": kid, "reason": "rotation"});
        walk.staff("/admin/host/key/revoke", body)
    };
    revoke(signer.kid()).await.ok();
    revoke(signer.kid()).await.refused(400, "NOTHING_CHANGED");
    revoke("none".to_owned()).await.refused(405, "NOT_FOUND");
    let listed = walk.staff_get("/admin/host/list").await;
    assert!(listed["items"][0]["keys"][0]["revoked_at"].is_string());
    let late = signer.assertion("late", Utc::now());
    enter(walk, &late).await.refused(400, "ASSERTION_REJECTED");
}

async fn enter(walk: &Walk, assertion: &str) -> Reply {
    let body = json!({"assertion": assertion});
    walk.stack.post_open("/auth/v2/host", &body).await
}

/// A user of the host with an open account.
struct Vouched {
    sub: String,
    user: User,
}

async fn enters(walk: &Walk, signer: &TestSigner) -> Vouched {
    let sub = Uuid::new_v4().to_string();
    let assertion = signer.assertion(&sub, Utc::now());
    let session = enter(walk, &assertion).await.ok();
    assert_eq!(session["user"]["state"], "not_activated");
    enter(walk, &assertion)
        .await
        .refused(400, "ASSERTION_REJECTED");
    let token = session["token"].as_str().unwrap();
    let reply = walk.stack.get("/user/info", token).await;
    reply.refused(402, "ACCOUNT_NOT_ACTIVATED");
    let open = json!({"code": walk.licenses(1, true).await[0]});
    let opened = walk.stack.post("/opening_store", token, &open).await.ok();
    let user = User {
        id: opened["user"]["id"].as_str().unwrap().to_owned(),
        token: opened["token"].as_str().unwrap().to_owned(),
    };
    Vouched { sub, user }
}

async fn is_vouched_for(walk: &Walk, signer: &TestSigner, vouched: &Vouched) {
    let again = signer.assertion(&vouched.sub, Utc::now());
    let session = enter(walk, &again).await.ok();
    assert_eq!(session["user"]["id"], vouched.user.id);
    let body = json!({"password": "anything at all"});
    let token = session["token"].as_str().unwrap();
    let reply = walk.stack.post("/user/step_up", token, &body).await;
    reply.refused(400, "STEP_UP_REQUIRED");
    for (state, code, reason) in [
        ("disabled", 403, "ACCOUNT_DISABLED"),
        ("cancelled", 404, "ACCOUNT_CANCELLED"),
    ] {
        let change = json!({"id": vouched.user.id, "state": state, "reason": "walk"});
        walk.staff("/admin/user/state", change).await.ok();
        let assertion = signer.assertion(&vouched.sub, Utc::now());
        enter(walk, &assertion).await.refused(code, reason);
    }
}

/// One member of support makes a token for an account that is not open, and for no other.
async fn staff_become_nobody(walk: &Walk, host_id: &Value) {
    let sub = Uuid::new_v4();
    let token = |host_id: Value| {
        let body = json!({"external_user_id": sub, "host_id": host_id});
        walk.staff("/admin/user/host_token", body)
    };
    token(json!(UNKNOWN)).await.refused(405, "NOT_FOUND");
    let issued = token(host_id.clone()).await.ok();
    let open = json!({"code": walk.licenses(1, true).await[0]});
    let issued = issued["token"].as_str().unwrap();
    let opened = walk.stack.post("/opening_store", issued, &open).await.ok();
    token(host_id.clone())
        .await
        .refused(400, "STORE_ALREADY_OPEN");
    // The member of staff may have kept the token: what its session sets up cools off.
    let user = User {
        id: opened["user"]["id"].as_str().unwrap().to_owned(),
        token: opened["token"].as_str().unwrap().to_owned(),
    };
    walk.set_pin(&user).await;
    let property = walk.stack.get("/user/property", &user.token).await.ok();
    let blocked_by = property["withdraw_blocked_by"].as_array().unwrap();
    assert!(blocked_by.contains(&json!("WITHDRAWAL_COOLING_OFF")));
    for (state, code, reason) in [
        ("disabled", 403, "ACCOUNT_DISABLED"),
        ("cancelled", 404, "ACCOUNT_CANCELLED"),
    ] {
        let change = json!({"id": user.id, "state": state, "reason": "walk"});
        walk.staff("/admin/user/state", change).await.ok();
        token(host_id.clone()).await.refused(code, reason);
    }
}

/// A stolen session of yesterday sets no first transaction password and changes no contact.
async fn stale_sessions_step_up(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let token = user.token.as_str();
    stack.grow_older(&user.id, "20 minutes").await;
    let set = json!({"password": PIN, "confirm_password": PIN});
    let edit = json!({"email": "thief@example.com"});
    for (path, body) in [("/set/password", &set), ("/user/info/edit", &edit)] {
        let reply = stack.post(path, token, body).await;
        reply.refused(400, "STEP_UP_REQUIRED");
    }
    let info = stack.get("/user/info", token).await.ok();
    assert_eq!(
        (&info["has_pay_password"], info["email"] == edit["email"]),
        (&json!(false), false)
    );
    let step_up = |password: &str| json!({"password": password});
    let reply = stack.post("/user/step_up", token, &step_up("no")).await;
    assert_eq!(reply.refused(400, "WRONG_PASSWORD")["field"], "password");
    let fresh = stack
        .post("/user/step_up", token, &step_up(PASSWORD))
        .await
        .ok();
    assert!(fresh["fresh_until"].is_string());
    for (path, body) in [("/set/password", &set), ("/user/info/edit", &edit)] {
        stack.post(path, token, body).await.ok();
    }
}
