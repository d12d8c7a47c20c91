//! The texts of answers: one catalogue file per language. Missing texts fall back to English.

use std::collections::HashMap;
use std::sync::LazyLock;

use adfolio_kit::refusal::{Reason, Refusal, Rule};

use crate::lang::Lang;

/// The catalogue files, one line per language.
const FILES: &[(Lang, &str)] = &[
    (Lang::Cht, include_str!("cht.json")),
    (Lang::De, include_str!("de.json")),
    (Lang::En, include_str!("en.json")),
    (Lang::Fr, include_str!("fr.json")),
    (Lang::Jp, include_str!("jp.json")),
    (Lang::Kor, include_str!("kor.json")),
    (Lang::Pt, include_str!("pt.json")),
    (Lang::Ru, include_str!("ru.json")),
    (Lang::Spa, include_str!("spa.json")),
    (Lang::Th, include_str!("th.json")),
    (Lang::Vi, include_str!("vi.json")),
    (Lang::Zh, include_str!("zh.json")),
];

/// The text of a refused input.
const VALIDATION_OF_FIELD: &str = "validation_of_field";

/// Prefix of the keys of rules that an input can break.
const RULE: &str = "rule.";

/// Rules of which a password's text says more, and their keys.
const PASSWORD_RULES: [(Rule, &str); 2] = [
    (Rule::TooShort, "rule.too_short.password"),
    (Rule::TooLong, "rule.too_long.password"),
];

/// The inputs of a login password.
const PASSWORDS: [&str; 2] = ["password", "new_password"];

/// The text of FORBIDDEN for a request that another person must decide.
const DECISION_ABOUT_OWN_REQUEST: &str = "decision_about_own_request";

/// The input that such a refusal names.
const REQUESTED_BY: &str = "requested_by";

/// The text of FORBIDDEN for a change of the caller's own staff account.
const CHANGE_OF_OWN_ACCOUNT: &str = "change_of_own_account";

/// The input that such a refusal names.
const STAFF_ID: &str = "staff_id";

/// The text of FORBIDDEN for a confirmation by somebody who may hold the account.
const CONFIRMATION_BY_ITS_MAKER: &str = "confirmation_by_its_maker";

/// What such a refusal names.
const MADE_BY: &str = "made_by";

/// What plan notes itself as the reason of a plan's step, and the keys of its texts.
const PLAN_REASONS: [(&str, &str); 4] = [
    ("budget consumed", "plan_reason.budget_consumed"),
    ("put window over", "plan_reason.window_over"),
    ("EXPIRED", "plan_reason.expired"),
    ("cancelled by its user", "plan_reason.cancelled"),
];

/// The text of COUPON_BELOW_REQUIREMENT that says by how much.
const COUPON_MISSES: &str = "coupon_misses";

/// Placeholder of what an amount falls short by.
const MISSING: &str = "{missing}";

/// Prefix of the keys of input names.
const LABEL: &str = "field.";

/// Prefix of the keys of words of statements.
const STATEMENT: &str = "statement.";

/// Placeholder of the offending input in a text.
const FIELD: &str = "{field}";

static CATALOGUES: LazyLock<HashMap<Lang, HashMap<String, String>>> = LazyLock::new(|| {
    // An invalid file counts as empty; a test reads all of them.
    FILES
        .iter()
        .map(|(lang, json)| (*lang, serde_json::from_str(json).unwrap_or_default()))
        .collect()
});

/// The kind of a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// Something was read, or there is no specific text.
    Done,
    /// A session was opened.
    Login,
    /// An account was created.
    Registration,
    /// Something was changed.
    Update,
    /// A coupon was claimed.
    Claim,
    /// Feedback was submitted.
    Posting,
    /// A plan was put.
    Placement,
    /// A bank card or wallet address was bound.
    Binding,
    /// Something was set up.
    Setting,
    /// Something was submitted.
    Submission,
    /// The login password was changed, which ended every session.
    PasswordChange,
}

impl Success {
    /// Every kind of success.
    pub const ALL: [Self; 11] = [
        Self::Done,
        Self::Login,
        Self::Registration,
        Self::Update,
        Self::Claim,
        Self::Posting,
        Self::Placement,
        Self::Binding,
        Self::Setting,
        Self::Submission,
        Self::PasswordChange,
    ];

