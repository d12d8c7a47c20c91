//! The inbox as a user reads it: pages, filters, languages.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;

use crate::helpers::{Notification, call, in_lang, refused, user, why};

#[tokio::test]
async fn pages_cover_every_filter_without_gap_or_repeat() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.deposits(&alice, 7).await;
    for title in ["One", "Two", "Three"] {
        stack.announce(pb::Category::Announcement, title).await;
    }
    stack.announce(pb::Category::Maintenance, "Tonight").await;
    let all = stack.list(&alice).await.items;
    for item in all.iter().step_by(2) {
        stack.mark_one(&alice, &item.id).await.unwrap();
    }
    let all = stack.list(&alice).await.items;
    for category in [
        pb::Category::Unspecified,
        pb::Category::Activity,
        pb::Category::Announcement,
    ] {
        for filter in [
            pb::ReadFilter::Unspecified,
            pb::ReadFilter::Unread,
            pb::ReadFilter::Read,
        ] {
            let expected: Vec<_> = all
                .iter()
                .filter(|item| category == pb::Category::Unspecified || item.category() == category)
                .filter(|item| {
                    filter == pb::ReadFilter::Unspecified
                        || item.read == (filter == pb::ReadFilter::Read)
                })
                .cloned()
                .collect();
            let mut listed = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = stack
                    .list_page(&alice, category, filter, &cursor, 2)
                    .await
                    .unwrap();
                assert_eq!(page.unread_total, 5);
                listed.extend(page.items);
                cursor = page.next_cursor;
                if cursor.is_empty() {
                    break;
                }
            }
            assert_eq!(listed, expected, "{category:?} {filter:?}");
        }
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_its_own_list_only() {
    let stack = Notification::spawn().await;
    let (alice, bob) = (user(), user());
    stack.deposits(&alice, 3).await;
    let (all, every) = (pb::Category::Unspecified, pb::ReadFilter::Unspecified);
    let cursor = stack
        .list_page(&alice, all, every, "", 1)
        .await
        .unwrap()
        .next_cursor;
    let refused = (Reason::Validation, Some("cursor".to_owned()));
    assert_eq!(
        why(stack.list_page(&bob, all, every, &cursor, 1).await),
        refused
    );
    assert_eq!(
        why(stack
            .list_page(&alice, pb::Category::Activity, every, &cursor, 1)
            .await),
        refused
    );
    assert_eq!(
        why(stack
            .list_page(&alice, all, pb::ReadFilter::Unread, &cursor, 1)
            .await),
        refused
    );
    assert_eq!(
        why(stack.list_page(&alice, all, every, "AAAA", 1).await),
        refused
    );
    assert!(stack.list(&bob).await.items.is_empty());
}

#[tokio::test]
async fn a_notice_reads_in_the_language_of_whoever_reads_it() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.deposits(&alice, 1).await;
    let read = async |lang: &str| {
        let listed = stack.list(&in_lang(&alice, lang)).await;
        listed.items[0].content.clone()
    };
    let english = "A deposit of 1.00 has been credited to your wallet.";
    for lang in ["en", "xx", ""] {
        assert_eq!(read(lang).await, english);
    }
    assert_eq!(
        read("de").await,
        "Ihrer Wallet wurde eine Einzahlung von 1,00 gutgeschrieben."
    );
    assert_ne!(read("zh").await, read("cht").await);
}

#[tokio::test]
async fn without_a_user_there_is_no_inbox() {
    let stack = Notification::spawn().await;
    let nobody = Caller::system();
    let mut client = stack.users();
    let listed = client
        .list_notifications(call(&nobody, pb::ListNotificationsRequest::default()))
        .await;
    let marked = client
        .mark_read(call(&nobody, pb::MarkReadRequest::default()))
        .await;
    let counted = client
        .count_unread(call(&nobody, pb::CountUnreadRequest {}))
        .await;
    for status in [
        listed.unwrap_err(),
        marked.unwrap_err(),
        counted.unwrap_err(),
    ] {
        assert_eq!(refused(status).reason, Reason::NotAuthenticated);
    }
}

#[tokio::test]
async fn wrong_filters_are_named() {
    let stack = Notification::spawn().await;
    let request = |category, filter| pb::ListNotificationsRequest {
        category,
        filter,
        page: None,
    };
    for (request, field) in [(request(9, 0), "category"), (request(0, 9), "filter")] {
        let outcome = stack
            .users()
            .list_notifications(call(&user(), request))
            .await
            .map_err(refused);
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
}
