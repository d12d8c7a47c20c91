//! Key and pepper are changed while replicas with the old and the new ones run side by side.

use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_testkit::eventually;
use adfolio_wallet::Config;
use uuid::Uuid;

use crate::helpers::{
    CARD_KEY, PEPPER, PIN, Wallet, address, assert_refused, card, finance, md5, newcomer, refused,
};
use crate::pay_password::{reset, support};

const NEW_PEPPER: &str = "another pepper that comes after it";
const NEW_KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
const WRONG: &str = "135792";
const OTHER: &str = "730194";
const ADDRESS: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const LIMIT: Duration = Duration::from_secs(20);

fn with_pepper(current: &'static str, previous: Option<&'static str>) -> impl FnOnce(&mut Config) {
    move |config| {
        config.secrets.pay_password_pepper = Some(current.into());
        config.secrets.pay_password_pepper_previous = previous.map(Into::into);
    }
}

/// Rotates every second, or not within the test.
fn with_key(
    current: &'static str,
    previous: Option<&'static str>,
    rotates: bool,
) -> impl FnOnce(&mut Config) {
    move |config| {
        config.secrets.card_key = Some(current.into());
        config.secrets.card_key_previous = previous.map(Into::into);
        config.secrets.rotation_interval_seconds = if rotates { 1 } else { 3600 };
    }
}

async fn check(replica: &Channel, user: Uuid, digits: &str) -> Result<(), Refusal> {
    let message = proto::CheckPayPasswordRequest {
        password: md5(digits),
    };
    let request = outgoing(&Caller::user(UserId(user)), message, LIMIT);
    let mut wallet = WalletServiceClient::new(replica.clone());
    let answer = wallet.check_pay_password(request).await;
    answer.map(|_| ()).map_err(refused)
}

async fn change(replica: &Channel, user: Uuid, new: &str, old: &str) -> Result<(), Refusal> {
    let message = proto::SetPayPasswordRequest {
        password: md5(new),
        confirm_password: md5(new),
        old_password: if old.is_empty() {
            String::new()
        } else {
            md5(old)
        },
    };
    let request = outgoing(&newcomer(user), message, LIMIT);
    let mut wallet = WalletServiceClient::new(replica.clone());
    let answer = wallet.set_pay_password(request).await;
    answer.map(|_| ()).map_err(refused)
}

/// The accounts that are bound, as their owner sees them.
async fn bound(replica: &Channel, user: Uuid) -> Result<(String, String), Refusal> {
    let request = outgoing(
        &Caller::user(UserId(user)),
        proto::GetDestinationsRequest {},
        LIMIT,
    );
    let mut wallet = WalletServiceClient::new(replica.clone());
    let all = wallet.get_destinations(request).await.map_err(refused)?;
    let all = all.into_inner();
    Ok((
        all.bank_card.expect("a card").bank_account,
        all.wallet_address.expect("an address").address,
    ))
}

/// Hash and counted wrong attempts.
async fn stored(stack: &Wallet, user: Uuid) -> (String, i32) {
    sqlx::query_as("SELECT hash, attempts FROM pay_passwords WHERE user_id = $1")
        .bind(user)
        .fetch_one(&stack.pool())
        .await
        .expect("a password")
}

async fn user_with_password(stack: &Wallet) -> Uuid {
    let user = stack.user();
    stack.set_password(user, PIN, "").await.expect("set");
    user
}

fn wrong(outcome: Result<(), Refusal>) {
    assert_refused(outcome, Reason::WrongPayPassword, Some("password"));
}

