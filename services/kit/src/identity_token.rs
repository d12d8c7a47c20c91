//! Identity tokens: auth signs on whose behalf a call is made.
//!
//! Auth signs one with each answer that verifies a session ([`Signer`]). The gateway keeps it beside the session and
//! sends it with the calls of that user or member of staff, and every service verifies it ([`Verifier`]): so the word of
//! the gateway alone makes nobody anybody. A token names the certificate of the process that it was made for, and is of
//! no use to another.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use moka::sync::Cache;
use ring::signature::Ed25519KeyPair;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use tonic::Status;
use uuid::Uuid;

use crate::config::ConfigError;
use crate::identity::{Identity, Session, Staff, UserId};
use crate::jwt;
use crate::refusal::internal_status;
use crate::signing_key::PublicKey;

/// How long a token holds. A gateway may use one for as long as it caches the session (`SESSION_CACHE_SECONDS`, at most
/// 60), and then as long as the longest wait for a service (10 s, attempts included); the rest is for clocks that differ
/// and for a slow auth. A service verifies a token when a call begins, so longer calls need no longer ones.
pub const LIFETIME: TimeDelta = TimeDelta::seconds(120);

/// How far the clock of a service may be ahead of auth's beyond that.
const LEEWAY: TimeDelta = TimeDelta::seconds(5);

const ISSUER: &str = "adfolio-auth";
const AUDIENCE: &str = "adfolio-services";

/// Most remembered tokens. A gateway sends the same one with every call of a session as long as it caches it, and a check
/// costs more than the rest of what a server does before a call.
const MAX_VERIFIED: u64 = 50_000;

const KEY_FILE: &str = "IDENTITY_KEY_FILE";
const PUBLIC_KEYS_FILE: &str = "IDENTITY_PUBLIC_KEYS_FILE";

/// What a service believes identities by.
#[derive(Args, Clone, Debug, Default)]
pub struct IdentityArgs {
    /// PEM file of the public keys (Ed25519) that verify auth's identity tokens, one or more. With it, a call on behalf
    /// of a user or of staff needs such a token
    #[arg(long, env = "IDENTITY_PUBLIC_KEYS_FILE")]
    pub identity_public_keys_file: Option<PathBuf>,
}

impl IdentityArgs {
    /// Loads the file; none if identities are believed without tokens.
    pub fn load(&self) -> Result<Option<Verifier>, ConfigError> {
        let file = self.identity_public_keys_file.as_deref();
        file.map(Verifier::load).transpose()
    }
}

/// What a token says.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    /// The name of the process that it was made for; none without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    azp: Option<String>,
    sub: Uuid,
    #[serde(flatten)]
    kind: Kind,
    iat: i64,
    exp: i64,
}

/// What a token says of its subject. Times are in seconds, as in metadata.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Kind {
    User {
        opened_at: i64,
        fresh_until: i64,
        is_registration: bool,
    },
    Staff {
        role: String,
    },
}

impl Claims {
    /// None if a value is out of its range.
    fn signed(&self) -> Option<Signed> {
        let identity = match &self.kind {
            Kind::User {
                opened_at,
                fresh_until,
                is_registration,
            } => Identity::of_user(
                UserId(self.sub),
                Session {
                    opened_at: time(*opened_at)?,
                    fresh_until: time(*fresh_until)?,
                    is_registration: *is_registration,
                },
            ),
            Kind::Staff { role } => Identity::of_staff(Staff {
                id: self.sub,
                role: role.parse().ok()?,
            }),
        };
        Some(Signed {
            identity,
            made_for: self.azp.as_deref().map(Arc::from),
            expires_at: time(self.exp)?,
        })
    }
}

fn time(seconds: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds, 0)
}

/// Makes tokens with auth's private key.
#[derive(Clone, Debug)]
pub struct Signer(Arc<EncodingKey>);

impl Signer {
    /// Reads an Ed25519 key (PKCS#8 in PEM), as `openssl genpkey -algorithm ed25519` writes it.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        jwt::install();
        let unusable = || unusable(KEY_FILE, path, "an Ed25519 private key in PEM");
        let pem = read(path)?;
        let key = PrivatePkcs8KeyDer::from_pem_slice(&pem).map_err(|_| unusable())?;
        let der = key.secret_pkcs8_der();
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| unusable())?;
        Ok(Self(Arc::new(EncodingKey::from_ed_der(der))))
    }

    /// A token for a user in a session, to be sent by the process `made_for`.
    pub fn user(
        &self,
        id: UserId,
        session: Session,
        made_for: Option<&str>,
    ) -> Result<String, SignError> {
        let kind = Kind::User {
            opened_at: session.opened_at.timestamp(),
            fresh_until: session.fresh_until.timestamp(),
            is_registration: session.is_registration,
        };
        self.sign(id.0, kind, made_for)
    }

    /// The same for a member of staff.
    pub fn staff(&self, staff: Staff, made_for: Option<&str>) -> Result<String, SignError> {
        let role = staff.role.as_str().to_owned();
        self.sign(staff.id, Kind::Staff { role }, made_for)
    }

    /// By the clock of the machine: a service may not keep the same moved time in a test.
    fn sign(&self, sub: Uuid, kind: Kind, made_for: Option<&str>) -> Result<String, SignError> {
        let iat = Utc::now().timestamp();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            azp: made_for.map(str::to_owned),
            sub,
            kind,
            iat,
            exp: iat.saturating_add(LIFETIME.num_seconds()),
        };
        Ok(encode(&Header::new(Algorithm::EdDSA), &claims, &self.0)?)
    }
}

