//! What staff schedule: nobody sees it before its time, and then everybody once, whichever replica publishes it.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::edit_announcement_request::To as EditTo;
use adfolio_testkit::{eventually, instant};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{
    ANNOUNCEMENT_PUBLISHED, Acted, NOW, Notification, STAFF_ACTED, call, notification, refused,
    staff, texts, to_users, user, why, with_key,
};

const NEWS: pb::Category = pb::Category::Announcement;
const ANY: pb::AnnouncementState = pb::AnnouncementState::Unspecified;
const HOUR: Duration = Duration::from_hours(1);

fn support() -> Caller {
    staff(StaffRole::Support)
}

fn in_an_hour(to: To, title: &str) -> pb::CreateNotificationRequest {
    pb::CreateNotificationRequest {
        publish_at: Some((instant(NOW) + HOUR).into()),
        ..notification(NEWS, to, title)
    }
}

async fn list(stack: &Notification, state: pb::AnnouncementState) -> Vec<pb::Announcement> {
    let request = pb::ListAnnouncementsRequest {
        state: state.into(),
        page: None,
    };
    let answer = stack
        .staff()
        .list_announcements(call(&support(), request))
        .await;
    answer.unwrap().into_inner().items
}

async fn get(
    stack: &Notification,
    caller: &Caller,
    id: &str,
) -> Result<pb::GetAnnouncementResponse, Refusal> {
    let request = pb::GetAnnouncementRequest { id: id.to_owned() };
    let answer = stack.staff().get_announcement(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner())
}

async fn edit(
    stack: &Notification,
    caller: &Caller,
    request: pb::EditAnnouncementRequest,
) -> Result<pb::Announcement, Refusal> {
    let answer = stack.staff().edit_announcement(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().announcement.unwrap())
}

async fn withdraw(
    stack: &Notification,
    caller: &Caller,
    id: &str,
    version: i64,
) -> Result<pb::Announcement, Refusal> {
    let request = pb::WithdrawAnnouncementRequest {
        id: id.to_owned(),
        reason: "The date was wrong.".to_owned(),
        version,
    };
    let answer = stack
        .staff()
        .withdraw_announcement(call(caller, request))
        .await;
    Ok(answer.map_err(refused)?.into_inner().announcement.unwrap())
}

/// Waits until the service has published everything that is due.
async fn all_is_published(stack: &Notification) {
    eventually("nothing waits", || async {
        stack
            .count("SELECT count(*) FROM publications WHERE state = 'scheduled'")
            .await
            == 0
    })
    .await;
}

#[tokio::test]
async fn what_is_scheduled_is_seen_at_its_time_and_once_on_many_replicas() {
    let stack = Notification::builder().replicas(3).spawn().await;
    let probe = stack.broker.probe(&["adfolio.notification.v1.*"]).await;
    let (alice, by) = (user(), support());
    stack.directory.active(321);
    let created = stack
        .create(&by, in_an_hour(To::All(true), "Later"))
        .await
        .unwrap();
    assert_eq!(created.state(), pb::AnnouncementState::Scheduled);
    let own = in_an_hour(to_users(&[&alice]), "Yours, later");
    stack.create(&by, own).await.unwrap();
    stack.announce(NEWS, "Now").await;
    assert_eq!(stack.unread(&alice).await, 1);
    assert_eq!(
        why(stack.mark_one(&alice, &created.id).await).0,
        Reason::NotFound
    );
    let waiting = list(&stack, pb::AnnouncementState::Scheduled).await;
    assert_eq!(waiting.len(), 2);
    let first = &waiting[1];
    assert_eq!(first.id, created.id);
    assert_eq!(
        (first.version, first.to_all, first.reached),
        (1, true, None)
    );
    assert_eq!(first.made_by, by.staff.unwrap().id.to_string());
    assert_eq!(first.title, texts(&[("en", "Later")]));
    assert_eq!(first.published_at, None);

    stack.clock.advance(HOUR);
    all_is_published(&stack).await;
    eventually("everybody is counted", || async {
        stack
            .count("SELECT count(*) FROM publications WHERE reached IS NULL")
            .await
            == 0
    })
    .await;
    assert_eq!(stack.unread(&alice).await, 3);
    assert_eq!(stack.mark_one(&alice, &created.id).await.unwrap(), 2);
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 2);
    assert_eq!(stack.count("SELECT count(*) FROM notifications").await, 1);
    let published = list(&stack, pb::AnnouncementState::Published).await;
    let reached: Vec<_> = published
        .iter()
        .map(|one| (one.title["en"].as_str(), one.recipients, one.reached))
        .collect();
    assert_eq!(
        reached,
        [
            ("Now", 0, Some(321)),
            ("Yours, later", 1, Some(1)),
            ("Later", 0, Some(321)),
        ]
    );
    assert!(published.iter().all(|one| one.published_at.is_some()));
    let told = probe.wait_for(ANNOUNCEMENT_PUBLISHED, 2).await;
    assert_eq!(told.len(), 2);
}

