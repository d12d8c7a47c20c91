//! Tokens, when a session is alive, and which client opened it.

use std::net::IpAddr;

use adfolio_kit::identity::{self, UserId};
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::signing_key::Kid;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::{SessionId, StaffId};

/// A session's last use is written down at most this often.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// A session is fresh for so long after its holder proved who they are.
const FRESH_FOR: TimeDelta = TimeDelta::minutes(15);

names! {
    /// How a session began.
    Origin {
        /// User name and password.
        Login,
        /// The registration of the account, or its opening by the holder of the session that registered it.
        Registration,
        /// A host's assertion.
        Host,
        /// A token that staff made for an account that was not open.
        StaffToken,
    }
}

impl Origin {
    /// How the session began that follows when the account is opened. A member of staff knew the first token, so what the
    /// session sets cools off; the holder of any other token registers the account by opening it.
    pub fn after_opening(self) -> Self {
        match self {
            Self::StaffToken => Self::StaffToken,
            Self::Login | Self::Registration | Self::Host => Self::Registration,
        }
    }
}

/// A bearer token: 256 random bits in hexadecimal. Known only to its holder; the database has its digest.
#[derive(Debug)]
pub struct Token(SecretString);

impl Token {
    /// A new one.
    pub fn random() -> Self {
        Self(hex::encode(rand::random::<[u8; 32]>()).into())
    }

    /// The text for its holder.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The digest that the database stores.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest::of(self.expose())
    }
}

/// SHA-256 of a token. A token is 256 random bits, so a fast hash without salt is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenDigest(pub [u8; 32]);

impl TokenDigest {
    /// Of what a client sent as token.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

/// How long sessions live and how many there may be.
#[derive(Clone, Copy, Debug)]
pub struct SessionRules {
    /// A user's session expires this long after its last use.
    pub user_ttl: TimeDelta,
    /// A staff session expires this long after its last use.
    pub staff_ttl: TimeDelta,
    /// A user's session ends this long after it was opened, however much it is used.
    pub user_max: TimeDelta,
    /// A staff session ends this long after it was opened, however much it is used.
    pub staff_max: TimeDelta,
    /// Live sessions that one owner may have; one more ends the one not used for longest.
    pub max_per_owner: i64,
}

impl SessionRules {
    /// When a session of this owner that was opened and used at these times expires unless used again.
    pub fn expiry(
        &self,
        owner: Owner,
        opened_at: DateTime<Utc>,
        used_at: DateTime<Utc>,
    ) -> DateTime<Utc> {
        let ttl = match owner {
            Owner::User(_) => self.user_ttl,
            Owner::Staff(_) => self.staff_ttl,
        };
        let unused = used_at.checked_add_signed(ttl).unwrap_or(used_at);
        unused.min(self.end(owner, opened_at))
    }

    /// Users' sessions that were opened before are over at this time.
    pub fn user_opened_after(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_sub_signed(self.user_max).unwrap_or(now)
    }

    /// Staff sessions that were opened before are over at this time.
    pub fn staff_opened_after(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_sub_signed(self.staff_max).unwrap_or(now)
    }

    /// When a session of this owner ends, however much it is used.
    fn end(&self, owner: Owner, opened_at: DateTime<Utc>) -> DateTime<Utc> {
        let longest = match owner {
            Owner::User(_) => self.user_max,
            Owner::Staff(_) => self.staff_max,
        };
        opened_at.checked_add_signed(longest).unwrap_or(opened_at)
    }
}

/// Whose sessions a token may open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    User,
    Staff,
}

impl Kind {
    /// Whether the owner is of this kind.
    pub fn matches(self, owner: Owner) -> bool {
        matches!(
            (self, owner),
            (Self::User, Owner::User(_)) | (Self::Staff, Owner::Staff(_))
        )
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Staff => "staff",
        }
    }
}

/// A session that was just opened, with the token that only this answer has.
#[derive(Debug)]
pub struct Opened {
    /// For its holder.
    pub token: Token,
    /// When it expires unless used.
    pub expires_at: DateTime<Utc>,
}

