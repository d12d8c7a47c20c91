//! The mail that brings a code.

use std::time::Duration;

use adfolio_kit::identity::Caller;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_testkit::eventually;
use chrono::TimeDelta;
use uuid::Uuid;

use crate::helpers::{Notification, deposit, user_id};
use crate::mail::{mail, publish, reader, stack, tell_of_deposit, wait_for, wait_for_failures};
use crate::smtp_server::{Mood, SmtpServer};

const CODE: &str = "20671943";

/// A code is asked for; answers its id.
async fn request(stack: &Notification, caller: &Caller) -> String {
    let id = Uuid::now_v7().to_string();
    request_again(stack, caller, &id).await;
    id
}

async fn request_again(stack: &Notification, caller: &Caller, id: &str) {
    let valid_until = stack.clock.now() + TimeDelta::minutes(15);
    let requested = events::EmailCodeRequested {
        user_id: user_id(caller),
        email_code_id: id.to_owned(),
        valid_until: Some(valid_until.into()),
    };
    let kind = "adfolio.auth.v1.EmailCodeRequested";
    publish(stack, kind, caller, &requested).await;
}

/// Every text of every table, to search for what must not be there.
async fn dump(stack: &Notification) -> String {
    let pool = stack.db.pool();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let mut text = String::new();
    for table in tables {
        let query =
            format!("SELECT coalesce(string_agg(row::text, chr(10)), '') FROM \"{table}\" AS row");
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_one(&pool)
            .await
            .unwrap();
        text.push_str(&rows);
    }
    text
}

#[tokio::test]
async fn a_code_is_in_its_mail_and_nowhere_else() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, address) = reader(&stack, "zh");
    let id = Uuid::now_v7().to_string();
    stack.directory.email_code(&id, Some(CODE));
    for _ in 0..2 {
        request_again(&stack, &alice, &id).await;
    }
    let arrived = server.wait_for(1).await;
    let letter = &arrived[0];
    assert_eq!(letter.to, [address]);
    assert_eq!(letter.header("Subject"), "您的邮箱验证码");
    let body = letter.body();
    assert!(body.starts_with(&format!("{CODE}\n\n")), "{body}");
    // Nothing has happened that could be disowned.
    assert!(!body.contains("/not-me"), "{body}");
    let sent = wait_for(&stack, pb::MailState::Sent).await;
    assert_eq!(
        (sent.template.as_str(), sent.to_former),
        ("email_code", false)
    );
    // It is no notice, and in no table.
    assert_eq!(stack.unread(&alice).await, 0);
    let all = dump(&stack).await;
    assert!(all.contains(&id));
    assert!(!all.contains(CODE));
    assert!(!all.contains("reader.example"));
}

#[tokio::test]
async fn a_code_that_confirms_nothing_any_more_is_not_mailed() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    request(&stack, &alice).await;
    let skipped = wait_for(&stack, pb::MailState::Skipped).await;
    assert_eq!(skipped.last_error, "code_expired");
    assert!(server.arrived().is_empty());
}

#[tokio::test]
async fn a_code_is_not_tried_for_longer_than_it_works() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    server.be(Mood::Deferring);
    let id = Uuid::now_v7().to_string();
    stack.directory.email_code(&id, Some(CODE));
    request_again(&stack, &alice, &id).await;
    wait_for_failures(&stack, 1, "deferred").await;
    stack.clock.advance(Duration::from_mins(15));
    let dead = wait_for(&stack, pb::MailState::Dead).await;
    assert_eq!(dead.last_error, "deferred");
    assert!(server.arrived().is_empty());
}

/// A replica of auth that knows no codes answers with the address alone.
#[tokio::test]
async fn a_mail_without_its_code_is_not_sent() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    let id = Uuid::now_v7().to_string();
    stack.directory.email_code(&id, None);
    request_again(&stack, &alice, &id).await;
    wait_for_failures(&stack, 1, "auth_unavailable").await;
    assert!(server.arrived().is_empty());
    stack.directory.email_code(&id, Some(CODE));
    stack.clock.advance(Duration::from_secs(30));
    let arrived = server.wait_for(1).await;
    assert!(arrived[0].body().contains(CODE));
    assert_eq!(mail(&stack).await.template, "email_code");
}

/// Who can ask for codes must not be able to use up what warns the owner, nor the other way round.
#[tokio::test]
async fn codes_do_not_count_among_the_mails_of_a_day() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    for _ in 0..10 {
        let id = Uuid::now_v7().to_string();
        stack.directory.email_code(&id, Some(CODE));
        request_again(&stack, &alice, &id).await;
    }
    server.wait_for(10).await;
    for number in 1..=50 {
        let told = deposit(&alice, number * 100);
        stack.tell(Uuid::now_v7(), &told).await;
    }
    server.wait_for(60).await;
    eventually("all are sent", || async {
        let query = "SELECT count(*) FROM mails WHERE state = 'sent'";
        stack.count(query).await == 60
    })
    .await;
    tell_of_deposit(&stack, &alice).await;
    eventually("one more is skipped", || async {
        let query = "SELECT count(*) FROM mails WHERE last_error = 'too_many'";
        stack.count(query).await == 1
    })
    .await;
    let id = Uuid::now_v7().to_string();
    stack.directory.email_code(&id, Some(CODE));
    request_again(&stack, &alice, &id).await;
    server.wait_for(61).await;
}
