//! `adfolioctl approval`: what adfolioctl asked for somebody else approves, and the other way round.

use adfolio_kit::refusal::Refusal;
use adfolio_proto::auth::v1::RegisterRequest;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::{ApprovalDecision, DecideApprovalRequest, DepositRequest};
use serde_json::Value;

use crate::helpers::{Ended, Stack, anonymous, as_admin};

fn json(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.output).unwrap()
}

async fn user(stack: &Stack) -> String {
    let key = ["license", "create", "--code", "FIRST-KEY"];
    assert_eq!(stack.run(&key).await.code, 0);
    let message = RegisterRequest {
        username: "ann".to_owned(),
        password: "correct horse battery".to_owned(),
        license_key: "FIRST-KEY".to_owned(),
        older_form: true,
        ..RegisterRequest::default()
    };
    let answer = AuthServiceClient::new(stack.auth())
        .register(anonymous(message))
        .await
        .unwrap();
    answer.into_inner().session.unwrap().user.unwrap().id
}

async fn waiting(stack: &Stack) -> Value {
    let list = ["approval", "list", "--state", "pending", "--json"];
    let list = json(&stack.run(&list).await);
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{items:?}");
    items[0].clone()
}

/// Somebody else, over the API, asks for a large deposit.
async fn asked_over_the_api(stack: &Stack, user: &str) -> String {
    let message = DepositRequest {
        user_id: user.to_owned(),
        amount_minor: 20_000,
        remark: String::new(),
    };
    let answer = WalletAdminServiceClient::new(stack.wallet())
        .deposit(as_admin(message))
        .await;
    let refusal = Refusal::from_status(&answer.unwrap_err()).unwrap();
    assert_eq!(refusal.reason.as_str(), "APPROVAL_REQUIRED");
    waiting(stack).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn adfolioctl_never_approves_what_it_asked_for() {
    let stack = Stack::start_with_four_eyes("100.00").await;
    let user = user(&stack).await;
    let small = ["wallet", "deposit", &user, "100.00", "--json"];
    assert_eq!(json(&stack.run(&small).await)["balance_after"], "100.00");
    let large = [
        "wallet",
        "deposit",
        &user,
        "100.01",
        "--reason",
        "transfer 4711",
        "--idempotency-key",
        "once",
        "--json",
    ];
    for _ in 0..2 {
        let refused = stack.run(&large).await;
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.errors.contains("APPROVAL_REQUIRED"), "{refused:?}");
        let id = waiting(&stack).await["id"].as_str().unwrap().to_owned();
        assert!(refused.errors.contains(&id), "{refused:?}");
    }
    let request = waiting(&stack).await;
    assert_eq!(
        (&request["action"], &request["amount"], &request["state"]),
        (&"deposit".into(), &"100.01".into(), &"pending".into())
    );
    let reason = request["request_reason"].as_str().unwrap();
    assert!(
        reason.starts_with("transfer 4711 (adfolioctl, run by "),
        "{reason}"
    );
    let id = request["id"].as_str().unwrap();
    for decision in ["approved", "rejected"] {
        let decide = ["approval", "decide", id, decision, "--reason", "mine"];
        let own = stack.run(&decide).await;
        assert_eq!(own.code, 1, "{own:?}");
        let why = "FORBIDDEN of requested_by: the requester cannot decide";
        assert!(own.errors.contains(why), "{own:?}");
    }
    let message = DecideApprovalRequest {
        approval_id: id.to_owned(),
        decision: ApprovalDecision::Approved.into(),
        reason: String::new(),
    };
    WalletAdminServiceClient::new(stack.wallet())
        .decide_approval(as_admin(message))
        .await
        .unwrap();
    // The same command with the same key shows what was posted.
    let posted = json(&stack.run(&large).await);
    assert_eq!(
        (&posted["amount"], &posted["balance_after"]),
        (&"100.01".into(), &"200.01".into())
    );
}

#[tokio::test]
async fn adfolioctl_decides_about_what_others_asked_for() {
    let stack = Stack::start_with_four_eyes("100.00").await;
    let user = user(&stack).await;
    let id = asked_over_the_api(&stack, &user).await;
    let unreasoned = stack.run(&["approval", "decide", &id, "rejected"]).await;
    assert_eq!(unreasoned.code, 1);
    assert!(
        unreasoned.errors.contains("VALIDATION of reason"),
        "{unreasoned:?}"
    );
    let reject = [
        "approval", "decide", &id, "rejected", "--reason", "unknown", "--json",
    ];
    let rejected = json(&stack.run(&reject).await);
    assert_eq!(rejected["state"], "rejected");
    let reason = rejected["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("unknown (adfolioctl, run by "),
        "{reason}"
    );
    let late = stack.run(&["approval", "decide", &id, "approved"]).await;
    assert_eq!(late.code, 1);
    assert!(late.errors.contains("NOTHING_CHANGED"), "{late:?}");
    let id = asked_over_the_api(&stack, &user).await;
    let approve = ["approval", "decide", &id, "approved", "--json"];
    let approved = json(&stack.run(&approve).await);
    assert_eq!(approved["state"], "approved");
    assert!(approved["transaction_id"].is_string(), "{approved}");
    let table = stack.run(&["approval", "list"]).await;
    assert!(table.output.starts_with("ID "), "{table:?}");
    assert!(table.output.contains(&id), "{table:?}");
    let wrong = stack.run(&["approval", "decide", &id, "paid"]).await;
    assert_eq!(wrong.code, 2);
}
