//! Feedback: handed in by users, read and answered by staff.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::notification::v1 as pb;
use futures::future::join_all;
use serde_json::json;
use uuid::Uuid;

use crate::helpers::{
    Acted, INBOX_CHANGED, Notification, STAFF_ACTED, call, in_lang, refused, staff, user, user_id,
    why, with_key,
};

fn draft(topic: &str, content: &str) -> pb::SubmitFeedbackRequest {
    pb::SubmitFeedbackRequest {
        topic: topic.to_owned(),
        content: content.to_owned(),
        image_file_ids: vec![],
    }
}

async fn submit(
    stack: &Notification,
    caller: &Caller,
    request: pb::SubmitFeedbackRequest,
) -> Result<String, Refusal> {
    let answer = stack.users().submit_feedback(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().id)
}

async fn list(
    stack: &Notification,
    caller: &Caller,
    state: pb::FeedbackState,
    cursor: &str,
    limit: u32,
) -> Result<pb::ListFeedbackResponse, Refusal> {
    let request = pb::ListFeedbackRequest {
        state: state.into(),
        page: Some(PageRequest {
            cursor: cursor.to_owned(),
            limit,
        }),
    };
    let answer = stack.staff().list_feedback(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner())
}

async fn close(
    stack: &Notification,
    caller: &Caller,
    id: &str,
    reply: &str,
) -> Result<pb::Feedback, Refusal> {
    let request = pb::CloseFeedbackRequest {
        feedback_id: id.to_owned(),
        reply: reply.to_owned(),
    };
    let answer = stack.staff().close_feedback(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().feedback.unwrap())
}

#[tokio::test]
async fn a_reply_reaches_the_user_and_quotes_the_topic() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&["adfolio.notification.v1.*"]).await;
    let (alice, support) = (user(), staff(StaffRole::Support));
    let request = pb::SubmitFeedbackRequest {
        image_file_ids: vec!["abc".to_owned(); 9],
        ..draft(" Charts {reply} ", "They\r\nflicker.")
    };
    let id = submit(&stack, &alice, request).await.unwrap();
    let kept = list(&stack, &support, pb::FeedbackState::Open, "", 10)
        .await
        .unwrap()
        .items;
    let expected = pb::Feedback {
        id: id.clone(),
        user_id: user_id(&alice),
        topic: "Charts {reply}".to_owned(),
        content: "They\nflicker.".to_owned(),
        image_file_ids: vec!["abc".to_owned(); 9],
        state: pb::FeedbackState::Open.into(),
        reply: String::new(),
        time: kept[0].time,
        closed_at: None,
        closed_by: String::new(),
    };
    assert_eq!(kept, std::slice::from_ref(&expected));

    let closed = close(&stack, &support, &id, " Fixed. ").await.unwrap();
    assert_eq!(
        closed,
        pb::Feedback {
            state: pb::FeedbackState::Closed.into(),
            reply: "Fixed.".to_owned(),
            closed_at: closed.closed_at,
            closed_by: support.staff.unwrap().id.to_string(),
            ..expected
        }
    );
    assert!(closed.closed_at.is_some());
    let notice = stack.list(&alice).await.items.remove(0);
    assert_eq!(notice.category(), pb::Category::Activity);
    assert_eq!(notice.title, "Reply to your feedback");
    assert_eq!(notice.content, "About “Charts {reply}”: Fixed.");
    let german = stack.list(&in_lang(&alice, "de")).await.items.remove(0);
    assert!(german.content.contains("Charts {reply}") && german.content.ends_with("Fixed."));
    assert_ne!(german.content, notice.content);

    assert_eq!(probe.wait_for(INBOX_CHANGED, 1).await.len(), 1);
    let acted = probe.wait_for(STAFF_ACTED, 1).await;
    let entry = Acted::of(&acted[0].data);
    assert_eq!(entry.action, "notification.feedback_close");
    assert_eq!(entry.target, id);
    assert_eq!(entry.user, user_id(&alice));
    assert_eq!(entry.before["state"], "open");
    assert_eq!(entry.after, json!({"state": "closed", "reply": "Fixed."}));
}

