//! Completions that take two: what one member of staff completes alone within 24 hours is summed.

use std::time::Duration;

use adfolio_acceptor::Config;
use adfolio_kit::client::Channel;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::auth::v1::SecondPair;
use adfolio_proto::events::v1::StaffActed;
use adfolio_testkit::eventually;
use futures::future::join_all;

use crate::helpers::{Acceptor, call, finance, refused, user, why, with_key};

const COMPLETED: pb::ExchangeDecision = pb::ExchangeDecision::Completed;
const CANCELLED: pb::ExchangeDecision = pb::ExchangeDecision::Cancelled;
const ACTED: &str = "adfolio.acceptor.v1.StaffActed";

const THRESHOLD: i64 = 10_000;

/// Five of them fit.
const PART: i64 = THRESHOLD / 5;

fn four_eyes(config: &mut Config) {
    config.four_eyes = FourEyesArgs::above(Money::from_minor(THRESHOLD));
    config.exchange_order_ttl_seconds = 7 * 86_400;
}

async fn spawn() -> Acceptor {
    Acceptor::builder().configure(four_eyes).spawn().await
}

/// An open order of this user.
async fn order_of(stack: &Acceptor, user: &Caller, minor: i64) -> pb::Exchange {
    let code = stack
        .code_for(pb::ExchangeDirection::WalletToCurrency)
        .await;
    stack.wallet.deposit(user, minor);
    stack.exchange(user, &code, minor).await.unwrap()
}

async fn order(stack: &Acceptor, minor: i64) -> pb::Exchange {
    order_of(stack, &user(), minor).await
}

fn id(caller: &Caller) -> String {
    caller.staff.unwrap().id.to_string()
}

/// The order as staff see it.
async fn shown(stack: &Acceptor, id: &str) -> pb::Exchange {
    let request = pb::AdminListExchangesRequest::default();
    let mut admin = stack.staff();
    let answer = admin.admin_list_exchanges(call(&finance(), request));
    let items = answer.await.unwrap().into_inner().items;
    items.into_iter().find(|item| item.id == id).unwrap()
}

async fn decide_at(
    channel: Channel,
    caller: Caller,
    exchange_id: String,
) -> Result<pb::Exchange, Refusal> {
    let request = pb::DecideExchangeRequest {
        exchange_id,
        decision: COMPLETED.into(),
        reason: "seen".to_owned(),
    };
    let mut client = AcceptorAdminServiceClient::new(channel);
    let answer = client.decide_exchange(call(&caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().exchange.unwrap())
}

#[tokio::test]
async fn a_large_completion_takes_two_and_says_who_asked() {
    let stack = spawn().await;
    let probe = stack.broker.probe(&[ACTED]).await;
    let order = order(&stack, THRESHOLD + 1).await;
    let (first, second) = (with_key(&finance(), "first"), finance());
    let complete = |caller| stack.decide(caller, &order.id, COMPLETED);
    for _ in 0..2 {
        assert_eq!(
            why(complete(&first).await),
            (Reason::ApprovalRequired, None)
        );
    }
    let waiting = shown(&stack, &order.id).await;
    let asked = waiting.completion_request.clone().unwrap();
    assert_eq!(waiting.status(), pb::ExchangeStatus::Pending);
    assert_eq!(
        (asked.requested_by, asked.reason.as_str()),
        (id(&first), "seen")
    );
    let completed = complete(&second).await.unwrap();
    assert_eq!(completed.status(), pb::ExchangeStatus::Completed);
    // The first call's repeat answers with what became of it; nobody else's changes anything.
    assert_eq!(complete(&first).await.unwrap(), completed);
    assert_eq!(why(complete(&second).await).0, Reason::NothingChanged);
    assert_eq!(why(complete(&finance()).await).0, Reason::NothingChanged);
    // The acceptor, the code, the wish and the decision.
    let acts = probe.wait_for(ACTED, 4).await;
    let acts: Vec<StaffActed> = acts.iter().map(|event| event.data().unwrap()).collect();
    let said: Vec<_> = acts[2..]
        .iter()
        .map(|act| (act.action.as_str(), act.staff_id.clone()))
        .collect();
    assert_eq!(
        said,
        [
            ("acceptor.ask_completion", id(&first)),
            ("acceptor.decide_exchange", id(&second))
        ]
    );
    assert!(acts[3].after_json.contains(&id(&first)), "{:?}", acts[3]);
}

#[tokio::test]
async fn completions_are_summed_by_member_and_by_user_for_a_day() {
    let stack = spawn().await;
    let member = finance();
    for _ in 0..5 {
        let order = order(&stack, PART).await;
        stack.decide(&member, &order.id, COMPLETED).await.unwrap();
    }
    let small = order(&stack, 1_000).await;
    let more = stack.decide(&member, &small.id, COMPLETED).await;
    assert_eq!(why(more).0, Reason::ApprovalRequired);
    let alice = user();
    for _ in 0..5 {
        let order = order_of(&stack, &alice, PART).await;
        let by = finance();
        stack.decide(&by, &order.id, COMPLETED).await.unwrap();
    }
    let one_more = order_of(&stack, &alice, 1_000).await;
    let more = stack.decide(&finance(), &one_more.id, COMPLETED).await;
    assert_eq!(why(more).0, Reason::ApprovalRequired);
    // To give money back takes one, and what two decided is not counted.
    stack
        .decide(&member, &one_more.id, CANCELLED)
        .await
        .unwrap();
    stack
        .decide(&finance(), &small.id, COMPLETED)
        .await
        .unwrap();
    stack.clock.advance(Duration::from_hours(24));
    let later = order_of(&stack, &alice, PART).await;
    stack.decide(&member, &later.id, COMPLETED).await.unwrap();
}

#[tokio::test]
async fn many_at_once_on_two_replicas_do_not_pass_together() {
    let stack = Acceptor::builder()
        .replicas(2)
        .configure(four_eyes)
        .spawn()
        .await;
    let member = finance();
    let mut orders = Vec::new();
    for _ in 0..20 {
        orders.push(order(&stack, PART).await);
    }
    let outcomes = join_all(orders.iter().enumerate().map(|(turn, order)| {
        let channel = stack.replicas[turn % 2].channel();
        decide_at(channel, member.clone(), order.id.clone())
    }))
    .await;
    let (done, asked): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 5);
    for outcome in asked {
        assert_eq!(why(outcome).0, Reason::ApprovalRequired);
    }
    // Of ten others who complete one of them at once, one does.
    let mut waiting = None;
    for order in &orders {
        let shown = shown(&stack, &order.id).await;
        if shown.completion_request.is_some() {
            waiting = Some(shown.id);
        }
    }
    let waiting = waiting.unwrap();
    let outcomes = join_all((0..10).map(|turn| {
        decide_at(
            stack.replicas[turn % 2].channel(),
            finance(),
            waiting.clone(),
        )
    }))
    .await;
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(done, 1, "{outcomes:?}");
}

