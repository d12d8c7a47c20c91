//! What was done to an account, as its user sees it.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_money::Money;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::entity::Position;

/// Something that a user did, from a session of the account, to protect it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAction {
    /// Its id: the event's where another service announced it.
    pub id: Uuid,
    pub user: UserId,
    pub action: String,
    pub acted_at: DateTime<Utc>,
}

impl UserAction {
    /// The login password was changed.
    pub const PASSWORD_CHANGED: &str = "auth.password_changed";
    /// The e-mail address was confirmed.
    pub const EMAIL_CONFIRMED: &str = "auth.email_confirmed";
    /// Other sessions were ended.
    pub const SESSIONS_ENDED: &str = "auth.sessions_ended";

    /// What a user did at this time.
    pub fn new(id: Uuid, user: UserId, action: &str, at: DateTime<Utc>) -> Self {
        Self {
            id,
            user,
            action: action.to_owned(),
            acted_at: at.trunc_subsecs(6),
        }
    }
}

names! {
    /// Who did something to an account.
    Actor {
        Staff,
        User,
    }
}

/// Something that was done to an account, without which member of staff did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEntry {
    pub id: Uuid,
    pub acted_at: DateTime<Utc>,
    pub action: String,
    /// Why, as staff wrote it; empty if they did not.
    pub reason: String,
    /// The amount of money concerned.
    pub amount: Option<Money>,
    pub by: Actor,
}

impl OwnEntry {
    /// Its place in the list.
    pub fn position(&self) -> Position {
        Position {
            acted_at: self.acted_at,
            id: self.id,
        }
    }
}

/// The amount in an audit entry: services write `amount_minor`, a number, or `amount`, an amount of money.
pub fn amount_of(after_json: &str) -> Option<Money> {
    let after: Value = serde_json::from_str(after_json).ok()?;
    let minor = after["amount_minor"].as_i64().map(Money::from_minor);
    minor.or_else(|| after["amount"].as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_found_in_either_spelling() {
        let of = |json: &str| amount_of(json).map(Money::minor);
        assert_eq!(
            of(r#"{"amount_minor":12345,"type":"deposit"}"#),
            Some(12_345)
        );
        assert_eq!(of(r#"{"amount":"100.05"}"#), Some(10_005));
        for json in [
            "",
            "[]",
            "{}",
            r#"{"amount":"many"}"#,
            r#"{"amount_minor":1.5}"#,
        ] {
            assert_eq!(of(json), None, "{json}");
        }
    }
}
