//! The other side of an exchange: an exact decimal in the other currency.

use adfolio_money::Money;

use crate::acceptance::entity::Currency;
use crate::acceptance::rate::Rate;

/// Currencies without two decimals (ISO 4217).
const DECIMALS: [(u32, &[&str]); 3] = [
    (
        0,
        &[
            "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI",
            "VND", "VUV", "XAF", "XOF", "XPF",
        ],
    ),
    (3, &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]),
    (4, &["CLF", "UYW"]),
];

/// Decimals of every other currency, and of the wallet's.
const USUAL_DECIMALS: u32 = 2;

/// One, in the hundred-millionths of a rate.
const RATE_SCALE: i128 = 100_000_000;

/// Decimals of a currency.
fn decimals(currency: &Currency) -> u32 {
    DECIMALS
        .iter()
        .find(|(_, codes)| codes.contains(&currency.as_str()))
        .map_or(USUAL_DECIMALS, |(decimals, _)| *decimals)
}

/// `amount` at `rate`, rounded down to the minor unit of `currency`. None if the result is zero or too large.
pub fn counter_amount(amount: Money, rate: Rate, currency: &Currency) -> Option<String> {
    let decimals = decimals(currency);
    let unit = 10_i128.checked_pow(decimals)?;
    let cents = 10_i128.checked_pow(USUAL_DECIMALS)?;
    let product = i128::from(amount.minor())
        .checked_mul(i128::from(rate.e8()))?
        .checked_mul(unit)?;
    let minor = product.checked_div(RATE_SCALE.checked_mul(cents)?)?;
    if minor <= 0 {
        return None;
    }
    if decimals == 0 {
        return Some(minor.to_string());
    }
    let (whole, rest) = (minor.checked_div(unit)?, minor.checked_rem(unit)?);
    let width = usize::try_from(decimals).ok()?;
    Some(format!("{whole}.{rest:0width$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(minor: i64, rate: &str, currency: &str) -> Option<String> {
        counter_amount(
            Money::from_minor(minor),
            rate.parse().unwrap(),
            &Currency::parse(currency).unwrap(),
        )
    }

    #[test]
    fn it_is_rounded_down_to_the_other_currencys_minor_unit() {
        for (minor, rate, currency, expected) in [
            (10_000, "0.9215", "EUR", "92.15"),
            (1_001, "0.92159", "EUR", "9.22"),
            (1_099, "1", "JPY", "10"),
            (100, "153.99", "JPY", "153"),
            (1_000, "0.30789", "KWD", "3.078"),
            (1, "1.99", "USD", "0.01"),
            (12_345, "0.03", "CLF", "3.7035"),
        ] {
            assert_eq!(
                counter(minor, rate, currency).as_deref(),
                Some(expected),
                "{minor} {rate} {currency}"
            );
        }
    }

    #[test]
    fn nothing_is_no_counter_amount() {
        assert_eq!(counter(1, "0.99999999", "USD"), None);
        assert_eq!(counter(99, "1", "JPY"), None);
    }

    #[test]
    fn the_largest_amount_at_the_largest_rate_is_exact() {
        assert_eq!(
            counter(1_000_000_000_000, "9999999999.99999999", "CLF").as_deref(),
            Some("99999999999999999900.0000")
        );
    }
}