#[tokio::test]
async fn of_many_who_close_it_one_does() {
    let stack = Notification::spawn().await;
    let (alice, support) = (user(), staff(StaffRole::Support));
    let id = submit(&stack, &alice, draft("Topic", "Content"))
        .await
        .unwrap();
    let outcomes = join_all((0..50).map(|_| close(&stack, &support, &id, "Thank you."))).await;
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1);
    for outcome in outcomes {
        if let Err(refusal) = outcome {
            assert_eq!(refusal.reason, Reason::NothingChanged);
        }
    }
    assert_eq!(stack.unread(&alice).await, 1);
    // Whoever asks again with the same key is answered the same.
    let keyed = with_key(&support, "close");
    let other = submit(&stack, &alice, draft("Topic", "Content"))
        .await
        .unwrap();
    let first = close(&stack, &keyed, &other, "").await.unwrap();
    assert_eq!(close(&stack, &keyed, &other, "").await.unwrap(), first);
    // Without a reply nobody is told.
    let quiet = submit(&stack, &alice, draft("Topic", "Content"))
        .await
        .unwrap();
    assert_eq!(
        close(&stack, &support, &quiet, " ").await.unwrap().reply,
        ""
    );
    assert_eq!(stack.unread(&alice).await, 1);
    for unknown in [Uuid::now_v7().to_string(), "nonsense".to_owned()] {
        assert_eq!(
            why(close(&stack, &support, &unknown, "").await),
            (Reason::NotFound, Some("id".to_owned()))
        );
    }
}

#[tokio::test]
async fn what_is_out_of_form_is_named_and_keeps_nothing() {
    let stack = Notification::spawn().await;
    let (alice, support) = (user(), staff(StaffRole::Support));
    let with = |images: Vec<String>| pb::SubmitFeedbackRequest {
        image_file_ids: images,
        ..draft("Topic", "Content")
    };
    for (request, field) in [
        (draft("", "Content"), "topic"),
        (draft("  ", "Content"), "topic"),
        (draft(&"x".repeat(201), "Content"), "topic"),
        (draft("a\nb", "Content"), "topic"),
        (draft("Topic", ""), "content"),
        (draft("Topic", &"x".repeat(5_001)), "content"),
        (draft("Topic", "a\u{0}b"), "content"),
        (with(vec!["abc".to_owned(); 10]), "images"),
        (with(vec![String::new()]), "images"),
    ] {
        let outcome = submit(&stack, &alice, request).await;
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
    assert_eq!(stack.count("SELECT count(*) FROM feedback").await, 0);
    let longest = draft(&"ж".repeat(200), &"ж".repeat(5_000));
    let id = submit(&stack, &alice, longest).await.unwrap();
    let outcome = close(&stack, &support, &id, &"x".repeat(2_001)).await;
    assert_eq!(why(outcome), (Reason::Validation, Some("reply".to_owned())));
    for caller in [Caller::system(), support.clone()] {
        let outcome = submit(&stack, &caller, draft("Topic", "Content")).await;
        assert_eq!(why(outcome).0, Reason::NotAuthenticated);
    }
    for role in [StaffRole::Finance, StaffRole::Operator] {
        let listed = list(&stack, &staff(role), pb::FeedbackState::Unspecified, "", 1).await;
        assert_eq!(why(listed).0, Reason::Forbidden);
        let closed = close(&stack, &staff(role), &id, "").await;
        assert_eq!(why(closed).0, Reason::Forbidden);
    }
}

#[tokio::test]
async fn a_key_keeps_one() {
    let stack = Notification::spawn().await;
    let alice = with_key(&user(), "the-key");
    let calls = (0..50).map(|_| submit(&stack, &alice, draft("Topic", "Content")));
    let ids: Vec<String> = join_all(calls)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
    let other = submit(&stack, &alice, draft("Other", "Content")).await;
    assert_eq!(why(other).0, Reason::IdempotencyKeyReused);
    assert_eq!(stack.count("SELECT count(*) FROM feedback").await, 1);
}

#[tokio::test]
async fn pages_are_newest_first_by_state() {
    let stack = Notification::spawn().await;
    let support = staff(StaffRole::Support);
    let mut ids = Vec::new();
    for number in 0..7 {
        let topic = format!("Topic {number}");
        ids.push(
            submit(&stack, &user(), draft(&topic, "Content"))
                .await
                .unwrap(),
        );
    }
    for id in ids.iter().step_by(2) {
        close(&stack, &support, id, "").await.unwrap();
    }
    ids.reverse();
    for (state, expected) in [
        (pb::FeedbackState::Unspecified, ids.clone()),
        (
            pb::FeedbackState::Closed,
            ids.iter().step_by(2).cloned().collect(),
        ),
        (
            pb::FeedbackState::Open,
            ids.iter().skip(1).step_by(2).cloned().collect(),
        ),
    ] {
        let (mut listed, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = list(&stack, &support, state, &cursor, 2).await.unwrap();
            listed.extend(page.items.into_iter().map(|item| item.id));
            cursor = page.next_cursor;
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(listed, expected, "{state:?}");
    }
    let first = list(&stack, &support, pb::FeedbackState::Open, "", 1)
        .await
        .unwrap();
    let foreign = list(
        &stack,
        &support,
        pb::FeedbackState::Closed,
        &first.next_cursor,
        1,
    )
    .await;
    assert_eq!(
        why(foreign),
        (Reason::Validation, Some("cursor".to_owned()))
    );
}
