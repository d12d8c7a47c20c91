//! Keys of networks, which plan checks.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::TokenDigest;
use crate::dto::secret;

/// Length of a key: 32 bytes in lower-case hexadecimal.
const KEY_DIGITS: usize = 64;

/// The key of a network's request. It is never logged.
#[derive(Clone, Debug)]
pub struct NetworkKey(SecretString);

impl NetworkKey {
    /// Parses a text that could be a key.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let plausible = text.len() == KEY_DIGITS && text.bytes().all(is_digit);
        plausible.then(|| Self(text.into()))
    }

    /// Its text, for a message to plan.
    pub fn to_message(&self) -> String {
        secret::to_message(&self.0)
    }

    /// Its digest, which the flood limit counts by.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.0.expose_secret().as_bytes()).into())
    }
}
