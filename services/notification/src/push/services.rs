//! The push services that messages are sent to. A browser names an address of its own; a server that posts to any address
//! could be made to call internal hosts (SSRF).

use std::str::FromStr;

use url::Url;

/// The longest address of a browser.
const ENDPOINT_MAX: usize = 1024;

/// The services of the browsers in use.
pub const DEFAULT: &str = "https://fcm.googleapis.com,https://*.push.services.mozilla.com,https://*.push.apple.com,\
                           https://*.notify.windows.com";

/// One service: an origin, whose host may stand for all hosts below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushService {
    scheme: String,
    host: String,
    port: Option<u16>,
    with_subdomains: bool,
}

/// Not the origin of a push service.
#[derive(Debug, thiserror::Error)]
#[error("expected an origin like https://push.example or https://*.push.example")]
pub struct NotAnOrigin;

impl FromStr for PushService {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").ok_or(NotAnOrigin)?;
        let (with_subdomains, rest) = match rest.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| NotAnOrigin)?;
        let is_origin = matches!(url.scheme(), "http" | "https")
            && url.path() == "/"
            && url.query().is_none()
            && is_plain(&url);
        let host = url.host_str().filter(|_| is_origin).ok_or(NotAnOrigin)?;
        Ok(Self {
            scheme: url.scheme().to_owned(),
            host: host.to_owned(),
            port: url.port(),
            with_subdomains,
        })
    }
}

impl PushService {
    fn has(&self, url: &Url) -> bool {
        let below = |host: &str| {
            host.strip_suffix(&self.host)
                .is_some_and(|front| front.ends_with('.') && front.len() > 1)
        };
        let is_host = |host: &str| {
            if self.with_subdomains {
                below(host)
            } else {
                host == self.host
            }
        };
        url.scheme() == self.scheme
            && url.port() == self.port
            && url.host_str().is_some_and(is_host)
    }
}

/// The address of a browser at one of the services; none if it is no such address.
pub fn endpoint(text: &str, services: &[PushService]) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let fits = text.len() <= ENDPOINT_MAX && url.as_str().len() <= ENDPOINT_MAX;
    let known = services.iter().any(|service| service.has(&url));
    (fits && known && is_plain(&url)).then_some(url)
}

fn is_plain(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none() && url.fragment().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn services(list: &str) -> Vec<PushService> {
        let parsed = list.split(',').map(str::parse);
        parsed.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn addresses_at_the_services_of_browsers_are_known() {
        let services = services(DEFAULT);
        for right in [
            "https://fcm.googleapis.com/fcm/send/abc:def",
            "https://updates.push.services.mozilla.com/wpush/v2/abc",
            "https://web.push.apple.com/QGqO",
            "https://db5p.notify.windows.com/w/?token=abc%3d",
            "https://FCM.googleapis.com:443/fcm/send/abc",
        ] {
            assert!(endpoint(right, &services).is_some(), "{right}");
        }
        let long = format!("https://fcm.googleapis.com/{}", "a".repeat(1000));
        for wrong in [
            "http://fcm.googleapis.com/fcm/send/abc",
            "https://fcm.googleapis.com:8443/fcm/send/abc",
            "https://fcm.googleapis.com.evil.example/",
            "https://evil.example/?fcm.googleapis.com",
            "https://evilfcm.googleapis.com/",
            "https://push.services.mozilla.com/",
            "https://.push.services.mozilla.com/",
            "https://user:secret@fcm.googleapis.com/",
            "https://fcm.googleapis.com@evil.example/",
            "https://fcm.googleapis.com/#a",
            "https://127.0.0.1/",
            "file:///etc/passwd",
            "fcm.googleapis.com",
            "",
            &long,
        ] {
            assert!(endpoint(wrong, &services).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_service_is_an_origin() {
        for wrong in [
            "push.example",
            "ftp://push.example",
            "https://push.example/path",
            "https://push.example/?a",
            "https://a@push.example",
            "https://",
            "https://*.",
            "",
        ] {
            assert!(wrong.parse::<PushService>().is_err(), "{wrong}");
        }
        let local = services("http://127.0.0.1:8123");
        assert!(endpoint("http://127.0.0.1:8123/push/1", &local).is_some());
        assert!(endpoint("http://127.0.0.1:8124/push/1", &local).is_none());
    }
}
