//! What a user writes on a payment, so that staff find whose money it is.
//!
//! A creditor reference of ISO 11649: banks and their forms check its two digits, so a mistyped one is found before it
//! is sent. It follows from the user's id, so it never changes; an index of the database has it, too.

use adfolio_kit::identity::UserId;
use sha2::{Digest as _, Sha256};

/// Bytes of the digest behind the check digits: 64 bits, so that no two users share them.
const BYTES: usize = 8;

/// `RF`, two check digits, and sixteen hexadecimal digits in upper case.
pub fn payment_reference(user: UserId) -> String {
    let digest = Sha256::digest(user.0.as_bytes());
    let text = hex::encode_upper(digest.split_at(BYTES).0);
    let check = 98 - remainder(&format!("{text}RF00"));
    format!("RF{check:02}{text}")
}

/// The digits behind the check digits, in lower case, if a text is a reference; blanks in it are dropped.
pub fn digits(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect::<String>().to_uppercase();
    let (head, body) = text.split_at_checked(4)?;
    let is_ours = head.starts_with("RF") && body.len() == 2 * BYTES && hex::decode(body).is_ok();
    let is_valid = is_ours && remainder(&format!("{body}{head}")) == 1;
    is_valid.then(|| body.to_lowercase())
}

/// The remainder by 97 of the number that ISO 11649 reads in a text: letters count from 10.
fn remainder(text: &str) -> u32 {
    text.chars()
        .filter_map(|character| character.to_digit(36))
        .fold(0, |rest, digit| {
            let shift = if digit < 10 { 10 } else { 100 };
            (rest * shift + digit) % 97
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_the_standard() {
        // The example of ISO 11649.
        assert_eq!(98 - remainder("539007547034RF00"), 18);
    }

    #[test]
    fn a_reference_is_read_as_it_is_written_and_a_mistyped_one_is_none() {
        let user = UserId("0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f".parse().unwrap());
        let reference = payment_reference(user);
        assert_eq!(reference.len(), 20);
        let body = reference.split_at(4).1.to_lowercase();
        assert_eq!(digits(&reference), Some(body.clone()));
        let spaced = reference.to_lowercase().replace("rf", " rf ");
        assert_eq!(digits(&spaced), Some(body));
        let other = if reference.ends_with('0') { "1" } else { "0" };
        let mistyped = format!("{}{other}", reference.split_at(19).0);
        for wrong in [mistyped.as_str(), "", "RF", "RF18539007547034", "ada"] {
            assert_eq!(digits(wrong), None, "{wrong}");
        }
    }
}
