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

/// The variable with the key before, during a rotation.
pub const PREVIOUS_KEY: &str = "SECOND_FACTOR_KEY_PREVIOUS";

/// A key.
pub type Key = Zeroizing<[u8; KEY_BYTES]>;

/// The keys as they are configured.
pub struct Keys {
    /// The one in use.
    pub current: Key,
    /// The other one, during a rotation.
    pub previous: Option<Key>,
}

impl Keys {
    /// Reads keys of 32 bytes in hex.
    pub fn read(
        current: &SecretString,
        previous: Option<&SecretString>,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            current: read(KEY, current)?,
            previous: previous
                .map(|previous| read(PREVIOUS_KEY, previous))
                .transpose()?,
        })
    }
}

fn read(name: &'static str, hex_key: &SecretString) -> Result<Key, ConfigError> {
    let mut key = Key::new([0; KEY_BYTES]);
    let read = hex::decode_to_slice(hex_key.expose_secret(), key.as_mut_slice());
    read.map_err(|_| ConfigError::Invalid {
        name,
        expected: "32 bytes in hex",
    })?;
    Ok(key)
}

/// Seals with the current key, and opens what it or the previous one sealed. Cheap to clone.
#[derive(Clone)]
pub struct Sealer {
    current: Arc<XChaCha20Poly1305>,
    previous: Option<Arc<XChaCha20Poly1305>>,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sealer").finish_non_exhaustive()
    }
}

impl Sealer {
    /// With these keys.
    pub fn new(keys: &Keys) -> Self {
        let cipher = |key: &Key| Arc::new(XChaCha20Poly1305::new((&**key).into()));
        Self {
            current: cipher(&keys.current),
            previous: keys.previous.as_ref().map(cipher),
        }
    }

    /// Whether there is a previous key.
    pub fn is_rotating(&self) -> bool {
        self.previous.is_some()
    }

    /// Nonce and ciphertext of a member's secret.
    pub fn seal(&self, of: StaffId, secret: &Secret) -> Result<Vec<u8>, CoreError> {
        self.seal_bytes(&context(of), secret.as_bytes())
    }

    /// Nonce and ciphertext of anything, which opens in the same context alone.
    pub fn seal_bytes(&self, context: &str, msg: &[u8]) -> Result<Vec<u8>, CoreError> {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload {
            msg,
            aad: context.as_bytes(),
        };
        let sealed = self.current.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| CoreError::Corrupt("bytes to seal"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// What was sealed for this member.
    pub fn open(&self, of: StaffId, sealed: &[u8]) -> Result<Secret, CoreError> {
        self.open_bytes(&context(of), sealed)
            .and_then(|opened| Secret::from_bytes(&opened))
            .ok_or(CoreError::Corrupt("staff.factor_secret"))
    }

    /// What was sealed in this context; none if it was not.
    pub fn open_bytes(&self, context: &str, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let previous = || open_with(self.previous.as_deref()?, context, sealed);
        open_with(&self.current, context, sealed).or_else(previous)
    }

    /// What the previous key sealed for this member, sealed with the current one; none of what the current one has sealed.
    pub fn reseal(&self, of: StaffId, sealed: &[u8]) -> Result<Option<Vec<u8>>, CoreError> {
        if open_with(&self.current, &context(of), sealed).is_some() {
            return Ok(None);
        }
        let secret = self.open(of, sealed)?;
        self.seal(of, &secret).map(Some)
    }
}

fn open_with(
    cipher: &XChaCha20Poly1305,
    context: &str,
    sealed: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let payload = Payload {
        msg: ciphertext,
        aad: context.as_bytes(),
    };
    let opened = cipher.decrypt(&XNonce::from(*nonce), payload).ok()?;
    Some(Zeroizing::new(opened))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn sealer(digit: &str) -> Sealer {
        Sealer::new(&Keys::read(&digit.repeat(64).into(), None).expect("a key"))
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
    fn what_the_previous_key_sealed_is_sealed_anew_once() {
        let olivia = StaffId(Uuid::from_u128(1));
        let secret = Secret::random();
        let before = sealer("a").seal(olivia, &secret).expect("sealed");
        let rotating = |current: &str, previous: &str| {
            let [current, previous] = [current, previous].map(|digit| digit.repeat(64).into());
            Sealer::new(&Keys::read(&current, Some(&previous)).expect("keys"))
        };
        let anew = rotating("b", "a")
            .reseal(olivia, &before)
            .expect("resealed");
        let anew = anew.expect("another key");
        for opens in [sealer("b"), rotating("b", "a"), rotating("a", "b")] {
            let opened = opens.open(olivia, &anew).expect("open");
            assert_eq!(opened.as_bytes(), secret.as_bytes());
        }
        assert!(sealer("a").open(olivia, &anew).is_err());
        let again = rotating("b", "a").reseal(olivia, &anew).expect("open");
        assert_eq!(again, None);
        assert!(rotating("b", "c").reseal(olivia, &before).is_err());
    }

    #[test]
    fn a_key_has_a_form() {
        let good = SecretString::from("a".repeat(64));
        for bad in ["", "00", &"g".repeat(64), &"a".repeat(65)].map(SecretString::from) {
            assert!(Keys::read(&bad, None).is_err());
            assert!(Keys::read(&good, Some(&bad)).is_err());
        }
    }
}
