//! Public keys that outsiders sign with (Ed25519, RFC 8032), and their ids.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::{Digest, Sha256};
use x509_parser::oid_registry::OID_SIG_ED25519;
use x509_parser::prelude::{FromDer, SubjectPublicKeyInfo};

use crate::refusal::Refusal;

/// The label of a public key in PEM.
const PEM_LABEL: &str = "PUBLIC KEY";

/// The id of a key: its RFC 7638 thumbprint, 43 characters of base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kid(String);

crate::column!(Kid: String, |text| Ok(Self(text)));

impl Kid {
    /// What a caller names a key by. It need not exist.
    pub fn named(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// An Ed25519 public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Reads a SubjectPublicKeyInfo in PEM, as `openssl pkey -pubout` writes it; VALIDATION of `public_key` otherwise.
    pub fn from_pem(text: &str) -> Result<Self, Refusal> {
        Self::parse(text).ok_or_else(|| {
            Refusal::invalid("public_key").detail("expected an Ed25519 public key in PEM")
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (_, pem) = x509_parser::pem::parse_x509_pem(text.trim().as_bytes()).ok()?;
        if pem.label != PEM_LABEL {
            return None;
        }
        Self::from_der(&pem.contents)
    }

    /// Reads a SubjectPublicKeyInfo in DER; none for a key of another algorithm.
    pub fn from_der(der: &[u8]) -> Option<Self> {
        let (rest, info) = SubjectPublicKeyInfo::from_der(der).ok()?;
        if !rest.is_empty() || info.algorithm.algorithm != OID_SIG_ED25519 {
            return None;
        }
        let key: &[u8] = &info.subject_public_key.data;
        Some(Self(key.try_into().ok()?))
    }

    /// Its thumbprint. The members of the JWK are in the order of RFC 7638, without blanks.
    pub fn kid(&self) -> Kid {
        let x = BASE64_URL_SAFE_NO_PAD.encode(self.0);
        let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        Kid(BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(jwk)))
    }

    /// Whether the holder of its private key signed `message`.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        key.verify(message, signature).is_ok()
    }
}
