//! The caller's identity: the gateway puts it into gRPC metadata, and services pass it on.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use http::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use tonic::metadata::{MetadataMap, MetadataValue};
use uuid::Uuid;

use crate::deadline::{DEFAULT_CALL_LIMIT, Deadline, parse_grpc_timeout};
use crate::refusal::{Reason, Refusal};
use crate::time_zone::TimeZone;

/// The user on whose behalf a call is made.
pub const USER_ID: &str = "x-user-id";
/// The member of staff who calls.
pub const STAFF_ID: &str = "x-staff-id";
/// The role of the member of staff.
pub const STAFF_ROLE: &str = "x-staff-role";
/// What auth says of the session that a user calls in.
pub const SESSION: &str = "x-session";
/// Auth's signature under the four above; see [`crate::identity_token`].
pub const IDENTITY_TOKEN: &str = "x-identity-token";
/// The caller's language.
pub const LANG: &str = "x-lang";
/// The caller's time zone.
pub const TIME_ZONE: &str = "x-time-zone";
/// The idempotency key.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The identifier of the request at the edge.
pub const REQUEST_ID: &str = "x-request-id";
/// The reason a member of staff gives: any text, so it travels as bytes.
pub const STAFF_REASON: &str = "x-staff-reason-bin";

/// A session is young for so long.
const YOUNG: TimeDelta = TimeDelta::hours(24);

/// Most characters of a reason; longer ones are cut.
pub const LONGEST_REASON: usize = 500;

/// The language of a caller who sends none.
pub const DEFAULT_LANG: &str = "en";

/// The method of a request, recorded by the server.
#[derive(Clone, Debug)]
pub(crate) struct CalledMethod(Box<str>);

impl CalledMethod {
    /// `wallet.Withdraw` for a path like `/adfolio.wallet.v1.WalletService/Withdraw`.
    pub(crate) fn of_path(path: &str) -> Self {
        let (service, method) = path.rsplit_once('/').unwrap_or_default();
        let package = service.split('.').nth(1).unwrap_or_default();
        Self(format!("{package}.{method}").into())
    }
}

crate::ids! {
    /// A user.
    UserId;
}

crate::names! {
    /// The role of a member of staff.
    StaffRole {
        /// Everything.
        Admin,
        /// Users, licences, notices, feedback.
        Support,
        /// Wallets, withdrawals, exchange.
        Finance,
        /// Products, plans, coupons, content.
        Operator,
    }
}

crate::mirror! {
    StaffRole = adfolio_proto::auth::v1::StaffRole,
}

impl fmt::Display for StaffRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A member of staff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Staff {
    /// Their identifier.
    pub id: Uuid,
    /// Their role.
    pub role: StaffRole,
}

/// The session that a user calls in, as auth described it to the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// When it was opened, to the second.
    pub opened_at: DateTime<Utc>,
    /// Until then its holder has lately proven who they are, by login, registration, a host's assertion or step-up.
    pub fresh_until: DateTime<Utc>,
    /// Whether it is the session that registered the account.
    pub is_registration: bool,
}

impl Session {
    /// Whether its holder has lately proven who they are.
    pub fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        now < self.fresh_until
    }

    /// Whether it is younger than a day, and not the one that registered the account.
    pub fn is_young(&self, now: DateTime<Utc>) -> bool {
        !self.is_registration && now.signed_duration_since(self.opened_at) < YOUNG
    }
}

impl fmt::Display for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (opened_at, fresh_until) = (self.opened_at.timestamp(), self.fresh_until.timestamp());
        let kind = if self.is_registration {
            "registration"
        } else {
            "later"
        };
        write!(formatter, "{opened_at} {fresh_until} {kind}")
    }
}

impl FromStr for Session {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || Refusal::invalid(SESSION);
        let time = |text: &str| {
            let seconds = text.parse().ok()?;
            DateTime::from_timestamp(seconds, 0)
        };
        let parts: Vec<&str> = text.split(' ').collect();
        let [opened_at, fresh_until, kind] = parts[..] else {
            return Err(malformed());
        };
        Ok(Self {
            opened_at: time(opened_at).ok_or_else(malformed)?,
            fresh_until: time(fresh_until).ok_or_else(malformed)?,
            is_registration: kind == "registration",
        })
    }
}

/// On whose behalf a call is made: of nobody, of a user in a session, or of a member of staff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    user: Option<UserId>,
    session: Option<Session>,
    staff: Option<Staff>,
}

impl Identity {
    pub(crate) fn of_user(id: UserId, session: Session) -> Self {
        Self {
            user: Some(id),
            session: Some(session),
            staff: None,
        }
    }

