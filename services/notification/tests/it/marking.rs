//! Marking as read, and the counter that says how many are left.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_testkit::eventually;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{INBOX_CHANGED, Notification, deposit, user, why};

#[tokio::test]
async fn one_notice_is_marked_once() {
    let stack = Notification::spawn().await;
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
async fn whatever_changes_the_count_makes_it_a_later_one() {
    let stack = Notification::spawn().await;
    let (alice, bob) = (user(), user());
    let (mut before, of_bob) = (
        stack.unread_count(&alice).await,
        stack.unread_count(&bob).await,
    );
    let mut later = async |what: &str, total: i64| {
        let now = stack.unread_count(&alice).await;
        assert_eq!(now.0, total, "{what}");
        assert!(now.1 > before.1, "{what}: {before:?} {now:?}");
        assert_eq!(stack.unread_count(&alice).await, now, "{what}");
        before = now;
    };
    stack.deposits(&alice, 2).await;
    later("two notices", 2).await;
    stack.announce(pb::Category::Announcement, "News").await;
    later("an announcement", 3).await;
    let id = stack.list(&alice).await.items[2].id.clone();
    stack.mark_one(&alice, &id).await.unwrap();
    later("one that was read", 2).await;
    let category = pb::Category::Unspecified;
    stack.mark_all(&alice, category).await.unwrap();
    later("all that were read", 0).await;
    assert!(
        stack.unread_count(&bob).await.1 > of_bob.1,
        "the announcement"
    );
}

#[tokio::test]
async fn another_users_notice_is_not_found_and_stays_unread() {
    let stack = Notification::spawn().await;
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
    assert_eq!(stack.unread(&alice).await, 1);
    assert_eq!(stack.unread(&bob).await, 1);
    assert_eq!(stack.unread(&stranger).await, 0);
}

#[tokio::test]
async fn a_category_is_marked_by_itself() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.deposits(&alice, 2).await;
    stack.announce(pb::Category::Announcement, "News").await;
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
    let stack = Notification::spawn().await;
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

/// Everything that a user may see is read or unread in every way to look at it, and the total is the number of unread ones.
async fn assert_consistent(stack: &Notification, caller: &Caller) {
    let every = [
        pb::Category::Unspecified,
        pb::Category::Announcement,
        pb::Category::Maintenance,
        pb::Category::Activity,
    ];
    let filters = [
        pb::ReadFilter::Unspecified,
        pb::ReadFilter::Unread,
        pb::ReadFilter::Read,
    ];
    let all = stack.list(caller).await;
    let unread = all.items.iter().filter(|item| !item.read).count();
    assert_eq!(all.unread_total, i64::try_from(unread).unwrap());
    for category in every {
        for filter in filters {
            let wanted = |item: &&pb::Notification| {
                let same = category == pb::Category::Unspecified || item.category() == category;
                let read = match filter {
                    pb::ReadFilter::Unspecified => true,
                    pb::ReadFilter::Unread => !item.read,
                    pb::ReadFilter::Read => item.read,
                };
                same && read
            };
            let expected: Vec<_> = all.items.iter().filter(wanted).cloned().collect();
            let listed = stack
                .list_page(caller, category, filter, "", 100)
                .await
                .unwrap();
            assert_eq!(listed.items, expected, "{category:?} {filter:?}");
        }
    }
}

#[tokio::test]
async fn announcements_are_marked_singly_by_category_and_all_together() {
    let stack = Notification::spawn().await;
    let (alice, bob) = (user(), user());
    let (news, works, deals) = (
        pb::Category::Announcement,
        pb::Category::Maintenance,
        pb::Category::Activity,
    );
    let mut ids = Vec::new();
    for category in [news, works, deals, news, works, news] {
        ids.push(stack.announce(category, "To all").await);
    }
    stack.deposits(&alice, 2).await;
    let steps: [(Option<&str>, pb::Category, i64); 9] = [
        (Some(&ids[3]), news, 7),
        (Some(&ids[3]), news, 7),
        (Some(&ids[5]), news, 6),
        (None, news, 5),
        (Some(&ids[0]), news, 5),
        (Some(&ids[1]), works, 4),
        (None, deals, 1),
        (None, pb::Category::Unspecified, 0),
        (None, pb::Category::Unspecified, 0),
    ];
    for (id, category, left) in steps {
        let outcome = match id {
            Some(id) => stack.mark_one(&alice, id).await,
            None => stack.mark_all(&alice, category).await,
        };
        assert_eq!(outcome.unwrap(), left);
        assert_eq!(stack.unread(&alice).await, left);
        assert_consistent(&stack, &alice).await;
    }
    assert_eq!(
        stack.count("SELECT count(*) FROM announcement_reads").await,
        0,
        "what was read all at once is a mark"
    );
    // What comes afterwards is unread, and what another user has is untouched.
    ids.push(stack.announce(works, "More").await);
    assert_eq!(stack.unread(&alice).await, 1);
    assert_eq!(stack.unread(&bob).await, 7);
    assert_eq!(stack.mark_one(&alice, &ids[6]).await.unwrap(), 0);
    assert_consistent(&stack, &alice).await;
    assert_consistent(&stack, &bob).await;
}

#[tokio::test]
async fn an_announcement_is_read_once_by_whoever_marks_it_fifty_times_at_once() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[INBOX_CHANGED]).await;
    let alice = user();
    let id = stack.announce(pb::Category::Announcement, "News").await;
    stack.announce(pb::Category::Announcement, "More").await;
    // Nobody has asked for this inbox before: all of them open it.
    for outcome in join_all((0..50).map(|_| stack.mark_one(&alice, &id))).await {
        assert_eq!(outcome.unwrap(), 1);
    }
    assert_consistent(&stack, &alice).await;
    stack
        .mark_all(&alice, pb::Category::Unspecified)
        .await
        .unwrap();
    // Each change is told once, and none that changed nothing.
    stack
        .mark_all(&alice, pb::Category::Unspecified)
        .await
        .unwrap();
    stack.deposits(&alice, 1).await;
    assert_eq!(probe.wait_for(INBOX_CHANGED, 3).await.len(), 3);
}

