//! Login and transaction passwords.

use serde::Deserialize;
use utoipa::ToSchema;

/// Changes the login password.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ChangePasswordRequest {
    /// The present one.
    #[schema(example = "correct horse battery")]
    pub old_password: String,
    /// The new one, 8 to 128 characters.
    #[schema(example = "an even longer staple")]
    pub new_password: String,
    /// The new one again; `confirmPassword` is accepted too.
    #[serde(alias = "confirmPassword")]
    #[schema(example = "an even longer staple")]
    pub confirm_password: String,
}

/// Sets or changes the transaction password. All are MD5 of the 6 digits, in lower-case hex.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SetPayPasswordRequest {
    /// The new one.
    #[schema(
        pattern = "^[0-9a-f]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: String,
    /// The new one again; `confirmPassword` is accepted too.
    #[serde(alias = "confirmPassword")]
    #[schema(
        pattern = "^[0-9a-f]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub confirm_password: String,
    /// The one that is set; only when one is.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    pub old_password: Option<String>,
}

/// Asks whether a transaction password is right.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckPayPasswordRequest {
    /// MD5 of the 6 digits, in lower-case hex.
    #[schema(
        pattern = "^[0-9a-f]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: String,
}
