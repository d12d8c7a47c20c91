//! A member of staff, who may add one, and how an account changes.

use adfolio_kit::identity::{Caller, Staff, StaffRole};
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal, Rule};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::ids::StaffId;
use crate::password::NewPassword;
use crate::username::Username;

/// The input that names a member of staff.
pub const STAFF_ID: &str = "staff_id";

/// The input that names a second founder.
pub const SECOND_USERNAME: &str = "second_username";

/// Longest reason of a change.
const LONGEST_REASON: usize = 500;

names! {
    /// State of a staff account.
    StaffState {
        /// May log in.
        Active,
        /// May not log in, and has no sessions.
        Disabled,
    }
}

/// A staff account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    pub id: StaffId,
    pub username: String,
    pub role: StaffRole,
    pub state: StaffState,
    /// Whether the password was reset. Until it is changed a session may only change it or log out.
    pub must_change_password: bool,
    pub created_at: DateTime<Utc>,
    /// None for a founder.
    pub made_by: Option<StaffId>,
    /// Who confirmed that another person than its maker holds the account.
    pub confirmed_by: Option<StaffId>,
    /// Whether an authenticator app is active.
    pub has_totp: bool,
    /// Number of passkeys.
    pub passkeys: i64,
}

impl StaffMember {
    /// Whether there is something that shows more than the password.
    pub fn has_second_factor(&self) -> bool {
        self.has_totp || self.passkeys > 0
    }

    /// Whether the member may do everything at this moment.
    pub fn is_active_admin(&self) -> bool {
        self.state == StaffState::Active && self.role == StaffRole::Admin
    }

    /// Confirms that another person than its maker holds the account. For a founder, who has none, NOTHING_CHANGED.
    pub fn confirm(&mut self, by: StaffId) -> Result<StaffId, Refusal> {
        let maker = self.made_by.filter(|_| self.confirmed_by.is_none());
        let maker = maker.ok_or_else(|| Refusal::new(Reason::NothingChanged))?;
        self.confirmed_by = Some(by);
        Ok(maker)
    }

    /// Applies a change, or NOTHING_CHANGED.
    pub fn apply(&mut self, change: Change) -> Result<(), Refusal> {
        let before = (self.state, self.role);
        match change {
            Change::State(state) => self.state = state,
            Change::Role(role) => self.role = role,
        }
        if (self.state, self.role) == before {
            return Err(Refusal::new(Reason::NothingChanged));
        }
        Ok(())
    }
}

/// A staff account, as it is listed.
#[derive(Clone, Debug)]
pub struct Listed {
    pub member: StaffMember,
    pub last_login_at: Option<DateTime<Utc>>,
    /// Live ones.
    pub sessions: u32,
}

/// A change of what a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    State(StaffState),
    Role(StaffRole),
}

impl Change {
    /// The input that it comes from.
    pub fn field(self) -> &'static str {
        match self {
            Self::State(_) => "state",
            Self::Role(_) => "role",
        }
    }

    /// Its name in the audit log.
    pub fn action(self) -> &'static str {
        match self {
            Self::State(_) => "auth.set_staff_state",
            Self::Role(_) => "auth.set_staff_role",
        }
    }

    /// What it changes of a member, for the audit log.
    pub fn describe(self, member: &StaffMember) -> Value {
        match self {
            Self::State(_) => json!({"state": member.state.as_str()}),
            Self::Role(_) => json!({"role": member.role.as_str()}),
        }
    }

    fn value(self) -> &'static str {
        match self {
            Self::State(state) => state.as_str(),
            Self::Role(role) => role.as_str(),
        }
    }
}

/// What an admin does to another member, and why.
#[derive(Clone, Debug)]
pub struct Act {
    pub caller: Caller,
    pub by: Staff,
    pub on: StaffId,
    pub reason: String,
}

impl Act {
    /// Checks who acts on whom. Nobody acts on the own account: FORBIDDEN of `staff_id`.
    pub fn parse(caller: Caller, on: StaffId, reason: &str) -> Result<Self, Refusal> {
        let by = caller.require_staff(&[])?;
        let reason = required_reason(reason)?;
        if by.id == on.0 {
            return Err(Refusal::new(Reason::Forbidden).field(STAFF_ID));
        }
        Ok(Self {
            caller,
            by,
            on,
            reason,
        })
    }

    /// Tells requests with one idempotency key apart.
    pub fn digest(&self, change: Change) -> [u8; 32] {
        let (on, value, reason) = (self.on, change.value(), &self.reason);
        Sha256::digest(format!("{on}\0{value}\0{reason}")).into()
    }
}

