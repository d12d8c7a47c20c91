//! What was done to an account, as its user sees it.

use adfolio_kit::outbox::CloudEvent;
use adfolio_money::Money;
use adfolio_proto::events::v1::WalletSecurityChanged;
use chrono::{DateTime, SubsecRound, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::Position;

/// What staff do, though it is announced with what users do.
const BY_STAFF: &str = "pay_password_reset";

/// Something that was done from a user's own session to protect the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAct {
    /// Its id: the event's where another service announced it.
    pub id: Uuid,
    /// Whose.
    pub user_id: Uuid,
    /// What.
    pub action: String,
    /// When.
    pub acted_at: DateTime<Utc>,
}

impl UserAct {
    /// The login password was changed.
    pub const PASSWORD_CHANGED: &str = "auth.password_changed";
    /// Sessions other than the own one were ended.
    pub const SESSIONS_ENDED: &str = "auth.sessions_ended";

    /// What a user did here.
    pub fn new(id: Uuid, user_id: Uuid, action: &str, now: DateTime<Utc>) -> Self {
        Self {
            id,
            user_id,
            action: action.to_owned(),
            acted_at: now.trunc_subsecs(6),
        }
    }

    /// What wallet announced; none for what staff did, which the audit log has, or that the user's id is none.
    pub fn of(
        event: &CloudEvent,
        changed: &WalletSecurityChanged,
    ) -> Result<Option<Self>, uuid::Error> {
        if changed.change == BY_STAFF {
            return Ok(None);
        }
        let user_id = changed.user_id.parse()?;
        let action = format!("wallet.{}", changed.change);
        Ok(Some(Self::new(event.id, user_id, &action, event.time)))
    }
}

/// Whose doing something was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A staff member's.
    Staff,
    /// The user's own.
    User,
}

/// Something that was done to an account: neither who of the staff it was nor why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEntry {
    /// Its id.
    pub id: Uuid,
    /// When.
    pub acted_at: DateTime<Utc>,
    /// What.
    pub action: String,
    /// How much money it was about.
    pub amount: Option<Money>,
    /// Whose doing.
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

/// The amount that an act of staff was about: services write `amount_minor`, a number, or `amount`, an amount of money.
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
