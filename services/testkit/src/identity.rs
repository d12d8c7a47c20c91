//! Keys of identity tokens, and callers with tokens.

use std::fs;
use std::path::PathBuf;

use adfolio_kit::identity::{Caller, Session};
use adfolio_kit::identity_token::{IdentityArgs, Signer};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{TimeDelta, Utc};
use tempfile::TempDir;

use crate::TestSigner;

/// The DER of a PKCS#8 key of Ed25519, before its seed.
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// A key pair of auth, in files.
#[derive(Debug)]
pub struct IdentityKeys {
    /// Signs tokens of any content.
    pub raw: TestSigner,
    folder: TempDir,
}

impl IdentityKeys {
    /// The same seed is the same key.
    pub fn new(seed: u8) -> Self {
        let keys = Self {
            raw: TestSigner::new(seed),
            folder: tempfile::tempdir().expect("a folder"),
        };
        let body = BASE64_STANDARD.encode([&PKCS8_PREFIX[..], &[seed; 32]].concat());
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
        fs::write(keys.private_file(), pem).expect("the private key");
        keys.publish(&[&keys.raw]);
        keys
    }

    /// The value of `IDENTITY_KEY_FILE`.
    pub fn private_file(&self) -> PathBuf {
        self.folder.path().join("identity-key")
    }

    /// The value of `IDENTITY_PUBLIC_KEYS_FILE`.
    pub fn public_file(&self) -> PathBuf {
        self.folder.path().join("identity-public-keys")
    }

    /// What a service that believes these keys is configured with.
    pub fn args(&self) -> IdentityArgs {
        IdentityArgs {
            identity_public_keys_file: Some(self.public_file()),
        }
    }

    /// Writes other public keys to the file.
    pub fn publish(&self, keys: &[&TestSigner]) {
        let pem: String = keys.iter().map(|key| key.public_key_pem()).collect();
        fs::write(self.public_file(), pem).expect("the public keys");
    }

    /// The same caller with auth's signature for the process `made_for`; a user without a session gets a fresh one.
    pub fn signed(&self, caller: Caller, made_for: Option<&str>) -> Caller {
        let signer = Signer::load(&self.private_file()).expect("the private key");
        let now = Utc::now();
        let fresh = Session {
            opened_at: now,
            fresh_until: now + TimeDelta::minutes(5),
            is_registration: false,
        };
        let session = caller.user.map(|_| caller.session.unwrap_or(fresh));
        let token = match (caller.user, session, caller.staff) {
            (Some(user), Some(session), None) => signer.user(user, session, made_for),
            (None, _, Some(staff)) => signer.staff(staff, made_for),
            other => panic!("no identity of one person: {other:?}"),
        };
        Caller {
            session,
            identity_token: Some(token.expect("a token").into()),
            ..caller
        }
    }
}
