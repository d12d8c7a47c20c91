//! Login names of users and staff.

use adfolio_kit::refusal::{Refusal, Rule};
use precis_core::profile::PrecisFastInvocation as _;
use precis_profiles::{UsernameCaseMapped, UsernameCasePreserved};
use unicode_normalization::UnicodeNormalization;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection as _};

const SHORTEST: usize = 3;
const LONGEST: usize = 64;

/// Bytes of a text that can still be a name: marks may follow each letter before they are composed with it.
const LONGEST_BYTES: usize = 1024;

/// A login name: a UsernameCaseMapped of PRECIS (RFC 8265) of 3 to 64 characters that begins with a letter or digit and
/// of the signs of ASCII has only `.`, `_` and `-`. Its scripts are one, or are written together (UTS 39, highly
/// restrictive).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username {
    shown: String,
    key: String,
}

impl Username {
    /// Reads a name as typed, or VALIDATION of `username` with the rule that it breaks.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::read(text).map_err(|rule| Refusal::broken(rule, "username"))
    }

    fn read(text: &str) -> Result<Self, Rule> {
        let text = text.trim();
        if text.len() > LONGEST_BYTES {
            return Err(Rule::TooLong);
        }
        if text.chars().count() < SHORTEST {
            return Err(Rule::TooShort);
        }
        // Held to the rules for its compared form as well.
        UsernameCaseMapped::enforce(text).map_err(|_| Rule::Form)?;
        let shown = UsernameCasePreserved::enforce(text).map_err(|_| Rule::Form)?;
        match shown.chars().count() {
            ..SHORTEST => return Err(Rule::TooShort),
            SHORTEST..=LONGEST => {}
            _ => return Err(Rule::TooLong),
        }
        if !(begins_well(&shown) && shown.chars().all(is_allowed)) {
            return Err(Rule::Form);
        }
        match shown.detect_restriction_level() {
            RestrictionLevel::ASCIIOnly
            | RestrictionLevel::SingleScript
            | RestrictionLevel::HighlyRestrictive => {}
            RestrictionLevel::ModeratelyRestrictive | RestrictionLevel::MinimallyRestrictive => {
                return Err(Rule::MixedScripts);
            }
            // Characters that no identifier should have.
            RestrictionLevel::Unrestricted => return Err(Rule::Form),
        }
        Ok(Self {
            key: key_of(&shown),
            shown: shown.into_owned(),
        })
    }

    /// The name as it is shown.
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// The name as it is compared.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// The form in which two names are compared: compatibility forms folded together, without regard to case. Defined for
/// every text, so that a login with an impossible name takes the path of an unknown one.
///
/// For a name that PRECIS allows this is what UsernameCaseMapped makes of it. It is not called here because names from
/// before need not be such, and must still be found under the key that they were stored with. (PRECIS's library differs
/// in one letter: it has σ at the end of a word in capitals, where Unicode's default case conversion has ς.)
pub fn key_of(text: &str) -> String {
    let lower = text.trim().nfkc().collect::<String>().to_lowercase();
    lower.nfkc().collect()
}

fn begins_well(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_alphanumeric)
}

/// Narrows what PRECIS allows in ASCII: the signs there have a meaning in addresses and in markup.
fn is_allowed(letter: char) -> bool {
    !letter.is_ascii() || letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(name: &str) -> Option<Rule> {
        Username::read(name).err()
    }

    #[test]
    fn names_of_any_script_are_allowed() {
        for name in [
            "demo",
            "Ann-Marie_7",
            "张伟明",
            "мария.к",
            "a.b",
            "Zoë",
            "fußball",
            "さくら7",
            "田中ケン",
            "김철수",
            "สมชาย",
            "Nguyễn",
            "हिन्दी",
            // A Latin and a Han name written together, as in Japan and China.
            "tanaka田中",
        ] {
            assert_eq!(rule(name), None, "{name}");
        }
    }

    #[test]
    fn names_from_right_to_left_follow_the_bidi_rule() {
        for name in ["שלום", "محمد", "محمد12", "שלום-עולם"] {
            assert_eq!(rule(name), None, "{name}");
        }
        // The digits in front would be shown behind, and one direction must end what it began.
        for name in ["12محمد", "محمد-", "שלום.a"] {
            assert_eq!(rule(name), Some(Rule::Form), "{name}");
        }
    }

    #[test]
    fn the_examples_of_rfc_8265() {
        // Table 1 that are within our length and signs.
        for name in ["juliet", "fussball", "fußball", "πππ", "Σσσ", "σσσ"] {
            assert_eq!(rule(name), None, "{name}");
        }
        // Table 2 and 3: a blank, none at all, a Roman numeral four, an infinity.
        for name in ["foo bar", "henryⅣ", "∞∞∞"] {
            assert_eq!(rule(name), Some(Rule::Form), "{name}");
        }
        assert_eq!(rule(""), Some(Rule::TooShort));
        // Case is mapped, and sharp s and final sigma are letters of their own.
        assert_eq!(key_of("ΣΣΣΑ"), "σσσα");
        assert_ne!(key_of("fussball"), key_of("fußball"));
        assert_ne!(key_of("λογος"), key_of("λογοσ"));
        // A wide letter is the narrow one, composed or not.
        let wide = Username::read("ｄｅｍｏ").expect("a name");
        assert_eq!((wide.as_str(), wide.key()), ("demo", "demo"));
    }

    #[test]
    fn the_key_is_what_the_profile_makes_of_a_name() {
        for name in [
            "Ann.Lee",
            "ｄｅｍｏ",
            "Zoe\u{308}",
            "МАРИЯ.к",
            "Ωμέγα",
            "Straße",
            "ﾀﾅｶｹﾝ",
            "김철수",
            "İstanbul",
            "שלום",
        ] {
            let enforced = UsernameCaseMapped::enforce(name).expect("a name");
            assert_eq!(key_of(name), enforced, "{name}");
            assert_eq!(Username::read(name).expect("a name").key(), enforced);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for name in [
            "a b c",
            ".abc",
            "a@b.example",
            "a\u{202e}bc",
            "a\u{200b}bc",
            "a\u{ad}bc",
            "<script>",
            "a\0bc",
            "\u{301}abc",
            // Small capitals are for phonetics.
            "ᴀᴅᴍɪɴ",
            "ann🙂",
        ] {
            assert_eq!(rule(name), Some(Rule::Form), "{name:?}");
        }
        assert_eq!(rule("ab"), Some(Rule::TooShort));
        assert_eq!(rule(&"x".repeat(65)), Some(Rule::TooLong));
        assert_eq!(rule(&"x".repeat(100_000)), Some(Rule::TooLong));
        assert_eq!(rule(&"e\u{301}".repeat(64)), None);
    }

    #[test]
    fn scripts_are_not_mixed() {
        // Cyrillic а, е, о; Greek ο; Cyrillic with Han.
        for name in ["аdmin", "dеmo", "dem\u{3bf}", "мария张伟"] {
            assert_eq!(rule(name), Some(Rule::MixedScripts), "{name}");
        }
    }

    #[test]
    fn comparison_ignores_case_and_form() {
        assert_eq!(key_of("DEMO"), key_of("demo"));
        assert_eq!(key_of("ｄｅｍｏ"), key_of("demo"));
        assert_eq!(key_of("Zoe\u{308}"), key_of("ZOË"));
        assert_ne!(key_of("demo"), key_of("demo1"));
    }
}