    pub(crate) fn of_staff(staff: Staff) -> Self {
        Self {
            staff: Some(staff),
            ..Self::default()
        }
    }

    /// What the metadata of a call claim. Malformed values count as absent.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let staff_id: Option<Uuid> = parsed(headers, STAFF_ID);
        let staff_role: Option<StaffRole> = parsed(headers, STAFF_ROLE);
        Self {
            user: parsed(headers, USER_ID),
            session: parsed(headers, SESSION),
            staff: staff_id
                .zip(staff_role)
                .map(|(id, role)| Staff { id, role }),
        }
    }

    pub(crate) fn is_nobody(&self) -> bool {
        *self == Self::default()
    }
}

/// The idempotency key of a call: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

crate::column!(IdempotencyKey: String, |key| Ok(key.parse()?));

impl IdempotencyKey {
    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for IdempotencyKey {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=255).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Refusal::invalid(IDEMPOTENCY_KEY))
        }
    }
}

/// The caller of a request and its circumstances.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user, if a user token was presented.
    pub user: Option<UserId>,
    /// The user's session; none where it is not known, which counts as neither fresh nor old.
    pub session: Option<Session>,
    /// The member of staff, if a staff token was presented.
    pub staff: Option<Staff>,
    /// Auth's signature under user and session, or staff. Only the gateway has one: what a service asks another is on
    /// nobody's behalf.
    pub identity_token: Option<SecretString>,
    /// The reason that the member of staff gave, or empty. Kept in the audit log.
    pub reason: String,
    /// The language for texts.
    pub lang: String,
    /// The time zone for days.
    pub time_zone: TimeZone,
    /// The idempotency key.
    pub idempotency_key: Option<IdempotencyKey>,
    /// The identifier of the request at the edge.
    pub request_id: String,
    /// When the answer is due.
    pub deadline: Deadline,
    /// The called method, as `wallet.Withdraw`; empty outside of a request.
    pub method: Box<str>,
}

impl Default for Caller {
    fn default() -> Self {
        Self {
            user: None,
            session: None,
            staff: None,
            identity_token: None,
            reason: String::new(),
            lang: DEFAULT_LANG.to_owned(),
            time_zone: TimeZone::UTC,
            idempotency_key: None,
            request_id: Uuid::now_v7().to_string(),
            deadline: Deadline::none(),
            method: Box::default(),
        }
    }
}

impl Caller {
    /// The system itself: for recovery loops and consumers that call other services. It has no
    /// deadline, so the limits of its calls apply.
    pub fn system() -> Self {
        Self::default()
    }

    /// A user.
    pub fn user(id: UserId) -> Self {
        Self {
            user: Some(id),
            ..Self::default()
        }
    }

    /// A member of staff.
    pub fn staff(id: Uuid, role: StaffRole) -> Self {
        Self {
            staff: Some(Staff { id, role }),
            ..Self::default()
        }
    }

    /// The same caller in this session.
    #[must_use]
    pub fn in_session(self, session: Session) -> Self {
        Self {
            session: Some(session),
            ..self
        }
    }

    /// The same request in the service's own name: methods between services take ids from their messages, and an identity
    /// without the token, which is the gateway's own, would be refused.
    #[must_use]
    pub fn without_identity(&self) -> Self {
        Self {
            user: None,
            session: None,
            staff: None,
            identity_token: None,
            ..self.clone()
        }
    }

    /// The same caller with another idempotency key.
    #[must_use]
    pub fn with_key(mut self, key: Option<IdempotencyKey>) -> Self {
        self.idempotency_key = key;
        self
    }

    /// Reads the identity of a request. The server has checked it; see [`crate::identity_token`].
    pub fn from_request<T>(request: &tonic::Request<T>) -> Self {
        let metadata = request.metadata();
        let deadline = request
            .extensions()
            .get::<Deadline>()
            .copied()
            .unwrap_or_else(|| {
                let limit = text(metadata.as_ref(), "grpc-timeout")
                    .and_then(parse_grpc_timeout)
                    .unwrap_or(DEFAULT_CALL_LIMIT);
                Deadline::after(limit.min(DEFAULT_CALL_LIMIT))
            });
        let method = request.extensions().get::<CalledMethod>();
        Self {
            deadline,
            method: method.map(|called| called.0.clone()).unwrap_or_default(),
            ..Self::from_metadata(metadata)
        }
    }

