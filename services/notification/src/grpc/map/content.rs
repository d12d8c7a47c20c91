//! Content.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::refusal::Refusal;
use adfolio_proto::notification::v1 as proto;
use serde_json::{Value, json};

use crate::content::{Content, Draft, Faq, FaqDraft};
use crate::lang::Lang;
use crate::localized::{self, Texts};
use crate::service_entry::{self, ServiceEntry};

/// The names of the parts, as in the message.
const PARTS: [&str; 6] = [
    "customer_service",
    "recharge_customer_service",
    "faq",
    "operating_rules",
    "activity_rules",
    "marketing_headline",
];

pub fn entries(entries: &[ServiceEntry], lang: Lang) -> Vec<proto::ServiceEntry> {
    let entry = |entry: &ServiceEntry| proto::ServiceEntry {
        id: entry.id.to_string(),
        r#type: entry.entry_type,
        url: entry.url.clone(),
        label: entry.label(lang).to_owned(),
    };
    entries.iter().map(entry).collect()
}

pub fn public(content: &Content, lang: Lang) -> proto::GetPublicContentResponse {
    let faq = |faq: &Faq| proto::Faq {
        id: faq.id.to_string(),
        title: localized::in_lang(&faq.title, lang).to_owned(),
        content: localized::in_lang(&faq.content, lang).to_owned(),
    };
    let text = |texts: &Texts| localized::in_lang(texts, lang).to_owned();
    proto::GetPublicContentResponse {
        customer_service: entries(&content.customer_service, lang),
        recharge_customer_service: entries(&content.recharge_customer_service, lang),
        faq: content.faq.iter().map(faq).collect(),
        operating_rules: text(&content.operating_rules),
        activity_rules: text(&content.activity_rules),
        marketing_headline: text(&content.marketing_headline),
    }
}

impl From<&Content> for proto::Content {
    fn from(content: &Content) -> Self {
        let faq = |faq: &Faq| proto::FaqContent {
            id: faq.id.to_string(),
            title: by_code(&faq.title),
            content: by_code(&faq.content),
        };
        Self {
            customer_service: entries_content(&content.customer_service),
            recharge_customer_service: entries_content(&content.recharge_customer_service),
            faq: content.faq.iter().map(faq).collect(),
            operating_rules: by_code(&content.operating_rules),
            activity_rules: by_code(&content.activity_rules),
            marketing_headline: by_code(&content.marketing_headline),
        }
    }
}

fn entries_content(entries: &[ServiceEntry]) -> Vec<proto::ServiceEntryContent> {
    let entry = |entry: &ServiceEntry| proto::ServiceEntryContent {
        id: entry.id.to_string(),
        r#type: entry.entry_type,
        url: entry.url.clone(),
        label: by_code(&entry.labels),
    };
    entries.iter().map(entry).collect()
}

fn by_code(texts: &Texts) -> HashMap<String, String> {
    localized::by_code(texts).into_iter().collect()
}

impl From<&Content> for proto::SetContentResponse {
    fn from(content: &Content) -> Self {
        Self {
            content: Some(content.into()),
        }
    }
}

/// The content in one order of its languages: a map has none, and equal requests must have equal digests.
pub fn canonical(content: &proto::Content, parts: &[String]) -> String {
    let sorted = |texts: &HashMap<String, String>| -> Value {
        let sorted: BTreeMap<_, _> = texts.iter().collect();
        json!(sorted)
    };
    let entries = |entries: &[proto::ServiceEntryContent]| -> Value {
        let entry = |entry: &proto::ServiceEntryContent| {
            json!([entry.id, entry.r#type, entry.url, sorted(&entry.label)])
        };
        entries.iter().map(entry).collect()
    };
    let faq = |faq: &proto::FaqContent| json!([faq.id, sorted(&faq.title), sorted(&faq.content)]);
    let all = json!([
        parts,
        entries(&content.customer_service),
        entries(&content.recharge_customer_service),
        content.faq.iter().map(faq).collect::<Value>(),
        sorted(&content.operating_rules),
        sorted(&content.activity_rules),
        sorted(&content.marketing_headline),
    ]);
    all.to_string()
}

/// The parts of the content that `parts` names; none named means all. A name that no part has is VALIDATION.
pub fn draft(content: proto::Content, parts: &[String]) -> Result<Draft, Refusal> {
    let known = |part: &String| PARTS.contains(&part.as_str());
    if !parts.iter().all(known) {
        return Err(Refusal::invalid("parts"));
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);

    let faq = |faq: proto::FaqContent| FaqDraft {
        id: faq.id,
        title: faq.title,
        content: faq.content,
    };
    Ok(Draft {
        customer_service: wanted("customer_service")
            .then(|| entry_drafts(content.customer_service)),
        recharge_customer_service: wanted("recharge_customer_service")
            .then(|| entry_drafts(content.recharge_customer_service)),
        faq: wanted("faq").then(|| content.faq.into_iter().map(faq).collect()),
        operating_rules: wanted("operating_rules").then_some(content.operating_rules),
        activity_rules: wanted("activity_rules").then_some(content.activity_rules),
        marketing_headline: wanted("marketing_headline").then_some(content.marketing_headline),
    })
}

fn entry_drafts(entries: Vec<proto::ServiceEntryContent>) -> Vec<service_entry::Draft> {
    let draft = |entry: proto::ServiceEntryContent| service_entry::Draft {
        id: entry.id,
        entry_type: entry.r#type,
        url: entry.url,
        labels: entry.label.into_iter().collect(),
    };
    entries.into_iter().map(draft).collect()
}
