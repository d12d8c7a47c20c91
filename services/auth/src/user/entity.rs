//! A user, and the rules of an account's state.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::{names, payment_reference};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::contact::{self, View};
use crate::device::DeviceToken;
use crate::license::entity::Code;
use crate::session::entity::Opened;
use crate::username;

/// The interface's languages.
const LANGUAGES: [&str; 12] = [
    "cht", "de", "en", "fr", "jp", "kor", "pt", "ru", "spa", "th", "vi", "zh",
];

/// Credit score of a new user; also the column's default.
const FIRST_CREDIT_SCORE: i32 = 100;

/// Shop level of a new user; also the column's default.
const FIRST_SHOP_LEVEL: i32 = 1;

/// Longest text that users are searched by.
const LONGEST_QUERY: usize = 254;

names! {
    /// State of an account.
    UserState {
        /// May do everything.
        Active,
        /// Waits for staff or an authorisation code.
        NotActivated,
        Disabled,
        /// Cancelled for good.
        Cancelled,
    }
}

names! {
    /// How a user came in.
    Entry {
        /// Registered with user name and password.
        Register,
        /// Handed over by a native host shell.
        Host,
    }
}

/// A user's profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// Login name as typed at registration.
    pub username: String,
    /// Name shown.
    pub nickname: String,
    /// E-mail address; may be empty.
    pub email: String,
    /// Whether the user was able to read mail at this address.
    pub email_confirmed: bool,
    /// Phone number; may be empty.
    pub phone: String,
    pub entry: Entry,
    pub state: UserState,
    /// Chosen language; may be empty.
    pub lang: String,
    /// Credit score in points.
    pub credit_score: i32,
    /// Shop level, from 1.
    pub shop_level: i32,
    pub vip: bool,
    /// The key that opened the account.
    pub license_code: Option<Code>,
    /// The uploaded file that is the avatar; empty without one.
    pub avatar_file_id: String,
    pub created_at: DateTime<Utc>,
}

/// A user with the session that was just opened for them.
#[derive(Debug)]
pub struct LoggedIn {
    pub user: User,
    pub session: Opened,
    /// For the device; none where the session follows another one.
    pub device: Option<DeviceToken>,
}

impl User {
    /// A new user, before anything else is known.
    pub fn newcomer(
        id: UserId,
        username: String,
        nickname: String,
        entry: Entry,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            username,
            nickname,
            email: String::new(),
            email_confirmed: false,
            phone: String::new(),
            entry,
            state: UserState::NotActivated,
            lang: String::new(),
            credit_score: FIRST_CREDIT_SCORE,
            shop_level: FIRST_SHOP_LEVEL,
            vip: false,
            license_code: None,
            avatar_file_id: String::new(),
            created_at: now,
        }
    }

    /// ACCOUNT_NOT_ACTIVATED, ACCOUNT_DISABLED or ACCOUNT_CANCELLED unless the account is active; in the user's
    /// language.
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

    /// Moves the account to another state; false when it is in that state already. A cancelled account stays cancelled.
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

    /// The end of the key that opened the account; empty without one.
    pub fn masked_license(&self) -> String {
        self.license_code
            .as_ref()
            .map(Code::masked)
            .unwrap_or_default()
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

/// Which users staff look for.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    pub state: Option<UserState>,
    /// Whether the text may be a part of an e-mail address.
    pub by_email: bool,
}

impl Query {
    /// Those whose user name or e-mail address contains the text or whose id or payment reference it is; an empty one finds all. Who sees
    /// addresses masked does not find users by them: FORBIDDEN for what only an address has.
    pub fn parse(text: &str, state: Option<UserState>, view: View) -> Result<Self, Refusal> {
        let text = text.trim();
        if text.len() > LONGEST_QUERY || text.contains('\0') {
            return Err(Refusal::invalid("query"));
        }
        if view == View::Masked && text.contains('@') {
            let refusal = Refusal::new(Reason::Forbidden).field("query");
            return Err(refusal.detail("this role does not search by e-mail address"));
        }
        Ok(Self {
            text: text.to_owned(),
            state,
            by_email: view == View::Full,
        })
    }

    /// What the audit log says of a page that it found. A typed address is masked: the log is kept.
    pub fn described(&self, count: usize, first: UserId, last: UserId) -> Value {
        json!({
            "query": contact::email(&self.text),
            "state": self.state.map(UserState::as_str),
            "count": count,
            "first": first.to_string(),
            "last": last.to_string(),
        })
    }

    /// The name of the list that it makes, for its cursors.
    pub fn scope(&self) -> String {
        let state = self.state.map_or("", UserState::as_str);
        format!("auth.users:{state}:{}", self.text)
    }

    /// The id that the text may be.
    pub fn id(&self) -> Option<UserId> {
        self.text.parse().ok()
    }

    /// The digits of the payment reference that the text is.
    pub fn reference(&self) -> Option<String> {
        payment_reference::digits(&self.text)
    }

    /// The LIKE pattern of names and addresses that contain the text; none for an empty one.
    pub fn pattern(&self) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        let mut pattern = String::from("%");
        for letter in username::key_of(&self.text).chars() {
            if matches!(letter, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(letter);
        }
        pattern.push('%');
        Some(pattern)
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
        let id = UserId(uuid::Uuid::nil());
        let (username, nickname) = ("ann".to_owned(), "Ann".to_owned());
        User {
            state,
            lang: "th".into(),
            ..User::newcomer(
                id,
                username,
                nickname,
                Entry::Register,
                DateTime::UNIX_EPOCH,
            )
        }
    }

    #[test]
    fn a_closed_account_says_so_in_its_language() {
        let refusal = user(UserState::Disabled)
            .require_active()
            .expect_err("disabled");
        assert_eq!(refusal.reason, Reason::AccountDisabled);
        assert_eq!(refusal.lang.as_deref(), Some("th"));
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
