//! Networks and their keys.

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

use crate::ids::NetworkId;

/// How late a network may report unless staff say otherwise: as long as an allotment lasts. What it has not reported is then
/// back with the plan within one interval after the end of the allotment.
pub const DEFAULT_REPORT_DELAY_SECONDS: u32 = 300;

/// The longest delay of reports: a network that reports once a day.
const LONGEST_REPORT_DELAY_SECONDS: u32 = 86_400;

/// Hexadecimal digits of a key.
const KEY_LETTERS: usize = 64;

names! {
    /// Whether plans are placed on a network, or on a placement.
    SupplyState {
        /// They are.
        Active,
        /// Not any more, for now.
        Paused,
    }
}

/// A network, which shows advertisements on its placements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Its id.
    pub id: NetworkId,
    /// Name shown.
    pub name: String,
    /// What its reports name.
    pub source: String,
    /// Whether plans are placed on it.
    pub state: SupplyState,
    /// Whether its delivery is simulated.
    pub is_simulated: bool,
    /// Until how long after the end of an allotment it reports.
    pub report_delay_seconds: u32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Its valid keys, newest first.
    pub keys: Vec<IssuedKey>,
}

/// A key that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedKey {
    /// Its last characters.
    pub hint: String,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
    /// When it ends; none for the newest one.
    pub expires_at: Option<DateTime<Utc>>,
}

impl Network {
    /// What the audit log keeps of it.
    pub fn summary(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name,
            "source": self.source,
            "state": self.state.as_str(),
            "is_simulated": self.is_simulated,
            "report_delay_seconds": self.report_delay_seconds,
        })
    }
}

/// Checks a delay of reports.
pub fn report_delay(seconds: u32) -> Result<u32, Refusal> {
    if seconds <= LONGEST_REPORT_DELAY_SECONDS {
        Ok(seconds)
    } else {
        Err(Refusal::invalid("report_delay_seconds"))
    }
}

/// A key of a network: 256 random bits in hexadecimal. Known to its holder alone; the database has its digest.
#[derive(Clone, Debug)]
pub struct Key(SecretString);

impl Key {
    /// A new one.
    pub fn random() -> Self {
        Self(hex::encode(rand::random::<[u8; 32]>()).into())
    }

    /// A key as a caller sends it; none if it cannot be one.
    pub fn from_text(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == KEY_LETTERS && text.bytes().all(is_digit)).then(|| Self(text.into()))
    }

    /// The text for its holder.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Its last four characters.
    pub fn hint(&self) -> String {
        let text = self.expose();
        text.get(text.len().saturating_sub(4)..)
            .unwrap_or_default()
            .to_owned()
    }

    /// What the database has of it.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.expose()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_show_nothing() {
        let (one, other) = (Key::random(), Key::random());
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.expose().len(), 64);
        assert!(one.expose().ends_with(&one.hint()) && one.hint().len() == 4);
        assert!(!format!("{one:?}").contains(one.expose()));
        assert_eq!(Key::from_text(one.expose()).unwrap().digest(), one.digest());
        let upper = one.expose().to_uppercase();
        for wrong in ["", "ab", upper.as_str(), "é"] {
            assert!(Key::from_text(wrong).is_none(), "{wrong}");
        }
    }
}
