//! Plan numbers: short enough to read out, unique, and telling the day.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Crockford's base 32: no letter that looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Letters after the day: 30 bits, so that a day of 100,000 plans meets a taken number about five
/// times; the database then refuses it and the order is made anew with another id.
const LETTERS: u32 = 6;

/// The number of the order `id` made on the day of `now`: `AD191124K3F9ZQ`. It is made of the id's
/// random end.
pub fn plan_number(id: Uuid, now: DateTime<Utc>) -> String {
    let bits = id.as_u128();
    let letters = (0..LETTERS).map(|position| {
        let index = usize::try_from((bits >> (position * 5)) & 31).unwrap_or(0);
        char::from(ALPHABET.get(index).copied().unwrap_or(b'0'))
    });
    format!("AD{}{}", now.format("%y%m%d"), letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_day_and_the_end_of_the_id() {
        let day = DateTime::from_timestamp(1_574_553_600, 0).unwrap();
        assert_eq!(plan_number(Uuid::from_u128(0), day), "AD191124000000");
        assert_eq!(
            plan_number(Uuid::from_u128(31 + (32 << 5)), day),
            "AD191124Z01000"
        );
    }
}
