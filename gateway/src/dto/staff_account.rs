//! Staff accounts: who they are, how they are opened and how they end.

use adfolio_proto::auth::v1 as auth;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decode, Timestamp, secret, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// Role of a member of staff.
    StaffRole = auth::StaffRole {
        /// Everything.
        Admin,
        /// Users, licences, notices, feedback, resets.
        Support,
        /// Wallet, withdrawals, exchange.
        Finance,
        /// Products, plans, coupons, content.
        Operator,
    }
}

wire_enum! {
    /// State of a staff account.
    StaffState = auth::StaffState {
        /// May log in.
        Active,
        /// May not log in, and has no sessions.
        Disabled,
    }
}

impl StaffState {
    /// The state of an account, which is active for an auth of the release before.
    fn of(state: i32) -> Result<Self, Failure> {
        if state == i32::from(auth::StaffState::Unspecified) {
            return Ok(Self::Active);
        }
        Self::from_wire(state)
    }
}

wire_struct! {
    /// A member of staff.
    pub struct Staff = auth::Staff as staff {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub id: String,
        /// Login name.
        #[schema(example = "admin")]
        pub username: String,
        /// Role of the member.
        pub role: StaffRole,
        /// State of the account.
        pub state: StaffState = (StaffState::of(staff.state)?),
        /// Whether the member has a one-time password: a session may then only change it or log out.
        pub must_change_password: bool,
        /// Who made the account; null for a founder.
        #[schema(required = true)]
        pub made_by: Option<String> = made_by_id,
        /// Who confirmed that another person than its maker holds the account.
        #[schema(required = true)]
        pub confirmed_by: Option<String> = confirmed_by_id,
        /// Whether a second factor is active: an authenticator app or a passkey.
        pub has_second_factor: bool,
        /// Whether an authenticator app is active.
        pub has_totp: bool,
        /// Number of passkeys.
        #[schema(example = 1)]
        pub passkeys: u32,
    }
}

wire_struct! {
    /// The caller's session.
    pub struct OwnStaffSession = auth::VerifyStaffSessionResponse {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3a")]
        pub id: String = session_id,
        /// When it was opened; null from an auth of the release before.
        #[schema(required = true)]
        pub opened_at: Option<Timestamp>,
        /// When it expires unless it is used again; null from an auth of the release before.
        #[schema(required = true)]
        pub expires_at: Option<Timestamp>,
        /// Whether it lacks the second factor that it needs: it may then only set one up, show it, or log out.
        pub second_factor_missing: bool,
        /// Until then the second factor counts as shown a moment ago; null where none is active, and before it was shown.
        #[schema(required = true)]
        pub fresh_until: Option<Timestamp>,
    }
}

/// The caller's own account and session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Me {
    /// The account.
    #[serde(flatten)]
    pub staff: Staff,
    /// The session of the call.
    pub session: OwnStaffSession,
}

impl Me {
    /// From what auth says of a token.
    pub fn from_proto(mut verified: auth::VerifyStaffSessionResponse) -> Result<Self, Failure> {
        let staff = Staff::decode(verified.staff.take(), "staff")?;
        let session = OwnStaffSession::from_proto(verified)?;
        Ok(Self { staff, session })
    }
}

wire_struct! {
    /// A member of staff in the list.
    pub struct ListedStaff = auth::Staff as staff {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub id: String,
        /// Login name.
        #[schema(example = "admin")]
        pub username: String,
        /// Role of the member.
        pub role: StaffRole,
        /// State of the account.
        pub state: StaffState = (StaffState::of(staff.state)?),
        /// Whether the member has a one-time password: a session may then only change it or log out.
        pub must_change_password: bool,
        /// When the account was created.
        pub created_at: Timestamp,
        /// The last login.
        #[schema(required = true)]
        pub last_login_at: Option<Timestamp>,
        /// Number of active sessions.
        #[schema(example = 1)]
        pub sessions: u32,
        /// Who made the account; null for a founder.
        #[schema(required = true)]
        pub made_by: Option<String> = made_by_id,
        /// Who confirmed that another person than its maker holds the account.
        #[schema(required = true)]
        pub confirmed_by: Option<String> = confirmed_by_id,
        /// Whether a second factor is active: an authenticator app or a passkey.
        pub has_second_factor: bool,
        /// Whether an authenticator app is active.
        pub has_totp: bool,
        /// Number of passkeys.
        #[schema(example = 1)]
        pub passkeys: u32,
    }
}

