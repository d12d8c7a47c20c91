//! One thing that staff did, and how a list of them is asked for.

use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::events::v1::StaffActed;
use chrono::{DateTime, SubsecRound, Utc};
use uuid::Uuid;

/// As whom adfolioctl acts: it has no staff account, so its name is known here.
const COMMAND_LINE: Uuid = Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0001);

/// The command line's name.
const COMMAND_LINE_NAME: &str = "adfolioctl";

/// Longest name of an action.
const LONGEST_ACTION: usize = 100;

/// One thing that a staff member did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// The event's id.
    pub id: Uuid,
    /// When.
    pub acted_at: DateTime<Utc>,
    /// Who.
    pub staff_id: Uuid,
    /// What.
    pub action: String,
    /// To what.
    pub target: String,
    /// To whom.
    pub user_id: Option<Uuid>,
    /// Why.
    pub reason: String,
    /// The request at the edge.
    pub request_id: String,
    /// What stood before.
    pub before_json: String,
    /// What stood after.
    pub after_json: String,
}

impl AuditEntry {
    /// The entry of an event, or that an id in it is none.
    pub fn of(event: &CloudEvent, act: StaffActed) -> Result<Self, uuid::Error> {
        let user_id = Some(act.user_id).filter(|id| !id.is_empty());
        let time = act.time.and_then(|time| time.try_into().ok());
        Ok(Self {
            id: event.id,
            acted_at: time.unwrap_or(event.time).trunc_subsecs(6),
            staff_id: act.staff_id.parse()?,
            action: storable(&act.action),
            target: storable(&act.target),
            user_id: user_id.map(|id| id.parse()).transpose()?,
            reason: storable(&act.reason),
            request_id: storable(&act.request_id),
            before_json: storable(&act.before_json),
            after_json: storable(&act.after_json),
        })
    }

    /// Its place in the list.
    pub fn position(&self) -> Position {
        Position {
            acted_at: self.acted_at,
            id: self.id,
        }
    }
}

/// Without the one character that no database takes: an entry must not be lost for it.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}

/// An entry with the staff member's name.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The entry.
    pub entry: AuditEntry,
    /// The name of whoever acted, if they have an account.
    pub staff_username: Option<String>,
}

impl Listed {
    /// Who acted, by name; empty when nobody knows.
    pub fn staff_username(&self) -> &str {
        match &self.staff_username {
            Some(name) => name,
            None if self.entry.staff_id == COMMAND_LINE => COMMAND_LINE_NAME,
            None => "",
        }
    }
}

/// Which entries to list; all conditions together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this staff member's.
    pub staff_id: Option<Uuid>,
    /// Only what was done to this user.
    pub user_id: Option<Uuid>,
    /// Only this action.
    pub action: Option<String>,
}

impl Filter {
    /// Reads what was sent. None: an id that nothing has, so nothing is listed.
    pub fn parse(staff_id: &str, user_id: &str, action: &str) -> Result<Option<Self>, Refusal> {
        if action.len() > LONGEST_ACTION || action.chars().any(char::is_control) {
            return Err(Refusal::invalid("action"));
        }
        let id = |text: &str| {
            if text.is_empty() {
                Ok(None)
            } else {
                text.parse().map(Some)
            }
        };
        let (Ok(staff_id), Ok(user_id)) = (id(staff_id), id(user_id)) else {
            return Ok(None);
        };
        let action = Some(action.to_owned()).filter(|action| !action.is_empty());
        Ok(Some(Self {
            staff_id,
            user_id,
            action,
        }))
    }

    /// The name of the list that this filter makes, for its cursors.
    pub fn scope(&self) -> String {
        let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let (staff, user) = (id(self.staff_id), id(self.user_id));
        let action = self.action.as_deref().unwrap_or_default();
        format!("auth.audit:{staff}:{user}:{action}")
    }
}

/// A place in the list: what comes behind it is older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The entry's time.
    pub acted_at: DateTime<Utc>,
    /// The entry.
    pub id: Uuid,
}

impl Position {
    /// How many fields of a cursor it takes.
    pub const FIELDS: usize = 2;

    /// Before every entry.
    pub fn newest() -> Self {
        Self {
            acted_at: DateTime::<Utc>::MAX_UTC.trunc_subsecs(0),
            id: Uuid::max(),
        }
    }

    /// The fields of a cursor.
    pub fn write(self) -> [String; 2] {
        let micros = self.acted_at.timestamp_micros();
        [micros.to_string(), self.id.to_string()]
    }

    /// Reads the fields of a cursor.
    pub fn read(fields: &[String]) -> Option<Self> {
        let [micros, id] = fields else { return None };
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
