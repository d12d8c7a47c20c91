//! A code that confirms an e-mail address: how it is made, how long it works, and how many there may be.

use std::fmt;

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::ids::EmailCodeId;
use crate::staff::factor::Keys;

/// The field that has the code.
pub const CODE: &str = "code";

/// How long a code works.
pub const VALID: TimeDelta = TimeDelta::minutes(15);

/// Wrong tries that end a code.
pub const TRIES: i32 = 5;

/// How long codes count for the limits.
pub const COUNTED_FOR: TimeDelta = TimeDelta::hours(24);

/// Codes that one user, and one mailbox of whatever users, is sent at most within such a time.
const OF_USER: [(usize, TimeDelta); 2] = [(5, TimeDelta::hours(1)), (10, COUNTED_FOR)];
const OF_MAILBOX: [(usize, TimeDelta); 1] = [(10, COUNTED_FOR)];

/// Digits of a code. Ten codes a day have fifty tries: within a year of them six digits would be found with a chance of
/// 2 %.
const DIGITS: usize = 8;
const CODES: u64 = 100_000_000;

/// What codes are made for; part of what is hashed, so that the key makes nothing else alike.
const PURPOSE: &str = "adfolio-email-code-1";

/// An address as it is counted and compared: SHA-256 of it in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailbox(pub [u8; 32]);

impl Mailbox {
    /// Of an address.
    pub fn of(email: &str) -> Self {
        Self(Sha256::digest(email.to_lowercase()).into())
    }
}

/// A code that was asked for. What it is only [`CodeMaker`] knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailCode {
    pub id: EmailCodeId,
    pub user: UserId,
    pub mailbox: Mailbox,
    pub made_at: DateTime<Utc>,
    /// Wrong tries that it has left.
    pub tries_left: i32,
}

impl EmailCode {
    /// A new one.
    pub fn new(id: EmailCodeId, user: UserId, mailbox: Mailbox, now: DateTime<Utc>) -> Self {
        Self {
            id,
            user,
            mailbox,
            made_at: now,
            tries_left: TRIES,
        }
    }

    /// Until then it works.
    pub fn valid_until(&self) -> DateTime<Utc> {
        let end = self.made_at.checked_add_signed(VALID);
        end.unwrap_or(self.made_at)
    }

    /// Whether it can confirm this address of its user.
    pub fn confirms(&self, email: &str, now: DateTime<Utc>) -> bool {
        self.tries_left > 0 && now < self.valid_until() && self.mailbox == Mailbox::of(email)
    }

    /// Counts a wrong try; the last one ends it.
    pub fn miss(&mut self) {
        self.tries_left = self.tries_left.saturating_sub(1).max(0);
    }
}

/// The times of the codes that were sent within [`COUNTED_FOR`], newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    pub to_user: Vec<DateTime<Utc>>,
    pub to_mailbox: Vec<DateTime<Utc>>,
}

impl Sent {
    /// How long the next code has to wait; none if it need not.
    pub fn wait(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        let of_user = OF_USER.iter().map(|limit| (limit, &self.to_user));
        let of_mailbox = OF_MAILBOX.iter().map(|limit| (limit, &self.to_mailbox));
        let left = |((most, within), times): (&(usize, TimeDelta), &Vec<DateTime<Utc>>)| {
            let oldest = times.get(most.saturating_sub(1))?;
            let left = within.checked_sub(&now.signed_duration_since(*oldest))?;
            (left > TimeDelta::zero()).then_some(left)
        };
        of_user.chain(of_mailbox).filter_map(left).max()
    }
}

/// A code as its user typed it. Never shown.
#[derive(Clone, Debug)]
pub struct TypedCode(SecretString);

impl TypedCode {
    /// Reads a code, whatever blanks and hyphens are in it: VALIDATION unless it has the digits of one. That is no try.
    pub fn parse(text: &SecretString) -> Result<Self, Refusal> {
        let text: String = text
            .expose_secret()
            .chars()
            .filter(|letter| !letter.is_whitespace() && *letter != '-')
            .take(DIGITS + 1)
            .collect();
        let has_form = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        if has_form {
            Ok(Self(text.into()))
        } else {
            Err(Refusal::invalid(CODE))
        }
    }

    /// Whether it is this code. A code has few tries, so the duration of the comparison reveals nothing.
    pub fn is(&self, code: &SecretString) -> bool {
        self.0.expose_secret() == code.expose_secret()
    }
}

/// Makes codes with a key that is not in the database. Cheap to clone.
///
/// A code is a function of its id, its user and the mailbox, so each attempt to send it brings the same one, and it
/// stands in no table: a digest of eight digits would give them away in a moment.
#[derive(Clone)]
pub struct CodeMaker {
    current: Hmac<Sha256>,
    previous: Option<Hmac<Sha256>>,
}

impl fmt::Debug for CodeMaker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodeMaker").finish_non_exhaustive()
    }
}

impl CodeMaker {
    /// With the keys that second factors are encrypted with; what is hashed keeps the two uses apart.
    pub fn new(keys: &Keys) -> Result<Self, hmac::digest::InvalidLength> {
        let previous = keys.previous.as_ref();
        Ok(Self {
            current: Hmac::new_from_slice(keys.current.as_slice())?,
            previous: previous
                .map(|key| Hmac::new_from_slice(key.as_slice()))
                .transpose()?,
        })
    }

    /// The digits of a code.
    pub fn digits(&self, code: &EmailCode) -> SecretString {
        Self::digits_with(&self.current, code)
    }

