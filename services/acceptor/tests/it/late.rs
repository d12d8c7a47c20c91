//! Payments that come after the order has ended: staff complete it, and wallet is asked for the money once more.

use std::time::Duration;

use adfolio_acceptor::Config;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::events::v1::{ExchangeStatusChanged, StaffActed};
use adfolio_testkit::eventually;
use futures::future::join_all;

use crate::helpers::{Acceptor, finance, user, why, with_key};
use crate::services::Mood;

const TO_CURRENCY: pb::ExchangeDirection = pb::ExchangeDirection::WalletToCurrency;
const TO_WALLET: pb::ExchangeDirection = pb::ExchangeDirection::CurrencyToWallet;
const COMPLETED: pb::ExchangeDecision = pb::ExchangeDecision::Completed;
const CANCELLED: pb::ExchangeDecision = pb::ExchangeDecision::Cancelled;
const CHANGED: &str = "adfolio.acceptor.v1.ExchangeStatusChanged";
const ACTED: &str = "adfolio.acceptor.v1.StaffActed";
const AMOUNT: i64 = 10_000;
const DAY: Duration = Duration::from_hours(24);

async fn spawn() -> Acceptor {
    let configure = |config: &mut Config| {
        config.four_eyes = FourEyesArgs::above(Money::from_minor(10 * AMOUNT));
    };
    Acceptor::builder().configure(configure).spawn().await
}

/// A user with an open order, and nothing else.
async fn open(stack: &Acceptor, direction: pb::ExchangeDirection) -> (Caller, pb::Exchange) {
    let code = stack.code_for(direction).await;
    let alice = user();
    if direction == TO_CURRENCY {
        stack.wallet.deposit(&alice, AMOUNT);
    }
    let order = stack.exchange(&alice, &code, AMOUNT).await.unwrap();
    (alice, order)
}

/// A user whose only order has expired.
async fn expired(stack: &Acceptor, direction: pb::ExchangeDirection) -> (Caller, pb::Exchange) {
    let (alice, _) = open(stack, direction).await;
    stack.clock.advance(Duration::from_hours(1));
    let order = ended(stack, &alice, pb::ExchangeStatus::Expired).await;
    (alice, order)
}

/// The user's newest order, once it is in this state and no drive works on it.
async fn ended(stack: &Acceptor, caller: &Caller, status: pb::ExchangeStatus) -> pb::Exchange {
    eventually("the order has ended so", async || {
        let listed = stack.exchanges(caller).await.remove(0);
        (listed.status() == status && listed.finish_time.is_some()).then_some(listed)
    })
    .await
}

fn missing(outcome: Result<pb::Exchange, Refusal>) -> i64 {
    let refusal = outcome.expect_err("a refusal");
    assert_eq!(refusal.reason, Reason::InsufficientBalance);
    assert_eq!(refusal.field.as_deref(), Some("amount"));
    refusal.missing.expect("what is missing").minor()
}

#[tokio::test]
async fn an_expired_order_is_completed_once_and_announced() {
    let stack = spawn().await;
    let probe = stack.broker.probe(&[CHANGED, ACTED]).await;
    let (alice, order) = expired(&stack, TO_CURRENCY).await;
    assert_eq!(stack.wallet.balance(&alice), AMOUNT);
    let member = with_key(&finance(), "late");
    let outcomes = join_all((0..20).map(|_| stack.decide(&member, &order.id, COMPLETED))).await;
    let answers: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(answers[0].status(), pb::ExchangeStatus::Completed);
    assert_eq!((answers[0].missing_minor, &*answers[0].reason), (0, ""));
    assert_eq!(
        (
            stack.wallet.balance(&alice),
            stack.wallet.late_debits(&alice)
        ),
        (0, 1)
    );
    for decision in [COMPLETED, CANCELLED] {
        let again = stack.decide(&finance(), &order.id, decision).await;
        assert_eq!(why(again).0, Reason::NothingChanged);
    }
    let changes = probe.wait_for(CHANGED, 3).await;
    let statuses: Vec<String> = changes
        .iter()
        .map(|event| event.data::<ExchangeStatusChanged>().unwrap().status)
        .collect();
    assert_eq!(statuses, ["pending", "expired", "completed"]);
    let acts = probe.wait_for(ACTED, 3).await;
    let act: StaffActed = acts[2].data().unwrap();
    assert_eq!(act.action, "acceptor.decide_exchange");
    assert!(act.before_json.contains("expired"), "{}", act.before_json);
}

