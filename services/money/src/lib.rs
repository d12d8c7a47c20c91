//! Money as checked integers.
//!
//! [`Money`] counts minor units (cents) of the platform's one currency; the ledger posts it.
//! [`Micros`] counts millionths of a unit; networks report it, because they charge fractions of a
//! cent. Neither uses floating point, and no operation wraps: a result that does not fit is an
//! [`MoneyError::Overflow`].
#![deny(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

/// Sums and differences of amounts.
macro_rules! checked {
    ($amount:ident) => {
        impl $amount {
            /// The sum.
            pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
                let sum = self.0.checked_add(other.0);
                sum.map(Self).ok_or(MoneyError::Overflow)
            }

            /// The difference.
            pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
                let difference = self.0.checked_sub(other.0);
                difference.map(Self).ok_or(MoneyError::Overflow)
            }
        }
    };
}

mod micros;
mod money;

pub use micros::Micros;
pub use money::Money;

/// Why a text is not an amount, or a result cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The text is not a plain decimal number: it is empty, or has a sign where none is allowed, an
    /// exponent, spaces or letters.
    #[error("not a decimal amount")]
    Malformed,
    /// More decimals than the unit has.
    #[error("too many decimals")]
    TooManyDecimals,
    /// The result does not fit into 64 bits.
    #[error("amount out of range")]
    Overflow,
}

/// Splits `12.5` into its digits before and after the point. Both may be of any length; the part
/// before is never empty, and a point must be followed by a digit.
fn split_decimal(text: &str) -> Result<(&str, &str), MoneyError> {
    let (whole, fraction) = match text.split_once('.') {
        Some((_, "")) => return Err(MoneyError::Malformed),
        Some(parts) => parts,
        None => (text, ""),
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return Err(MoneyError::Malformed);
    }
    Ok((whole, fraction))
}

/// Reads digits as a number; an empty text is 0.
fn digits_to_i128(digits: &str) -> Result<i128, MoneyError> {
    // 36 digits always fit into 127 bits; more cannot be an amount of money.
    if digits.len() > 36 {
        return Err(MoneyError::Overflow);
    }
    if digits.is_empty() {
        return Ok(0);
    }
    digits.parse().map_err(|_| MoneyError::Malformed)
}

/// Divides rounding half to even. `divisor` must be positive.
fn divide_half_even(value: i128, divisor: i128) -> Option<i128> {
    let quotient = value.checked_div_euclid(divisor)?;
    let remainder = value.checked_rem_euclid(divisor)?;
    let twice = remainder.checked_mul(2)?;
    let odd = quotient.checked_rem_euclid(2)? == 1;
    if twice > divisor || (twice == divisor && odd) {
        quotient.checked_add(1)
    } else {
        Some(quotient)
    }
}
