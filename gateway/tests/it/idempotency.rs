//! A repeated call is one call.

use futures::future::join_all;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use crate::stack::Stack;

#[tokio::test]
async fn the_same_key_and_body_replays_the_first_answer() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let product = stack.product(&admin).await;
    let deposit = json!({"user_id": user, "amount": "1000.00", "remark": "transfer"});
    let first = stack
        .post_keyed("/admin/wallet/deposit", &admin, "deposit-1", &deposit)
        .await
        .ok();
    let again = stack
        .post_keyed("/admin/wallet/deposit", &admin, "deposit-1", &deposit)
        .await
        .ok();
    assert_eq!(first, again);
    let other = json!({"user_id": user, "amount": "1001.00", "remark": "transfer"});
    stack
        .post_keyed("/admin/wallet/deposit", &admin, "deposit-1", &other)
        .await
        .refused(400, "IDEMPOTENCY_KEY_REUSED");

    let put = json!({"product_id": product, "amount": "400.00"});
    let answers =
        join_all((0..8).map(|_| stack.post_keyed("/plan/order/put", &token, "put-1", &put))).await;
    let plans: Vec<_> = answers
        .into_iter()
        .filter(|answer| answer.code == 200)
        .map(|answer| answer.data["id"].clone())
        .collect();
    assert!(!plans.is_empty());
    assert!(plans.iter().all(|plan| *plan == plans[0]), "{plans:?}");
    let property = stack.get("/user/property", &token).await.ok();
    assert_eq!(
        (&property["available_funds"], &property["to_be_consumed"]),
        (&json!("600.00"), &json!("400.00"))
    );
    let changed = json!({"product_id": product, "amount": "401.00"});
    stack
        .post_keyed("/plan/order/put", &token, "put-1", &changed)
        .await
        .refused(400, "IDEMPOTENCY_KEY_REUSED");
    // A key of somebody else is another key.
    let (_, stranger) = stack.user(&admin).await;
    stack
        .post_keyed("/plan/order/put", &stranger, "put-1", &put)
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
}

#[tokio::test]
async fn a_file_is_proposed_once_with_its_key() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let import = |rows: &str| {
        let file = format!("report_id,plan_number,time,impressions,clicks,spend,revenue\n{rows}");
        let form = Form::new()
            .text("source", "keyed")
            .text("mapping", "{}")
            .part("file", Part::text(file).file_name("reports.csv"));
        let request = stack.request(Method::POST, "/admin/delivery/import", Some(&admin));
        stack.send(request.header("Idempotency-Key", "file-1").multipart(form))
    };
    let row = "1,AD261120K3F9ZQ,2026-11-20T09:00:00Z,1,1,1.00,1.00\n";
    let first = import(row).await.ok();
    assert!(first["import_id"].is_string());
    assert_eq!(import(row).await.ok(), first);
    import("").await.refused(400, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn a_key_out_of_form_is_refused_before_anything_happens() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let deposit = json!({"user_id": user, "amount": "1000.00", "remark": ""});
    let data = stack
        .post_keyed("/admin/wallet/deposit", &admin, &"k".repeat(256), &deposit)
        .await
        .refused(400, "VALIDATION");
    assert_eq!(data["field"], "Idempotency-Key");
    assert_eq!(
        stack.get("/user/property", &token).await.ok()["total_assets"],
        "0.00"
    );
}
