//! What staff edit: replaced as a whole, read by everybody.

use std::collections::HashMap;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{
    Acted, Notification, STAFF_ACTED, call, in_lang, refused, staff, texts, user, why, with_key,
};

pub fn entry(url: &str, labels: &[(&str, &str)]) -> pb::ServiceEntryContent {
    let label: HashMap<String, String> = labels
        .iter()
        .map(|(code, label)| ((*code).to_owned(), (*label).to_owned()))
        .collect();
    pb::ServiceEntryContent {
        id: String::new(),
        r#type: 1,
        url: url.to_owned(),
        label,
        ..pb::ServiceEntryContent::default()
    }
}

/// The least that is a content: rules.
pub fn rules() -> pb::Content {
    pb::Content {
        operating_rules: texts(&[("en", "Be fair.")]),
        activity_rules: texts(&[("en", "One each.")]),
        ..pb::Content::default()
    }
}

fn only(entry: pb::ServiceEntryContent) -> pb::Content {
    pb::Content {
        customer_service: vec![entry],
        ..rules()
    }
}

pub async fn get(stack: &Notification, caller: &Caller) -> pb::Content {
    let answer = stack
        .staff()
        .get_content(call(caller, pb::GetContentRequest {}))
        .await;
    answer.unwrap().into_inner().content.unwrap()
}

pub async fn public(stack: &Notification, lang: &str) -> pb::GetPublicContentResponse {
    let nobody = in_lang(&Caller::system(), lang);
    let answer = stack
        .users()
        .get_public_content(call(&nobody, pb::GetPublicContentRequest {}))
        .await;
    answer.unwrap().into_inner()
}

