//! Withdrawals wait after a change of what protects a wallet.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::events::v1::PasswordChanged;
use adfolio_proto::wallet::v1::{GetWithdrawalMethodsRequest, Withdrawal, WithdrawalMethod};
use adfolio_testkit::{
    Told, deliver_twice_and_shuffled, eventually, fixed_clock, publish_event_at, tell,
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::helpers::{PIN, Wallet, address, assert_refused, card, user_keyed};
use crate::pay_password::{reset, support};

const OTHER: &str = "730194";
const WRONG: &str = "135792";
const ACCOUNT: &str = "6222021234567890";
const OTHER_ACCOUNT: &str = "6222021234560000";
const ADDRESS: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const LOGIN_PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";
const DAY: Duration = Duration::from_hours(24);

/// A wallet whose withdrawals wait for a day, and the clock that it goes by.
async fn spawn() -> (Wallet, Clock) {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    (Wallet::builder().clock(clock.clone()).spawn().await, clock)
}

/// A user who has been able to withdraw for a while.
async fn settled_user(stack: &Wallet, clock: &Clock) -> Uuid {
    let user = stack.withdrawing_user(100_000).await;
    clock.advance(DAY);
    user
}

async fn withdraw(stack: &Wallet, user: Uuid, digits: &str) -> Result<Withdrawal, Refusal> {
    stack
        .withdraw(&Caller::user(UserId(user)), 100, digits)
        .await
}

/// When the user is told that withdrawals are possible again.
async fn available_at(stack: &Wallet, user: Uuid) -> Option<DateTime<Utc>> {
    let at = stack.property(user).await.withdrawal_available_at?;
    DateTime::from_timestamp(at.seconds, at.nanos.try_into().expect("nanoseconds"))
}

/// Withdrawals wait that long from now, and everything says so.
async fn assert_waits(stack: &Wallet, clock: &Clock, user: Uuid, digits: &str, wait: Duration) {
    let refusal = withdraw(stack, user, digits).await.expect_err("cools off");
    assert_eq!(
        (refusal.reason, refusal.retry_after, refusal.field),
        (Reason::WithdrawalCoolingOff, Some(wait), None)
    );
    assert_eq!(available_at(stack, user).await, Some(clock.now() + wait));
    assert_eq!(
        stack.property(user).await.withdrawal_blocked_by,
        ["WITHDRAWAL_COOLING_OFF"]
    );
}

/// They do not, and everything says so.
async fn assert_does_not_wait(stack: &Wallet, user: Uuid, digits: &str) {
    assert_eq!(available_at(stack, user).await, None);
    let blocked_by = stack.property(user).await.withdrawal_blocked_by;
    assert!(blocked_by.is_empty(), "{blocked_by:?}");
    withdraw(stack, user, digits).await.expect("taken");
}

/// They wait for a day from now, to the second.
async fn assert_waits_for_a_day(stack: &Wallet, clock: &Clock, user: Uuid, digits: &str) {
    assert_waits(stack, clock, user, digits, DAY).await;
    let second = Duration::from_secs(1);
    clock.advance(DAY.saturating_sub(second));
    assert_waits(stack, clock, user, digits, second).await;
    clock.advance(second);
    assert_does_not_wait(stack, user, digits).await;
}

#[tokio::test]
async fn setting_up_is_no_change() {
    let (stack, clock) = spawn().await;
    let user = stack.user_with(100_000).await;
    let caller = Caller::user(UserId(user));
    stack.set_password(user, PIN, "").await.expect("a password");
    stack.bind(user, card(ACCOUNT), PIN).await.expect("a card");
    assert_does_not_wait(&stack, user, PIN).await;
    // The second way to withdraw belongs to the set-up while that is fresh.
    clock.advance(DAY.saturating_sub(Duration::from_secs(1)));
    stack.bind(user, address(ADDRESS), PIN).await.expect("one");
    assert_does_not_wait(&stack, user, PIN).await;
    let method = WithdrawalMethod::WalletAddress;
    let taken = stack.withdraw_by(&caller, 500, method, PIN).await;
    taken.expect("taken");
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn what_changes_nothing_lets_nobody_wait() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    for (outcome, reason) in [
        (
            stack.set_password(user, OTHER, WRONG).await,
            Reason::WrongPayPassword,
        ),
        (
            stack.set_password(user, PIN, PIN).await,
            Reason::PasswordUnchanged,
        ),
        (
            stack.set_password(user, "123456", PIN).await,
            Reason::WeakPayPassword,
        ),
        (
            stack.check_password(user, WRONG).await,
            Reason::WrongPayPassword,
        ),
    ] {
        assert_eq!(outcome.expect_err("a refusal").reason, reason);
    }
    for (destination, digits, reason) in [
        (card(ACCOUNT), PIN, Reason::NothingChanged),
        (card(OTHER_ACCOUNT), WRONG, Reason::WrongPayPassword),
        (card("junk"), PIN, Reason::Validation),
    ] {
        let outcome = stack.bind(user, destination, digits).await;
        assert_eq!(outcome.expect_err("a refusal").reason, reason);
    }
    assert_does_not_wait(&stack, user, PIN).await;
}

#[tokio::test]
async fn a_changed_transaction_password_lets_withdrawals_wait() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack.set_password(user, OTHER, PIN).await.expect("changed");
    assert_waits_for_a_day(&stack, &clock, user, OTHER).await;
}

