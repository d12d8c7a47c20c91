//! The audit log: every service publishes what staff did in the transaction of the change; auth
//! stores it.

use adfolio_proto::events::v1::StaffActed;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::db::Tx;
use crate::identity::{Caller, Staff, UserId};
use crate::outbox::{Event, EventError, enqueue_in_tx};
use crate::wire;

/// The last part of the event's type; the service's name precedes it
/// (`adfolio.wallet.v1.StaffActed`).
const EVENT_NAME: &str = "StaffActed";

/// The event of every service, as a consumer binds to it.
pub const STAFF_ACTED: &str = "adfolio.*.v1.StaffActed";

/// An audit entry: one thing that a member of staff did.
#[derive(Clone, Debug)]
pub struct Entry {
    action: &'static str,
    target: String,
    user: Option<UserId>,
    reason: Option<String>,
    before_json: String,
    after_json: String,
}

/// The member of staff who acts, and what the call says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The member of staff.
    pub staff_id: Uuid,
    /// Why.
    pub reason: String,
    /// The call's request id.
    pub request_id: String,
}

impl Actor {
    /// Of this member of staff's call.
    pub fn calling(staff: Staff, caller: &Caller) -> Self {
        Self {
            staff_id: staff.id,
            reason: caller.reason.clone(),
            request_id: caller.request_id.clone(),
        }
    }
}

/// An audit entry could not be published.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The state before or after cannot be serialised.
    #[error("audit entry cannot be serialised")]
    Serialise(#[from] EventError),
    /// The database failed.
    #[error("cannot announce what staff did")]
    Database(#[from] sqlx::Error),
}

impl Entry {
    /// `action` (`wallet.deposit`, begun with the service's name) on `target`, an id or a code;
    /// never a secret.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "ids are Copy, and texts are mostly borrowed"
    )]
    pub fn new(action: &'static str, target: impl ToString) -> Self {
        Self {
            action,
            target: target.to_string(),
            user: None,
            reason: None,
            before_json: String::new(),
            after_json: String::new(),
        }
    }

    /// The user who was affected.
    #[must_use]
    pub fn user(mut self, user: impl Into<UserId>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// The reason, if the call has one of its own; otherwise the caller's reason is used.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into()).filter(|reason| !reason.is_empty());
        self
    }

    /// The state before: an object without secrets.
    pub fn before(mut self, state: &impl Serialize) -> Result<Self, EventError> {
        self.before_json = serde_json::to_string(state)?;
        Ok(self)
    }

    /// The state after: an object without secrets.
    pub fn after(mut self, state: &impl Serialize) -> Result<Self, EventError> {
        self.after_json = serde_json::to_string(state)?;
        Ok(self)
    }

    /// The event that publishes the entry, for services that enqueue several events at once. `None`
    /// when no member of staff calls: changes by the system itself are not audited.
    pub fn event(self, caller: &Caller, now: DateTime<Utc>) -> Result<Option<Event>, EventError> {
        let Some(staff) = caller.staff else {
            return Ok(None);
        };
        self.event_by(Actor::calling(staff, caller), now).map(Some)
    }

    /// The same for an act that was called for earlier.
    pub fn event_by(self, actor: Actor, now: DateTime<Utc>) -> Result<Event, EventError> {
        let user_id = self.user.map(|user| user.to_string()).unwrap_or_default();
        let subject = if user_id.is_empty() {
            actor.staff_id.to_string()
        } else {
            user_id.clone()
        };
        let data = StaffActed {
            staff_id: actor.staff_id.to_string(),
            action: self.action.to_owned(),
            target: self.target,
            user_id,
            reason: self.reason.unwrap_or(actor.reason),
            request_id: actor.request_id,
            before_json: self.before_json,
            after_json: self.after_json,
            time: Some(wire::timestamp(now)),
        };
        let service = self.action.split('.').next().unwrap_or_default();
        let event_type = format!("adfolio.{service}.v1.{EVENT_NAME}");
        Event::new(event_type, subject, &data)
    }

    /// Publishes the entry in the transaction of the change.
    pub async fn record_in_tx(
        self,
        tx: &mut Tx,
        caller: &Caller,
        now: DateTime<Utc>,
    ) -> Result<(), AuditError> {
        let event = self.event(caller, now)?;
        Ok(enqueue_in_tx(tx, event.as_slice()).await?)
    }
}
