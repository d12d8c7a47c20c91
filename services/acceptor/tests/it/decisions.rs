//! How orders end: by their user, by staff, by time; once, and the first decision wins.

use std::time::Duration;

use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::StaffRole;
use adfolio_kit::refusal::Reason;
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::wallet::v1::ExchangeStep;
use adfolio_testkit::eventually;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Acceptor, NOBODY, call, finance, refused, staff, user, why, with_key};
use crate::services::Mood;

const TO_CURRENCY: pb::ExchangeDirection = pb::ExchangeDirection::WalletToCurrency;
const COMPLETED: pb::ExchangeDecision = pb::ExchangeDecision::Completed;
const CANCELLED: pb::ExchangeDecision = pb::ExchangeDecision::Cancelled;
const ACTED: &str = "adfolio.acceptor.v1.StaffActed";

/// A user with 100.00 in an open order and nothing else.
async fn open_order(stack: &Acceptor) -> (adfolio_kit::identity::Caller, pb::Exchange) {
    let code = stack.code_for(TO_CURRENCY).await;
    let alice = user();
    stack.wallet.deposit(&alice, 10_000);
    let order = stack.exchange(&alice, &code, 10_000).await.unwrap();
    (alice, order)
}

#[tokio::test]
async fn a_cancelled_order_gives_the_money_back_once() {
    let stack = Acceptor::spawn().await;
    let (alice, order) = open_order(&stack).await;
    for id in [order.id.as_str(), &Uuid::now_v7().to_string(), "junk"] {
        assert_eq!(
            why(stack.cancel(&user(), id).await),
            (Reason::NotFound, Some("id".to_owned()))
        );
    }
    let cancelled = stack.cancel(&alice, &order.id).await.unwrap();
    assert_eq!(cancelled.status(), pb::ExchangeStatus::Cancelled);
    assert_eq!(cancelled.reason, "");
    assert_eq!(stack.wallet.balance(&alice), 10_000);
    assert_eq!(
        why(stack.cancel(&alice, &order.id).await),
        (Reason::NothingChanged, None)
    );
    assert_eq!(
        why(stack.decide(&finance(), &order.id, CANCELLED).await).0,
        Reason::NothingChanged
    );
    assert_eq!(stack.wallet.balance(&alice), 10_000);
}

#[tokio::test]
async fn of_fifty_decisions_one_wins_and_is_audited() {
    // With four eyes: a completion that comes after a cancellation is only asked for.
    let stack = Acceptor::builder()
        .replicas(2)
        .configure(|config| config.four_eyes = FourEyesArgs::above(Money::from_minor(1_000_000)))
        .spawn()
        .await;
    let probe = stack.broker.probe(&[ACTED]).await;
    let (alice, order) = open_order(&stack).await;
    let finance = finance();
    let outcomes = join_all((0..50).map(|number| {
        let channel = stack.replicas[number % 2].channel();
        let mut client =
            pb::acceptor_admin_service_client::AcceptorAdminServiceClient::new(channel);
        let decision = if number % 3 == 0 {
            COMPLETED
        } else {
            CANCELLED
        };
        let request = pb::DecideExchangeRequest {
            exchange_id: order.id.clone(),
            decision: decision.into(),
            reason: "seen".to_owned(),
        };
        let request = call(&finance, request);
        async move { client.decide_exchange(request).await.map_err(refused) }
    }))
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    let decided = stack.exchanges(&alice).await.remove(0);
    let was_cancelled = decided.status() == pb::ExchangeStatus::Cancelled;
    for outcome in lost {
        let reason = why(outcome).0;
        let is_asked_for = was_cancelled && reason == Reason::ApprovalRequired;
        assert!(is_asked_for || reason == Reason::NothingChanged, "{reason}");
    }
    assert_eq!(
        stack.wallet.balance(&alice),
        if was_cancelled { 10_000 } else { 0 }
    );
    assert_eq!(decided.reason, if was_cancelled { "seen" } else { "" });

    // The acceptor, the code, the one decision, and what was only asked for.
    let acts = probe
        .wait_for(ACTED, if was_cancelled { 4 } else { 3 })
        .await;
    let acts: Vec<StaffActed> = acts.iter().map(|event| event.data().unwrap()).collect();
    let actions: Vec<_> = acts.iter().map(|act| act.action.as_str()).collect();
    let actions: Vec<_> = actions
        .into_iter()
        .filter(|action| *action != "acceptor.ask_completion")
        .collect();
    assert_eq!(
        actions,
        [
            "acceptor.create",
            "acceptor.issue_code",
            "acceptor.decide_exchange"
        ]
    );
    let act = &acts[2];
    assert_eq!(act.target, order.id);
    assert_eq!(act.user_id, order.user_id);
    assert_eq!(act.staff_id, finance.staff.unwrap().id.to_string());
    assert_eq!(act.reason, "seen");
    assert!(act.before_json.contains("pending"), "{act:?}");
    assert!(!acts[1].after_json.contains("code"), "{:?}", acts[1]);
}

