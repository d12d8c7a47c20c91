//! Marking as read, and the counter that says how many are left.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_testkit::eventually;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Stack, deposit, user, why};

#[tokio::test]
async fn one_notice_is_marked_once() {
    let stack = Stack::start().await;
    let alice = user();
    stack.deposits(&alice, 3).await;
    let id = stack.list(&alice).await.items[1].id.clone();
    for outcome in join_all((0..10).map(|_| stack.mark_one(&alice, &id))).await {
        assert_eq!(outcome.unwrap(), 2);
    }
    let listed = stack.list(&alice).await;
    assert_eq!(
        listed
            .items
            .iter()
            .map(|item| item.read)
            .collect::<Vec<_>>(),
        [false, true, false]
    );
    assert_eq!(listed.unread_total, 2);
}

#[tokio::test]
async fn another_users_notice_is_not_found_and_stays_unread() {
    let stack = Stack::start().await;
    let (alice, bob, stranger) = (user(), user(), user());
    stack.deposits(&alice, 1).await;
    stack.deposits(&bob, 1).await;
    let id = stack.list(&alice).await.items[0].id.clone();
    let not_found = (Reason::NotFound, Some("id".to_owned()));
    for (caller, id) in [
        (&bob, id.clone()),
        (&stranger, id),
        (&alice, Uuid::now_v7().to_string()),
        (&alice, "nonsense".to_owned()),
    ] {
        assert_eq!(why(stack.mark_one(caller, &id).await), not_found);
    }
    assert_eq!(
        (
            stack.unread(&alice).await,
            stack.unread(&bob).await,
            stack.unread(&stranger).await
        ),
        (1, 1, 0)
    );
}

#[tokio::test]
async fn a_category_is_marked_by_itself() {
    let stack = Stack::start().await;
    let alice = user();
    stack.deposits(&alice, 2).await;
    stack.announce(&alice).await;
    assert_eq!(
        stack
            .mark_all(&alice, pb::Category::Maintenance)
            .await
            .unwrap(),
        3
    );
    assert_eq!(
        stack
            .mark_all(&alice, pb::Category::Activity)
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        stack
            .mark_all(&alice, pb::Category::Activity)
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        stack
            .mark_all(&alice, pb::Category::Unspecified)
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        stack
            .mark_all(&user(), pb::Category::Unspecified)
            .await
            .unwrap(),
        0
    );
}

#[tokio::test]
async fn what_to_mark_must_be_said() {
    let stack = Stack::start().await;
    let alice = user();
    let none = stack.mark(&alice, None, pb::Category::Unspecified).await;
    assert_eq!(why(none), (Reason::Validation, Some("id".to_owned())));
    let not_all = stack
        .mark(&alice, Some(Target::All(false)), pb::Category::Unspecified)
        .await;
    assert_eq!(why(not_all), (Reason::Validation, Some("all".to_owned())));
    assert_eq!(
        why(stack.mark_one(&alice, "").await),
        (Reason::Validation, Some("id".to_owned()))
    );
}

/// The counter must equal the unread notices at every moment that a reader can see, with notices coming and being marked
/// one by one and all at once.
#[tokio::test]
async fn the_counter_is_exact_while_notices_come_and_are_marked() {
    let stack = Stack::start().await;
    let alice = user();
    stack.deposits(&alice, 20).await;
    let ids: Vec<String> = stack
        .list(&alice)
        .await
        .items
        .into_iter()
        .map(|item| item.id)
        .collect();

    let coming = async {
        for number in 0..40 {
            stack
                .tell(Uuid::now_v7(), &deposit(&alice, 10_000 + number))
                .await;
        }
    };
    let marking_one_by_one = async {
        for id in &ids {
            stack.mark_one(&alice, id).await.unwrap();
        }
    };
    let marking_all = async {
        for _ in 0..20 {
            stack
                .mark_all(&alice, pb::Category::Unspecified)
                .await
                .unwrap();
        }
    };
    let watching = async {
        for _ in 0..40 {
            let (counted, unread): (i64, i64) = sqlx::query_as(
                "SELECT unread, (SELECT count(*) FROM notifications WHERE NOT read) FROM unread_counters",
            )
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
            assert_eq!(counted, unread);
        }
    };
    tokio::join!(coming, marking_one_by_one, marking_all, watching);
    eventually("every notice has come", || async {
        stack.list(&alice).await.items.len() == 60
    })
    .await;
    let unread = stack
        .list(&alice)
        .await
        .items
        .iter()
        .filter(|item| !item.read)
        .count();
    assert_eq!(stack.unread(&alice).await, i64::try_from(unread).unwrap());
    assert_eq!(
        stack
            .mark_all(&alice, pb::Category::Unspecified)
            .await
            .unwrap(),
        0
    );
}