#[tokio::test]
async fn entries_are_replaced_as_a_whole_and_read_in_the_callers_language() {
    let stack = Notification::spawn().await;
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
        ..rules()
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
    let stack = Notification::spawn().await;
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
            only(entry("https://help.example/?who={name}", &[("en", "Help")])),
            "customer_service[0].url",
        ),
        (
            only(pb::ServiceEntryContent {
                hours: texts(&[("de", "Immer")]),
                ..good()
            }),
            "customer_service[0].hours.en",
        ),
        (
            only(pb::ServiceEntryContent {
                answer_time: texts(&[("en", &"x".repeat(121))]),
                ..good()
            }),
            "customer_service[0].answer_time.en",
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
                ..rules()
            },
            "recharge_customer_service[1].id",
        ),
        (
            pb::Content {
                recharge_customer_service: vec![good(); 21],
                ..rules()
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
    let stack = Notification::spawn().await;
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
    let stack = Notification::spawn().await;
    let admin = staff(StaffRole::Admin);
    let contents = (1..=10).map(|size| pb::Content {
        customer_service: vec![
            entry(&format!("https://help.example/{size}"), &[("en", "Help")]);
            size
        ],
        ..rules()
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

const LANGUAGES: [&str; 12] = [
    "cht", "de", "en", "fr", "jp", "kor", "pt", "ru", "spa", "th", "vi", "zh",
];

#[tokio::test]
async fn built_in_texts_answer_until_staff_write_their_own() {
    let stack = Notification::spawn().await;
    let english = public(&stack, "en").await;
    assert_eq!(english.faq.len(), 5);
    assert!(
        english.faq[0]
            .content
            .contains("30-50 conversions within 7 days")
    );
    assert!(english.activity_rules.contains("no minimum investment"));
    assert!(english.operating_rules.starts_with("1. "));
    assert_eq!(english.marketing_headline, "");
    assert!(english.customer_service.is_empty());
    for lang in LANGUAGES.iter().filter(|lang| **lang != "en") {
        let read = public(&stack, lang).await;
        assert_eq!(read.faq.len(), 5);
        for (faq, english) in read.faq.iter().zip(&english.faq) {
            assert_eq!(faq.id, english.id);
            assert_ne!(
                (&faq.title, &faq.content),
                (&english.title, &english.content)
            );
        }
        assert_ne!(read.operating_rules, english.operating_rules, "{lang}");
        assert_ne!(read.activity_rules, english.activity_rules, "{lang}");
    }

    let operator = staff(StaffRole::Operator);
    let untouched = get(&stack, &operator).await;
    let mut content = untouched.clone();
    assert_eq!(content.operating_rules.len(), LANGUAGES.len());
    content.operating_rules = texts(&[("en", "Be fair."), ("zh", "公平。")]);
    content.faq.truncate(1);
    content.faq.push(pb::FaqContent {
        id: String::new(),
        title: texts(&[("en", "Who are you?"), ("de", "Wer sind Sie?")]),
        content: texts(&[("en", "An\nad network.")]),
    });
    content.marketing_headline =
        texts(&[("en", "Ads, counted."), ("fr", "La publicité, comptée.")]);
    let set = stack.set_content(&operator, content.clone()).await.unwrap();
    assert_eq!(get(&stack, &operator).await, set);
    content.faq[1].id.clone_from(&set.faq[1].id);
    assert_eq!(set, content);
    let cht = public(&stack, "cht").await;
    assert_eq!(cht.operating_rules, "公平。");
    assert_eq!(cht.marketing_headline, "Ads, counted.");
    assert_eq!(
        cht.activity_rules,
        public(&stack, "cht").await.activity_rules
    );
    let german = public(&stack, "de").await;
    assert_eq!(german.faq[1].title, "Wer sind Sie?");
    assert_eq!(german.faq[1].content, "An\nad network.");
    assert_ne!(german.faq[0].title, english.faq[0].title);
    // What was not touched is not kept, so a better built-in text will be read.
    assert_eq!(stack.count("SELECT count(*) FROM content_parts").await, 3);

    // Who puts the built-in texts back has none of their own again.
    stack.set_content(&operator, untouched).await.unwrap();
    assert_eq!(public(&stack, "en").await, english);
    assert_eq!(stack.count("SELECT count(*) FROM content_parts").await, 0);
}

#[tokio::test]
async fn every_text_is_checked() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let question = |title: &[(&str, &str)], content: &[(&str, &str)]| pb::FaqContent {
        id: String::new(),
        title: texts(title),
        content: texts(content),
    };
    let good = || question(&[("en", "Why?")], &[("en", "So.")]);
    let asking = |faq: Vec<pb::FaqContent>| pb::Content { faq, ..rules() };
    let id = Uuid::now_v7().to_string();
    let same = || pb::FaqContent {
        id: id.clone(),
        ..good()
    };
    let long = |length| "x".repeat(length);
    let wrong = [
        (asking(vec![good(); 51]), "faq"),
        (
            asking(vec![question(&[("de", "Warum?")], &[("en", "So.")])]),
            "faq[0].title.en",
        ),
        (
            asking(vec![good(), question(&[("en", "Why?")], &[])]),
            "faq[1].content.en",
        ),
        (
            asking(vec![question(&[("en", &long(201))], &[("en", "So.")])]),
            "faq[0].title.en",
        ),
        (
            asking(vec![question(&[("en", "Why?")], &[("en", &long(5_001))])]),
            "faq[0].content.en",
        ),
        (asking(vec![same(), same()]), "faq[1].id"),
        (
            asking(vec![pb::FaqContent {
                id: "1".to_owned(),
                ..good()
            }]),
            "faq[0].id",
        ),
        (pb::Content::default(), "operating_rules.en"),
        (
            pb::Content {
                operating_rules: texts(&[("de", "Regeln")]),
                ..rules()
            },
            "operating_rules.en",
        ),
        (
            pb::Content {
                activity_rules: texts(&[("en", "Rules"), ("xx", "?")]),
                ..rules()
            },
            "activity_rules.xx",
        ),
        (
            pb::Content {
                activity_rules: texts(&[("en", &long(20_001))]),
                ..rules()
            },
            "activity_rules.en",
        ),
        (
            pb::Content {
                marketing_headline: texts(&[("de", "Ja")]),
                ..rules()
            },
            "marketing.headline.en",
        ),
        (
            pb::Content {
                marketing_headline: texts(&[("en", &long(201))]),
                ..rules()
            },
            "marketing.headline.en",
        ),
    ];
    for (content, field) in wrong {
        let outcome = stack.set_content(&operator, content).await;
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
    assert_eq!(stack.count("SELECT count(*) FROM content_parts").await, 0);
}

#[tokio::test]
async fn a_change_is_audited_with_what_was_and_what_is() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[STAFF_ACTED]).await;
    let operator = staff(StaffRole::Operator);
    let mut content = get(&stack, &operator).await;
    content.marketing_headline = texts(&[("en", "One")]);
    stack.set_content(&operator, content.clone()).await.unwrap();
    // The same again changes nothing.
    stack.set_content(&operator, content.clone()).await.unwrap();
    content.marketing_headline = texts(&[("en", "Two")]);
    content.operating_rules = texts(&[("en", &"x".repeat(20_000))]);
    stack.set_content(&operator, content).await.unwrap();
    let acted = probe.wait_for(STAFF_ACTED, 2).await;
    assert_eq!(acted.len(), 2);
    let entry = Acted::of(&acted[1].data);
    assert_eq!(entry.action, "notification.content_set");
    assert_eq!(entry.target, "content");
    assert_eq!(entry.before["marketing_headline"]["en"], "One");
    assert_eq!(entry.after["marketing_headline"]["en"], "Two");
    assert_eq!(entry.after["operating_rules"]["bytes"], 20_009);
    assert_eq!(entry.after.as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn a_late_repeat_takes_nothing_back() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let keyed = with_key(&operator, "the-key");
    let titled = |text: &str| pb::Content {
        marketing_headline: texts(&[("en", text), ("de", "Ja"), ("fr", "Oui"), ("ru", "Да")]),
        ..rules()
    };
    let first = stack.set_content(&keyed, titled("One")).await.unwrap();
    stack.set_content(&operator, titled("Two")).await.unwrap();
    assert_eq!(
        stack.set_content(&keyed, titled("One")).await.unwrap(),
        first
    );
    assert_eq!(public(&stack, "en").await.marketing_headline, "Two");
    let reused = stack.set_content(&keyed, titled("Three")).await;
    assert_eq!(why(reused).0, Reason::IdempotencyKeyReused);
}

#[tokio::test]
async fn parts_that_are_not_named_stay_as_they_are() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let before = stack
        .set_content(
            &operator,
            only(entry("https://help.example/chat", &[("en", "Chat")])),
        )
        .await
        .unwrap();
    let sent = pb::Content {
        operating_rules: texts(&[("en", "Be kind.")]),
        ..pb::Content::default()
    };
    let after = stack
        .set_parts(&operator, sent.clone(), &["operating_rules"])
        .await
        .unwrap();
    let expected = pb::Content {
        operating_rules: sent.operating_rules.clone(),
        ..before.clone()
    };
    assert_eq!(after, expected);
    let unknown = stack.set_parts(&operator, sent, &["colour"]).await;
    assert_eq!(why(unknown), (Reason::Validation, Some("parts".to_owned())));
    // An entry of the list that stays cannot be in the other one, too.
    let moved = pb::Content {
        recharge_customer_service: before.customer_service,
        ..pb::Content::default()
    };
    let moved = stack
        .set_parts(&operator, moved, &["recharge_customer_service"])
        .await;
    assert_eq!(
        why(moved),
        (
            Reason::Validation,
            Some("recharge_customer_service".to_owned())
        )
    );
    assert_eq!(get(&stack, &operator).await, expected);
}
