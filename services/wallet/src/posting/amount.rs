//! The amounts that a command may move.

use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;

/// The largest amount that one command may move: ten trillion units. Thousands of them fit into a balance, whose limit
/// (a thousand times this) the schema keeps far inside 64 bits.
pub const LARGEST_AMOUNT: Money = Money::from_minor(1_000_000_000_000_000);

/// An amount of at least `least` and at most [`LARGEST_AMOUNT`].
pub fn amount_between(least: Money, minor: i64, field: &'static str) -> Result<Money, Refusal> {
    let amount = Money::from_minor(minor);
    if (least..=LARGEST_AMOUNT).contains(&amount) {
        Ok(amount)
    } else {
        Err(Refusal::invalid(field))
    }
}
