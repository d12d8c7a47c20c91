//! The customer-service entries: staff replace them, everybody reads them.

use std::collections::HashMap;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Stack, call, in_lang, refused, staff, user, why};

fn entry(url: &str, labels: &[(&str, &str)]) -> pb::ServiceEntryContent {
    let label: HashMap<String, String> = labels
        .iter()
        .map(|(code, label)| ((*code).to_owned(), (*label).to_owned()))
        .collect();
    pb::ServiceEntryContent {
        id: String::new(),
        r#type: 1,
        url: url.to_owned(),
        label,
    }
}

fn only(entry: pb::ServiceEntryContent) -> pb::Content {
    pb::Content {
        customer_service: vec![entry],
        recharge_customer_service: vec![],
    }
}

#[tokio::test]
async fn entries_are_replaced_as_a_whole_and_read_in_the_callers_language() {
    let stack = Stack::start().await;
    let operator = staff(StaffRole::Operator);
    let first = pb::Content {
        customer_service: vec![
            entry(
                "https://help.example/chat",
                &[("en", "Chat"), ("de", "Unterhaltung")],
            ),
            pb::ServiceEntryContent {
                r#type: 2,
                ..entry("https://t.example/adfolio", &[("en", "Messenger")])
            },
        ],
        recharge_customer_service: vec![entry(
            "https://help.example/deposit",
            &[("en", "Deposits")],
        )],
    };
    let set = stack.set_content(&operator, first).await.unwrap();
    let mut again = set.clone();
    again.customer_service.swap(0, 1);
    let again = stack.set_content(&operator, again).await.unwrap();
    assert_eq!(
        again.customer_service[1], set.customer_service[0],
        "ids stay"
    );

    let got = stack
        .staff()
        .get_content(call(&staff(StaffRole::Support), pb::GetContentRequest {}))
        .await
        .unwrap();
    assert_eq!(got.into_inner().content.unwrap(), again);
    let nobody = in_lang(&Caller::system(), "de");
    let listed = stack
        .users()
        .list_service_entries(call(&nobody, pb::ListServiceEntriesRequest {}))
        .await
        .unwrap();
    let listed = listed.into_inner();
    let shown: Vec<_> = listed
        .customer_service
        .iter()
        .map(|entry| (entry.r#type, entry.label.as_str(), entry.url.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (2, "Messenger", "https://t.example/adfolio"),
            (1, "Unterhaltung", "https://help.example/chat")
        ]
    );
    assert_eq!(listed.recharge_customer_service[0].label, "Deposits");
}

#[tokio::test]
async fn what_is_out_of_form_is_named_and_changes_nothing() {
    let stack = Stack::start().await;
    let operator = staff(StaffRole::Operator);
    let good = || entry("https://help.example", &[("en", "Help")]);
    let kept = stack.set_content(&operator, only(good())).await.unwrap();
    let id = Uuid::now_v7().to_string();
    let wrong = [
        (
            only(entry("http://help.example", &[("en", "Help")])),
            "customer_service[0].url",
        ),
        (
            only(entry("javascript:alert(1)", &[("en", "Help")])),
            "customer_service[0].url",
        ),
        (
            only(entry("https://help.example", &[("de", "Hilfe")])),
            "customer_service[0].label",
        ),
        (
            only(entry("https://help.example", &[("en", " ")])),
            "customer_service[0].label",
        ),
        (
            only(entry(
                "https://help.example",
                &[("en", "Help"), ("xx", "?")],
            )),
            "customer_service[0].label",
        ),
        (
            only(pb::ServiceEntryContent {
                r#type: -1,
                ..good()
            }),
            "customer_service[0].type",
        ),
        (
            only(pb::ServiceEntryContent {
                id: "1".to_owned(),
                ..good()
            }),
            "customer_service[0].id",
        ),
        (
            pb::Content {
                customer_service: vec![pb::ServiceEntryContent {
                    id: id.clone(),
                    ..good()
                }],
                recharge_customer_service: vec![good(), pb::ServiceEntryContent { id, ..good() }],
            },
            "recharge_customer_service[1].id",
        ),
        (
            pb::Content {
                customer_service: vec![],
                recharge_customer_service: vec![good(); 21],
            },
            "recharge_customer_service",
        ),
    ];
    for (content, field) in wrong {
        let outcome = stack.set_content(&operator, content).await;
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
    let got = stack
        .staff()
        .get_content(call(&operator, pb::GetContentRequest {}))
        .await
        .unwrap();
    assert_eq!(got.into_inner().content.unwrap(), kept);
}

#[tokio::test]
async fn only_operators_replace_and_only_staff_see_the_whole() {
    let stack = Stack::start().await;
    for role in [StaffRole::Support, StaffRole::Finance] {
        assert_eq!(
            why(stack
                .set_content(&staff(role), pb::Content::default())
                .await)
            .0,
            Reason::Forbidden
        );
    }
    for caller in [user(), Caller::system()] {
        assert_eq!(
            why(stack.set_content(&caller, pb::Content::default()).await).0,
            Reason::NotAuthenticated
        );
        let got = stack
            .staff()
            .get_content(call(&caller, pb::GetContentRequest {}))
            .await;
        assert_eq!(refused(got.unwrap_err()).reason, Reason::NotAuthenticated);
    }
}

#[tokio::test]
async fn of_many_replacements_at_once_one_whole_content_stays() {
    let stack = Stack::start().await;
    let admin = staff(StaffRole::Admin);
    let contents = (1..=10).map(|size| pb::Content {
        customer_service: vec![
            entry(&format!("https://help.example/{size}"), &[("en", "Help")]);
            size
        ],
        recharge_customer_service: vec![],
    });
    for outcome in join_all(contents.map(|content| stack.set_content(&admin, content))).await {
        outcome.unwrap();
    }
    let got = stack
        .staff()
        .get_content(call(&admin, pb::GetContentRequest {}))
        .await
        .unwrap();
    let kept = got.into_inner().content.unwrap().customer_service;
    assert!(
        kept.iter()
            .all(|entry| entry.url == format!("https://help.example/{}", kept.len()))
    );
}
