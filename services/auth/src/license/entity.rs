//! Licence keys (authorisation codes) and their form.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::{column, mask};
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};

use crate::error::AuthError;
use crate::ids::LicenseKeyId;

/// Letters and digits that nobody confuses when they are read aloud or typed off paper.
const ALPHABET: &[u8] = b"ABCDEFGHJKMNPQRSTUVWXYZ23456789";

const GROUPS: usize = 4;
const GROUP_LENGTH: usize = 4;

const SHORTEST: usize = 4;
const LONGEST: usize = 64;

/// A licence key's code, in capitals. It is worth an account, so it is never shown.
#[derive(Clone, Debug)]
pub struct Code(SecretString);

impl PartialEq for Code {
    /// Compares codes that are known here already; the database decides which code is right.
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Code {}

column!(Code: String, |code| Ok(Code::from(code)));

impl From<String> for Code {
    /// From a text that has the form, as the database stores it.
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl Code {
    /// Reads a code as typed: letters, digits and `-`, in any case. `None` for what cannot be a code.
    pub fn parse(text: &str) -> Option<Self> {
        let code = text.trim().to_ascii_uppercase();
        let plain = code
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (plain && (SHORTEST..=LONGEST).contains(&code.len())).then(|| code.into())
    }

    /// A new one of 16 random letters and digits (79 bits): beyond guessing.
    pub fn random() -> Self {
        let group = |_| {
            (0..GROUP_LENGTH)
                .map(|_| random_letter())
                .collect::<String>()
        };
        (0..GROUPS).map(group).collect::<Vec<_>>().join("-").into()
    }

    /// The code's text.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// All but the last four characters hidden.
    pub fn masked(&self) -> String {
        mask::ends(self.expose(), 0, 4)
    }
}

fn random_letter() -> char {
    ALPHABET
        .get(rand::random_range(0..ALPHABET.len()))
        .copied()
        .map_or('A', char::from)
}

/// A licence key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LicenseKey {
    /// Its id; ids follow the order of issue.
    pub id: LicenseKeyId,
    /// The code that staff hand out.
    pub code: Code,
    pub note: String,
    /// Whether the account it opens is active at once.
    pub activate: bool,
    pub created_at: DateTime<Utc>,
    pub used_by: Option<UserId>,
}

impl LicenseKey {
    /// LICENSE_USED of `field` when it has opened an account.
    pub fn require_unused(&self, field: &'static str) -> Result<(), AuthError> {
        match self.used_by {
            None => Ok(()),
            Some(_) => Err(AuthError::LicenseUsed(field)),
        }
    }
}

/// Most keys that one call issues.
const MOST_KEYS: usize = 500;

/// Longest note.
const LONGEST_NOTE: usize = 500;

/// An issue of keys that staff ask for.
#[derive(Clone, Debug)]
pub struct Issue {
    pub codes: Vec<Code>,
    pub note: String,
    pub activate: bool,
}

impl Issue {
    /// `count` random keys, or exactly the given codes.
    pub fn parse(
        count: u32,
        codes: &[String],
        note: &str,
        activate: bool,
    ) -> Result<Self, Refusal> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if !(1..=MOST_KEYS).contains(&count) || (!codes.is_empty() && codes.len() != count) {
            return Err(Refusal::invalid("count"));
        }
        if note.chars().count() > LONGEST_NOTE || note.contains('\0') {
            return Err(Refusal::invalid("note"));
        }
        let exact: Option<Vec<Code>> = codes.iter().map(|code| Code::parse(code)).collect();
        let exact = exact.ok_or_else(|| Refusal::invalid("codes"))?;
        let codes = if exact.is_empty() {
            (0..count).map(|_| Code::random()).collect()
        } else {
            exact
        };
        Ok(Self {
            codes,
            note: note.to_owned(),
            activate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_codes_have_a_form_and_differ() {
        let code = Code::random();
        assert_eq!(code.expose().len(), 19);
        assert_eq!(
            Code::parse(&code.expose().to_lowercase()),
            Some(code.clone())
        );
        assert_ne!(code, Code::random());
    }

    #[test]
    fn masks_all_but_four_and_prints_none() {
        let code = Code::from("DEMO-LICENSE-0001".to_owned());
        assert_eq!(code.masked(), "****0001");
        let shown = format!("{code:?}");
        assert!(!shown.contains("0001"), "{shown}");
    }

    #[test]
    fn junk_is_no_code() {
        for text in [
            "",
            "abc",
            "a b c d",
            "DEMO_1234",
            "ДЕМО-1234",
            &"A".repeat(65),
        ] {
            assert_eq!(Code::parse(text), None, "{text}");
        }
    }
}
