//! The texts of answers: one catalogue file per language. What a language lacks is said in English.

use std::collections::HashMap;
use std::sync::LazyLock;

use adfolio_kit::refusal::{Reason, Refusal};

use crate::lang::Lang;

/// The catalogue files. A further language is a further line.
const FILES: &[(Lang, &str)] = &[(Lang::En, include_str!("en.json"))];

/// Stands for the offending input in a text.
const FIELD: &str = "{field}";

static CATALOGUES: LazyLock<HashMap<Lang, HashMap<String, String>>> = LazyLock::new(|| {
    // A file that is no map of texts counts as empty; a test reads them all.
    FILES
        .iter()
        .map(|(lang, json)| (*lang, serde_json::from_str(json).unwrap_or_default()))
        .collect()
});

/// What succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// Something was read, or there is nothing more to say.
    Done,
    /// A session was opened.
    Login,
    /// An account was created.
    Registration,
    /// Something was changed.
    Update,
    /// A coupon was claimed.
    Claim,
    /// A plan was put.
    Placement,
    /// Something was set up.
    Setting,
    /// Something was handed in.
    Submission,
}

impl Success {
    /// Every kind of success.
    pub const ALL: [Self; 8] = [
        Self::Done,
        Self::Login,
        Self::Registration,
        Self::Update,
        Self::Claim,
        Self::Placement,
        Self::Setting,
        Self::Submission,
    ];

    fn key(self) -> &'static str {
        match self {
            Self::Done => "success.done",
            Self::Login => "success.login",
            Self::Registration => "success.registration",
            Self::Update => "success.update",
            Self::Claim => "success.claim",
            Self::Placement => "success.placement",
            Self::Setting => "success.setting",
            Self::Submission => "success.submission",
        }
    }
}

/// The text of a success.
pub fn success_text(lang: Lang, success: Success) -> &'static str {
    text(lang, success.key())
}

/// The text of a refusal, naming the offending input where there is one to name.
pub fn refusal_text(lang: Lang, refusal: &Refusal) -> String {
    match (&refusal.reason, &refusal.field) {
        (Reason::Validation, Some(field)) => {
            text(lang, "validation_of_field").replace(FIELD, field)
        }
        (reason, _) => text(lang, &reason_key(*reason)).to_owned(),
    }
}

/// The keys that every language must have texts for.
pub fn keys() -> Vec<String> {
    let reasons = Reason::ALL.iter().map(|reason| reason_key(*reason));
    let successes = Success::ALL.iter().map(|success| success.key().to_owned());
    reasons
        .chain(successes)
        .chain(["validation_of_field".to_owned()])
        .collect()
}

/// The catalogue of a language, if it has one.
pub fn catalogue(lang: Lang) -> Option<&'static HashMap<String, String>> {
    CATALOGUES.get(&lang)
}

fn reason_key(reason: Reason) -> String {
    format!("reason.{reason}")
}

/// The text of a key, in English where the language has none.
fn text(lang: Lang, key: &str) -> &'static str {
    let find = |lang: Lang| catalogue(lang).and_then(|texts| texts.get(key));
    find(lang)
        .or_else(|| find(Lang::En))
        .map_or("error", String::as_str)
}
