//! Push messages, through a push service.

use std::time::Duration;

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_notification::PushArgs;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_testkit::eventually;
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::helpers::{
    Notification, Told, call, deposit, in_lang, plan, refused, user, user_id, why,
};
use crate::mail::publish;
use crate::push_service::{Browser, PushServer};

const SESSIONS_REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";
const ACCOUNT_STATE_CHANGED: &str = "adfolio.auth.v1.AccountStateChanged";
const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";

/// A service that sends through this push service.
async fn stack(server: &PushServer) -> Notification {
    let push = PushArgs {
        vapid_key_file: Some(server.key_file()),
        vapid_subject: Some("mailto:ops@adfolio.example".parse().unwrap()),
        push_services: vec![server.origin().parse().unwrap()],
    };
    Notification::builder()
        .configure(|config| config.push = push)
        .spawn()
        .await
}

async fn subscribe_in(
    stack: &Notification,
    caller: &Caller,
    browser: &Browser,
    session: Uuid,
) -> Result<(), Refusal> {
    let request = pb::SubscribePushRequest {
        endpoint: browser.endpoint.clone(),
        p256dh: browser.p256dh(),
        auth: browser.auth(),
        session_id: session.to_string(),
    };
    try_subscribe(stack, caller, request).await
}

async fn try_subscribe(
    stack: &Notification,
    caller: &Caller,
    request: pb::SubscribePushRequest,
) -> Result<(), Refusal> {
    let answer = stack.users().subscribe_push(call(caller, request)).await;
    answer.map(drop).map_err(refused)
}

/// Answers the session that it is in.
async fn subscribe(stack: &Notification, caller: &Caller, browser: &Browser) -> Uuid {
    let session = Uuid::now_v7();
    subscribe_in(stack, caller, browser, session).await.unwrap();
    session
}

async fn unsubscribe(stack: &Notification, caller: &Caller, browser: &Browser) {
    let request = pb::UnsubscribePushRequest {
        endpoint: browser.endpoint.clone(),
    };
    let answer = stack.users().unsubscribe_push(call(caller, request)).await;
    answer.unwrap();
}

async fn public_key(stack: &Notification) -> Vec<u8> {
    let request = call(&Caller::default(), pb::GetPushKeyRequest {});
    let answer = stack.users().get_push_key(request).await;
    answer.unwrap().into_inner().public_key
}

async fn tell(stack: &Notification, told: &Told) {
    stack.tell(Uuid::now_v7(), told).await;
}

async fn browsers(stack: &Notification) -> i64 {
    stack.count("SELECT count(*) FROM push_subscriptions").await
}

/// Of the newest message: how often it was tried, and when it is next.
async fn attempts_and_due(stack: &Notification) -> (i32, DateTime<Utc>) {
    sqlx::query_as("SELECT attempts, due_at FROM pushes ORDER BY give_up_at DESC LIMIT 1")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn news_reaches_every_browser_of_its_user_alone_encrypted_and_signed() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let (alice, bob) = (user(), user());
    let (phone, desk, other) = (
        server.browser("phone"),
        server.browser("desk"),
        server.browser("other"),
    );
    subscribe(&stack, &alice, &phone).await;
    subscribe(&stack, &in_lang(&alice, "de"), &desk).await;
    subscribe(&stack, &bob, &other).await;
    let told = deposit(&alice, 125_000);
    let Told::Deposit(data) = &told else {
        unreachable!()
    };
    tell(&stack, &told).await;
    let arrived = server.wait_for(2).await;
    let key = public_key(&stack).await;
    for (browser, title) in [
        (&phone, "Deposit credited"),
        (&desk, "Einzahlung gutgeschrieben"),
    ] {
        let mut to = arrived
            .iter()
            .filter(|message| message.browser == browser.name);
        let message = to.next().unwrap();
        let claims = message.claims(&key);
        assert_eq!(claims["aud"], server.origin());
        assert_eq!(claims["sub"], "mailto:ops@adfolio.example");
        assert_eq!(message.header("ttl"), "86400");
        assert_eq!(message.header("urgency"), "normal");
        let read = browser.read(message);
        assert_eq!(read["title"], title);
        assert_eq!(read["kind"], "money");
        assert_eq!(read["target"]["kind"], "entry");
        assert_eq!(read["target"]["id"], format!("{}-1", data.transaction_id));
        assert_eq!(read["time"], "2026-11-20T08:02:05Z");
    }
    // The same deposit in another event is no other message.
    tell(&stack, &told).await;
    tell(&stack, &deposit(&bob, 100)).await;
    let arrived = server.wait_for(3).await;
    assert_eq!(arrived.last().unwrap().browser, other.name);
}

