//! Licence keys, users as staff see them, hosts, and reconciliation.

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::wallet::v1 as wallet;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::account::{UserInfo, UserState};
use super::wallet::Property;
use super::{MoneyInput, PageLimit, Timestamp, secret, wire_enum, wire_struct};
use crate::lang::Lang;

wire_enum! {
    /// State of a licence key.
    LicenseState = auth::LicenseKeyState {
        /// Can open an account.
        Unused,
        /// Has been used to open an account.
        Used,
    }
}

wire_struct! {
    /// A licence key (authorisation code).
    pub struct License = auth::LicenseKey {
        /// The code, as issued.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "7KQ2-M9TX-4WPA-ZC3H")]
        pub code: SecretString,
        /// Its state.
        pub state: LicenseState,
        /// Staff's note.
        #[schema(required = true)]
        pub note: Option<String>,
        /// Whether the account it opens is active immediately.
        pub activate: bool,
        /// The user it opened an account for.
        #[schema(required = true)]
        pub user_id: Option<String>,
        /// When it was issued.
        pub created_at: Timestamp,
    }
}

/// Issues licence keys.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateLicenseRequest {
    /// Number of keys, 1 to 500.
    #[schema(minimum = 1, maximum = 500, example = 10)]
    pub count: u32,
    /// Staff's note.
    #[schema(example = "Trade fair")]
    pub note: Option<String>,
    /// Whether accounts opened with them are active immediately; true if absent.
    #[schema(example = true)]
    pub activate: Option<bool>,
}

wire_struct! {
    /// The issued licence keys.
    pub struct LicenseList = auth::CreateLicenseKeysResponse {
        /// The keys.
        pub items: Vec<License>,
    }
}

/// Filters for users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserListQuery {
    /// Part of a user name, or an e-mail address or id. Finance and operators search by name and id; a text with `@` is
    /// FORBIDDEN of `query`.
    pub query: Option<String>,
    /// Only users in this state.
    pub state: Option<UserState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// A user in lists for staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserName {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
    /// Login name; null while it is unavailable.
    #[schema(required = true, example = "ada.lovelace")]
    pub username: Option<String>,
}

wire_struct! {
    /// An active session of a user.
    pub struct SessionSummary = auth::SessionSummary {
        /// Its id; not the token.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3a")]
        pub id: String,
        /// When it was opened.
        pub created_at: Timestamp,
        /// When it was last used, to the minute.
        pub last_seen_at: Timestamp,
        /// When it expires if not used.
        pub expires_at: Timestamp,
    }
}

/// A user with wallet and sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserDetail {
    /// The user.
    #[serde(flatten)]
    pub user: UserInfo,
    /// The balances of the wallet.
    pub property: Property,
    /// Active sessions, newest first.
    pub sessions: Vec<SessionSummary>,
}

/// Changes the state of an account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserStateRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
    /// The new state.
    pub state: UserState,
    /// Why.
    #[schema(example = "Asked for by the user")]
    pub reason: Option<String>,
}

/// Issues a token for a user of a native host shell.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct HostTokenRequest {
    /// The host's id of its user, 1 to 200 characters. The same id always means the same user.
    #[schema(value_type = String, example = "host-user-4711")]
    pub external_user_id: SecretString,
    /// Language to start with.
    pub lang: Option<Lang>,
    /// The registered host whose user it is; absent for a host that is not registered.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40")]
    pub host_id: Option<String>,
}

/// Changes the given fields of a user's standing; absent fields stay as they are. The user sees the change, so it needs a
/// reason.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserProfileRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
    /// Credit score in points, 0 to 1000.
    #[schema(minimum = 0, maximum = 1000, example = 120)]
    pub credit_score: Option<i32>,
    /// Shop level, 1 to 100.
    #[schema(minimum = 1, maximum = 100, example = 2)]
    pub shop_level: Option<i32>,
    /// Refused: the guarantee is a balance of the wallet, which `POST /admin/wallet/guarantee` changes.
    #[schema(deprecated)]
    pub deposit: Option<MoneyInput>,
    /// Whether the user is a member.
    pub vip: Option<bool>,
}

