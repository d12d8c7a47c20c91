//! Bank files: what was paid in, what the bank pays, and the books behind both.

use adfolio_kit::payment_reference::payment_reference;
use chrono::Utc;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::finance::withdraw;
use super::security::card;
use super::{PIN, UNKNOWN, User, Walk};
use crate::stack::Reply;

const CREDIT: &str = "/admin/bank/line/credit";
const ASIDE: &str = "/admin/bank/line/aside";
const PROPOSE: &str = "/admin/payment_batch/propose";
const DECIDE: &str = "/admin/payment_batch/decide";
const PAY: &str = "/admin/payment_batch/pay";
const TAKE_OUT: &str = "/admin/payment_batch/take_out";

pub async fn walk(walk: &Walk) {
    let user = walk.user().await;
    futures::join!(is_credited(walk, &user), is_paid(walk));
    is_read(walk, &user).await;
}

async fn upload(walk: &Walk, content: String) -> Reply {
    let form = Form::new()
        .text("reason", "statement of today")
        .part("file", Part::text(content).file_name("statement.csv"));
    walk.stack
        .post_form("/admin/bank/statement", &walk.admin, form)
        .await
}

async fn is_credited(walk: &Walk, user: &User) {
    let reference = payment_reference(user.id.parse().unwrap());
    let header = "date,amount,currency,text,bank_reference";
    let faulty = upload(walk, format!("{header}\n2026-11-28,1.005,EUR,x,W0\n"))
        .await
        .ok();
    assert_eq!(faulty["statement"], Value::Null);
    assert_eq!(faulty["faults"][0]["line"], 2);
    let empty = upload(walk, String::new()).await;
    assert_eq!(empty.refused(400, "VALIDATION")["field"], "file");
    let large = upload(walk, "x".repeat(3 * 1024 * 1024 + 1)).await;
    large.refused(400, "FILE_TOO_LARGE");

    let content = format!(
        "{header}\n2026-11-28,20.00,USD,{reference},W1\n2026-11-28,70000.00,USD,{reference},W2\n2026-11-28,1.00,USD,,W3\n"
    );
    let kept = upload(walk, content.clone()).await.ok();
    let id = kept["statement"]["id"].as_str().unwrap();
    assert_eq!(upload(walk, content).await.ok()["repeated"], true);
    let listed = walk.staff_get("/admin/bank/statements").await;
    assert!(
        listed["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["id"] == id)
    );
    let lines = walk
        .staff_get(&format!("/admin/bank/lines?statement_id={id}"))
        .await;
    let line = |place: usize| &lines["items"][place]["id"];
    assert_eq!(lines["items"][0]["matched_user"]["id"], user.id);

    let credited = walk.staff(CREDIT, json!({"id": line(0)})).await.ok();
    assert_eq!(
        (&credited["state"], &credited["user"]["id"]),
        (&json!("credited"), &json!(user.id))
    );
    walk.staff(CREDIT, json!({"id": UNKNOWN}))
        .await
        .refused(405, "NOT_FOUND");
    let large = walk.staff(CREDIT, json!({"id": line(1)})).await;
    large.refused(400, "APPROVAL_REQUIRED");
    let nobody = walk.staff(CREDIT, json!({"id": line(2)})).await;
    assert_eq!(nobody.refused(400, "VALIDATION")["field"], "user_id");
    let set_aside = |id: &Value| json!({"id": id, "aside": true, "reason": "interest"});
    walk.staff(ASIDE, set_aside(line(2))).await.ok();
    walk.staff(ASIDE, set_aside(line(2)))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(ASIDE, set_aside(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let credit = json!({"id": line(2), "user_id": user.id});
    walk.staff(CREDIT, credit)
        .await
        .refused(400, "NOTHING_CHANGED");
}

async fn waiting(walk: &Walk) -> (User, Value) {
    let user = walk.funded("200.00").await;
    walk.set_pin(&user).await;
    let body = card("DE89370400440532013000", Some(PIN));
    walk.stack
        .post("/bank_card/edit", &user.token, &body)
        .await
        .ok();
    let withdrawal = withdraw(walk, &user, "50.00", PIN).await.ok();
    (user, withdrawal["id"].clone())
}

async fn is_paid(walk: &Walk) {
    let stack = &walk.stack;
    let ((_, first), (frozen, other)) = futures::join!(waiting(walk), waiting(walk));
    let (icy, late) = waiting(walk).await;
    let freeze = json!({"reason": "That was not me"});
    stack.post("/user/freeze", &icy.token, &freeze).await.ok();
    let propose = |ids: Value| json!({"withdrawal_ids": ids, "reason": "Friday"});
    walk.staff(PROPOSE, propose(json!([UNKNOWN])))
        .await
        .refused(405, "NOT_FOUND");
    walk.staff(PROPOSE, propose(json!([late])))
        .await
        .refused(400, "WALLET_FROZEN");
    let batch = walk
        .staff(PROPOSE, propose(json!([first, other])))
        .await
        .ok();
    walk.staff(PROPOSE, propose(json!([first])))
        .await
        .refused(400, "NOTHING_CHANGED");
    let decide = |id: &Value| json!({"id": id, "decision": "released", "reason": "seen"});
    walk.staff(DECIDE, decide(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let own = walk.staff(DECIDE, decide(&batch["id"])).await;
    assert_eq!(own.refused(403, "FORBIDDEN")["field"], "requested_by");
    let pay = |id: &Value| json!({"id": id, "reason": "order 4711"});
    walk.staff(PAY, pay(&batch["id"]))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(PAY, pay(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let id = batch["id"].as_str().unwrap();
    for form in ["pain001", "csv"] {
        let file = |id: &str| format!("/admin/payment_batch/{form}?id={id}");
        stack
            .get(&file(UNKNOWN), &walk.admin)
            .await
            .refused(405, "NOT_FOUND");
        stack
            .get(&file(id), &walk.admin)
            .await
            .refused(400, "NOTHING_CHANGED");
    }
    stack
        .post(DECIDE, &walk.second, &decide(&batch["id"]))
        .await
        .ok();
    walk.staff(DECIDE, decide(&batch["id"]))
        .await
        .refused(400, "NOTHING_CHANGED");
    for (form, media_type) in [
        ("pain001", "application/xml"),
        ("csv", "text/csv; charset=utf-8"),
    ] {
        let file = stack
            .raw(&format!("/admin/payment_batch/{form}?id={id}"), &walk.admin)
            .await;
        assert_eq!(file.headers()["content-type"], media_type);
        let file = file.text().await.unwrap();
        let named = first.as_str().unwrap().replace('-', "");
        assert!(
            file.contains(&named) && file.contains("DE89370400440532013000"),
            "{file}"
        );
    }
    let inside = walk
        .staff_get(&format!("/admin/withdraw/list?payment_batch_id={id}"))
        .await;
    assert_eq!(inside["items"].as_array().unwrap().len(), 2);
    is_taken_out_or_paid(walk, &batch["id"], &first, (&frozen, &other)).await;
}

/// What the bank did not pay waits again; the rest is paid.
async fn is_taken_out_or_paid(
    walk: &Walk,
    batch: &Value,
    first: &Value,
    (frozen, other): (&User, &Value),
) {
    let stack = &walk.stack;
    let pay = json!({"id": batch, "reason": "order 4711"});
    let freeze = json!({"reason": "That was not me"});
    stack
        .post("/user/freeze", &frozen.token, &freeze)
        .await
        .ok();
    walk.staff(PAY, pay.clone())
        .await
        .refused(400, "WALLET_FROZEN");
    let take_out = |id: &Value| json!({"id": id, "reason": "account closed"});
    walk.staff(TAKE_OUT, take_out(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    walk.staff(TAKE_OUT, take_out(other))
        .await
        .refused(400, "APPROVAL_REQUIRED");
    let out = stack
        .post(TAKE_OUT, &walk.second, &take_out(other))
        .await
        .ok();
    assert_eq!(out["payment_batch_id"], Value::Null);
    walk.staff(TAKE_OUT, take_out(first))
        .await
        .refused(400, "NOTHING_CHANGED");
    let paid = walk.staff(PAY, pay.clone()).await.ok();
    assert_eq!(
        (&paid["state"], &paid["paid_count"]),
        (&json!("paid"), &json!(1))
    );
    let batches = walk.staff_get("/admin/payment_batch/list?state=paid").await;
    assert_eq!(&batches["items"][0]["id"], batch);
}

/// What staff see of the books of a user, and of the platform's.
async fn is_read(walk: &Walk, user: &User) {
    let own = walk
        .stack
        .get("/transaction_flow/list", &user.token)
        .await
        .ok();
    let of_user = format!("user_id={}", user.id);
    let seen = walk.staff_get(&format!("/admin/user/flow?{of_user}")).await;
    assert_eq!(seen, own);
    walk.staff_get(&format!("/admin/user/destinations?{of_user}"))
        .await;
    let month = Utc::now().format("%Y-%m");
    let path = format!("/transaction_flow/statement?month={month}");
    let own = walk
        .stack
        .raw(&path, &user.token)
        .await
        .text()
        .await
        .unwrap();
    let path = format!("/admin/user/statement?{of_user}&month={month}");
    let seen = walk
        .stack
        .raw(&path, &walk.admin)
        .await
        .text()
        .await
        .unwrap();
    assert!(seen == own && seen.contains("deposit"));
    for path in [
        "/admin/bank/lines?statement_id=junk",
        "/admin/user/flow?user_id=junk",
        "/admin/user/destinations?user_id=junk",
        "/admin/user/statement?user_id=junk&month=2026-11",
    ] {
        let reply = walk.stack.get(path, &walk.admin).await;
        reply.refused(405, "NOT_FOUND");
    }
    walk.staff_get("/admin/platform/accounts").await;
    let path = "/admin/platform/entries?account=deposits_clearing";
    let entries = walk.staff_get(path).await;
    assert!(!entries["items"].as_array().unwrap().is_empty());
    let path = "/admin/platform/entries?account=ad_spend";
    let reply = walk.stack.get(path, &walk.admin).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "account");
}
