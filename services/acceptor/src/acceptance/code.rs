//! Acceptance codes.

use adfolio_kit::refusal::Refusal;
use secrecy::{ExposeSecret, SecretString};

/// Letters and digits that are not mistaken for one another on paper or on the telephone.
const ALPHABET: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/// Groups of a random code, and letters in each: about 59 bits, far beyond guessing at ten tries in ten minutes.
const GROUPS: usize = 3;
const GROUP_LENGTH: usize = 4;

/// Lengths that a code can have.
const SHORTEST: usize = 6;
const LONGEST: usize = 32;

/// An acceptance code: 6 to 32 of `A-Z`, `0-9` and `-`. Anyone who knows it may use it, so it is never logged.
#[derive(Clone, Debug)]
pub struct Code(SecretString);

impl Code {
    /// A new random code.
    pub fn random() -> Self {
        let group = |_| {
            (0..GROUP_LENGTH)
                .map(|_| random_letter())
                .collect::<String>()
        };
        let groups: Vec<_> = (0..GROUPS).map(group).collect();
        Self(groups.join("-").into())
    }

    /// Exactly the code that staff ask for.
    pub fn exact(text: &str) -> Result<Self, Refusal> {
        let fits = (SHORTEST..=LONGEST).contains(&text.len());
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
        if fits && plain {
            Ok(Self(text.into()))
        } else {
            Err(Refusal::invalid("code"))
        }
    }

    /// The code that a person typed, in any letter case, with blanks around it. None if the text cannot be a code.
    pub fn typed(text: &str) -> Option<Self> {
        if text.len() > 4 * LONGEST {
            return None;
        }
        Self::exact(&text.trim().to_ascii_uppercase()).ok()
    }

    /// Its text.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

fn random_letter() -> char {
    let index = rand::random_range(0..ALPHABET.len());
    char::from(ALPHABET.get(index).copied().unwrap_or(b'2'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_codes_are_codes_and_differ() {
        let codes: std::collections::HashSet<String> = (0..1_000)
            .map(|_| Code::random().expose().to_owned())
            .collect();
        assert_eq!(codes.len(), 1_000);
        for code in codes {
            assert_eq!(Code::exact(&code).unwrap().expose(), code);
            assert!(!code.contains(['0', 'O', '1', 'I', 'L']));
        }
    }

    #[test]
    fn what_staff_ask_for_is_exact_and_what_people_type_is_forgiven() {
        let exact = Code::exact("DEMO-PERSONAL").unwrap();
        assert_eq!(exact.expose(), "DEMO-PERSONAL");
        for wrong in ["", "ABC", "abcdef", "ABC DEF", "ÄBCDEF", &"A".repeat(33)] {
            let refusal = Code::exact(wrong).unwrap_err();
            assert_eq!(refusal, Refusal::invalid("code"), "{wrong}");
        }
        let typed = Code::typed(" demo-personal\n").unwrap();
        assert_eq!(typed.expose(), "DEMO-PERSONAL");
        assert!(Code::typed("short").is_none());
    }

    #[test]
    fn a_code_is_not_printed() {
        let shown = format!("{:?}", Code::exact("DEMO-PERSONAL").unwrap());
        assert!(!shown.contains("DEMO"), "{shown}");
    }
}
