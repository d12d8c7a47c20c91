//! A revocation is felt, though verified tokens are believed for a while.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::end_sessions_request::Target;
use adfolio_proto::auth::v1::{
    EndSessionsRequest, LogoutRequest, SetStaffStateRequest, StaffState, UserState,
};
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::json;
use uuid::Uuid;

use crate::stack::{PASSWORD, Stack};

/// Longer than a test waits: what is felt earlier was felt by event.
const LONG: u64 = 60;

#[tokio::test]
async fn logging_out_here_is_felt_at_once() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    stack.get("/user/info", &token).await.ok();
    stack.post("/auth/logout", &token, &json!({})).await.ok();
    stack
        .get("/user/info", &token)
        .await
        .refused(503, "SESSION_EXPIRED");
    stack.get("/admin/staff/list", &admin).await.ok();
    stack.post("/admin/logout", &admin, &json!({})).await.ok();
    assert_ne!(stack.get("/admin/staff/list", &admin).await.code, 200);
}

#[tokio::test]
async fn logging_out_elsewhere_is_felt_by_event() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    stack.get("/user/info", &token).await.ok();
    let logout = outgoing(
        &Caller::system(),
        LogoutRequest {
            token: token.clone(),
        },
        Duration::from_secs(10),
    );
    AuthServiceClient::new(stack.services.auth.channel())
        .logout(logout)
        .await
        .unwrap();
    stack.eventually_answers("/user/info", &token, 503).await;
}

#[tokio::test]
async fn disabling_a_member_elsewhere_is_felt_by_event() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let token = stack.staff(&admin, StaffRole::Finance).await;
    stack.get("/admin/user/list", &token).await.ok();
    let staff = stack.get("/admin/staff/list", &admin).await.ok();
    let disable = SetStaffStateRequest {
        staff_id: staff["items"][0]["id"].as_str().unwrap().to_owned(),
        state: StaffState::Disabled.into(),
        reason: "left us".to_owned(),
    };
    let operator = Caller::staff(Uuid::now_v7(), StaffRole::Admin);
    let operator = stack.services.identity.signed(operator, None);
    let disable = outgoing(&operator, disable, Duration::from_secs(10));
    AuthAdminServiceClient::new(stack.services.auth.channel())
        .set_staff_state(disable)
        .await
        .unwrap();
    stack
        .eventually_answers("/admin/user/list", &token, 503)
        .await;
    stack.get("/admin/user/list", &admin).await.ok();
}

/// A further session of a user, opened by a phone behind a proxy.
async fn phone(stack: &Stack, token: &str) -> String {
    let info = stack.get("/user/info", token).await.ok();
    let body = json!({"username": info["username"], "password": PASSWORD});
    let says = HeaderValue::from_bytes("Phone/1.0 (caf\u{e9}\t)".as_bytes()).unwrap();
    let login = stack
        .request(Method::POST, "/auth/v2/login", None)
        .header("User-Agent", says)
        .header("X-Forwarded-For", "192.0.2.77")
        .json(&body);
    let session = stack.send(login).await.ok();
    session["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_ended_here_is_gone_at_once() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (_, token) = stack.user(&admin).await;
    let phone = phone(&stack, &token).await;
    let listed = stack.get("/user/sessions", &phone).await.ok();
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{listed}");
    let own = items.iter().find(|item| item["current"] == true).unwrap();
    assert_eq!(own["user_agent"], "Phone/1.0 (caf\u{e9})");
    assert_eq!(own["address"], "192.0.2.77");
    let end = json!({"id": own["id"]});
    stack.post("/user/sessions/end", &token, &end).await.ok();
    for path in ["/user/info", "/user/sessions", "/user/security/log"] {
        let reply = stack.get(path, &phone).await;
        reply.refused(503, "SESSION_EXPIRED");
    }
    let log = stack.get("/user/security/log", &token).await.ok();
    assert_eq!(
        (&log["items"][0]["action"], &log["items"][0]["by"]),
        (&json!("auth.sessions_ended"), &json!("user"))
    );
}

#[tokio::test]
async fn a_session_ended_elsewhere_is_felt_by_event() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (id, token) = stack.user(&admin).await;
    let phone = phone(&stack, &token).await;
    stack.get("/user/info", &phone).await.ok();
    let message = EndSessionsRequest {
        token: token.clone(),
        target: Some(Target::Others(true)),
    };
    let caller = Caller::user(UserId(id.parse().unwrap()));
    let caller = stack.services.identity.signed(caller, None);
    AuthServiceClient::new(stack.services.auth.channel())
        .end_sessions(outgoing(&caller, message, Duration::from_secs(10)))
        .await
        .unwrap();
    stack.eventually_answers("/user/info", &phone, 503).await;
    stack.get("/user/info", &token).await.ok();
}

#[tokio::test]
async fn a_change_of_state_elsewhere_is_felt_both_ways() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (id, token) = stack.user(&admin).await;
    stack.get("/user/info", &token).await.ok();
    stack.set_state(&id, UserState::Disabled).await;
    stack.eventually_answers("/user/info", &token, 403).await;
}

#[tokio::test]
async fn disabling_through_the_staff_api_is_felt_at_once() {
    let stack = Stack::start_with(|config| config.session_cache_seconds = LONG).await;
    let admin = stack.admin().await;
    let (id, token) = stack.user(&admin).await;
    stack.get("/user/info", &token).await.ok();
    stack
        .post(
            "/admin/user/state",
            &admin,
            &json!({"id": id, "state": "disabled", "reason": "test"}),
        )
        .await
        .ok();
    stack
        .get("/user/info", &token)
        .await
        .refused(403, "ACCOUNT_DISABLED");
}
