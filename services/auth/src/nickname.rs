//! Names that are shown: the Nickname of PRECIS (RFC 8266).

use adfolio_kit::refusal::{Refusal, Rule};
use precis_core::profile::Rules as _;
use precis_profiles::Nickname;

use crate::free_form::{is_blank, is_free_form};

/// How often the rules are applied until nothing changes; RFC 8264 asks for no more.
const ROUNDS: usize = 4;

/// A nickname of at most `longest` characters as it is kept, or VALIDATION of `nickname` with the rule that it breaks.
pub fn parse(text: &str, longest: usize) -> Result<String, Refusal> {
    enforce(text, longest).map_err(|rule| Refusal::broken(rule, "nickname"))
}

fn enforce(text: &str, longest: usize) -> Result<String, Rule> {
    if is_blank(text) {
        return Err(Rule::Blank);
    }
    let mut name = text.trim().to_owned();
    if name.chars().count() > longest {
        return Err(Rule::TooLong);
    }
    let profile = Nickname::new();
    for _ in 0..ROUNDS {
        if !is_free_form(&name) {
            return Err(Rule::Form);
        }
        let next = profile
            .additional_mapping_rule(name.as_str())
            .and_then(|mapped| profile.normalization_rule(mapped))
            .map_err(|_| Rule::Form)?;
        if next == name {
            // Compatibility forms unfold.
            return if name.chars().count() > longest {
                Err(Rule::TooLong)
            } else {
                Ok(name)
            };
        }
        name = next.into_owned();
    }
    Err(Rule::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_8266() {
        for (typed, kept) in [
            ("Foo", "Foo"),
            ("foo", "foo"),
            ("Foo Bar", "Foo Bar"),
            ("  Foo   Bar  ", "Foo Bar"),
            ("\u{a0}Foo\u{2003}Bar", "Foo Bar"),
            ("Σ", "Σ"),
            ("ς", "ς"),
            ("Richard Ⅳ", "Richard IV"),
            ("♚", "♚"),
        ] {
            assert_eq!(enforce(typed, 64).as_deref(), Ok(kept));
        }
        assert_eq!(enforce("", 64), Err(Rule::Blank));
    }

    #[test]
    fn any_script_and_emoji_are_kept() {
        for name in [
            "ann",
            "Zoë & Co. (7)",
            "张伟明",
            "O’Neil",
            "محمد علی",
            "می\u{200c}خواهم",
            "👩🏽‍💻 Ann",
            "🤖",
        ] {
            assert_eq!(enforce(name, 64).as_deref(), Ok(name));
        }
    }

    #[test]
    fn nothing_hides_or_turns_in_it() {
        for name in [
            "ann\u{202e}nimda",
            "\u{2066}ann\u{2069}",
            "ann\u{200f}",
            "a\u{200b}nn",
            "a\u{7}nn",
            "a\nb",
            "\u{feff}ann",
        ] {
            assert_eq!(enforce(name, 64), Err(Rule::Form), "{name:?}");
        }
        for name in ["   ", "\u{2800}", "\u{3164}"] {
            assert_eq!(enforce(name, 64), Err(Rule::Blank), "{name:?}");
        }
        assert_eq!(enforce(&"x".repeat(65), 64), Err(Rule::TooLong));
        // One character that unfolds into eighteen.
        assert_eq!(enforce(&"\u{fdfa}".repeat(4), 64), Err(Rule::TooLong));
    }
}
