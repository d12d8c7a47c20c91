//! Encryption of destinations at rest: XChaCha20-Poly1305 with a key that is not in the database.
//!
//! A sealed destination is a random nonce and the ciphertext. User and method are authenticated with it, so that it
//! cannot be swapped for another one. It names its key, so that after a rotation the previous key's still open.

use adfolio_kit::config::ConfigError;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use zeroize::Zeroizing;

use super::entity::{Destination, Method};

const NONCE_BYTES: usize = 24;

const KEY_BYTES: usize = 32;

/// Hex digits of a key's id.
const KEY_ID_LENGTH: usize = 16;

/// A sealed destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Which key opens it.
    pub key_id: String,
    /// Nonce and ciphertext.
    pub bytes: Vec<u8>,
}

/// Seals with the current key, and opens with it and, during a rotation, with the previous one. Cheap to clone.
#[derive(Clone)]
pub struct Sealer {
    current: Arc<Key>,
    previous: Option<Arc<Key>>,
}

struct Key {
    id: String,
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Sealer")
            .field("key_id", &self.current.id)
            .finish_non_exhaustive()
    }
}

impl Sealer {
    /// With the current key and, during a rotation, the previous one, each 32 bytes in hex.
    pub fn new(
        current: &SecretString,
        previous: Option<&SecretString>,
    ) -> Result<Self, ConfigError> {
        let previous = previous
            .map(|key| Key::new(key, "CARD_KEY_PREVIOUS"))
            .transpose()?;
        Ok(Self {
            current: Arc::new(Key::new(current, "CARD_KEY")?),
            previous: previous.map(Arc::new),
        })
    }

    /// The id of the previous key, during a rotation.
    pub fn previous_id(&self) -> Option<&str> {
        let previous = self.previous.as_ref()?;
        (previous.id != self.current.id).then_some(previous.id.as_str())
    }

    /// Seals with the current key what another one sealed.
    pub fn reseal(
        &self,
        user_id: UserId,
        method: Method,
        sealed: &Sealed,
    ) -> Result<Sealed, CoreError> {
        self.seal(user_id, &self.open(user_id, method, sealed)?)
    }

    /// Seals a user's destination.
    pub fn seal(&self, user_id: UserId, destination: &Destination) -> Result<Sealed, CoreError> {
        let text = serde_json::to_vec(destination)
            .map(Zeroizing::new)
            .map_err(|_| CoreError::Corrupt("destination to seal"))?;
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let context = context(user_id, destination.method());
        let payload = Payload {
            msg: &text,
            aad: context.as_bytes(),
        };
        let ciphertext = self
            .current
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| CoreError::Corrupt("destination to seal"))?;
        let mut bytes = nonce.to_vec();
        bytes.extend(ciphertext);
        Ok(Sealed {
            key_id: self.current.id.clone(),
            bytes,
        })
    }

    /// Opens what was sealed for this user and method.
    pub fn open(
        &self,
        user_id: UserId,
        method: Method,
        sealed: &Sealed,
    ) -> Result<Destination, CoreError> {
        let mut keys = std::iter::once(&self.current).chain(&self.previous);
        let key = keys
            .find(|key| key.id == sealed.key_id)
            .ok_or(CoreError::Corrupt("destination sealed with an unknown key"))?;
        let broken = || CoreError::Corrupt("sealed destination");
        let (nonce, ciphertext) = sealed
            .bytes
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(broken)?;
        let context = context(user_id, method);
        let payload = Payload {
            msg: ciphertext,
            aad: context.as_bytes(),
        };
        let text = key
            .cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map(Zeroizing::new)
            .map_err(|_| broken())?;
        serde_json::from_slice(&text).map_err(|_| broken())
    }
}

impl Key {
    fn new(hex_key: &SecretString, name: &'static str) -> Result<Self, ConfigError> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        hex::decode_to_slice(hex_key.expose_secret(), bytes.as_mut_slice()).map_err(|_| {
            ConfigError::Invalid {
                name,
                expected: "32 bytes in hex",
            }
        })?;
        let digest = Sha256::new()
            .chain_update(b"adfolio-card-key")
            .chain_update(bytes.as_slice());
        let mut id = hex::encode(digest.finalize());
        id.truncate(KEY_ID_LENGTH);
        Ok(Self {
            id,
            cipher: XChaCha20Poly1305::new((&*bytes).into()),
        })
    }
}

/// What a sealed destination belongs to.
fn context(user_id: UserId, method: Method) -> String {
    format!("adfolio-destination-1|{user_id}|{}", method.as_str())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::destination::entity::WalletAddress;

    fn key(digit: &str) -> SecretString {
        SecretString::from(digit.repeat(64))
    }

    #[test]
    fn what_was_sealed_opens_for_its_user_and_method_alone() {
        let safe = Sealer::new(&key("a"), None).expect("a sealer");
        let (user, other) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
        let destination = Destination::WalletAddress(WalletAddress {
            network: "TRC20".into(),
            address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8".into(),
        });
        let sealed = safe.seal(user, &destination).expect("sealed");
        let clear = String::from_utf8_lossy(&sealed.bytes).into_owned();
        assert!(!clear.contains("TJRa"));
        let method = Method::WalletAddress;
        assert!(safe.open(user, method, &sealed).expect("open") == destination);
        assert!(safe.open(other, method, &sealed).is_err());
        assert!(safe.open(user, Method::BankCard, &sealed).is_err());
        let mut broken = sealed.clone();
        broken.bytes[30] ^= 1;
        assert!(safe.open(user, method, &broken).is_err());
        // Twice the same is not the same twice.
        assert_ne!(
            safe.seal(user, &destination).expect("sealed").bytes,
            sealed.bytes
        );

        let rotated = Sealer::new(&key("b"), Some(&key("a"))).expect("a sealer");
        assert!(rotated.open(user, method, &sealed).expect("open") == destination);
        assert_ne!(
            rotated.seal(user, &destination).expect("sealed").key_id,
            sealed.key_id
        );
        let forgetful = Sealer::new(&key("b"), None).expect("a sealer");
        assert!(forgetful.open(user, method, &sealed).is_err());
    }

    #[test]
    fn keys_have_a_form() {
        for bad in ["", "00", &"g".repeat(64), &"a".repeat(65)] {
            assert!(Sealer::new(&SecretString::from(bad), None).is_err());
        }
    }
}
