//! Verified tokens, cached for a short time and dropped by event.
//!
//! The lifetime of a cached answer counts from the time of the request to auth, not of its answer. So whatever ended
//! before a call began is over for that call after this time at the latest, even if RabbitMQ is down, auth cannot
//! reach it, or auth's answer was slow. Events only make it sooner.

mod network_key;
mod revocations;

use std::future::Future;
use std::time::{Duration, Instant};

use adfolio_kit::call;
use adfolio_kit::client::Call;
use adfolio_kit::consumer::EventSink;
use adfolio_kit::identity::{Caller, Session, Staff, StaffRole as Role, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    StaffRole, UserState, VerifySessionRequest, VerifySessionResponse, VerifyStaffSessionRequest,
};
use chrono::{DateTime, Utc};
use moka::future::Cache;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::doubts::Doubts;
use crate::dto::secret;
use crate::errors::Failure;
use crate::lang::Lang;
use crate::services::Services;
pub use network_key::NetworkKey;
use revocations::RevocationSink;

/// Maximum number of cached tokens.
const MAX_TOKENS: u64 = 50_000;

/// A mark outlives every answer that it concerns, so it is kept for longer than the longest verification.
const MARK_RESERVE: Duration = Duration::from_secs(30);

/// Limit of a verification.
const VERIFY_LIMIT: Duration = Duration::from_secs(5);

/// Longer than any issued token.
const MAX_TOKEN_BYTES: usize = 512;

/// A token of a request. It is never logged.
#[derive(Clone, Debug)]
pub struct Token(SecretString);

impl Token {
    /// Parses a text that could be a token.
    pub fn parse(text: &str) -> Option<Self> {
        let plausible = (1..=MAX_TOKEN_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        plausible.then(|| Self(text.into()))
    }

    /// Its text, for a message to auth.
    pub fn to_message(&self) -> String {
        secret::to_message(&self.0)
    }

    /// Its digest, the cache key.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.0.expose_secret().as_bytes()).into())
    }
}

/// SHA-256 of a token or a network's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenDigest([u8; 32]);

/// A user's verified token.
#[derive(Clone, Debug)]
pub struct UserSession {
    /// The session's own id, as events name it.
    pub id: Uuid,
    /// The user.
    pub user: UserId,
    /// State of the account.
    pub state: UserState,
    /// Chosen language.
    pub lang: Option<Lang>,
    /// What services learn of the session; none from an auth of the release before.
    pub session: Option<Session>,
    /// What services believe both by; none from an auth without a key.
    pub identity_token: Option<SecretString>,
    expires_at: DateTime<Utc>,
}

impl UserSession {
    /// Makes the user the caller.
    pub fn identify(&self, caller: &mut Caller) {
        caller.user = Some(self.user);
        caller.session = self.session;
        caller.identity_token.clone_from(&self.identity_token);
    }
}

/// A verified staff token.
#[derive(Clone, Debug)]
pub struct StaffSession {
    /// The member of staff with their role.
    pub staff: Staff,
    /// What services believe that by; none from an auth without a key.
    pub identity_token: Option<SecretString>,
    /// Whether the member has to change a one-time password first.
    pub must_change_password: bool,
    /// Whether the member has an active second factor.
    pub has_second_factor: bool,
    /// Whether the session lacks the second factor that it needs.
    pub second_factor_missing: bool,
    /// Until then a second factor that was shown is fresh; none where none is active.
    pub fresh_until: Option<DateTime<Utc>>,
}

impl StaffSession {
    /// Makes the member of staff the caller.
    pub fn identify(&self, caller: &mut Caller) {
        caller.staff = Some(self.staff);
        caller.identity_token.clone_from(&self.identity_token);
    }
}

/// What the cache needs to know about a verified token.
trait Verified: Clone + Send + Sync + 'static {
    /// Its owner's id, as in events.
    fn owner(&self) -> Uuid;
    /// Whether it has not expired.
    fn is_alive(&self) -> bool;
}

impl Verified for UserSession {
    fn owner(&self) -> Uuid {
        self.user.0
    }

    fn is_alive(&self) -> bool {
        Utc::now() < self.expires_at
    }
}

