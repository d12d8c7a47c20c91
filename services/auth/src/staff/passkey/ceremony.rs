//! What a client carries from the beginning of a ceremony to its end: the challenge and what it is for, sealed. So nobody
//! fills a table by beginning ceremonies, and any replica ends them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::Refusal;

use crate::ids::StaffId;
use crate::staff::factor::Sealer;

/// How long a ceremony may take. Browsers give up after as long.
pub const LIFE: TimeDelta = TimeDelta::minutes(5);

/// What a ceremony is for. One of another kind, or of somebody else, opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Login,
    Registration(StaffId),
    Confirmation(StaffId),
}

impl Purpose {
    /// What is authenticated with the sealed state.
    fn context(self) -> String {
        match self {
            Self::Login => "adfolio passkey login".to_owned(),
            Self::Registration(id) => format!("adfolio passkey registration {id}"),
            Self::Confirmation(id) => format!("adfolio passkey confirmation {id}"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Carried<S> {
    state: S,
    expires_at: DateTime<Utc>,
}

/// A ceremony that has come back in time.
pub struct Returned<S> {
    pub state: S,
    /// Of what the client was given. It ends one ceremony.
    pub digest: [u8; 32],
    pub expires_at: DateTime<Utc>,
}

/// Seals the state of a ceremony that begins.
pub fn seal<S: Serialize>(
    sealer: &Sealer,
    purpose: Purpose,
    state: S,
    now: DateTime<Utc>,
) -> Result<SecretString, CoreError> {
    let carried = Carried {
        state,
        expires_at: now + LIFE,
    };
    let text = serde_json::to_vec(&carried).map_err(|_| CoreError::Corrupt("ceremony to seal"))?;
    let bytes = sealer.seal_bytes(&purpose.context(), &text)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

/// Opens what came back, or VALIDATION of `ceremony`.
pub fn open<S: DeserializeOwned>(
    sealer: &Sealer,
    purpose: Purpose,
    text: &SecretString,
    now: DateTime<Utc>,
) -> Result<Returned<S>, Refusal> {
    read(sealer, purpose, text)
        .filter(|returned| now < returned.expires_at)
        .ok_or_else(void)
}

/// The refusal of a ceremony that ends nothing.
pub fn void() -> Refusal {
    Refusal::invalid("ceremony").detail("begin again")
}

fn read<S: DeserializeOwned>(
    sealer: &Sealer,
    purpose: Purpose,
    text: &SecretString,
) -> Option<Returned<S>> {
    let bytes = URL_SAFE_NO_PAD.decode(text.expose_secret()).ok()?;
    let opened = sealer.open_bytes(&purpose.context(), &bytes)?;
    let carried: Carried<S> = serde_json::from_slice(&opened).ok()?;
    Some(Returned {
        state: carried.state,
        digest: Sha256::digest(&bytes).into(),
        expires_at: carried.expires_at,
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::staff::factor::Keys;

    fn sealer() -> Sealer {
        Sealer::new(&Keys::read(&"a".repeat(64).into(), None).expect("a key"))
    }

    #[test]
    fn a_ceremony_is_for_one_purpose_of_one_member_and_for_five_minutes() {
        let now = DateTime::UNIX_EPOCH;
        let [olivia, other] = [1, 2].map(|id| StaffId(Uuid::from_u128(id)));
        let sealer = sealer();
        let purpose = Purpose::Confirmation(olivia);
        let text = seal(&sealer, purpose, "state", now).expect("sealed");
        let open = |purpose, now| open::<String>(&sealer, purpose, &text, now);
        let returned = open(purpose, now + LIFE - TimeDelta::seconds(1)).expect("in time");
        assert_eq!(
            (returned.state.as_str(), returned.expires_at),
            ("state", now + LIFE)
        );
        assert!(open(purpose, now + LIFE).is_err(), "late");
        for purpose in [
            Purpose::Login,
            Purpose::Registration(olivia),
            Purpose::Confirmation(other),
        ] {
            assert!(open(purpose, now).is_err(), "{purpose:?}");
        }
        for text in ["", "junk", "*"] {
            let opened = super::open::<String>(&sealer, purpose, &text.into(), now);
            assert!(opened.is_err(), "{text}");
        }
    }
}
