//! Following proxy operators.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::plan::v1::*;
use uuid::Uuid;

use crate::helpers::{Plan, *};

async fn new_operator(stack: &Plan, name: &str) -> String {
    let request = CreateOperatorRequest { name: name.into() };
    let answer = stack
        .staff()
        .create_operator(call(&operator(), request))
        .await;
    answer.unwrap().into_inner().operator.unwrap().id
}

async fn follow(stack: &Plan, caller: &Caller, id: &str) -> Result<FollowRecord, Refusal> {
    let request = FollowRequest {
        operator_id: id.into(),
    };
    let answer = stack.users().follow(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().follow.unwrap())
}

async fn follows(stack: &Plan, caller: &Caller, cursor: &str, limit: u32) -> ListFollowsResponse {
    let page = PageRequest {
        cursor: cursor.into(),
        limit,
    };
    let request = ListFollowsRequest { page: Some(page) };
    let answer = stack.users().list_follows(call(caller, request)).await;
    answer.unwrap().into_inner()
}

async fn followers(stack: &Plan) -> Vec<(String, i64)> {
    let request = ListOperatorsRequest::default();
    let answer = stack
        .staff()
        .list_operators(call(&operator(), request))
        .await;
    let items = answer.unwrap().into_inner().items;
    items
        .into_iter()
        .map(|operator| (operator.name, operator.followers))
        .collect()
}

#[tokio::test]
async fn one_operator_is_followed_at_a_time_and_the_history_stays() {
    let stack = Plan::spawn().await;
    let (first, second) = (
        new_operator(&stack, "First").await,
        new_operator(&stack, "Second").await,
    );
    let caller = user();
    let begun = follow(&stack, &caller, &format!(" {first} "))
        .await
        .unwrap();
    assert_eq!(begun.operator_name, "First");
    assert_eq!(begun.ended_at, None);
    assert_eq!(
        why(follow(&stack, &caller, &first).await),
        (Reason::FollowIdCurrent, Some("operator_id".into()))
    );
    follow(&stack, &caller, &second).await.unwrap();
    let history = follows(&stack, &caller, "", 1).await;
    assert_eq!(history.current_operator_id, second);
    assert_eq!(history.items[0].operator_id, second);
    let older = follows(&stack, &caller, &history.next_cursor, 1).await;
    assert_eq!(older.items[0].operator_id, first);
    assert!(older.items[0].ended_at.is_some());
    assert_eq!(older.next_cursor, "");
    assert_eq!(
        followers(&stack).await,
        [("Second".to_owned(), 1), ("First".to_owned(), 0)]
    );
    let request = GetCurrentOperatorsRequest {
        user_ids: vec![user_id(&caller), user_id(&user()), "nobody".into()],
    };
    let answer = stack
        .staff()
        .get_current_operators(call(&operator(), request))
        .await;
    let current = answer.unwrap().into_inner().items;
    assert_eq!(current.len(), 1);
    assert_eq!(current[0].operator_id, second);
}

#[tokio::test]
async fn an_unknown_operator_is_an_error_in_every_form() {
    let stack = Plan::spawn().await;
    let caller = user();
    for id in ["", "12345", "00000000-0000-7000-8000-000000000000"] {
        assert_eq!(
            why(follow(&stack, &caller, id).await),
            (Reason::FollowIdError, Some("operator_id".into())),
            "{id}"
        );
    }
    let history = follows(&stack, &caller, "", 20).await;
    assert!(history.items.is_empty() && history.current_operator_id.is_empty());
}

#[tokio::test]
async fn of_fifty_calls_at_once_one_begins_to_follow() {
    let stack = Plan::spawn().await;
    let id = new_operator(&stack, "Popular").await;
    let caller = user();
    let calls = (0..50).map(|_| follow(&stack, &caller, &id));
    let outcomes = futures::future::join_all(calls).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for refusal in outcomes.into_iter().filter_map(Result::err) {
        assert_eq!(refusal.reason, Reason::FollowIdCurrent);
    }
    assert_eq!(followers(&stack).await, [("Popular".to_owned(), 1)]);
    assert_eq!(follows(&stack, &caller, "", 20).await.items.len(), 1);
}

#[tokio::test]
async fn a_plan_is_pushed_to_the_followers_of_an_operator() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let id = new_operator(&stack, "Guide").await;
    let to_followers = PushPlanRequest {
        product_id: product.id.clone(),
        amount_minor: 5_000,
        operator_id: id.clone(),
        ..Default::default()
    };
    assert_eq!(
        why(stack.try_push(to_followers.clone()).await),
        (Reason::Validation, Some("to".into())),
        "nobody follows yet"
    );
    let (first, second) = (user(), user());
    for caller in [&first, &second] {
        follow(&stack, caller, &id).await.unwrap();
    }
    let staff = with_key(&operator(), &Uuid::now_v7().to_string());
    let push = async || {
        let answer = stack
            .staff()
            .push_plan(call(&staff, to_followers.clone()))
            .await;
        answer.unwrap().into_inner().items
    };
    let pushed = push().await;
    assert_eq!(pushed.len(), 2);
    let plan = stack.plan(&first, &pushed_to(&pushed, &first)).await;
    assert_eq!(plan.operator_id, id.clone());
    assert!(plan.official);
    assert!(plan.expire_time.is_some());
    // Who has left since does not change what the same request is answered.
    let other = new_operator(&stack, "Other").await;
    for caller in [&first, &second] {
        follow(&stack, caller, &other).await.unwrap();
    }
    assert_eq!(push().await, pushed);
}

fn pushed_to(pushed: &[PushedPlan], caller: &Caller) -> String {
    let mut plans = pushed.iter();
    plans
        .find(|pushed| pushed.user_id == user_id(caller))
        .map(|pushed| pushed.plan_id.clone())
        .unwrap()
}
