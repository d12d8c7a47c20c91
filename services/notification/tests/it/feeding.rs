//! Events of other services become notices exactly once, in whatever order and however often they arrive.

use adfolio_testkit::{eventually, publish_event};
use uuid::Uuid;

use crate::helpers::{Notification, PLAN_STATUS_CHANGED, Told, deposit, plan, user, user_id};

#[tokio::test]
async fn everything_told_twice_and_shuffled_is_there_once() {
    let stack = Notification::spawn().await;
    let users = [user(), user(), user()];
    let mut told: Vec<(Uuid, Told)> = Vec::new();
    for caller in &users {
        for number in 1..=10 {
            told.push((Uuid::now_v7(), deposit(caller, number * 100)));
        }
        let order = Uuid::now_v7();
        for to in ["matching", "put_finished", "settled"] {
            told.push((Uuid::now_v7(), plan(caller, order, to)));
        }
    }
    let twice: Vec<_> = told.iter().chain(&told).cloned().collect();
    // 37 and 78 have no common factor, so the steps reach every event, far from its first order.
    assert_eq!(twice.len(), 78);
    for step in 0..twice.len() {
        let (id, told) = &twice[(step * 37) % twice.len()];
        stack.tell(*id, told).await;
    }
    // The same happening under another event's id: told again by a service that lost track.
    for (_, told) in told.iter().step_by(5) {
        stack.tell(Uuid::now_v7(), told).await;
    }
    let marker = user();
    stack.tell(Uuid::now_v7(), &deposit(&marker, 100)).await;
    eventually("everything was handled", || async {
        let queue: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        // The three `matching` are nobody's concern, and so is the one of the eight that were told again.
        queue == 36 + 7 + 1
    })
    .await;
    for caller in &users {
        assert_eq!(stack.unread(caller).await, 12);
        let listed = stack.list(caller).await.items;
        assert_eq!(listed.len(), 12);
        let times: Vec<_> = listed.iter().map(|item| item.time.unwrap()).collect();
        assert!(times.is_sorted_by(
            |newer, older| (newer.seconds, newer.nanos) >= (older.seconds, older.nanos)
        ));
    }
}

#[tokio::test]
async fn what_is_no_event_of_the_contract_delays_nobody() {
    let stack = Notification::spawn().await;
    let alice = user();
    let nonsense = serde_json::json!({ "plan_id": 7, "to": ["settled"] });
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&alice),
        &nonsense,
    )
    .await;
    let Told::Plan(mut nobody) = plan(&alice, Uuid::now_v7(), "settled") else {
        unreachable!("a plan")
    };
    nobody.user_id = "nobody".to_owned();
    publish_event(
        &stack.broker.broker(),
        PLAN_STATUS_CHANGED,
        &user_id(&alice),
        &nobody,
    )
    .await;
    stack.deposits(&alice, 1).await;
    let broker = stack.broker.broker();
    eventually("both are dead letters", || async {
        adfolio_kit::dead_letter::count(&broker, "notification", "inbox")
            .await
            .is_ok_and(|count| count == 2)
    })
    .await;
}
