//! Exchange rates: exact decimals with up to eight decimals.

use std::fmt;
use std::str::FromStr;

use adfolio_kit::column;

/// Decimals that a rate can have.
const DECIMALS: usize = 8;

/// One, in hundred-millionths.
const SCALE: i64 = 100_000_000;

/// Digits before the point at most: with the decimals they fit into 64 bits.
const LONGEST_WHOLE: usize = 10;

/// Units of the other currency for one unit of wallet money; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(i64);

// In hundred-millionths.
column!(Rate: i64, |e8| Ok(Rate::from_e8(e8).ok_or(RateError)?));

/// A text that is no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a positive decimal with up to {DECIMALS} decimals")]
pub struct RateError;

impl Rate {
    fn from_e8(e8: i64) -> Option<Self> {
        (e8 > 0).then_some(Self(e8))
    }

    /// In hundred-millionths.
    pub fn e8(self) -> i64 {
        self.0
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return Err(RateError),
            Some(parts) => parts,
            None => (text, ""),
        };
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let fits = (1..=LONGEST_WHOLE).contains(&whole.len()) && fraction.len() <= DECIMALS;
        if !fits || !digits_only(whole) || !digits_only(fraction) {
            return Err(RateError);
        }
        let e8 = format!("{whole}{fraction:0<DECIMALS$}")
            .parse()
            .map_err(|_| RateError)?;
        Self::from_e8(e8).ok_or(RateError)
    }
}

impl fmt::Display for Rate {
    /// The shortest form that reads back as the same rate.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / SCALE, self.0 % SCALE);
        if rest == 0 {
            return write!(formatter, "{whole}");
        }
        let decimals = format!("{rest:0DECIMALS$}");
        write!(formatter, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_and_read_back() {
        for (text, e8, shown) in [
            ("7.1834", 718_340_000, "7.1834"),
            ("0.00000001", 1, "0.00000001"),
            ("1", 100_000_000, "1"),
            ("007.50", 750_000_000, "7.5"),
            (
                "9999999999.99999999",
                999_999_999_999_999_999,
                "9999999999.99999999",
            ),
            ("0.1", 10_000_000, "0.1"),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!((rate.e8(), rate.to_string().as_str()), (e8, shown));
            assert_eq!(rate.to_string().parse(), Ok(rate));
        }
    }

    #[test]
    fn what_is_no_positive_decimal_is_refused() {
        for text in [
            "",
            "0",
            "0.0",
            "-1",
            "+1",
            "1.",
            ".5",
            "1e3",
            "NaN",
            "inf",
            "1,5",
            " 1",
            "1.123456789",
            "12345678901",
            "1.2.3",
            "٣",
        ] {
            assert_eq!(text.parse::<Rate>(), Err(RateError), "{text}");
        }
    }
}
