//! Hours of customer service, ways to deposit and legal texts: content that staff edit.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as pb;

use crate::content::{entry, get, public, rules};
use crate::helpers::{Notification, call, in_lang, refused, staff, texts, why};

fn method(name: &[(&str, &str)], min: Option<i64>, max: Option<i64>) -> pb::DepositMethodContent {
    pb::DepositMethodContent {
        id: String::new(),
        name: texts(name),
        min_minor: min,
        max_minor: max,
        fee: texts(&[("en", "No fee")]),
        arrival: texts(&[("en", "Within a day"), ("de", "Binnen eines Tages")]),
    }
}

#[tokio::test]
async fn hours_and_ways_to_deposit_are_read_in_the_callers_language() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let content = pb::Content {
        customer_service: vec![pb::ServiceEntryContent {
            hours: texts(&[("en", "Always"), ("de", "Immer")]),
            answer_time: texts(&[("en", "At once")]),
            ..entry("https://help.example/?who={username}", &[("en", "Chat")])
        }],
        deposit_methods: vec![
            method(
                &[("en", "Bank transfer"), ("de", "Überweisung")],
                Some(1),
                None,
            ),
            method(&[("en", "Card")], None, Some(5_000_000)),
        ],
        ..rules()
    };
    let set = stack.set_content(&operator, content).await.unwrap();
    assert_eq!(get(&stack, &operator).await, set);

    let german = public(&stack, "de").await;
    let shown = &german.customer_service[0];
    assert_eq!(shown.url, "https://help.example/?who={username}");
    assert_eq!(
        (shown.hours.as_str(), shown.answer_time.as_str()),
        ("Immer", "At once")
    );
    let [transfer, card] = german.deposit_methods.as_slice() else {
        panic!("not two methods: {:?}", german.deposit_methods)
    };
    assert_eq!(transfer.name, "Überweisung");
    assert_eq!((transfer.min_minor, transfer.max_minor), (Some(1), None));
    assert_eq!(transfer.arrival, "Binnen eines Tages");
    assert_eq!(
        (card.name.as_str(), card.max_minor),
        ("Card", Some(5_000_000))
    );
    assert_eq!(card.fee, "No fee");

    // Methods keep their ids when their order changes.
    let mut turned = set.clone();
    turned.deposit_methods.swap(0, 1);
    let turned = stack.set_content(&operator, turned).await.unwrap();
    assert_eq!(turned.deposit_methods[0], set.deposit_methods[1]);
}

#[tokio::test]
async fn a_legal_text_is_there_until_it_is_taken_away() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let ask = async |lang: &str, name: i32| {
        let nobody = in_lang(&Caller::system(), lang);
        let message = pb::GetLegalTextRequest { name };
        let answer = stack.users().get_legal_text(call(&nobody, message)).await;
        answer
            .map_err(refused)
            .map(|answer| answer.into_inner().text)
    };
    let terms = pb::LegalText::Terms.into();
    assert_eq!(why(ask("en", terms).await).0, Reason::NotFound);
    assert_eq!(public(&stack, "en").await.legal, Vec::<i32>::new());

    let mut content = rules();
    content.terms = texts(&[("en", "Be fair.\n\nAlways."), ("de", "Seien Sie fair.")]);
    content.fees = texts(&[("en", "None.")]);
    let mut content = stack.set_content(&operator, content).await.unwrap();
    assert_eq!(ask("de", terms).await.unwrap(), "Seien Sie fair.");
    assert_eq!(ask("fr", terms).await.unwrap(), "Be fair.\n\nAlways.");
    let named = [terms, pb::LegalText::Fees.into()];
    assert_eq!(public(&stack, "en").await.legal, named);
    for unknown in [0, 9] {
        let refused = why(ask("en", unknown).await);
        assert_eq!(refused, (Reason::Validation, Some("name".to_owned())));
    }

    content.terms.clear();
    stack.set_content(&operator, content).await.unwrap();
    assert_eq!(why(ask("de", terms).await).0, Reason::NotFound);
    assert_eq!(
        public(&stack, "en").await.legal,
        [pb::LegalText::Fees as i32]
    );
}

#[tokio::test]
async fn ways_to_deposit_and_legal_texts_are_checked() {
    let stack = Notification::spawn().await;
    let operator = staff(StaffRole::Operator);
    let wrong = [
        (
            pb::Content {
                deposit_methods: vec![method(&[("en", "Card")], None, None); 21],
                ..rules()
            },
            "deposit_methods",
        ),
        (
            pb::Content {
                deposit_methods: vec![method(&[("de", "Karte")], None, None)],
                ..rules()
            },
            "deposit_methods[0].name.en",
        ),
        (
            pb::Content {
                deposit_methods: vec![method(&[("en", "Card")], Some(0), None)],
                ..rules()
            },
            "deposit_methods[0].min",
        ),
        (
            pb::Content {
                deposit_methods: vec![method(&[("en", "Card")], Some(200), Some(199))],
                ..rules()
            },
            "deposit_methods[0].max",
        ),
        (
            pb::Content {
                privacy: texts(&[("de", "Nichts.")]),
                ..rules()
            },
            "privacy.en",
        ),
        (
            pb::Content {
                imprint: texts(&[("en", &"x".repeat(20_001))]),
                ..rules()
            },
            "imprint.en",
        ),
    ];
    for (content, field) in wrong {
        let outcome = stack.set_content(&operator, content).await;
        assert_eq!(why(outcome), (Reason::Validation, Some(field.to_owned())));
    }
    assert_eq!(stack.count("SELECT count(*) FROM content_parts").await, 0);
}
