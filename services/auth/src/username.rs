//! Login names of users and staff.

use unicode_normalization::UnicodeNormalization;

const SHORTEST: usize = 3;
const LONGEST: usize = 64;

/// A login name: 3 to 64 letters or digits of any script, `.`, `_` or `-`, beginning with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username {
    shown: String,
    key: String,
}

impl Username {
    /// Reads a name as typed; `None` when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let shown: String = text.trim().nfc().collect();
        let key = key_of(&shown);
        // The compared form is held to the rules as well: compatibility forms can unfold into blanks and signs.
        (is_valid(&shown) && is_valid(&key)).then_some(Self { shown, key })
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
pub fn key_of(text: &str) -> String {
    let lower = text.trim().nfkc().collect::<String>().to_lowercase();
    lower.nfkc().collect()
}

fn is_valid(name: &str) -> bool {
    let length = name.chars().count();
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    let consists = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-'));
    begins && consists && (SHORTEST..=LONGEST).contains(&length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_are_taken() {
        for name in ["demo", "Ann-Marie_7", "张伟明", "мария.к", "a.b", "Zoë"] {
            assert!(Username::parse(name).is_some(), "{name}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let long = "x".repeat(65);
        for name in [
            "",
            "ab",
            "a b c",
            ".abc",
            "a@b.example",
            "a\u{202e}bc",
            "<script>",
            "a\0bc",
            &long,
        ] {
            assert!(Username::parse(name).is_none(), "{name:?}");
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
