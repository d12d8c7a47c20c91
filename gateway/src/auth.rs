//! Tokens: whose they are, believed for a few seconds and dropped the moment an event says otherwise.
//!
//! A cached answer carries the generation at which its verification began. An event raises the generation and marks its
//! user with it; an answer older than its user's mark is not believed. This closes the race in which a verification that
//! began before a revocation is stored after it: such an answer is stored, but never believed.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::consumer::EventSink;
use adfolio_kit::identity::{Caller, Staff, StaffRole as Role, UserId};
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    StaffRole, UserState, VerifySessionRequest, VerifyStaffSessionRequest,
};
use adfolio_proto::events::v1::{AccountStateChanged, SessionsRevoked};
use chrono::{DateTime, Utc};
use moka::future::Cache;
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tracing::debug;
use uuid::Uuid;

use crate::dto::secret;
use crate::errors::Failure;
use crate::lang::Lang;
use crate::services::Services;

/// Tokens remembered at most.
const MAX_TOKENS: u64 = 50_000;

/// Users marked at most; when a mark must make room, everything cached is doubted instead.
const MAX_MARKS: u64 = 50_000;

/// A mark outlives every answer that it is about: the longest verification and then some.
const MARK_RESERVE: Duration = Duration::from_secs(30);

/// A verification may take this long.
const VERIFY_LIMIT: Duration = Duration::from_secs(5);

/// Longer than any token that was ever issued.
const MAX_TOKEN_BYTES: usize = 512;

/// A token as it came in. It is never logged.
#[derive(Clone, Debug)]
pub struct Token(SecretString);

impl Token {
    /// What could be a token.
    pub fn parse(text: &str) -> Option<Self> {
        let plausible = (1..=MAX_TOKEN_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        plausible.then(|| Self(text.into()))
    }

    /// Its text, for a message to auth.
    pub fn to_message(&self) -> String {
        secret::to_message(&self.0)
    }

    /// What stands for it in memory.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.0.expose_secret().as_bytes()).into())
    }
}

/// SHA-256 of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenDigest([u8; 32]);

/// A user's verified token.
#[derive(Clone, Debug)]
pub struct UserSession {
    /// The user.
    pub user: UserId,
    /// State of the account.
    pub state: UserState,
    /// Chosen language.
    pub lang: Option<Lang>,
    expires_at: DateTime<Utc>,
}

/// A verified staff token.
#[derive(Clone, Copy, Debug)]
pub struct StaffSession {
    /// The member of staff with their role.
    pub staff: Staff,
}

/// What the cache must know of a verified token.
trait Verified: Clone + Send + Sync + 'static {
    /// Whose it is, as events name them.
    fn owner(&self) -> Uuid;
    /// Whether it has not run out by itself.
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

/// An answer of auth and the generation at which it was asked for.
#[derive(Clone, Debug)]
struct Answer<S> {
    session: S,
    generation: u64,
}

/// Verified tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sessions {
    services: Services,
    users: Cache<TokenDigest, Answer<UserSession>>,
    staff: Cache<TokenDigest, Answer<StaffSession>>,
    doubts: Doubts,
}

impl Sessions {
    /// An empty cache that believes an answer for `ttl`.
    pub fn new(services: Services, ttl: Duration) -> Self {
        Self {
            services,
            users: token_cache(ttl),
            staff: token_cache(ttl),
            doubts: Doubts::new(ttl.saturating_add(MARK_RESERVE)),
        }
    }

    /// Whose a user's token is.
    pub async fn user(&self, token: &Token, caller: &Caller) -> Result<UserSession, Failure> {
        self.verified(&self.users, token, || async {
            let message = VerifySessionRequest {
                token: token.to_message(),
            };
            let answer = self
                .services
                .auth
                .clone()
                .verify_session(outgoing(caller, message, VERIFY_LIMIT))
                .await?
                .into_inner();
            let user = answer
                .user_id
                .parse()
                .map_err(|_| Failure::broken_answer("user_id"))?;
            let state =
                UserState::try_from(answer.state).map_err(|_| Failure::broken_answer("state"))?;
            let expires_at = answer
                .expires_at
                .and_then(|at| DateTime::from_timestamp(at.seconds, 0));
            let expires_at = expires_at.ok_or_else(|| Failure::broken_answer("expires_at"))?;
            Ok(UserSession {
                user,
                state,
                lang: Lang::from_code(&answer.lang),
                expires_at,
            })
        })
        .await
    }

