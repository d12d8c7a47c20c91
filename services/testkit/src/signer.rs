//! Somebody outside who signs: a native host shell its users' assertions, a source of reports its files.

use adfolio_kit::clock::Ids;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The DER of a SubjectPublicKeyInfo of Ed25519, before the key itself.
const SPKI_PREFIX: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// An outsider's signing key.
#[derive(Debug)]
pub struct TestSigner(Ed25519KeyPair);

impl TestSigner {
    /// The same seed is the same key.
    pub fn new(seed: u8) -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]);
        Self(key.expect("a seed of 32 bytes"))
    }

    /// The public key, 32 bytes.
    pub fn public_key(&self) -> [u8; 32] {
        let key = self.0.public_key().as_ref();
        key.try_into().expect("32 bytes")
    }

    /// The public key in PEM, as it is registered.
    pub fn public_key_pem(&self) -> String {
        let der = [&SPKI_PREFIX[..], &self.public_key()].concat();
        let body = BASE64_STANDARD.encode(der);
        format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n")
    }

    /// The key's RFC 7638 thumbprint.
    pub fn kid(&self) -> String {
        let x = BASE64_URL_SAFE_NO_PAD.encode(self.public_key());
        let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
    }

    /// The header of this host's assertions.
    pub fn header(&self) -> Value {
        json!({"alg": "EdDSA", "typ": "JWT", "kid": self.kid()})
    }

    /// A new assertion for a user, made at `now` and good for five minutes.
    pub fn assertion(&self, sub: &str, now: DateTime<Utc>) -> String {
        let issued_at = now.timestamp();
        let claims = json!({
            "aud": "adfolio",
            "sub": sub,
            "iat": issued_at,
            "exp": issued_at.saturating_add(300),
            "jti": Ids::random().next().to_string(),
        });
        self.sign(&self.header(), &claims)
    }

    /// The signature under a message, 64 bytes.
    pub fn sign_message(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).as_ref().to_vec()
    }

    /// A JWT of this header and these claims.
    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = BASE64_URL_SAFE_NO_PAD.encode(self.0.sign(message.as_bytes()));
        format!("{message}.{signature}")
    }
}
