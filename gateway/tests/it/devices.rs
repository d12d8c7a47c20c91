//! The token of a device, from a login to the next one.

use serde_json::{Value, json};

use crate::stack::{PASSWORD, Stack};

/// Ten wrong logins, which lock a login from an unknown device.
async fn lock(stack: &Stack, path: &str, username: &Value) {
    let wrong = json!({"username": username, "password": "not the password"});
    for _ in 0..10 {
        let reply = stack.post_open(path, &wrong).await;
        reply.refused(400, "BAD_CREDENTIALS");
    }
}

async fn log_in(
    stack: &Stack,
    path: &str,
    username: &Value,
    device: &Value,
) -> crate::stack::Reply {
    let body = json!({"username": username, "password": PASSWORD, "device_token": device});
    stack.post_open(path, &body).await
}

#[tokio::test]
async fn a_known_device_passes_where_strangers_are_locked() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    let username = stack.get("/user/info", &token).await.ok()["username"].clone();
    let (form, older) = ("/auth/v2/login", "/auth/login");
    let device = log_in(&stack, form, &username, &Value::Null).await.ok()["device_token"].clone();
    assert_eq!(device.as_str().unwrap().len(), 43);
    lock(&stack, form, &username).await;
    for path in [form, older] {
        let unknown = log_in(&stack, path, &username, &json!("A".repeat(43))).await;
        unknown.refused(429, "TOO_MANY_ATTEMPTS");
        let session = log_in(&stack, path, &username, &device).await.ok();
        assert_eq!(session["device_token"], device);
    }

    let (path, name) = ("/admin/login", json!("admin"));
    let device = log_in(&stack, path, &name, &Value::Null).await.ok()["device_token"].clone();
    lock(&stack, path, &name).await;
    let unknown = log_in(&stack, path, &name, &Value::Null).await;
    unknown.refused(429, "TOO_MANY_ATTEMPTS");
    let session = log_in(&stack, path, &name, &device).await.ok();
    assert_eq!(session["device_token"], device);
}

#[tokio::test]
async fn wrong_passwords_in_a_stolen_session_lock_that_session() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, stolen) = stack.user(&admin).await;
    let username = stack.get("/user/info", &stolen).await.ok()["username"].clone();
    let step_up = |password: &str| json!({"password": password});
    let new = "an even longer staple";
    let change =
        |old: &str| json!({"old_password": old, "new_password": new, "confirm_password": new});
    for _ in 0..5 {
        let reply = stack
            .post("/user/step_up", &stolen, &step_up("wrong horse"))
            .await;
        reply.refused(400, "WRONG_PASSWORD");
        let reply = stack
            .post("/update/password", &stolen, &change("wrong horse"))
            .await;
        reply.refused(400, "WRONG_PASSWORD");
    }
    let reply = stack
        .post("/user/step_up", &stolen, &step_up(PASSWORD))
        .await;
    reply.refused(429, "TOO_MANY_ATTEMPTS");
    let reply = stack
        .post("/update/password", &stolen, &change(PASSWORD))
        .await;
    reply.refused(429, "TOO_MANY_ATTEMPTS");
    let session = log_in(&stack, "/auth/v2/login", &username, &Value::Null)
        .await
        .ok();
    let own = session["token"].as_str().unwrap();
    stack
        .post("/user/step_up", own, &step_up(PASSWORD))
        .await
        .ok();
    stack
        .post("/update/password", own, &change(PASSWORD))
        .await
        .ok();
}
