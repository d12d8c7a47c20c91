//! Mail, through a real mail server with TLS.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_notification::{MailArgs, Way};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_testkit::{Builder, eventually, publish_event, publish_event_with_id};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::disowning::link_of;
use crate::helpers::{
    Acted, Notification, STAFF_ACTED, call, deposit, plan, refused, staff, user, user_id, why,
    with_key,
};
use crate::smtp_server::{Arrived, Encryption, Mood, SmtpServer};

const FROM: &str = "Adfolio <no-reply@adfolio.example>";
const LANGS: [&str; 12] = [
    "cht", "de", "en", "fr", "jp", "kor", "pt", "ru", "spa", "th", "vi", "zh",
];

/// Longer than the lease of a mail that is being sent.
const LEASE: Duration = Duration::from_mins(3);

pub fn through(server: &SmtpServer) -> MailArgs {
    MailArgs {
        mail_transport: Way::Smtp,
        smtp_url: Some(server.url().into()),
        smtp_ca_file: Some(server.ca_file()),
        mail_from: Some(FROM.to_owned()),
        public_url: Some("https://app.adfolio.example/".parse().unwrap()),
        ..MailArgs::default()
    }
}

pub fn sending(mail: MailArgs) -> Builder<Notification> {
    Notification::builder().configure(|config| config.mail = mail)
}

/// A service that mails through this server.
pub async fn stack(server: &SmtpServer) -> Notification {
    sending(through(server)).spawn().await
}

/// A user with an address.
pub fn reader(stack: &Notification, lang: &str) -> (Caller, String) {
    let caller = user();
    let address = format!("ann-{}@reader.example", Uuid::now_v7().simple());
    stack.directory.mail(&user_id(&caller), &address, lang);
    (caller, address)
}

pub async fn publish(stack: &Notification, kind: &str, caller: &Caller, data: &impl Serialize) {
    publish_event(&stack.broker.broker(), kind, &user_id(caller), data).await;
}

pub async fn tell_of_deposit(stack: &Notification, caller: &Caller) {
    stack.tell(Uuid::now_v7(), &deposit(caller, 125_000)).await;
}

async fn mails(stack: &Notification, request: pb::ListMailsRequest) -> Vec<pb::Mail> {
    let support = staff(StaffRole::Support);
    let answer = stack.staff().list_mails(call(&support, request)).await;
    answer.expect("mails").into_inner().items
}

/// The only mail.
pub async fn mail(stack: &Notification) -> pb::Mail {
    let mut all = mails(stack, pb::ListMailsRequest::default()).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// Waits until the newest mail is in this state.
pub async fn wait_for(stack: &Notification, state: pb::MailState) -> pb::Mail {
    eventually(&format!("the mail is {state:?}"), || async {
        let all = mails(stack, pb::ListMailsRequest::default()).await;
        all.first().is_some_and(|mail| mail.state() == state)
    })
    .await;
    let mut all = mails(stack, pb::ListMailsRequest::default()).await;
    all.remove(0)
}

/// Waits until the only mail has failed so often.
pub async fn wait_for_failures(stack: &Notification, attempts: i32, class: &str) -> pb::Mail {
    eventually(&format!("{attempts} failures"), || async {
        let all = mails(stack, pb::ListMailsRequest::default()).await;
        all.first()
            .is_some_and(|mail| mail.attempts == attempts && mail.last_error == class)
    })
    .await;
    mail(stack).await
}

async fn retry(
    stack: &Notification,
    caller: &Caller,
    mail_id: &str,
) -> Result<pb::RetryMailResponse, Refusal> {
    let request = pb::RetryMailRequest {
        mail_id: mail_id.to_owned(),
    };
    let answer = stack.staff().retry_mail(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner())
}

#[tokio::test]
async fn one_happening_told_twice_is_one_mail() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, address) = reader(&stack, "en");
    let (id, told) = (Uuid::now_v7(), deposit(&alice, 125_000));
    stack.tell(id, &told).await;
    stack.tell(id, &told).await;
    // The same deposit in another event.
    stack.tell(Uuid::now_v7(), &told).await;
    stack.tell(Uuid::now_v7(), &deposit(&alice, 200)).await;
    let arrived = server.wait_for(2).await;
    // Two are on their way at the same time.
    let first = arrived.iter().find(|mail| mail.body().contains("1,250.00"));
    let first = first.unwrap();
    assert_eq!(first.to, std::slice::from_ref(&address));
    let listed = mails(&stack, pb::ListMailsRequest::default()).await;
    assert_eq!(listed.len(), 2);
    let mail = listed.last().unwrap();
    for (name, value) in [
        ("From", FROM.to_owned()),
        ("To", address),
        ("Subject", "Deposit credited".to_owned()),
        ("Message-ID", format!("<{}@adfolio.example>", mail.id)),
        ("Date", "Fri, 20 Nov 2026 10:00:00 +0000".to_owned()),
        ("Auto-Submitted", "auto-generated".to_owned()),
        ("Content-Language", "en".to_owned()),
        ("Content-Type", "text/plain; charset=utf-8".to_owned()),
    ] {
        assert_eq!(first.header(name), value, "{name}");
    }
    let (body, link) = (first.body(), link_of(first));
    assert_eq!(
        body.replace(&link, "LINK"),
        "A deposit of 1,250.00 has been credited to your wallet.\n\n2026-11-20 08:02 UTC\n\n\
         Was this not you? Then stop payments out of your wallet here. You need no login, and the page asks for no \
         password:\nLINK\n\n\
         We never ask for a password or a code by e-mail. If something here was not you, open Adfolio yourself, as you \
         always do, and contact customer service there.\n\nhttps://app.adfolio.example/"
    );
    assert_eq!(stack.unread(&alice).await, 2);
}