/// Whose session it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    User(UserId),
    Staff(StaffId),
}

impl Owner {
    /// Which of both.
    pub fn kind(self) -> Kind {
        match self {
            Self::User(_) => Kind::User,
            Self::Staff(_) => Kind::Staff,
        }
    }

    /// The id of either.
    pub fn id(self) -> Uuid {
        match self {
            Self::User(id) => id.0,
            Self::Staff(id) => id.0,
        }
    }
}

/// Characters of a `User-Agent` that are kept.
const LONGEST_USER_AGENT: usize = 256;

/// The client that opened a session, as far as it is known. Its `User-Agent` is not verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Its `User-Agent`, by which the owner recognises it.
    pub user_agent: Option<String>,
    pub address: Option<String>,
}

impl Client {
    /// From what the gateway passes on: without control characters and cut to a length that can be shown. An empty text
    /// counts as absent.
    pub fn of(user_agent: &str, address: &str) -> Self {
        let printable = |letter: &char| !letter.is_control();
        let user_agent = user_agent.chars().filter(printable);
        let user_agent: String = user_agent.take(LONGEST_USER_AGENT).collect();
        let user_agent = user_agent.trim().to_owned();
        let address = address.parse::<IpAddr>().ok();
        Self {
            user_agent: Some(user_agent).filter(|text| !text.is_empty()),
            address: address.map(|address| address.to_canonical().to_string()),
        }
    }
}

/// SHA-256 of what a client says it is and of its address: what the account remembers of it for longer than of its
/// sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientDigest(pub [u8; 32]);

impl From<&Client> for ClientDigest {
    fn from(client: &Client) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        // A User-Agent has no control characters.
        let both = format!("{}\n{}", text(&client.user_agent), text(&client.address));
        Self(Sha256::digest(both.as_bytes()).into())
    }
}

/// A session to open.
#[derive(Clone, Debug)]
pub struct Opening {
    pub owner: Owner,
    pub client: Client,
    pub origin: Origin,
    /// The key of the assertion that opens it.
    pub host_kid: Option<Kid>,
    /// Whether the login shows the second factor.
    pub shows_factor: bool,
}

impl Opening {
    /// For its owner, not by an assertion.
    pub fn new(owner: Owner, client: Client, origin: Origin) -> Self {
        Self {
            owner,
            client,
            origin,
            host_kid: None,
            shows_factor: false,
        }
    }
}

/// A live session and the client that opened it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub session: Session,
    pub client: Client,
}

/// A stored session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id, by which it is revoked.
    pub id: SessionId,
    pub owner: Owner,
    pub origin: Origin,
    pub created_at: DateTime<Utc>,
    /// When its holder last proved who they are.
    pub confirmed_at: DateTime<Utc>,
    /// When the second factor was last shown in it; only of staff.
    pub factor_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When it expires unless used.
    pub expires_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

impl Session {
    /// SESSION_EXPIRED unless it is alive.
    pub fn require_live(&self, now: DateTime<Utc>) -> Result<(), Refusal> {
        if self.ended_at.is_none() && now < self.expires_at {
            Ok(())
        } else {
            Err(Refusal::new(Reason::SessionExpired))
        }
    }

    /// Until when it is fresh.
    pub fn fresh_until(&self) -> DateTime<Utc> {
        fresh_from(self.confirmed_at)
    }

    /// Until when the second factor that was shown in it is fresh.
    pub fn factor_fresh_until(&self) -> Option<DateTime<Utc>> {
        self.factor_at.map(fresh_from)
    }

    /// Whether the second factor counts as shown at a time.
    pub fn shows_factor_at(&self, now: DateTime<Utc>) -> bool {
        self.factor_fresh_until().is_some_and(|until| now < until)
    }

    /// What other services learn of it.
    pub fn described(&self) -> identity::Session {
        identity::Session {
            opened_at: self.created_at,
            fresh_until: self.fresh_until(),
            is_registration: self.origin == Origin::Registration,
        }
    }