/// A reason that must be given, or VALIDATION of `reason`.
pub fn required_reason(reason: &str) -> Result<String, Refusal> {
    let field = "reason";
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Refusal::broken(Rule::Blank, field));
    }
    if reason.chars().count() > LONGEST_REASON {
        return Err(Refusal::broken(Rule::TooLong, field));
    }
    if reason.contains('\0') {
        return Err(Refusal::invalid(field));
    }
    Ok(reason.to_owned())
}

/// Who may add a member of staff.
#[derive(Clone, Copy, Debug)]
pub enum Creator {
    /// A member, or adfolioctl, which has no account.
    Admin(Staff),
    /// A caller without identity, on the private network: only while there is no staff at all.
    Bootstrap,
}

impl Creator {
    /// The creator that a call's identity makes, or NOT_AUTHENTICATED or FORBIDDEN.
    ///
    /// The gateway never passes a call on without the identity it verified, so a call without any comes from an
    /// operator on the private network.
    pub fn of(caller: &Caller) -> Result<Self, Refusal> {
        if caller.staff.is_none() && caller.user.is_none() {
            return Ok(Self::Bootstrap);
        }
        caller.require_staff(&[]).map(Self::Admin)
    }
}

/// A staff account to add.
#[derive(Debug)]
pub struct NewStaff {
    pub username: Username,
    pub password: NewPassword,
    pub role: StaffRole,
    /// A second founder, only while there is no staff.
    pub second: Option<Founder>,
}

/// The other of the first two accounts; an admin.
#[derive(Debug)]
pub struct Founder {
    pub username: Username,
    pub password: NewPassword,
}

impl Founder {
    /// Checks the fields.
    pub fn parse(username: &str, password: &SecretString) -> Result<Self, Refusal> {
        let username =
            Username::parse(username).map_err(|refusal| refusal.field(SECOND_USERNAME))?;
        let password = NewPassword::parse(password, &[username.as_str()])
            .map_err(|rule| Refusal::broken(rule, "second_password"))?;
        Ok(Self { username, password })
    }
}

impl NewStaff {
    /// Checks the fields.
    pub fn parse(
        username: &str,
        password: &SecretString,
        role: StaffRole,
        second: Option<Founder>,
    ) -> Result<Self, Refusal> {
        let username = Username::parse(username)?;
        let password = NewPassword::parse(password, &[username.as_str()])
            .map_err(|rule| Refusal::broken(rule, "password"))?;
        Ok(Self {
            username,
            password,
            role,
            second,
        })
    }

    /// Tells requests with one idempotency key apart. Without passwords: a fast digest of one must not be stored.
    pub fn digest(&self) -> [u8; 32] {
        let digest =
            Sha256::new().chain_update(format!("{}\0{}", self.username.as_str(), self.role));
        match &self.second {
            None => digest,
            Some(second) => digest.chain_update(format!("\0{}", second.username.as_str())),
        }
        .finalize()
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member() -> StaffMember {
        StaffMember {
            id: StaffId(uuid::Uuid::from_u128(1)),
            username: "olivia".to_owned(),
            role: StaffRole::Admin,
            state: StaffState::Active,
            must_change_password: false,
            created_at: DateTime::UNIX_EPOCH,
            made_by: None,
            confirmed_by: None,
            has_totp: false,
            passkeys: 0,
        }
    }

    #[test]
    fn only_what_somebody_made_is_confirmed_and_once() {
        let [maker, other] = [2, 3].map(|id| StaffId(uuid::Uuid::from_u128(id)));
        let mut olivia = member();
        assert!(olivia.confirm(other).is_err(), "a founder");
        olivia.made_by = Some(maker);
        assert_eq!(olivia.confirm(other), Ok(maker));
        assert!(olivia.confirm(other).is_err());
    }

    #[test]
    fn a_change_changes_something() {
        let mut olivia = member();
        for change in [
            Change::State(StaffState::Active),
            Change::Role(StaffRole::Admin),
        ] {
            let refusal = olivia.apply(change).expect_err("nothing to change");
            assert_eq!(refusal.reason, Reason::NothingChanged);
        }
        assert!(olivia.is_active_admin());
        assert_eq!(olivia.apply(Change::State(StaffState::Disabled)), Ok(()));
        assert!(!olivia.is_active_admin());
        assert_eq!(olivia.apply(Change::State(StaffState::Active)), Ok(()));
        assert_eq!(olivia.apply(Change::Role(StaffRole::Finance)), Ok(()));
        assert!(!olivia.is_active_admin());
    }

    #[test]
    fn a_reason_is_a_text() {
        assert_eq!(required_reason(" left us "), Ok("left us".to_owned()));
        for text in ["", " \t", "a\0b", &"a".repeat(501)] {
            let refusal = required_reason(text).expect_err("no reason");
            assert_eq!(refusal.field.as_deref(), Some("reason"));
        }
    }
}
