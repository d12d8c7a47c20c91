//! Opening exchange orders: what is posted, what is refused, and what happens when many ask at once.

use std::time::Duration;

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::events::v1::ExchangeStatusChanged;
use adfolio_proto::wallet::v1::ExchangeStep;
use futures::future::join_all;

use crate::helpers::{Acceptor, call, exchange_of, finance, user, why, with_key};
use crate::services::{Mood, RIGHT};

const PERSONAL: pb::AcceptorKind = pb::AcceptorKind::Personal;
const TO_CURRENCY: pb::ExchangeDirection = pb::ExchangeDirection::WalletToCurrency;
const TO_WALLET: pb::ExchangeDirection = pb::ExchangeDirection::CurrencyToWallet;
const CHANGED: &str = "adfolio.acceptor.v1.ExchangeStatusChanged";

fn refused(reason: Reason, field: &str) -> (Reason, Option<String>) {
    (reason, Some(field.to_owned()))
}

#[tokio::test]
async fn an_order_into_currency_is_debited_at_once_and_completed_without_a_posting() {
    let stack = Acceptor::spawn().await;
    let probe = stack.broker.probe(&[CHANGED]).await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 50_000);

    let order = stack.exchange(&alice, &code, 10_001).await.unwrap();
    assert_eq!(order.status(), pb::ExchangeStatus::Pending);
    assert_eq!(order.direction(), TO_CURRENCY);
    assert_eq!(order.amount_minor, 10_001);
    assert_eq!(order.rate, "0.9215");
    // 100.01 x 0.9215 = 92.1592…
    assert_eq!(order.counter_amount, "92.15");
    assert_eq!(
        order.expire_time,
        Some((stack.clock.now() + Duration::from_hours(1)).into())
    );
    assert_eq!(stack.wallet.balance(&alice), 39_999);
    let detail = stack.look_up(&alice, PERSONAL, &code).await.unwrap();
    assert_eq!(detail.current.as_ref(), Some(&order));
    assert_eq!(detail.acceptor.unwrap().completed_orders, 0);

    let done = stack
        .decide(&finance(), &order.id, pb::ExchangeDecision::Completed)
        .await
        .unwrap();
    assert_eq!(done.status(), pb::ExchangeStatus::Completed);
    assert_eq!(done.finish_time, Some(stack.clock.now().into()));
    assert_eq!(stack.wallet.balance(&alice), 39_999);
    let detail = stack.look_up(&alice, PERSONAL, &code).await.unwrap();
    assert_eq!(detail.current, None);
    assert_eq!(detail.acceptor.unwrap().completed_orders, 1);
    assert_eq!(stack.exchanges(&alice).await, [done]);

    let events = probe.wait_for(CHANGED, 2).await;
    let told: Vec<ExchangeStatusChanged> =
        events.iter().map(|event| event.data().unwrap()).collect();
    assert_eq!(told[0].status, "pending");
    assert_eq!(told[1].status, "completed");
    assert_eq!(told[1].exchange_id, order.id);
    assert_eq!(told[1].counter_amount, "92.15");
    assert_eq!(events[1].subject, order.user_id);
}

#[tokio::test]
async fn an_order_into_the_wallet_is_credited_at_completion() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_WALLET).await;
    let alice = user();
    let order = stack.exchange(&alice, &code, 10_000).await.unwrap();
    assert_eq!(order.direction(), TO_WALLET);
    assert_eq!(stack.wallet.postings(), 0);
    stack
        .decide(&finance(), &order.id, pb::ExchangeDecision::Completed)
        .await
        .unwrap();
    assert_eq!(stack.wallet.balance(&alice), 10_000);

    let second = stack.exchange(&alice, &code, 10_000).await.unwrap();
    stack.cancel(&alice, &second.id).await.unwrap();
    assert_eq!(stack.wallet.balance(&alice), 10_000);
    assert_eq!(stack.wallet.postings(), 1);
}

#[tokio::test]
async fn refusals_come_in_their_order_and_leave_nothing() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    let wrong = pb::CreateExchangeRequest {
        password: "f".repeat(32),
        ..exchange_of("WRONG-CODE", 1)
    };
    stack.wallet.be(Mood::NoPassword);
    // Everything is wrong; then one thing after the other is put right.
    let outcome = stack.exchange_request(&alice, wrong.clone()).await;
    assert_eq!(why(outcome), refused(Reason::AcceptanceCodeError, "code"));
    let wrong = pb::CreateExchangeRequest {
        code: code.clone(),
        ..wrong
    };
    // The offer takes 10.00 to 1000.00, the platform 5.00 to 900.00.
    for amount in [1, 999, 90_001, 100_001, i64::MAX] {
        let outcome = stack
            .exchange_request(
                &alice,
                pb::CreateExchangeRequest {
                    amount_minor: amount,
                    ..wrong.clone()
                },
            )
            .await;
        assert_eq!(why(outcome), refused(Reason::ExchangeLimit, "amount"));
    }
    assert_eq!(stack.wallet.checks(), 0);
    let wrong = pb::CreateExchangeRequest {
        amount_minor: 90_000,
        ..wrong
    };
    for (mood, reason) in [
        (Mood::NoPassword, Reason::PayPasswordNotSet),
        (Mood::Locked, Reason::PayPasswordLocked),
        (Mood::Up, Reason::WrongPayPassword),
    ] {
        stack.wallet.be(mood);
        let outcome = stack.exchange_request(&alice, wrong.clone()).await;
        assert_eq!(why(outcome), refused(reason, "password"));
    }
    assert!(
        stack.states().await.is_empty(),
        "a wrong password leaves no order"
    );
    stack.wallet.deposit(&alice, 89_999);
    let poor = with_key(&alice, "poor-1");
    let outcome = stack.exchange(&poor, &code, 90_000).await;
    assert_eq!(why(outcome), refused(Reason::InsufficientBalance, "amount"));
    assert_eq!(stack.states().await, ["refused"]);
    assert!(stack.exchanges(&alice).await.is_empty());

    // The answer stands for its key; without it, it is another order.
    stack.wallet.deposit(&alice, 1);
    let outcome = stack.exchange(&poor, &code, 90_000).await;
    assert_eq!(why(outcome), refused(Reason::InsufficientBalance, "amount"));
    assert_eq!(stack.wallet.balance(&alice), 90_000);
    stack.exchange(&alice, &code, 90_000).await.unwrap();
    assert_eq!(stack.wallet.balance(&alice), 0);
}