    /// Whose a staff token is.
    pub async fn staff(&self, token: &Token, caller: &Caller) -> Result<StaffSession, Failure> {
        self.verified(&self.staff, token, || async {
            let message = VerifyStaffSessionRequest {
                token: token.to_message(),
            };
            let request = outgoing(caller, message, VERIFY_LIMIT);
            let answer = self
                .services
                .auth_admin
                .clone()
                .verify_staff_session(request)
                .await?
                .into_inner();
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
            })
        })
        .await
    }

    /// Stops believing what is known of a user's or staff member's tokens.
    pub fn forget(&self, owner: Uuid) {
        self.doubts.mark(owner);
    }

    /// Stops believing anything that is known.
    pub fn doubt_all(&self) {
        self.doubts.clear();
    }

    /// The events that end sessions.
    pub fn sink(&self) -> impl EventSink + use<> {
        RevocationSink {
            doubts: self.doubts.clone(),
        }
    }

    /// A believed answer, from the cache or from auth. Callers with the same token share one question.
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
        // A shared question may have begun before a revocation. The second round cannot join an older one, unless there
        // was yet another revocation in between; then this caller asks alone.
        for _ in 0..2 {
            let question = async {
                let generation = self.doubts.generation();
                ask().await.map(|session| Answer {
                    session,
                    generation,
                })
            };
            let answer = cache
                .try_get_with(digest, question)
                .await
                .map_err(|failure| failure.as_ref().clone())?;
            if answer.session.is_alive()
                && self
                    .doubts
                    .believes(answer.session.owner(), answer.generation)
            {
                return Ok(answer.session);
            }
            cache.invalidate(&digest).await;
        }
        ask().await
    }
}

fn token_cache<S: Verified>(ttl: Duration) -> Cache<TokenDigest, Answer<S>> {
    Cache::builder()
        .max_capacity(MAX_TOKENS)
        .time_to_live(ttl)
        .build()
}

/// Since when which answers are not believed any more. Cheap to clone.
#[derive(Clone, Debug)]
struct Doubts {
    generation: Arc<AtomicU64>,
    cleared_at: Arc<AtomicU64>,
    marks: moka::sync::Cache<Uuid, u64>,
}

impl Doubts {
    fn new(keep: Duration) -> Self {
        let generation = Arc::new(AtomicU64::new(0));
        let cleared_at = Arc::new(AtomicU64::new(0));
        let (raised, cleared) = (Arc::clone(&generation), Arc::clone(&cleared_at));
        let marks = moka::sync::Cache::builder()
            .max_capacity(MAX_MARKS)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(keep)
            .eviction_listener(move |_, _, cause| {
                if cause == RemovalCause::Size {
                    clear(&raised, &cleared);
                }
            })
            .build();
        Self {
            generation,
            cleared_at,
            marks,
        }
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Whether an answer about `owner` that was asked for at `generation` still holds.
    fn believes(&self, owner: Uuid, generation: u64) -> bool {
        generation >= self.cleared_at.load(Ordering::SeqCst)
            && self.marks.get(&owner).is_none_or(|mark| generation >= mark)
    }

    fn mark(&self, owner: Uuid) {
        let mark = raise(&self.generation);
        self.marks.insert(owner, mark);
    }

    fn clear(&self) {
        clear(&self.generation, &self.cleared_at);
    }
}

fn raise(generation: &AtomicU64) -> u64 {
    generation.fetch_add(1, Ordering::SeqCst).saturating_add(1)
}

fn clear(generation: &AtomicU64, cleared_at: &AtomicU64) {
    cleared_at.fetch_max(raise(generation), Ordering::SeqCst);
}

/// Hears of revocations.
struct RevocationSink {
    doubts: Doubts,
}

impl EventSink for RevocationSink {
    fn on_gap(&mut self) {
        self.doubts.clear();
    }

    fn on_event(&mut self, event: CloudEvent) {
        let user = match event.event_type.as_str() {
            "adfolio.auth.v1.SessionsRevoked" => event
                .data::<SessionsRevoked>()
                .map(|revoked| revoked.user_id),
            "adfolio.auth.v1.AccountStateChanged" => event
                .data::<AccountStateChanged>()
                .map(|changed| changed.user_id),
            _ => return,
        };
        if let Some(user) = user.ok().and_then(|id| id.parse().ok()) {
            self.doubts.mark(user);
        } else {
            // An event that cannot be read may be about anybody.
            debug!(
                event_type = event.event_type,
                "revocation cannot be read, all sessions are doubted"
            );
            self.doubts.clear();
        }
    }
}

/// The failure for an account that is not active, in the user's own language.
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
