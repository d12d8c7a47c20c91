use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{MoneyError, digits_to_i128, split_decimal};

/// An amount in minor units (cents). Written with exactly two decimals: `1250.00`, `-12.00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(i64);

checked!(Money);

impl Money {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// An amount of this many minor units.
    pub const fn from_minor(minor: i64) -> Self {
        Self(minor)
    }

    /// The amount in minor units.
    pub const fn minor(self) -> i64 {
        self.0
    }

    /// Whether it is below zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The negated amount.
    pub fn checked_neg(self) -> Result<Self, MoneyError> {
        self.0.checked_neg().map(Self).ok_or(MoneyError::Overflow)
    }

    /// The sum of many amounts.
    pub fn checked_sum(amounts: impl IntoIterator<Item = Self>) -> Result<Self, MoneyError> {
        amounts.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// The share `numerator / denominator` of the amount, rounded towards negative infinity.
    /// A denominator of zero or below is an overflow.
    pub fn share_floor(self, numerator: i64, denominator: i64) -> Result<Self, MoneyError> {
        if denominator <= 0 {
            return Err(MoneyError::Overflow);
        }
        i128::from(self.0)
            .checked_mul(i128::from(numerator))
            .and_then(|product| product.checked_div_euclid(i128::from(denominator)))
            .and_then(|share| i64::try_from(share).ok())
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }

    /// The share of this many basis points (hundredths of a percent), rounded towards negative
    /// infinity.
    pub fn basis_points_floor(self, basis_points: u32) -> Result<Self, MoneyError> {
        self.share_floor(i64::from(basis_points), 10_000)
    }
}

impl FromStr for Money {
    type Err = MoneyError;

    /// Reads what a person or client sends: digits with 0 to 2 decimals, no sign, no spaces, no
    /// exponent.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        let (whole, fraction) = split_decimal(text)?;
        let cents = match fraction.len() {
            0 => Ok(0),
            1 => digits_to_i128(fraction)?
                .checked_mul(10)
                .ok_or(MoneyError::Overflow),
            2 => digits_to_i128(fraction),
            _ => return Err(MoneyError::TooManyDecimals),
        }?;
        digits_to_i128(whole)?
            .checked_mul(100)
            .and_then(|minor| minor.checked_add(cents))
            .and_then(|minor| i64::try_from(minor).ok())
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let (units, cents) = (magnitude / 100, magnitude % 100);
        write!(formatter, "{sign}{units}.{cents:02}")
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    /// Reads the form that [`Display`](fmt::Display) writes, including a sign.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.strip_prefix('-') {
            Some(positive) => positive
                .parse()
                .and_then(Self::checked_neg)
                .map_err(D::Error::custom),
            None => text.parse().map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_the_contract_allows_and_nothing_else() {
        for (text, minor) in [
            ("0", 0),
            ("7", 700),
            ("7.5", 750),
            ("1250.00", 125_000),
            ("007.05", 705),
        ] {
            assert_eq!(text.parse(), Ok(Money::from_minor(minor)), "{text}");
        }
        for text in [
            "", ".", "1.", ".5", "+1", "-1", " 1", "1 ", "1e3", "NaN", "1,00", "0x1", "١",
        ] {
            assert_eq!(text.parse::<Money>(), Err(MoneyError::Malformed), "{text}");
        }
        assert_eq!("1.001".parse::<Money>(), Err(MoneyError::TooManyDecimals));
        assert_eq!("1.000".parse::<Money>(), Err(MoneyError::TooManyDecimals));
        assert_eq!(
            "92233720368547758.08".parse::<Money>(),
            Err(MoneyError::Overflow)
        );
        assert_eq!("9".repeat(60).parse::<Money>(), Err(MoneyError::Overflow));
    }

    #[test]
    fn shares_round_down_and_refuse_to_wrap() {
        let amount = Money::from_minor(1001);
        assert_eq!(amount.basis_points_floor(5_000), Ok(Money::from_minor(500)));
        assert_eq!(amount.share_floor(1, 0), Err(MoneyError::Overflow));
        assert_eq!(
            Money::from_minor(i64::MAX).share_floor(2, 1),
            Err(MoneyError::Overflow)
        );
        assert_eq!(
            Money::from_minor(i64::MIN).checked_neg(),
            Err(MoneyError::Overflow)
        );
        assert_eq!(
            Money::from_minor(i64::MAX).checked_add(Money::from_minor(1)),
            Err(MoneyError::Overflow)
        );
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(minor in any::<i64>()) {
            // The minimum amount has no positive counterpart, so it cannot be read back from its
            // text.
            prop_assume!(minor != i64::MIN);
            let money = Money::from_minor(minor);
            let json = serde_json::to_string(&money).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&json).unwrap(), money);
        }

        #[test]
        fn reading_never_panics(text in ".{0,40}") {
            let _ = text.parse::<Money>();
        }
    }
}
