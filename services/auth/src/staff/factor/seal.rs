//! Encryption of the secrets at rest: XChaCha20-Poly1305 with a key that is not in the database. The account is
//! authenticated with a secret, so that it cannot be moved to another one.

use std::sync::Arc;

use adfolio_kit::config::ConfigError;
use adfolio_kit::error::CoreError;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::code::{Secret, context};
use crate::ids::StaffId;

const NONCE_BYTES: usize = 24;

const KEY_BYTES: usize = 32;

/// The variable with the key.
pub const KEY: &str = "SECOND_FACTOR_KEY";

/// A key as it is configured.
pub type Key = Zeroizing<[u8; KEY_BYTES]>;

/// Reads a key of 32 bytes in hex.
pub fn read_key(hex_key: &SecretString) -> Result<Key, ConfigError> {
    let mut key = Key::new([0; KEY_BYTES]);
    let read = hex::decode_to_slice(hex_key.expose_secret(), key.as_mut_slice());
    read.map_err(|_| ConfigError::Invalid {
        name: KEY,
        expected: "32 bytes in hex",
    })?;
    Ok(key)
}

/// Seals and opens secrets. Cheap to clone.
#[derive(Clone)]
pub struct Sealer(Arc<XChaCha20Poly1305>);

impl std::fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sealer").finish_non_exhaustive()
    }
}

impl Sealer {
    /// With this key.
    pub fn new(key: &Key) -> Self {
        Self(Arc::new(XChaCha20Poly1305::new((&**key).into())))
    }

    /// Nonce and ciphertext of a member's secret.
    pub fn seal(&self, of: StaffId, secret: &Secret) -> Result<Vec<u8>, CoreError> {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let context = context(of);
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: context.as_bytes(),
        };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| CoreError::Corrupt("second factor to seal"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// What was sealed for this member.
    pub fn open(&self, of: StaffId, sealed: &[u8]) -> Result<Secret, CoreError> {
        let broken = || CoreError::Corrupt("staff.factor_secret");
        let (nonce, ciphertext) = sealed
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(broken)?;
        let context = context(of);
        let payload = Payload {
            msg: ciphertext,
            aad: context.as_bytes(),
        };
        let opened = self.0.decrypt(&XNonce::from(*nonce), payload);
        let opened = opened.map(Zeroizing::new).map_err(|_| broken())?;
        Secret::from_bytes(&opened).ok_or_else(broken)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn sealer(digit: &str) -> Sealer {
        Sealer::new(&read_key(&digit.repeat(64).into()).expect("a key"))
    }

    #[test]
    fn what_was_sealed_opens_for_its_member_and_key_alone() {
        let (olivia, other) = (StaffId(Uuid::from_u128(1)), StaffId(Uuid::from_u128(2)));
        let secret = Secret::random();
        let sealed = sealer("a").seal(olivia, &secret).expect("sealed");
        assert_ne!(sealer("a").seal(olivia, &secret).expect("sealed"), sealed);
        let opened = sealer("a").open(olivia, &sealed).expect("open");
        assert_eq!(opened.as_bytes(), secret.as_bytes());
        assert!(sealer("a").open(other, &sealed).is_err());
        assert!(sealer("b").open(olivia, &sealed).is_err());
        let mut broken = sealed;
        broken[30] ^= 1;
        assert!(sealer("a").open(olivia, &broken).is_err());
        assert!(sealer("a").open(olivia, &[]).is_err());
    }

    #[test]
    fn a_key_has_a_form() {
        for bad in ["", "00", &"g".repeat(64), &"a".repeat(65)] {
            assert!(read_key(&SecretString::from(bad)).is_err());
        }
    }
}