impl Verified for StaffSession {
    fn owner(&self) -> Uuid {
        self.staff.id
    }

    fn is_alive(&self) -> bool {
        true
    }
}

/// An answer of auth, with the time and generation of its request.
#[derive(Clone, Debug)]
struct Answer<S> {
    session: S,
    asked_at: Instant,
    generation: u64,
}

/// Verified tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sessions {
    services: Services,
    users: Cache<TokenDigest, Answer<UserSession>>,
    staff: Cache<TokenDigest, Answer<StaffSession>>,
    believed_for: Duration,
    doubts: Doubts,
}

impl Sessions {
    /// An empty cache. Answers are valid for `believed_for` from the time of their request.
    pub fn new(services: Services, believed_for: Duration) -> Self {
        Self {
            services,
            users: token_cache(believed_for),
            staff: token_cache(believed_for),
            believed_for,
            doubts: Doubts::new(believed_for.saturating_add(MARK_RESERVE)),
        }
    }

    /// The session of a user's token.
    pub async fn user(&self, token: &Token, caller: &Caller) -> Result<UserSession, Failure> {
        self.verified(&self.users, token, || self.new_user(token, caller))
            .await
    }

    /// The session of a user's token that was issued a moment ago: asks auth, and keeps nothing.
    pub async fn new_user(&self, token: &Token, caller: &Caller) -> Result<UserSession, Failure> {
        let message = VerifySessionRequest {
            token: token.to_message(),
        };
        let caller = bounded(caller);
        let call = Call::repeated(&caller, VERIFY_LIMIT);
        let answer = call!(self.services.auth, verify_session, message, call).await?;
        let user = answer
            .user_id
            .parse()
            .map_err(|_| Failure::broken_answer("user_id"))?;
        let id = answer
            .session_id
            .parse()
            .map_err(|_| Failure::broken_answer("session_id"))?;
        let state =
            UserState::try_from(answer.state).map_err(|_| Failure::broken_answer("state"))?;
        let session = described(&answer);
        let expires_at = answer
            .expires_at
            .and_then(|at| DateTime::from_timestamp(at.seconds, 0));
        let expires_at = expires_at.ok_or_else(|| Failure::broken_answer("expires_at"))?;
        Ok(UserSession {
            id,
            user,
            state,
            lang: Lang::from_code(&answer.lang),
            session,
            identity_token: if_signed(answer.identity_token),
            expires_at,
        })
    }

    /// The session of a user's token as auth knows it now: another gateway may have changed it a moment ago.
    pub async fn user_now(&self, token: &Token, caller: &Caller) -> Result<UserSession, Failure> {
        self.users.invalidate(&token.digest()).await;
        self.user(token, caller).await
    }

    /// The session of a staff token.
    pub async fn staff(&self, token: &Token, caller: &Caller) -> Result<StaffSession, Failure> {
        self.verified(&self.staff, token, || async {
            let message = VerifyStaffSessionRequest {
                token: token.to_message(),
            };
            let caller = bounded(caller);
            let call = Call::repeated(&caller, VERIFY_LIMIT);
            let answer = call!(
                self.services.auth_admin,
                verify_staff_session,
                message,
                call
            )
            .await?;
            let staff = answer
                .staff
                .ok_or_else(|| Failure::broken_answer("staff"))?;
            let id = staff
                .id
                .parse()
                .map_err(|_| Failure::broken_answer("staff.id"))?;
            let role = match StaffRole::try_from(staff.role) {
                Ok(StaffRole::Admin) => Role::Admin,
                Ok(StaffRole::Support) => Role::Support,
                Ok(StaffRole::Finance) => Role::Finance,
                Ok(StaffRole::Operator) => Role::Operator,
                Ok(StaffRole::Unspecified) | Err(_) => {
                    return Err(Failure::broken_answer("staff.role"));
                }
            };
            Ok(StaffSession {
                staff: Staff { id, role },
                identity_token: if_signed(answer.identity_token),
                must_change_password: staff.must_change_password,
                has_second_factor: staff.has_second_factor,
                second_factor_missing: answer.second_factor_missing,
                fresh_until: answer.fresh_until.and_then(time),
            })
        })
        .await
    }

