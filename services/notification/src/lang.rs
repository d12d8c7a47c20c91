//! The twelve languages, and how amounts are written in them.

use adfolio_money::Money;
use chrono::NaiveDate;
use serde::de::DeserializeOwned;

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $group:literal, $point:literal, $date:literal;)*) => {
        /// A language of the product.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Lang {
            $($(#[$doc])* $variant,)*
        }

        impl Lang {
            /// Every language.
            #[cfg(test)]
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// The language of a code, if it is one of the twelve.
            pub fn from_code(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }

            /// What stands between thousands, and before the decimals.
            fn separators(self) -> (char, char) {
                match self { $(Self::$variant => ($group, $point),)* }
            }

            /// How a day is written.
            fn date_format(self) -> &'static str {
                match self { $(Self::$variant => $date,)* }
            }
        }
    };
}

languages! {
    /// Traditional Chinese.
    Cht = "cht", ',', '.', "%Y年%-m月%-d日";
    /// German.
    De = "de", '.', ',', "%-d.%-m.%Y";
    /// English.
    En = "en", ',', '.', "%B %-d, %Y";
    /// French.
    Fr = "fr", '\u{202f}', ',', "%d/%m/%Y";
    /// Japanese.
    Jp = "jp", ',', '.', "%Y年%-m月%-d日";
    /// Korean.
    Kor = "kor", ',', '.', "%Y년 %-m월 %-d일";
    /// Portuguese.
    Pt = "pt", '.', ',', "%d/%m/%Y";
    /// Russian.
    Ru = "ru", '\u{a0}', ',', "%d.%m.%Y";
    /// Spanish.
    Spa = "spa", '.', ',', "%d/%m/%Y";
    /// Thai.
    Th = "th", ',', '.', "%d/%m/%Y";
    /// Vietnamese.
    Vi = "vi", '.', ',', "%d/%m/%Y";
    /// Simplified Chinese.
    Zh = "zh", ',', '.', "%Y年%-m月%-d日";
}

/// The texts of every language: the files `<code>.json` of a folder of this crate.
macro_rules! text_files {
    ($folder:literal) => {
        text_files!($folder: Cht "cht", De "de", En "en", Fr "fr", Jp "jp", Kor "kor", Pt "pt", Ru "ru", Spa "spa",
            Th "th", Vi "vi", Zh "zh")
    };
    ($folder:literal: $($lang:ident $code:literal),*) => {
        &[$((
            $crate::lang::Lang::$lang,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $code, ".json")),
        ),)*]
    };
}

pub(crate) use text_files;

/// Texts of this program that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TextsError {
    /// Not the JSON that they must be.
    #[error("the texts in {lang} are malformed")]
    Malformed {
        lang: &'static str,
        source: serde_json::Error,
    },
    /// Not the keys that every catalogue of notices has.
    #[error("catalogue {0} lacks a text or has one too many")]
    Keys(&'static str),
    /// A text of a notice names a parameter that its template does not have, or has a brace without its partner.
    #[error("catalogue {lang}: text {key} has a wrong placeholder")]
    Placeholder { lang: &'static str, key: String },
    /// Not as many questions as in English, or there is no English.
    #[error("built-in content {0} has other questions than English has")]
    Questions(&'static str),
}

impl Lang {
    /// Reads a file of texts in this language.
    pub fn read<T: DeserializeOwned>(self, json: &str) -> Result<T, TextsError> {
        serde_json::from_str(json).map_err(|source| TextsError::Malformed {
            lang: self.code(),
            source,
        })
    }

    /// What is used where a language has no text of its own.
    pub const FALLBACK: Self = Self::En;

    /// The caller's language; anything that is none of the twelve is the fallback.
    pub fn of_caller(code: &str) -> Self {
        Self::from_code(code).unwrap_or(Self::FALLBACK)
    }

    /// Where a text in this language is looked for: the two ways to write Chinese stand in for each other before English.
    pub fn chain(self) -> [Self; 3] {
        let neighbour = match self {
            Self::Zh => Self::Cht,
            Self::Cht => Self::Zh,
            _ => Self::FALLBACK,
        };
        [self, neighbour, Self::FALLBACK]
    }

    /// An amount with two decimals, as it is written in this language.
    pub fn money(self, amount: Money) -> String {
        self.decimal(&amount.to_string())
    }

    /// A day, as it is written in this language.
    pub fn date(self, day: NaiveDate) -> String {
        day.format(self.date_format()).to_string()
    }

    /// A plain decimal number (`-1234.50`), as it is written in this language.
    pub fn decimal(self, plain: &str) -> String {
        let (group, point) = self.separators();
        let (sign, magnitude) = plain
            .strip_prefix('-')
            .map_or(("", plain), |rest| ("-", rest));
        let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
        let mut text = sign.to_owned();
        for (index, digit) in whole.chars().enumerate() {
            let left = whole.len().saturating_sub(index);
            if index > 0 && left % 3 == 0 {
                text.push(group);
            }
            text.push(digit);
        }
        if !fraction.is_empty() {
            text.push(point);
            text.push_str(fraction);
        }
        text
    }
}

/// Asserts that every file of a folder of this crate is used.
#[cfg(test)]
pub fn assert_used(folder: &str, files: &[(Lang, &str)]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let mut used: Vec<String> = files
        .iter()
        .map(|(lang, _)| format!("{}.json", lang.code()))
        .collect();
    found.sort();
    used.sort();
    assert_eq!(found, used);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_the_language_writes_them() {
        let amount = Money::from_minor(123_456_789);
        assert_eq!(Lang::En.money(amount), "1,234,567.89");
        assert_eq!(Lang::De.money(amount), "1.234.567,89");
        assert_eq!(Lang::Fr.money(amount), "1\u{202f}234\u{202f}567,89");
        assert_eq!(Lang::En.money(Money::from_minor(-100_000)), "-1,000.00");
        assert_eq!(Lang::En.money(Money::from_minor(99_900)), "999.00");
        assert_eq!(Lang::Zh.money(Money::ZERO), "0.00");
    }

    #[test]
    fn numbers_and_days_are_written_as_the_language_writes_them() {
        assert_eq!(Lang::De.decimal("150000"), "150.000");
        assert_eq!(Lang::De.decimal("1234.5678"), "1.234,5678");
        let day = NaiveDate::from_ymd_opt(2026, 3, 9).unwrap();
        assert_eq!(Lang::En.date(day), "March 9, 2026");
        assert_eq!(Lang::De.date(day), "9.3.2026");
        assert_eq!(Lang::Kor.date(day), "2026년 3월 9일");
    }

    #[test]
    fn chinese_stands_in_for_chinese() {
        assert_eq!(Lang::Zh.chain(), [Lang::Zh, Lang::Cht, Lang::En]);
        assert_eq!(Lang::Cht.chain(), [Lang::Cht, Lang::Zh, Lang::En]);
        assert_eq!(Lang::De.chain(), [Lang::De, Lang::En, Lang::En]);
    }

    #[test]
    fn codes_are_read_back_and_everything_else_is_english() {
        assert_eq!(Lang::ALL.len(), 12);
        assert!(
            Lang::ALL
                .iter()
                .all(|lang| Lang::from_code(lang.code()) == Some(*lang))
        );
        assert_eq!(Lang::of_caller("xx"), Lang::En);
    }
}
