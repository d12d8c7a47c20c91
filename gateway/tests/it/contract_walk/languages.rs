//! What the API says in words is in the caller's language, and never a code.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_gateway::lang::Lang;
use chrono::DateTime;
use reqwest::Method;
use serde_json::{Value, json};

use super::Walk;
use crate::contract_table::table;

/// What users read of themselves, and of the programme.
const READS: [&str; 17] = [
    "/user/info",
    "/user/security/log",
    "/user/sessions",
    "/user/property",
    "/user/withdraw/list?limit=100",
    "/user/notifications",
    "/plan/order/list?limit=100",
    "/plan/product/list",
    "/ad/order/data_statistics/list",
    "/assistance/list",
    "/user_coupon/list",
    "/transaction_flow/list?limit=100",
    "/transaction_flow/monthly",
    "/acceptor/order/list",
    "/bank_card/detail",
    "/basic_config",
    "/plan/order/detail",
];

/// Texts that are in no language: ids, addresses, and names of the contract, which clients translate.
const DATA: [&str; 24] = [
    "id",
    "action",
    "address",
    "avatar_url",
    "bank_account",
    "client",
    "cover_url",
    "currency",
    "email",
    "icon_url",
    "licenseKey",
    "next_cursor",
    "operator_id",
    "payment_reference",
    "phone",
    "plan_id",
    "plan_number",
    "proxy_operator_id",
    "reference",
    "source",
    "sources",
    "targets",
    "username",
    "withdraw_blocked_by",
];

