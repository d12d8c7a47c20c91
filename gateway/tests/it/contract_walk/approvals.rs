//! What takes two members of staff.

use serde_json::{Value, json};

use super::finance::withdraw;
use super::security::card;
use super::{PIN, UNKNOWN, User, Walk};

const DECIDE: &str = "/admin/approval/decide";

pub async fn walk(walk: &Walk) {
    let user = walk.user().await;
    asks(walk, &user).await;
    are_decided(walk, &user).await;
    is_replayed(walk).await;
    pays(walk).await;
}

/// Everything is asked for, twice as it happens.
async fn asks(walk: &Walk, user: &User) {
    let change = |amount: &str| json!({"user_id": user.id, "amount": amount, "remark": "large"});
    let funds = |action: &str, amount: &str| json!({"user_id": user.id, "action": action, "amount": amount});
    for (path, body) in [
        ("/admin/wallet/deposit", change("60000.01")),
        ("/admin/wallet/chargeback", change("60000.02")),
        ("/admin/wallet/recharge_deduction", change("60000.03")),
        ("/admin/wallet/membership", change("60000.04")),
        ("/admin/wallet/start_up_funds", funds("return", "60000.05")),
        ("/admin/wallet/guarantee", funds("deposit", "60000.06")),
    ] {
        for _ in 0..2 {
            let reply = walk.staff(path, body.clone()).await;
            let text = "This amount needs the approval of another member of staff";
            assert_eq!(reply.msg, text);
            let data = reply.refused(400, "APPROVAL_REQUIRED");
            assert_eq!(data["field"], Value::Null);
        }
    }
    let property = walk.stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["total_assets"], "0.00");
}

async fn are_decided(walk: &Walk, user: &User) {
    let stack = &walk.stack;
    let decide = |id: &Value, decision: &str, reason: &str| json!({"id": id, "decision": decision, "reason": reason});
    let deposit = walk.waiting(user, "deposit").await;
    let own = walk
        .staff(DECIDE, decide(&deposit["id"], "approved", "mine"))
        .await;
    let text = "Another person must decide this: not whoever asked for it, no account that may be theirs, and none younger \
                than a day";
    assert_eq!(own.msg, text);
    assert_eq!(own.refused(403, "FORBIDDEN")["field"], "requested_by");
    let approved = walk.approve(user, "deposit").await.ok();
    assert_eq!(
        (&approved["state"], &approved["remark"]),
        (&json!("approved"), &json!("large"))
    );
    assert!(approved["transaction_id"].is_string(), "{approved}");
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["available_funds"], "60000.01");
    walk.approve(user, "chargeback")
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
    walk.approve(user, "start_up_return")
        .await
        .refused(400, "AMOUNT_OUT_OF_RANGE");
    walk.approve(user, "guarantee_deposit")
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
    let deduction = walk.waiting(user, "recharge_deduction").await;
    for decision in ["approved", "rejected"] {
        let unreasoned = decide(&deduction["id"], decision, "");
        let refused = stack.post(DECIDE, &walk.second, &unreasoned).await;
        assert_eq!(refused.refused(400, "VALIDATION")["field"], "reason");
    }
    let rejection = decide(&deduction["id"], "rejected", "arrived after all");
    let rejected = stack.post(DECIDE, &walk.second, &rejection).await.ok();
    assert_eq!(
        (&rejected["state"], &rejected["reason"]),
        (&json!("rejected"), &json!("arrived after all"))
    );
    let otherwise = decide(&deduction["id"], "approved", "after all");
    stack
        .post(DECIDE, &walk.second, &otherwise)
        .await
        .refused(400, "NOTHING_CHANGED");
    stack
        .post(
            DECIDE,
            &walk.second,
            &decide(&json!(UNKNOWN), "approved", "seen"),
        )
        .await
        .refused(405, "NOT_FOUND");
    let failed = walk.staff_get("/admin/approval/list?state=failed").await;
    let failed = failed["items"].as_array().unwrap().iter();
    let failures: Vec<_> = failed.map(|item| item["failure"].clone()).collect();
    assert_eq!(
        failures,
        [
            "INSUFFICIENT_BALANCE",
            "AMOUNT_OUT_OF_RANGE",
            "INSUFFICIENT_BALANCE"
        ]
    );
}

/// A repeated call of the requester gets the posting.
async fn is_replayed(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let deposit = json!({"user_id": user.id, "amount": "60000.01", "remark": "once"});
    let path = "/admin/wallet/deposit";
    let ask = || stack.post_keyed(path, &walk.admin, "large", &deposit);
    for _ in 0..2 {
        ask().await.refused(400, "APPROVAL_REQUIRED");
    }
    walk.approve(&user, "deposit").await.ok();
    for _ in 0..2 {
        assert_eq!(ask().await.ok()["amount"], "60000.01");
    }
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["available_funds"], "60000.01");
}

async fn pays(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.funded_by_two("60000.01").await;
    walk.set_pin(&user).await;
    let body = card("DE89370400440532013000", Some(PIN));
    stack.post("/bank_card/edit", &user.token, &body).await.ok();
    let large = withdraw(walk, &user, "60000.01", PIN).await.ok();
    let pay = json!({"id": large["id"], "decision": "paid", "reason": "sent"});
    walk.staff("/admin/withdraw/decide", pay)
        .await
        .refused(400, "APPROVAL_REQUIRED");
    let waiting = walk.waiting(&user, "withdrawal_paid").await;
    assert_eq!(
        (&waiting["withdrawal_id"], &waiting["request_reason"]),
        (&large["id"], &json!("sent"))
    );
    walk.approve(&user, "withdrawal_paid").await.ok();
    let mine = stack.get("/user/withdraw/list", &user.token).await.ok();
    assert_eq!(mine["items"][0]["status"], "paid");
}
