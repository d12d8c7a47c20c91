//! Users, sessions, languages.

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::notification::v1 as notification;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::content::ServiceEntry;
use super::{Decode, Money, Timestamp, non_empty, secret, wire_enum, wire_struct};
use crate::errors::Failure;
use crate::lang::Lang;
use crate::paths::file_url;

wire_enum! {
    /// State of an account.
    UserState = auth::UserState {
        /// May do everything.
        Active,
        /// Registered, but not activated yet.
        NotActivated,
        /// Disabled by staff.
        Disabled,
        /// Cancelled permanently.
        Cancelled,
    }
}

wire_enum! {
    /// How a user's account was created.
    Entry = auth::Entry {
        /// Registered with user name and password.
        Register,
        /// Came through a native host shell.
        Host,
    }
}

wire_struct! {
    /// A user, as shown to the user and to staff.
    pub struct UserInfo = auth::User as user, settings: Settings, entries: &ServiceEntries {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub id: String,
        /// Login name.
        #[schema(example = "ada.lovelace")]
        pub username: String,
        /// Display name.
        #[schema(example = "Ada")]
        pub nickname: String,
        /// E-mail address; empty if none was given. Finance and operators see `a****@example.com`.
        #[schema(example = "ada@example.com")]
        pub email: String,
        /// Whether the user has confirmed the address with a code that was mailed to it.
        pub email_confirmed: bool,
        /// Phone number; empty if none was given. Finance and operators see `+49****678`.
        #[schema(example = "+4915112345678")]
        pub phone: String,
        /// Address of the picture.
        #[schema(required = true)]
        pub avatar_url: Option<String> = (non_empty(user.avatar_file_id).map(|id| file_url(&id))),
        /// Credit score in points.
        #[schema(example = 100)]
        pub credit_score: i32,
        /// Shop level, from 1.
        #[schema(example = 1)]
        pub shop_level: i32,
        /// Guarantee deposit: a balance of the wallet. Null while the wallet does not answer, after a login or a change.
        #[schema(required = true)]
        pub deposit: Option<Money> = (settings.guarantee),
        /// The proxy operator followed.
        #[schema(required = true)]
        pub proxy_operator_id: Option<String> = (settings.operator_id),
        /// Licence key that opened the account; only the last four characters are shown.
        #[serde(rename = "licenseKey")]
        #[schema(required = true, example = "****0001")]
        pub license_key: Option<String> = license_key_masked,
        /// What the user writes on a payment, so that staff find whose money it is: a creditor reference of ISO 11649.
        #[schema(example = "RF1853900754703400AA")]
        pub payment_reference: String,
        /// How the account was created.
        pub entry: Entry,
        /// Chosen language.
        #[schema(required = true)]
        pub lang: Option<Lang> = (Lang::from_code(&user.lang)),
        /// Whether the user is a member.
        pub vip: bool,
        /// Whether a transaction password is set.
        pub has_pay_password: bool = (settings.has_pay_password),
        /// Whether a bank card is bound.
        pub has_bank_card: bool = (settings.has_bank_card),
        /// State of the account.
        pub state: UserState,
        /// Customer service for questions of every kind.
        pub customer_service_url: Vec<ServiceEntry> = (entries.customer_service.clone()),
        /// Customer service for deposits.
        pub recharge_customer_service_url: Vec<ServiceEntry> = (entries.recharge_customer_service.clone()),
        /// When the account was created.
        pub created_at: Timestamp,
    }
}

/// The customer-service entries in one language.
#[derive(Clone, Debug, Default)]
pub struct ServiceEntries {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntry>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntry>,
}

impl ServiceEntries {
    /// From a service's message.
    pub fn from_proto(response: notification::ListServiceEntriesResponse) -> Result<Self, Failure> {
        Ok(Self {
            customer_service: Decode::decode(response.customer_service, "customer_service")?,
            recharge_customer_service: Decode::decode(
                response.recharge_customer_service,
                "recharge_customer_service",
            )?,
        })
    }
}

/// What services other than auth know about a user.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The proxy operator followed.
    pub operator_id: Option<String>,
    /// Whether a transaction password is set.
    pub has_pay_password: bool,
    /// Whether a bank card is bound.
    pub has_bank_card: bool,
    /// The guarantee; none while the wallet does not answer.
    pub guarantee: Option<Money>,
}

/// A new session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Session {
    /// The token for `X-CT`; returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA")]
    pub token: SecretString,
    /// Token of this device, to be kept beyond the session and sent at later logins: then failures of others do not
    /// lock this device out. It opens nothing by itself. Null where the session follows another one.
    #[serde(serialize_with = "secret::tell_if_any")]
    #[schema(value_type = Option<String>, required = true, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub device_token: Option<SecretString>,
    /// When it expires if not used.
    pub expires_at: Timestamp,
    /// Its owner.
    pub user: UserInfo,
}

