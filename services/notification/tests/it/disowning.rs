//! The link of a mail with which its reader says that its news was not their doing.

use std::time::Duration;

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_notification::MailArgs;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::helpers::{Notification, call, deposit, refused, user_id, why};
use crate::mail::{
    mail, publish, reader, send_with_uncertain_fate, sending, stack, tell_of_deposit, through,
    wait_for,
};
use crate::smtp_server::{Arrived, SmtpServer};

const ACCOUNT_DISOWNED: &str = "adfolio.notification.v1.AccountDisowned";

const DAY: Duration = Duration::from_hours(24);

/// The link of a mail.
pub fn link_of(mail: &Arrived) -> String {
    let body = mail.body();
    let link = body.lines().find(|line| line.contains("/#/not-me?token="));
    link.unwrap_or_else(|| panic!("no link: {body}")).to_owned()
}

fn token_of(mail: &Arrived) -> String {
    let link = link_of(mail);
    let token = link.strip_prefix("https://app.adfolio.example/#/not-me?token=");
    token.expect("a token").to_owned()
}

/// Says so without an identity, as the gateway does.
async fn disown(stack: &Notification, token: &str) -> Result<(), Refusal> {
    let message = pb::DisownMailRequest {
        token: token.to_owned(),
    };
    let request = call(&Caller::system(), message);
    let answer = stack.users().disown_mail(request).await;
    answer.map(|_| ()).map_err(refused)
}

async fn announced(stack: &Notification) -> i64 {
    stack
        .count("SELECT count(*) FROM outbox WHERE event_type = 'adfolio.notification.v1.AccountDisowned'")
        .await
}

#[tokio::test]
async fn the_link_of_a_mail_disowns_it_and_only_its_digest_is_stored() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    let probe = stack.broker.probe(&[ACCOUNT_DISOWNED]).await;
    tell_of_deposit(&stack, &alice).await;
    let token = token_of(&server.wait_for(1).await[0]);
    assert_eq!(token.len(), 43);
    wait_for(&stack, pb::MailState::Sent).await;
    let (rows, digests): (i64, Vec<Vec<u8>>) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM mails, mail_links AS l
                 WHERE mails::text LIKE '%' || $1 || '%' OR l::text LIKE '%' || $1 || '%'),
                (SELECT array_agg(digest) FROM mail_links)",
    )
    .bind(&token)
    .fetch_one(&stack.db.pool())
    .await
    .unwrap();
    assert_eq!(rows, 0, "the token is in the database");
    assert_eq!(digests, [Sha256::digest(token.as_bytes()).to_vec()]);
    assert!(mail(&stack).await.disowned_at.is_none());

    // Twice, because an answer may be lost.
    for _ in 0..2 {
        disown(&stack, &token).await.expect("disowned");
    }
    let told = &probe.wait_for(ACCOUNT_DISOWNED, 1).await[0];
    let data: events::AccountDisowned = told.data().unwrap();
    let mail = mail(&stack).await;
    let now = stack.clock.now();
    assert_eq!(
        data,
        events::AccountDisowned {
            user_id: user_id(&alice),
            mail_id: mail.id,
            template: "deposit_credited".to_owned(),
            time: Some(now.into()),
        }
    );
    assert_eq!(mail.disowned_at, Some(now.into()));
    assert_eq!(announced(&stack).await, 1);
    // Later it is said anew: the freeze may have been lifted since.
    stack.clock.advance(Duration::from_mins(1));
    disown(&stack, &token).await.expect("disowned");
    assert_eq!(announced(&stack).await, 2);
}

#[tokio::test]
async fn of_many_presses_at_once_one_is_news() {
    let server = SmtpServer::start().await;
    let stack = sending(through(&server)).replicas(2).spawn().await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    let token = token_of(&server.wait_for(1).await[0]);
    let presses = (0..10).map(|_| disown(&stack, &token));
    for said in futures::future::join_all(presses).await {
        said.expect("disowned");
    }
    assert_eq!(announced(&stack).await, 1);
}

#[tokio::test]
async fn another_attempt_leaves_the_link_of_the_first_one_valid() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let arrived = send_with_uncertain_fate(&server, &stack).await;
    let tokens: Vec<_> = arrived.iter().map(token_of).collect();
    assert_ne!(tokens[0], tokens[1]);
    for token in &tokens {
        disown(&stack, token).await.expect("disowned");
        stack.clock.advance(Duration::from_mins(1));
    }
    assert_eq!(announced(&stack).await, 2);
}

#[tokio::test]
async fn a_link_works_for_thirty_days_and_no_other_text_does() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    let token = token_of(&server.wait_for(1).await[0]);
    wait_for(&stack, pb::MailState::Sent).await;
    let mail_id = mail(&stack).await.id;
    let cut = &token[..42];
    for wrong in [
        "",
        "x",
        cut,
        &format!("{token}="),
        &mail_id,
        &"A".repeat(43),
    ] {
        let answer = why(disown(&stack, wrong).await);
        assert_eq!(answer, (Reason::DisownLinkInvalid, None), "{wrong}");
    }
    assert_eq!(announced(&stack).await, 0);
    // One second before.
    stack.clock.advance(Duration::from_secs(30 * 86_400 - 1));
    disown(&stack, &token).await.expect("disowned");
    stack.clock.advance(Duration::from_secs(1));
    let late = disown(&stack, &token).await;
    assert_eq!(why(late).0, Reason::DisownLinkInvalid);
    assert_eq!(announced(&stack).await, 1);
}

#[tokio::test]
async fn the_mail_of_a_freeze_and_mail_without_an_address_of_the_app_have_no_link() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    let frozen = events::WalletSecurityChanged {
        user_id: user_id(&alice),
        change: "wallet_frozen".to_owned(),
    };
    publish(
        &stack,
        "adfolio.wallet.v1.WalletSecurityChanged",
        &alice,
        &frozen,
    )
    .await;
    let body = server.wait_for(1).await[0].body();
    assert!(!body.contains("not-me"), "{body}");

    let server = SmtpServer::start().await;
    let nowhere = MailArgs {
        public_url: None,
        ..through(&server)
    };
    let stack = sending(nowhere).spawn().await;
    let (alice, _) = reader(&stack, "en");
    stack.tell(Uuid::now_v7(), &deposit(&alice, 100)).await;
    let body = server.wait_for(1).await[0].body();
    assert!(!body.contains("not-me") && !body.contains("://"), "{body}");
    assert_eq!(stack.count("SELECT count(*) FROM mail_links").await, 0);
}

#[tokio::test]
async fn links_go_with_their_mail() {
    let server = SmtpServer::start().await;
    let mut stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    wait_for(&stack, pb::MailState::Sent).await;
    assert_eq!(stack.count("SELECT count(*) FROM mail_links").await, 1);
    stack.clock.advance(DAY * 90 + Duration::from_secs(1));
    // Deleting begins with a process.
    stack.restart().await;
    adfolio_testkit::eventually("the link is deleted", || async {
        stack.count("SELECT count(*) FROM mail_links").await == 0
    })
    .await;
}
