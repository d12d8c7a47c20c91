//! The one rule for money that leaves: the same causes stop a withdrawal and an exchange.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::identity::{Caller, Session, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::wallet::v1::{
    ExchangeStep, GetWithdrawalMethodsRequest, WithdrawalDecision, WithdrawalMethod,
};
use adfolio_testkit::fixed_clock;
use adfolio_wallet::Config;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{
    Ledger, PIN, StaffPosting, Wallet, address, assert_refused, card, finance, newcomer, user_keyed,
};
use crate::pay_password::{reset, support};

const ACCOUNT: &str = "6222021234567890";
const OTHER_ACCOUNT: &str = "6222021234560000";
const ADDRESS: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const DAY: Duration = Duration::from_hours(24);

/// At most 100.00 leave within a day, 60.00 to one destination.
async fn spawn() -> (Wallet, Clock) {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let stack = Wallet::builder()
        .clock(clock.clone())
        .configure(|config| {
            config.withdrawals.outflow_day_max = Money::from_minor(10_000);
            config.withdrawals.outflow_destination_max = Money::from_minor(6_000);
        })
        .spawn()
        .await;
    (stack, clock)
}

pub async fn debit(stack: &Wallet, user: Uuid, minor: i64) -> Result<Uuid, Refusal> {
    let exchange = Uuid::now_v7();
    let step = ExchangeStep::Debit;
    let answer = stack.ledger().exchange(user, exchange, step, minor).await;
    answer.map(|_| exchange)
}

pub async fn withdraw(stack: &Wallet, user: Uuid, minor: i64) -> Result<String, Refusal> {
    let caller = Caller::user(UserId(user));
    let taken = stack.withdraw(&caller, minor, PIN).await;
    taken.map(|withdrawal| withdrawal.id)
}

/// Both ways out are closed by this cause, and nothing has moved.
pub async fn assert_closed(stack: &Wallet, user: Uuid, reason: Reason, wait: Option<Duration>) {
    let before = stack.property(user).await;
    for outcome in [
        withdraw(stack, user, 200).await.map(|_| ()),
        debit(stack, user, 200).await.map(|_| ()),
    ] {
        let refusal = outcome.expect_err("closed");
        assert_eq!((refusal.reason, refusal.retry_after), (reason, wait));
    }
    let after = stack.property(user).await;
    assert_eq!(after, before);
    let told: Vec<&str> = after
        .withdrawal_blocked_by
        .iter()
        .map(String::as_str)
        .collect();
    assert!(told.contains(&reason.as_str()), "{told:?}");
}

#[tokio::test]
async fn start_up_funds_leave_by_no_door() {
    let (stack, _) = spawn().await;
    let user = stack.withdrawing_user(500).await;
    for posting in [StaffPosting::Grant, StaffPosting::Return] {
        let posted = stack.post_as(&finance(), posting, user, 1_000).await;
        if posting == StaffPosting::Grant {
            assert_closed(&stack, user, Reason::StartUpFundsNotReturned, None).await;
        }
        posted.expect("posted");
    }
    debit(&stack, user, 200).await.expect("open");
    withdraw(&stack, user, 200).await.expect("open");
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn users_return_start_up_funds_themselves_where_they_may() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(500).await;
    let caller = Caller::user(UserId(user));
    stack
        .post_as(&finance(), StaffPosting::Grant, user, 1_000)
        .await
        .expect("posted");
    let give_back = async |caller: &Caller, minor| stack.return_start_up_funds(caller, minor).await;
    for minor in [0, -1] {
        let outcome = give_back(&caller, minor).await;
        assert_refused(outcome, Reason::Validation, Some("amount"));
    }
    let outcome = give_back(&caller, 1_001).await;
    assert_refused(outcome, Reason::AmountOutOfRange, Some("amount"));
    let ledger = stack.ledger();
    ledger
        .hold(user, Uuid::now_v7(), 1_300, 0)
        .await
        .expect("a hold");
    let refusal = give_back(&caller, 1_000).await.expect_err("a refusal");
    assert_eq!(refusal.reason, Reason::InsufficientBalance);
    assert_eq!(refusal.missing.map(adfolio_money::Money::minor), Some(800));
    stack.deposit(user, 1_000).await;
    let keyed = user_keyed(user, "back");
    for outcome in join_all((0..20).map(|_| give_back(&keyed, 1_000))).await {
        let figures = outcome.expect("returned");
        assert_eq!(
            (
                figures.available_minor,
                figures.start_up_funds_outstanding_minor
            ),
            (200, 0)
        );
        assert!(figures.start_up_funds_returnable);
    }
    withdraw(&stack, user, 200).await.expect("open");
    stack.assert_books_balance().await;

    let manual = |config: &mut Config| config.withdrawals.start_up_funds_returnable = false;
    let stack = Wallet::builder().configure(manual).spawn().await;
    let user = stack.user_with(500).await;
    let caller = Caller::user(UserId(user));
    stack
        .post_as(&finance(), StaffPosting::Grant, user, 100)
        .await
        .expect("posted");
    let outcome = stack.return_start_up_funds(&caller, 100).await;
    assert_refused(outcome, Reason::Forbidden, None);
    let figures = stack.property(user).await;
    assert!(!figures.start_up_funds_returnable);
    assert_eq!(figures.start_up_funds_outstanding_minor, 100);
}

