//! Versions of the content: every change stays, nobody overwrites what they have not seen, and each can be had back.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::notification::v1 as pb;
use futures::future::join_all;

use crate::content::{entry, get, public, rules};
use crate::helpers::{
    Acted, Notification, STAFF_ACTED, call, refused, staff, texts, why, with_key,
};

fn operator() -> Caller {
    staff(StaffRole::Operator)
}

async fn set(
    stack: &Notification,
    caller: &Caller,
    content: pb::Content,
    parts: &[&str],
    version: i64,
) -> Result<i64, Refusal> {
    let request = pb::SetContentRequest {
        content: Some(content),
        parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        version,
    };
    let answer = stack.staff().set_content(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner().version)
}

async fn headline(
    stack: &Notification,
    caller: &Caller,
    text: &str,
    version: i64,
) -> Result<i64, Refusal> {
    let content = pb::Content {
        marketing_headline: texts(&[("en", text)]),
        ..pb::Content::default()
    };
    set(stack, caller, content, &["marketing_headline"], version).await
}

async fn versions(
    stack: &Notification,
    cursor: &str,
    limit: u32,
) -> pb::ListContentVersionsResponse {
    let request = pb::ListContentVersionsRequest {
        page: Some(PageRequest {
            cursor: cursor.to_owned(),
            limit,
        }),
    };
    let answer = stack
        .staff()
        .list_content_versions(call(&staff(StaffRole::Support), request))
        .await;
    answer.unwrap().into_inner()
}

async fn at(stack: &Notification, version: i64) -> Result<pb::Content, Refusal> {
    let request = call(&operator(), pb::GetContentVersionRequest { version });
    let answer = stack.staff().get_content_version(request).await;
    Ok(answer.map_err(refused)?.into_inner().content.unwrap())
}

async fn restore(
    stack: &Notification,
    caller: &Caller,
    request: pb::RestoreContentRequest,
) -> Result<pb::RestoreContentResponse, Refusal> {
    let answer = stack.staff().restore_content(call(caller, request)).await;
    Ok(answer.map_err(refused)?.into_inner())
}

fn back_to(version: i64) -> pb::RestoreContentRequest {
    pb::RestoreContentRequest {
        version,
        reason: "It was better before.".to_owned(),
        ..pb::RestoreContentRequest::default()
    }
}

#[tokio::test]
async fn every_change_is_a_version_with_who_when_and_why() {
    let stack = Notification::spawn().await;
    let by = Caller {
        reason: "spring campaign".to_owned(),
        ..operator()
    };
    let built_in = get(&stack, &by).await;
    assert_eq!(headline(&stack, &by, "Spring", 1).await.unwrap(), 2);
    // The same again is no change.
    assert_eq!(headline(&stack, &by, "Spring", 2).await.unwrap(), 2);
    let with_entry = pb::Content {
        customer_service: vec![entry("https://help.example/", &[("en", "Chat")])],
        ..rules()
    };
    let parts = ["customer_service", "operating_rules", "activity_rules"];
    assert_eq!(set(&stack, &by, with_entry, &parts, 2).await.unwrap(), 3);
    let now = get(&stack, &by).await;

    let page = versions(&stack, "", 2).await;
    let seen: Vec<_> = page
        .items
        .iter()
        .map(|one| (one.version, one.parts.join(" ")))
        .collect();
    assert_eq!(
        seen,
        [(3, parts.join(" ")), (2, "marketing_headline".to_owned())]
    );
    assert_eq!(page.items[1].reason, "spring campaign");
    assert_eq!(page.items[1].made_by, by.staff.unwrap().id.to_string());
    let rest = versions(&stack, &page.next_cursor, 2).await;
    assert_eq!(rest.items.len(), 1);
    assert_eq!(
        (rest.items[0].version, rest.items[0].made_by.as_str()),
        (1, "")
    );
    assert_eq!(rest.next_cursor, "");

    assert_eq!(at(&stack, 1).await.unwrap(), built_in);
    let spring = pb::Content {
        marketing_headline: texts(&[("en", "Spring")]),
        ..built_in
    };
    assert_eq!(at(&stack, 2).await.unwrap(), spring);
    assert_eq!(at(&stack, 3).await.unwrap(), now);
    for unknown in [0, -1, 4] {
        assert_eq!(
            why(at(&stack, unknown).await),
            (Reason::NotFound, Some("version".to_owned()))
        );
    }
}

