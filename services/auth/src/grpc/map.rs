//! Between the entities and their messages.

use adfolio_kit::identity::StaffRole;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use adfolio_proto::auth::v1;

use crate::audit::{self, Actor, OwnEntry};
use crate::license::LicenseKey;
use crate::session;
use crate::staff::StaffMember;
use crate::user::{Entry, LoggedIn, User, UserState};

pub fn user(user: User) -> v1::User {
    v1::User {
        id: user.id.to_string(),
        license_key_masked: user.masked_license(),
        username: user.username,
        nickname: user.nickname,
        email: user.email,
        phone: user.phone,
        credit_score: user.credit_score,
        shop_level: user.shop_level,
        deposit_minor: user.deposit_minor,
        entry: entry(user.entry).into(),
        lang: user.lang,
        vip: user.vip,
        state: state(user.state).into(),
        created_at: Some(user.created_at.into()),
        avatar_file_id: user.avatar_file_id,
    }
}

pub fn session(logged_in: LoggedIn) -> v1::Session {
    v1::Session {
        token: logged_in.session.token.expose().to_owned(),
        expires_at: Some(logged_in.session.expires_at.into()),
        user: Some(user(logged_in.user)),
    }
}

pub fn session_summary(listed: session::Listed) -> v1::SessionSummary {
    let (session, client) = (listed.session, listed.client);
    v1::SessionSummary {
        id: session.id.to_string(),
        created_at: Some(session.created_at.into()),
        last_seen_at: Some(session.last_seen_at.into()),
        expires_at: Some(session.expires_at.into()),
        user_agent: client.user_agent.unwrap_or_default(),
        address: client.address.unwrap_or_default(),
    }
}

pub fn state(state: UserState) -> v1::UserState {
    match state {
        UserState::Active => v1::UserState::Active,
        UserState::NotActivated => v1::UserState::NotActivated,
        UserState::Disabled => v1::UserState::Disabled,
        UserState::Cancelled => v1::UserState::Cancelled,
    }
}

/// The state that a message names, none for the unspecified one.
pub fn parse_state(number: i32) -> Result<Option<UserState>, Refusal> {
    match v1::UserState::try_from(number) {
        Ok(v1::UserState::Unspecified) => Ok(None),
        Ok(v1::UserState::Active) => Ok(Some(UserState::Active)),
        Ok(v1::UserState::NotActivated) => Ok(Some(UserState::NotActivated)),
        Ok(v1::UserState::Disabled) => Ok(Some(UserState::Disabled)),
        Ok(v1::UserState::Cancelled) => Ok(Some(UserState::Cancelled)),
        Err(_) => Err(Refusal::invalid("state")),
    }
}

pub fn entry(entry: Entry) -> v1::Entry {
    match entry {
        Entry::Register => v1::Entry::Register,
        Entry::Host => v1::Entry::Host,
    }
}

pub fn staff(staff: StaffMember) -> v1::Staff {
    let role = match staff.role {
        StaffRole::Admin => v1::StaffRole::Admin,
        StaffRole::Support => v1::StaffRole::Support,
        StaffRole::Finance => v1::StaffRole::Finance,
        StaffRole::Operator => v1::StaffRole::Operator,
    };
    v1::Staff {
        id: staff.id.to_string(),
        username: staff.username,
        role: role.into(),
        created_at: Some(staff.created_at.into()),
    }
}

pub fn parse_role(number: i32) -> Result<StaffRole, Refusal> {
    match v1::StaffRole::try_from(number) {
        Ok(v1::StaffRole::Admin) => Ok(StaffRole::Admin),
        Ok(v1::StaffRole::Support) => Ok(StaffRole::Support),
        Ok(v1::StaffRole::Finance) => Ok(StaffRole::Finance),
        Ok(v1::StaffRole::Operator) => Ok(StaffRole::Operator),
        Ok(v1::StaffRole::Unspecified) | Err(_) => Err(Refusal::invalid("role")),
    }
}

pub fn license_key(key: LicenseKey) -> v1::LicenseKey {
    let state = if key.used_by.is_some() {
        v1::LicenseKeyState::Used
    } else {
        v1::LicenseKeyState::Unused
    };
    v1::LicenseKey {
        code: key.code.expose().to_owned(),
        state: state.into(),
        note: key.note,
        activate: key.activate,
        user_id: key.used_by.map(|user| user.to_string()).unwrap_or_default(),
        created_at: Some(key.created_at.into()),
    }
}

pub fn security_entry(entry: OwnEntry) -> v1::SecurityEntry {
    let by = match entry.by {
        Actor::Staff => v1::Actor::Staff,
        Actor::User => v1::Actor::User,
    };
    v1::SecurityEntry {
        id: entry.id.to_string(),
        time: Some(entry.acted_at.into()),
        action: entry.action,
        amount_minor: entry.amount.map(Money::minor),
        by: by.into(),
    }
}

pub fn audit_entry(listed: audit::Listed) -> v1::AuditEntry {
    let staff_username = listed.staff_username().to_owned();
    let entry = listed.entry;
    v1::AuditEntry {
        id: entry.id.to_string(),
        time: Some(entry.acted_at.into()),
        staff_id: entry.staff_id.to_string(),
        staff_username,
        action: entry.action,
        target: entry.target,
        user_id: entry.user_id.map(|id| id.to_string()).unwrap_or_default(),
        reason: entry.reason,
        before_json: entry.before_json,
        after_json: entry.after_json,
        request_id: entry.request_id,
    }
}
