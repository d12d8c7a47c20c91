//! What staff publish: to all, to some, in every language, once.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_testkit::{eventually, instant, publish_event};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{
    ANNOUNCEMENT_PUBLISHED, Acted, INBOX_CHANGED, NOW, Notification, STAFF_ACTED, USER_REGISTERED,
    in_lang, notification, staff, texts, to_users, user, user_id, why, with_key,
};

const NEWS: pb::Category = pb::Category::Announcement;
const ALL: pb::Category = pb::Category::Unspecified;
const EVERY: pb::ReadFilter = pb::ReadFilter::Unspecified;

#[tokio::test]
async fn a_message_to_all_is_one_row_that_everybody_reads_in_their_language() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&["adfolio.notification.v1.*"]).await;
    let (alice, bob) = (user(), user());
    stack.deposits(&alice, 1).await;
    let support = Caller {
        reason: "asked for by the network".to_owned(),
        ..staff(StaffRole::Support)
    };
    let request = pb::CreateNotificationRequest {
        title: texts(&[
            ("en", "New networks"),
            ("de", "Neue Netzwerke"),
            ("zh", "新网络"),
        ]),
        content: texts(&[("en", "Two more.\nFrom today."), ("de", "Zwei weitere.")]),
        ..notification(NEWS, To::All(true), "")
    };
    let created = stack.create(&support, request).await.unwrap();
    assert_eq!(created.recipients, 0);
    assert_eq!(stack.unread(&alice).await, 2);
    assert_eq!(stack.unread(&bob).await, 1);

    let read = async |lang: &str| {
        let item = stack.list(&in_lang(&bob, lang)).await.items.remove(0);
        assert_eq!(item.id, created.id);
        assert!(!item.read);
        (item.title, item.content)
    };
    let pair = |title: &str, content: &str| (title.to_owned(), content.to_owned());
    assert_eq!(
        read("en").await,
        pair("New networks", "Two more.\nFrom today.")
    );
    assert_eq!(read("de").await, pair("Neue Netzwerke", "Zwei weitere."));
    assert_eq!(read("cht").await, pair("新网络", "Two more.\nFrom today."));
    assert_eq!(
        read("fr").await,
        pair("New networks", "Two more.\nFrom today.")
    );
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 1);
    assert_eq!(stack.count("SELECT count(*) FROM notifications").await, 1);

    let published = probe.wait_for(ANNOUNCEMENT_PUBLISHED, 1).await;
    assert_eq!(published[0].data["notificationId"], created.id);
    let acted = probe.wait_for(STAFF_ACTED, 1).await;
    let entry = Acted::of(&acted[0].data);
    assert_eq!(entry.action, "notification.create");
    assert_eq!(entry.target, created.id);
    assert_eq!(entry.user, "");
    assert_eq!(entry.after["to"], "all");
    assert_eq!(entry.after["title"], "New networks");
    assert_eq!(acted[0].data["reason"], "asked for by the network");
    assert_eq!(
        acted[0].data["staffId"],
        support.staff.unwrap().id.to_string()
    );
}

#[tokio::test]
async fn what_was_announced_before_a_user_came_is_not_theirs() {
    let stack = Notification::spawn().await;
    let (early, late, told) = (user(), user(), user());
    let old = stack.announce(NEWS, "Old").await;
    let came = instant(NOW) + Duration::from_mins(1);
    stack.directory.since(&user_id(&late), came);
    stack.clock.advance(Duration::from_mins(2));
    // Asked first when there is something new already.
    stack.announce(pb::Category::Maintenance, "New").await;
    assert_eq!(stack.titles(&early, ALL, EVERY).await, ["New", "Old"]);
    assert_eq!(stack.titles(&late, ALL, EVERY).await, ["New"]);
    assert_eq!(stack.unread(&early).await, 2);
    assert_eq!(stack.unread(&late).await, 1);
    for caller in [&late, &user()] {
        stack.directory.since(&user_id(caller), came);
        let outcome = stack.mark_one(caller, &old).await;
        assert_eq!(why(outcome), (Reason::NotFound, Some("id".to_owned())));
    }

    // One whose registration is told needs nobody to be asked.
    stack.directory.nobody(&user_id(&told));
    let registered = events::UserRegistered {
        user_id: user_id(&told),
        username: "told".to_owned(),
        entry: "register".to_owned(),
        lang: String::new(),
    };
    publish_event(
        &stack.broker.broker(),
        USER_REGISTERED,
        &user_id(&told),
        &registered,
    )
    .await;
    eventually("the inbox is open", || async {
        stack.count("SELECT count(*) FROM inbox").await == 1
    })
    .await;
    stack.directory.die(true);
    // The event's time is the real one, the announcements' the service's: whichever came first, the total says the same.
    let seen = stack.list(&told).await;
    assert_eq!(seen.unread_total, i64::try_from(seen.items.len()).unwrap());
}