#[tokio::test]
async fn mail_is_in_the_readers_language() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    for lang in LANGS.into_iter().chain(["", "klingon"]) {
        let (caller, _) = reader(&stack, lang);
        tell_of_deposit(&stack, &caller).await;
    }
    let arrived = server.wait_for(14).await;
    let by_language = |tag: &str| -> Vec<_> {
        let in_it = |mail: &&Arrived| mail.header("Content-Language") == tag;
        arrived.iter().filter(in_it).collect()
    };
    let german = by_language("de")[0];
    assert_eq!(german.header("Subject"), "Einzahlung gutgeschrieben");
    assert!(german.body().contains("1.250,00"), "{}", german.body());
    assert!(by_language("ja")[0].body().contains("Adfolio"));
    // English for users who have chosen none, or one that does not exist.
    assert_eq!(by_language("en").len(), 3);
    let mut subjects: Vec<_> = arrived.iter().map(|mail| mail.header("Subject")).collect();
    subjects.sort();
    subjects.dedup();
    assert_eq!(subjects.len(), 12, "{subjects:?}");
    let listed = mails(&stack, pb::ListMailsRequest::default()).await;
    assert!(listed.iter().any(|mail| mail.lang == "jp"));
}

#[tokio::test]
async fn what_concerns_security_and_money_is_mailed_and_nothing_else() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    let id = user_id(&alice);
    stack
        .tell(Uuid::now_v7(), &plan(&alice, Uuid::now_v7(), "settled"))
        .await;
    let granted = events::CouponGranted {
        coupon_id: Uuid::now_v7().to_string(),
        user_id: id.clone(),
        name: "Welcome".to_owned(),
        ..events::CouponGranted::default()
    };
    publish(&stack, "adfolio.coupon.v1.CouponGranted", &alice, &granted).await;
    let password = events::PasswordChanged {
        user_id: id.clone(),
    };
    publish(&stack, "adfolio.auth.v1.PasswordChanged", &alice, &password).await;
    let login = events::NewClientLoggedIn {
        user_id: id.clone(),
    };
    publish(&stack, "adfolio.auth.v1.NewClientLoggedIn", &alice, &login).await;
    let withdrawal = events::WithdrawalStatusChanged {
        withdrawal_id: Uuid::now_v7().to_string(),
        user_id: id.clone(),
        status: "pending".to_owned(),
        amount_minor: 50_000,
        ..events::WithdrawalStatusChanged::default()
    };
    let kind = "adfolio.wallet.v1.WithdrawalStatusChanged";
    publish(&stack, kind, &alice, &withdrawal).await;
    let paid = events::WithdrawalStatusChanged {
        status: "paid".to_owned(),
        ..withdrawal
    };
    publish(&stack, kind, &alice, &paid).await;
    let exchange = events::ExchangeStatusChanged {
        exchange_id: Uuid::now_v7().to_string(),
        user_id: id.clone(),
        status: "pending".to_owned(),
        direction: "wallet_to_currency".to_owned(),
        currency: "THB".to_owned(),
        amount_minor: 10_000,
        counter_amount: "3300.00".to_owned(),
        reason: String::new(),
    };
    let kind = "adfolio.acceptor.v1.ExchangeStatusChanged";
    publish(&stack, kind, &alice, &exchange).await;
    for action in ["auth.set_user_profile", "auth.create_license_keys"] {
        let acted = events::StaffActed {
            action: action.to_owned(),
            user_id: id.clone(),
            ..events::StaffActed::default()
        };
        publish(&stack, "adfolio.auth.v1.StaffActed", &alice, &acted).await;
    }
    let arrived = server.wait_for(6).await;
    let mut subjects: Vec<_> = arrived.iter().map(|mail| mail.header("Subject")).collect();
    subjects.sort();
    let expected = [
        "Account changed by customer service",
        "Exchange requested",
        "Login from a new place",
        "Login password changed",
        "Withdrawal paid",
        "Withdrawal requested",
    ];
    assert_eq!(subjects, expected);
    // Plan, coupon, password and payment.
    assert_eq!(stack.unread(&alice).await, 4);
    assert_eq!(
        mails(&stack, pb::ListMailsRequest::default()).await.len(),
        6
    );
}

