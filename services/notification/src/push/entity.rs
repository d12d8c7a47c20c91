//! Browsers that are sent push messages, and the messages on their way.

use std::time::Duration;

use adfolio_kit::backoff;
use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, TimeDelta, Utc};
use url::Url;
use uuid::Uuid;
use web_push_native::Auth;
use web_push_native::p256::PublicKey;

use super::services::{self, PushService};
use crate::ids::{PushId, SubscriptionId};
use crate::text::{Params, Template};

/// How long a message is tried. Its push service keeps it for a browser that is off until then, too.
pub const TRIED_FOR: TimeDelta = TimeDelta::hours(24);

/// The wait after the first failure; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(15);

/// The longest wait between two attempts, also if a push service asks for more.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

names! {
    /// Where a message stands.
    State {
        /// Waits, or is being sent.
        Pending,
        /// Its push service has it.
        Sent,
        /// Given up.
        Dead,
    }
}

/// Where the messages to a browser go, and what they are encrypted with. No Debug: who has it can send to the browser.
#[derive(Clone)]
pub struct Browser {
    pub endpoint: Url,
    pub key: PublicKey,
    pub auth: Auth,
}

impl Browser {
    /// VALIDATION naming what is not as browsers give it.
    pub fn check(
        endpoint: &str,
        p256dh: &[u8],
        auth: &[u8],
        services: &[PushService],
    ) -> Result<Self, Refusal> {
        let endpoint = services::endpoint(endpoint, services);
        let endpoint = endpoint.ok_or_else(|| Refusal::invalid("endpoint"))?;
        Self::from_stored(endpoint, p256dh, auth).map_err(Refusal::invalid)
    }

    /// Names the part that is wrong.
    pub fn from_stored(endpoint: Url, p256dh: &[u8], auth: &[u8]) -> Result<Self, &'static str> {
        // Compressed points are valid, too, but no browser gives one.
        let key = Some(p256dh).filter(|bytes| bytes.len() == 65);
        let key = key.and_then(|bytes| PublicKey::from_sec1_bytes(bytes).ok());
        let auth = <[u8; 16]>::try_from(auth).map(Auth::from);
        Ok(Self {
            endpoint,
            key: key.ok_or("p256dh")?,
            auth: auth.map_err(|_| "auth")?,
        })
    }
}

/// A browser to subscribe.
#[derive(Clone)]
pub struct NewSubscription {
    pub id: SubscriptionId,
    pub user: UserId,
    pub session: Uuid,
    pub endpoint: Url,
    pub p256dh: Vec<u8>,
    pub auth: Vec<u8>,
    pub lang: &'static str,
    pub now: DateTime<Utc>,
}

/// A message to every browser of a user.
#[derive(Clone, Debug)]
pub struct NewPush {
    pub user: UserId,
    pub template: Template,
    pub params: Params,
    /// What it is about: one happening, one message to a browser.
    pub source_key: String,
    pub occurred_at: DateTime<Utc>,
    pub now: DateTime<Utc>,
}

impl NewPush {
    /// From then on a failure is the last one.
    pub fn give_up_at(&self) -> DateTime<Utc> {
        self.now.checked_add_signed(TRIED_FOR).unwrap_or(self.now)
    }
}

/// A message on its way to a browser.
#[derive(Clone)]
pub struct Push {
    pub id: PushId,
    pub subscription: SubscriptionId,
    pub browser: Browser,
    pub lang: String,
    /// The text's key. A text, because a newer replica may know more templates than this one.
    pub template: String,
    pub params: Params,
    pub source_key: String,
    pub occurred_at: DateTime<Utc>,
    pub state: State,
    /// Attempts so far. It also tells the attempts of a message apart: a late one must not overwrite its successor.
    pub attempts: i32,
    pub due_at: DateTime<Utc>,
    pub give_up_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The push service has it.
    Sent,
    /// The browser does not take messages any more.
    Gone,
    /// It may go better later, at the earliest after this wait.
    Again(Duration),
    /// It never will.
    Never,
}

impl Push {
    /// After an attempt that did not find its browser gone.
    #[must_use]
    pub fn after(mut self, outcome: Outcome, now: DateTime<Utc>) -> Self {
        match outcome {
            Outcome::Sent => self.finish(State::Sent, now),
            Outcome::Again(asked) if now < self.give_up_at => {
                let own = backoff::after(self.attempts, FIRST_WAIT, LONGEST_WAIT);
                let wait = TimeDelta::from_std(own.max(asked.min(LONGEST_WAIT)));
                let due = wait.ok().and_then(|wait| now.checked_add_signed(wait));
                self.due_at = due.map_or(self.give_up_at, |due| due.min(self.give_up_at));
                self
            }
            Outcome::Again(_) | Outcome::Never | Outcome::Gone => self.finish(State::Dead, now),
        }
    }

    fn finish(mut self, state: State, now: DateTime<Utc>) -> Self {
        self.state = state;
        self.finished_at = Some(now);
        self
    }
}
