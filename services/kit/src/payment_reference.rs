//! What a user writes on a payment, so that staff find whose money it is.
//!
//! A creditor reference of ISO 11649: banks and their forms check its two digits, so a mistyped one is found before it
//! is sent. It follows from the user's id, so it never changes; an index of the database has it, too.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::identity::UserId;

/// Characters of a reference.
const LENGTH: usize = 4 + 2 * BYTES;

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

/// The one reference in a text, in the form of [`payment_reference`]. Blanks are dropped, because forms of banks break
/// texts anywhere. None where there is no reference, or several: then nobody knows whose money it is.
pub fn find_in(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect::<String>().to_uppercase();
    let found: BTreeSet<&str> = text
        .match_indices("RF")
        .filter_map(|(start, _)| text.get(start..start.checked_add(LENGTH)?))
        .filter(|part| digits(part).is_some())
        .collect();
    let mut found = found.into_iter();
    let first = found.next()?;
    found.next().is_none().then(|| first.to_owned())
}

/// Whether a text is an IBAN, by its check digits (ISO 13616).
pub fn is_iban(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let Some((head, body)) = text.split_at_checked(4) else {
        return false;
    };
    (15..=34).contains(&text.len())
        && text.bytes().all(is_plain)
        && head.bytes().take(2).all(|byte| byte.is_ascii_uppercase())
        && remainder(&format!("{body}{head}")) == 1
}

/// The remainder by 97 of the number that ISO 7064 reads in a text: letters count from 10.
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
    #[test]
    fn a_reference_is_found_in_what_a_payer_wrote() {
        let [one, two] = [1, 2].map(|id| payment_reference(UserId(uuid::Uuid::from_u128(id))));
        let (head, rest) = one.split_at(9);
        for text in [
            one.clone(),
            format!("top up RF {one} thanks, {one}"),
            format!("{head} \n {rest}").to_lowercase(),
            format!("account{one}RF99"),
        ] {
            assert_eq!(find_in(&text).as_ref(), Some(&one), "{text}");
        }
        let mistyped = one.replace("RF", "RF0");
        for text in [
            String::new(),
            mistyped,
            format!("{one} or {two}"),
            "RFß".to_owned(),
        ] {
            assert_eq!(find_in(&text), None, "{text}");
        }
    }

    #[test]
    fn ibans_are_known_by_their_check_digits() {
        assert!(is_iban("DE89370400440532013000") && is_iban("GB29NWBK60161331926819"));
        for wrong in [
            "DE88370400440532013000",
            "de89370400440532013000",
            "0123456789012345",
            "DE89",
            "",
        ] {
            assert!(!is_iban(wrong), "{wrong}");
        }
    }
}