#[tokio::test]
async fn fifty_repeats_of_a_decisions_key_get_one_answer() {
    let stack = Acceptor::spawn().await;
    let (alice, order) = open_order(&stack).await;
    let caller = with_key(&finance(), "decide-1");
    let outcomes = join_all((0..50).map(|_| stack.decide(&caller, &order.id, CANCELLED))).await;
    let answers: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(answers[0].reason, "seen");
    assert_eq!(stack.wallet.balance(&alice), 10_000);
    assert_eq!(
        why(stack.decide(&caller, &order.id, COMPLETED).await).0,
        Reason::IdempotencyKeyReused
    );

    // The same key of another caller is another key.
    let other = with_key(&finance(), "decide-1");
    assert_eq!(
        why(stack.decide(&other, &order.id, CANCELLED).await).0,
        Reason::NothingChanged
    );
    let (alice, order) = open_order(&stack).await;
    let caller = with_key(&alice, "cancel-1");
    let first = stack.cancel(&caller, &order.id).await.unwrap();
    assert_eq!(stack.cancel(&caller, &order.id).await.unwrap(), first);
}

#[tokio::test]
async fn an_order_that_nobody_decides_expires_and_the_money_comes_back() {
    let stack = Acceptor::spawn().await;
    let (alice, order) = open_order(&stack).await;
    stack.clock.advance(Duration::from_hours(1));
    let (stack, alice) = (&stack, &alice);
    let expired = eventually("the order has expired", || async {
        let listed = stack.exchanges(alice).await.remove(0);
        (listed.status() == pb::ExchangeStatus::Expired).then_some(listed)
    })
    .await;
    assert_eq!(expired.finish_time, Some(stack.clock.now().into()));
    assert_eq!(stack.wallet.balance(alice), 10_000);
    assert!(stack.wallet.has(&order.id, ExchangeStep::Return));
    assert_eq!(
        why(stack.cancel(alice, &order.id).await).0,
        Reason::NothingChanged
    );
}

#[tokio::test]
async fn cancel_decision_and_expiry_race_and_one_wins() {
    let stack = Acceptor::builder()
        .configure(|config| config.four_eyes = FourEyesArgs::above(Money::from_minor(1_000_000)))
        .spawn()
        .await;
    for _ in 0..10 {
        let (alice, order) = open_order(&stack).await;
        stack.clock.advance(Duration::from_hours(1));
        let finance = finance();
        let (cancelled, completed) = tokio::join!(
            stack.cancel(&alice, &order.id),
            stack.decide(&finance, &order.id, COMPLETED),
        );
        let (stack, alice, id) = (&stack, &alice, order.id.as_str());
        let ended = eventually("the order has ended", || async {
            let listed = stack.exchanges(alice).await.remove(0);
            (listed.finish_time.is_some()).then_some(listed)
        })
        .await;
        let was_cancelled = ended.status() == pb::ExchangeStatus::Cancelled;
        let was_completed = ended.status() == pb::ExchangeStatus::Completed;
        assert_eq!(cancelled.is_ok(), was_cancelled);
        assert_eq!(completed.is_ok(), was_completed);
        // What had expired just before is completed late.
        let was_late = stack.wallet.late_debits(alice) == 1;
        assert_eq!(
            stack.wallet.has(id, ExchangeStep::Return),
            !was_completed || was_late
        );
        assert_eq!(
            stack.wallet.balance(alice),
            if was_completed { 0 } else { 10_000 }
        );
    }
}

