//! Content and its rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use adfolio_kit::refusal::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::deposit_method::{self, DepositMethod};
use super::legal::{Legal, LegalTexts};
use crate::error::NotificationError;
use crate::localized::{self, Form, Texts};
use crate::service_entry::{self, ServiceEntry};

/// Questions at most.
const MOST_QUESTIONS: usize = 50;

/// Characters of a question at most.
const LONGEST_QUESTION: usize = 200;

/// Characters of an answer at most.
const LONGEST_ANSWER: usize = 5_000;

/// Characters of rules at most.
const LONGEST_RULES: usize = 20_000;

/// Characters of a headline at most.
const LONGEST_HEADLINE: usize = 200;

/// Bytes of a part in the audit log at most; a longer one is logged by its size.
const LONGEST_AUDITED_PART: usize = 8_192;

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faq {
    pub id: Uuid,
    /// The question.
    pub title: Texts,
    /// The answer.
    pub content: Texts,
}

/// A question and its answer as a database keeps them.
#[derive(Debug, Deserialize, Serialize)]
pub struct StoredFaq {
    id: Uuid,
    title: BTreeMap<String, String>,
    content: BTreeMap<String, String>,
}

impl From<&Faq> for StoredFaq {
    fn from(faq: &Faq) -> Self {
        Self {
            id: faq.id,
            title: localized::by_code(&faq.title),
            content: localized::by_code(&faq.content),
        }
    }
}

impl From<StoredFaq> for Faq {
    fn from(stored: StoredFaq) -> Self {
        Self {
            id: stored.id,
            title: localized::from_codes(stored.title),
            content: localized::from_codes(stored.content),
        }
    }
}

/// What staff edit: lists in the order in which they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntry>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntry>,
    pub faq: Vec<Faq>,
    pub operating_rules: Texts,
    pub activity_rules: Texts,
    /// Marketing headline; empty for none.
    pub marketing_headline: Texts,
    pub deposit_methods: Vec<DepositMethod>,
    pub legal: LegalTexts,
}

/// The content, and which version of it that is.
#[derive(Clone, Debug)]
pub struct Edition {
    pub version: i64,
    pub content: Content,
}

/// A question and its answer as they were sent.
#[derive(Clone, Debug)]
pub struct FaqDraft {
    /// Its id; empty for a new one.
    pub id: String,
    /// The question by language code.
    pub title: HashMap<String, String>,
    /// The answer by language code.
    pub content: HashMap<String, String>,
}

/// Content as it was sent, its texts by language code; parts that are absent stay as they are.
#[derive(Clone, Debug)]
pub struct Draft {
    pub customer_service: Option<Vec<service_entry::Draft>>,
    pub recharge_customer_service: Option<Vec<service_entry::Draft>>,
    pub faq: Option<Vec<FaqDraft>>,
    pub operating_rules: Option<HashMap<String, String>>,
    pub activity_rules: Option<HashMap<String, String>>,
    pub marketing_headline: Option<HashMap<String, String>>,
    pub deposit_methods: Option<Vec<deposit_method::Draft>>,
    /// Those that were sent; an empty one takes the present text away.
    pub legal: BTreeMap<Legal, HashMap<String, String>>,
}

/// Parts that passed the checks and replace what is there.
#[derive(Clone, Debug)]
pub struct Change {
    pub customer_service: Option<Vec<ServiceEntry>>,
    pub recharge_customer_service: Option<Vec<ServiceEntry>>,
    pub faq: Option<Vec<Faq>>,
    pub operating_rules: Option<Texts>,
    pub activity_rules: Option<Texts>,
    pub marketing_headline: Option<Texts>,
    pub deposit_methods: Option<Vec<DepositMethod>>,
    pub legal: LegalTexts,
}

impl Change {
    /// Makes these parts as they are in `old`.
    pub fn back_to(old: Content, parts: &[String]) -> Self {
        let wanted = |part: &str| parts.iter().any(|name| name == part);
        let legal = Legal::ALL.iter().filter(|legal| wanted(legal.as_str()));
        let texts = |legal: &Legal| old.legal.get(legal).cloned().unwrap_or_default();
        Self {
            legal: legal.map(|legal| (*legal, texts(legal))).collect(),
            customer_service: wanted("customer_service").then_some(old.customer_service),
            recharge_customer_service: wanted("recharge_customer_service")
                .then_some(old.recharge_customer_service),
            faq: wanted("faq").then_some(old.faq),
            operating_rules: wanted("operating_rules").then_some(old.operating_rules),
            activity_rules: wanted("activity_rules").then_some(old.activity_rules),
            marketing_headline: wanted("marketing_headline").then_some(old.marketing_headline),
            deposit_methods: wanted("deposit_methods").then_some(old.deposit_methods),
        }
    }

