//! Who may call what, for every row of the route table.

use adfolio_gateway::input::Carrier;
use adfolio_gateway::route::{Access, Route};
use adfolio_gateway::routes::table;
use adfolio_kit::identity::StaffRole;
use adfolio_proto::auth::v1::UserState;
use reqwest::Method;
use serde_json::json;

use crate::stack::{Reply, Stack};

/// Looks like a token and is none.
const JUNK: &str = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA";

async fn call(stack: &Stack, route: &Route, token: Option<&str>) -> Reply {
    let request = stack.request(route.method.clone(), route.path, token);
    let request = match route.carrier {
        Carrier::Multipart => {
            request.multipart(reqwest::multipart::Form::new().text("unknown", "part"))
        }
        Carrier::Json => request.json(&json!({})),
        Carrier::Query | Carrier::Nothing => request,
    };
    stack.send(request).await
}

#[track_caller]
fn denied(route: &Route, who: &str, reply: &Reply, code: i64, reason: &str) {
    assert_eq!(
        (reply.http, reply.code, reply.reason()),
        (200, code, reason),
        "{who} on {route:?}: {reply:?}"
    );
}

#[tokio::test]
async fn nobody_gets_further_than_the_table_says() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let mut staff = vec![(StaffRole::Admin, admin.clone())];
    for role in [StaffRole::Support, StaffRole::Finance, StaffRole::Operator] {
        staff.push((role, stack.staff(&admin, role).await));
    }
    let (_, user) = stack.user(&admin).await;
    let rows = stack.rows().await;
    for route in table() {
        match route.access {
            Access::Public => {
                let reply = call(&stack, &route, None).await;
                assert_ne!(reply.reason(), "NOT_AUTHENTICATED", "{route:?}");
                continue;
            }
            Access::User | Access::UserInAnyState => {
                for (_, token) in &staff {
                    denied(
                        &route,
                        "staff",
                        &call(&stack, &route, Some(token)).await,
                        401,
                        "NOT_AUTHENTICATED",
                    );
                }
            }
            Access::Staff(roles) => {
                denied(
                    &route,
                    "a user",
                    &call(&stack, &route, Some(&user)).await,
                    401,
                    "NOT_AUTHENTICATED",
                );
                for (role, token) in staff.iter().filter(|(role, _)| !roles.contains(role)) {
                    denied(
                        &route,
                        role.as_str(),
                        &call(&stack, &route, Some(token)).await,
                        403,
                        "FORBIDDEN",
                    );
                }
            }
        }
        denied(
            &route,
            "nobody",
            &call(&stack, &route, None).await,
            401,
            "NOT_AUTHENTICATED",
        );
        denied(
            &route,
            "junk",
            &call(&stack, &route, Some(JUNK)).await,
            401,
            "NOT_AUTHENTICATED",
        );
    }
    assert_eq!(stack.rows().await, rows, "a denied call changed something");
}

#[tokio::test]
async fn staff_reach_what_their_role_allows() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    for role in [StaffRole::Support, StaffRole::Finance, StaffRole::Operator] {
        let token = stack.staff(&admin, role).await;
        for route in table() {
            let allowed = matches!(route.access, Access::Staff(roles) if roles.contains(&role));
            if !allowed || route.path == "/admin/logout" {
                continue;
            }
            let reply = call(&stack, &route, Some(&token)).await;
            assert!(
                !["NOT_AUTHENTICATED", "FORBIDDEN"].contains(&reply.reason()),
                "{role} on {route:?}: {reply:?}"
            );
        }
    }
}

#[tokio::test]
async fn accounts_that_are_not_active_reach_nothing_and_are_told_in_their_language() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let states = [
        (UserState::NotActivated, 402, "ACCOUNT_NOT_ACTIVATED"),
        (UserState::Disabled, 403, "ACCOUNT_DISABLED"),
        (UserState::Cancelled, 404, "ACCOUNT_CANCELLED"),
    ];
    for (state, code, reason) in states {
        let (id, token) = stack.user(&admin).await;
        stack.set_state(&id, state).await;
        stack.eventually_answers("/user/info", &token, code).await;
        let rows = stack.rows().await;
        for route in table().iter().filter(|route| route.access == Access::User) {
            denied(
                route,
                "a user",
                &call(&stack, route, Some(&token)).await,
                code,
                reason,
            );
        }
        assert_eq!(stack.rows().await, rows, "a denied call changed something");
        // Logging out is for everybody.
        stack
            .send(stack.request(Method::POST, "/auth/logout", Some(&token)))
            .await
            .ok();
    }
}

#[tokio::test]
async fn a_host_user_in_another_language_is_told_so() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let body = json!({"external_user_id": "host-1", "lang": "jp"});
    let token = stack
        .post("/admin/user/host_token", &admin, &body)
        .await
        .ok();
    let token = token["token"].as_str().unwrap().to_owned();
    let data = stack
        .get("/user/info", &token)
        .await
        .refused(402, "ACCOUNT_NOT_ACTIVATED");
    assert_eq!(data["lang"], "jp");
    // The code opens the account, and with it everything.
    let licenses = stack
        .post("/admin/license/create", &admin, &json!({"count": 1}))
        .await
        .ok();
    let session = stack
        .post(
            "/opening_store",
            &token,
            &json!({"code": licenses["items"][0]["code"]}),
        )
        .await
        .ok();
    assert_eq!(session["user"]["entry"], "host");
    let info = stack
        .get("/user/info", session["token"].as_str().unwrap())
        .await
        .ok();
    assert_eq!(
        (&info["state"], &info["lang"]),
        (&json!("active"), &json!("jp"))
    );
    assert_eq!(stack.get("/user/info", &token).await.code, 503);
}
