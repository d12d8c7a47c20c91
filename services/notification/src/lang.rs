//! The twelve languages, and how amounts are written in them.

use adfolio_money::Money;

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $group:literal, $point:literal;)*) => {
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
        }
    };
}

languages! {
    /// Traditional Chinese.
    Cht = "cht", ',', '.';
    /// German.
    De = "de", '.', ',';
    /// English.
    En = "en", ',', '.';
    /// French.
    Fr = "fr", '\u{202f}', ',';
    /// Japanese.
    Jp = "jp", ',', '.';
    /// Korean.
    Kor = "kor", ',', '.';
    /// Portuguese.
    Pt = "pt", '.', ',';
    /// Russian.
    Ru = "ru", '\u{a0}', ',';
    /// Spanish.
    Spa = "spa", '.', ',';
    /// Thai.
    Th = "th", ',', '.';
    /// Vietnamese.
    Vi = "vi", '.', ',';
    /// Simplified Chinese.
    Zh = "zh", ',', '.';
}

impl Lang {
    /// What is used where a language has no text of its own.
    pub const FALLBACK: Self = Self::En;

    /// The caller's language; anything that is none of the twelve is the fallback.
    pub fn of_caller(code: &str) -> Self {
        Self::from_code(code).unwrap_or(Self::FALLBACK)
    }

    /// An amount with two decimals, as it is written in this language.
    pub fn money(self, amount: Money) -> String {
        let (group, point) = self.separators();
        let plain = amount.to_string();
        let (sign, magnitude) = plain
            .strip_prefix('-')
            .map_or(("", plain.as_str()), |rest| ("-", rest));
        let (whole, cents) = magnitude.split_once('.').unwrap_or((magnitude, "00"));
        let mut text = sign.to_owned();
        for (index, digit) in whole.chars().enumerate() {
            let left = whole.len().saturating_sub(index);
            if index > 0 && left % 3 == 0 {
                text.push(group);
            }
            text.push(digit);
        }
        text.push(point);
        text.push_str(cents);
        text
    }
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