/// Removes a user's transaction password and its lock.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ResetPayPasswordRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// Why.
    #[schema(example = "Forgotten; identity checked by phone")]
    pub reason: Option<String>,
}

/// Opens a membership and charges its fee.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct MembershipRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The fee.
    pub amount: MoneyInput,
}

wire_enum! {
    /// Action on start-up funds.
    StartUpFundsAction = wallet::StartUpFundsAction {
        /// Granted to the user, who returns them later.
        Grant,
        /// Returned by the user.
        Return,
    }
}

/// Grants start-up funds, or marks them as returned.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StartUpFundsRequest {
    /// Owner of the wallet.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The direction.
    pub action: StartUpFundsAction,
    /// Amount.
    pub amount: MoneyInput,
}

wire_enum! {
    /// Action on the guarantee.
    GuaranteeAction = wallet::GuaranteeAction {
        /// Given by the user.
        Deposit,
        /// Given back to the user.
        Return,
    }
}

/// Moves money of the user from the available funds to the guarantee, or back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct GuaranteeRequest {
    /// Owner of the wallet.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The direction.
    pub action: GuaranteeAction,
    /// Amount.
    pub amount: MoneyInput,
    /// Remark shown to the user, at most 500 characters.
    #[schema(example = "Guarantee for shop level 3")]
    pub remark: Option<String>,
}

/// Credits a wallet, or takes money back from it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WalletChangeRequest {
    /// Owner of the wallet.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// Amount.
    pub amount: MoneyInput,
    /// Remark shown to the user, at most 500 characters.
    #[schema(example = "Bank transfer 2026-11-20")]
    pub remark: String,
}

wire_struct! {
    /// A check of the ledger.
    pub struct ReconcileCheck = wallet::ReconcileCheck {
        /// Stable name.
        #[schema(example = "entries_sum_to_zero")]
        pub name: String,
        /// Whether the check passes.
        #[schema(example = true)]
        pub ok: bool,
        /// A value that must be zero.
        #[schema(example = 0)]
        pub figure: i64,
        /// Finding, in English.
        #[schema(example = "every transaction's entries sum to zero")]
        pub detail: String,
    }
}

wire_struct! {
    /// The result of all checks of the ledger.
    pub struct Reconciliation = wallet::ReconcileResponse {
        /// Whether all checks pass.
        #[schema(example = true)]
        pub ok: bool,
        /// The checks.
        pub checks: Vec<ReconcileCheck>,
    }
}

wire_struct! {
    /// A key with which a host signs.
    pub struct HostKey = auth::HostKey {
        /// RFC 7638 thumbprint: the `kid` of the JWT's header.
        #[schema(example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
        pub kid: String,
        /// When it was added.
        pub added_at: Timestamp,
        /// When it was revoked; null while it is valid.
        #[schema(required = true)]
        pub revoked_at: Option<Timestamp>,
    }
}

wire_struct! {
    /// A native host shell that vouches for its users.
    pub struct Host = auth::Host {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40")]
        pub id: String,
        /// Its unique name.
        #[schema(example = "Partner app")]
        pub name: String,
        /// Its keys, oldest first.
        pub keys: Vec<HostKey>,
        /// When it was registered.
        pub created_at: Timestamp,
    }
}

wire_struct! {
    /// All hosts.
    pub struct HostList = auth::ListHostsResponse {
        /// Oldest first.
        pub items: Vec<Host>,
    }
}

/// Registers a host.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateHostRequest {
    /// Unique name, 1 to 100 characters.
    #[schema(example = "Partner app")]
    pub name: String,
    /// Ed25519 public key in PEM.
    #[schema(
        example = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
    )]
    pub public_key: String,
}

/// Adds a key to a host.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddHostKeyRequest {
    /// The host.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40")]
    pub host_id: String,
    /// Ed25519 public key in PEM.
    #[schema(
        example = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
    )]
    pub public_key: String,
}

/// Revokes a key of a host; sessions that were opened with it end.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RevokeHostKeyRequest {
    /// The key.
    #[schema(example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
    pub kid: String,
    /// Why; stored in the audit log.
    #[schema(example = "rotation")]
    pub reason: Option<String>,
}
