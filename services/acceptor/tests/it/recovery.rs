//! Orders whose callers, wallet or processes go away: each ends, and is posted once.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::wallet::v1::ExchangeStep;
use adfolio_testkit::eventually;

use crate::helpers::{Acceptor, finance, user, why, with_key};
use crate::services::Mood;

const TO_CURRENCY: pb::ExchangeDirection = pb::ExchangeDirection::WalletToCurrency;
const TO_WALLET: pb::ExchangeDirection = pb::ExchangeDirection::CurrencyToWallet;

/// Waits until the orders are in these states.
async fn until(stack: &Acceptor, states: &[&str]) {
    eventually(&format!("orders are {states:?}"), || async {
        stack.states().await == states
    })
    .await;
}

#[tokio::test]
async fn a_dropped_caller_breaks_nothing() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 100_000);
    for number in 0_u64..20 {
        let caller = with_key(&alice, &format!("dropped-{number}"));
        let order = stack.exchange(&caller, &code, 1_000);
        // Cut off at another moment each time.
        let _ = tokio::time::timeout(Duration::from_micros(number * 900), order).await;
        let order = stack.exchange(&caller, &code, 1_000).await.unwrap();
        stack.cancel(&alice, &order.id).await.unwrap();
    }
    assert_eq!(stack.wallet.balance(&alice), 100_000);
    assert_eq!(stack.wallet.postings(), 40);
    assert_eq!(stack.states().await, ["cancelled"; 20]);
}

#[tokio::test]
async fn an_order_without_wallet_is_opened_once_wallet_is_back() {
    for mood in [Mood::Down, Mood::Mute] {
        let mut stack = Acceptor::spawn().await;
        let code = stack.code_for(TO_CURRENCY).await;
        let alice = user();
        stack.wallet.deposit(&alice, 10_000);
        let caller = with_key(&alice, "order-1");
        stack.wallet.be(mood);
        assert_eq!(
            why(stack.exchange(&caller, &code, 10_000).await).0,
            Reason::Unavailable
        );
        assert_eq!(stack.states().await, ["placing"]);
        assert!(stack.exchanges(&alice).await.is_empty());
        let detail = stack
            .look_up(&alice, pb::AcceptorKind::Personal, &code)
            .await
            .unwrap();
        assert_eq!(detail.current, None);
        assert_eq!(
            why(stack.exchange(&alice, &code, 1_000).await),
            (Reason::ExchangeOpen, None)
        );

        stack.crash().await;
        stack.wallet.be(Mood::Up);
        until(&stack, &["pending"]).await;
        let order = stack.exchange(&caller, &code, 10_000).await.unwrap();
        assert_eq!(stack.exchanges(&alice).await, [order]);
        assert_eq!(stack.wallet.balance(&alice), 0);
        assert_eq!(stack.wallet.postings(), 1);
    }
}

#[tokio::test]
async fn a_decision_is_carried_out_once_wallet_is_back() {
    for (direction, decision, step, ended) in [
        (
            TO_CURRENCY,
            pb::ExchangeDecision::Cancelled,
            ExchangeStep::Return,
            "cancelled",
        ),
        (
            TO_WALLET,
            pb::ExchangeDecision::Completed,
            ExchangeStep::Credit,
            "completed",
        ),
    ] {
        for mood in [Mood::Down, Mood::Mute] {
            let mut stack = Acceptor::spawn().await;
            let code = stack.code_for(direction).await;
            let alice = user();
            stack.wallet.deposit(&alice, 10_000);
            let order = stack.exchange(&alice, &code, 10_000).await.unwrap();
            let caller = with_key(&finance(), "decide-1");
            stack.wallet.be(mood);
            assert_eq!(
                why(stack.decide(&caller, &order.id, decision).await).0,
                Reason::Unavailable
            );
            // The decision stands, but shows once the money has moved.
            assert_eq!(stack.exchanges(&alice).await, std::slice::from_ref(&order));
            assert_eq!(
                why(stack.cancel(&alice, &order.id).await).0,
                Reason::NothingChanged
            );
            stack.crash().await;
            stack.wallet.be(Mood::Up);
            until(&stack, &[ended]).await;
            assert!(stack.wallet.has(&order.id, step));
            let credited = if step == ExchangeStep::Credit {
                10_000
            } else {
                0
            };
            assert_eq!(stack.wallet.balance(&alice), 10_000 + credited);
            let answer = stack.decide(&caller, &order.id, decision).await.unwrap();
            assert_eq!(stack.exchanges(&alice).await, [answer]);
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_between_two_steps_is_made_good() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 10_000);
    stack.exchange(&alice, &code, 10_000).await.unwrap();
    // As if the process had died: after the debit, and after the decision.
    for (left, healed) in [
        ("placing", "pending"),
        ("completing", "completed"),
        ("cancelling", "cancelled"),
        ("expiring", "expired"),
    ] {
        sqlx::query(
            "UPDATE exchanges SET state = $1, finished_at = NULL, lease_until = '-infinity',
                                  next_attempt_at = '-infinity'",
        )
        .bind(left)
        .execute(&stack.db.pool())
        .await
        .unwrap();
        until(&stack, &[healed]).await;
    }
    assert_eq!(stack.wallet.balance(&alice), 10_000);
    assert_eq!(stack.wallet.postings(), 2);
}

#[tokio::test]
async fn an_expiry_without_wallet_is_carried_out_later() {
    let mut stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 10_000);
    stack.exchange(&alice, &code, 10_000).await.unwrap();
    stack.wallet.be(Mood::Down);
    stack.clock.advance(Duration::from_hours(1));
    until(&stack, &["expiring"]).await;
    stack.crash().await;
    stack.wallet.be(Mood::Up);
    until(&stack, &["expired"]).await;
    assert_eq!(stack.wallet.balance(&alice), 10_000);
}

#[tokio::test]
async fn a_late_debit_of_a_refused_order_comes_back_or_never_arrives() {
    for arrives_before_the_refusal in [true, false] {
        let stack = Acceptor::spawn().await;
        let code = stack.code_for(TO_CURRENCY).await;
        let alice = user();
        stack.wallet.deposit(&alice, 10_000);
        let caller = with_key(&alice, "late-1");
        stack.wallet.be(Mood::Down);
        assert_eq!(
            why(stack.exchange(&caller, &code, 10_000).await).0,
            Reason::Unavailable
        );
        let id: uuid::Uuid = sqlx::query_scalar("SELECT id FROM exchanges")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        let arrive = || stack.wallet.post_late(&id.to_string(), &alice, 10_000);
        if arrives_before_the_refusal {
            arrive().expect("debited");
            assert_eq!(stack.wallet.balance(&alice), 0);
        }
        // An earlier attempt may be on its way still when a later one is refused.
        stack.wallet.be(Mood::Poor);
        stack.hasten().await;
        until(&stack, &["refused"]).await;
        if !arrives_before_the_refusal {
            assert_eq!(
                arrive().expect_err("too late").reason,
                Reason::PlanNotPuttable
            );
        }
        assert_eq!(stack.wallet.balance(&alice), 10_000);
        assert_eq!(
            why(stack.exchange(&caller, &code, 10_000).await),
            (Reason::InsufficientBalance, Some("amount".to_owned()))
        );
        assert!(stack.exchanges(&alice).await.is_empty());
    }
}
