//! The token of a device.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// Random bytes of a token.
const LENGTH: usize = 32;

/// How long a token is known without being used.
const MEMORY: TimeDelta = TimeDelta::days(180);

/// What a login hands to the device that it came from: 32 random bytes in base64url. Known only to its holder; the
/// database has its digest.
#[derive(Clone, Debug)]
pub struct DeviceToken(SecretString);

impl DeviceToken {
    /// A new one.
    pub fn random() -> Self {
        Self(
            BASE64_URL_SAFE_NO_PAD
                .encode(rand::random::<[u8; LENGTH]>())
                .into(),
        )
    }

    /// Reads what a client sent. `None` for what cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == LENGTH).then(|| Self(text.into()))
    }

    /// The text for its holder.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The digest that the database stores.
    pub fn digest(&self) -> DeviceDigest {
        DeviceDigest(Sha256::digest(self.expose().as_bytes()).into())
    }
}

/// SHA-256 of a device's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceDigest(pub [u8; 32]);

/// A token that was last used before is not known any more.
pub fn known_since(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_sub_signed(MEMORY).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_distinct() {
        let (first, second) = (DeviceToken::random(), DeviceToken::random());
        assert_eq!(first.expose().len(), 43);
        assert_ne!(first.digest(), second.digest());
        let read = DeviceToken::parse(first.expose()).expect("a token");
        assert_eq!(read.digest(), first.digest());
        assert!(!format!("{first:?}").contains(first.expose()));
    }

    #[test]
    fn junk_is_no_token() {
        let short = BASE64_URL_SAFE_NO_PAD.encode([0; 31]);
        for text in ["", "token", &short, &"=".repeat(43), &"A".repeat(10_000)] {
            assert!(DeviceToken::parse(text).is_none(), "{text}");
        }
    }
}
