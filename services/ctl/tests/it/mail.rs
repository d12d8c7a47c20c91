//! `adfolioctl mail`: what users were told by mail, and sending it again.

use adfolio_proto::auth::v1::RegisterRequest;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_testkit::eventually;
use serde_json::Value;

use crate::helpers::{Ended, Stack, anonymous};

const ADDRESS: &str = "ann@reader.example";

async fn user(stack: &Stack) -> String {
    let key = ["license", "create", "--code", "FIRST-KEY"];
    assert_eq!(stack.run(&key).await.code, 0);
    let message = RegisterRequest {
        username: "ann".to_owned(),
        password: "correct horse battery".to_owned(),
        email: ADDRESS.to_owned(),
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

fn items(ended: &Ended) -> Vec<Value> {
    assert_eq!(ended.code, 0, "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.output).unwrap();
    answer["items"].as_array().unwrap().clone()
}

/// Waits for the user's only mail to be sent.
async fn sent(stack: &Stack, user: &str) -> Value {
    let list = ["mail", "list", "--user", user, "--state", "sent", "--json"];
    eventually("the mail is sent", || async {
        items(&stack.run(&list).await).pop()
    })
    .await
}

#[tokio::test]
async fn a_deposit_is_mailed_and_a_dead_mail_is_sent_again() {
    let stack = Stack::start().await;
    let user = user(&stack).await;
    let deposit = ["wallet", "deposit", &user, "100.00"];
    assert_eq!(stack.run(&deposit).await.code, 0);
    let mail = sent(&stack, &user).await;
    assert_eq!(mail["template"], "deposit_credited");
    assert_eq!(mail["lang"], "en");
    let id = mail["id"].as_str().unwrap();
    let file = stack.mail.path().join(format!("{id}.eml"));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(ADDRESS) && text.contains("100.00"), "{text}");
    let table = stack.run(&["mail", "list"]).await;
    assert!(table.output.starts_with("ID "), "{table:?}");
    assert!(!table.output.contains(ADDRESS), "{table:?}");

    let retry = ["mail", "retry", id, "--reason", "server is back", "--json"];
    let refused = stack.run(&retry).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    sqlx::query("UPDATE mails SET state = 'dead', last_error = 'refused'")
        .execute(&stack.notification_pool())
        .await
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let retried = stack.run(&retry).await;
    assert_eq!(retried.code, 0, "{retried:?}");
    let retried: Value = serde_json::from_str(&retried.output).unwrap();
    assert_eq!(retried["state"], "pending");
    sent(&stack, &user).await;
    assert!(file.exists());
    let audit = [
        "audit",
        "list",
        "--action",
        "notification.mail_retry",
        "--json",
    ];
    eventually("it is audited", || async {
        items(&stack.run(&audit).await).len() == 1
    })
    .await;
}
