//! Between the contract's messages and this service's own types.

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::payment_reference::payment_reference;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::end_sessions_request::Target;
use secrecy::ExposeSecret as _;

use crate::audit::{self, Actor, OwnEntry, Position};
use crate::claim::{self, Claim};
use crate::device::DeviceToken;
use crate::host::{Host, HostKey};
use crate::license::{Issue, LicenseKey};
use crate::session::{self, Client, TokenDigest};
use crate::staff::passkey::Passkey;
use crate::staff::{self, Enrolment, Founder, SecondPair, StaffMember, StaffState};
use crate::user::{
    EmailCode, Entry, LoggedIn, Login, PasswordForm, ProfileChange, RegistrationForm,
    StandingChange, Subject, User, UserState, Which,
};

mirror! {
    Actor = proto::Actor,
    claim::Kind = proto::ClaimKind,
    Entry = proto::Entry,
    SecondPair = proto::SecondPair,
    StaffState = proto::StaffState,
    UserState = proto::UserState,
}

/// Where a page of a log begins.
pub fn position(list: &List) -> Result<Position, Refusal> {
    match list.keys(Position::KEYS)? {
        None => Ok(Position::newest()),
        Some(keys) => Position::read(&keys).ok_or_else(|| Refusal::invalid("cursor")),
    }
}

impl From<User> for proto::User {
    fn from(user: User) -> Self {
        Self {
            id: user.id.to_string(),
            license_key_masked: user.masked_license(),
            payment_reference: payment_reference(user.id),
            username: user.username,
            nickname: user.nickname,
            email: user.email,
            email_confirmed: user.email_confirmed,
            phone: user.phone,
            credit_score: user.credit_score,
            shop_level: user.shop_level,
            entry: user.entry.to_wire(),
            lang: user.lang,
            vip: user.vip,
            state: user.state.to_wire(),
            created_at: Some(user.created_at.into()),
            avatar_file_id: user.avatar_file_id,
        }
    }
}

impl From<&EmailCode> for proto::SendEmailCodeResponse {
    fn from(code: &EmailCode) -> Self {
        Self {
            valid_until: Some(code.valid_until().into()),
        }
    }
}

impl From<User> for proto::UserSummary {
    fn from(user: User) -> Self {
        Self {
            user_id: user.id.to_string(),
            username: user.username,
            state: user.state.to_wire(),
            lang: user.lang,
            created_at: Some(user.created_at.into()),
            payment_reference: payment_reference(user.id),
        }
    }
}

impl From<LoggedIn> for proto::Session {
    fn from(logged_in: LoggedIn) -> Self {
        Self {
            token: logged_in.session.token.expose().to_owned(),
            expires_at: Some(logged_in.session.expires_at.into()),
            user: Some(logged_in.user.into()),
            device_token: logged_in
                .device
                .map(|device| device.expose().to_owned())
                .unwrap_or_default(),
        }
    }
}

impl From<staff::LoggedIn> for proto::StaffLoginResponse {
    fn from(logged_in: staff::LoggedIn) -> Self {
        Self {
            token: logged_in.session.token.expose().to_owned(),
            staff: Some(logged_in.member.into()),
            device_token: logged_in.device.expose().to_owned(),
        }
    }
}

impl From<staff::LoggedIn> for proto::LoginWithPasskeyResponse {
    fn from(logged_in: staff::LoggedIn) -> Self {
        Self {
            token: logged_in.session.token.expose().to_owned(),
            staff: Some(logged_in.member.into()),
            device_token: logged_in.device.expose().to_owned(),
        }
    }
}

impl From<Passkey> for proto::Passkey {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id.to_string(),
            name: passkey.name,
            created_at: Some(passkey.created_at.into()),
            last_used_at: passkey.last_used_at.map(Into::into),
        }
    }
}

impl From<session::Listed> for proto::SessionSummary {
    fn from(session::Listed { session, client }: session::Listed) -> Self {
        Self {
            id: session.id.to_string(),
            created_at: Some(session.created_at.into()),
            last_seen_at: Some(session.last_seen_at.into()),
            expires_at: Some(session.expires_at.into()),
            user_agent: client.user_agent.unwrap_or_default(),
            address: client.address.unwrap_or_default(),
        }
    }
}

impl From<Claim> for proto::Claim {
    fn from(claim: Claim) -> Self {
        Self {
            kind: claim.kind.to_wire(),
            item_id: claim.item_id,
            staff_id: claim.staff_id.to_string(),
            staff_username: claim.staff_username,
            claimed_at: Some(claim.claimed_at.into()),
            expires_at: Some(claim.expires_at.into()),
        }
    }
}

impl From<StaffMember> for proto::Staff {
    fn from(staff: StaffMember) -> Self {
        let has_second_factor = staff.has_second_factor();
        Self {
            id: staff.id.to_string(),
            username: staff.username,
            role: staff.role.to_wire(),
            created_at: Some(staff.created_at.into()),
            state: staff.state.to_wire(),
            must_change_password: staff.must_change_password,
            made_by_id: staff.made_by.map(|id| id.to_string()).unwrap_or_default(),
            confirmed_by_id: staff
                .confirmed_by
                .map(|id| id.to_string())
                .unwrap_or_default(),
            has_second_factor,
            has_totp: staff.has_totp,
            passkeys: staff.passkeys.try_into().unwrap_or(u32::MAX),
            ..Self::default()
        }
    }
}

