//! Hosts and their keys.

use std::fmt;

use adfolio_kit::refusal::Refusal;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use x509_parser::oid_registry::OID_SIG_ED25519;
use x509_parser::prelude::{FromDer, SubjectPublicKeyInfo};

use crate::ids::HostId;

/// The label of a public key in PEM.
const PEM_LABEL: &str = "PUBLIC KEY";

/// A native host shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub id: HostId,
    pub name: String,
    /// Oldest first, revoked ones included.
    pub keys: Vec<HostKey>,
    pub created_at: DateTime<Utc>,
}

impl Host {
    /// Whether this is one of its keys, not revoked.
    pub fn has_valid(&self, kid: &Kid) -> bool {
        let mut keys = self.keys.iter();
        keys.any(|key| key.kid == *kid && key.revoked_at.is_none())
    }
}

/// A key of a host, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    pub kid: Kid,
    pub added_at: DateTime<Utc>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// The id of a key: its RFC 7638 thumbprint, 43 characters of base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kid(String);

adfolio_kit::column!(Kid: String, |text| Ok(Self(text)));

impl Kid {
    /// What a caller names a key by. It need not exist.
    pub fn named(text: &str) -> Self {
        Self(text.to_owned())
    }

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
        let (rest, info) = SubjectPublicKeyInfo::from_der(&pem.contents).ok()?;
        let is_ed25519 = info.algorithm.algorithm == OID_SIG_ED25519;
        if pem.label != PEM_LABEL || !rest.is_empty() || !is_ed25519 {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of RFC 8037, appendix A.
    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    fn key() -> PublicKey {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(X).expect("base64url");
        PublicKey(bytes.try_into().expect("32 bytes"))
    }

    fn pem(prefix: &str, label: &str) -> String {
        let mut der = hex::decode(prefix).expect("hex");
        der.extend(key().0);
        let body = base64::prelude::BASE64_STANDARD.encode(der);
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    }

    #[test]
    fn the_thumbprint_is_that_of_the_standard() {
        // RFC 8037, appendix A.3.
        assert_eq!(
            key().kid().as_str(),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
    }

    #[test]
    fn only_a_public_ed25519_key_is_taken() {
        const ED25519: &str = "302a300506032b6570032100";
        const X25519: &str = "302a300506032b656e032100";
        assert_eq!(PublicKey::from_pem(&pem(ED25519, "PUBLIC KEY")), Ok(key()));
        for other in [
            pem(X25519, "PUBLIC KEY"),
            pem(ED25519, "PRIVATE KEY"),
            pem("3039300506032b6570032100", "PUBLIC KEY"),
            X.to_owned(),
            String::new(),
        ] {
            let refusal = PublicKey::from_pem(&other).expect_err("no such key");
            assert_eq!(refusal.field.as_deref(), Some("public_key"));
        }
    }
}