    /// What the content becomes. An entry that is sent for one list and stands in the other, which stays, is refused.
    pub fn apply(self, before: Content) -> Result<Content, Refusal> {
        let sent_for = if self.customer_service.is_some() {
            "customer_service"
        } else {
            "recharge_customer_service"
        };
        let content = Content {
            customer_service: self.customer_service.unwrap_or(before.customer_service),
            recharge_customer_service: self
                .recharge_customer_service
                .unwrap_or(before.recharge_customer_service),
            faq: self.faq.unwrap_or(before.faq),
            operating_rules: self.operating_rules.unwrap_or(before.operating_rules),
            activity_rules: self.activity_rules.unwrap_or(before.activity_rules),
            marketing_headline: self.marketing_headline.unwrap_or(before.marketing_headline),
            deposit_methods: self.deposit_methods.unwrap_or(before.deposit_methods),
            legal: replaced(before.legal, self.legal),
        };
        let mut known = HashSet::new();
        let mut entries = content
            .customer_service
            .iter()
            .chain(&content.recharge_customer_service);
        if entries.all(|entry| known.insert(entry.id)) {
            Ok(content)
        } else {
            Err(Refusal::invalid(sent_for))
        }
    }
}

/// What was sent stands for what was there; an empty text for none.
fn replaced(mut before: LegalTexts, sent: LegalTexts) -> LegalTexts {
    before.extend(sent);
    before.retain(|_, texts| !texts.is_empty());
    before
}

/// Checks questions and answers; what is wrong is named like `faq[0].title.en`.
pub fn check_faq(drafts: Vec<FaqDraft>, new_id: impl Fn() -> Uuid) -> Result<Vec<Faq>, Refusal> {
    if drafts.len() > MOST_QUESTIONS {
        return Err(Refusal::invalid("faq"));
    }
    let mut known = HashSet::new();
    let check = |(index, draft): (usize, FaqDraft)| {
        let name = |part: &str| format!("faq[{index}].{part}");
        let id = service_entry::check_id(&draft.id, &new_id, &mut known, name("id"))?;
        Ok(Faq {
            id,
            title: localized::check(draft.title, Form::Line, LONGEST_QUESTION, &name("title"))?,
            content: localized::check(
                draft.content,
                Form::Paragraphs,
                LONGEST_ANSWER,
                &name("content"),
            )?,
        })
    };
    drafts.into_iter().enumerate().map(check).collect()
}

/// Checks rules; what is wrong is named like `operating_rules.en`.
pub fn check_rules(sent: HashMap<String, String>, field: &str) -> Result<Texts, Refusal> {
    localized::check(sent, Form::Paragraphs, LONGEST_RULES, field)
}

/// Checks the headline; an empty one shows none.
pub fn check_headline(sent: HashMap<String, String>) -> Result<Texts, Refusal> {
    localized::check_optional(sent, Form::Line, LONGEST_HEADLINE, "marketing.headline")
}

/// A part that changed, as it was and as it is.
#[derive(Clone, Debug)]
pub struct Changed {
    pub part: &'static str,
    pub was: Value,
    pub is: Value,
}

/// What of the content changed.
pub fn difference(before: &Content, after: &Content) -> Result<Vec<Changed>, NotificationError> {
    let pairs = parts(before)?.into_iter().zip(parts(after)?);
    let changed = pairs.filter(|((_, was), (_, is))| was != is);
    let changed = changed.map(|((part, was), (_, is))| Changed { part, was, is });
    Ok(changed.collect())
}

/// The same for the audit log: before and after.
pub fn audited(changed: &[Changed]) -> (Value, Value) {
    let object = |side: fn(&Changed) -> &Value| -> Map<String, Value> {
        let parts = changed.iter();
        parts
            .map(|changed| (changed.part.to_owned(), short(side(changed).clone())))
            .collect()
    };
    (
        Value::Object(object(|changed| &changed.was)),
        Value::Object(object(|changed| &changed.is)),
    )
}

fn parts(content: &Content) -> Result<Vec<(&'static str, Value)>, NotificationError> {
    let faq: Vec<StoredFaq> = content.faq.iter().map(StoredFaq::from).collect();
    let methods = content.deposit_methods.iter();
    let methods: Vec<deposit_method::Stored> = methods.map(Into::into).collect();
    let mut parts = vec![
        ("customer_service", entries(&content.customer_service)),
        (
            "recharge_customer_service",
            entries(&content.recharge_customer_service),
        ),
        ("faq", serde_json::to_value(faq)?),
        (
            "operating_rules",
            localized::to_json(&content.operating_rules)?,
        ),
        (
            "activity_rules",
            localized::to_json(&content.activity_rules)?,
        ),
        (
            "marketing_headline",
            localized::to_json(&content.marketing_headline)?,
        ),
        ("deposit_methods", serde_json::to_value(methods)?),
    ];
    for legal in Legal::ALL {
        let texts = content.legal.get(legal).cloned().unwrap_or_default();
        parts.push((legal.as_str(), localized::to_json(&texts)?));
    }
    Ok(parts)
}

fn entries(entries: &[ServiceEntry]) -> Value {
    let entry = |entry: &ServiceEntry| {
        json!({
            "id": entry.id,
            "type": entry.entry_type,
            "url": entry.url,
            "label": localized::by_code(&entry.labels),
            "hours": localized::by_code(&entry.hours),
            "answer_time": localized::by_code(&entry.answer_time),
        })
    };
    entries.iter().map(entry).collect()
}

/// The audit log keeps small objects only.
fn short(value: Value) -> Value {
    let bytes = value.to_string().len();
    if bytes <= LONGEST_AUDITED_PART {
        value
    } else {
        json!({ "bytes": bytes })
    }
}
