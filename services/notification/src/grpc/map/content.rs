//! Content.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::notification::v1 as proto;
use serde_json::{Value, json};

use crate::content::{
    Content, DepositMethod, Draft, Edition, Faq, FaqDraft, Legal, PARTS, Version, deposit_method,
};
use crate::lang::Lang;
use crate::localized::{self, Texts};
use crate::service_entry::{self, ServiceEntry};

mirror! {
    Legal = proto::LegalText,
}

pub fn entries(entries: &[ServiceEntry], lang: Lang) -> Vec<proto::ServiceEntry> {
    let entry = |entry: &ServiceEntry| proto::ServiceEntry {
        id: entry.id.to_string(),
        r#type: entry.entry_type,
        url: entry.url.clone(),
        label: entry.label(lang).to_owned(),
        hours: localized::in_lang(&entry.hours, lang).to_owned(),
        answer_time: localized::in_lang(&entry.answer_time, lang).to_owned(),
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
    let method = |method: &DepositMethod| proto::DepositMethod {
        id: method.id.to_string(),
        name: text(&method.name),
        min_minor: method.min_minor,
        max_minor: method.max_minor,
        fee: text(&method.fee),
        arrival: text(&method.arrival),
    };
    let legal = content.legal.keys();
    proto::GetPublicContentResponse {
        customer_service: entries(&content.customer_service, lang),
        recharge_customer_service: entries(&content.recharge_customer_service, lang),
        faq: content.faq.iter().map(faq).collect(),
        operating_rules: text(&content.operating_rules),
        activity_rules: text(&content.activity_rules),
        marketing_headline: text(&content.marketing_headline),
        deposit_methods: content.deposit_methods.iter().map(method).collect(),
        legal: legal.map(|legal| legal.to_wire()).collect(),
    }
}

impl From<&Content> for proto::Content {
    fn from(content: &Content) -> Self {
        let faq = |faq: &Faq| proto::FaqContent {
            id: faq.id.to_string(),
            title: by_code(&faq.title),
            content: by_code(&faq.content),
        };
        let method = |method: &DepositMethod| proto::DepositMethodContent {
            id: method.id.to_string(),
            name: by_code(&method.name),
            min_minor: method.min_minor,
            max_minor: method.max_minor,
            fee: by_code(&method.fee),
            arrival: by_code(&method.arrival),
        };
        let legal = |legal| content.legal.get(&legal).map(by_code).unwrap_or_default();
        Self {
            customer_service: entries_content(&content.customer_service),
            recharge_customer_service: entries_content(&content.recharge_customer_service),
            faq: content.faq.iter().map(faq).collect(),
            operating_rules: by_code(&content.operating_rules),
            activity_rules: by_code(&content.activity_rules),
            marketing_headline: by_code(&content.marketing_headline),
            deposit_methods: content.deposit_methods.iter().map(method).collect(),
            imprint: legal(Legal::Imprint),
            terms: legal(Legal::Terms),
            privacy: legal(Legal::Privacy),
            fees: legal(Legal::Fees),
        }
    }
}

fn entries_content(entries: &[ServiceEntry]) -> Vec<proto::ServiceEntryContent> {
    let entry = |entry: &ServiceEntry| proto::ServiceEntryContent {
        id: entry.id.to_string(),
        r#type: entry.entry_type,
        url: entry.url.clone(),
        label: by_code(&entry.labels),
        hours: by_code(&entry.hours),
        answer_time: by_code(&entry.answer_time),
    };
    entries.iter().map(entry).collect()
}

fn by_code(texts: &Texts) -> HashMap<String, String> {
    localized::by_code(texts).into_iter().collect()
}

impl From<&Edition> for proto::SetContentResponse {
    fn from(edition: &Edition) -> Self {
        Self {
            content: Some((&edition.content).into()),
            version: edition.version,
        }
    }
}

impl From<&Edition> for proto::RestoreContentResponse {
    fn from(edition: &Edition) -> Self {
        Self {
            content: Some((&edition.content).into()),
            version: edition.version,
        }
    }
}

impl From<&Version> for proto::ContentVersion {
    fn from(version: &Version) -> Self {
        Self {
            version: version.number,
            parts: version.parts.clone(),
            made_by: version.made_by.map(|by| by.to_string()).unwrap_or_default(),
            time: Some(wire::timestamp(version.made_at)),
            reason: version.reason.clone(),
            restored: version.restored.unwrap_or(0),
        }
    }
}

/// The number before which a page of versions begins.
pub fn before(list: &List) -> Result<Option<i64>, Refusal> {
    let Some(keys) = list.keys(1)? else {
        return Ok(None);
    };
    let number = keys.first().and_then(|key| key.parse().ok());
    number.map(Some).ok_or_else(|| Refusal::invalid("cursor"))
}

/// The number of a version, if one was sent.
pub fn number(sent: i64, field: &str) -> Result<Option<i64>, Refusal> {
    match sent {
        0 => Ok(None),
        number if number > 0 => Ok(Some(number)),
        _ => Err(Refusal::invalid(field)),
    }
}

/// The names of the parts that are meant; none means all. A name that no part has is VALIDATION.
pub fn named(parts: &[String]) -> Result<Vec<String>, Refusal> {
    if parts.is_empty() {
        return Ok(PARTS.iter().map(|part| (*part).to_owned()).collect());
    }
    let known = |part: &String| PARTS.contains(&part.as_str());
    if parts.iter().all(known) {
        Ok(parts.to_vec())
    } else {
        Err(Refusal::invalid("parts"))
    }
}

/// The content in one order of its languages: a map has none, and equal requests must have equal digests.
pub fn canonical(content: &proto::Content, parts: &[String], version: i64) -> String {
    let sorted = |texts: &HashMap<String, String>| -> Value {
        let sorted: BTreeMap<_, _> = texts.iter().collect();
        json!(sorted)
    };
    let entries = |entries: &[proto::ServiceEntryContent]| -> Value {
        let entry = |entry: &proto::ServiceEntryContent| {
            let notes = [sorted(&entry.hours), sorted(&entry.answer_time)];
            json!([
                entry.id,
                entry.r#type,
                entry.url,
                sorted(&entry.label),
                notes
            ])
        };
        entries.iter().map(entry).collect()
    };
    let faq = |faq: &proto::FaqContent| json!([faq.id, sorted(&faq.title), sorted(&faq.content)]);
    let method = |method: &proto::DepositMethodContent| {
        let texts = [&method.name, &method.fee, &method.arrival].map(sorted);
        json!([method.id, method.min_minor, method.max_minor, texts])
    };
    let mut all = json!([
        parts,
        entries(&content.customer_service),
        entries(&content.recharge_customer_service),
        content.faq.iter().map(faq).collect::<Value>(),
        sorted(&content.operating_rules),
        sorted(&content.activity_rules),
        sorted(&content.marketing_headline),
        content
            .deposit_methods
            .iter()
            .map(method)
            .collect::<Value>(),
        sorted(&content.imprint),
        sorted(&content.terms),
        sorted(&content.privacy),
        sorted(&content.fees),
    ]);
    // A request without one has the digest that the release before gave it.
    if let (Some(all), true) = (all.as_array_mut(), version != 0) {
        all.push(json!(version));
    }
    all.to_string()
}

/// The parts of the content that `parts` names.
pub fn draft(content: proto::Content, parts: &[String]) -> Draft {
    let wanted = |part: &str| parts.iter().any(|name| name == part);

    let faq = |faq: proto::FaqContent| FaqDraft {
        id: faq.id,
        title: faq.title,
        content: faq.content,
    };
    let method = |method: proto::DepositMethodContent| deposit_method::Draft {
        id: method.id,
        name: method.name,
        min_minor: method.min_minor,
        max_minor: method.max_minor,
        fee: method.fee,
        arrival: method.arrival,
    };
    let legal = [
        (Legal::Imprint, content.imprint),
        (Legal::Terms, content.terms),
        (Legal::Privacy, content.privacy),
        (Legal::Fees, content.fees),
    ];
    let legal = legal
        .into_iter()
        .filter(|(legal, _)| wanted(legal.as_str()));
    Draft {
        customer_service: wanted("customer_service")
            .then(|| entry_drafts(content.customer_service)),
        recharge_customer_service: wanted("recharge_customer_service")
            .then(|| entry_drafts(content.recharge_customer_service)),
        faq: wanted("faq").then(|| content.faq.into_iter().map(faq).collect()),
        operating_rules: wanted("operating_rules").then_some(content.operating_rules),
        activity_rules: wanted("activity_rules").then_some(content.activity_rules),
        marketing_headline: wanted("marketing_headline").then_some(content.marketing_headline),
        deposit_methods: wanted("deposit_methods")
            .then(|| content.deposit_methods.into_iter().map(method).collect()),
        legal: legal.collect(),
    }
}

fn entry_drafts(entries: Vec<proto::ServiceEntryContent>) -> Vec<service_entry::Draft> {
    let draft = |entry: proto::ServiceEntryContent| service_entry::Draft {
        id: entry.id,
        entry_type: entry.r#type,
        url: entry.url,
        labels: entry.label.into_iter().collect(),
        hours: entry.hours,
        answer_time: entry.answer_time,
    };
    entries.into_iter().map(draft).collect()
}
