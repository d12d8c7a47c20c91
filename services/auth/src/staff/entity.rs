//! A member of staff, and who may add one.

use adfolio_kit::identity::{Caller, Staff, StaffRole};
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use sha2::{Digest, Sha256};

use crate::ids::StaffId;
use crate::password::NewPassword;
use crate::username::Username;

/// A staff account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    pub id: StaffId,
    pub username: String,
    pub role: StaffRole,
    pub created_at: DateTime<Utc>,
}

/// Who may add a member of staff.
#[derive(Clone, Copy, Debug)]
pub enum Creator {
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
}

impl NewStaff {
    /// Checks the fields.
    pub fn parse(
        username: &str,
        password: &SecretString,
        role: StaffRole,
    ) -> Result<Self, Refusal> {
        let username = Username::parse(username)?;
        let password = NewPassword::parse(password, &[username.as_str()])
            .map_err(|rule| Refusal::broken(rule, "password"))?;
        Ok(Self {
            username,
            password,
            role,
        })
    }

    /// Tells requests with one idempotency key apart. Without the password: a fast digest of it must not be stored.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(format!("{}\0{}", self.username.as_str(), self.role)).into()
    }
}