impl From<Enrolment> for proto::EnrollSecondFactorResponse {
    fn from(enrolment: Enrolment) -> Self {
        let codes = enrolment.recovery_codes.iter();
        Self {
            secret: enrolment.secret.expose_secret().to_owned(),
            otpauth_uri: enrolment.otpauth_uri.expose_secret().to_owned(),
            recovery_codes: codes.map(|code| code.expose_secret().to_owned()).collect(),
        }
    }
}

impl TryFrom<proto::Founder> for Founder {
    type Error = Refusal;

    fn try_from(founder: proto::Founder) -> Result<Self, Refusal> {
        Self::parse(&founder.username, &founder.password.into())
    }
}

impl From<staff::Listed> for proto::Staff {
    fn from(listed: staff::Listed) -> Self {
        Self {
            last_login_at: listed.last_login_at.map(Into::into),
            sessions: listed.sessions,
            ..listed.member.into()
        }
    }
}

impl From<LicenseKey> for proto::LicenseKey {
    fn from(key: LicenseKey) -> Self {
        let state = if key.used_by.is_some() {
            proto::LicenseKeyState::Used
        } else {
            proto::LicenseKeyState::Unused
        };
        Self {
            code: key.code.expose().to_owned(),
            state: state.into(),
            note: key.note,
            activate: key.activate,
            user_id: key.used_by.map(|user| user.to_string()).unwrap_or_default(),
            created_at: Some(key.created_at.into()),
        }
    }
}

impl From<OwnEntry> for proto::SecurityEntry {
    fn from(entry: OwnEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            time: Some(entry.acted_at.into()),
            action: entry.action,
            amount_minor: entry.amount.map(Money::minor),
            by: entry.by.to_wire(),
            reason: entry.reason,
        }
    }
}

impl From<audit::Listed> for proto::AuditEntry {
    fn from(listed: audit::Listed) -> Self {
        let staff_username = listed.staff_username().to_owned();
        let entry = listed.entry;
        Self {
            id: entry.id.to_string(),
            time: Some(entry.acted_at.into()),
            staff_id: entry.staff.to_string(),
            staff_username,
            action: entry.action,
            target: entry.target,
            user_id: entry.user.map(|id| id.to_string()).unwrap_or_default(),
            reason: entry.reason,
            before_json: entry.before_json,
            after_json: entry.after_json,
            request_id: entry.request_id,
        }
    }
}

impl From<proto::RegisterRequest> for RegistrationForm {
    fn from(request: proto::RegisterRequest) -> Self {
        Self {
            client: Client::of(&request.user_agent, &request.client_address),
            username: request.username,
            nickname: request.nickname,
            password: request.password.into(),
            confirm_password: request.confirm_password.into(),
            email: request.email,
            phone: request.phone,
            license_key: request.license_key.into(),
            older_form: request.older_form,
        }
    }
}

impl From<proto::LoginRequest> for Login {
    fn from(request: proto::LoginRequest) -> Self {
        Self {
            username: request.username,
            password: request.password.into(),
            client_address: request.client_address,
            user_agent: request.user_agent,
            device: DeviceToken::parse(&request.device_token),
        }
    }
}

impl From<proto::EditProfileRequest> for ProfileChange {
    fn from(request: proto::EditProfileRequest) -> Self {
        Self {
            nickname: request.nickname,
            email: request.email,
            phone: request.phone,
            avatar_file_id: request.avatar_file_id,
            lang: request.lang,
        }
    }
}

impl From<proto::ChangePasswordRequest> for PasswordForm {
    fn from(request: proto::ChangePasswordRequest) -> Self {
        Self {
            old: request.old_password.into(),
            new: request.new_password.into(),
            confirmed: request.confirm_password.into(),
            token: TokenDigest::of(&request.token),
        }
    }
}

impl From<&proto::SetUserProfileRequest> for StandingChange {
    fn from(request: &proto::SetUserProfileRequest) -> Self {
        Self {
            credit_score: request.credit_score,
            shop_level: request.shop_level,
            vip: request.vip,
        }
    }
}

impl TryFrom<Option<Target>> for Which {
    type Error = Refusal;

    fn try_from(target: Option<Target>) -> Result<Self, Refusal> {
        match target {
            Some(Target::SessionId(id)) => Ok(Self::One(wire::id(&id, "id")?)),
            Some(Target::Others(true)) => Ok(Self::Others),
            Some(Target::Others(false)) | None => Err(Refusal::invalid("id")),
        }
    }
}

impl TryFrom<proto::CreateLicenseKeysRequest> for Issue {
    type Error = Refusal;

    fn try_from(request: proto::CreateLicenseKeysRequest) -> Result<Self, Refusal> {
        Self::parse(
            request.count,
            &request.codes,
            &request.note,
            request.activate,
        )
    }
}

impl From<Host> for proto::Host {
    fn from(host: Host) -> Self {
        Self {
            id: host.id.to_string(),
            name: host.name,
            keys: host.keys.into_iter().map(Into::into).collect(),
            created_at: Some(host.created_at.into()),
        }
    }
}

impl From<HostKey> for proto::HostKey {
    fn from(key: HostKey) -> Self {
        Self {
            kid: key.kid.to_string(),
            added_at: Some(key.added_at.into()),
            revoked_at: key.revoked_at.map(Into::into),
        }
    }
}

/// A host's user; an empty id of the host is none.
pub fn subject(external_id: String, host_id: &str) -> Result<Subject, Refusal> {
    let host = (!host_id.is_empty()).then(|| wire::id(host_id, "host_id"));
    Ok(Subject {
        host: host.transpose()?,
        id: external_id.into(),
    })
}
