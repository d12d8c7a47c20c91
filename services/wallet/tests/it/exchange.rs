//! The wallet's part of exchange orders.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1::{ExchangeStep, FlowType};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Wallet, assert_refused};

const DEBIT: ExchangeStep = ExchangeStep::Debit;
const RETURN: ExchangeStep = ExchangeStep::Return;
const CREDIT: ExchangeStep = ExchangeStep::Credit;
const LATE_DEBIT: ExchangeStep = ExchangeStep::LateDebit;
const LATE_RETURN: ExchangeStep = ExchangeStep::LateReturn;

#[tokio::test]
async fn a_debit_comes_back_once_and_exactly() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    let available = |step, minor| {
        let ledger = ledger.clone();
        async move {
            let answer = ledger.exchange(user, order, step, minor).await;
            answer.map(|figures| figures.available_minor)
        }
    };
    assert_refused(
        available(DEBIT, 1_001).await,
        Reason::InsufficientBalance,
        Some("amount"),
    );
    for answer in join_all((0..50).map(|_| available(DEBIT, 400))).await {
        assert_eq!(answer, Ok(600));
    }
    for step in [DEBIT, RETURN] {
        assert_refused(
            available(step, 399).await,
            Reason::IdempotencyKeyReused,
            None,
        );
    }
    // Somebody else's order is an unknown one.
    let other = stack.user_with(1).await;
    assert_refused(
        ledger.exchange(other, order, RETURN, 400).await,
        Reason::NotFound,
        Some("exchange_id"),
    );
    for answer in join_all((0..50).map(|_| available(RETURN, 400))).await {
        assert_eq!(answer, Ok(1_000));
    }
    assert_eq!(available(CREDIT, 50).await, Ok(1_050));
    assert_eq!(available(CREDIT, 50).await, Ok(1_050));
    let lines: Vec<(i64, String)> = stack
        .all_flow(user)
        .await
        .into_iter()
        .filter(|line| line.r#type() == FlowType::Exchange)
        .map(|line| (line.amount_minor, line.reference))
        .collect();
    let of_order = |minor| (minor, order.to_string());
    assert_eq!(lines, [of_order(50), of_order(400), of_order(-400)]);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_late_debit_is_taken_once_by_attempt_and_belongs_to_the_order() {
    let (stack, attempt) = (Wallet::spawn().await, Uuid::now_v7());
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    let late = |attempt, step, minor| {
        let ledger = ledger.clone();
        async move {
            let ids = (order, Some(attempt));
            let answer = ledger.exchange_late(user, ids, step, minor).await;
            answer.map(|figures| figures.available_minor)
        }
    };
    for step in [DEBIT, RETURN] {
        ledger.exchange(user, order, step, 400).await.expect("once");
    }
    for answer in join_all((0..20).map(|_| late(attempt, LATE_DEBIT, 400))).await {
        assert_eq!(answer, Ok(600));
    }
    // What the order itself did stays done, and is not done again.
    for step in [DEBIT, RETURN] {
        let figures = ledger.exchange(user, order, step, 400).await;
        assert_eq!(figures.map(|figures| figures.available_minor), Ok(600));
    }
    let poor = late(Uuid::now_v7(), LATE_DEBIT, 601).await;
    let refusal = poor.expect_err("too much");
    assert_eq!(refusal.reason, Reason::InsufficientBalance);
    assert_eq!(refusal.missing.map(adfolio_money::Money::minor), Some(1));
    for answer in join_all((0..20).map(|_| late(attempt, LATE_RETURN, 400))).await {
        assert_eq!(answer, Ok(1_000));
    }
    // An attempt that is taken back before it arrives never arrives; another one does.
    let closed = Uuid::now_v7();
    assert_eq!(late(closed, LATE_RETURN, 400).await, Ok(1_000));
    assert_refused(
        late(closed, LATE_DEBIT, 400).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );
    assert_eq!(late(Uuid::now_v7(), LATE_DEBIT, 400).await, Ok(600));
    // A late step needs an attempt.
    for step in [LATE_DEBIT, LATE_RETURN] {
        let refused = ledger.exchange_late(user, (order, None), step, 400).await;
        assert_refused(refused, Reason::Validation, Some("attempt_id"));
    }
    let lines: Vec<i64> = stack
        .all_flow(user)
        .await
        .into_iter()
        .filter(|line| line.reference == order.to_string())
        .map(|line| line.amount_minor)
        .collect();
    assert_eq!(lines, [-400, 400, -400, 400, -400]);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_return_before_its_debit_closes_the_order() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    // Debits and returns that meet: whoever is first, in the end nothing is missing and nothing follows.
    let meeting = (0..40).map(|place| {
        let step = if place % 2 == 0 { RETURN } else { DEBIT };
        let ledger = ledger.clone();
        async move { (step, ledger.exchange(user, order, step, 400).await) }
    });
    for (step, answer) in join_all(meeting).await {
        match answer {
            Ok(_) => {}
            Err(_) if step == DEBIT => {
                assert_refused(answer, Reason::PlanNotPuttable, Some("order_id"));
            }
            Err(refusal) => panic!("a return was refused: {refusal:?}"),
        }
    }
    let figures = ledger.exchange(user, order, RETURN, 400).await;
    assert_eq!(figures.map(|figures| figures.available_minor), Ok(1_000));

    let order = Uuid::now_v7();
    for _ in 0..2 {
        let figures = ledger.exchange(user, order, RETURN, 400).await;
        assert_eq!(figures.map(|figures| figures.available_minor), Ok(1_000));
    }
    for step in [DEBIT, CREDIT] {
        assert_refused(
            ledger.exchange(user, order, step, 400).await,
            Reason::PlanNotPuttable,
            Some("order_id"),
        );
    }
    let other = stack.user_with(1_000).await;
    assert_refused(
        ledger.exchange(other, order, RETURN, 400).await,
        Reason::NotFound,
        Some("exchange_id"),
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn an_order_is_closed_for_a_user_without_wallet_too() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user(), Uuid::now_v7(), stack.ledger());
    ledger
        .exchange(user, order, RETURN, 70)
        .await
        .expect("closed");
    ledger
        .exchange(user, Uuid::now_v7(), CREDIT, 500)
        .await
        .expect("credited");
    assert_refused(
        ledger.exchange(user, order, DEBIT, 70).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );
}

#[tokio::test]
async fn a_credit_opens_a_wallet_for_a_user_that_exists() {
    let stack = Wallet::spawn().await;
    let (user, ledger) = (stack.user(), stack.ledger());
    let figures = ledger
        .exchange(user, Uuid::now_v7(), CREDIT, 70)
        .await
        .expect("credited");
    assert_eq!(figures.available_minor, 70);
    let unknown = Uuid::now_v7();
    for step in [CREDIT, DEBIT] {
        assert_refused(
            ledger.exchange(unknown, Uuid::now_v7(), step, 70).await,
            Reason::NotFound,
            Some("user_id"),
        );
    }
    let order = Uuid::now_v7();
    let unspecified = ExchangeStep::Unspecified;
    assert_refused(
        ledger.exchange(user, order, unspecified, 1).await,
        Reason::Validation,
        Some("step"),
    );
    assert_refused(
        ledger.exchange(user, order, DEBIT, 0).await,
        Reason::Validation,
        Some("amount_minor"),
    );
    stack.assert_books_balance().await;
}
