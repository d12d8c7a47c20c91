use std::fmt;
use std::str::FromStr;

use crate::{Money, MoneyError, digits_to_i128, divide_half_even, split_decimal};

/// Most decimals of a report.
const REPORTED_DECIMALS: usize = 9;

/// Millionths in a unit.
const MICROS_PER_UNIT: u64 = 1_000_000;

/// Decimals that an amount always has.
const CENT_DECIMALS: usize = 2;

/// Millionths in one minor unit.
const MICROS_PER_MINOR: i128 = 10_000;

/// An amount in millionths of a unit, as delivery reports carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micros(i64);

checked!(Micros);

impl Micros {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// An amount of this many millionths.
    pub const fn new(micros: i64) -> Self {
        Self(micros)
    }

    /// The amount in millionths.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This many times the amount.
    pub fn checked_mul(self, times: i64) -> Result<Self, MoneyError> {
        self.0
            .checked_mul(times)
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }

    /// `self × numerator / denominator`, rounded half to even: the price of `numerator` pieces at
    /// `self` per `denominator`. A denominator of zero or below is an overflow.
    pub fn ratio_half_even(self, numerator: i64, denominator: i64) -> Result<Self, MoneyError> {
        if denominator <= 0 {
            return Err(MoneyError::Overflow);
        }
        i128::from(self.0)
            .checked_mul(i128::from(numerator))
            .and_then(|product| divide_half_even(product, i128::from(denominator)))
            .and_then(|micros| i64::try_from(micros).ok())
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }

    /// Rounded half to even to minor units: what is posted or shown for a running total.
    pub fn to_money_half_even(self) -> Money {
        // Dividing an i64 by 10,000 and rounding always fits an i64 again.
        divide_half_even(i128::from(self.0), MICROS_PER_MINOR)
            .and_then(|minor| i64::try_from(minor).ok())
            .map_or(Money::ZERO, Money::from_minor)
    }
}

/// As a decimal with two to six places.
impl fmt::Display for Micros {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let micros = self.0.unsigned_abs();
        let units = micros.checked_div(MICROS_PER_UNIT).unwrap_or(0);
        let digits = format!("{:06}", micros.checked_rem(MICROS_PER_UNIT).unwrap_or(0));
        let (cents, rest) = digits.split_at(CENT_DECIMALS);
        let rest = rest.trim_end_matches('0');
        write!(formatter, "{sign}{units}.{cents}{rest}")
    }
}

impl TryFrom<Money> for Micros {
    type Error = MoneyError;

    fn try_from(money: Money) -> Result<Self, MoneyError> {
        money
            .minor()
            .checked_mul(10_000)
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }
}

impl FromStr for Micros {
    type Err = MoneyError;

    /// Reads what networks report: digits with up to 9 decimals, no sign; rounded half to even to
    /// millionths.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        let (whole, fraction) = split_decimal(text)?;
        let missing = REPORTED_DECIMALS
            .checked_sub(fraction.len())
            .ok_or(MoneyError::TooManyDecimals)?;
        let nanos_of_fraction = digits_to_i128(&format!("{fraction}{}", "0".repeat(missing)))?;
        digits_to_i128(whole)?
            .checked_mul(1_000_000_000)
            .and_then(|nanos| nanos.checked_add(nanos_of_fraction))
            .and_then(|nanos| divide_half_even(nanos, 1_000))
            .and_then(|micros| i64::try_from(micros).ok())
            .map(Self)
            .ok_or(MoneyError::Overflow)
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "a test may fail by panicking"
)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_nine_decimals_and_keeps_six() {
        for (text, micros) in [
            ("0.0015", 1_500),
            ("1", 1_000_000),
            ("0.000000500", 0),
            ("0.000001500", 2),
            ("0.000000501", 1),
        ] {
            assert_eq!(text.parse(), Ok(Micros::new(micros)), "{text}");
        }
        assert_eq!(
            "0.0000000001".parse::<Micros>(),
            Err(MoneyError::TooManyDecimals)
        );
        assert_eq!("-1".parse::<Micros>(), Err(MoneyError::Malformed));
    }

    #[test]
    fn shows_two_decimals_at_least() {
        for (micros, text) in [
            (0, "0.00"),
            (12_500, "0.0125"),
            (-2_500_000, "-2.50"),
            (1, "0.000001"),
        ] {
            assert_eq!(Micros::new(micros).to_string(), text);
        }
    }

    #[test]
    fn rounds_half_to_even() {
        for (micros, minor) in [
            (5_000, 0),
            (15_000, 2),
            (25_000, 2),
            (25_001, 3),
            (-5_000, 0),
            (-15_000, -2),
            (-25_000, -2),
        ] {
            assert_eq!(
                Micros::new(micros).to_money_half_even(),
                Money::from_minor(minor),
                "{micros}"
            );
        }
        assert_eq!(
            Micros::new(2_500_000).ratio_half_even(3, 1_000),
            Ok(Micros::new(7_500))
        );
    }

    proptest! {
        #[test]
        fn rounding_is_never_off_by_more_than_half(micros in any::<i64>()) {
            let minor = i128::from(Micros::new(micros).to_money_half_even().minor());
            prop_assert!((minor * 10_000 - i128::from(micros)).abs() <= 5_000);
        }

        #[test]
        fn a_text_is_read_as_what_it_was_written_from(micros in 0..i64::MAX) {
            prop_assert_eq!(Micros::new(micros).to_string().parse(), Ok(Micros::new(micros)));
        }

        #[test]
        fn money_survives_the_way_there_and_back(minor in -1_000_000_000_000_i64..1_000_000_000_000) {
            let money = Money::from_minor(minor);
            prop_assert_eq!(Micros::try_from(money).unwrap().to_money_half_even(), money);
        }
    }
}
