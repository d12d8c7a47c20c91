//! The link of a mail with which its reader says, without a session, that its news was not their doing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::text::Template;

/// How long a link works.
pub const VALID: TimeDelta = TimeDelta::days(30);

/// What a link says again within this time is no news: its press was repeated because an answer was lost.
pub const REPEATED_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// The route of the app's page.
const PAGE: &str = "/not-me";

/// The token of a link: 256 random bits in base64url. Known only to the mail's reader; the database has its digest.
#[derive(Debug)]
pub struct LinkToken(SecretString);

impl LinkToken {
    /// A new one.
    pub fn random() -> Self {
        Self(URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()).into())
    }

    /// The digest that the database stores.
    pub fn digest(&self) -> LinkDigest {
        LinkDigest::of(self.0.expose_secret())
    }

    /// The link into the app. Its token is behind the `#`, which no browser sends to a server.
    pub fn under(&self, public_url: &Url) -> Url {
        let mut link = public_url.clone();
        link.set_fragment(Some(&format!("{PAGE}?token={}", self.0.expose_secret())));
        link
    }
}

/// SHA-256 of a token. A token is 256 random bits, so a fast hash without salt is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDigest(pub [u8; 32]);

impl LinkDigest {
    /// Of what a client sent as token.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

/// Whether a mail of this template carries a link. Not the one that says that payouts have just been stopped, nor one
/// with a code: nothing has happened, and its reader may be anybody whose address a user has typed.
pub fn is_carried_by(template: &str) -> bool {
    let without = [Template::WalletFrozen, Template::EmailCode];
    without.iter().all(|one| one.as_str() != template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_into_the_app_and_only_its_digest_is_kept() {
        let token = LinkToken::random();
        let url = Url::parse("https://adfolio.example/app/").unwrap();
        let link = token.under(&url).to_string();
        let text = link
            .strip_prefix("https://adfolio.example/app/#/not-me?token=")
            .unwrap();
        assert_eq!(text.len(), 43);
        assert_eq!(LinkDigest::of(text), token.digest());
        assert_ne!(LinkToken::random().digest(), token.digest());
        assert!(!format!("{token:?}").contains(text));
    }
}