#[tokio::test]
async fn the_address_of_before_is_told_of_its_change() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, address) = reader(&stack, "de");
    let former = Uuid::now_v7();
    stack
        .directory
        .mail(&former.to_string(), "old@reader.example", "de");
    let changed = events::ContactChanged {
        user_id: user_id(&alice),
        email: true,
        phone: true,
        former_email_id: former.to_string(),
    };
    let (kind, id) = ("adfolio.auth.v1.ContactChanged", Uuid::now_v7());
    for _ in 0..2 {
        let broker = stack.broker.broker();
        publish_event_with_id(&broker, id, kind, &user_id(&alice), &changed).await;
    }
    let arrived = server.wait_for(3).await;
    let mut told: Vec<_> = arrived
        .iter()
        .map(|mail| (mail.to[0].clone(), mail.header("Subject")))
        .collect();
    told.sort();
    let expected = [
        (address.clone(), "E-Mail-Adresse geändert".to_owned()),
        (address, "Telefonnummer geändert".to_owned()),
        (
            "old@reader.example".to_owned(),
            "E-Mail-Adresse geändert".to_owned(),
        ),
    ];
    assert_eq!(told, expected);
    let listed = mails(&stack, pb::ListMailsRequest::default()).await;
    assert_eq!(listed.iter().filter(|mail| mail.to_former).count(), 1);
    // An address is nowhere in this service's database.
    let all = stack
        .count("SELECT count(*) FROM mails WHERE mails::text LIKE '%reader.example%'")
        .await;
    assert_eq!(all, 0);
}

#[tokio::test]
async fn a_user_without_an_address_is_skipped() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let nobody = user();
    tell_of_deposit(&stack, &nobody).await;
    let mail = wait_for(&stack, pb::MailState::Skipped).await;
    assert_eq!(mail.last_error, "no_address");
    let without = user();
    stack.directory.mail(&user_id(&without), "", "en");
    tell_of_deposit(&stack, &without).await;
    let request = pb::ListMailsRequest {
        user_id: user_id(&without),
        state: pb::MailState::Skipped.into(),
        page: None,
    };
    eventually("that one is skipped, too", || async {
        mails(&stack, request.clone()).await.len() == 1
    })
    .await;
    assert!(server.arrived().is_empty());
}