/// The total must equal what is unread after every commit, with notices of the user's own and announcements coming, and
/// both being marked one by one, by category and all at once.
#[tokio::test]
async fn the_total_is_exact_while_everything_happens_at_once() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.deposits(&alice, 20).await;
    for _ in 0..5 {
        stack.announce(pb::Category::Announcement, "Early").await;
    }
    let listed = stack.list(&alice).await.items;
    let ids: Vec<String> = listed.into_iter().map(|item| item.id).collect();
    assert_eq!(ids.len(), 25);

    let coming = async {
        for number in 0..25 {
            stack
                .tell(Uuid::now_v7(), &deposit(&alice, 10_000 + number))
                .await;
        }
    };
    let announcing = join_all((0..25).map(|number| {
        let category = [pb::Category::Announcement, pb::Category::Maintenance][number % 2];
        stack.announce(category, "Late")
    }));
    let one_by_one = join_all(ids.iter().map(|id| stack.mark_one(&alice, id)));
    let in_groups = join_all((0..25).map(|number| {
        let category = [
            pb::Category::Unspecified,
            pb::Category::Maintenance,
            pb::Category::Activity,
            pb::Category::Announcement,
            pb::Category::Announcement,
        ][number % 5];
        stack.mark_all(&alice, category)
    }));
    let watching = async {
        for _ in 0..40 {
            assert_eq!(stack.count(OFF_BY).await, 0);
        }
    };
    let ((), _, singly, grouped, ()) =
        tokio::join!(coming, announcing, one_by_one, in_groups, watching);
    for outcome in singly.into_iter().chain(grouped) {
        assert!(outcome.unwrap() >= 0);
    }
    eventually("every notice has come", || async {
        stack.list(&alice).await.items.len() == 75
    })
    .await;
    assert_eq!(stack.count(OFF_BY).await, 0);
    assert_consistent(&stack, &alice).await;
    let left = stack.mark_all(&alice, pb::Category::Unspecified).await;
    assert_eq!(left.unwrap(), 0);
    assert_consistent(&stack, &alice).await;
}

/// By how much the one user's total differs from what is unread row by row, in one look.
const OFF_BY: &str = "
    SELECT inbox.unread + (SELECT coalesce(max(number), 0) FROM announcements) - inbox.announcements_done
         - (SELECT count(*) FROM notifications WHERE NOT read)
         - (SELECT count(*) FROM announcements AS one
            WHERE number > inbox.announcements_base
              AND number > CASE category WHEN 'announcement' THEN inbox.announcement_through
                                         WHEN 'maintenance' THEN inbox.maintenance_through
                                         ELSE inbox.activity_through END
              AND NOT EXISTS (SELECT 1 FROM announcement_reads AS mark WHERE mark.number = one.number))
    FROM unread_counters AS inbox";
