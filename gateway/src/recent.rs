//! Answers of services that are used again for a moment: users' profiles and the first page of the products. Nothing
//! with a balance or the state of a plan is among them.
//!
//! | what | kept for | dropped by |
//! |---|---|---|
//! | a profile | `SESSION_CACHE_SECONDS` | a POST of the user or of staff here; events about the user |
//! | the products | `BASIC_CONFIG_CACHE_SECONDS` | a POST of staff here; an act of staff in plan |
//!
//! So a user reads what they wrote through the same replica at once. Another replica shows it when the event comes, or
//! after the time above if there is none. That time counts from the request to the services, as for sessions.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::time::{Duration, Instant};

use adfolio_kit::audit::STAFF_ACTED;
use adfolio_kit::consumer::{EventSink, Subscription};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::auth::v1::User;
use adfolio_proto::events::v1::{AccountStateChanged, StaffActed, WalletSecurityChanged};
use moka::future::Cache;
use tracing::debug;
use uuid::Uuid;

use crate::doubts::Doubts;
use crate::dto::account::Settings;
use crate::dto::product::Product;
use crate::dto::{Page, PageLimit, PageQuery};
use crate::errors::Failure;

/// Maximum number of profiles.
const MAX_PROFILES: u64 = 10_000;

/// Maximum number of first pages of products, which differ in their length.
const MAX_PRODUCT_PAGES: u64 = 8;

/// A mark outlives every answer that it concerns, so it is kept for longer than the longest request.
const MARK_RESERVE: Duration = Duration::from_secs(30);

/// The events that drop profiles and products.
const STATE_CHANGED: &str = "adfolio.auth.v1.AccountStateChanged";
const SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// What several services know about a user.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What auth knows.
    pub user: User,
    /// What wallet and plan know.
    pub settings: Settings,
    /// Whether no part is missing. An incomplete profile is shown, but not kept.
    pub is_whole: bool,
}

/// Recent answers. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recent {
    profiles: Answers<UserId, Profile>,
    products: Answers<u32, Page<Product>>,
}

impl Recent {
    /// Keeps nothing yet.
    pub fn new(profiles_kept_for: Duration, products_kept_for: Duration) -> Self {
        Self {
            profiles: Answers::new(MAX_PROFILES, profiles_kept_for),
            products: Answers::new(MAX_PRODUCT_PAGES, products_kept_for),
        }
    }

    /// The profile of a user.
    pub async fn profile<F, Fut>(&self, user: UserId, ask: F) -> Result<Profile, Failure>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Profile, Failure>>,
    {
        let profile = self.profiles.get(user, user.0, ask).await?;
        if !profile.is_whole {
            self.profiles.doubts.mark(user.0);
        }
        Ok(profile)
    }

    /// A page of the products. Only first pages are kept.
    pub async fn products<F, Fut>(
        &self,
        query: &PageQuery,
        ask: F,
    ) -> Result<Page<Product>, Failure>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Page<Product>, Failure>>,
    {
        if query.cursor.as_deref().is_some_and(|it| !it.is_empty()) {
            return ask().await;
        }
        let limit = query.limit.map_or(0, PageLimit::get);
        self.products.get(limit, Uuid::nil(), ask).await
    }

    /// Drops what the caller may change with a call, at the end of that call.
    pub fn written_by(&self, caller: &Caller) -> Written {
        Written {
            recent: self.clone(),
            user: caller.user,
            by_staff: caller.staff.is_some(),
        }
    }

    /// The events for [`Recent::sink`].
    pub fn subscription() -> Subscription {
        Subscription::ephemeral("gateway")
            .bind(STATE_CHANGED)
            .bind(SECURITY_CHANGED)
            .bind(STAFF_ACTED)
    }

    /// Consumes the events that drop answers.
    pub fn sink(&self) -> impl EventSink + use<> {
        ChangeSink(self.clone())
    }

    fn clear(&self) {
        self.profiles.doubts.clear();
        self.products.doubts.clear();
    }
}

/// A call that may change something. Dropping it drops what may have changed, whether the call succeeded or not: a
/// service may have done what its answer does not say.
#[must_use]
#[derive(Debug)]
pub struct Written {
    recent: Recent,
    user: Option<UserId>,
    by_staff: bool,
}

impl Drop for Written {
    fn drop(&mut self) {
        if self.by_staff {
            // It may concern any user.
            self.recent.clear();
        } else if let Some(user) = self.user {
            self.recent.profiles.doubts.mark(user.0);
        }
    }
}

struct ChangeSink(Recent);

impl ChangeSink {
    /// Drops what an event changes; none if it cannot be read.
    fn drop_changed(&self, event: &CloudEvent) -> Option<()> {
        let mark = |user: &str| {
            self.0.profiles.doubts.mark(user.parse().ok()?);
            Some(())
        };
        match event.event_type.as_str() {
            STATE_CHANGED => mark(&event.data::<AccountStateChanged>().ok()?.user_id),
            SECURITY_CHANGED => mark(&event.data::<WalletSecurityChanged>().ok()?.user_id),
            _ => {
                let act = event.data::<StaffActed>().ok()?;
                if act.action.starts_with("plan.") {
                    self.0.products.doubts.clear();
                }
                if act.user_id.is_empty() {
                    Some(())
                } else {
                    mark(&act.user_id)
                }
            }
        }
    }
}

impl EventSink for ChangeSink {
    fn on_gap(&mut self) {
        self.0.clear();
    }

    fn on_event(&mut self, event: CloudEvent) {
        if self.drop_changed(&event).is_none() {
            // It may concern anything.
            let event_type = event.event_type;
            debug!(event_type, "change cannot be read, all answers are dropped");
            self.0.clear();
        }
    }
}

/// An answer with the time and generation of its request.
#[derive(Clone, Debug)]
struct Answer<V> {
    value: V,
    asked_at: Instant,
    generation: u64,
}

/// Answers by key, each about an owner. Cheap to clone.
#[derive(Clone)]
struct Answers<K, V> {
    cache: Cache<K, Answer<V>>,
    kept_for: Duration,
    doubts: Doubts,
}

impl<K, V> fmt::Debug for Answers<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Answers(…)")
    }
}

impl<K, V> Answers<K, V>
where
    K: Copy + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn new(most: u64, kept_for: Duration) -> Self {
        Self {
            cache: Cache::builder()
                .max_capacity(most)
                .time_to_live(kept_for)
                .build(),
            kept_for,
            doubts: Doubts::new(kept_for.saturating_add(MARK_RESERVE)),
        }
    }

    /// A valid answer, kept or new. Callers with the same key share one request; failures are not kept.
    async fn get<F, Fut>(&self, key: K, owner: Uuid, ask: F) -> Result<V, Failure>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<V, Failure>>,
    {
        let began = Instant::now();
        // A shared request may have begun before a change, or long before this call. The second round cannot join an
        // older one, unless there was yet another change in between; then this caller sends its own.
        for _ in 0..2 {
            let question = async {
                let (asked_at, generation) = (Instant::now(), self.doubts.generation());
                Box::pin(ask()).await.map(|value| Answer {
                    value,
                    asked_at,
                    generation,
                })
            };
            let answer = self.cache.try_get_with(key, question).await;
            let answer = answer.map_err(|failure| failure.as_ref().clone())?;
            let age = began.saturating_duration_since(answer.asked_at);
            if age <= self.kept_for && self.doubts.believes(owner, answer.generation) {
                return Ok(answer.value);
            }
            self.cache.invalidate(&key).await;
        }
        Box::pin(ask()).await
    }
}
