//! Events of other services have their effect once, in any order and however often they arrive, for each consumer.

use adfolio_proto::auth::v1::{GetUserRequest, SetUserProfileRequest};
use adfolio_proto::events::v1::{StaffActed, StaffPostingMade, WalletSecurityChanged};
use adfolio_testkit::{Told, deliver_twice_and_shuffled, eventually, instant, tell};
use chrono::TimeDelta;
use uuid::Uuid;

use crate::helpers::{Auth, NOW, SUPPORT, as_user, support, user_id};

const STAFF_POSTING_MADE: &str = "adfolio.wallet.v1.StaffPostingMade";
const WALLET_SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// Waits until a consumer has taken so many events; no more than these are ever taken.
async fn taken(auth: &Auth, consumer: &str, count: usize) {
    let count = i64::try_from(count).unwrap();
    let so_far = || async {
        sqlx::query_scalar::<_, i64>("SELECT count(*) FROM inbox WHERE consumer = $1")
            .bind(consumer)
            .fetch_one(&auth.db.pool())
            .await
            .unwrap()
    };
    eventually("all was taken", || async { so_far().await >= count }).await;
    assert_eq!(so_far().await, count);
}

#[tokio::test]
async fn acts_of_staff_told_twice_and_shuffled_are_in_the_audit_log_once() {
    let auth = Auth::spawn().await;
    let broker = auth.broker.broker();
    let users = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    let act = |event_type: &'static str, user: Uuid, second: i64| {
        let time = instant(NOW) + TimeDelta::seconds(second);
        let data = StaffActed {
            staff_id: SUPPORT.to_string(),
            action: format!("test.act_{second}"),
            target: user.to_string(),
            user_id: user.to_string(),
            time: Some(adfolio_kit::wire::timestamp(time)),
            ..StaffActed::default()
        };
        Told::new(event_type, user, &data)
    };
    let mut told = Vec::new();
    for (place, second) in (0..36).enumerate() {
        let event_type = [
            "adfolio.wallet.v1.StaffActed",
            "adfolio.plan.v1.StaffActed",
            "adfolio.notification.v1.StaffActed",
        ][place % 3];
        told.push(act(event_type, users[place / 3 % 3], second));
    }
    deliver_twice_and_shuffled(&broker, &told).await;
    for (user, second) in users.into_iter().zip(36..) {
        let last = act("adfolio.wallet.v1.StaffActed", user, second);
        tell(&broker, std::slice::from_ref(&last)).await;
        told.push(last);
    }
    taken(&auth, "auth.audit", told.len()).await;
    let kept: Vec<(Uuid, String)> =
        sqlx::query_as("SELECT id, action FROM audit_log ORDER BY acted_at")
            .fetch_all(&auth.db.pool())
            .await
            .unwrap();
    let expected: Vec<(Uuid, String)> = told
        .iter()
        .zip(0..)
        .map(|(told, second)| (told.id, format!("test.act_{second}")))
        .collect();
    assert_eq!(kept, expected);
}

#[tokio::test]
async fn what_users_did_told_twice_and_shuffled_is_noted_once() {
    let auth = Auth::spawn().await;
    let broker = auth.broker.broker();
    let users = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    let change = |user: Uuid, change: &str, second: i64| {
        let data = WalletSecurityChanged {
            user_id: user.to_string(),
            change: change.to_owned(),
        };
        let time = instant(NOW) + TimeDelta::seconds(second);
        Told::new(WALLET_SECURITY_CHANGED, user, &data).at(time)
    };
    let changes = [
        "bank_card_bound",
        "pay_password_reset",
        "wallet_address_bound",
        "pay_password_changed",
    ];
    let mut told = Vec::new();
    for second in 0..12 {
        let which = changes[usize::try_from(second).unwrap() % 4];
        told.extend(users.map(|user| change(user, which, second)));
    }
    deliver_twice_and_shuffled(&broker, &told).await;
    let last = users.map(|user| change(user, "pay_password_locked", 12));
    tell(&broker, &last).await;
    taken(&auth, "auth.security", told.len() + last.len()).await;
    for (place, user) in users.into_iter().enumerate() {
        let noted: Vec<(Uuid, String)> =
            sqlx::query_as("SELECT id, action FROM user_acts WHERE user_id = $1 ORDER BY acted_at")
                .bind(user)
                .fetch_all(&auth.db.pool())
                .await
                .unwrap();
        let own = told.iter().chain(&last).skip(place).step_by(3);
        let names = changes
            .iter()
            .cycle()
            .take(12)
            .chain(["pay_password_locked"].iter());
        // Actions of staff are in the audit log.
        let expected: Vec<(Uuid, String)> = own
            .zip(names)
            .filter(|(_, change)| **change != "pay_password_reset")
            .map(|(told, change)| (told.id, format!("wallet.{change}")))
            .collect();
        assert_eq!(expected.len(), 10);
        assert_eq!(noted, expected);
    }
}

#[tokio::test]
async fn memberships_told_twice_and_shuffled_are_given_once() {
    let auth = Auth::spawn().await;
    let broker = auth.broker.broker();
    let mut users = Vec::new();
    for name in ["ann", "bob", "cyd", "dan"] {
        users.push(user_id(&auth.register(name).await).to_owned());
    }
    let posting = |subject: &str, user: &str, r#type: &str| {
        let data = StaffPostingMade {
            transaction_id: Uuid::now_v7().to_string(),
            user_id: user.to_owned(),
            r#type: r#type.to_owned(),
            amount_minor: 9_900,
            time: None,
        };
        Told::new(STAFF_POSTING_MADE, subject, &data)
    };
    let is_member = async |user: &str| {
        let answer = auth
            .users()
            .get_user(as_user(user, GetUserRequest {}))
            .await;
        answer.unwrap().into_inner().user.unwrap().vip
    };
    let (members, other) = (&users[..3], &users[3]);
    let mut told = Vec::new();
    for _ in 0..4 {
        for user in members {
            told.push(posting(user, user, "membership"));
            told.push(posting(user, user, "chargeback"));
        }
        told.push(posting(other, other, "chargeback"));
    }
    deliver_twice_and_shuffled(&broker, &told).await;
    taken(&auth, "auth.membership", 12).await;
    for user in members {
        assert!(is_member(user).await);
        let back = SetUserProfileRequest {
            user_id: user.clone(),
            vip: Some(false),
            ..SetUserProfileRequest::default()
        };
        auth.admin().set_user_profile(support(back)).await.unwrap();
    }
    // A repeated event does not return what staff took back.
    deliver_twice_and_shuffled(&broker, &told).await;
    let late = user_id(&auth.register("eve").await).to_owned();
    for user in &users {
        tell(&broker, &[posting(user, &late, "membership")]).await;
    }
    taken(&auth, "auth.membership", 12 + users.len()).await;
    assert!(is_member(&late).await);
    for user in &users {
        assert!(!is_member(user).await);
    }
}