    fn from_metadata(metadata: &MetadataMap) -> Self {
        let headers = metadata.as_ref();
        let Identity {
            user,
            session,
            staff,
        } = Identity::of(headers);
        Self {
            user,
            session,
            staff,
            identity_token: None,
            reason: reason(metadata),
            lang: text(headers, LANG).unwrap_or(DEFAULT_LANG).to_owned(),
            time_zone: text(headers, TIME_ZONE)
                .map(TimeZone::parse)
                .unwrap_or_default(),
            idempotency_key: parsed(headers, IDEMPOTENCY_KEY),
            request_id: text(headers, REQUEST_ID)
                .map_or_else(|| Uuid::now_v7().to_string(), str::to_owned),
            deadline: Deadline::default(),
            method: Box::default(),
        }
    }

    /// Writes the identity into the metadata of an outgoing call.
    pub fn attach(&self, metadata: &mut MetadataMap) {
        if let Some(user) = self.user {
            put(metadata, USER_ID, &user.to_string());
        }
        if let Some(session) = self.session {
            put(metadata, SESSION, &session.to_string());
        }
        if let Some(staff) = self.staff {
            put(metadata, STAFF_ID, &staff.id.to_string());
            put(metadata, STAFF_ROLE, staff.role.as_str());
        }
        if let Some(token) = &self.identity_token
            && let Ok(mut value) = MetadataValue::try_from(token.expose_secret())
        {
            value.set_sensitive(true);
            metadata.insert(IDENTITY_TOKEN, value);
        }
        if !self.reason.is_empty() {
            metadata.insert_bin(
                STAFF_REASON,
                MetadataValue::from_bytes(self.reason.as_bytes()),
            );
        }
        if let Some(key) = &self.idempotency_key {
            put(metadata, IDEMPOTENCY_KEY, key.as_str());
        }
        put(metadata, LANG, &self.lang);
        put(metadata, TIME_ZONE, &self.time_zone.to_string());
        put(metadata, REQUEST_ID, &self.request_id);
    }

    /// The user, or NOT_AUTHENTICATED.
    pub fn require_user(&self) -> Result<UserId, Refusal> {
        self.user
            .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))
    }

    /// STEP_UP_REQUIRED unless the user's session is fresh.
    pub fn require_fresh(&self, now: DateTime<Utc>) -> Result<(), Refusal> {
        match self.session {
            Some(session) if session.is_fresh(now) => Ok(()),
            _ => Err(Refusal::new(Reason::StepUpRequired)),
        }
    }

    /// Whether the user's session is young. One that is not known counts as young.
    pub fn is_in_young_session(&self, now: DateTime<Utc>) -> bool {
        self.session.is_none_or(|session| session.is_young(now))
    }

    /// The member of staff if they have one of the roles (an admin always does), else
    /// NOT_AUTHENTICATED or FORBIDDEN.
    pub fn require_staff(&self, roles: &[StaffRole]) -> Result<Staff, Refusal> {
        let staff = self
            .staff
            .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?;
        if staff.role == StaffRole::Admin || roles.contains(&staff.role) {
            Ok(staff)
        } else {
            Err(Refusal::new(Reason::Forbidden))
        }
    }

    /// The idempotency key, or VALIDATION.
    pub fn require_key(&self) -> Result<&IdempotencyKey, Refusal> {
        self.idempotency_key
            .as_ref()
            .ok_or_else(|| Refusal::invalid(IDEMPOTENCY_KEY))
    }
}

/// The value of a header; an empty one counts as absent.
pub(crate) fn text<'a>(headers: &'a HeaderMap, key: &'static str) -> Option<&'a str> {
    headers
        .get(key)
        .and_then(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
}

fn reason(metadata: &MetadataMap) -> String {
    metadata
        .get_bin(STAFF_REASON)
        .and_then(|value| value.to_bytes().ok())
        .and_then(|bytes| String::from_utf8(bytes.to_vec()).ok())
        .map(|text| cut_reason(&text))
        .unwrap_or_default()
}

/// A reason as it is stored: trimmed, without characters that PostgreSQL rejects, and cut to
/// [`LONGEST_REASON`].
pub fn cut_reason(text: &str) -> String {
    text.trim()
        .chars()
        .filter(|character| *character != '\0')
        .take(LONGEST_REASON)
        .collect()
}

fn parsed<T: FromStr>(headers: &HeaderMap, key: &'static str) -> Option<T> {
    text(headers, key).and_then(|value| value.parse().ok())
}

fn put(metadata: &mut MetadataMap, key: &'static str, value: &str) {
    // A value that is not valid header text is left out rather than failing the call. (It arrived
    // in a header, so it is valid.)
    if let Ok(value) = MetadataValue::try_from(value) {
        metadata.insert(key, value);
    }
}
