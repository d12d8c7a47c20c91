//! Texts that people write freely: PRECIS's FreeformClass (RFC 8264) by the Unicode of today.
//!
//! The tables of `precis-core` are those of the registry of IANA, of Unicode 6.3 (2013). A character that came later is
//! classified here by the same algorithm. And emoji are written with joiners and variation selectors, which the class
//! takes for invisible; between the parts of an emoji they are none.

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic, GeneralCategory,
    GeneralCategoryGroup,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use precis_core::{DerivedPropertyValue, FreeformClass, StringClass as _};

const ZERO_WIDTH_JOINER: char = '\u{200d}';
const AS_TEXT: char = '\u{fe0e}';
const AS_EMOJI: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Takes the place of a newer character. Any that is allowed everywhere.
const STAND_IN: char = 'x';

/// Looks like a blank, but is a symbol.
const BRAILLE_BLANK: char = '\u{2800}';

/// Whether the text has only characters of the class, each where it may be. Controls, invisible characters and those
/// that turn the direction of what follows are none, except for joiners where a script needs them.
pub fn is_free_form(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let known: String = letters
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_within_emoji(&letters, *at))
        .map(|(_, letter)| if is_newer(*letter) { STAND_IN } else { *letter })
        .collect();
    FreeformClass::default().allows(known).is_ok()
}

/// Whether there is nothing to see in the text.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| {
        letter.is_whitespace() || letter == BRAILLE_BLANK || is_default_ignorable(letter)
    })
}

/// Whether a character shows nothing where it is not supported.
pub fn is_default_ignorable(letter: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
}

/// Whether the letter makes its neighbours one emoji.
fn is_within_emoji(letters: &[char], at: usize) -> bool {
    let (before, after) = letters.split_at(at);
    let Some((letter, after)) = after.split_first() else {
        return false;
    };
    let next = after.first();
    match *letter {
        AS_TEXT | AS_EMOJI => before.last().is_some_and(|last| {
            let keycap = last.is_ascii() && next == Some(&KEYCAP);
            keycap || !last.is_ascii() && CodePointSetData::new::<Emoji>().contains(*last)
        }),
        ZERO_WIDTH_JOINER => {
            let modifies = |letter: &&char| {
                **letter == AS_EMOJI || CodePointSetData::new::<EmojiModifier>().contains(**letter)
            };
            let joined = before.iter().rev().find(|letter| !modifies(letter));
            is_pictograph(joined) && is_pictograph(next)
        }
        _ => false,
    }
}

fn is_pictograph(letter: Option<&char>) -> bool {
    letter.is_some_and(|letter| CodePointSetData::new::<ExtendedPictographic>().contains(*letter))
}

/// Whether Unicode got the character after 6.3, and it is one of the class.
fn is_newer(letter: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(letter);
    let visible = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Mark)
        .union(GeneralCategoryGroup::Number)
        .union(GeneralCategoryGroup::Punctuation)
        .union(GeneralCategoryGroup::Symbol);
    FreeformClass::default().get_value_from_char(letter) == DerivedPropertyValue::Unassigned
        && visible.contains(category)
        && !is_default_ignorable(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_of_any_year_are_free_form() {
        for text in [
            "☠",
            "🐒 and 🐵",
            "❤️",
            "1️⃣",
            "👍🏽",
            "🤖",
            "🫠",
            "👩‍💻",
            "👩🏽‍💻",
            "❤️‍🔥",
            "👨‍👩‍👧‍👦",
            "🇩🇪",
            "𞤀𞤣𞤤𞤢𞤥",
        ] {
            assert!(is_free_form(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_seen_is_not() {
        for letter in [
            '\u{0}',
            '\u{7}',
            '\u{9}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{202a}',
            '\u{202b}',
            '\u{202c}',
            '\u{202d}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{2067}',
            '\u{2068}',
            '\u{2069}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fffe}',
            '\u{e0020}',
            '\u{e0100}',
            '\u{f0000}',
        ] {
            assert!(!is_free_form(&format!("a{letter}b")), "{letter:?}");
            assert!(!is_free_form(&format!("1{letter}")), "{letter:?}");
            assert!(!is_free_form(&format!("🙂{letter}{letter}")), "{letter:?}");
        }
    }

    #[test]
    fn joiners_stand_where_a_script_needs_them() {
        // Persian and Sinhala.
        for text in ["می\u{200c}خواهم", "ශ්\u{200d}රී"] {
            assert!(is_free_form(text), "{text}");
        }
        assert!(!is_free_form("an\u{200c}na"));
        assert!(!is_free_form("an\u{200d}na"));
    }

    #[test]
    fn blanks_show_nothing() {
        for text in ["", "  ", "\u{3000}\u{a0}", "\u{2800}", "\u{200b}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank(" . "));
    }
}
