//! Mails whose readers disown what they say: the wallet is frozen as by its owner.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::AccountDisowned;
use adfolio_testkit::{fixed_clock, publish_event_with_id};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::freezes::owner;
use crate::helpers::{Wallet, assert_refused, finance};
use crate::outflow::{assert_closed, withdraw};

const ACCOUNT_DISOWNED: &str = "adfolio.notification.v1.AccountDisowned";

const DAY: Duration = Duration::from_hours(24);

async fn spawn() -> (Wallet, Clock) {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    stack.declare_consumer("disowned", ACCOUNT_DISOWNED).await;
    (stack, clock)
}

/// Publishes that the reader of a mail has said at that time that a new password was not theirs.
async fn disown(stack: &Wallet, user: &str, id: Uuid, at: DateTime<Utc>) {
    let data = AccountDisowned {
        user_id: user.to_owned(),
        mail_id: "0193e3a4-9999-7a4b-9d4e-2f6b8c0d1e35".to_owned(),
        template: "password_changed".to_owned(),
        time: Some(at.into()),
    };
    let broker = stack.broker.broker();
    publish_event_with_id(&broker, id, ACCOUNT_DISOWNED, user, &data).await;
}

/// Waits until so many events have taken effect.
async fn taken(stack: &Wallet, count: i64) {
    stack.taken("wallet.disowned", count).await;
}

#[tokio::test]
async fn a_disowned_mail_freezes_the_wallet_once() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(10_000).await;
    clock.advance(DAY);
    withdraw(&stack, user, 300).await.expect("open");
    // What is no user is put aside and keeps nobody up.
    disown(&stack, "junk", Uuid::now_v7(), clock.now()).await;
    let (id, name) = (Uuid::now_v7(), user.to_string());
    // The same event twice, and the same said again.
    for id in [id, id, Uuid::now_v7()] {
        disown(&stack, &name, id, clock.now()).await;
    }
    taken(&stack, 2).await;
    assert_closed(&stack, user, Reason::WalletFrozen, None).await;
    let frozen = stack.frozen().await;
    assert_eq!(frozen.len(), 1, "{frozen:?}");
    assert_eq!(
        frozen[0].reason,
        "By the link of a mail: password_changed was not me (0193e3a4-9999-7a4b-9d4e-2f6b8c0d1e35)"
    );
    assert_eq!(stack.told(user, "wallet_frozen").await, 1);
    // A user without a wallet gets a frozen one.
    let other = Uuid::now_v7();
    disown(&stack, &other.to_string(), Uuid::now_v7(), clock.now()).await;
    taken(&stack, 3).await;
    assert!(stack.property(other).await.frozen_at.is_some());
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_freeze_by_mail_is_lifted_like_any_other() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let name = user.to_string();
    let said_at = clock.now();
    disown(&stack, &name, Uuid::now_v7(), said_at).await;
    taken(&stack, 1).await;
    clock.advance(DAY);
    for _ in 0..2 {
        stack.agree(&owner(user, &clock)).await.expect("agreed");
        assert_closed(&stack, user, Reason::WalletFrozen, None).await;
    }
    // What is said once more takes back what was agreed.
    disown(&stack, &name, Uuid::now_v7(), clock.now()).await;
    taken(&stack, 2).await;
    let agreed = stack.agree_as(&finance(), user, "called back").await;
    assert!(agreed.expect("agreed").lifted_at.is_none());
    stack.agree(&owner(user, &clock)).await.expect("agreed");
    assert_closed(&stack, user, Reason::WithdrawalCoolingOff, Some(DAY)).await;
    let agreed = stack.agree(&owner(user, &clock)).await;
    assert_refused(agreed, Reason::NothingChanged, None);

    // What was said before, and arrives late, changes nothing; what is said from now on does.
    disown(&stack, &name, Uuid::now_v7(), said_at).await;
    taken(&stack, 3).await;
    assert_eq!(stack.property(user).await.frozen_at, None);
    clock.advance(Duration::from_secs(1));
    disown(&stack, &name, Uuid::now_v7(), clock.now()).await;
    taken(&stack, 4).await;
    assert!(stack.property(user).await.frozen_at.is_some());
    assert_eq!(stack.told(user, "wallet_frozen").await, 3);
}
