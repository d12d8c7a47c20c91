//! Registered sources of reports, and what a signature of a file is worth.

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::signing_key::{Kid, PublicKey};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// What the name of a source is made of.
pub const NAME_FORM: &str = "1 to 64 of a-z, 0-9, '-' and '_'";

/// Whether a text is the name of a source, registered or not.
pub fn is_name(text: &str) -> bool {
    is_word(text, 64)
}

/// Whether a text is 1 to `longest` of a-z, 0-9, '-' and '_'.
pub fn is_word(text: &str, longest: usize) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=longest).contains(&text.len()) && text.bytes().all(is_letter)
}

/// What a signed message begins with, so that it means nothing elsewhere.
const SIGNED_MESSAGE: &str = "adfolio-delivery-1";

/// A key that signed a file stands out for so long: time enough for the source to object to it.
pub const NEW_KEY_FOR: TimeDelta = TimeDelta::hours(72);

names! {
    /// How reports arrive.
    Channel {
        /// Files that staff import.
        File,
        /// A network's adapter, as a stream or as events.
        Network,
    }
}

/// A registered source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, as reports say it.
    pub name: String,
    /// How it may report; at least one.
    pub channels: Vec<Channel>,
    /// Oldest first, revoked ones included.
    pub keys: Vec<SourceKey>,
}

/// How long a source is silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Its name.
    pub source: String,
    /// When it last reported something that posted; none where that is longer ago than the gate remembers.
    pub reported_at: Option<DateTime<Utc>>,
}

/// A key of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceKey {
    /// Its id.
    pub kid: Kid,
    /// The key.
    pub public_key: PublicKey,
    /// The member of staff who registered it.
    pub added_by: Uuid,
    /// When.
    pub added_at: DateTime<Utc>,
    /// None while it is valid.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl SourceKey {
    /// Whether a file that `proposer` brings should stand out although this key signed it: the member who registers a key
    /// may hold its private half.
    pub fn is_new(&self, proposer: Uuid, now: DateTime<Utc>) -> bool {
        self.added_by == proposer || now.signed_duration_since(self.added_at) < NEW_KEY_FOR
    }
}

impl Source {
    /// Whether it may report in this way.
    pub fn may_use(&self, channel: Channel) -> bool {
        self.channels.contains(&channel)
    }

    /// Its valid keys.
    pub fn valid_keys(&self) -> impl Iterator<Item = &SourceKey> {
        self.keys.iter().filter(|key| key.revoked_at.is_none())
    }

    /// The valid key that signed a file; VALIDATION of `signature` if none did.
    pub fn signer(&self, sha256: [u8; 32], signature: &[u8]) -> Result<&SourceKey, Refusal> {
        let message = signed_message(&self.name, sha256);
        self.valid_keys()
            .find(|key| key.public_key.has_signed(message.as_bytes(), signature))
            .ok_or_else(|| wrong_signature("no valid key of the source made this signature"))
    }
}

/// What a source signs: the lines `adfolio-delivery-1`, its name, and the SHA-256 of the file in hexadecimal.
pub fn signed_message(source: &str, sha256: [u8; 32]) -> String {
    format!("{SIGNED_MESSAGE}\n{source}\n{}\n", hex::encode(sha256))
}

/// VALIDATION of `signature`.
pub fn wrong_signature(detail: &'static str) -> Refusal {
    Refusal::invalid("signature").detail(detail)
}