#[tokio::test]
async fn what_is_out_of_form_is_named() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let valid = || exchange_of(&code, 10_000);
    let with_password = |password: &str| pb::CreateExchangeRequest {
        password: password.to_owned(),
        ..valid()
    };
    for (field, request) in [
        ("kind", pb::CreateExchangeRequest { kind: 0, ..valid() }),
        ("code", exchange_of("", 10_000)),
        ("amount", exchange_of(&code, 0)),
        ("amount", exchange_of(&code, i64::MIN)),
        ("password", with_password("")),
        ("password", with_password("246810")),
        ("password", with_password(&RIGHT.to_uppercase())),
    ] {
        let outcome = stack.exchange_request(&user(), request).await;
        assert_eq!(why(outcome), refused(Reason::Validation, field));
    }
    let nobody = Caller::system();
    assert_eq!(
        why(stack.exchange_request(&nobody, valid()).await).0,
        Reason::NotAuthenticated
    );
    let limit = stack
        .users()
        .get_exchange_limit(call(&nobody, pb::GetExchangeLimitRequest {}))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(limit.min_minor, 500);
    assert_eq!(limit.max_minor, 90_000);
}

#[tokio::test]
async fn an_amount_that_rounds_down_to_nothing_is_below_the_limit() {
    let stack = Acceptor::spawn().await;
    let acceptor = stack.acceptor(PERSONAL).await;
    let mut request = stack.request(&acceptor);
    if let Some(offer) = &mut request.offer {
        offer.rate = "0.0009".to_owned();
        offer.currency = "JPY".to_owned();
    }
    let code = stack.try_code(&finance(), request).await.unwrap().code;
    let alice = user();
    stack.wallet.deposit(&alice, 90_000);
    assert_eq!(
        why(stack.exchange(&alice, &code, 90_000).await),
        refused(Reason::ExchangeLimit, "amount")
    );
}

#[tokio::test]
async fn fifty_orders_at_once_open_one() {
    let stack = Acceptor::builder().replicas(2).spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 100_000);
    let outcomes = join_all((0..50).map(|number| {
        let channel = stack.replicas[number % 2].channel();
        let mut client = pb::acceptor_service_client::AcceptorServiceClient::new(channel);
        let request = call(&alice, exchange_of(&code, 1_000));
        async move { client.create_exchange(request).await }
    }))
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        let refusal = crate::helpers::refused(outcome.expect_err("a refusal"));
        assert_eq!(refusal.reason, Reason::ExchangeOpen);
        assert_eq!(refusal.field, None);
    }
    assert_eq!(stack.wallet.balance(&alice), 99_000);
    assert_eq!(stack.exchanges(&alice).await.len(), 1);
}

#[tokio::test]
async fn fifty_repeats_of_a_key_are_one_order() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 100_000);
    let caller = with_key(&alice, "order-1");
    let outcomes = join_all((0..50).map(|_| stack.exchange(&caller, &code, 1_000))).await;
    let orders: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    assert!(orders.iter().all(|order| *order == orders[0]));
    assert_eq!(stack.wallet.balance(&alice), 99_000);

    let other = stack.exchange(&caller, &code, 1_001).await;
    assert_eq!(why(other).0, Reason::IdempotencyKeyReused);
    let elsewhere = stack.cancel(&caller, &orders[0].id).await;
    assert_eq!(why(elsewhere).0, Reason::IdempotencyKeyReused);
    stack.cancel(&alice, &orders[0].id).await.unwrap();
    // The first answer, though the order has ended.
    assert_eq!(
        stack.exchange(&caller, &code, 1_000).await.unwrap(),
        orders[0]
    );
}

#[tokio::test]
async fn codes_cannot_be_guessed_with_orders_either() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 100_000);
    for number in 0..5 {
        let wrong = format!("GUESS-{number}");
        assert_eq!(
            why(stack.exchange(&alice, &wrong, 1_000).await).0,
            Reason::AcceptanceCodeError
        );
        assert_eq!(
            why(stack.look_up(&alice, PERSONAL, &wrong).await).0,
            Reason::AcceptanceCodeError
        );
    }
    let locked = stack.exchange(&alice, &code, 1_000).await.unwrap_err();
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(Duration::from_mins(10)));
}

#[tokio::test]
async fn nothing_of_the_transaction_password_is_kept() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 10_000);
    let order = stack.exchange(&alice, &code, 1_000).await.unwrap();
    assert!(stack.wallet.has(&order.id, ExchangeStep::Debit));
    let digests: Vec<Vec<u8>> = sqlx::query_scalar("SELECT request_digest FROM exchanges")
        .fetch_all(&stack.db.pool())
        .await
        .unwrap();
    let without_password = pb::CreateExchangeRequest {
        password: String::new(),
        ..exchange_of(&code, 1_000)
    };
    // Six digits could be guessed from a digest that holds them.
    assert_eq!(
        digests,
        [adfolio_kit::idempotency::digest(&without_password).to_vec()]
    );
}