#[tokio::test]
async fn a_user_is_sent_fifty_a_day() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    let (ben, _) = reader(&stack, "en");
    let state = |state: pb::MailState| pb::ListMailsRequest {
        user_id: user_id(&alice),
        state: state.into(),
        page: Some(PageRequest {
            cursor: String::new(),
            limit: 100,
        }),
    };
    for number in 1..=50 {
        stack
            .tell(Uuid::now_v7(), &deposit(&alice, number * 100))
            .await;
    }
    server.wait_for(50).await;
    eventually("all are sent", || async {
        mails(&stack, state(pb::MailState::Sent)).await.len() == 50
    })
    .await;
    stack.tell(Uuid::now_v7(), &deposit(&alice, 5_100)).await;
    eventually("one more is skipped", || async {
        let skipped = mails(&stack, state(pb::MailState::Skipped)).await;
        skipped.len() == 1 && skipped[0].last_error == "too_many"
    })
    .await;
    tell_of_deposit(&stack, &ben).await;
    server.wait_for(51).await;
    stack.clock.advance(Duration::from_hours(24));
    stack.tell(Uuid::now_v7(), &deposit(&alice, 5_200)).await;
    server.wait_for(52).await;
}

#[tokio::test]
async fn a_server_that_was_away_gets_it_later() {
    let mut server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    // A connection that is kept and breaks.
    tell_of_deposit(&stack, &alice).await;
    server.wait_for(1).await;
    server.go_away().await;
    stack.tell(Uuid::now_v7(), &deposit(&alice, 200)).await;
    let request = pb::ListMailsRequest {
        state: pb::MailState::Pending.into(),
        ..pb::ListMailsRequest::default()
    };
    eventually("a first failure", || async {
        let waiting = mails(&stack, request.clone()).await;
        waiting
            .first()
            .is_some_and(|mail| mail.last_error == "server_unavailable")
    })
    .await;
    server.come_back().await;
    stack.clock.advance(Duration::from_secs(29));
    assert_eq!(mails(&stack, request.clone()).await[0].attempts, 1);
    stack.clock.advance(Duration::from_secs(1));
    server.wait_for(2).await;
    eventually("nothing waits", || async {
        mails(&stack, request.clone()).await.is_empty()
    })
    .await;
    assert_eq!(stack.unread(&alice).await, 2);
}

#[tokio::test]
async fn a_refused_mail_is_dead_at_once_until_staff_try_again() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    server.be(Mood::Refusing);
    tell_of_deposit(&stack, &alice).await;
    let dead = wait_for(&stack, pb::MailState::Dead).await;
    assert_eq!((dead.attempts, dead.last_error.as_str()), (1, "refused"));
    let operator = staff(StaffRole::Operator);
    assert_eq!(
        why(retry(&stack, &operator, &dead.id).await).0,
        Reason::Forbidden
    );
    let support = staff(StaffRole::Support);
    let unknown = Uuid::now_v7().to_string();
    assert_eq!(
        why(retry(&stack, &support, &unknown).await).0,
        Reason::NotFound
    );
    server.be(Mood::Accepting);
    let probe = stack.broker.probe(&[STAFF_ACTED]).await;
    let keyed = with_key(&support, "again");
    let first = retry(&stack, &keyed, &dead.id).await.unwrap();
    assert_eq!(first.mail.as_ref().unwrap().state(), pb::MailState::Pending);
    assert_eq!(retry(&stack, &keyed, &dead.id).await.unwrap(), first);
    server.wait_for(1).await;
    wait_for(&stack, pb::MailState::Sent).await;
    assert_eq!(
        why(retry(&stack, &support, &dead.id).await).0,
        Reason::NothingChanged
    );
    let acted = probe.wait_for(STAFF_ACTED, 1).await;
    let entry = Acted::of(&acted[0].data);
    assert_eq!(entry.action, "notification.mail_retry");
    assert_eq!(entry.target, dead.id);
    assert_eq!(
        entry.before,
        json!({"state": "dead", "last_error": "refused"})
    );
    assert_eq!(
        entry.after,
        json!({"state": "pending", "user_id": user_id(&alice)})
    );
}

#[tokio::test]
async fn a_deferred_mail_is_given_up_after_a_day() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    server.be(Mood::Deferring);
    tell_of_deposit(&stack, &alice).await;
    let first = wait_for_failures(&stack, 1, "deferred").await;
    assert_eq!(first.state(), pb::MailState::Pending);
    stack.clock.advance(Duration::from_hours(23));
    wait_for_failures(&stack, 2, "deferred").await;
    stack.clock.advance(Duration::from_hours(1));
    let dead = wait_for(&stack, pb::MailState::Dead).await;
    // An attempt counts from its beginning, so the second one may have ended after the clock went on.
    assert!((2..=3).contains(&dead.attempts), "{dead:?}");
    assert_eq!(dead.last_error, "deferred");
    assert!(server.arrived().is_empty());
}

