//! Texts in several languages, as staff write them.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::Refusal;

use crate::error::NotificationError;
use crate::lang::Lang;

/// One text by language; English is always there, unless the text as a whole is empty.
pub type Texts = BTreeMap<Lang, String>;

/// Language codes are short; what is longer is none.
const LONGEST_CODE: usize = 16;

/// What characters a text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No line breaks.
    Line,
    /// Line breaks and tabs as well.
    Paragraphs,
}

/// The text in `lang`, or what stands in for it.
pub fn in_lang(texts: &Texts, lang: Lang) -> &str {
    lang.chain()
        .into_iter()
        .find_map(|lang| texts.get(&lang))
        .map_or("", String::as_str)
}

/// Checks one text; blanks at its ends are dropped.
pub fn check_text(text: &str, form: Form, longest: usize, field: &str) -> Result<String, Refusal> {
    // Line breaks of other systems are no difference that anybody means.
    let text = text.trim().replace("\r\n", "\n");
    let fits = (1..=longest).contains(&text.chars().count());
    let allowed = |character: char| {
        !character.is_control() || (form == Form::Paragraphs && matches!(character, '\n' | '\t'))
    };
    if fits && text.chars().all(allowed) {
        Ok(text)
    } else {
        Err(Refusal::invalid(field))
    }
}

/// Checks a text as it was sent; what is wrong is named like `title.en`. English is required.
pub fn check(
    sent: impl IntoIterator<Item = (String, String)>,
    form: Form,
    longest: usize,
    field: &str,
) -> Result<Texts, Refusal> {
    // In the order of the codes, so that of several wrong ones always the same is named.
    let sent: BTreeMap<String, String> = sent.into_iter().collect();
    let mut texts = Texts::new();
    for (code, text) in sent {
        let name = named(field, &code);
        let lang = Lang::from_code(&code).ok_or_else(|| Refusal::invalid(&name))?;
        texts.insert(lang, check_text(&text, form, longest, &name)?);
    }
    if texts.contains_key(&Lang::FALLBACK) {
        Ok(texts)
    } else {
        Err(Refusal::invalid(format!(
            "{field}.{}",
            Lang::FALLBACK.code()
        )))
    }
}

/// Checks a text that may be missing as a whole.
pub fn check_optional(
    sent: HashMap<String, String>,
    form: Form,
    longest: usize,
    field: &str,
) -> Result<Texts, Refusal> {
    if sent.is_empty() {
        return Ok(Texts::new());
    }
    check(sent, form, longest, field)
}

/// `field.code`; a code that no language could have is not repeated.
fn named(field: &str, code: &str) -> String {
    let plain = code
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if plain && (1..=LONGEST_CODE).contains(&code.len()) {
        format!("{field}.{code}")
    } else {
        field.to_owned()
    }
}

/// The texts by language code.
pub fn by_code(texts: &Texts) -> BTreeMap<String, String> {
    texts
        .iter()
        .map(|(lang, text)| (lang.code().to_owned(), text.clone()))
        .collect()
}

/// The texts of language codes. A language that only newer replicas know is left out, and English stands in for it.
pub fn from_codes(by_code: BTreeMap<String, String>) -> Texts {
    by_code
        .into_iter()
        .filter_map(|(code, text)| Some((Lang::from_code(&code)?, text)))
        .collect()
}

/// As a database keeps them.
pub fn to_json(texts: &Texts) -> Result<serde_json::Value, NotificationError> {
    Ok(serde_json::to_value(by_code(texts))?)
}

/// As a database kept them in `column`.
pub fn from_json(
    json: serde_json::Value,
    column: &'static str,
) -> Result<Texts, NotificationError> {
    let by_code = serde_json::from_value(json).map_err(|_| CoreError::Corrupt(column))?;
    Ok(from_codes(by_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts
            .iter()
            .map(|(code, text)| ((*code).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn what_is_wrong_is_named_with_its_language() {
        let wrong: [(&[(&str, &str)], &str); 7] = [
            (&[("en", "Hello"), ("a b", "?")], "title"),
            (&[], "title.en"),
            (&[("de", "Hallo")], "title.en"),
            (&[("en", "Hello"), ("xx", "?")], "title.xx"),
            (&[("en", " "), ("de", "Hallo")], "title.en"),
            (&[("en", "Hello"), ("de", "zu lang")], "title.de"),
            (&[("en", "a\nb")], "title.en"),
        ];
        for (texts, field) in wrong {
            assert_eq!(
                check(sent(texts), Form::Line, 5, "title"),
                Err(Refusal::invalid(field))
            );
        }
    }

    #[test]
    fn a_missing_language_reads_in_its_neighbour_or_in_english() {
        let texts = check(
            sent(&[("en", "Hello"), ("zh", "你好"), ("de", " Hallo\r\nWelt ")]),
            Form::Paragraphs,
            20,
            "title",
        )
        .unwrap();
        let read: Vec<_> = [Lang::Cht, Lang::Zh, Lang::De, Lang::Fr]
            .into_iter()
            .map(|lang| in_lang(&texts, lang))
            .collect();
        assert_eq!(read, ["你好", "你好", "Hallo\nWelt", "Hello"]);
    }
}
