//! The twelve languages of the interface.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A language of the interface, by Adfolio's own code.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(example = "en")]
pub enum Lang {
    /// Traditional Chinese.
    Cht,
    /// German.
    De,
    /// English.
    #[default]
    En,
    /// French.
    Fr,
    /// Japanese.
    Jp,
    /// Korean.
    Kor,
    /// Portuguese.
    Pt,
    /// Russian.
    Ru,
    /// Spanish.
    Spa,
    /// Thai.
    Th,
    /// Vietnamese.
    Vi,
    /// Simplified Chinese.
    Zh,
}

/// Longer lists of accepted languages are cut.
const MAX_ACCEPTED_LANGUAGES: usize = 32;

impl Lang {
    /// Every language, in the order of their codes.
    pub const ALL: [Self; 12] = [
        Self::Cht,
        Self::De,
        Self::En,
        Self::Fr,
        Self::Jp,
        Self::Kor,
        Self::Pt,
        Self::Ru,
        Self::Spa,
        Self::Th,
        Self::Vi,
        Self::Zh,
    ];

    /// Its code in the API.
    pub fn code(self) -> &'static str {
        match self {
            Self::Cht => "cht",
            Self::De => "de",
            Self::En => "en",
            Self::Fr => "fr",
            Self::Jp => "jp",
            Self::Kor => "kor",
            Self::Pt => "pt",
            Self::Ru => "ru",
            Self::Spa => "spa",
            Self::Th => "th",
            Self::Vi => "vi",
            Self::Zh => "zh",
        }
    }

    /// Its English name, its own name and its BCP 47 tag.
    pub fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Cht => ("Chinese (Traditional)", "繁體中文", "zh-Hant"),
            Self::De => ("German", "Deutsch", "de"),
            Self::En => ("English", "English", "en"),
            Self::Fr => ("French", "Français", "fr"),
            Self::Jp => ("Japanese", "日本語", "ja"),
            Self::Kor => ("Korean", "한국어", "ko"),
            Self::Pt => ("Portuguese", "Português", "pt"),
            Self::Ru => ("Russian", "Русский", "ru"),
            Self::Spa => ("Spanish", "Español", "es"),
            Self::Th => ("Thai", "ไทย", "th"),
            Self::Vi => ("Vietnamese", "Tiếng Việt", "vi"),
            Self::Zh => ("Chinese (Simplified)", "简体中文", "zh-Hans"),
        }
    }

    /// The language of one of the twelve codes, in any letter case.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|lang| lang.code().eq_ignore_ascii_case(code))
    }

    /// The language of a BCP 47 tag, as browsers send them.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let mut parts = tag.split('-').map(str::to_ascii_lowercase);
        let primary = parts.next()?;
        match primary.as_str() {
            "zh" => {
                let traditional =
                    parts.any(|part| matches!(part.as_str(), "hant" | "tw" | "hk" | "mo"));
                Some(if traditional { Self::Cht } else { Self::Zh })
            }
            "de" => Some(Self::De),
            "en" => Some(Self::En),
            "fr" => Some(Self::Fr),
            "ja" => Some(Self::Jp),
            "ko" => Some(Self::Kor),
            "pt" => Some(Self::Pt),
            "ru" => Some(Self::Ru),
            "es" => Some(Self::Spa),
            "th" => Some(Self::Th),
            "vi" => Some(Self::Vi),
            _ => None,
        }
    }

    /// The best known language of an `Accept-Language` header.
    pub fn from_accept_language(header: &str) -> Option<Self> {
        let mut best: Option<(u32, Self)> = None;
        for part in header.split(',').take(MAX_ACCEPTED_LANGUAGES) {
            let (tag, parameters) = part.split_once(';').unwrap_or((part, ""));
            let weight = quality_thousandths(parameters);
            let Some(lang) = Self::from_tag(tag.trim()).filter(|_| weight > 0) else {
                continue;
            };
            if best.is_none_or(|(best_weight, _)| weight > best_weight) {
                best = Some((weight, lang));
            }
        }
        best.map(|(_, lang)| lang)
    }
}

/// The `q` of an entry in thousandths: 1000 if absent, 0 if invalid.
fn quality_thousandths(parameters: &str) -> u32 {
    let Some(text) = parameters
        .split(';')
        .find_map(|parameter| parameter.trim().strip_prefix("q="))
    else {
        return 1000;
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    match whole {
        "1" => 1000,
        "0" if digits => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}
