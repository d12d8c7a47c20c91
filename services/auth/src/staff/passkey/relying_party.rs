//! The console as passkeys know it: WebAuthn's relying party.

use std::sync::Arc;

use adfolio_kit::config::ConfigError;
use adfolio_kit::refusal::{Reason, Refusal};
use url::{Host, Url};
use webauthn_rs::{Webauthn, WebauthnBuilder};

/// The variable with the console's address.
pub const ORIGIN: &str = "CONSOLE_ORIGIN";

/// What devices show beside the address.
const NAME: &str = "Adfolio";

/// Checks ceremonies for one address; none without an address. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RelyingParty(Option<Arc<Webauthn>>);

impl RelyingParty {
    /// For the console at an origin, such as `https://console.example`. Browsers accept `http` for `localhost` alone,
    /// and no IP address.
    pub fn new(origin: Option<&Url>) -> Result<Self, ConfigError> {
        let Some(origin) = origin else {
            return Ok(Self(None));
        };
        let invalid = || ConfigError::Invalid {
            name: ORIGIN,
            expected: "an https origin with a host name, such as https://console.example",
        };
        let Some(Host::Domain(host)) = origin.host() else {
            return Err(invalid());
        };
        let is_secure = match origin.scheme() {
            "https" => true,
            "http" => host == "localhost",
            _ => false,
        };
        let is_origin = origin.path() == "/"
            && origin.query().is_none()
            && origin.fragment().is_none()
            && origin.username().is_empty();
        if !is_secure || !is_origin {
            return Err(invalid());
        }
        let built =
            WebauthnBuilder::new(host, origin).and_then(|builder| builder.rp_name(NAME).build());
        Ok(Self(Some(Arc::new(built.map_err(|_| invalid())?))))
    }

    /// It, or UNAVAILABLE.
    pub fn get(&self) -> Result<&Webauthn, Refusal> {
        self.0.as_deref().ok_or_else(|| {
            Refusal::new(Reason::Unavailable).detail("no address of the console is configured")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_belong_to_one_secure_host_name() {
        let party = |origin: &str| RelyingParty::new(Some(&Url::parse(origin).expect("a URL")));
        for origin in [
            "https://console.example",
            "https://console.example:8443",
            "http://localhost:8080",
        ] {
            assert!(party(origin).expect(origin).get().is_ok());
        }
        for origin in [
            "http://console.example",
            "https://192.0.2.7",
            "http://127.0.0.1:8080",
            "https://[2001:db8::1]",
            "https://console.example/console/",
            "https://console.example?a=b",
            "https://olivia@console.example",
            "ftp://console.example",
        ] {
            assert!(party(origin).is_err(), "{origin}");
        }
        assert!(RelyingParty::new(None).expect("none").get().is_err());
    }
}
