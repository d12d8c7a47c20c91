//! Secrets on their way through the gateway: what clients send to a service, and what a service tells them once.
//!
//! In between they are [`SecretString`]s, which no `Debug` prints and which are wiped when dropped.

use secrecy::{ExposeSecret, SecretString};
use serde::Serializer;

/// For a field of a service's message, which does not print it either (`debug_redact`).
pub fn to_message(secret: &SecretString) -> String {
    secret.expose_secret().to_owned()
}

/// The same of one that may be absent: the contract's null is proto's empty text.
pub fn to_message_or_empty(secret: Option<&SecretString>) -> String {
    secret.map(to_message).unwrap_or_default()
}

/// For the client that it is meant for: `#[serde(serialize_with = "secret::tell")]`.
pub fn tell<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}