/// The token of a session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Token {
    /// The token for `X-CT`; returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA")]
    pub token: SecretString,
}

/// A session, in the older format.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OlderSession {
    /// The token for `X-CT`; returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA")]
    pub token: SecretString,
    /// Token of this device, to be sent at later logins.
    #[serde(serialize_with = "secret::tell_if_any")]
    #[schema(value_type = Option<String>, required = true, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub device_token: Option<SecretString>,
}

impl From<auth::Session> for OlderSession {
    fn from(session: auth::Session) -> Self {
        Self {
            token: session.token.into(),
            device_token: secret::if_told(session.device_token),
        }
    }
}

/// Declares a request to create an account. The older format lets fields be absent.
macro_rules! register_request {
    ($(#[$meta:meta])* $name:ident { confirm_password: $confirm:ty as $shown:ty, contact: $contact:ty }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize, ToSchema)]
        pub struct $name {
            /// Login name.
            #[schema(example = "ada.lovelace")]
            pub username: String,
            /// Display name; the user name if absent.
            #[schema(example = "Ada")]
            pub nickname: Option<String>,
            /// Password, 8 to 128 characters; no common one, and not made of the names.
            #[schema(value_type = String, example = "correct horse battery")]
            pub password: SecretString,
            /// The same password again; `confirmPassword` is accepted too.
            #[serde(alias = "confirmPassword")]
            #[schema(value_type = $shown, example = "correct horse battery")]
            pub confirm_password: $confirm,
            /// E-mail address.
            #[schema(example = "ada@example.com")]
            pub email: $contact,
            /// Phone number.
            #[schema(example = "+4915112345678")]
            pub phone: $contact,
            /// Authorisation code; `license_key` is accepted too.
            #[serde(rename = "licenseKey", alias = "license_key")]
            #[schema(value_type = String, example = "DEMO-LICENSE-0001")]
            pub license_key: SecretString,
        }
    };
}

register_request! {
    /// Creates an account.
    RegisterRequest { confirm_password: SecretString as String, contact: String }
}

register_request! {
    /// Creates an account, in the older format.
    OlderRegisterRequest { confirm_password: Option<SecretString> as Option<String>, contact: Option<String> }
}

/// Opens a session.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct LoginRequest {
    /// Login name, case-insensitive.
    #[schema(example = "demo")]
    pub username: String,
    /// Password.
    #[schema(value_type = String, example = "adfolio-demo-1")]
    pub password: SecretString,
    /// Token of this device from an earlier answer. One that the account does not know counts as none.
    #[schema(value_type = Option<String>, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub device_token: Option<SecretString>,
}

/// Opens an ad account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct OpenStoreRequest {
    /// Authorisation code.
    #[schema(value_type = String, example = "DEMO-LICENSE-0002")]
    pub code: SecretString,
}

/// Enters as a host's user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct HostEntryRequest {
    /// JWT with `alg` EdDSA and the `kid` of a registered key; `aud` is `adfolio`, `sub` the host's id of its user, `exp`
    /// at most 5 minutes after `iat`, and `jti` is used once.
    #[schema(value_type = String, example = "eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcksifQ.eyJzdWIiOiJ1LTEifQ.c2lnbmF0dXJl")]
    pub assertion: SecretString,
}

/// Changes the given fields of the caller's profile; absent fields stay as they are.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditProfileRequest {
    /// Display name, 1 to 50 characters.
    #[schema(example = "Ada")]
    pub nickname: Option<String>,
    /// E-mail address.
    #[schema(example = "ada@example.com")]
    pub email: Option<String>,
    /// Phone number.
    #[schema(example = "+4915112345678")]
    pub phone: Option<String>,
    /// Id of one of the caller's uploads; empty removes the picture.
    pub avatar_file_id: Option<String>,
    /// Language of the interface.
    pub lang: Option<Lang>,
}

wire_struct! {
    /// A code is on its way to the caller's e-mail address.
    pub struct EmailCode = auth::SendEmailCodeResponse {
        /// Until then it confirms the address.
        pub valid_until: Timestamp,
    }
}

/// Confirms the caller's e-mail address.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ConfirmEmailRequest {
    /// The code of the mail: eight digits, blanks and hyphens aside.
    #[schema(value_type = String, example = "20671943")]
    pub code: SecretString,
}

/// A language of the interface.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Language {
    /// Its code in `X-Lang`.
    pub code: Lang,
    /// Its name in English.
    #[schema(value_type = String, example = "English")]
    pub name: &'static str,
    /// Its own name for itself.
    #[schema(value_type = String, example = "English")]
    pub native_name: &'static str,
    /// Its BCP 47 tag.
    #[schema(value_type = String, example = "en")]
    pub locale: &'static str,
}

/// The languages of the interface.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LanguageList {
    /// The default language.
    pub default: Lang,
    /// All of them.
    pub items: Vec<Language>,
}
