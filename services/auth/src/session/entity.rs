//! Tokens, when a session is alive, and where it was opened.

use std::net::IpAddr;

use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A session's last use is written down at most this often.
const TOUCH_INTERVAL: TimeDelta = TimeDelta::minutes(1);

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

    /// What the database keeps.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest::of(self.expose())
    }
}

/// SHA-256 of a token. The token is random through and through, so a fast hash without salt is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenDigest(pub [u8; 32]);

impl TokenDigest {
    /// Of whatever a client sent as token.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

/// Whose session it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A user's.
    User(Uuid),
    /// A staff member's.
    Staff(Uuid),
}

impl Owner {
    /// The user or staff member.
    pub fn id(self) -> Uuid {
        match self {
            Self::User(id) | Self::Staff(id) => id,
        }
    }
}

/// Characters of what a client says it is that are kept.
const LONGEST_USER_AGENT: usize = 256;

/// The client that opened a session, as far as it is known. What it says of itself is a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// What it said it was (`User-Agent`), for its owner to recognise it by.
    pub user_agent: Option<String>,
    /// Its address.
    pub address: Option<String>,
}

impl Client {
    /// Of what the gateway tells: without control characters and cut to a length that can be shown; nothing for what says
    /// nothing.
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

/// A live session with where it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The session.
    pub session: Session,
    /// What opened it.
    pub client: Client,
}

/// A stored session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id, by which it is revoked.
    pub id: Uuid,
    /// Whose it is.
    pub owner: Owner,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it was last seen, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When it dies unless used.
    pub expires_at: DateTime<Utc>,
    /// When it was ended.
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

    /// Slides the expiry of a session that is used; false while the last use was written down only a moment ago.
    pub fn touch(&mut self, now: DateTime<Utc>, ttl: TimeDelta) -> bool {
        if now.signed_duration_since(self.last_seen_at) < TOUCH_INTERVAL {
            return false;
        }
        self.last_seen_at = now;
        self.expires_at = now.checked_add_signed(ttl).unwrap_or(now);
        true
    }
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
    fn expiry_slides_once_a_minute() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).expect("time");
        let ttl = TimeDelta::hours(1);
        let mut session = Session {
            id: Uuid::nil(),
            owner: Owner::User(Uuid::nil()),
            created_at: start,
            last_seen_at: start,
            expires_at: start + ttl,
            ended_at: None,
        };
        assert!(!session.touch(start + TimeDelta::seconds(59), ttl));
        assert!(session.touch(start + TimeDelta::seconds(60), ttl));
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
}
