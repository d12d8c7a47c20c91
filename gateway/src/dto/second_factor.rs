//! The second factor of staff.

use adfolio_proto::auth::v1 as auth;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Timestamp, secret, wire_struct};

/// A second factor to set up. A first code activates it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SecondFactor {
    /// The secret in base32, for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds); returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    pub secret: SecretString,
    /// The same as an address that apps read; returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(
        value_type = String,
        example = "otpauth://totp/Adfolio:olivia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Adfolio"
    )]
    pub otpauth_uri: SecretString,
    /// Ten codes that replace the app once each; returned only here.
    #[serde(serialize_with = "secret::tell_all")]
    #[schema(value_type = Vec<String>, example = json!(["3f9a1-0c7be-52d48-e61f0"]))]
    pub recovery_codes: Vec<SecretString>,
}

impl From<auth::EnrollSecondFactorResponse> for SecondFactor {
    fn from(response: auth::EnrollSecondFactorResponse) -> Self {
        let codes = response.recovery_codes.into_iter();
        Self {
            secret: response.secret.into(),
            otpauth_uri: response.otpauth_uri.into(),
            recovery_codes: codes.map(Into::into).collect(),
        }
    }
}

/// Shows the second factor in the session.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ConfirmSecondFactorRequest {
    /// A code of the app; once the second factor is active also a recovery code.
    #[schema(value_type = String, example = "287082")]
    pub code: SecretString,
}

wire_struct! {
    /// A staff session that is fresh.
    pub struct FreshStaffSession = auth::ConfirmSecondFactorResponse {
        /// Until then it is fresh.
        pub fresh_until: Timestamp,
    }
}

/// Removes the second factor of another member; every session of the member ends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ResetSecondFactorRequest {
    /// The member; not oneself.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub staff_id: String,
    /// Why; stored in the audit log.
    #[schema(example = "lost the phone")]
    pub reason: String,
}