    /// The same session under these rules: one of before may have a later expiry than they allow.
    #[must_use]
    pub fn under(mut self, rules: &SessionRules) -> Self {
        let end = rules.end(self.owner, self.created_at);
        self.expires_at = self.expires_at.min(end);
        self
    }

    /// Extends a session that is used; false while the last use was written down only a moment ago.
    pub fn touch(&mut self, now: DateTime<Utc>, rules: &SessionRules) -> bool {
        if now.signed_duration_since(self.last_seen_at) < TOUCH_INTERVAL {
            return false;
        }
        self.last_seen_at = now;
        self.expires_at = rules.expiry(self.owner, self.created_at, now);
        true
    }
}

/// Until when a proof of this time is fresh.
fn fresh_from(proved_at: DateTime<Utc>) -> DateTime<Utc> {
    proved_at.checked_add_signed(FRESH_FOR).unwrap_or(proved_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_distinct() {
        let (first, second) = (Token::random(), Token::random());
        assert_eq!(first.expose().len(), 64);
        assert_ne!(first.expose(), second.expose());
        assert_ne!(first.digest(), second.digest());
    }

    #[test]
    fn a_client_is_kept_as_it_can_be_shown() {
        let client = Client::of(" Mozilla/5.0\u{0}\u{1b}[31m\r\n (X11) ", "::ffff:192.0.2.7");
        assert_eq!(client.user_agent.as_deref(), Some("Mozilla/5.0[31m (X11)"));
        assert_eq!(client.address.as_deref(), Some("192.0.2.7"));
        let long = Client::of(&"ä".repeat(300), "2001:db8::1");
        assert_eq!(long.user_agent, Some("ä".repeat(LONGEST_USER_AGENT)));
        assert_eq!(long.address.as_deref(), Some("2001:db8::1"));
        assert_eq!(Client::of("\t \u{7f}", "nowhere"), Client::default());
    }

    #[test]
    fn a_token_that_staff_knew_leaves_its_mark() {
        for (before, after) in [
            (Origin::StaffToken, Origin::StaffToken),
            (Origin::Host, Origin::Registration),
            (Origin::Registration, Origin::Registration),
        ] {
            assert_eq!(before.after_opening(), after);
        }
    }

    const RULES: SessionRules = SessionRules {
        user_ttl: TimeDelta::hours(1),
        staff_ttl: TimeDelta::hours(2),
        user_max: TimeDelta::hours(5),
        staff_max: TimeDelta::hours(3),
        max_per_owner: 20,
    };

    fn session(owner: Owner) -> (DateTime<Utc>, Session) {
        let start = DateTime::from_timestamp(1_700_000_000, 0).expect("time");
        let session = Session {
            id: SessionId(Uuid::nil()),
            owner,
            origin: Origin::Login,
            created_at: start,
            confirmed_at: start,
            factor_at: None,
            last_seen_at: start,
            expires_at: RULES.expiry(owner, start, start),
            ended_at: None,
        };
        (start, session)
    }

    #[test]
    fn expiry_slides_once_a_minute() {
        let (start, mut session) = session(Owner::User(UserId(Uuid::nil())));
        assert!(!session.touch(start + TimeDelta::seconds(59), &RULES));
        assert!(session.touch(start + TimeDelta::seconds(60), &RULES));
        assert_eq!(session.expires_at, start + TimeDelta::seconds(3660));
        assert!(
            session
                .require_live(start + TimeDelta::seconds(3659))
                .is_ok()
        );
        assert!(
            session
                .require_live(start + TimeDelta::seconds(3660))
                .is_err()
        );
        session.ended_at = Some(start);
        assert!(session.require_live(start).is_err());
    }

    #[test]
    fn expiry_slides_to_the_end_at_most() {
        let staff = Owner::Staff(StaffId(Uuid::nil()));
        let (start, mut session) = session(staff);
        let end = start + TimeDelta::hours(3);
        assert!(session.touch(start + TimeDelta::minutes(90), &RULES));
        assert_eq!(session.expires_at, end);
        // One that a release without an end has extended.
        session.expires_at = end + TimeDelta::hours(1);
        assert_eq!(session.under(&RULES).expires_at, end);
    }
}