#[tokio::test]
async fn a_crash_in_the_middle_leaves_it_for_the_next() {
    let mut stack = Notification::spawn().await;
    let alice = user();
    stack
        .create(&support(), in_an_hour(To::All(true), "Later"))
        .await
        .unwrap();
    // The transaction fails at its very end, as if the process died before the commit.
    let pool = stack.db.pool();
    for statement in [
        "CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'crash'; END $$",
        "CREATE CONSTRAINT TRIGGER crash AFTER UPDATE ON publications DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION crash()",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    stack.clock.advance(HOUR);
    eventually("it was tried", || async {
        stack
            .count("SELECT coalesce(sum(xact_rollback), 0)::bigint FROM pg_stat_database WHERE datname = current_database()")
            .await
            > 0
    })
    .await;
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 0);
    assert_eq!(stack.unread(&alice).await, 0);
    sqlx::query("DROP TRIGGER crash ON publications")
        .execute(&pool)
        .await
        .unwrap();
    stack.restart().await;
    all_is_published(&stack).await;
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 1);
    assert_eq!(stack.unread(&alice).await, 1);
}

#[tokio::test]
async fn what_is_withdrawn_is_never_published() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[STAFF_ACTED]).await;
    let by = support();
    let first = stack
        .create(&by, in_an_hour(To::All(true), "Wrong"))
        .await
        .unwrap();
    let second = stack
        .create(&by, in_an_hour(To::All(true), "Right"))
        .await
        .unwrap();
    assert_eq!(
        why(withdraw(&stack, &by, &first.id, 2).await),
        (Reason::ChangedMeanwhile, Some("version".to_owned()))
    );
    let keyed = with_key(&by, "withdraw");
    let withdrawn = withdraw(&stack, &keyed, &first.id, 1).await.unwrap();
    assert_eq!(withdrawn.state(), pb::AnnouncementState::Withdrawn);
    assert_eq!(withdrawn.withdrawal_reason, "The date was wrong.");
    assert_eq!(withdrawn.version, 2);
    assert_eq!(
        withdraw(&stack, &keyed, &first.id, 1).await.unwrap(),
        withdrawn
    );
    assert_eq!(
        why(withdraw(&stack, &by, &first.id, 0).await).0,
        Reason::NothingChanged
    );
    stack.clock.advance(HOUR);
    all_is_published(&stack).await;
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 1);
    assert_eq!(
        why(withdraw(&stack, &by, &second.id, 0).await).0,
        Reason::NothingChanged
    );
    let acted = probe.wait_for(STAFF_ACTED, 3).await;
    let entry = Acted::of(&acted[2].data);
    assert_eq!(entry.action, "notification.announcement_withdraw");
    assert_eq!(entry.target, first.id);
    assert_eq!(acted[2].data["reason"], "The date was wrong.");
}

#[tokio::test]
async fn of_two_editors_the_second_is_told() {
    let stack = Notification::spawn().await;
    let (alice, by, other) = (user(), support(), support());
    let created = stack
        .create(&by, in_an_hour(To::All(true), "Draft"))
        .await
        .unwrap();
    let change = |title: &str, version| pb::EditAnnouncementRequest {
        id: created.id.clone(),
        version,
        title: texts(&[("en", title)]),
        ..pb::EditAnnouncementRequest::default()
    };
    let edited = edit(&stack, &by, change("Better", 1)).await.unwrap();
    assert_eq!(edited.version, 2);
    assert_eq!(edited.content, texts(&[("en", "More about it.")]));
    assert_eq!(edited.changed_by, by.staff.unwrap().id.to_string());
    assert_eq!(
        why(edit(&stack, &other, change("Mine", 1)).await),
        (Reason::ChangedMeanwhile, Some("version".to_owned()))
    );
    let nothing = pb::EditAnnouncementRequest {
        title: texts(&[]),
        ..change("", 2)
    };
    assert_eq!(
        why(edit(&stack, &by, nothing).await).0,
        Reason::NothingChanged
    );
    // Of many at once one is made.
    let at_once = (0..5).map(|number| {
        let request = change(&format!("At once {number}"), 2);
        let (stack, other) = (&stack, &other);
        async move { edit(stack, other, request).await.is_ok() }
    });
    let made = join_all(at_once).await;
    assert_eq!(made.iter().filter(|made| **made).count(), 1);

    let everything = pb::EditAnnouncementRequest {
        category: pb::Category::Maintenance.into(),
        to: Some(EditTo::Users(pb::UserIds {
            user_ids: vec![crate::helpers::user_id(&alice)],
        })),
        content: texts(&[("en", "All new.")]),
        publish_at: Some((instant(NOW) + HOUR * 2).into()),
        ..change("Last", 3)
    };
    let edited = edit(&stack, &other, everything).await.unwrap();
    assert_eq!((edited.to_all, edited.recipients), (false, 1));
    stack.clock.advance(HOUR);
    assert_eq!(
        list(&stack, pb::AnnouncementState::Scheduled).await.len(),
        1
    );
    stack.clock.advance(HOUR);
    all_is_published(&stack).await;
    assert_eq!(stack.count("SELECT count(*) FROM announcements").await, 0);
    let notice = stack.list(&alice).await.items.remove(0);
    assert_eq!(
        (notice.title.as_str(), notice.content.as_str()),
        ("Last", "All new.")
    );
    assert_eq!(notice.category(), pb::Category::Maintenance);
    assert_eq!(
        why(edit(&stack, &by, change("Too late", 4)).await).0,
        Reason::NothingChanged
    );
}

