//! The texts that answer while staff have written none of their own.
//!
//! A language gets its texts by a file `texts/content/<code>.json` with the shape of `texts/content/en.json`.

use serde::Deserialize;
use uuid::Uuid;

use super::entity::Faq;
use crate::lang::{Lang, TextsError, text_files};
use crate::localized::Texts;

/// The texts of every language.
const FILES: &[(Lang, &str)] = text_files!("texts/content");

/// Ids of built-in questions: the same in every installation, and none that this service would make.
const FIRST_FAQ_ID: u128 = 0x0000_0000_0000_4000_8000_0000_0000_0001;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    faq: Vec<Question>,
    operating_rules: String,
    activity_rules: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    title: String,
    content: String,
}

/// The built-in texts in every language. There is no built-in headline.
#[derive(Debug, Default)]
pub struct BuiltIn {
    pub faq: Vec<Faq>,
    pub operating_rules: Texts,
    pub activity_rules: Texts,
}

impl BuiltIn {
    /// The texts that are part of this program.
    pub fn load() -> Result<Self, TextsError> {
        Self::parse(FILES)
    }

    fn parse(files: &[(Lang, &str)]) -> Result<Self, TextsError> {
        let mut built_in = Self::default();
        for (lang, json) in files {
            let file: File = lang.read(json)?;
            built_in.add(*lang, file)?;
        }
        let english = |texts: &Texts| texts.contains_key(&Lang::FALLBACK);
        if english(&built_in.operating_rules) {
            Ok(built_in)
        } else {
            Err(TextsError::Questions(Lang::FALLBACK.code()))
        }
    }

    fn add(&mut self, lang: Lang, file: File) -> Result<(), TextsError> {
        if self.faq.is_empty() {
            let ids = (FIRST_FAQ_ID..).take(file.faq.len());
            let empty = |id| Faq {
                id: Uuid::from_u128(id),
                title: Texts::new(),
                content: Texts::new(),
            };
            self.faq = ids.map(empty).collect();
        }
        if self.faq.len() != file.faq.len() {
            return Err(TextsError::Questions(lang.code()));
        }
        for (faq, question) in self.faq.iter_mut().zip(file.faq) {
            faq.title.insert(lang, question.title);
            faq.content.insert(lang, question.content);
        }
        self.operating_rules.insert(lang, file.operating_rules);
        self.activity_rules.insert(lang, file.activity_rules);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::assert_used;

    #[test]
    fn every_file_is_used_and_no_text_is_english_but_the_english() {
        let built_in = BuiltIn::load().unwrap();
        assert_eq!(built_in.faq.len(), 5);
        assert_used("texts/content", FILES);

        let questions = built_in
            .faq
            .iter()
            .flat_map(|faq| [&faq.title, &faq.content]);
        for texts in questions.chain([&built_in.operating_rules, &built_in.activity_rules]) {
            assert_eq!(texts.len(), FILES.len());
            for (lang, text) in texts {
                assert!(!text.trim().is_empty(), "{lang:?}");
                assert!(
                    *lang == Lang::En || text != &texts[&Lang::En],
                    "{lang:?} has English text: {text}"
                );
            }
        }
    }

    #[test]
    fn rules_have_as_many_points_in_every_language() {
        let built_in = BuiltIn::load().unwrap();
        for rules in [&built_in.operating_rules, &built_in.activity_rules] {
            let points = rules[&Lang::En].lines().count();
            for (lang, text) in rules {
                assert_eq!(text.lines().count(), points, "{lang:?}");
            }
        }
    }

    #[test]
    fn it_is_said_what_a_plan_needs_to_learn_and_nothing_is_promised() {
        let built_in = BuiltIn::load().unwrap();
        for lang in FILES.iter().map(|(lang, _)| lang) {
            let learning = &built_in.faq[0].content[lang];
            assert!(
                ["30", "50", "7"]
                    .iter()
                    .all(|figure| learning.contains(figure)),
                "{lang:?}"
            );
        }
    }

    #[test]
    fn other_questions_than_in_english_are_refused() {
        let (_, english) = FILES[2];
        let short = r#"{"faq": [], "operating_rules": "a", "activity_rules": "b"}"#;
        assert!(matches!(
            BuiltIn::parse(&[(Lang::En, english), (Lang::De, short)]),
            Err(TextsError::Questions("de"))
        ));
        assert!(matches!(
            BuiltIn::parse(&[(Lang::De, "[]")]),
            Err(TextsError::Malformed { lang: "de", .. })
        ));
        assert!(matches!(
            BuiltIn::parse(&[(Lang::De, english)]),
            Err(TextsError::Questions("en"))
        ));
    }
}