#[tokio::test]
async fn only_another_person_completes_it() {
    let stack = spawn().await;
    let order = order(&stack, THRESHOLD + 1).await;
    let (first, second) = (finance(), finance());
    let asked = stack.decide(&first, &order.id, COMPLETED).await;
    assert_eq!(why(asked).0, Reason::ApprovalRequired);
    for pair in [
        SecondPair::SamePerson,
        SecondPair::New,
        SecondPair::NotActive,
    ] {
        stack.directory.pair(&id(&first), &id(&second), pair);
        let outcome = stack.decide(&second, &order.id, COMPLETED).await;
        assert_eq!(
            why(outcome),
            (Reason::Forbidden, Some("requested_by".to_owned()))
        );
    }
    stack.directory.die(true);
    let outcome = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(outcome).0, Reason::Unavailable);
    assert_eq!(stack.states().await, ["pending"]);
    stack.directory.die(false);
    let completed = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(completed.unwrap().status(), pb::ExchangeStatus::Completed);
}

#[tokio::test]
async fn what_two_would_complete_still_expires_and_is_cancelled_by_its_user() {
    let stack = spawn().await;
    let alice = user();
    let order = order_of(&stack, &alice, THRESHOLD + 1).await;
    let asked = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(asked).0, Reason::ApprovalRequired);
    stack.cancel(&alice, &order.id).await.unwrap();
    assert_eq!(stack.wallet.balance(&alice), THRESHOLD + 1);
    // What was asked for before does not count any more: it would take two again.
    let late = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(late).0, Reason::ApprovalRequired);
    assert_eq!(stack.wallet.balance(&alice), THRESHOLD + 1);
    let code = stack
        .code_for(pb::ExchangeDirection::WalletToCurrency)
        .await;
    let order = stack.exchange(&alice, &code, THRESHOLD + 1).await.unwrap();
    let asked = stack.decide(&finance(), &order.id, COMPLETED).await;
    assert_eq!(why(asked).0, Reason::ApprovalRequired);
    stack.clock.advance(Duration::from_hours(7 * 24));
    eventually("the order expires", || async {
        let shown = stack.exchanges(&alice).await.remove(0);
        (shown.status() == pb::ExchangeStatus::Expired).then_some(())
    })
    .await;
    assert_eq!(stack.wallet.balance(&alice), THRESHOLD + 1);
}

#[tokio::test]
async fn what_counts_cannot_be_changed() {
    let stack = spawn().await;
    let order = order(&stack, PART).await;
    stack
        .decide(&finance(), &order.id, COMPLETED)
        .await
        .unwrap();
    for statement in [
        "UPDATE lone_completions SET amount = 1",
        "DELETE FROM lone_completions",
        "TRUNCATE lone_completions",
    ] {
        let changed = sqlx::query(statement).execute(&stack.db.pool()).await;
        assert!(changed.is_err(), "{statement}");
    }
}
