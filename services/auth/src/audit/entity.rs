//! An audit entry, and which of them a list has.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, SubsecRound as _, Utc};
use uuid::Uuid;

use crate::ids::StaffId;

/// The identity of adfolioctl. It has no staff account, so its name is here.
const COMMAND_LINE: StaffId = StaffId(Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0001));

/// The command line's name.
const COMMAND_LINE_NAME: &str = "adfolioctl";

/// Longest name of an action.
const LONGEST_ACTION: usize = 100;

/// One thing that a member of staff did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// The event's id.
    pub id: Uuid,
    pub acted_at: DateTime<Utc>,
    pub staff: StaffId,
    pub action: String,
    pub target: String,
    pub user: Option<UserId>,
    pub reason: String,
    /// The request at the edge.
    pub request_id: String,
    pub before_json: String,
    pub after_json: String,
}

impl AuditEntry {
    /// Its place in the list.
    pub fn position(&self) -> Position {
        Position {
            acted_at: self.acted_at,
            id: self.id,
        }
    }
}

/// An entry with the staff member's name.
#[derive(Clone, Debug)]
pub struct Listed {
    pub entry: AuditEntry,
    /// The name of the member of staff, if they have an account.
    pub staff_username: Option<String>,
}

impl Listed {
    /// The name of the member of staff; empty if it is unknown.
    pub fn staff_username(&self) -> &str {
        match &self.staff_username {
            Some(name) => name,
            None if self.entry.staff == COMMAND_LINE => COMMAND_LINE_NAME,
            None => "",
        }
    }
}

/// Which entries to list; all conditions together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub staff: Option<StaffId>,
    pub user: Option<UserId>,
    pub action: Option<String>,
}

impl Filter {
    /// The filter of a request. None: a text that is no id, so the list is empty.
    pub fn parse(staff: &str, user: &str, action: &str) -> Result<Option<Self>, Refusal> {
        if action.len() > LONGEST_ACTION || action.chars().any(char::is_control) {
            return Err(Refusal::invalid("action"));
        }
        let id = |text: &str| -> Result<Option<Uuid>, uuid::Error> {
            let given = Some(text).filter(|text| !text.is_empty());
            given.map(str::parse).transpose()
        };
        let (Ok(staff), Ok(user)) = (id(staff), id(user)) else {
            return Ok(None);
        };
        let action = Some(action.to_owned()).filter(|action| !action.is_empty());
        Ok(Some(Self {
            staff: staff.map(StaffId),
            user: user.map(UserId),
            action,
        }))
    }

    /// The name of the list that this filter makes, for its cursors.
    pub fn scope(&self) -> String {
        let staff = self.staff.map(|id| id.to_string()).unwrap_or_default();
        let user = self.user.map(|id| id.to_string()).unwrap_or_default();
        let action = self.action.as_deref().unwrap_or_default();
        format!("auth.audit:{staff}:{user}:{action}")
    }
}

/// A place in the list; entries behind it are older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub acted_at: DateTime<Utc>,
    pub id: Uuid,
}

impl Position {
    /// How many sort keys it has.
    pub const KEYS: usize = 2;

    /// Before every entry.
    pub fn newest() -> Self {
        Self {
            acted_at: DateTime::<Utc>::MAX_UTC.trunc_subsecs(0),
            id: Uuid::max(),
        }
    }

    /// Its sort keys, as a cursor has them.
    pub fn write(self) -> Vec<String> {
        let micros = self.acted_at.timestamp_micros();
        vec![micros.to_string(), self.id.to_string()]
    }

    /// The position of these sort keys.
    pub fn read(keys: &[String]) -> Option<Self> {
        let [micros, id] = keys else { return None };
        Some(Self {
            acted_at: DateTime::from_timestamp_micros(micros.parse().ok()?)?,
            id: id.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_a_cursor() {
        let position = Position {
            acted_at: DateTime::from_timestamp_micros(1_700_000_000_123_456).expect("time"),
            id: Uuid::from_u128(7),
        };
        assert_eq!(Position::read(&position.write()), Some(position));
        assert_eq!(Position::read(&["x".into(), "y".into()]), None);
    }

    #[test]
    fn filters_make_lists_of_their_own() {
        let of = |staff: &str, user: &str, action: &str| Filter::parse(staff, user, action);
        let all = of("", "", "").expect("a filter").expect("a list");
        assert_eq!(all, Filter::default());
        let id = Uuid::from_u128(7).to_string();
        let staff = of(&id, "", "").expect("a filter").expect("a list");
        let user = of("", &id, "").expect("a filter").expect("a list");
        assert_ne!(staff.scope(), user.scope());
        assert_eq!(of("nobody", "", ""), Ok(None));
        assert!(of("", "", "a\0b").is_err());
    }
}
