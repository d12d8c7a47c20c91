//! The keys of identity tokens: auth signs with one, the services verify with the other.
//!
//! Like the certificates they are made at each start: a token holds for minutes.

use std::path::PathBuf;

use anyhow::Result;
use rcgen::{KeyPair, PKCS_ED25519};

use crate::layout::Layout;

/// Names the file of the private key, for auth.
pub(crate) const KEY_VARIABLE: &str = "IDENTITY_KEY_FILE";
/// Names the file of the public keys, for every service.
pub(crate) const PUBLIC_KEYS_VARIABLE: &str = "IDENTITY_PUBLIC_KEYS_FILE";

/// The private key.
pub(crate) const KEY: &str = "identity-key";
/// The public keys.
pub(crate) const PUBLIC_KEYS: &str = "identity-public-keys";

pub(crate) fn key_file(layout: &Layout) -> PathBuf {
    layout.secrets().join(KEY)
}

pub(crate) fn public_keys_file(layout: &Layout) -> PathBuf {
    layout.secrets().join(PUBLIC_KEYS)
}

/// Writes a new pair.
pub(crate) fn make(layout: &Layout) -> Result<()> {
    let key = new_key()?;
    layout.write_secret(KEY, &key)?;
    layout.write_secret(PUBLIC_KEYS, &public_key_of(&key)?)?;
    Ok(())
}

/// A new private key, in PEM.
pub(crate) fn new_key() -> Result<String> {
    Ok(KeyPair::generate_for(&PKCS_ED25519)?.serialize_pem())
}

/// The public key of a private one, in PEM.
pub(crate) fn public_key_of(key: &str) -> Result<String> {
    Ok(KeyPair::from_pem(key)?.public_key_pem())
}