#[tokio::test]
async fn plans_that_start_and_security_are_pushed_and_offers_are_not() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let alice = user();
    let phone = server.browser("phone");
    subscribe(&stack, &alice, &phone).await;
    let id = Uuid::now_v7();
    for step in ["matching", "putting", "put_finished", "settled"] {
        tell(&stack, &plan(&alice, id, step)).await;
    }
    let arrived = server.wait_for(1).await;
    let started = phone.read(&arrived[0]);
    assert_eq!(started["title"], "Plan started");
    assert_eq!(started["kind"], "plan");
    assert_eq!(started["target"]["id"], id.to_string());
    let changed = events::PasswordChanged {
        user_id: user_id(&alice),
    };
    publish(&stack, PASSWORD_CHANGED, &alice, &changed).await;
    let arrived = server.wait_for(2).await;
    assert_eq!(phone.read(&arrived[1])["kind"], "security");
    assert_eq!(arrived[1].header("urgency"), "high");
}

#[tokio::test]
async fn no_message_goes_to_a_session_that_was_ended() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let alice = user();
    let (phone, desk) = (server.browser("phone"), server.browser("desk"));
    let session = subscribe(&stack, &alice, &phone).await;
    subscribe(&stack, &alice, &desk).await;
    let mut revoked = events::SessionsRevoked {
        user_id: user_id(&alice),
        session_ids: vec![session.to_string()],
        all: false,
    };
    publish(&stack, SESSIONS_REVOKED, &alice, &revoked).await;
    eventually("the phone is forgotten", || async {
        browsers(&stack).await == 1
    })
    .await;
    tell(&stack, &deposit(&alice, 100)).await;
    assert_eq!(server.wait_for(1).await[0].browser, desk.name);
    revoked.session_ids.clear();
    revoked.all = true;
    publish(&stack, SESSIONS_REVOKED, &alice, &revoked).await;
    eventually("all are forgotten", || async {
        browsers(&stack).await == 0
    })
    .await;
    subscribe(&stack, &alice, &desk).await;
    for (state, left) in [("active", 1), ("disabled", 0)] {
        let changed = events::AccountStateChanged {
            user_id: user_id(&alice),
            state: state.to_owned(),
        };
        publish(&stack, ACCOUNT_STATE_CHANGED, &alice, &changed).await;
        // Handled in order: its deposit is known once the state is.
        stack.deposits(&alice, 1).await;
        assert_eq!(browsers(&stack).await, left, "{state}");
    }
}

#[tokio::test]
async fn a_browser_that_is_gone_is_forgotten() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let alice = user();
    let (phone, desk) = (server.browser("phone"), server.browser("desk"));
    subscribe(&stack, &alice, &phone).await;
    subscribe(&stack, &alice, &desk).await;
    server.answer(&phone, StatusCode::GONE, None);
    server.answer(&desk, StatusCode::NOT_FOUND, None);
    tell(&stack, &deposit(&alice, 100)).await;
    eventually("both are forgotten", || async {
        browsers(&stack).await == 0
    })
    .await;
    assert_eq!(stack.count("SELECT count(*) FROM pushes").await, 0);
}

#[tokio::test]
async fn what_is_not_taken_is_sent_again_and_given_up_after_a_day() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let alice = user();
    let phone = server.browser("phone");
    subscribe(&stack, &alice, &phone).await;
    server.answer(&phone, StatusCode::TOO_MANY_REQUESTS, Some("600"));
    tell(&stack, &deposit(&alice, 100)).await;
    let waits = "SELECT extract(epoch FROM due_at - $$2026-11-20T10:00:00Z$$::timestamptz)::bigint FROM pushes";
    server.wait_for(1).await;
    eventually("its wait is known", || async {
        stack.count(waits).await == 600
    })
    .await;
    server.answer(&phone, StatusCode::CREATED, None);
    stack.clock.advance(Duration::from_mins(10));
    let arrived = server.wait_for(2).await;
    let ids: Vec<_> = arrived
        .iter()
        .map(|message| phone.read(message)["id"].clone())
        .collect();
    assert_eq!(ids[0], ids[1], "one message");
    assert_eq!(arrived[1].header("ttl"), (24 * 3600 - 600).to_string());
    let sent = "SELECT count(*) FROM pushes WHERE state = 'sent'";
    eventually("it is sent", || async { stack.count(sent).await == 1 }).await;
    server.answer(
        &phone,
        StatusCode::SERVICE_UNAVAILABLE,
        Some("1000000000000"),
    );
    tell(&stack, &deposit(&alice, 200)).await;
    server.wait_for(3).await;
    for (tried, hours) in (1..).zip([1, 1, 21, 1]) {
        // An attempt that still runs would count its wait from the hour in which it ends.
        eventually("it waits for another hour", || async {
            let next = stack.clock.now() + TimeDelta::hours(1);
            attempts_and_due(&stack).await == (tried, next)
        })
        .await;
        stack.clock.advance(Duration::from_hours(hours));
    }
    let dead = "SELECT count(*) FROM pushes WHERE state = 'dead'";
    eventually("it is given up", || async { stack.count(dead).await == 1 }).await;
    // What can never be taken is tried once.
    server.answer(&phone, StatusCode::FORBIDDEN, None);
    tell(&stack, &deposit(&alice, 300)).await;
    eventually("it is given up", || async { stack.count(dead).await == 2 }).await;
}

