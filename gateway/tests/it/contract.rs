//! The document and the texts are complete.

use std::collections::HashSet;

use adfolio_gateway::errors::envelope_code;
use adfolio_gateway::lang::Lang;
use adfolio_gateway::messages::{catalogue, keys, refusal_text};
use adfolio_gateway::openapi::{document, document_text};
use adfolio_gateway::routes::table;
use adfolio_kit::refusal::{Reason, Refusal, Rule};
use serde_json::Value;

#[test]
fn the_document_in_the_repository_is_fresh() {
    let kept = include_str!("../../openapi.json");
    assert!(
        kept == document_text(),
        "run: cargo run -p adfolio-gateway -- openapi > gateway/openapi.json"
    );
}

#[test]
fn every_route_is_documented_with_reasons_and_examples() {
    let document = document();
    for route in table() {
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][route.path][&method];
        assert_eq!(operation["operationId"], route.operation, "{route:?}");
        assert!(operation["tags"][0].is_string(), "{route:?} has no tag");
        assert!(
            !operation["x-reasons"].as_array().unwrap().is_empty(),
            "{route:?} has no reasons"
        );
        let examples = &operation["responses"]["200"]["content"]["application/json"]["examples"];
        if route.media_type.is_none() {
            assert_eq!(examples["success"]["value"]["code"], 200, "{route:?}");
            assert!(
                !examples["success"]["value"]["data"].is_null(),
                "{route:?} has no example of success"
            );
        }
        for reason in route.all_reasons() {
            let example = examples[reason.as_str()]["$ref"]
                .as_str()
                .unwrap_or_default();
            let example = document.pointer(&format!("{}/value", example.trim_start_matches('#')));
            assert_eq!(
                example.map(|example| &example["data"]["reason"]),
                Some(&Value::from(reason.as_str())),
                "{route:?} has no example of {reason}"
            );
        }
        for status in ["400", "405", "414", "429", "502", "503", "504"] {
            assert!(
                operation["responses"][status].is_object(),
                "{route:?} {status}"
            );
        }
        if let Some(body) = operation.pointer("/requestBody/content/application~1json") {
            assert!(
                body["example"].is_object(),
                "{route:?} has no example of a request"
            );
        }
    }
}

#[test]
fn operations_are_named_once() {
    let table = table();
    let names: HashSet<&str> = table.iter().map(|route| route.operation).collect();
    assert_eq!(names.len(), table.len());
    let places: HashSet<(String, &str)> = table
        .iter()
        .map(|route| (route.method.to_string(), route.path))
        .collect();
    assert_eq!(places.len(), table.len());
}

#[test]
fn every_reference_in_the_document_leads_somewhere() {
    let document = document();
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(references.len() > 100);
    for reference in references {
        assert!(
            document
                .pointer(reference.trim_start_matches('#'))
                .is_some(),
            "{reference} leads nowhere"
        );
    }
}

fn collect_references(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(
                fields
                    .get("$ref")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            fields
                .values()
                .for_each(|field| collect_references(field, references));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, references)),
        _ => {}
    }
}

/// What an answer has is always there: null at most.
#[test]
fn outgoing_fields_are_required() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    for name in [
        "UserInfo",
        "Session",
        "Product",
        "Plan",
        "Coupon",
        "FlowEntry",
        "Statistics",
        "ErrorData",
        "Campaign",
        "PlanPage",
        "Property",
        "Withdrawal",
        "ExchangeOrder",
        "Feedback",
        "AuditEntry",
        "Content",
    ] {
        let schema = &schemas[name];
        let required: HashSet<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for field in schema["properties"].as_object().unwrap().keys() {
            assert!(
                required.contains(field.as_str()),
                "{name}.{field} is not required"
            );
        }
    }
}

#[test]
fn english_has_a_text_for_every_key_and_none_besides() {
    let texts = catalogue(Lang::En).unwrap();
    let keys = keys();
    for key in &keys {
        assert!(
            texts.get(key).is_some_and(|text| !text.is_empty()),
            "no text for {key}"
        );
    }
    for key in texts.keys() {
        assert!(keys.contains(key), "{key} is no key");
    }
}

