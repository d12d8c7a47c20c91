//! Push messages to browsers.

use adfolio_kit::refusal::Refusal;
use adfolio_proto::notification::v1 as notification;
use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::secret;

/// As browsers write keys; some libraries pad them.
const KEY: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The key of push messages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PushKey {
    /// `applicationServerKey` of a subscription, in unpadded base64url; null where push is off.
    #[schema(
        required = true,
        example = "BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY"
    )]
    pub public_key: Option<String>,
}

/// A browser to send push messages to, as its `PushSubscription` describes itself.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushSubscription {
    /// Where its push service takes messages. Who knows it may send to the browser.
    #[schema(
        value_type = String,
        example = "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ",
        max_length = 1024
    )]
    pub endpoint: SecretString,
    /// Its public key in base64url.
    #[schema(
        example = "BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY"
    )]
    pub p256dh: String,
    /// Its authentication secret in base64url.
    #[schema(value_type = String, example = "_ordMnz7uTCmrpBTeUV4Bw")]
    pub auth: SecretString,
}

impl PushSubscription {
    /// For this session: VALIDATION naming a key that is not base64url.
    pub fn into_message(
        self,
        session: Uuid,
    ) -> Result<notification::SubscribePushRequest, Refusal> {
        let decoded = |text: &str, field| KEY.decode(text).map_err(|_| Refusal::invalid(field));
        Ok(notification::SubscribePushRequest {
            p256dh: decoded(&self.p256dh, "p256dh")?,
            auth: decoded(self.auth.expose_secret(), "auth")?,
            endpoint: secret::to_message(&self.endpoint),
            session_id: session.to_string(),
        })
    }
}

/// A browser by its address.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushEndpoint {
    /// Its address at its push service.
    #[schema(
        value_type = String,
        example = "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ",
        max_length = 1024
    )]
    pub endpoint: SecretString,
}
