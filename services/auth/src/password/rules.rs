//! Which passwords may be set: those that an attacker does not try first.
//!
//! There are no rules of composition: they make passwords worse, not better.

use adfolio_kit::refusal::Rule;
use precis_core::profile::Rules as _;
use precis_profiles::OpaqueString;
use secrecy::{ExposeSecret, SecretString};

use super::common;
use crate::free_form::{is_blank, is_free_form};
use crate::username::key_of;

const SHORTEST: usize = 8;
const LONGEST: usize = 128;

/// Shorter names are found in many passwords by chance.
const SHORTEST_NAME: usize = 3;

/// A password that may be set, in the form in which it is hashed: the OpaqueString of PRECIS (RFC 8265).
#[derive(Clone, Debug)]
pub struct NewPassword(SecretString);

impl NewPassword {
    /// Checks a password as typed by somebody with these names, or tells the rule that it breaks.
    pub fn parse(typed: &SecretString, names: &[&str]) -> Result<Self, Rule> {
        let typed = typed.expose_secret();
        // Bounds the work of what follows.
        if typed.chars().count() > LONGEST {
            return Err(Rule::TooLong);
        }
        if !typed.is_empty() && is_blank(typed) {
            return Err(Rule::Blank);
        }
        let password = prepared(typed).ok_or(Rule::Form)?;
        let text = password.expose_secret();
        if text.chars().count() < SHORTEST {
            return Err(Rule::TooShort);
        }
        if common::contains(&text.to_lowercase()) {
            return Err(Rule::Common);
        }
        if is_like_a_name(text, names) {
            return Err(Rule::LikeName);
        }
        Ok(Self(password))
    }

    /// One from before there were rules.
    #[cfg(test)]
    pub fn as_typed(text: &str) -> Self {
        Self(text.into())
    }

    /// The password in its form.
    pub fn secret(&self) -> &SecretString {
        &self.0
    }
}

/// A password as OpaqueString: blanks are the blank of ASCII, and composed characters are one. None if it cannot be
/// such, as those from before may be.
pub fn prepared(typed: &str) -> Option<SecretString> {
    if !is_free_form(typed) {
        return None;
    }
    let profile = OpaqueString::new();
    let mapped = profile.additional_mapping_rule(typed).ok()?;
    let normal = profile.normalization_rule(mapped).ok()?;
    Some(normal.into_owned().into())
}

/// The names that a password of this user may not be made of.
pub fn names_of<'a>(username: &'a str, nickname: &'a str, email: &'a str) -> [&'a str; 3] {
    let local = email.rsplit_once('@').map_or(email, |(local, _)| local);
    [username, nickname, local]
}

/// Whether a password is a name, or too short without the names in it. Case does not count, nor direction.
///
/// A name within a long password does not make it weak: `adfolio-admin` of `admin` still has eight characters to guess.
fn is_like_a_name(password: &str, names: &[&str]) -> bool {
    let password = key_of(password);
    let mut names: Vec<String> = names.iter().map(|name| key_of(name)).collect();
    let reversed: Vec<String> = names
        .iter()
        .map(|name| name.chars().rev().collect())
        .collect();
    names.extend(reversed);
    if names.contains(&password) {
        return true;
    }
    // The longest first: it may contain another.
    names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
    let mut rest = password.clone();
    for name in names
        .iter()
        .filter(|name| name.chars().count() >= SHORTEST_NAME)
    {
        rest = rest.replace(name.as_str(), "");
    }
    rest != password && rest.chars().count() < SHORTEST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(password: &str) -> Option<Rule> {
        rule_for(password, &[])
    }

    fn rule_for(password: &str, names: &[&str]) -> Option<Rule> {
        NewPassword::parse(&password.into(), names).err()
    }

    fn form(password: &str) -> Option<String> {
        prepared(password).map(|password| password.expose_secret().to_owned())
    }

    #[test]
    fn length_counts_characters() {
        for short in ["", "sieben7", "öüäöüäö", "🙂🙂🙂🙂"] {
            assert_eq!(rule(short), Some(Rule::TooShort), "{short}");
        }
        for long_enough in ["achtacht", "öüäöüäöü", &"lang".repeat(32)] {
            assert_eq!(rule(long_enough), None, "{long_enough}");
        }
        assert_eq!(rule(&"x".repeat(129)), Some(Rule::TooLong));
    }

    #[test]
    fn common_ones_are_refused_in_any_case() {
        for password in [
            "password",
            "PassWord1",
            "12345678",
            "qwertyuiop",
            "iloveyou",
            "!QAZ2wsx",
            // Far down in the list.
            "Metallica1",
            "19871987",
        ] {
            assert_eq!(rule(password), Some(Rule::Common), "{password}");
        }
        assert_eq!(rule("adfolio-demo-1"), None);
    }

    #[test]
    fn blanks_alone_are_refused() {
        for password in [
            " ",
            "        ",
            "\u{3000}\u{a0}      ",
            "\t\t\t\t\t\t\t\t",
            "\u{200b}\u{200b}",
        ] {
            assert_eq!(rule(password), Some(Rule::Blank), "{password:?}");
        }
        assert_eq!(rule("  a  b  "), None);
    }

    #[test]
    fn names_are_refused_in_any_case_and_direction() {
        let names = names_of("Annabelle.Lee", "La Belle", "belle_ball@shop.example");
        for password in [
            "annabelle.lee",
            "eel.ellebannA",
            "annabelle.lee1",
            "12LA BELLE89",
            "Belle_Ball1",
            "llab_elleb!",
            "belle_ball.annabelle.lee",
        ] {
            assert_eq!(
                rule_for(password, &names),
                Some(Rule::LikeName),
                "{password}"
            );
        }
        for password in ["correct horse", "annabelle.lee and 7 seas"] {
            assert_eq!(rule_for(password, &names), None, "{password}");
        }
    }

    #[test]
    fn a_name_in_a_long_password_is_no_harm() {
        for (name, password) in [
            ("admin", "adfolio-admin"),
            ("admin2", "adfolio-admin2"),
            ("demo", "adfolio-demo-1"),
            // Too short to be looked for, or absent.
            ("a", "banananana"),
            ("", "banananana"),
        ] {
            assert_eq!(rule_for(password, &[name]), None, "{password}");
        }
    }

    #[test]
    fn the_examples_of_rfc_8265() {
        for (typed, kept) in [
            (
                "correct horse battery staple",
                "correct horse battery staple",
            ),
            (
                "Correct Horse Battery Staple",
                "Correct Horse Battery Staple",
            ),
            ("πßå", "πßå"),
            ("Jack of ♦s", "Jack of ♦s"),
            ("foo\u{1680}bar", "foo bar"),
            ("Zoe\u{308} is here", "Zoë is here"),
        ] {
            assert_eq!(form(typed).as_deref(), Some(kept));
        }
        // A control character.
        assert_eq!(form("my cat is a \u{9}by"), None);
        assert_eq!(rule("my cat is a \u{9}by"), Some(Rule::Form));
        assert_eq!(rule("🤖🫠❤️👩‍💻 robots"), None);
    }
}
