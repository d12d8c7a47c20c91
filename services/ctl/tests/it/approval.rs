//! `adfolioctl approval`: what adfolioctl asks for another person approves.

use adfolio_proto::auth::v1::RegisterRequest;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::{ApprovalDecision, DecideApprovalRequest};
use serde_json::Value;

use crate::helpers::{Ended, Stack, anonymous, as_staff};

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

#[tokio::test]
async fn a_guarantee_is_given_and_given_back() {
    let stack = Stack::start_with_four_eyes("100.00").await;
    let user = user(&stack).await;
    let deposit = ["wallet", "deposit", &user, "50.00"];
    assert_eq!(stack.run(&deposit).await.code, 0);
    for (action, amount, available, guarantee) in [
        ("deposit", "20.00", "30.00", "20.00"),
        ("return", "5.00", "35.00", "15.00"),
    ] {
        let change = [
            "wallet",
            "guarantee",
            action,
            &user,
            amount,
            "--remark",
            "shop",
            "--json",
        ];
        let figures = json(&stack.run(&change).await);
        assert_eq!(
            (&figures["available"], &figures["guarantee"]),
            (&available.into(), &guarantee.into())
        );
    }
    let shown = json(&stack.run(&["user", "show", &user, "--json"]).await);
    assert_eq!(shown["guarantee"], "15.00");
    let too_much = ["wallet", "guarantee", "return", &user, "15.01"];
    let refused = stack.run(&too_much).await;
    assert!(
        refused.errors.contains("INSUFFICIENT_BALANCE"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn what_adfolioctl_asks_for_another_person_approves() {
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
    let second = stack.founder("admin2").await;
    let message = DecideApprovalRequest {
        approval_id: id.to_owned(),
        decision: ApprovalDecision::Approved.into(),
        reason: "seen".to_owned(),
    };
    WalletAdminServiceClient::new(stack.wallet())
        .decide_approval(as_staff(second, message))
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
async fn adfolioctl_shows_requests_and_decides_none() {
    let stack = Stack::start_with_four_eyes("100.00").await;
    let user = user(&stack).await;
    let large = stack.run(&["wallet", "deposit", &user, "100.01"]).await;
    assert_eq!(large.code, 1, "{large:?}");
    let id = waiting(&stack).await["id"].as_str().unwrap().to_owned();
    let table = stack.run(&["approval", "list"]).await;
    assert!(table.output.starts_with("ID "), "{table:?}");
    assert!(table.output.contains(&id), "{table:?}");
    let decide = ["approval", "decide", &id, "approved", "--reason", "mine"];
    assert_eq!(stack.run(&decide).await.code, 2);
}