#[tokio::test]
async fn a_security_change_closes_both_doors_for_a_day() {
    let (stack, clock) = spawn().await;
    for change in ["password", "card", "address", "reset"] {
        let user = stack.withdrawing_user(2_000).await;
        clock.advance(DAY);
        match change {
            "password" => stack.set_password(user, "730194", PIN).await.expect("set"),
            "card" => drop(
                stack
                    .bind(user, card(OTHER_ACCOUNT), PIN)
                    .await
                    .expect("bound"),
            ),
            "address" => drop(
                stack
                    .bind(user, address(ADDRESS), PIN)
                    .await
                    .expect("bound"),
            ),
            _ => {
                reset(&stack, &support(), user).await.expect("reset");
            }
        }
        let refusal = debit(&stack, user, 200).await.expect_err("closed");
        assert_eq!(
            (refusal.reason, refusal.retry_after),
            (Reason::WithdrawalCoolingOff, Some(DAY)),
            "{change}"
        );
        clock.advance(DAY);
        debit(&stack, user, 200).await.expect("open");
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn what_came_before_the_change_still_comes_back() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let exchange = debit(&stack, user, 400).await.expect("open");
    clock.advance(DAY);
    stack
        .bind(user, card(OTHER_ACCOUNT), PIN)
        .await
        .expect("bound");
    let ledger = stack.ledger();
    // A repeat of what was posted, its return, and money that comes in are none of the rule's business.
    for step in [ExchangeStep::Debit, ExchangeStep::Return] {
        ledger
            .exchange(user, exchange, step, 400)
            .await
            .expect("posted");
    }
    let credit = ledger
        .exchange(user, Uuid::now_v7(), ExchangeStep::Credit, 300)
        .await;
    assert_eq!(credit.expect("a credit").available_minor, 1_300);
}

pub fn session(clock: &Clock, opened_ago: Duration, fresh: bool, is_registration: bool) -> Session {
    let now = clock.now();
    let fresh_until = if fresh {
        now + Duration::from_mins(1)
    } else {
        now
    };
    Session {
        opened_at: now - opened_ago,
        fresh_until,
        is_registration,
    }
}

#[tokio::test]
async fn the_first_transaction_password_asks_for_a_fresh_session() {
    let (stack, clock) = spawn().await;
    let user = stack.user_with(1_000).await;
    let known = Caller::user(UserId(user));
    let week = Duration::from_hours(7 * 24);
    for caller in [
        known.clone(),
        known
            .clone()
            .in_session(session(&clock, week, false, false)),
        known.clone().in_session(session(&clock, week, false, true)),
    ] {
        let outcome = stack.set_password_as(&caller, PIN, "").await;
        assert_refused(outcome, Reason::StepUpRequired, None);
    }
    assert!(!stack.property(user).await.has_pay_password);
    let fresh = known.clone().in_session(session(&clock, week, true, false));
    stack.set_password_as(&fresh, PIN, "").await.expect("set");
    // A change is proven by the old one.
    let stale = known.in_session(session(&clock, week, false, false));
    stack
        .set_password_as(&stale, "730194", PIN)
        .await
        .expect("changed");
}

/// The user whose login password was stolen, who had never set the wallet up.
#[tokio::test]
async fn a_thief_who_logs_in_waits_with_the_wallet_he_sets_up() {
    let (stack, clock) = spawn().await;
    for age in [Duration::ZERO, DAY.saturating_sub(Duration::from_secs(1))] {
        let user = stack.user_with(1_000).await;
        let thief = Caller::user(UserId(user)).in_session(session(&clock, age, true, false));
        stack
            .bind_as(&thief, card(ACCOUNT), "")
            .await
            .expect("a card");
        stack.set_password_as(&thief, PIN, "").await.expect("set");
        assert_closed(&stack, user, Reason::WithdrawalCoolingOff, Some(DAY)).await;
    }
    for caller in [
        session(&clock, DAY, true, false),
        session(&clock, Duration::ZERO, true, true),
    ] {
        let user = stack.user_with(1_000).await;
        let owner = Caller::user(UserId(user)).in_session(caller);
        stack
            .bind_as(&owner, card(ACCOUNT), "")
            .await
            .expect("a card");
        stack.set_password_as(&owner, PIN, "").await.expect("set");
        withdraw(&stack, user, 200).await.expect("open");
    }
    // Who cannot say which session it is waits.
    let user = stack.user_with(1_000).await;
    let nobody = Caller::user(UserId(user));
    stack
        .bind_as(&nobody, card(ACCOUNT), "")
        .await
        .expect("a card");
    stack
        .set_password_as(&newcomer(user), PIN, "")
        .await
        .expect("set");
    assert_closed(&stack, user, Reason::WithdrawalCoolingOff, Some(DAY)).await;
}

#[tokio::test]
async fn a_day_and_each_destination_have_limits() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(100_000).await;
    stack
        .bind(user, address(ADDRESS), PIN)
        .await
        .expect("bound");
    let methods = stack
        .users()
        .get_withdrawal_methods(GetWithdrawalMethodsRequest {})
        .await
        .expect("terms")
        .into_inner();
    assert_eq!(
        (methods.day_max_minor, methods.destination_max_minor),
        (10_000, 6_000)
    );
    let first = withdraw(&stack, user, 5_000).await.expect("within");
    clock.advance(Duration::from_hours(1));
    let over = withdraw(&stack, user, 1_001).await.expect_err("over");
    assert_eq!(
        (over.reason, over.field.as_deref(), over.retry_after),
        (
            Reason::DayLimitReached,
            Some("amount"),
            Some(Duration::from_hours(23))
        )
    );
    let exchange = debit(&stack, user, 4_000).await.expect("within");
    let caller = Caller::user(UserId(user));
    let to_address = |minor| {
        let (stack, caller) = (&stack, &caller);
        async move {
            let method = WithdrawalMethod::WalletAddress;
            let taken = stack.withdraw_by(caller, minor, method, PIN).await;
            taken.map(|_| ())
        }
    };
    assert_refused(
        to_address(1_001).await,
        Reason::DayLimitReached,
        Some("amount"),
    );
    to_address(1_000).await.expect("to the brim");
    assert_refused(
        debit(&stack, user, 1).await,
        Reason::DayLimitReached,
        Some("amount"),
    );
    // What comes back has not left.
    let ledger = stack.ledger();
    let step = ExchangeStep::Return;
    ledger
        .exchange(user, exchange, step, 4_000)
        .await
        .expect("back");
    debit(&stack, user, 1_500).await.expect("free again");
    stack
        .decide(
            &finance(),
            &first,
            WithdrawalDecision::Rejected,
            "wrong bank",
        )
        .await
        .expect("rejected");
    withdraw(&stack, user, 6_000).await.expect("free again");
    // A day later all of it is.
    clock.advance(DAY);
    debit(&stack, user, 6_000).await.expect("free again");
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn many_at_once_do_not_pass_the_limit() {
    let (stack, _) = spawn().await;
    let replica = stack.replica().await;
    let user = stack.withdrawing_user(100_000).await;
    let ledgers = [stack.ledger(), Ledger::of(replica.channel())];
    let debits = (0..40).map(|turn| {
        let ledger = ledgers[turn % 2].clone();
        async move {
            let exchange = Uuid::now_v7();
            ledger
                .exchange(user, exchange, ExchangeStep::Debit, 1_000)
                .await
        }
    });
    let outcomes = join_all(debits).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 6);
    for outcome in lost {
        assert_refused(outcome, Reason::DayLimitReached, Some("amount"));
    }
    stack.assert_books_balance().await;
}
