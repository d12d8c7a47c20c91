//! Texts: one catalogue per language, checked when the process starts.
//!
//! A language gets its texts by a file `texts/<code>.json` with the keys of `texts/en.json`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;

use crate::lang::{Lang, TextsError, text_files};

mod param;
mod template;

pub use param::{Param, Params, params_from_json};
pub use template::{Place, Template};

/// The catalogue of every language.
const FILES: &[(Lang, &str)] = text_files!("texts");

/// What a reader gets for a template that only newer replicas know, while they replace the older ones.
const UNKNOWN_TEMPLATE: &str = "unknown";

/// A notice's text before its parameters are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    title: String,
    content: String,
}

/// A notice as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub title: String,
    pub content: String,
}

/// The texts of every language.
#[derive(Debug)]
pub struct Catalogues {
    texts: HashMap<Lang, BTreeMap<String, Text>>,
}

impl Catalogues {
    /// The catalogues that are part of this program.
    pub fn built_in() -> Result<Self, TextsError> {
        Self::parse(FILES)
    }

    fn parse(files: &[(Lang, &str)]) -> Result<Self, TextsError> {
        let read = |(lang, json): &(Lang, &str)| {
            let catalogue = lang.read(json)?;
            check(*lang, &catalogue)?;
            Ok((*lang, catalogue))
        };
        let texts: Result<_, TextsError> = files.iter().map(read).collect();
        Ok(Self { texts: texts? })
    }

    /// The text of a notice in `lang`, or in English where that language has none.
    pub fn render(&self, lang: Lang, template: &str, params: &BTreeMap<String, Param>) -> Rendered {
        let (lang, text) = match self.text(lang, template) {
            Some(found) => found,
            None => match self.text(lang, UNKNOWN_TEMPLATE) {
                Some(found) => found,
                // Cannot be: every catalogue was checked to have it.
                None => {
                    return Rendered {
                        title: String::new(),
                        content: String::new(),
                    };
                }
            },
        };
        Rendered {
            title: fill(lang, &text.title, params),
            content: fill(lang, &text.content, params),
        }
    }

    /// The text, and the language that it is in: amounts are written as the words around them are.
    fn text(&self, lang: Lang, key: &str) -> Option<(Lang, &Text)> {
        lang.chain()
            .into_iter()
            .find_map(|lang| Some((lang, self.texts.get(&lang)?.get(key)?)))
    }
}

fn check(lang: Lang, catalogue: &BTreeMap<String, Text>) -> Result<(), TextsError> {
    let expected: BTreeSet<&str> = Template::ALL
        .iter()
        .map(|template| template.as_str())
        .chain([UNKNOWN_TEMPLATE])
        .collect();
    if expected != catalogue.keys().map(String::as_str).collect() {
        return Err(TextsError::Keys(lang.code()));
    }
    for (key, text) in catalogue {
        let known = Template::from_name(key).map_or(&[][..], Template::params);
        let right = [&text.title, &text.content].into_iter().all(|text| {
            placeholders(text).is_some_and(|names| names.iter().all(|name| known.contains(name)))
        });
        if !right {
            return Err(TextsError::Placeholder {
                lang: lang.code(),
                key: key.clone(),
            });
        }
    }
    Ok(())
}

/// The names in braces; none when a brace has no partner.
fn placeholders(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        if before.contains('}') || name.contains('{') {
            return None;
        }
        names.push(name);
        rest = behind;
    }
    (!rest.contains('}')).then_some(names)
}

/// Fills in parameters in one pass, so that a value with braces in it is never taken for a placeholder.
fn fill(lang: Lang, text: &str, params: &BTreeMap<String, Param>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        if let Some(param) = params.get(name) {
            filled.push_str(&param.render(lang));
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use adfolio_money::Money;

    use super::*;
    use crate::lang::assert_used;

    fn english() -> &'static str {
        let (_, json) = FILES.iter().find(|(lang, _)| *lang == Lang::En).unwrap();
        json
    }

    #[test]
    fn every_file_of_texts_is_used_and_right() {
        Catalogues::built_in().unwrap();
        assert_used("texts", FILES);
    }

    #[test]
    fn every_language_has_every_text_with_the_same_values_and_none_is_english() {
        let catalogues = Catalogues::built_in().unwrap();
        assert_eq!(catalogues.texts.len(), Lang::ALL.len());
        let names = |text: &str| -> BTreeSet<String> {
            let names = placeholders(text).unwrap();
            names.into_iter().map(str::to_owned).collect()
        };
        for (key, english) in &catalogues.texts[&Lang::En] {
            for lang in Lang::ALL.iter().filter(|lang| **lang != Lang::En) {
                let text = &catalogues.texts[lang][key];
                assert_ne!(text.title, english.title, "{lang:?} {key}");
                assert_ne!(text.content, english.content, "{lang:?} {key}");
                assert!(!text.title.trim().is_empty(), "{lang:?} {key}");
                assert_eq!(names(&text.title), names(&english.title), "{lang:?} {key}");
                assert_eq!(
                    names(&text.content),
                    names(&english.content),
                    "{lang:?} {key}"
                );
            }
        }
    }

    #[test]
    fn a_value_is_never_taken_for_a_placeholder() {
        let params = BTreeMap::from([
            (
                "plan_number".to_owned(),
                Param::Text("{product}".to_owned()),
            ),
            ("product".to_owned(), Param::Text("Game".to_owned())),
        ]);
        assert_eq!(
            fill(Lang::En, "Plan {plan_number} ({product})", &params),
            "Plan {product} (Game)"
        );
    }

    #[test]
    fn a_language_without_texts_reads_in_its_neighbour_or_in_english_with_amounts_to_match() {
        let only: Vec<_> = FILES
            .iter()
            .filter(|(lang, _)| matches!(lang, Lang::En | Lang::Zh))
            .copied()
            .collect();
        let catalogues = Catalogues::parse(&only).unwrap();
        let params = BTreeMap::from([(
            "amount".to_owned(),
            Param::Money(Money::from_minor(125_000)),
        )]);
        let read = |lang| catalogues.render(lang, "deposit_credited", &params);
        assert_eq!(
            read(Lang::De).content,
            "A deposit of 1,250.00 has been credited to your wallet."
        );
        assert_eq!(read(Lang::Cht), read(Lang::Zh));
        assert_ne!(read(Lang::Cht), read(Lang::En));
        assert_eq!(
            catalogues
                .render(Lang::De, "from the future", &params)
                .title,
            "Notification"
        );
    }

    #[test]
    fn wrong_catalogues_are_refused() {
        let refused = |json: &str| Catalogues::parse(&[(Lang::De, json)]).unwrap_err();
        assert!(matches!(refused("[]"), TextsError::Malformed { .. }));
        assert!(matches!(refused("{}"), TextsError::Keys("de")));
        for wrong in ["{amuont}", "{amount", "amount}", "{{amount}}"] {
            let json = english().replacen("{amount}", wrong, 1);
            assert!(
                matches!(refused(&json), TextsError::Placeholder { .. }),
                "{wrong}"
            );
        }
    }
}