#[tokio::test]
async fn what_is_out_of_form_schedules_nothing() {
    let stack = Notification::spawn().await;
    let by = support();
    for at in [
        instant(NOW),
        instant(NOW) - HOUR,
        instant(NOW) + HOUR * 24 * 367,
    ] {
        let request = pb::CreateNotificationRequest {
            publish_at: Some(at.into()),
            ..notification(NEWS, To::All(true), "When?")
        };
        assert_eq!(
            why(stack.create(&by, request).await),
            (Reason::Validation, Some("publish_at".to_owned()))
        );
    }
    let created = stack
        .create(&by, in_an_hour(To::All(true), "Fine"))
        .await
        .unwrap();
    let base = pb::EditAnnouncementRequest {
        id: created.id.clone(),
        version: 1,
        ..pb::EditAnnouncementRequest::default()
    };
    for (request, field) in [
        (
            pb::EditAnnouncementRequest {
                version: 0,
                ..base.clone()
            },
            "version",
        ),
        (
            pb::EditAnnouncementRequest {
                title: texts(&[("de", "Ohne Englisch")]),
                ..base.clone()
            },
            "title.en",
        ),
        (
            pb::EditAnnouncementRequest {
                to: Some(EditTo::All(false)),
                ..base.clone()
            },
            "to",
        ),
        (
            pb::EditAnnouncementRequest {
                publish_at: Some(instant(NOW).into()),
                ..base.clone()
            },
            "publish_at",
        ),
    ] {
        assert_eq!(
            why(edit(&stack, &by, request).await),
            (Reason::Validation, Some(field.to_owned()))
        );
    }
    let unknown = pb::EditAnnouncementRequest {
        id: uuid::Uuid::now_v7().to_string(),
        ..base
    };
    assert_eq!(
        why(edit(&stack, &by, unknown).await),
        (Reason::NotFound, Some("id".to_owned()))
    );
    assert_eq!(list(&stack, ANY).await[0].version, 1);
}

#[tokio::test]
async fn an_announcement_names_its_recipients() {
    let stack = Notification::spawn().await;
    let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
    let ids = |users: &[Uuid]| users.iter().map(Uuid::to_string).collect::<Vec<_>>();
    let to = To::Users(pb::UserIds {
        user_ids: ids(&[other, one]),
    });
    let by = support();
    let created = stack.create(&by, in_an_hour(to, "Two")).await.unwrap();
    let found = get(&stack, &by, &created.id).await.unwrap();
    assert_eq!(found.user_ids, ids(&[one, other]));
    assert_eq!(found.announcement.unwrap().recipients, 2);

    let to = EditTo::Users(pb::UserIds {
        user_ids: ids(&[other]),
    });
    let request = pb::EditAnnouncementRequest {
        id: created.id.clone(),
        version: 1,
        to: Some(to),
        ..pb::EditAnnouncementRequest::default()
    };
    edit(&stack, &by, request).await.unwrap();
    let found = get(&stack, &by, &created.id).await.unwrap();
    assert_eq!(found.user_ids, ids(&[other]));
    assert_eq!(found.announcement.unwrap().version, 2);

    let to_all = stack.create(&by, in_an_hour(To::All(true), "All")).await;
    let found = get(&stack, &by, &to_all.unwrap().id).await.unwrap();
    assert!(found.user_ids.is_empty());
    let unknown = Uuid::now_v7().to_string();
    assert_eq!(
        get(&stack, &by, &unknown).await.unwrap_err().reason,
        Reason::NotFound
    );
}