/// Changes the state of a staff account; every session of the member ends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffStateRequest {
    /// The member; not oneself.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub staff_id: String,
    /// The new state. The last active admin stays active.
    pub state: StaffState,
    /// Why; stored in the audit log.
    #[schema(example = "left the company")]
    pub reason: String,
}

/// Changes the role of a staff account; every session of the member ends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffRoleRequest {
    /// The member; not oneself.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub staff_id: String,
    /// The new role. The last active admin stays one.
    pub role: StaffRole,
    /// Why; stored in the audit log.
    #[schema(example = "moved to finance")]
    pub reason: String,
}

/// Confirms that another person than its maker holds a staff account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ConfirmStaffRequest {
    /// The member. Neither its maker nor an account of the same person confirms it.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub staff_id: String,
    /// Why; stored in the audit log.
    #[schema(example = "met her in the office")]
    pub reason: String,
}

/// Changes one's own password with `old_password` and `new_password`, or asks for a one-time password of another member
/// with `staff_id` and `reason`. Every session of the member ends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffPasswordRequest {
    /// The current password.
    #[schema(value_type = Option<String>, example = "correct horse battery")]
    pub old_password: Option<SecretString>,
    /// The new password, 8 to 128 characters; no common one, and not made of the name.
    #[schema(value_type = Option<String>, example = "an even longer staple")]
    pub new_password: Option<SecretString>,
    /// Another member, by an admin.
    pub staff_id: Option<String>,
    /// Why; stored in the audit log. Required with `staff_id`.
    pub reason: Option<String>,
}

/// The member whose password was changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPassword {
    /// The account.
    #[serde(flatten)]
    pub staff: Staff,
    /// The one-time password of another member; returned only here. The member must change it after the next login.
    #[serde(serialize_with = "secret::tell_if_any")]
    #[schema(value_type = Option<String>, required = true)]
    pub one_time_password: Option<SecretString>,
}

/// Ends every session of a member.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EndStaffSessionsRequest {
    /// The member: anybody for an admin, oneself for the others.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub staff_id: String,
}

/// Opens a staff session.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffLoginRequest {
    /// Login name, case-insensitive.
    #[schema(example = "admin")]
    pub username: String,
    /// Password.
    #[schema(value_type = String, example = "adfolio-admin")]
    pub password: SecretString,
    /// A code of the second factor or a recovery code, where a second factor is active.
    #[schema(value_type = Option<String>, example = "287082")]
    pub code: Option<SecretString>,
    /// Token of this device from an earlier answer. One that the account does not know counts as none.
    #[schema(value_type = Option<String>, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    pub device_token: Option<SecretString>,
}

wire_struct! {
    /// A new staff session.
    pub struct StaffSession = auth::StaffLoginResponse as opened {
        /// The token for `X-CT`; returned only here.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA")]
        pub token: SecretString,
        /// Token of this device, to be kept beyond the session and sent at later logins: then failures of others do not
        /// lock this device out. It opens nothing by itself.
        #[serde(serialize_with = "secret::tell_if_any")]
        #[schema(value_type = Option<String>, required = true, example = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
        pub device_token: Option<SecretString> = (secret::if_told(opened.device_token)),
        /// Its owner.
        pub staff: Staff,
    }
}

/// Creates a member of staff.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateStaffRequest {
    /// Login name.
    #[schema(example = "olivia")]
    pub username: String,
    /// Password, 8 to 128 characters; no common one, and not made of the names.
    #[schema(value_type = String, example = "a long enough password")]
    pub password: SecretString,
    /// Role of the member.
    pub role: StaffRole,
}