    /// Whether these are its digits, with either key: during a rotation a replica with the other one may have mailed it.
    pub fn is_right(&self, code: &EmailCode, typed: &TypedCode) -> bool {
        let mut keys = [Some(&self.current), self.previous.as_ref()]
            .into_iter()
            .flatten();
        keys.any(|key| typed.is(&Self::digits_with(key, code)))
    }

    fn digits_with(key: &Hmac<Sha256>, code: &EmailCode) -> SecretString {
        let mac = key
            .clone()
            .chain_update(PURPOSE)
            .chain_update(code.id.0.as_bytes())
            .chain_update(code.user.0.as_bytes())
            .chain_update(code.mailbox.0)
            .finalize()
            .into_bytes();
        // 64 bits of it: no code is noticeably more frequent than another one.
        let number = mac
            .iter()
            .take(8)
            .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        format!("{:0DIGITS$}", number % CODES).into()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    fn code(id: u128, user: u128, email: &str) -> EmailCode {
        let (id, user) = (
            EmailCodeId(Uuid::from_u128(id)),
            UserId(Uuid::from_u128(user)),
        );
        EmailCode::new(id, user, Mailbox::of(email), at(0))
    }

    fn maker(byte: u8) -> CodeMaker {
        rotating(byte, None)
    }

    fn rotating(current: u8, previous: Option<u8>) -> CodeMaker {
        let keys = Keys {
            current: [current; 32].into(),
            previous: previous.map(|byte| [byte; 32].into()),
        };
        CodeMaker::new(&keys).expect("a maker")
    }

    fn typed(text: &str) -> Result<TypedCode, Refusal> {
        TypedCode::parse(&text.into())
    }

    #[test]
    fn a_code_belongs_to_its_request_its_user_its_mailbox_and_its_key() {
        let first = code(1, 1, "ann@shop.example");
        let digits = maker(1).digits(&first);
        let typed = typed(digits.expose_secret()).expect("digits");
        assert!(typed.is(&maker(1).digits(&first)), "each attempt's");
        for other in [
            code(2, 1, "ann@shop.example"),
            code(1, 2, "ann@shop.example"),
            code(1, 1, "bob@shop.example"),
        ] {
            assert!(!typed.is(&maker(1).digits(&other)));
        }
        assert!(!typed.is(&maker(2).digits(&first)));
        for (current, previous) in [(1, None), (1, Some(2)), (2, Some(1))] {
            assert!(rotating(current, previous).is_right(&first, &typed));
        }
        for (current, previous) in [(2, None), (2, Some(3))] {
            assert!(!rotating(current, previous).is_right(&first, &typed));
        }
    }

    #[test]
    fn codes_have_eight_digits_of_which_the_first_may_be_zero() {
        let maker = maker(7);
        let all: Vec<SecretString> = (0..200)
            .map(|id| maker.digits(&code(id, 1, "ann@shop.example")))
            .collect();
        assert!(all.iter().all(|one| one.expose_secret().len() == DIGITS));
        assert!(all.iter().any(|one| one.expose_secret().starts_with('0')));
    }

    #[test]
    fn a_code_ends_by_time_by_tries_and_by_another_address() {
        let mut code = code(1, 1, "Ann@shop.example");
        assert!(code.confirms("ann@shop.example", at(0)));
        assert!(!code.confirms("bob@shop.example", at(0)));
        assert!(code.confirms("ann@shop.example", at(15) - TimeDelta::microseconds(1)));
        assert!(!code.confirms("ann@shop.example", at(15)));
        for _ in 0..TRIES {
            assert!(code.confirms("ann@shop.example", at(0)));
            code.miss();
        }
        assert!(!code.confirms("ann@shop.example", at(0)));
        code.miss();
        assert_eq!(code.tries_left, 0);
    }

    #[test]
    fn what_is_typed_may_have_blanks_and_must_have_the_digits() {
        let code = SecretString::from("00123456");
        for text in ["00123456", " 0012 3456 ", "0012-3456"] {
            assert!(typed(text).expect("digits").is(&code), "{text}");
        }
        for text in [
            "",
            "123456",
            "001234567",
            "0012345a",
            "００１２３４５６",
            &"1".repeat(1 << 20),
        ] {
            let refusal = typed(text).expect_err("refused");
            assert_eq!(refusal.field.as_deref(), Some(CODE));
        }
        let shown = format!("{:?}", typed("00123456"));
        assert!(!shown.contains("00123456"), "{shown}");
    }

    /// Sent in these minutes, the newest last.
    fn sent(to_user: &[i64], to_mailbox: &[i64]) -> Sent {
        let times = |minutes: &[i64]| minutes.iter().rev().map(|minute| at(*minute)).collect();
        Sent {
            to_user: times(to_user),
            to_mailbox: times(to_mailbox),
        }
    }

    #[test]
    fn five_an_hour_and_ten_a_day() {
        let four = [0, 1, 2, 3];
        assert_eq!(sent(&four, &four).wait(at(3)), None);
        let five = [0, 1, 2, 3, 4];
        let wait = sent(&five, &five).wait(at(10));
        assert_eq!(wait, Some(TimeDelta::minutes(50)));
        assert_eq!(sent(&five, &five).wait(at(60)), None);
        let ten = [0, 1, 2, 3, 4, 100, 101, 102, 103, 104];
        let wait = sent(&ten, &ten).wait(at(200));
        assert_eq!(wait, Some(TimeDelta::minutes(24 * 60 - 200)));
        assert_eq!(sent(&ten, &ten).wait(at(24 * 60)), None);
        // Of several users to one mailbox.
        assert!(sent(&[100], &ten).wait(at(200)).is_some());
    }
}