#[tokio::test]
async fn what_is_wrong_with_this_client_is_not_the_mails_fault() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    server.be(Mood::Distrusting);
    tell_of_deposit(&stack, &alice).await;
    wait_for_failures(&stack, 1, "login_refused").await;
    server.be(Mood::Accepting);
    // Nor auth's.
    stack.directory.die(true);
    stack.clock.advance(Duration::from_mins(1));
    wait_for_failures(&stack, 2, "auth_unavailable").await;
    stack.directory.die(false);
    stack.clock.advance(Duration::from_hours(1));
    server.wait_for(1).await;
    assert_eq!(server.logins(), 1);
}

#[tokio::test]
async fn two_replicas_send_nothing_twice() {
    const COUNT: usize = 60;
    let server = SmtpServer::start().await;
    let stack = sending(through(&server)).replicas(2).spawn().await;
    // No user may get all of them within a day.
    let (alice, _) = reader(&stack, "en");
    let (ben, _) = reader(&stack, "en");
    for number in 1..=COUNT {
        let caller = if number % 2 == 0 { &alice } else { &ben };
        let amount = i64::try_from(number).unwrap() * 100;
        stack.tell(Uuid::now_v7(), &deposit(caller, amount)).await;
    }
    server.wait_for(COUNT).await;
    eventually("all are sent", || async {
        stack
            .count("SELECT count(*) FROM mails WHERE state <> 'sent' OR attempts <> 1")
            .await
            == 0
    })
    .await;
    assert_eq!(server.by_message_id().len(), COUNT);
    server.wait_for(COUNT).await;
}

/// Sends a mail twice, because the server does not answer the first attempt, which arrives.
pub async fn send_with_uncertain_fate(server: &SmtpServer, stack: &Notification) -> Vec<Arrived> {
    let (alice, _) = reader(stack, "en");
    server.be(Mood::BreakingOff);
    tell_of_deposit(stack, &alice).await;
    wait_for_failures(stack, 1, "server_unavailable").await;
    server.be(Mood::Accepting);
    stack.clock.advance(Duration::from_secs(30));
    wait_for(stack, pb::MailState::Sent).await;
    server.wait_for(2).await
}

#[tokio::test]
async fn a_mail_of_uncertain_fate_is_sent_again_under_its_message_id() {
    let server = SmtpServer::start().await;
    let stack = stack(&server).await;
    send_with_uncertain_fate(&server, &stack).await;
    let counts: Vec<_> = server.by_message_id().into_values().collect();
    assert_eq!(counts, [2]);
}

#[tokio::test]
async fn another_replica_sends_what_a_dead_one_was_sending() {
    let server = SmtpServer::start().await;
    let mut stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    server.be(Mood::Silent);
    tell_of_deposit(&stack, &alice).await;
    server.wait_for(1).await;
    // Between sending and marking.
    stack.crash().await;
    server.be(Mood::Accepting);
    let under_lease = mail(&stack).await;
    assert_eq!(
        (under_lease.state(), under_lease.attempts),
        (pb::MailState::Pending, 1)
    );
    stack.clock.advance(LEASE);
    let sent = wait_for(&stack, pb::MailState::Sent).await;
    assert_eq!(sent.attempts, 2);
    server.wait_for(2).await;
    let counts: Vec<_> = server.by_message_id().into_values().collect();
    assert_eq!(counts, [2]);
}