#[tokio::test]
async fn what_is_missing_is_said_and_completes_it_once_it_is_there() {
    let stack = spawn().await;
    let (alice, order) = expired(&stack, TO_CURRENCY).await;
    stack.wallet.deposit(&alice, -AMOUNT + 2_500);
    let member = with_key(&finance(), "late");
    for _ in 0..2 {
        let outcome = stack.decide(&member, &order.id, COMPLETED).await;
        assert_eq!(missing(outcome), 7_500);
    }
    let shown = stack.exchanges(&alice).await.remove(0);
    let as_it_was = pb::Exchange {
        missing_minor: 7_500,
        ..order.clone()
    };
    assert_eq!(shown, as_it_was);
    // The user is not held up, neither by it nor while it is completed.
    stack.wallet.deposit(&alice, 2_500);
    let code = stack.code_for(TO_CURRENCY).await;
    let other = stack.exchange(&alice, &code, 5_000).await.unwrap();
    stack.wallet.deposit(&alice, AMOUNT);
    let completed = stack.decide(&member, &order.id, COMPLETED).await.unwrap();
    assert_eq!(completed.status(), pb::ExchangeStatus::Completed);
    assert_eq!(completed.missing_minor, 0);
    assert_eq!(stack.wallet.balance(&alice), 0);
    stack.cancel(&alice, &other.id).await.unwrap();
    assert_eq!(stack.wallet.balance(&alice), 5_000);
}

#[tokio::test]
async fn what_was_called_off_takes_two_however_small() {
    let stack = spawn().await;
    let (alice, order) = open(&stack, TO_CURRENCY).await;
    stack.cancel(&alice, &order.id).await.unwrap();
    let first = finance();
    for _ in 0..2 {
        let asked = stack.decide(&first, &order.id, COMPLETED).await;
        assert_eq!(why(asked), (Reason::ApprovalRequired, None));
    }
    assert_eq!(stack.wallet.balance(&alice), AMOUNT);
    let completed = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(completed.unwrap().status(), pb::ExchangeStatus::Completed);
    assert_eq!(stack.wallet.balance(&alice), 0);
    // Money that comes in takes nobody's.
    let (bob, order) = open(&stack, TO_WALLET).await;
    let cancelled = stack.decide(&finance(), &order.id, CANCELLED).await;
    assert_eq!(cancelled.unwrap().reason, "seen");
    let completed = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(completed.unwrap().reason, "");
    assert_eq!(stack.wallet.balance(&bob), AMOUNT);
}

#[tokio::test]
async fn money_into_the_wallet_comes_late_as_well_and_once() {
    let stack = spawn().await;
    let (alice, order) = expired(&stack, TO_WALLET).await;
    let outcomes =
        join_all((0..10).map(|_| async { stack.decide(&finance(), &order.id, COMPLETED).await }))
            .await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(stack.wallet.balance(&alice), AMOUNT);
}

#[tokio::test]
async fn a_lost_answer_costs_the_user_nothing() {
    let stack = spawn().await;
    let (alice, order) = expired(&stack, TO_CURRENCY).await;
    // Wallet takes the money and its answer is lost: what becomes of it is found out later.
    stack.wallet.be(Mood::Mute);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::Unavailable);
    stack.wallet.be(Mood::Up);
    stack.hasten().await;
    ended(&stack, &alice, pb::ExchangeStatus::Completed).await;
    assert_eq!(
        (
            stack.wallet.balance(&alice),
            stack.wallet.late_debits(&alice)
        ),
        (0, 1)
    );

    // Here it refuses a repeat of what it did: the money comes back, and the order is what it was.
    let (bob, order) = expired(&stack, TO_CURRENCY).await;
    stack.wallet.be(Mood::Mute);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::Unavailable);
    assert_eq!(stack.wallet.balance(&bob), 0);
    stack.wallet.be(Mood::Poor);
    stack.hasten().await;
    let shown = ended(&stack, &bob, pb::ExchangeStatus::Expired).await;
    assert_eq!(shown.finish_time, order.finish_time);
    assert_eq!(
        (stack.wallet.balance(&bob), stack.wallet.late_debits(&bob)),
        (AMOUNT, 0)
    );
    stack.wallet.be(Mood::Up);
    stack
        .decide(&finance(), &order.id, COMPLETED)
        .await
        .unwrap();
    assert_eq!(stack.wallet.balance(&bob), 0);
}

#[tokio::test]
async fn a_process_that_dies_completes_it_afterwards() {
    let mut stack = spawn().await;
    let (alice, order) = expired(&stack, TO_CURRENCY).await;
    stack.wallet.be(Mood::Mute);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::Unavailable);
    assert_eq!(stack.states().await, ["completing"]);
    stack.wallet.be(Mood::Up);
    stack.crash().await;
    ended(&stack, &alice, pb::ExchangeStatus::Completed).await;
    assert_eq!(
        (
            stack.wallet.balance(&alice),
            stack.wallet.late_debits(&alice)
        ),
        (0, 1)
    );
}

#[tokio::test]
async fn nothing_is_taken_from_a_frozen_wallet_nor_after_thirty_days() {
    let stack = spawn().await;
    let (alice, order) = expired(&stack, TO_CURRENCY).await;
    stack.wallet.be(Mood::Frozen);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::WalletFrozen);
    stack.wallet.be(Mood::Up);
    let cancelled = stack.decide(&finance(), &order.id, CANCELLED).await;
    assert_eq!(why(cancelled).0, Reason::NothingChanged);
    stack.clock.advance(DAY * 30);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::NothingChanged);
    assert_eq!(stack.wallet.balance(&alice), AMOUNT);
}