#[tokio::test]
async fn a_reset_counts_and_so_does_the_password_set_after_it() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    reset(&stack, &support(), user).await.expect("reset");
    assert_eq!(available_at(&stack, user).await, Some(clock.now() + DAY));
    assert_eq!(
        stack.property(user).await.withdrawal_blocked_by,
        ["PAY_PASSWORD_NOT_SET", "WITHDRAWAL_COOLING_OFF"]
    );
    clock.advance(Duration::from_hours(10));
    stack
        .set_password(user, OTHER, "")
        .await
        .expect("set again");
    assert_waits_for_a_day(&stack, &clock, user, OTHER).await;
}

#[tokio::test]
async fn a_rebound_card_lets_withdrawals_wait() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    assert_waits_for_a_day(&stack, &clock, user, PIN).await;
    // Also on the day of the set-up.
    let fresh = stack.withdrawing_user(1_000).await;
    stack
        .bind(fresh, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    assert_waits_for_a_day(&stack, &clock, fresh, PIN).await;
}

#[tokio::test]
async fn an_address_added_to_a_settled_card_lets_both_wait() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack.bind(user, address(ADDRESS), PIN).await.expect("one");
    let caller = Caller::user(UserId(user));
    let method = WithdrawalMethod::WalletAddress;
    assert_refused(
        stack.withdraw_by(&caller, 500, method, PIN).await,
        Reason::WithdrawalCoolingOff,
        None,
    );
    assert_waits_for_a_day(&stack, &clock, user, PIN).await;
    let taken = stack.withdraw_by(&caller, 500, method, PIN).await;
    taken.expect("taken");
}

#[tokio::test]
async fn an_address_added_to_a_card_that_took_another_s_place_counts_as_well() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    clock.advance(Duration::from_hours(23));
    stack.bind(user, address(ADDRESS), PIN).await.expect("one");
    assert_waits_for_a_day(&stack, &clock, user, PIN).await;
}

#[tokio::test]
async fn the_last_of_several_changes_counts() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack.set_password(user, OTHER, PIN).await.expect("changed");
    clock.advance(Duration::from_hours(23));
    stack
        .bind(user, card(OTHER_ACCOUNT), OTHER)
        .await
        .expect("one");
    assert_waits_for_a_day(&stack, &clock, user, OTHER).await;
}

#[tokio::test]
async fn the_wait_is_told_after_everything_else_that_speaks_against_a_withdrawal() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    let caller = Caller::user(UserId(user));
    for (minor, digits, reason, field) in [
        (100_001, PIN, Reason::InsufficientBalance, "amount"),
        (99, PIN, Reason::AmountOutOfRange, "amount"),
        (500, WRONG, Reason::WrongPayPassword, "password"),
    ] {
        let outcome = stack.withdraw(&caller, minor, digits).await;
        assert_refused(outcome, reason, Some(field));
    }
    let method = WithdrawalMethod::WalletAddress;
    let unbound = stack.withdraw_by(&caller, 500, method, PIN).await;
    assert_refused(unbound, Reason::BankCardNotBound, Some("method"));
    assert_waits(&stack, &clock, user, PIN, DAY).await;
}

