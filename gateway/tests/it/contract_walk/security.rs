//! The transaction password, and where money may go.

use serde_json::{Value, json};

use super::{OTHER_PIN, PIN, UNKNOWN, User, WEAK_PIN, Walk};

pub fn card(account: &str, password: Option<&str>) -> Value {
    json!({
        "kind": "bank_card", "card_name": "North Sea Bank", "user_name": "Ada Lovelace", "mobile": "+4915112345678",
        "bank_account": account, "branch_name": "Hamburg", "password": password,
    })
}

pub async fn walk(walk: &Walk) {
    futures::join!(sets(walk), locks(walk), binds(walk));
}

async fn set(
    walk: &Walk,
    user: &User,
    password: &str,
    confirmed: &str,
    old: Option<&str>,
) -> crate::stack::Reply {
    let body = json!({"password": password, "confirm_password": confirmed, "old_password": old});
    walk.stack.post("/set/password", &user.token, &body).await
}

async fn check(walk: &Walk, user: &User, password: &str) -> crate::stack::Reply {
    let body = json!({"password": password});
    walk.stack.post("/check/password", &user.token, &body).await
}

async fn sets(walk: &Walk) {
    let user = walk.user().await;
    check(walk, &user, PIN)
        .await
        .refused(400, "PAY_PASSWORD_NOT_SET");
    set(walk, &user, PIN, OTHER_PIN, None)
        .await
        .refused(400, "PASSWORD_MISMATCH");
    set(walk, &user, WEAK_PIN, WEAK_PIN, None)
        .await
        .refused(400, "WEAK_PAY_PASSWORD");
    set(walk, &user, PIN, PIN, Some(OTHER_PIN))
        .await
        .refused(400, "PAY_PASSWORD_NOT_SET");
    let reply = set(walk, &user, PIN, PIN, None).await;
    assert_eq!(reply.msg, "Set successfully");
    reply.ok();
    check(walk, &user, PIN).await.ok();
    let reply = set(walk, &user, OTHER_PIN, OTHER_PIN, Some(WEAK_PIN)).await;
    reply.refused(400, "WRONG_PAY_PASSWORD");
    set(walk, &user, PIN, PIN, Some(PIN))
        .await
        .refused(400, "PASSWORD_UNCHANGED");
    set(walk, &user, OTHER_PIN, OTHER_PIN, Some(PIN)).await.ok();
    check(walk, &user, OTHER_PIN).await.ok();
    let info = walk.stack.get("/user/info", &user.token).await.ok();
    assert_eq!(info["has_pay_password"], true);
    let found = walk
        .staff_get(&format!("/admin/user/list?query={}", user.id))
        .await;
    assert_eq!(found["items"][0]["has_pay_password"], true);
}

async fn locks(walk: &Walk) {
    let user = walk.user().await;
    walk.set_pin(&user).await;
    walk.lock_pin(&user).await;
    let data = check(walk, &user, PIN)
        .await
        .refused(429, "PAY_PASSWORD_LOCKED");
    assert!(data["retry_after"].as_u64().unwrap() > 0);
    set(walk, &user, OTHER_PIN, OTHER_PIN, Some(PIN))
        .await
        .refused(429, "PAY_PASSWORD_LOCKED");
    let body = card("DE89370400440532013000", Some(PIN));
    let reply = walk.stack.post("/bank_card/edit", &user.token, &body).await;
    reply.refused(429, "PAY_PASSWORD_LOCKED");
    let reset = |id: &str| json!({"user_id": id, "reason": "identity checked by phone"});
    let path = "/admin/pay_password/reset";
    walk.staff(path, reset(&user.id)).await.ok();
    walk.staff(path, reset(&user.id))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(path, reset(UNKNOWN))
        .await
        .refused(405, "NOT_FOUND");
    set(walk, &user, OTHER_PIN, OTHER_PIN, None).await.ok();
}

async fn binds(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let body = card("DE89370400440532013000", None);
    let reply = stack.post("/bank_card/edit", &user.token, &body).await;
    assert_eq!(reply.msg, "Bound successfully");
    let bound = reply.ok();
    let account = bound["bank_account"].as_str().unwrap();
    assert!(
        account.ends_with("3000") && !account.contains("8937"),
        "{bound}"
    );
    walk.set_pin(&user).await;
    for (body, reason) in [
        (card("DE89370400440532013000", Some(PIN)), "NOTHING_CHANGED"),
        (
            card("DE02120300000000202051", Some(OTHER_PIN)),
            "WRONG_PAY_PASSWORD",
        ),
    ] {
        let reply = stack.post("/bank_card/edit", &user.token, &body).await;
        reply.refused(400, reason);
    }
    let mut nameless = card("DE02120300000000202051", Some(PIN));
    nameless["user_name"] = Value::Null;
    let reply = stack.post("/bank_card/edit", &user.token, &nameless).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "user_name");
    let detail = stack.get("/bank_card/detail", &user.token).await.ok();
    assert_eq!(
        (
            &detail["bank_card"]["bank_account"],
            &detail["wallet_address"]
        ),
        (&bound["bank_account"], &Value::Null)
    );
}
