//! Who may call what, for every row of the route table.

use adfolio_gateway::input::Carrier;
use adfolio_gateway::openapi::document;
use adfolio_gateway::route::{Access, Route};
use adfolio_gateway::routes::table;
use adfolio_kit::identity::StaffRole;
use adfolio_proto::auth::v1::UserState;
use reqwest::Method;
use serde_json::{Value, json};

use crate::stack::{Reply, Stack};

/// Looks like a token and is none.
const JUNK: &str = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA";

pub async fn call(stack: &Stack, route: &Route, token: Option<&str>) -> Reply {
    let request = stack.request(route.method.clone(), route.path, token);
    let request = match route.carrier {
        Carrier::Multipart => {
            request.multipart(reqwest::multipart::Form::new().text("unknown", "part"))
        }
        Carrier::Json => request.json(&json!({})),
        Carrier::Lines => request.body(""),
        Carrier::Query | Carrier::Nothing => request,
    };
    if route.media_type == Some("text/event-stream") {
        return stack.send_or_leave(request).await;
    }
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
    // Three staff and the user's authorisation code were made, and four staff logged in.
    let rows = stack.rows_after(1, 8).await;
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
            Access::Network => {
                for (who, token) in [("a user", &user), ("staff", &admin)] {
                    let reply = call(&stack, &route, Some(token)).await;
                    denied(&route, who, &reply, 401, "NOT_AUTHENTICATED");
                }
                let request = stack.request(route.method.clone(), route.path, None);
                let request = request.header("X-Network-Key", "5e".repeat(32));
                let reply = stack.send(request).await;
                denied(&route, "an unknown key", &reply, 401, "NOT_AUTHENTICATED");
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
    for ((state, code, reason), users) in states.into_iter().zip(1..) {
        let (id, token) = stack.user(&admin).await;
        stack.set_state(&id, state).await;
        stack.eventually_answers("/user/info", &token, code).await;
        // The admin logged in. Each user has an authorisation code made and a state set.
        let rows = stack.rows_after(users, 1 + 2 * users).await;
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

/// Things of users that calls name, by call and field. Everything else that looks like an id is everybody's.
const OWN: &[(&str, &str)] = &[
    ("/acceptor/order/cancel", "id"),
    ("/feedback", "images"),
    ("/plan/order/cancel", "plan_id"),
    ("/plan/order/detail", "id"),
    ("/plan/order/put", "plan_id"),
    ("/plan/order/put", "user_coupon_id"),
    ("/user/info/edit", "avatar_file_id"),
    ("/user/notifications/read", "id"),
    ("/user/sessions/end", "id"),
    ("/user/withdraw/cancel", "id"),
];

/// What calls of users name that belongs to nobody.
const COMMON: &[(&str, &str)] = &[
    ("/assistance/follow", "operator_id"),
    ("/plan/order/app/detail", "product_id"),
    ("/plan/order/put", "product_id"),
    ("/user_coupon/receive", "campaign_id"),
];

#[test]
fn every_id_that_users_send_is_known_to_be_somebodys_or_not() {
    let document = document();
    for route in table()
        .iter()
        .filter(|route| route.access == Access::User && route.carrier == Carrier::Json)
    {
        let content = &document["paths"][route.path]["post"]["requestBody"]["content"];
        let reference = content["application/json"]["schema"]["$ref"].as_str();
        let schema = reference.map(|reference| document.pointer(reference.trim_start_matches('#')));
        let Some(Some(schema)) = schema else {
            panic!("{route:?} has no named schema");
        };
        let fields = schema["properties"].as_object();
        for field in fields.into_iter().flat_map(|fields| fields.keys()) {
            let is_id = field == "id" || field == "images" || field.ends_with("_id");
            let place = (route.path, field.as_str());
            assert!(
                !is_id || OWN.contains(&place) || COMMON.contains(&place),
                "say whose {field} of {route:?} is, and test it"
            );
        }
    }
}

/// Somebody with one of everything.
struct Owner {
    id: String,
    things: Vec<(&'static str, Value)>,
    /// Lists, and an item of each.
    listed: Vec<(&'static str, Value)>,
}

async fn owner(stack: &Stack, admin: &str) -> Owner {
    let (id, token) = stack.user(admin).await;
    let product = stack.product(admin).await;
    let staff =
        |path: &'static str, body: Value| async move { stack.post(path, admin, &body).await.ok() };
    let own = |path: &'static str, body: Value| {
        let token = token.clone();
        async move { stack.post(path, &token, &body).await.ok() }
    };
    let deposit = json!({"user_id": id, "amount": "1000.00", "remark": ""});
    staff("/admin/wallet/deposit", deposit).await;
    let push = json!({
        "product_id": product, "amount": "100.00", "to": {"user_ids": [id]}, "put_content": "Video", "put_rule": "Evenly",
    });
    let pushed = staff("/admin/plan/push", push).await;
    let campaign = json!({
        "name": "Access", "type": "team", "mode": "deduction", "value": 5, "amount_requirement": 0, "kind": "staff",
        "valid_days": 1,
    });
    let campaign = staff("/admin/coupon/campaign/create", campaign).await;
    let grant = json!({"campaign_id": campaign["id"], "user_id": id});
    let coupon = staff("/admin/coupon/grant", grant).await;
    let notice = json!({
        "category": "activity", "to": [id], "title": {"en": "For you"}, "content": {"en": "alone"},
    });
    staff("/admin/notification/create", notice).await;
    let inbox = own("/user/notifications", json!({})).await;
    let sessions = stack.get("/user/sessions", &token).await.ok();
    let acceptor = json!({"kind": "personal", "name": "Mary"});
    let acceptor = staff("/admin/acceptor/create", acceptor).await;
    let offer = json!({
        "acceptor_id": acceptor["id"], "direction": "wallet_to_currency", "currency": "EUR", "rate": 1, "min": 1,
        "max": 100, "expires_at": chrono::Utc::now() + chrono::TimeDelta::days(1),
    });
    let code = staff("/admin/acceptance_code/create", offer).await;
    let pin = "b6af3f19458ec8e6faff8ee1e0440ecb";
    own(
        "/set/password",
        json!({"password": pin, "confirm_password": pin}),
    )
    .await;
    let card = json!({"kind": "wallet_address", "network": "TRC20", "address": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "password": pin});
    own("/bank_card/edit", card).await;
    let withdraw = json!({"amount": 10, "method": "wallet_address", "password": pin});
    let withdrawal = own("/user/withdraw", withdraw).await;
    let put = json!({"product_id": product, "amount": "100.00"});
    let matching = own("/plan/order/put", put).await;
    let exchange = json!({"kind": "personal", "code": code["code"], "amount": 10, "password": pin});
    let exchange = own("/acceptor/order/create", exchange).await;
    let plan = pushed["items"][0]["plan_id"].clone();
    let things = vec![
        ("/acceptor/order/cancel", json!({"id": exchange["id"]})),
        ("/user/withdraw/cancel", json!({"id": withdrawal["id"]})),
        ("/plan/order/cancel", json!({"plan_id": matching["id"]})),
        ("/plan/order/detail", json!({"id": plan})),
        (
            "/plan/order/put",
            json!({"plan_id": plan, "amount": "100.00"}),
        ),
        (
            "/plan/order/put",
            json!({"product_id": product, "amount": "100.00", "user_coupon_id": coupon["id"]}),
        ),
        (
            "/user/notifications/read",
            json!({"id": inbox["items"][0]["id"]}),
        ),
        (
            "/user/sessions/end",
            json!({"id": sessions["items"][0]["id"]}),
        ),
    ];
    let flow = stack.get("/transaction_flow/list", &token).await.ok();
    let listed = vec![
        ("/transaction_flow/list", flow["items"][0]["id"].clone()),
        ("/user/withdraw/list", withdrawal["id"].clone()),
    ];
    for (path, item) in &listed {
        let page = stack.get(&naming(path, item), &token).await.ok();
        assert_eq!(&page["items"][0]["id"], item, "{path}");
    }
    Owner { id, things, listed }
}

/// A list of the item with this id alone.
fn naming(path: &str, id: &Value) -> String {
    format!("{path}?id={}", id.as_str().unwrap())
}

/// Where a put that is refused for its coupon leaves its own user a trace, so that a late part of it finds it closed.
const OF_REFUSED_PUTS: [(&str, &str); 3] = [
    ("coupon", "reservations"),
    ("plan", "orders"),
    ("plan", "puts"),
];

/// Uploads are tried in the tests of uploads and in the walk through the contract: `avatar_file_id` and `images`.
#[tokio::test]
async fn another_user_finds_nothing_and_changes_nothing() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let owner = owner(&stack, &admin).await;
    let (stranger, strangers) = stack.user(&admin).await;
    let deposit = json!({"user_id": stranger, "amount": "1000.00", "remark": ""});
    stack
        .post("/admin/wallet/deposit", &admin, &deposit)
        .await
        .ok();
    let mut before = stack.rows_at_rest().await;
    let mut others = Vec::new();
    for (service, table) in OF_REFUSED_PUTS {
        others.push(stack.rows_but_of(&stranger, service, table).await);
    }
    for (path, body) in &owner.things {
        let reply = stack.post(path, &strangers, body).await;
        let reason = reply.reason();
        // A coupon of somebody else's is not usable, as an unknown one.
        let expected = if body.get("user_coupon_id").is_some() {
            ["COUPON_NOT_USABLE", "NOT_FOUND"]
        } else {
            ["NOT_FOUND", "NOT_FOUND"]
        };
        assert!(expected.contains(&reason), "{path} {body}: {reply:?}");
        let mut unknown = body.clone();
        for field in unknown.as_object_mut().unwrap().iter_mut() {
            if ["id", "plan_id", "user_coupon_id"].contains(&field.0.as_str()) {
                *field.1 = json!("0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f");
            }
        }
        let other = stack.post(path, &strangers, &unknown).await;
        assert_eq!(
            (reply.code, &reply.data),
            (other.code, &other.data),
            "{path} tells {body} from an unknown one"
        );
    }
    for route in table().iter().filter(|route| {
        route.access == Access::User
            && route.path.ends_with("/list")
            && route.path != "/plan/product/list"
    }) {
        let page = stack.get(route.path, &strangers).await.ok();
        let items = page["items"].as_array();
        let own_deposit = usize::from(route.path == "/transaction_flow/list");
        assert!(
            items.is_none_or(|items| items.len() == own_deposit),
            "{} of {}: {page}",
            route.path,
            owner.id
        );
    }
    for (path, item) in &owner.listed {
        let page = stack.get(&naming(path, item), &strangers).await.ok();
        assert_eq!(page["items"], json!([]), "{path}");
    }
    let destinations = stack.get("/bank_card/detail", &strangers).await.ok();
    assert_eq!(destinations["wallet_address"], Value::Null);
    let mut after = stack.rows().await;
    for ((service, table), others) in OF_REFUSED_PUTS.into_iter().zip(others) {
        let now = stack.rows_but_of(&stranger, service, table).await;
        assert_eq!(now, others, "another's {table}");
        let place = format!("{service}.{table}");
        before.remove(&place);
        after.remove(&place);
    }
    assert_eq!(after, before, "a call for another's changed something");
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
