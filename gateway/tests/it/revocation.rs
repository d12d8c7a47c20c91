//! A revocation is felt, though verified tokens are believed for a while.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::Caller;
use adfolio_proto::auth::v1::LogoutRequest;
use adfolio_proto::auth::v1::UserState;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use serde_json::json;

use crate::stack::Stack;

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
