//! Looks of staff at personal data in full.
//!
//! A look is recorded in a transaction that is committed before anything is shown. It goes straight into the log: an event
//! would come back here only after the answer. One entry stands for all looks of a member at the same thing, with the same
//! reason, within ten minutes of the clock, so that nobody fills the log by reading. Its id is made of these, so many at
//! once leave one entry, too. The reason counts because adfolioctl is one member, and names the person there.
//!
//! The names of looks at one user begin with `read_`, in all services: a user's own log leaves them out.

use adfolio_kit::audit::Actor;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use super::entity::AuditEntry;
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;

/// Looks within so much of the clock are one entry.
const WINDOW_SECONDS: i64 = 600;

/// What a member of staff looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    action: &'static str,
    target: String,
    user: Option<UserId>,
    /// A JSON object; empty without one.
    shown: String,
}

impl Look {
    /// At a user with contact data and sessions.
    pub fn at_user(id: UserId) -> Self {
        Self {
            action: "auth.read_user",
            target: id.to_string(),
            user: Some(id),
            shown: String::new(),
        }
    }

    /// At a page of users; `shown` says which.
    pub fn at_users(shown: &Value) -> Self {
        Self {
            action: "auth.list_users",
            target: "users".to_owned(),
            user: None,
            shown: shown.to_string(),
        }
    }

    fn by(self, actor: Actor, now: DateTime<Utc>) -> AuditEntry {
        AuditEntry {
            id: self.id(&actor, now),
            acted_at: now,
            staff: StaffId(actor.staff_id),
            action: self.action.to_owned(),
            target: self.target,
            user: self.user,
            reason: actor.reason,
            request_id: actor.request_id,
            before_json: String::new(),
            after_json: self.shown,
        }
    }

    /// The same for the same look within the same window.
    fn id(&self, actor: &Actor, now: DateTime<Utc>) -> Uuid {
        let window = now.timestamp().div_euclid(WINDOW_SECONDS);
        let mut hash = Sha256::new();
        hash.update(actor.staff_id.as_bytes());
        hash.update(window.to_be_bytes());
        // No part contains the character between them: PostgreSQL would not store it.
        for part in [self.action, &self.target, &self.shown, &actor.reason] {
            hash.update(part);
            hash.update([0]);
        }
        let mut bytes = [0; 16];
        for (byte, hashed) in bytes.iter_mut().zip(hash.finalize()) {
            *byte = hashed;
        }
        Builder::from_custom_bytes(bytes).into_uuid()
    }
}

/// Records a look; what it shows must not be answered before.
pub async fn record_look(app: &App, actor: Actor, look: Look) -> Result<(), AuthError> {
    let entry = look.by(actor, app.clock.now());
    // Without events: there is nothing to relay.
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::insert_in_tx(tx, &entry).await?) })
    })
    .await
}

/// The same in the transaction of a call that shows what it might have changed.
pub async fn record_look_in_tx(
    tx: &mut Tx,
    actor: Actor,
    look: Look,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    repo::insert_in_tx(tx, &look.by(actor, now)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_look_within_a_window_is_one_entry() {
        let at = |second: i64| DateTime::from_timestamp(1_700_000_400 + second, 0).expect("time");
        let (ann, bob) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
        let actor = |staff, reason: &str, request: &str| Actor {
            staff_id: Uuid::from_u128(staff),
            reason: reason.to_owned(),
            request_id: request.to_owned(),
        };
        let (sue, again) = (actor(3, "run by sue", "1"), actor(3, "run by sue", "2"));
        let (tim, other) = (actor(3, "run by tim", "3"), actor(4, "run by sue", "4"));
        let first = Look::at_user(ann).id(&sue, at(0));
        assert_eq!(Look::at_user(ann).id(&again, at(599)), first);
        let others = [
            Look::at_user(ann).id(&sue, at(600)),
            Look::at_user(ann).id(&tim, at(0)),
            Look::at_user(ann).id(&other, at(0)),
            Look::at_user(bob).id(&sue, at(0)),
            Look::at_users(&json!({"query": "a"})).id(&sue, at(0)),
            Look::at_users(&json!({"query": "b"})).id(&sue, at(0)),
        ];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(*other, first);
            assert!(!others.iter().skip(index + 1).any(|later| later == other));
        }
    }
}