#[tokio::test]
async fn without_auth_an_unknown_inbox_is_unavailable_and_a_known_one_is_there() {
    let stack = Notification::spawn().await;
    let (alice, bob) = (user(), user());
    assert_eq!(stack.unread(&alice).await, 0);
    stack.directory.die(true);
    stack.announce(NEWS, "News").await;
    assert_eq!(stack.unread(&alice).await, 1);
    let unavailable = Reason::Unavailable;
    assert_eq!(why(stack.mark_all(&bob, ALL).await).0, unavailable);
    let support = staff(StaffRole::Support);
    let to_some = stack
        .publish(&support, NEWS, to_users(&[&alice]), "You")
        .await;
    assert_eq!(why(to_some).0, unavailable);
    assert_eq!(stack.count("SELECT count(*) FROM messages").await, 1);
    stack.directory.die(false);
    assert_eq!(stack.mark_all(&bob, ALL).await.unwrap(), 0);
}

#[tokio::test]
async fn a_message_to_some_is_theirs_alone_and_once_each() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&["adfolio.notification.v1.*"]).await;
    let (alice, bob, eve) = (user(), user(), user());
    let support = staff(StaffRole::Support);
    let created = stack
        .publish(
            &support,
            pb::Category::Activity,
            to_users(&[&bob, &alice, &bob]),
            "For you",
        )
        .await
        .unwrap();
    assert_eq!(created.recipients, 2);
    for (caller, unread) in [(&alice, 1), (&bob, 1), (&eve, 0)] {
        assert_eq!(stack.unread(caller).await, unread);
        assert_eq!(
            stack
                .titles(caller, pb::Category::Activity, EVERY)
                .await
                .len(),
            usize::try_from(unread).unwrap()
        );
    }
    let id = stack.list(&alice).await.items[0].id.clone();
    assert_eq!(
        why(stack.mark_one(&bob, &id).await),
        (Reason::NotFound, Some("id".to_owned()))
    );
    assert_eq!(stack.mark_one(&alice, &id).await.unwrap(), 0);
    let changed = probe.wait_for(INBOX_CHANGED, 3).await;
    let of_alice = changed
        .iter()
        .filter(|event| event.subject == user_id(&alice))
        .count();
    assert_eq!(changed.len(), 3);
    assert_eq!(of_alice, 2);

    // One alone is named in the audit log.
    stack
        .publish(&support, NEWS, to_users(&[&eve]), "Only you")
        .await
        .unwrap();
    let acted = probe.wait_for(STAFF_ACTED, 2).await;
    let users: Vec<_> = acted
        .iter()
        .map(|event| Acted::of(&event.data).user)
        .collect();
    assert_eq!(users, [String::new(), user_id(&eve)]);
}

#[tokio::test]
async fn many_are_looked_up_in_parts_and_an_unknown_one_stops_all() {
    let stack = Notification::spawn().await;
    let support = staff(StaffRole::Support);
    let mut user_ids: Vec<String> = (0..1_000).map(|_| Uuid::now_v7().to_string()).collect();
    let to = |user_ids: &[String]| {
        To::Users(pb::UserIds {
            user_ids: user_ids.to_vec(),
        })
    };
    let created = stack.publish(&support, NEWS, to(&user_ids), "Many").await;
    assert_eq!(created.unwrap().recipients, 1_000);
    assert_eq!(stack.directory.largest(), 500);
    assert_eq!(
        stack
            .count("SELECT sum(unread)::bigint FROM unread_counters")
            .await,
        1_000
    );

    let nobody = Uuid::now_v7().to_string();
    stack.directory.nobody(&nobody);
    user_ids[700] = nobody;
    let outcome = stack.publish(&support, NEWS, to(&user_ids), "Many").await;
    assert_eq!(why(outcome), (Reason::NotFound, Some("to".to_owned())));
    user_ids[700] = "nobody".to_owned();
    let outcome = stack.publish(&support, NEWS, to(&user_ids), "Many").await;
    assert_eq!(why(outcome), (Reason::NotFound, Some("to".to_owned())));
    user_ids.push(Uuid::now_v7().to_string());
    for wrong in [to(&user_ids), to(&[]), To::All(false)] {
        let outcome = stack.publish(&support, NEWS, wrong, "Many").await;
        assert_eq!(why(outcome), (Reason::Validation, Some("to".to_owned())));
    }
    assert_eq!(
        stack.count("SELECT count(*) FROM notifications").await,
        1_000
    );
}

