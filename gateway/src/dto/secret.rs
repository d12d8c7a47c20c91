//! Secrets that pass through the gateway: sent by clients to a service, or returned by a service once.
//!
//! In the gateway they are [`SecretString`]s, which `Debug` does not print and which are wiped when dropped.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize as _, Deserializer, Serializer};
use serde_json::value::RawValue;

/// Exposes a secret for a field of a service's message, which redacts it too (`debug_redact`).
pub fn to_message(secret: &SecretString) -> String {
    secret.expose_secret().to_owned()
}

/// Exposes an optional secret: null becomes proto's empty text.
pub fn to_message_or_empty(secret: Option<&SecretString>) -> String {
    secret.map(to_message).unwrap_or_default()
}

/// A secret of a service's message; proto's empty text is none.
pub fn if_told(text: String) -> Option<SecretString> {
    (!text.is_empty()).then(|| text.into())
}

/// Serializes an optional secret: `#[serde(serialize_with = "secret::tell_if_any")]`.
pub fn tell_if_any<S: Serializer>(
    secret: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => serializer.serialize_some(secret.expose_secret()),
        None => serializer.serialize_none(),
    }
}

/// Serializes secrets: `#[serde(serialize_with = "secret::tell_all")]`.
pub fn tell_all<S: Serializer>(secrets: &[SecretString], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(secrets.iter().map(ExposeSecret::expose_secret))
}

/// Serializes a secret for the client that owns it: `#[serde(serialize_with = "secret::tell")]`.
pub fn tell<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// Reads an object as the secret text that it is: `#[serde(deserialize_with = "secret::object")]`.
pub fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    use serde::de::Error as _;
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    if !raw.get().starts_with('{') {
        return Err(D::Error::custom("not an object"));
    }
    Ok(raw.get().to_owned().into())
}