#[tokio::test]
async fn a_repeat_is_answered_like_the_first_call_whatever_changed_meanwhile() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    let once = user_keyed(user, "once");
    let first = stack.withdraw(&once, 600, PIN).await.expect("taken");
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    assert_eq!(stack.withdraw(&once, 600, PIN).await, Ok(first));
    assert_refused(
        stack.withdraw(&once, 601, PIN).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    // A refused one is no first call: its key serves when the time has come.
    let later = user_keyed(user, "later");
    let refused = stack.withdraw(&later, 600, PIN).await;
    assert_refused(refused, Reason::WithdrawalCoolingOff, None);
    clock.advance(DAY);
    stack.withdraw(&later, 600, PIN).await.expect("taken");
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_card_swapped_between_check_and_posting_is_noticed() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    let stack = Arc::new(stack);
    let waiting = async |count: i64| {
        eventually("so many wait for a lock", || async {
            stack.waiting_for_locks().await >= count
        })
        .await;
    };
    let mut session = PgConnection::connect(stack.db.url()).await.expect("one");
    let mut row = session.begin().await.expect("a transaction");
    sqlx::query("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE")
        .bind(user)
        .execute(&mut *row)
        .await
        .expect("a lock");
    let here = stack.clone();
    let swap = tokio::spawn(async move { here.bind(user, card(OTHER_ACCOUNT), PIN).await });
    waiting(1).await;
    // It finds nothing against it, reads the card that is bound still, and comes to post after the swap.
    let here = stack.clone();
    let taking = tokio::spawn(async move { withdraw(&here, user, PIN).await });
    waiting(2).await;
    row.rollback().await.expect("a rollback");
    swap.await.expect("no panic").expect("swapped");
    let refusal = taking.await.expect("no panic").expect_err("noticed");
    assert_eq!(
        (refusal.reason, refusal.retry_after),
        (Reason::WithdrawalCoolingOff, Some(DAY))
    );
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (100_000, 0)
    );
    assert_waits(&stack, &clock, user, PIN, DAY).await;
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn the_hours_are_configured_and_none_switch_it_off() {
    for hours in [0_u16, 48] {
        let clock = fixed_clock("2026-05-10T12:00:00Z");
        let stack = Wallet::builder()
            .clock(clock.clone())
            .configure(move |config| config.withdrawals.withdrawal_cooling_off_hours = hours)
            .spawn()
            .await;
        let told = stack
            .users()
            .get_withdrawal_methods(GetWithdrawalMethodsRequest {})
            .await;
        let told = told.expect("terms").into_inner().cooling_off_hours;
        assert_eq!(told, u32::from(hours));
        let user = settled_user(&stack, &clock).await;
        stack
            .bind(user, card(OTHER_ACCOUNT), PIN)
            .await
            .expect("one");
        if hours == 0 {
            assert_does_not_wait(&stack, user, PIN).await;
        } else {
            assert_waits(&stack, &clock, user, PIN, 2 * DAY).await;
        }
    }
}

#[tokio::test]
async fn an_order_s_answer_says_it_like_the_wallet_s_page() {
    let (stack, clock) = spawn().await;
    let user = settled_user(&stack, &clock).await;
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("one");
    let held = stack.ledger().hold(user, Uuid::now_v7(), 300, 0).await;
    assert_eq!(held.expect("a hold"), stack.property(user).await);
    assert!(available_at(&stack, user).await.is_some());
}

/// Publishes that the user changed the login password, at that time.
async fn login_password_changed(stack: &Wallet, user: &str, id: Uuid, at: DateTime<Utc>) {
    let broker = stack.broker.broker();
    let data = PasswordChanged {
        user_id: user.to_owned(),
    };
    publish_event_at(&broker, (id, at), LOGIN_PASSWORD_CHANGED, user, &data).await;
}

/// A wallet that is there for events.
async fn spawn_listening() -> (Wallet, Clock) {
    let (stack, clock) = spawn().await;
    stack
        .declare_consumer("passwords", LOGIN_PASSWORD_CHANGED)
        .await;
    (stack, clock)
}

