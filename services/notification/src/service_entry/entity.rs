//! Ways to reach customer service.

use std::collections::{HashMap, HashSet};

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use url::Url;
use uuid::Uuid;

use crate::lang::Lang;
use crate::localized::{self, Form, Texts};

/// Entries of one list at most: the dialog that shows them is one screen.
const LONGEST_LIST: usize = 20;

/// Characters of a label at most.
const LONGEST_LABEL: usize = 60;

/// Characters of hours and answer times at most.
const LONGEST_NOTE: usize = 120;

/// Bytes of an address at most.
const LONGEST_URL: usize = 2_048;

/// What clients fill in, in an address's query and fragment: who asks, and about what.
const PLACEHOLDERS: [&str; 4] = ["username", "user_id", "subject", "lang"];

/// A way to reach customer service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceEntry {
    pub id: Uuid,
    /// 1 is an in-app page, anything else opens elsewhere.
    pub entry_type: i32,
    pub url: String,
    /// Its label in every language that has one; English always has.
    pub labels: Texts,
    /// When somebody answers; empty if staff have not said.
    pub hours: Texts,
    /// How soon somebody answers; empty if staff have not said.
    pub answer_time: Texts,
}

impl ServiceEntry {
    /// The label in `lang`, or what stands in for it.
    pub fn label(&self, lang: Lang) -> &str {
        localized::in_lang(&self.labels, lang)
    }
}

/// An entry as it was sent.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its id; empty for a new one.
    pub id: String,
    /// 1 is an in-app page, anything else opens elsewhere.
    pub entry_type: i32,
    pub url: String,
    /// Its labels by language code.
    pub labels: Vec<(String, String)>,
    /// When somebody answers, by language code.
    pub hours: HashMap<String, String>,
    /// How soon somebody answers, by language code.
    pub answer_time: HashMap<String, String>,
}

/// Checks a list as it was sent; what is wrong is named like `customer_service[0].url`. Ids that are missing come from
/// `new_id`; `known` collects all ids of a content, which must differ.
pub fn check_list(
    drafts: Vec<Draft>,
    field: &str,
    known: &mut HashSet<Uuid>,
    new_id: impl Fn() -> Uuid,
) -> Result<Vec<ServiceEntry>, Refusal> {
    if drafts.len() > LONGEST_LIST {
        return Err(Refusal::invalid(field));
    }
    let check = |(index, draft): (usize, Draft)| {
        let name = |part: &str| format!("{field}[{index}].{part}");
        let id = check_id(&draft.id, &new_id, known, name("id"))?;
        if draft.entry_type < 0 {
            return Err(Refusal::invalid(name("type")));
        }
        let url = https_url(&draft.url).ok_or_else(|| Refusal::invalid(name("url")))?;
        let labels = check_labels(draft.labels, &name("label"))?;
        let note =
            |sent, part| localized::check_optional(sent, Form::Line, LONGEST_NOTE, &name(part));
        Ok(ServiceEntry {
            id,
            entry_type: draft.entry_type,
            url,
            labels,
            hours: note(draft.hours, "hours")?,
            answer_time: note(draft.answer_time, "answer_time")?,
        })
    };
    drafts.into_iter().enumerate().map(check).collect()
}

/// The id as it was sent, or a new one for none. It joins the known ones, from which it must differ.
pub fn check_id(
    sent: &str,
    new_id: impl Fn() -> Uuid,
    known: &mut HashSet<Uuid>,
    field: String,
) -> Result<Uuid, Refusal> {
    let id = if sent.is_empty() {
        Some(new_id())
    } else {
        sent.parse().ok()
    };
    id.filter(|id| known.insert(*id))
        .ok_or_else(|| Refusal::invalid(field))
}

/// An address that a browser may be sent to: https, with a host, without credentials in it, and with no placeholder
/// that clients do not know.
fn https_url(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST_URL {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let plain = url.username().is_empty() && url.password().is_none();
    let fillable = [url.query(), url.fragment()].into_iter().flatten();
    let known = fillable.into_iter().all(only_known_placeholders);
    (url.scheme() == "https" && url.has_host() && plain && known).then(|| url.into())
}

/// Whether every pair of braces has the name of a placeholder in it.
fn only_known_placeholders(text: &str) -> bool {
    let mut parts = text.split('{');
    let before = parts.next().unwrap_or_default();
    !before.contains('}')
        && parts.all(|part| {
            part.split_once('}')
                .is_some_and(|(name, after)| PLACEHOLDERS.contains(&name) && !after.contains('}'))
        })
}

fn check_labels(sent: Vec<(String, String)>, field: &str) -> Result<Texts, Refusal> {
    let mut labels = Texts::new();
    for (code, label) in sent {
        let lang = Lang::from_code(&code).ok_or_else(|| Refusal::invalid(field))?;
        labels.insert(lang, wire::line(&label, LONGEST_LABEL, field)?);
    }
    if labels.contains_key(&Lang::FALLBACK) {
        Ok(labels)
    } else {
        Err(Refusal::invalid(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_https_addresses_pass() {
        assert_eq!(
            https_url(" https://help.example/chat?a=1 ").as_deref(),
            Some("https://help.example/chat?a=1")
        );
        let filled = "https://help.example/?who={username}&about={subject}#{lang}-{user_id}";
        assert_eq!(https_url(filled).as_deref(), Some(filled));
        for wrong in [
            "http://help.example",
            "javascript:alert(1)",
            "https://",
            "//help.example",
            "help.example",
            "",
            "https://user@help.example",
            "https://user:word@help.example",
            "data:text/html,x",
            "ftp://help.example",
            "https://help.example/?who={name}",
            "https://help.example/?who={username",
            "https://help.example/?who=username}",
            "https://help.example/#{{username}}",
        ] {
            assert_eq!(https_url(wrong), None, "{wrong}");
        }
        assert_eq!(
            https_url(&format!("https://help.example/{}", "x".repeat(LONGEST_URL))),
            None
        );
    }
}
