//! Passkeys of staff. The objects of WebAuthn pass through as browsers write and read them.

use adfolio_proto::auth::v1 as auth;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Timestamp, secret, wire_struct};
use crate::errors::Failure;

/// What begins a ceremony.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PasskeyCeremony {
    /// What the ceremony ends with, within 5 minutes and once.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ")]
    pub ceremony: SecretString,
    /// For the browser: PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON of WebAuthn.
    #[schema(value_type = HashMap<String, Value>, example = json!({"challenge": "3q2-7w", "rpId": "console.example", "timeout": 300_000, "userVerification": "required"}))]
    pub options: Value,
}

impl PasskeyCeremony {
    /// From what auth answers.
    pub fn new(ceremony: String, options: &str) -> Result<Self, Failure> {
        let options = serde_json::from_str(options);
        Ok(Self {
            ceremony: ceremony.into(),
            options: options.map_err(|_| Failure::broken_answer("options"))?,
        })
    }
}

/// Logs in with a passkey.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PasskeyLoginRequest {
    /// Of the answer that began it.
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ")]
    pub ceremony: SecretString,
    /// What the browser answered: AuthenticationResponseJSON of WebAuthn.
    #[serde(deserialize_with = "secret::object")]
    #[schema(value_type = HashMap<String, Value>, example = json!({"id": "3q2-7w", "rawId": "3q2-7w", "type": "public-key", "response": {}}))]
    pub credential: SecretString,
    /// Token of this device from an earlier answer. One that the account does not know counts as none.
    #[schema(value_type = Option<String>, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub device_token: Option<SecretString>,
}

/// Registers a passkey.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RegisterPasskeyRequest {
    /// Of the answer that began it.
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ")]
    pub ceremony: SecretString,
    /// What the browser answered: RegistrationResponseJSON of WebAuthn.
    #[serde(deserialize_with = "secret::object")]
    #[schema(value_type = HashMap<String, Value>, example = json!({"id": "3q2-7w", "rawId": "3q2-7w", "type": "public-key", "response": {}}))]
    pub credential: SecretString,
    /// How the member tells it from others: 1 to 64 characters.
    #[schema(example = "Work laptop")]
    pub name: String,
}

/// Shows a passkey in the session.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ConfirmWithPasskeyRequest {
    /// Of the answer that began it.
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ")]
    pub ceremony: SecretString,
    /// What the browser answered: AuthenticationResponseJSON of WebAuthn.
    #[serde(deserialize_with = "secret::object")]
    #[schema(value_type = HashMap<String, Value>, example = json!({"id": "3q2-7w", "rawId": "3q2-7w", "type": "public-key", "response": {}}))]
    pub credential: SecretString,
}

/// Removes a passkey.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RemovePasskeyRequest {
    /// One of the caller's.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub passkey_id: String,
}

wire_struct! {
    /// A passkey of a member of staff.
    pub struct Passkey = auth::Passkey {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
        pub passkey_id: String = id,
        /// As the member named it.
        #[schema(example = "Work laptop")]
        pub name: String,
        /// When it was registered.
        pub created_at: Timestamp,
        /// When it was last shown; null before the first time.
        #[schema(required = true)]
        pub last_used_at: Option<Timestamp>,
    }
}

/// The caller's passkeys.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Passkeys {
    /// All of them, oldest first.
    pub items: Vec<Passkey>,
}