/// A token could not be signed.
#[derive(Debug, thiserror::Error)]
#[error("identity token cannot be signed")]
pub struct SignError(#[from] jsonwebtoken::errors::Error);

impl From<SignError> for Status {
    fn from(error: SignError) -> Self {
        internal_status(&error)
    }
}

/// What a verified token says.
#[derive(Clone, Debug)]
struct Signed {
    identity: Identity,
    made_for: Option<Arc<str>>,
    expires_at: DateTime<Utc>,
}

/// Why a claimed identity is not believed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Rejected {
    /// There is no token.
    #[error("no identity token")]
    Missing,
    /// It is not a token of auth for services: signature, issuer, audience or form.
    #[error("not an identity token of auth")]
    Invalid(#[source] jsonwebtoken::errors::Error),
    /// It is too old.
    #[error("the identity token has expired")]
    Expired,
    /// It was made for another process than the one that sends it.
    #[error("the identity token was made for another process")]
    OtherCaller,
    /// It says something else than the call.
    #[error("the identity token is about somebody else")]
    OtherIdentity,
}

impl Rejected {
    /// The label in metrics.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid(_) => "invalid",
            Self::Expired => "expired",
            Self::OtherCaller => "other_caller",
            Self::OtherIdentity => "other_identity",
        }
    }
}

/// Verifies tokens with auth's public keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Verifier {
    keys: Arc<[DecodingKey]>,
    /// What was verified before, by the digest of its token.
    verified: Cache<[u8; 32], Signed>,
}

impl Verifier {
    /// Reads Ed25519 keys (SubjectPublicKeyInfo in PEM), as `openssl pkey -pubout` writes them: several while auth's key is
    /// replaced.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        jwt::install();
        let unusable = || unusable(PUBLIC_KEYS_FILE, path, "Ed25519 public keys in PEM");
        let pem = read(path)?;
        let found = SubjectPublicKeyInfoDer::pem_slice_iter(&pem).map(|key| public_key(&key.ok()?));
        let keys: Option<Arc<[DecodingKey]>> = found.collect();
        let keys = keys.filter(|keys| !keys.is_empty()).ok_or_else(unusable)?;
        // Expiry is checked at each use; this only bounds the memory.
        let remembered_for = LIFETIME.to_std().unwrap_or_default();
        Ok(Self {
            keys,
            verified: Cache::builder()
                .max_capacity(MAX_VERIFIED)
                .time_to_live(remembered_for)
                .build(),
        })
    }

    /// Whether `token`, sent by a process with these names, says that a call is on behalf of `claimed`.
    pub(crate) fn check(
        &self,
        claimed: Identity,
        token: Option<&str>,
        sent_by: &[String],
        now: DateTime<Utc>,
    ) -> Result<(), Rejected> {
        let signed = self.verify(token.ok_or(Rejected::Missing)?)?;
        if now - LEEWAY >= signed.expires_at {
            return Err(Rejected::Expired);
        }
        let is_its_own = match signed.made_for.as_deref() {
            Some(name) => sent_by.iter().any(|own| own == name),
            None => sent_by.is_empty(),
        };
        if !is_its_own {
            return Err(Rejected::OtherCaller);
        }
        if signed.identity != claimed {
            return Err(Rejected::OtherIdentity);
        }
        Ok(())
    }

    /// What a token of auth says, expired or not.
    fn verify(&self, token: &str) -> Result<Signed, Rejected> {
        let digest = Sha256::digest(token).into();
        if let Some(signed) = self.verified.get(&digest) {
            return Ok(signed);
        }
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
        // Compared above: what is remembered expires, too.
        validation.validate_exp = false;
        let mut failure = ErrorKind::InvalidSignature.into();
        for key in self.keys.iter() {
            match decode::<Claims>(token, key, &validation) {
                Ok(decoded) => {
                    let signed = decoded.claims.signed().ok_or_else(|| {
                        Rejected::Invalid(ErrorKind::InvalidClaimFormat("kind".into()).into())
                    })?;
                    self.verified.insert(digest, signed.clone());
                    return Ok(signed);
                }
                Err(error) => failure = error,
            }
        }
        Err(Rejected::Invalid(failure))
    }
}

fn public_key(der: &SubjectPublicKeyInfoDer<'_>) -> Option<DecodingKey> {
    let PublicKey(key) = PublicKey::from_der(der)?;
    Some(DecodingKey::from_ed_der(&key))
}

fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    fs::read(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn unusable(name: &'static str, path: &Path, expected: &'static str) -> ConfigError {
    ConfigError::UnusableFile {
        name,
        path: path.to_owned(),
        expected,
    }
}