#[tokio::test]
async fn a_pepper_is_changed_in_two_steps_while_passwords_are_used() {
    let stack = Wallet::spawn().await;
    let first = with_pepper(PEPPER, Some(NEW_PEPPER));
    let second = with_pepper(NEW_PEPPER, Some(PEPPER));
    let first = stack.replica_with(first).await;
    let second = stack.replica_with(second).await;
    let (first, second) = (first.channel(), second.channel());
    let (user, idle) = (
        user_with_password(&stack).await,
        user_with_password(&stack).await,
    );

    // While one half of the replicas has taken the second step and the other only the first.
    for _ in 0..2 {
        let (before, _) = stored(&stack, user).await;
        wrong(check(&second, user, WRONG).await);
        assert_eq!(stored(&stack, user).await, (before.clone(), 1));
        check(&second, user, PIN).await.expect("right");
        let (renewed, attempts) = stored(&stack, user).await;
        assert!(renewed != before && attempts == 0);
        wrong(check(&first, user, WRONG).await);
        check(&first, user, PIN).await.expect("right");
        // The first step's replicas hash with what is theirs.
        let (again, _) = stored(&stack, user).await;
        assert!(again != renewed && mark(&again) == mark(&before));
        wrong(check(&second, user, WRONG).await);
        check(&second, user, PIN).await.expect("right");
        check(&first, user, PIN).await.expect("right");
    }
    check(&second, user, PIN).await.expect("right");
    let (renewed, _) = stored(&stack, user).await;
    check(&second, user, PIN).await.expect("right");
    assert_eq!(stored(&stack, user).await.0, renewed, "once is enough");

    // The old pepper is gone: who has used the password goes on, who has not needs staff, and no attempt is counted.
    let last = stack.replica_with(with_pepper(NEW_PEPPER, None)).await;
    let last = last.channel();
    check(&last, user, PIN).await.expect("right");
    wrong(check(&last, user, WRONG).await);
    for digits in [PIN, WRONG, PIN, WRONG, WRONG, WRONG, WRONG] {
        assert_refused(
            check(&last, idle, digits).await,
            Reason::PayPasswordLocked,
            None,
        );
    }
    assert_eq!(stored(&stack, idle).await.1, 0);
    check(&second, idle, PIN).await.expect("still right there");
    check(&last, idle, PIN).await.expect("used, so hashed anew");
    // A replica that nobody told refuses, and breaks nothing.
    assert_refused(
        stack.check_password(idle, PIN).await,
        Reason::PayPasswordLocked,
        None,
    );
    reset(&stack, &support(), idle).await.expect("reset");
    change(&last, idle, OTHER, "").await.expect("set");
    check(&last, idle, OTHER).await.expect("right");
}

/// What says which pepper it was.
fn mark(hash: &str) -> &str {
    let (_, rest) = hash.split_once("keyid=").expect("a mark");
    rest.split_once('$').expect("an end").0
}

#[tokio::test]
async fn hashes_that_do_not_say_their_pepper_are_right_with_either_and_say_it_then() {
    let stack = Wallet::spawn().await;
    let second = stack
        .replica_with(with_pepper(NEW_PEPPER, Some(PEPPER)))
        .await;
    let second = second.channel();
    let (user, changing) = (
        user_with_password(&stack).await,
        user_with_password(&stack).await,
    );
    // As releases before wrote them.
    sqlx::query("UPDATE pay_passwords SET hash = regexp_replace(hash, ',keyid=[^$]*', '')")
        .execute(&stack.pool())
        .await
        .expect("older hashes");
    // Without a change going on, too.
    wrong(stack.check_password(user, WRONG).await);
    stack.check_password(user, PIN).await.expect("right");
    let (of_old, _) = stored(&stack, user).await;
    wrong(check(&second, user, WRONG).await);
    check(&second, user, PIN).await.expect("right");
    let (of_new, _) = stored(&stack, user).await;
    assert_ne!(mark(&of_old), mark(&of_new));
    // The password itself can be changed in the same step.
    assert_refused(
        change(&second, changing, OTHER, WRONG).await,
        Reason::WrongPayPassword,
        Some("old_password"),
    );
    change(&second, changing, OTHER, PIN)
        .await
        .expect("changed");
    wrong(check(&second, changing, PIN).await);
    check(&second, changing, OTHER).await.expect("right");
    assert_eq!(mark(&stored(&stack, changing).await.0), mark(&of_new));
}

#[tokio::test]
async fn wrong_passwords_lock_while_the_pepper_is_changed() {
    let stack = Wallet::spawn().await;
    let first = stack
        .replica_with(with_pepper(PEPPER, Some(NEW_PEPPER)))
        .await;
    let second = stack
        .replica_with(with_pepper(NEW_PEPPER, Some(PEPPER)))
        .await;
    let replicas = [second.channel(), first.channel()];
    let user = user_with_password(&stack).await;
    for turn in 0..5 {
        wrong(check(&replicas[turn % 2], user, WRONG).await);
        assert_eq!(
            stored(&stack, user).await.1,
            i32::try_from(turn).expect("few") + 1
        );
    }
    for replica in &replicas {
        assert_refused(
            check(replica, user, PIN).await,
            Reason::PayPasswordLocked,
            None,
        );
    }
}

