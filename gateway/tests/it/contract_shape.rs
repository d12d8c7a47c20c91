//! Whether data has the shape that the contract's tables give, and whether the document says what calls take.

use std::collections::HashSet;

use adfolio_gateway::openapi::document;
use adfolio_gateway::routes;
use chrono::DateTime;
use serde_json::Value;

use crate::contract_table::{Contracted, table};

/// What does not fit, by its place.
pub fn misfits(value: &Value, shape: &Value, place: &str) -> Vec<String> {
    match shape {
        Value::String(kind) if fits(value, kind) => Vec::new(),
        Value::String(kind) => vec![format!("{place} is {value} and not {kind}")],
        Value::Array(items) => match value.as_array() {
            Some(values) => values
                .iter()
                .flat_map(|value| misfits(value, &items[0], &format!("{place}[]")))
                .collect(),
            None => vec![format!("{place} is {value} and no list")],
        },
        Value::Object(fields) => {
            if let Some(inner) = fields.get("null or") {
                return if value.is_null() {
                    Vec::new()
                } else {
                    misfits(value, inner, place)
                };
            }
            let Some(values) = value.as_object() else {
                return vec![format!("{place} is {value} and no object")];
            };
            if let Some(inner) = fields.get("each") {
                return values
                    .iter()
                    .flat_map(|(name, value)| misfits(value, inner, &format!("{place}.{name}")))
                    .collect();
            }
            fields
                .iter()
                .flat_map(|(name, shape)| match values.get(name) {
                    Some(value) => misfits(value, shape, &format!("{place}.{name}")),
                    None => vec![format!("{place}.{name} is missing")],
                })
                .collect()
        }
        _ => panic!("no shape: {shape}"),
    }
}

fn fits(value: &Value, kind: &str) -> bool {
    if let Some(kind) = kind.strip_suffix('?') {
        return value.is_null() || fits(value, kind);
    }
    let text = value.as_str();
    match kind {
        "text" => text.is_some(),
        "int" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "bool" => value.is_boolean(),
        "money" => text.is_some_and(is_money),
        "signed" => text.is_some_and(|text| is_money(text.strip_prefix('-').unwrap_or(text))),
        "time" => text.is_some_and(|text| {
            text.len() == "2026-11-20T08:15:30.000Z".len()
                && text.ends_with('Z')
                && DateTime::parse_from_rfc3339(text).is_ok()
        }),
        "hash" => text.is_some_and(|text| text.len() == 64 && hex::decode(text).is_ok()),
        words => text.is_some_and(|text| words.split('|').any(|word| word == text)),
    }
}

fn is_money(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.')
        .is_some_and(|(whole, cents)| digits(whole) && cents.len() == 2 && digits(cents))
}

#[test]
fn misfits_are_found() {
    let shape = serde_json::json!({
        "amount": "money", "profit": "signed", "time": "time", "kind": "a|b", "note": "text?", "items": [{"id": "text"}],
    });
    let value = serde_json::json!({
        "amount": "12.50", "profit": "-0.01", "time": "2026-11-20T08:15:30.000Z", "kind": "b", "note": null,
        "items": [{"id": "x", "more": 1}],
    });
    assert_eq!(misfits(&value, &shape, "data"), Vec::<String>::new());
    let value = serde_json::json!({
        "amount": 12.5, "profit": "1.5", "time": "2026-11-20T08:15:30Z", "kind": "c", "items": [{}],
    });
    let mut found = misfits(&value, &shape, "data");
    found.sort();
    assert_eq!(
        found,
        [
            "data.amount is 12.5 and not money",
            "data.items[].id is missing",
            "data.kind is \"c\" and not a|b",
            "data.note is missing",
            "data.profit is \"1.5\" and not signed",
            "data.time is \"2026-11-20T08:15:30Z\" and not time",
        ]
    );
}

#[test]
fn every_call_of_the_contract_has_a_route_and_every_route_is_in_the_contract() {
    let place = |method: &str, path: &str| format!("{method} {path}");
    let contracted: HashSet<String> = table()
        .iter()
        .map(|call| place(call.method, call.path))
        .collect();
    let routed: HashSet<String> = routes::table()
        .iter()
        .filter(|route| route.media_type.is_none())
        .map(|route| place(route.method.as_str(), route.path))
        .collect();
    let mut missing: Vec<_> = contracted.difference(&routed).collect();
    missing.sort();
    assert!(missing.is_empty(), "without a route: {missing:?}");
    let mut unknown: Vec<_> = routed.difference(&contracted).collect();
    unknown.sort();
    assert!(unknown.is_empty(), "not in the tables: {unknown:?}");
}

#[test]
fn the_document_says_what_every_call_takes() {
    let document = document();
    for call in table() {
        let expected: HashSet<String> = call.takes.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            documented_input(&document, &call),
            expected,
            "{} {}",
            call.method,
            call.path
        );
    }
}

/// Names of what a call takes, with `?` where it may be absent. The reason that every staff call takes is no input of its own.
fn documented_input(document: &Value, call: &Contracted) -> HashSet<String> {
    let operation = &document["paths"][call.path][call.method.to_ascii_lowercase()];
    let marked = |name: &str, required: bool| {
        if required {
            name.to_owned()
        } else {
            format!("{name}?")
        }
    };
    let Some(content) = operation["requestBody"]["content"].as_object() else {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        return parameters
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| {
                marked(
                    parameter["name"].as_str().unwrap(),
                    parameter["required"] == true,
                )
            })
            .collect();
    };
    let schema = &content.values().next().unwrap()["schema"];
    let names = properties(document, schema);
    let common = |name: &String| {
        call.path.starts_with("/admin") && name == "reason?" && !call.takes.contains("reason?")
    };
    names
        .into_iter()
        .map(|(name, required)| marked(&name, required))
        .filter(|name| !common(name))
        .collect()
}

/// Properties of a schema with all that it refers to or is put together from, and whether they are required.
fn properties(document: &Value, schema: &Value) -> Vec<(String, bool)> {
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = document.pointer(reference.trim_start_matches('#')).unwrap();
        return properties(document, referred);
    }
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let own = schema["properties"].as_object().into_iter().flatten();
    own.map(|(name, _)| (name.clone(), required.contains(&name.as_str())))
        .chain(parts.flat_map(|part| properties(document, part)))
        .collect()
}