#[tokio::test]
async fn support_schedules_and_nobody_else() {
    let stack = Notification::spawn().await;
    let created = stack
        .create(&support(), in_an_hour(To::All(true), "Later"))
        .await
        .unwrap();
    for caller in [
        staff(StaffRole::Operator),
        staff(StaffRole::Finance),
        user(),
    ] {
        let listed = stack
            .staff()
            .list_announcements(call(&caller, pb::ListAnnouncementsRequest::default()))
            .await;
        assert!(listed.is_err());
        assert!(get(&stack, &caller, &created.id).await.is_err());
        let counted = stack
            .staff()
            .get_audience(call(&caller, pb::GetAudienceRequest {}))
            .await;
        assert!(counted.is_err());
        assert!(withdraw(&stack, &caller, &created.id, 0).await.is_err());
    }
    assert_eq!(
        list(&stack, pb::AnnouncementState::Scheduled).await.len(),
        1
    );
}

#[tokio::test]
async fn the_audience_is_counted_before_and_without_auth_afterwards() {
    let stack = Notification::spawn().await;
    let by = support();
    stack.directory.active(7);
    let audience = async || {
        let request = call(&by, pb::GetAudienceRequest {});
        stack.staff().get_audience(request).await
    };
    let answer = audience().await.unwrap().into_inner();
    assert_eq!((answer.users, answer.more), (7, false));
    stack.directory.die(true);
    assert_eq!(
        why(audience().await.map_err(refused)).0,
        Reason::Unavailable
    );
    // It goes out all the same.
    stack.announce(NEWS, "Now").await;
    assert_eq!(list(&stack, ANY).await[0].reached, None);
    stack.directory.die(false);
    eventually("it is counted", || async {
        list(&stack, ANY).await[0].reached == Some(7)
    })
    .await;
}

#[tokio::test]
async fn pages_are_newest_first_and_lack_nothing_that_the_release_before_announced() {
    let stack = Notification::spawn().await;
    for number in 1..=3 {
        stack.announce(NEWS, &format!("{number}")).await;
    }
    // A replica of the release before knows no publications.
    let id = uuid::Uuid::now_v7();
    let pool = stack.db.pool();
    let text = r#"{"en": "Old"}"#;
    sqlx::query("INSERT INTO messages (id, title, content) VALUES ($1, $2::jsonb, $2::jsonb)")
        .bind(id)
        .bind(text)
        .execute(&pool)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO announcements (number, id, category, category_number, published_at)
         VALUES (4, $1, 'announcement', 4, now())",
    )
    .bind(id)
    .execute(&pool)
    .await
    .unwrap();
    let mut titles = Vec::new();
    let mut cursor = String::new();
    loop {
        let request = pb::ListAnnouncementsRequest {
            state: ANY.into(),
            page: Some(PageRequest { cursor, limit: 3 }),
        };
        let page = stack
            .staff()
            .list_announcements(call(&support(), request))
            .await
            .unwrap()
            .into_inner();
        titles.extend(page.items.iter().map(|item| item.title["en"].clone()));
        if page.next_cursor.is_empty() {
            break;
        }
        cursor = page.next_cursor;
    }
    assert_eq!(titles, ["Old", "3", "2", "1"]);
}

#[tokio::test]
async fn support_sees_the_inbox_of_a_user_and_that_is_kept() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[STAFF_ACTED]).await;
    let (alice, by) = (user(), support());
    stack.deposits(&alice, 2).await;
    let ask = async |caller: &Caller, user_id: String| {
        let request = pb::AdminListNotificationsRequest {
            user_id,
            page: Some(PageRequest {
                cursor: String::new(),
                limit: 1,
            }),
            ..pb::AdminListNotificationsRequest::default()
        };
        let answer = stack
            .staff()
            .admin_list_notifications(call(caller, request))
            .await;
        answer.map(tonic::Response::into_inner).map_err(refused)
    };
    let page = ask(&by, crate::helpers::user_id(&alice)).await.unwrap();
    assert_eq!(page.items, stack.list(&alice).await.items[..1]);
    assert!(!page.next_cursor.is_empty());
    assert_eq!(page.unread_total, 2);
    let acted = probe.wait_for(STAFF_ACTED, 1).await;
    let entry = Acted::of(&acted[0].data);
    assert_eq!(entry.action, "notification.read_notices");
    assert_eq!(entry.user, crate::helpers::user_id(&alice));
    let nobody = user();
    stack.directory.nobody(&crate::helpers::user_id(&nobody));
    assert_eq!(
        why(ask(&by, crate::helpers::user_id(&nobody)).await),
        (Reason::NotFound, Some("user_id".to_owned()))
    );
    for role in [StaffRole::Finance, StaffRole::Operator] {
        let outcome = ask(&staff(role), crate::helpers::user_id(&alice)).await;
        assert_eq!(why(outcome).0, Reason::Forbidden);
    }
}