#[tokio::test]
async fn nobody_overwrites_what_they_have_not_seen() {
    let stack = Notification::spawn().await;
    let (ann, bob) = (operator(), operator());
    assert_eq!(headline(&stack, &ann, "Ann's", 1).await.unwrap(), 2);
    assert_eq!(
        why(headline(&stack, &bob, "Bob's", 1).await),
        (Reason::ChangedMeanwhile, Some("version".to_owned()))
    );
    // Another part is nobody's loss.
    let fees = pb::Content {
        fees: texts(&[("en", "None.")]),
        ..pb::Content::default()
    };
    assert_eq!(set(&stack, &bob, fees, &["fees"], 1).await.unwrap(), 3);
    assert_eq!(headline(&stack, &bob, "Bob's", 2).await.unwrap(), 4);
    // Callers that name no version replace whatever stands.
    assert_eq!(headline(&stack, &ann, "Old caller's", 0).await.unwrap(), 5);
    for ahead in [-1, 6] {
        assert_eq!(
            why(headline(&stack, &ann, "Ahead", ahead).await),
            (Reason::Validation, Some("version".to_owned()))
        );
    }
    // Of many at once one is made, and the others are told.
    let at_once = (0..6).map(|number| {
        let (stack, ann) = (&stack, &ann);
        async move { headline(stack, ann, &format!("At once {number}"), 5).await }
    });
    let made = join_all(at_once).await;
    let refusals = made.into_iter().filter_map(Result::err);
    let reasons: Vec<_> = refusals.map(|refusal| refusal.reason).collect();
    assert_eq!(reasons, [Reason::ChangedMeanwhile; 5]);
    assert_eq!(versions(&stack, "", 1).await.items[0].version, 6);

    // A repeat of a keyed call finds its answer although the content has moved on.
    let keyed = with_key(&ann, "once");
    assert_eq!(headline(&stack, &keyed, "Keyed", 6).await.unwrap(), 7);
    assert_eq!(headline(&stack, &keyed, "Keyed", 6).await.unwrap(), 7);
}

#[tokio::test]
async fn an_old_version_becomes_a_new_one() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[STAFF_ACTED]).await;
    let by = operator();
    let content = pb::Content {
        customer_service: vec![entry("https://help.example/", &[("en", "Chat")])],
        marketing_headline: texts(&[("en", "First")]),
        terms: texts(&[("en", "Be kind.")]),
        ..rules()
    };
    set(&stack, &by, content, &[], 0).await.unwrap();
    let first = get(&stack, &by).await;
    set(&stack, &by, rules(), &[], 2).await.unwrap();
    assert_eq!(public(&stack, "en").await.marketing_headline, "");

    // One part alone.
    let request = pb::RestoreContentRequest {
        parts: vec!["marketing_headline".to_owned()],
        current: 3,
        ..back_to(2)
    };
    assert_eq!(
        restore(&stack, &by, request.clone()).await.unwrap().version,
        4
    );
    assert_eq!(public(&stack, "en").await.marketing_headline, "First");
    assert!(public(&stack, "en").await.customer_service.is_empty());
    assert_eq!(
        why(restore(&stack, &by, request).await),
        (Reason::ChangedMeanwhile, Some("current".to_owned()))
    );
    // All of it.
    let keyed = with_key(&by, "back");
    let restored = restore(&stack, &keyed, back_to(2)).await.unwrap();
    assert_eq!(restored.version, 5);
    assert_eq!(restored.content.as_ref(), Some(&first));
    assert_eq!(get(&stack, &by).await, first);
    assert_eq!(restore(&stack, &keyed, back_to(2)).await.unwrap(), restored);
    assert_eq!(
        why(restore(&stack, &by, back_to(2)).await).0,
        Reason::NothingChanged
    );
    let newest = &versions(&stack, "", 1).await.items[0];
    assert_eq!((newest.version, newest.restored), (5, 2));
    assert_eq!(newest.reason, "It was better before.");
    let acted = probe.wait_for(STAFF_ACTED, 4).await;
    assert_eq!(
        Acted::of(&acted[3].data).action,
        "notification.content_restore"
    );
    assert_eq!(acted[3].data["reason"], "It was better before.");

    // What was built in comes back as well.
    let built_in = restore(&stack, &by, back_to(1)).await.unwrap();
    assert!(!built_in.content.unwrap().faq.is_empty());
    assert_eq!(stack.count("SELECT count(*) FROM content_parts").await, 0);
}

#[tokio::test]
async fn what_is_out_of_form_restores_nothing() {
    let stack = Notification::spawn().await;
    let by = operator();
    headline(&stack, &by, "News", 0).await.unwrap();
    let base = back_to(1);
    for (request, reason, field) in [
        (back_to(0), Reason::NotFound, "version"),
        (back_to(3), Reason::NotFound, "version"),
        (
            pb::RestoreContentRequest {
                reason: " ".to_owned(),
                ..base.clone()
            },
            Reason::Validation,
            "reason",
        ),
        (
            pb::RestoreContentRequest {
                parts: vec!["jokes".to_owned()],
                ..base.clone()
            },
            Reason::Validation,
            "parts",
        ),
        (
            pb::RestoreContentRequest {
                current: -1,
                ..base.clone()
            },
            Reason::Validation,
            "current",
        ),
    ] {
        assert_eq!(
            why(restore(&stack, &by, request).await),
            (reason, Some(field.to_owned()))
        );
    }
    for role in [StaffRole::Support, StaffRole::Finance] {
        assert_eq!(
            why(restore(&stack, &staff(role), base.clone()).await).0,
            Reason::Forbidden
        );
    }
    assert_eq!(versions(&stack, "", 10).await.items.len(), 2);
}