#[tokio::test]
async fn what_is_out_of_form_is_named_and_publishes_nothing() {
    let stack = Notification::spawn().await;
    let support = staff(StaffRole::Support);
    let good = || notification(NEWS, To::All(true), "Good");
    let long = "x".repeat(201);
    let longer = "x".repeat(5_001);
    let titled = |title: &[(&str, &str)]| pb::CreateNotificationRequest {
        title: texts(title),
        ..good()
    };
    let saying = |content: &[(&str, &str)]| pb::CreateNotificationRequest {
        content: texts(content),
        ..good()
    };
    let wrong = [
        (
            pb::CreateNotificationRequest {
                category: 0,
                ..good()
            },
            "category",
        ),
        (
            pb::CreateNotificationRequest {
                category: 9,
                ..good()
            },
            "category",
        ),
        (pb::CreateNotificationRequest { to: None, ..good() }, "to"),
        (titled(&[]), "title.en"),
        (titled(&[("de", "Gut")]), "title.en"),
        (titled(&[("en", " ")]), "title.en"),
        (titled(&[("en", "a\nb")]), "title.en"),
        (titled(&[("en", "Good"), ("xx", "?")]), "title.xx"),
        (titled(&[("en", "Good"), ("de", &long)]), "title.de"),
        (saying(&[("fr", "Bon")]), "content.en"),
        (
            saying(&[("en", "Good"), ("english", "?")]),
            "content.english",
        ),
        (saying(&[("en", &longer)]), "content.en"),
        (saying(&[("en", "a\u{0}b")]), "content.en"),
    ];
    for (request, field) in wrong {
        let outcome = stack.create(&support, request).await;
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
    for role in [StaffRole::Finance, StaffRole::Operator] {
        let outcome = stack.create(&staff(role), good()).await;
        assert_eq!(why(outcome).0, Reason::Forbidden);
    }
    for caller in [user(), Caller::system()] {
        let outcome = stack.create(&caller, good()).await;
        assert_eq!(why(outcome).0, Reason::NotAuthenticated);
    }
    assert_eq!(stack.count("SELECT count(*) FROM messages").await, 0);
}

#[tokio::test]
async fn a_key_publishes_once_whoever_is_quick() {
    let stack = Notification::spawn().await;
    let support = with_key(&staff(StaffRole::Support), "the-key");
    let request = pb::CreateNotificationRequest {
        title: texts(&[("en", "One"), ("de", "Eins"), ("fr", "Un"), ("ru", "Один")]),
        ..notification(NEWS, To::All(true), "")
    };
    let calls = (0..50).map(|_| stack.create(&support, request.clone()));
    let answers = join_all(calls).await;
    let first = answers[0].clone().unwrap();
    assert!(answers.iter().all(|answer| answer.as_ref() == Ok(&first)));
    let other = stack.publish(&support, NEWS, To::All(true), "Other").await;
    assert_eq!(why(other).0, Reason::IdempotencyKeyReused);
    // Another member of staff has keys of their own.
    let colleague = with_key(&staff(StaffRole::Support), "the-key");
    assert_ne!(
        stack.create(&colleague, request).await.unwrap().id,
        first.id
    );
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 2);
}

#[tokio::test]
async fn numbers_have_no_holes_however_many_publish_at_once() {
    let stack = Notification::spawn().await;
    let support = staff(StaffRole::Support);
    let alice = user();
    let categories = [NEWS, pb::Category::Maintenance, pb::Category::Activity];
    let calls = (0..50).map(|number| {
        let category = categories[number % 3];
        stack.publish(&support, category, To::All(true), "News")
    });
    for outcome in join_all(calls).await {
        outcome.unwrap();
    }
    let whole = "SELECT count(*) FROM announcements AS one
                 WHERE number = (SELECT count(*) FROM announcements AS other WHERE other.published_at <= one.published_at)
                   AND category_number = (SELECT count(*) FROM announcements AS other
                                          WHERE other.category = one.category AND other.number <= one.number)";
    assert_eq!(stack.count(whole).await, 50);
    assert_eq!(stack.unread(&alice).await, 50);
    assert_eq!(stack.titles(&alice, NEWS, EVERY).await.len(), 17);
}