    /// The session of a staff token as auth knows it now: another gateway may have seen a code a moment ago.
    pub async fn staff_now(&self, token: &Token, caller: &Caller) -> Result<StaffSession, Failure> {
        self.staff.invalidate(&token.digest()).await;
        self.staff(token, caller).await
    }

    /// Invalidates all cached sessions of a user or a member of staff.
    pub fn forget(&self, owner: Uuid) {
        self.doubts.mark(owner);
    }

    /// Invalidates all cached sessions.
    pub fn doubt_all(&self) {
        self.doubts.clear();
    }

    /// Consumes the events that end sessions.
    pub fn sink(&self) -> impl EventSink + use<> {
        RevocationSink::new(self.doubts.clone())
    }

    /// A valid answer, from the cache or from auth. Callers with the same token share one request.
    async fn verified<S, F, Fut>(
        &self,
        cache: &Cache<TokenDigest, Answer<S>>,
        token: &Token,
        ask: F,
    ) -> Result<S, Failure>
    where
        S: Verified,
        F: Fn() -> Fut,
        Fut: Future<Output = Result<S, Failure>>,
    {
        let digest = token.digest();
        let began = Instant::now();
        // A shared request may have begun before a revocation, or long before this call. The second round cannot join
        // an older one, unless there was yet another revocation in between; then this caller sends its own.
        for _ in 0..2 {
            let question = async {
                let (asked_at, generation) = (Instant::now(), self.doubts.generation());
                ask().await.map(|session| Answer {
                    session,
                    asked_at,
                    generation,
                })
            };
            let answer = cache
                .try_get_with(digest, question)
                .await
                .map_err(|failure| failure.as_ref().clone())?;
            if self.believes(&answer, began) {
                return Ok(answer.session);
            }
            cache.invalidate(&digest).await;
        }
        ask().await
    }

    /// Whether an answer is valid for a call that began at that moment. An answer requested while the call waited is
    /// valid however long auth took.
    fn believes<S: Verified>(&self, answer: &Answer<S>, began: Instant) -> bool {
        let age = began.saturating_duration_since(answer.asked_at);
        let owner = answer.session.owner();
        answer.session.is_alive()
            && age <= self.believed_for
            && self.doubts.believes(owner, answer.generation)
    }
}

/// A time of a service's message, to the second.
fn time(timestamp: pbjson_types::Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(timestamp.seconds, 0)
}

/// An identity token; empty without a key, and from an auth of the release before.
fn if_signed(token: String) -> Option<SecretString> {
    (!token.is_empty()).then(|| token.into())
}

/// What services learn of a session.
fn described(answer: &VerifySessionResponse) -> Option<Session> {
    let opened_at = answer.opened_at?;
    let fresh_until = answer.fresh_until?;
    Some(Session {
        opened_at: DateTime::from_timestamp(opened_at.seconds, 0)?,
        fresh_until: DateTime::from_timestamp(fresh_until.seconds, 0)?,
        is_registration: answer.is_registration,
    })
}

/// The caller of a verification. All attempts end within [`VERIFY_LIMIT`].
fn bounded(caller: &Caller) -> Caller {
    Caller {
        deadline: caller.deadline.capped(VERIFY_LIMIT),
        ..caller.clone()
    }
}

/// A cache that keeps answers at least as long as they are valid.
fn token_cache<S: Verified>(believed_for: Duration) -> Cache<TokenDigest, Answer<S>> {
    Cache::builder()
        .max_capacity(MAX_TOKENS)
        .time_to_live(believed_for)
        .build()
}

/// Refuses an account that is not active, in the user's own language.
pub fn refuse_inactive(session: &UserSession, lang: Lang) -> Result<(), Failure> {
    let reason = match session.state {
        UserState::Active => return Ok(()),
        UserState::NotActivated => Reason::AccountNotActivated,
        UserState::Disabled => Reason::AccountDisabled,
        UserState::Cancelled => Reason::AccountCancelled,
        UserState::Unspecified => return Err(Failure::broken_answer("state")),
    };
    Err(Failure::new(reason).in_lang(session.lang.unwrap_or(lang)))
}
