//! Arithmetic of amounts that cannot fail: what leaves the range stays at its end, and nothing falls below zero.
#![deny(clippy::float_arithmetic, clippy::arithmetic_side_effects)]

use adfolio_money::Micros;

/// The sum.
pub(crate) fn sum(amounts: impl IntoIterator<Item = Micros>) -> Micros {
    let add = |sum: i64, amount: Micros| sum.saturating_add(amount.get());
    Micros::new(amounts.into_iter().fold(0, add))
}

/// What is left of an amount, at least nothing.
pub(crate) fn less(amount: Micros, taken: Micros) -> Micros {
    Micros::new(amount.get().saturating_sub(taken.get()).max(0))
}

/// `amount × numerator / denominator`, rounded down. The amount itself if the result is undefined; negative
/// amounts count as nothing.
pub(crate) fn times_ratio(amount: Micros, numerator: u128, denominator: u128) -> Micros {
    let micros = u128::try_from(amount.get()).unwrap_or(0);
    let product = micros
        .checked_mul(numerator)
        .and_then(|product| product.checked_div(denominator));
    let product = product.unwrap_or(micros);
    Micros::new(i64::try_from(product).unwrap_or(i64::MAX))
}

/// Amounts as whole millionths.
pub(crate) mod serde_micros {
    use adfolio_money::Micros;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(crate) fn serialize<S: Serializer>(
        amount: &Micros,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(amount.get())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Micros, D::Error> {
        i64::deserialize(deserializer).map(Micros::new)
    }
}