#[tokio::test]
async fn nothing_goes_through_an_unencrypted_or_unknown_server() {
    let upgrading = SmtpServer::with(Encryption::StartTls).await;
    let stack = stack(&upgrading).await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    upgrading.wait_for(1).await;

    let plain = SmtpServer::with(Encryption::None).await;
    let stack = sending(through(&plain)).spawn().await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    wait_for_failures(&stack, 1, "server_unsuitable").await;

    let unknown = SmtpServer::start().await;
    let untrusting = MailArgs {
        smtp_ca_file: None,
        ..through(&unknown)
    };
    let stack = sending(untrusting).spawn().await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    eventually("a failure", || async {
        let all = mails(&stack, pb::ListMailsRequest::default()).await;
        all.first().is_some_and(|mail| !mail.last_error.is_empty())
    })
    .await;
    for server in [plain, unknown] {
        assert!(server.arrived().is_empty());
        assert_eq!(server.logins(), 0);
    }
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn mail_as_files_is_for_one_account_of_the_machine() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("mail");
    let files = MailArgs {
        mail_transport: Way::Files,
        mail_dir: Some(folder.clone()),
        mail_from: Some(FROM.to_owned()),
        ..MailArgs::default()
    };
    let stack = sending(files).spawn().await;
    let (alice, address) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    let sent = wait_for(&stack, pb::MailState::Sent).await;
    let file = folder.join(format!("{}.eml", sent.id));
    assert_eq!(files_of(&folder), std::slice::from_ref(&file));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(&format!("To: {address}\r\n")), "{text}");
    assert!(!text.contains("://"), "{text}");
}

#[tokio::test]
async fn where_mail_is_off_there_is_none() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.deposits(&alice, 2).await;
    assert_eq!(stack.count("SELECT count(*) FROM mails").await, 0);
}

#[tokio::test]
async fn mails_are_listed_page_by_page_for_staff_alone() {
    let parent = tempfile::tempdir().unwrap();
    let files = MailArgs {
        mail_transport: Way::Files,
        mail_dir: Some(parent.path().to_owned()),
        mail_from: Some(FROM.to_owned()),
        ..MailArgs::default()
    };
    let stack = sending(files).spawn().await;
    let (alice, _) = reader(&stack, "en");
    let (ben, _) = reader(&stack, "en");
    for number in 1..=3 {
        for caller in [&alice, &ben] {
            stack
                .tell(Uuid::now_v7(), &deposit(caller, number * 100))
                .await;
        }
    }
    eventually("all are sent", || async {
        stack
            .count("SELECT count(*) FROM mails WHERE state = 'sent'")
            .await
            == 6
    })
    .await;
    let support = staff(StaffRole::Support);
    for (user_id, state, expected) in [
        (String::new(), pb::MailState::Unspecified, 6),
        (user_id(&alice), pb::MailState::Unspecified, 3),
        (String::new(), pb::MailState::Sent, 6),
        (user_id(&ben), pb::MailState::Sent, 3),
        (user_id(&ben), pb::MailState::Dead, 0),
    ] {
        let mut request = pb::ListMailsRequest {
            user_id,
            state: state.into(),
            page: None,
        };
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            request.page = Some(PageRequest { cursor, limit: 2 });
            let mut client = stack.staff();
            let answer = client.list_mails(call(&support, request.clone())).await;
            let page = answer.unwrap().into_inner();
            ids.extend(page.items.into_iter().map(|mail| mail.id));
            if page.next_cursor.is_empty() {
                break;
            }
            cursor = page.next_cursor;
        }
        assert_eq!(ids.len(), expected);
        assert!(ids.is_sorted_by(|newer, older| newer > older));
    }
    let request = pb::ListMailsRequest::default();
    let answer = stack.staff().list_mails(call(&alice, request)).await;
    assert_eq!(why(answer.map_err(refused)).0, Reason::NotAuthenticated);
}

#[tokio::test]
async fn what_is_finished_is_kept_for_ninety_days() {
    let server = SmtpServer::start().await;
    let mut stack = stack(&server).await;
    let (alice, _) = reader(&stack, "en");
    tell_of_deposit(&stack, &alice).await;
    wait_for(&stack, pb::MailState::Sent).await;
    server.be(Mood::Refusing);
    stack.clock.advance(Duration::from_hours(24 * 90));
    stack.tell(Uuid::now_v7(), &deposit(&alice, 200)).await;
    wait_for(&stack, pb::MailState::Dead).await;
    stack.clock.advance(Duration::from_secs(1));
    // Deleting begins with a process.
    stack.restart().await;
    eventually("the old one is deleted", || async {
        mails(&stack, pb::ListMailsRequest::default()).await.len() == 1
    })
    .await;
    assert_eq!(mail(&stack).await.state(), pb::MailState::Dead);
}