    fn key(self) -> &'static str {
        match self {
            Self::Done => "success.done",
            Self::Login => "success.login",
            Self::Registration => "success.registration",
            Self::Update => "success.update",
            Self::Claim => "success.claim",
            Self::Posting => "success.posting",
            Self::Placement => "success.placement",
            Self::Binding => "success.binding",
            Self::Setting => "success.setting",
            Self::Submission => "success.submission",
            Self::PasswordChange => "success.password_change",
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
            let text = match refusal.rule {
                Some(rule) => text(lang, &rule_key(rule, field)),
                None => text(lang, VALIDATION_OF_FIELD),
            };
            text.replace(FIELD, field_label(lang, field))
        }
        (Reason::Forbidden, Some(field)) if field == REQUESTED_BY => {
            text(lang, DECISION_ABOUT_OWN_REQUEST).to_owned()
        }
        (Reason::Forbidden, Some(field)) if field == STAFF_ID => {
            text(lang, CHANGE_OF_OWN_ACCOUNT).to_owned()
        }
        (Reason::Forbidden, Some(field)) if field == MADE_BY => {
            text(lang, CONFIRMATION_BY_ITS_MAKER).to_owned()
        }
        (reason, _) => match refusal.missing {
            Some(amount) if *reason == Reason::CouponBelowRequirement => {
                text(lang, COUPON_MISSES).replace(MISSING, &amount.to_string())
            }
            _ => text(lang, &reason_key(*reason)).to_owned(),
        },
    }
}

/// Why a plan took a step, for its user. What staff have written stays as it is.
pub fn plan_reason_text(lang: Lang, reason: String) -> String {
    let noted = PLAN_REASONS.iter().find(|(known, _)| *known == reason);
    let refused = || reason.parse().ok().map(reason_key);
    let key = noted.map(|(_, key)| (*key).to_owned()).or_else(refused);
    key.map_or(reason, |key| text(lang, &key).to_owned())
}

/// A word of statements.
pub fn statement_text(lang: Lang, key: &str) -> &'static str {
    text(lang, &format!("{STATEMENT}{key}"))
}

/// The keys that every language must have texts for.
pub fn keys() -> Vec<String> {
    let reasons = Reason::ALL.iter().map(|reason| reason_key(*reason));
    // The English catalogue defines which inputs have a name, and the words of statements.
    let labels = catalogue(Lang::En)
        .into_iter()
        .flat_map(HashMap::keys)
        .filter(|key| key.starts_with(LABEL) || key.starts_with(STATEMENT))
        .cloned();
    let successes = Success::ALL.iter().map(|success| success.key().to_owned());
    let rules = Rule::ALL.iter().map(|rule| rule_key(*rule, ""));
    let of_own = [
        VALIDATION_OF_FIELD,
        DECISION_ABOUT_OWN_REQUEST,
        CHANGE_OF_OWN_ACCOUNT,
        CONFIRMATION_BY_ITS_MAKER,
        COUPON_MISSES,
    ];
    let of_plans = PLAN_REASONS.iter().map(|(_, key)| (*key).to_owned());
    let of_passwords = PASSWORD_RULES.iter().map(|(_, key)| (*key).to_owned());
    reasons
        .chain(successes)
        .chain(rules)
        .chain(of_passwords)
        .chain(of_plans)
        .chain(of_own.map(str::to_owned))
        .chain(labels)
        .collect()
}

/// The catalogue of a language, if it has one.
pub fn catalogue(lang: Lang) -> Option<&'static HashMap<String, String>> {
    CATALOGUES.get(&lang)
}

fn reason_key(reason: Reason) -> String {
    format!("reason.{reason}")
}

fn rule_key(rule: Rule, field: &str) -> String {
    let of_password = PASSWORD_RULES
        .iter()
        .find(|(known, _)| *known == rule && PASSWORDS.contains(&field));
    match of_password {
        Some((_, key)) => (*key).to_owned(),
        None => format!("{RULE}{}", rule.as_str()),
    }
}

/// The name of an input: for `title.en` the name of `title`, for `to.user_ids[3]` the name of `user_ids`. An input
/// without a name keeps its path.
fn field_label(lang: Lang, field: &str) -> &str {
    field
        .rsplit('.')
        .map(|segment| segment.split_once('[').map_or(segment, |(name, _)| name))
        .map(|name| match name {
            "license_key" => "licenseKey",
            "confirmPassword" => "confirm_password",
            name => name,
        })
        .find_map(|name| find(lang, &format!("{LABEL}{name}")))
        .unwrap_or(field)
}

/// The text of a key, in English if the language has none.
fn text(lang: Lang, key: &str) -> &'static str {
    find(lang, key).unwrap_or("error")
}

/// The text of a key, in English if the language has none.
fn find(lang: Lang, key: &str) -> Option<&'static str> {
    let find = |lang: Lang| catalogue(lang).and_then(|texts| texts.get(key));
    find(lang).or_else(|| find(Lang::En)).map(String::as_str)
}
