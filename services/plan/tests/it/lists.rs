//! Lists and counts of plans.

use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

async fn page(
    stack: &Plan,
    caller: &adfolio_kit::identity::Caller,
    request: ListPlansRequest,
) -> ListPlansResponse {
    stack
        .users()
        .list_plans(call(caller, request))
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn pages_go_through_every_plan_once_newest_first() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(stack.put(&caller, &product, 1_000).await.unwrap().id);
        made.push(stack.push(&product, &[&caller]).await.remove(0).plan_id);
    }
    made.reverse();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListPlansRequest {
            page: Some(PageRequest { cursor, limit: 3 }),
            ..Default::default()
        };
        let answer = page(&stack, &caller, request).await;
        seen.extend(answer.items.into_iter().map(|plan| plan.id));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, made);
}

#[tokio::test]
async fn filters_and_counts_agree() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    for _ in 0..2 {
        stack.put(&caller, &product, 1_000).await.unwrap();
        stack.push(&product, &[&caller]).await;
    }
    let request = ListPlansRequest {
        push: PushFilter::Official.into(),
        ..Default::default()
    };
    let official = page(&stack, &caller, request).await;
    assert_eq!(counts(&official), [(PlanStatus::Waiting, 2)]);
    assert_eq!(official.items.len(), 2);
    assert_eq!(official.counts.len(), 7, "every tab has its count");
    let request = ListPlansRequest {
        status: PlanStatus::Matching.into(),
        ..Default::default()
    };
    let matching = page(&stack, &caller, request).await;
    assert!(
        matching
            .items
            .iter()
            .all(|plan| plan.status() == PlanStatus::Matching && !plan.official)
    );
    assert_eq!(
        counts(&matching),
        [(PlanStatus::Waiting, 2), (PlanStatus::Matching, 2)]
    );
}

#[tokio::test]
async fn a_foreign_cursor_and_a_wrong_limit_are_refused() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    for _ in 0..2 {
        stack.put(&caller, &product, 1_000).await.unwrap();
    }
    let request = |cursor: &str, limit| ListPlansRequest {
        page: Some(PageRequest {
            cursor: cursor.into(),
            limit,
        }),
        ..Default::default()
    };
    let cursor = page(&stack, &caller, request("", 1)).await.next_cursor;
    let foreign = stack
        .users()
        .list_plans(call(&user(), request(&cursor, 1)))
        .await
        .map_err(refused);
    assert_eq!(why(foreign), (Reason::Validation, Some("cursor".into())));
    let long = stack
        .users()
        .list_plans(call(&caller, request("", 101)))
        .await
        .map_err(refused);
    assert_eq!(why(long), (Reason::Validation, Some("limit".into())));
}

#[tokio::test]
async fn staff_find_plans_by_user_status_and_number() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let (first, second) = (stack.user_with(10_000).await, stack.user_with(10_000).await);
    let plan = stack.put(&first, &product, 1_000).await.unwrap();
    stack.put(&second, &product, 1_000).await.unwrap();
    let list = async |request: AdminListPlansRequest| {
        stack
            .staff()
            .admin_list_plans(call(&operator(), request))
            .await
            .unwrap()
            .into_inner()
            .items
    };
    assert_eq!(list(AdminListPlansRequest::default()).await.len(), 2);
    let by_user = AdminListPlansRequest {
        user_id: user_id(&first),
        ..Default::default()
    };
    assert_eq!(list(by_user).await, std::slice::from_ref(&plan));
    let by_number = AdminListPlansRequest {
        plan_number: plan.plan_number.clone(),
        ..Default::default()
    };
    assert_eq!(list(by_number).await, [plan]);
    let by_status = AdminListPlansRequest {
        status: PlanStatus::Settled.into(),
        ..Default::default()
    };
    assert!(list(by_status).await.is_empty());
}
