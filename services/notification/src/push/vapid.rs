//! The key that push services know this installation by (VAPID, RFC 8292). A browser subscribes with its public half, and
//! its push service then takes only what the private half has signed.

use std::path::Path;
use std::sync::Arc;

use adfolio_kit::config::ConfigError;
use adfolio_kit::jwt;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde::Serialize;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use url::Url;

const NAME: &str = "VAPID_KEY_FILE";

/// How long a signature holds; push services accept at most 24 hours.
const LIFETIME: TimeDelta = TimeDelta::hours(1);

/// The private key with the contact in its signatures. No Debug: it is secret.
#[derive(Clone)]
pub struct VapidKey {
    private: Arc<EncodingKey>,
    public: Vec<u8>,
    subject: Url,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: String,
    exp: i64,
    sub: &'a str,
}

impl VapidKey {
    /// Reads a P-256 key (PKCS#8 in PEM).
    pub fn load(path: &Path, subject: Url) -> Result<Self, ConfigError> {
        jwt::install();
        let pem = std::fs::read(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::from_pem(&pem, subject).ok_or_else(|| ConfigError::UnusableFile {
            name: NAME,
            path: path.to_owned(),
            expected: "a P-256 private key in PEM",
        })
    }

    fn from_pem(pem: &[u8], subject: Url) -> Option<Self> {
        let key = PrivatePkcs8KeyDer::from_pem_slice(pem).ok()?;
        let der = key.secret_pkcs8_der();
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, der, &random).ok()?;
        Some(Self {
            private: Arc::new(EncodingKey::from_ec_der(der)),
            public: pair.public_key().as_ref().to_vec(),
            subject,
        })
    }

    /// Its public half: an uncompressed point, 65 bytes.
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// The header `Authorization` of a request to this address.
    pub fn authorization(
        &self,
        endpoint: &Url,
        now: DateTime<Utc>,
    ) -> Result<String, jsonwebtoken::errors::Error> {
        let claims = Claims {
            aud: endpoint.origin().ascii_serialization(),
            exp: now.timestamp().saturating_add(LIFETIME.num_seconds()),
            sub: self.subject.as_str(),
        };
        let token = encode(&Header::new(Algorithm::ES256), &claims, &self.private)?;
        let key = URL_SAFE_NO_PAD.encode(&self.public);
        Ok(format!("vapid t={token}, k={key}"))
    }
}