/// How many rows of both tables are not sealed with that key's id.
async fn sealed_otherwise(stack: &Wallet, key_id: &str) -> i64 {
    sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM destinations WHERE key_id <> $1)
              + (SELECT count(*) FROM withdrawals WHERE key_id <> $1)",
    )
    .bind(key_id)
    .fetch_one(&stack.pool())
    .await
    .expect("a count")
}

#[tokio::test]
async fn what_the_other_key_sealed_is_sealed_anew_by_replicas_side_by_side() {
    let stack = Wallet::spawn().await;
    let mut users = Vec::new();
    for _ in 0..3 {
        let user = stack.withdrawing_user(100_000).await;
        stack
            .bind(user, address(ADDRESS), PIN)
            .await
            .expect("bound");
        users.push(user);
    }
    let caller = Caller::user(UserId(users[0]));
    let withdrawal = withdraw_soon(&stack, &caller).await;
    // More than one transaction takes, and one that nobody can open.
    sqlx::query(
        "INSERT INTO withdrawals
         SELECT gen_random_uuid(), user_id, amount, fee, method, status, reason, requested_at, decided_at, key_id,
                CASE WHEN number = 7 THEN '\\x00'::bytea ELSE sealed END
         FROM withdrawals, generate_series(1, 450) AS number",
    )
    .execute(&stack.pool())
    .await
    .expect("more withdrawals");

    // The first step: everybody can open what either key sealed, and seals with the old one.
    let first = with_key(CARD_KEY, Some(NEW_KEY), false);
    let first = stack.replica_with(first).await;
    // The second, at two replicas at once.
    let second = || stack.replica_with(with_key(NEW_KEY, Some(CARD_KEY), true));
    let (one, other) = (second().await, second().await);
    let late = stack.user();
    stack
        .bind(late, card("6222021234567890"), "")
        .await
        .expect("bound by a replica that is late");
    let new_id: String = new_key_id(&one.channel(), &stack).await;
    eventually(
        "all that can be opened is sealed with the new key",
        || async { sealed_otherwise(&stack, &new_id).await == 1 },
    )
    .await;
    let masked = || ("****7890".to_owned(), "TJRa****RTv8".to_owned());
    for replica in [first.channel(), other.channel()] {
        for user in &users {
            assert_eq!(bound(&replica, *user).await.expect("bound"), masked());
        }
    }

    // The old key is gone, and nothing needs it.
    drop((one, other));
    let last = stack.replica_with(with_key(NEW_KEY, None, true)).await;
    for user in &users {
        assert_eq!(
            bound(&last.channel(), *user).await.expect("bound"),
            masked()
        );
    }
    let message = proto::DecideWithdrawalRequest {
        withdrawal_id: withdrawal.id,
        decision: proto::WithdrawalDecision::Paid.into(),
        reason: String::new(),
    };
    let mut admin = WalletAdminServiceClient::new(last.channel());
    let paid = admin.decide_withdrawal(outgoing(&finance(), message, LIMIT));
    let paid = paid.await.expect("paid").into_inner().withdrawal;
    let to = paid.and_then(|it| it.destination?.kind);
    assert_eq!(to, Some(card("6222021234567890")));
}

/// A withdrawal although the wallet's protection has just changed.
async fn withdraw_soon(stack: &Wallet, caller: &Caller) -> proto::Withdrawal {
    sqlx::query("UPDATE wallets SET protection_changed_at = NULL")
        .execute(&stack.pool())
        .await
        .expect("long ago");
    stack.withdraw(caller, 30_000, PIN).await.expect("taken")
}

/// The id of the key that a replica seals with.
async fn new_key_id(replica: &Channel, stack: &Wallet) -> String {
    let user = stack.user();
    let message = proto::BindDestinationRequest {
        destination: Some(proto::Destination {
            kind: Some(card("6222021234567890")),
        }),
        password: String::new(),
    };
    let mut wallet = WalletServiceClient::new(replica.clone());
    let request = outgoing(&newcomer(user), message, LIMIT);
    wallet.bind_destination(request).await.expect("bound");
    sqlx::query_scalar("SELECT key_id FROM destinations WHERE user_id = $1")
        .bind(user)
        .fetch_one(&stack.pool())
        .await
        .expect("a key's id")
}