#[tokio::test]
async fn only_finance_decides_and_looks() {
    let stack = Acceptor::spawn().await;
    let (alice, order) = open_order(&stack).await;
    let list = |caller: adfolio_kit::identity::Caller| {
        let mut client = stack.staff();
        let request = call(&caller, pb::AdminListExchangesRequest::default());
        async move { client.admin_list_exchanges(request).await.map_err(refused) }
    };
    for (caller, reason) in [
        (alice.clone(), Reason::NotAuthenticated),
        (staff(StaffRole::Support), Reason::Forbidden),
        (staff(StaffRole::Operator), Reason::Forbidden),
    ] {
        assert_eq!(
            why(stack.decide(&caller, &order.id, CANCELLED).await).0,
            reason
        );
        assert_eq!(why(list(caller).await).0, reason);
    }
    assert_eq!(
        why(stack.cancel(&finance(), &order.id).await).0,
        Reason::NotAuthenticated
    );
    for (field, request) in [
        (
            "decision",
            pb::DecideExchangeRequest {
                exchange_id: order.id.clone(),
                ..pb::DecideExchangeRequest::default()
            },
        ),
        (
            "reason",
            pb::DecideExchangeRequest {
                exchange_id: order.id.clone(),
                decision: CANCELLED.into(),
                reason: "x".repeat(501),
            },
        ),
        (
            "id",
            pb::DecideExchangeRequest {
                decision: CANCELLED.into(),
                ..pb::DecideExchangeRequest::default()
            },
        ),
    ] {
        let outcome = stack
            .staff()
            .decide_exchange(call(&finance(), request))
            .await;
        assert_eq!(
            why(outcome.map_err(refused)),
            (Reason::Validation, Some(field.to_owned()))
        );
    }
    assert_eq!(stack.exchanges(&alice).await, [order]);
    list(staff(StaffRole::Admin)).await.expect("a list");
}

#[tokio::test]
async fn a_code_is_bound_to_a_user_who_exists() {
    let stack = Acceptor::spawn().await;
    let acceptor = stack.acceptor(pb::AcceptorKind::Personal).await;
    let request = pb::CreateAcceptanceCodeRequest {
        user_id: NOBODY.to_owned(),
        ..stack.request(&acceptor)
    };
    assert_eq!(
        why(stack.try_code(&finance(), request).await),
        (Reason::NotFound, Some("user_id".to_owned()))
    );
}

#[tokio::test]
async fn no_order_out_of_a_frozen_wallet_is_completed() {
    let stack = Acceptor::spawn().await;
    let (caller, order) = open_order(&stack).await;
    let decide = async |decision| stack.decide(&finance(), &order.id, decision).await;
    for (mood, reason) in [
        (Mood::Frozen, Reason::WalletFrozen),
        (Mood::Down, Reason::Unavailable),
    ] {
        stack.wallet.be(mood);
        assert_eq!(why(decide(COMPLETED).await).0, reason);
        assert_eq!(
            stack.exchanges(&caller).await[0].status(),
            pb::ExchangeStatus::Pending
        );
    }
    // Money that comes back is none of the freeze's business.
    stack.wallet.be(Mood::Frozen);
    let cancelled = decide(CANCELLED).await.unwrap();
    assert_eq!(cancelled.status(), pb::ExchangeStatus::Cancelled);
}