#[test]
fn every_language_says_everything_in_its_own_words() {
    let english = catalogue(Lang::En).unwrap();
    for lang in Lang::ALL.into_iter().filter(|lang| *lang != Lang::En) {
        let texts = catalogue(lang).unwrap_or_else(|| panic!("no texts in {lang:?}"));
        assert_eq!(texts.len(), english.len(), "{lang:?}");
        for (key, text) in english {
            let own = texts
                .get(key)
                .unwrap_or_else(|| panic!("{lang:?} has no {key}"));
            assert!(!own.trim().is_empty(), "{lang:?} {key}");
            assert_eq!(
                own.contains("{field}"),
                text.contains("{field}"),
                "{lang:?} {key}"
            );
            // A name of one word may well be the same in both.
            if !key.starts_with("field.") {
                assert_ne!(own, text, "{lang:?} {key}");
            }
        }
    }
}

#[test]
fn refused_inputs_are_named_in_words() {
    let named = |field: &str| refusal_text(Lang::En, &Refusal::invalid(field));
    for (field, words) in [
        ("amount", "“amount”"),
        ("title.en", "“title”"),
        ("to.user_ids[3]", "“users”"),
        ("customer_service[0].label.de", "“label”"),
        ("license_key", "“authorization code”"),
        ("images[0]", "“images”"),
        ("Idempotency-Key", "“Idempotency-Key”"),
    ] {
        assert!(named(field).ends_with(words), "{field}: {}", named(field));
    }
}

#[test]
fn a_broken_rule_is_said_in_the_language_of_the_caller() {
    let said = |lang, rule, field: &str| refusal_text(lang, &Refusal::broken(rule, field));
    for (lang, rule, field, words) in [
        (
            Lang::En,
            Rule::TooShort,
            "username",
            "“username” is too short",
        ),
        (
            Lang::En,
            Rule::TooShort,
            "password",
            "The password needs at least 8 characters",
        ),
        (
            Lang::De,
            Rule::TooLong,
            "new_password",
            "Das Passwort darf höchstens 128 Zeichen haben.",
        ),
        (
            Lang::Zh,
            Rule::MixedScripts,
            "username",
            "“用户名”混用了不同文字的字母",
        ),
    ] {
        assert_eq!(said(lang, rule, field), words);
    }
    for lang in Lang::ALL {
        for field in ["password", "new_password", "username", "nickname"] {
            let texts: HashSet<String> = Rule::ALL
                .iter()
                .map(|rule| said(lang, *rule, field))
                .collect();
            assert_eq!(texts.len(), Rule::ALL.len(), "{lang:?} {field}");
            assert!(texts.iter().all(|text| !text.contains('{')), "{lang:?}");
        }
    }
}

/// Names of inputs in words exist for all that calls take.
#[test]
fn every_input_has_a_name_in_words() {
    let texts = catalogue(Lang::En).unwrap();
    for call in crate::contract_table::table() {
        for name in call.takes.split_whitespace() {
            let name = name.trim_end_matches('?');
            assert!(
                texts.contains_key(&format!("field.{name}")),
                "{name} of {}",
                call.path
            );
        }
    }
}

#[test]
fn a_language_without_a_text_says_it_in_english() {
    let refusal = Refusal::new(Reason::InsufficientBalance);
    for lang in Lang::ALL {
        assert!(!refusal_text(lang, &refusal).is_empty());
    }
    assert_eq!(refusal_text(Lang::En, &refusal), "Insufficient balance");
    assert_eq!(
        refusal_text(Lang::En, &Refusal::invalid("amount")),
        "Params error: please check “amount”"
    );
}

#[test]
fn reasons_have_the_codes_of_the_contract() {
    let expected = [
        (Reason::Validation, 400),
        (Reason::NotAuthenticated, 401),
        (Reason::AccountNotActivated, 402),
        (Reason::AccountDisabled, 403),
        (Reason::Forbidden, 403),
        (Reason::AccountCancelled, 404),
        (Reason::NotFound, 405),
        (Reason::TooManyAttempts, 429),
        (Reason::PayPasswordLocked, 429),
        (Reason::Internal, 500),
        (Reason::Unavailable, 500),
        (Reason::ChangesPaused, 500),
        (Reason::SessionExpired, 503),
        (Reason::UsernameTaken, 4001),
        (Reason::FileTooLarge, 400),
    ];
    for (reason, code) in expected {
        assert_eq!(envelope_code(reason), code, "{reason}");
    }
}
