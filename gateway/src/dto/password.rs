//! Login and transaction passwords.

use adfolio_proto::auth::v1 as auth;
use secrecy::SecretString;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Timestamp, wire_struct};

/// Changes the login password.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ChangePasswordRequest {
    /// The current password.
    #[schema(value_type = String, example = "correct horse battery")]
    pub old_password: SecretString,
    /// The new password, 8 to 128 characters; no common one, and not made of the names.
    #[schema(value_type = String, example = "an even longer staple")]
    pub new_password: SecretString,
    /// The new password again; `confirmPassword` is accepted too.
    #[serde(alias = "confirmPassword")]
    #[schema(value_type = String, example = "an even longer staple")]
    pub confirm_password: SecretString,
}

/// Makes the session fresh.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StepUpRequest {
    /// The login password.
    #[schema(value_type = String, example = "correct horse battery")]
    pub password: SecretString,
}

wire_struct! {
    /// A fresh session.
    pub struct Fresh = auth::StepUpResponse {
        /// Until then it is fresh.
        pub fresh_until: Timestamp,
    }
}

/// Sets or changes the transaction password. Every password is the MD5 of its 6 digits, in hex.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SetPayPasswordRequest {
    /// The new password.
    #[schema(
        value_type = String,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: SecretString,
    /// The new password again; `confirmPassword` is accepted too.
    #[serde(alias = "confirmPassword")]
    #[schema(
        value_type = String,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub confirm_password: SecretString,
    /// The current password; only if one is set.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-fA-F]{32}$")]
    pub old_password: Option<SecretString>,
}

/// Checks a transaction password.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckPayPasswordRequest {
    /// MD5 of the 6 digits, in hex.
    #[schema(
        value_type = String,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: SecretString,
}
