//! A user, and the rules of an account's state.

use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::license::Code;

/// The interface's languages.
const LANGUAGES: [&str; 12] = [
    "cht", "de", "en", "fr", "jp", "kor", "pt", "ru", "spa", "th", "vi", "zh",
];

/// Credit score that everyone begins with; also the column's default.
pub const FIRST_CREDIT_SCORE: i32 = 100;

/// Shop level that everyone begins with; also the column's default.
pub const FIRST_SHOP_LEVEL: i32 = 1;

/// State of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserState {
    /// May do everything.
    Active,
    /// Waits for staff or an authorisation code.
    NotActivated,
    /// Disabled by staff.
    Disabled,
    /// Cancelled for good.
    Cancelled,
}

impl UserState {
    /// The name in the database and in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::NotActivated => "not_activated",
            Self::Disabled => "disabled",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [
            Self::Active,
            Self::NotActivated,
            Self::Disabled,
            Self::Cancelled,
        ]
        .into_iter()
        .find(|state| state.as_str() == name)
    }
}

/// How a user came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Registered with user name and password.
    Register,
    /// Handed over by a native host shell.
    Host,
}

impl Entry {
    /// The name in the database and in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Host => "host",
        }
    }

    /// The entry of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Register, Self::Host]
            .into_iter()
            .find(|entry| entry.as_str() == name)
    }
}

/// A user's profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id.
    pub id: Uuid,
    /// Login name as typed at registration.
    pub username: String,
    /// Name shown.
    pub nickname: String,
    /// E-mail address; may be empty.
    pub email: String,
    /// Phone number; may be empty.
    pub phone: String,
    /// How the user came in.
    pub entry: Entry,
    /// State of the account.
    pub state: UserState,
    /// Chosen language; may be empty.
    pub lang: String,
    /// Credit score in points.
    pub credit_score: i32,
    /// Shop level, from 1.
    pub shop_level: i32,
    /// Guarantee deposit in minor units.
    pub deposit_minor: i64,
    /// Whether the user is a member.
    pub vip: bool,
    /// The key that opened the account.
    pub license_code: Option<Code>,
    /// The uploaded file that is the avatar; empty without one.
    pub avatar_file_id: String,
    /// When the account was created.
    pub created_at: DateTime<Utc>,
}

impl User {
    /// ACCOUNT_NOT_ACTIVATED, ACCOUNT_DISABLED or ACCOUNT_CANCELLED unless the account is active; in the user's language.
    pub fn require_active(&self) -> Result<(), Refusal> {
        match self.state {
            UserState::Active => Ok(()),
            UserState::NotActivated => Err(self.closed(Reason::AccountNotActivated)),
            UserState::Disabled => Err(self.closed(Reason::AccountDisabled)),
            UserState::Cancelled => Err(self.closed(Reason::AccountCancelled)),
        }
    }

    /// Opens the ad account with a key. Only an account that waits for it can be opened.
    pub fn open_store(&mut self, license_code: Code, activate: bool) -> Result<(), Refusal> {
        self.require_store_unopened()?;
        self.license_code = Some(license_code);
        if activate {
            self.state = UserState::Active;
        }
        Ok(())
    }

    /// STORE_ALREADY_OPEN, ACCOUNT_DISABLED or ACCOUNT_CANCELLED unless the account waits for a key.
    pub fn require_store_unopened(&self) -> Result<(), Refusal> {
        match self.state {
            UserState::NotActivated => Ok(()),
            UserState::Active => Err(Refusal::new(Reason::StoreAlreadyOpen)),
            UserState::Disabled => Err(self.closed(Reason::AccountDisabled)),
            UserState::Cancelled => Err(self.closed(Reason::AccountCancelled)),
        }
    }

    /// Moves the account to another state; false when it is there already. What is cancelled stays cancelled.
    pub fn move_to(&mut self, state: UserState) -> Result<bool, Refusal> {
        if self.state == state {
            return Ok(false);
        }
        if self.state == UserState::Cancelled {
            return Err(Refusal::invalid("state").detail("a cancelled account stays cancelled"));
        }
        self.state = state;
        Ok(true)
    }

    fn closed(&self, reason: Reason) -> Refusal {
        let refusal = Refusal::new(reason);
        if self.lang.is_empty() {
            refusal
        } else {
            refusal.lang(self.lang.as_str())
        }
    }
}

/// Whether a text is one of the interface's languages.
pub fn is_language(text: &str) -> bool {
    LANGUAGES.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Code {
        text.to_owned().into()
    }

    fn user(state: UserState) -> User {
        User {
            id: Uuid::nil(),
            username: "ann".into(),
            nickname: "Ann".into(),
            email: String::new(),
            phone: String::new(),
            entry: Entry::Register,
            state,
            lang: "th".into(),
            credit_score: 100,
            shop_level: 1,
            deposit_minor: 0,
            vip: false,
            license_code: None,
            avatar_file_id: String::new(),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_closed_account_says_so_in_its_language() {
        let refusal = user(UserState::Disabled)
            .require_active()
            .expect_err("disabled");
        assert_eq!(
            (refusal.reason, refusal.lang.as_deref()),
            (Reason::AccountDisabled, Some("th"))
        );
        assert!(user(UserState::Active).require_active().is_ok());
    }

    #[test]
    fn cancelled_is_for_good() {
        let mut cancelled = user(UserState::Cancelled);
        assert_eq!(cancelled.move_to(UserState::Cancelled), Ok(false));
        assert!(cancelled.move_to(UserState::Active).is_err());
        assert!(cancelled.open_store(key("KEY-1"), true).is_err());
    }

    #[test]
    fn a_store_opens_once() {
        let mut waiting = user(UserState::NotActivated);
        assert!(waiting.open_store(key("KEY-1"), true).is_ok());
        assert_eq!(waiting.state, UserState::Active);
        let refusal = waiting.open_store(key("KEY-2"), true).expect_err("open");
        assert_eq!(refusal.reason, Reason::StoreAlreadyOpen);
        assert_eq!(waiting.license_code, Some(key("KEY-1")));
    }
}