/// Texts of the calls of users in every language, compared with the English ones.
pub async fn walk(walk: &Walk) {
    let kinds = kinds();
    let typed = typed(walk);
    let words = |answer: &Value, place: &str| {
        let mut found = Vec::new();
        words(answer, place, &kinds, &mut found);
        found.retain(|(_, text)| !typed.iter().any(|typed| repeats(text, typed)));
        found
    };
    let mut wrong = BTreeSet::new();
    let mut met = BTreeSet::new();
    for token in tokens(walk) {
        for (path, body) in reads(walk, &token).await {
            let place = path.split('?').next().unwrap_or_default().to_owned();
            let Some(english) = ask(walk, &token, Lang::En, &path, body.as_ref()).await else {
                continue;
            };
            let english = words(&english, &place);
            for (leaf, text) in &english {
                met.insert(leaf.clone());
                if is_code(text) {
                    wrong.insert(format!("{leaf} is the code {text}"));
                }
            }
            if english.is_empty() {
                continue;
            }
            for lang in Lang::ALL.into_iter().filter(|lang| *lang != Lang::En) {
                let other = ask(walk, &token, lang, &path, body.as_ref()).await;
                let other = words(&other.unwrap_or_default(), &place);
                assert_eq!(other.len(), english.len(), "{path} in {}", lang.code());
                for ((leaf, text), (_, original)) in other.iter().zip(&english) {
                    if text == original {
                        wrong.insert(format!("{leaf} is English in {}: {text}", lang.code()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The walk has met texts of every kind, so none of the above is empty by mistake.
    for leaf in [
        "/user/notifications.items[].title",
        "/user/notifications.items[].content",
        "/plan/order/list.items[].fail_reason",
        "/plan/order/detail.timeline[].reason",
    ] {
        assert!(met.contains(leaf), "{leaf} was never met: {met:#?}");
    }
}

/// What people have typed: names, reasons, texts.
fn typed(walk: &Walk) -> BTreeSet<String> {
    fn collect(value: &Value, typed: &mut BTreeSet<String>) {
        match value {
            Value::String(text) => {
                typed.insert(text.trim().to_owned());
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, typed)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, typed)),
            _ => {}
        }
    }
    let mut typed = BTreeSet::new();
    for seen in walk.stack.seen() {
        collect(&seen.body, &mut typed);
    }
    typed.retain(|text| !text.is_empty());
    typed
}

/// Whether a text is what somebody has typed, or has a typed sentence in it.
fn repeats(text: &str, typed: &str) -> bool {
    text == typed || typed.contains(' ') && text.contains(typed)
}

/// The sessions of users that the walk has used.
fn tokens(walk: &Walk) -> BTreeSet<String> {
    let seen = walk.stack.seen().into_iter();
    seen.filter(|seen| seen.path.starts_with("/user") || seen.path.starts_with("/plan"))
        .filter_map(|seen| seen.token)
        .collect()
}

/// The calls of a user, with the body of those that take one.
async fn reads(walk: &Walk, token: &str) -> Vec<(String, Option<Value>)> {
    let mut reads = Vec::new();
    for path in READS {
        match path {
            "/user/notifications" => reads.push((path.to_owned(), Some(json!({"limit": 100})))),
            "/plan/order/detail" => {
                let list = "/plan/order/list?limit=100";
                let plans = ask(walk, token, Lang::En, list, None).await;
                let plans = plans.map(|page| page["items"].as_array().cloned().unwrap_or_default());
                for plan in plans.into_iter().flatten() {
                    reads.push((path.to_owned(), Some(json!({"id": plan["id"]}))));
                }
            }
            _ => reads.push((path.to_owned(), None)),
        }
    }
    reads
}

/// The answer; none for a session that has ended.
async fn ask(
    walk: &Walk,
    token: &str,
    lang: Lang,
    path: &str,
    body: Option<&Value>,
) -> Option<Value> {
    let request = |method| walk.stack.request(method, path, Some(token));
    let request = match body {
        Some(body) => request(Method::POST).json(body),
        None => request(Method::GET),
    };
    let reply = walk.stack.send(request.header("X-Lang", lang.code())).await;
    (reply.code == 200).then_some(reply.data)
}

/// What the contract says of each leaf of an answer.
fn kinds() -> BTreeMap<String, String> {
    let mut kinds = BTreeMap::new();
    for call in table() {
        kinds_of(&call.data, call.path.to_owned(), &mut kinds);
    }
    kinds
}

fn kinds_of(shape: &Value, place: String, kinds: &mut BTreeMap<String, String>) {
    match shape {
        Value::String(kind) => {
            kinds.insert(place, kind.clone());
        }
        Value::Array(items) => kinds_of(&items[0], format!("{place}[]"), kinds),
        Value::Object(fields) => {
            for (name, shape) in fields {
                let place = match name.as_str() {
                    "null or" | "each" => place.clone(),
                    name => format!("{place}.{name}"),
                };
                kinds_of(shape, place, kinds);
            }
        }
        _ => panic!("no shape: {shape}"),
    }
}

/// Adds the texts of an answer that are words, in the order of the answer.
fn words(
    value: &Value,
    place: &str,
    kinds: &BTreeMap<String, String>,
    found: &mut Vec<(String, String)>,
) {
    match value {
        Value::String(text) => {
            let kind = kinds.get(place).map_or("text", String::as_str);
            let name = place.rsplit('.').next().unwrap_or_default();
            let is_text = kind.trim_end_matches('?') == "text";
            let is_data = DATA.contains(&name.trim_end_matches("[]"));
            let is_time = DateTime::parse_from_rfc3339(text).is_ok();
            if is_text && !is_data && !is_time && text.contains(char::is_alphabetic) {
                found.push((place.to_owned(), text.clone()));
            }
        }
        Value::Array(items) => {
            for item in items {
                words(item, &format!("{place}[]"), kinds, found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                words(value, &format!("{place}.{name}"), kinds, found);
            }
        }
        _ => {}
    }
}

/// `put_failed`, `INSUFFICIENT_BALANCE`, `EXPIRED`.
fn is_code(text: &str) -> bool {
    let is_plain = text
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || character == '_');
    is_plain && (text.contains('_') || text.chars().all(|letter| letter.is_ascii_uppercase()))
}