/// Waits until so many events have taken effect.
async fn taken(stack: &Wallet, count: i64) {
    stack.taken("wallet.passwords", count).await;
}

#[tokio::test]
async fn a_changed_login_password_counts_from_its_own_time() {
    let (stack, clock) = spawn_listening().await;
    let user = settled_user(&stack, &clock).await;
    let (name, now) = (user.to_string(), clock.now());
    let hours = |hours: i64| now - TimeDelta::hours(hours);
    // What is no user is put aside and keeps nobody up.
    login_password_changed(&stack, "junk", Uuid::now_v7(), now).await;
    let first = Uuid::now_v7();
    login_password_changed(&stack, &name, first, hours(2)).await;
    taken(&stack, 1).await;
    assert_waits(&stack, &clock, user, PIN, Duration::from_hours(22)).await;
    // An older one that comes later moves nothing back, and the first one delivered again nothing at all.
    login_password_changed(&stack, &name, Uuid::now_v7(), hours(5)).await;
    login_password_changed(&stack, &name, first, now).await;
    login_password_changed(&stack, &name, Uuid::now_v7(), hours(6)).await;
    taken(&stack, 3).await;
    assert_waits(&stack, &clock, user, PIN, Duration::from_hours(22)).await;
    // A clock that is ahead makes nobody wait for longer.
    login_password_changed(&stack, &name, Uuid::now_v7(), hours(-100)).await;
    taken(&stack, 4).await;
    assert_waits_for_a_day(&stack, &clock, user, PIN).await;
}

#[tokio::test]
async fn changed_login_passwords_told_twice_and_shuffled_count_from_the_latest() {
    let (stack, clock) = spawn_listening().await;
    let (broker, now) = (stack.broker.broker(), clock.now());
    let users = [stack.user(), stack.user(), stack.user()];
    let changed = |user: Uuid, hours: i64| {
        let data = PasswordChanged {
            user_id: user.to_string(),
        };
        let at = now - TimeDelta::hours(hours);
        Told::new(LOGIN_PASSWORD_CHANGED, user, &data).at(at)
    };
    let told: Vec<Told> = (0..30)
        .map(|place: usize| {
            let hours = i64::try_from(place % 10).expect("small");
            changed(users[place % 3], 3 + hours)
        })
        .collect();
    let more: Vec<Told> = told.iter().step_by(4).map(Told::again).collect();
    let told = [told, more].concat();
    deliver_twice_and_shuffled(&broker, &told).await;
    // Behind all others of their users, and too old to count.
    let last = users.map(|user| changed(user, 40));
    tell(&broker, &last).await;
    let all = i64::try_from(told.len() + last.len()).expect("small");
    taken(&stack, all).await;
    let wallets: Vec<(Option<DateTime<Utc>>, i64)> = sqlx::query_as(
        "SELECT protection_changed_at, (SELECT count(*) FROM inbox) FROM wallets ORDER BY user_id",
    )
    .fetch_all(&stack.pool())
    .await
    .expect("wallets");
    let latest = Some(now - TimeDelta::hours(3));
    assert_eq!(wallets, [(latest, all); 3]);
}

#[tokio::test]
async fn one_that_comes_after_the_wait_would_be_over_lets_nobody_wait() {
    let (stack, clock) = spawn_listening().await;
    let user = settled_user(&stack, &clock).await;
    let at = clock.now() - TimeDelta::hours(24);
    login_password_changed(&stack, &user.to_string(), Uuid::now_v7(), at).await;
    taken(&stack, 1).await;
    assert_does_not_wait(&stack, user, PIN).await;
}

#[tokio::test]
async fn a_changed_login_password_counts_before_there_is_a_wallet() {
    let (stack, clock) = spawn_listening().await;
    let user = stack.user();
    let now = clock.now();
    login_password_changed(&stack, &user.to_string(), Uuid::now_v7(), now).await;
    taken(&stack, 1).await;
    stack.deposit(user, 100_000).await;
    stack.bind(user, card(ACCOUNT), "").await.expect("a card");
    stack.set_password(user, PIN, "").await.expect("a password");
    assert_waits_for_a_day(&stack, &clock, user, PIN).await;
    stack.assert_books_balance().await;
}