#[tokio::test]
async fn a_browser_belongs_to_who_said_so_last_and_ten_is_the_most() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let (alice, bob) = (user(), user());
    let shared = server.browser("shared");
    subscribe(&stack, &alice, &shared).await;
    subscribe(&stack, &bob, &shared).await;
    tell(&stack, &deposit(&alice, 100)).await;
    tell(&stack, &deposit(&bob, 200)).await;
    let arrived = server.wait_for(1).await;
    assert!(
        shared.read(&arrived[0])["body"]
            .as_str()
            .unwrap()
            .contains("2.00")
    );
    // Nobody ends what is another's.
    unsubscribe(&stack, &alice, &shared).await;
    assert_eq!(browsers(&stack).await, 1);
    unsubscribe(&stack, &bob, &shared).await;
    unsubscribe(&stack, &bob, &shared).await;
    assert_eq!(browsers(&stack).await, 0);
    for number in 0..11 {
        subscribe(&stack, &alice, &server.browser(&format!("b{number}"))).await;
        stack.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(browsers(&stack).await, 10);
    tell(&stack, &deposit(&alice, 300)).await;
    let arrived = server.wait_for(11).await;
    assert!(arrived.iter().all(|message| message.browser != "b0"));
}

#[tokio::test]
async fn only_browsers_at_known_push_services_are_accepted() {
    let server = PushServer::start().await;
    let stack = stack(&server).await;
    let alice = user();
    let phone = server.browser("phone");
    let right = || pb::SubscribePushRequest {
        endpoint: phone.endpoint.clone(),
        p256dh: phone.p256dh(),
        auth: phone.auth(),
        session_id: Uuid::now_v7().to_string(),
    };
    let mut off_curve = phone.p256dh();
    off_curve[40] ^= 1;
    for (wrong, field) in [
        (
            pb::SubscribePushRequest {
                endpoint: "http://127.0.0.1:1/push/phone".to_owned(),
                ..right()
            },
            "endpoint",
        ),
        (
            pb::SubscribePushRequest {
                endpoint: "https://fcm.googleapis.com/fcm/send/a".to_owned(),
                ..right()
            },
            "endpoint",
        ),
        (
            pb::SubscribePushRequest {
                endpoint: String::new(),
                ..right()
            },
            "endpoint",
        ),
        (
            pb::SubscribePushRequest {
                p256dh: off_curve,
                ..right()
            },
            "p256dh",
        ),
        (
            pb::SubscribePushRequest {
                p256dh: vec![4; 64],
                ..right()
            },
            "p256dh",
        ),
        (
            pb::SubscribePushRequest {
                auth: vec![1; 15],
                ..right()
            },
            "auth",
        ),
        (
            pb::SubscribePushRequest {
                session_id: String::new(),
                ..right()
            },
            "session_id",
        ),
    ] {
        let refusal = try_subscribe(&stack, &alice, wrong).await;
        assert_eq!(why(refusal), (Reason::Validation, Some(field.into())));
    }
    let nobody = try_subscribe(&stack, &Caller::default(), right()).await;
    assert_eq!(why(nobody).0, Reason::NotAuthenticated);
    assert_eq!(browsers(&stack).await, 0);
    assert_eq!(public_key(&stack).await.len(), 65);
}

#[tokio::test]
async fn without_a_key_push_is_off() {
    let server = PushServer::start().await;
    let stack = Notification::spawn().await;
    let alice = user();
    assert!(public_key(&stack).await.is_empty());
    let refusal = subscribe_in(&stack, &alice, &server.browser("phone"), Uuid::now_v7()).await;
    assert_eq!(why(refusal), (Reason::Validation, Some("endpoint".into())));
}

#[tokio::test]
async fn a_browser_that_nobody_renews_is_forgotten() {
    let server = PushServer::start().await;
    let mut stack = stack(&server).await;
    let alice = user();
    let (old, renewed) = (server.browser("old"), server.browser("renewed"));
    subscribe(&stack, &alice, &old).await;
    subscribe(&stack, &alice, &renewed).await;
    stack.clock.advance(Duration::from_hours(24 * 60));
    subscribe(&stack, &alice, &renewed).await;
    stack.clock.advance(Duration::from_hours(24 * 31));
    stack.restart().await;
    eventually("the old one is forgotten", || async {
        browsers(&stack).await == 1
    })
    .await;
}
