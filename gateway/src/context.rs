//! Reads the headers of a request: its id, client, keys, language, time zone and idempotency key.

use std::net::{IpAddr, Ipv6Addr};

use adfolio_kit::identity::IdempotencyKey;
use adfolio_kit::time_zone::TimeZone;
use axum::http::{HeaderMap, HeaderName, header};
use uuid::Uuid;

use crate::auth::{NetworkKey, Token};
use crate::errors::Failure;
use crate::lang::Lang;

/// The token's header.
pub const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-ct");
/// Its name as written in documents.
pub const TOKEN: &str = "X-CT";
/// The header of a network's key.
pub const NETWORK_KEY_HEADER: HeaderName = HeaderName::from_static("x-network-key");
/// Its name as written in documents.
pub const NETWORK_KEY: &str = "X-Network-Key";
/// The time zone's header.
pub const TIME_ZONE: &str = "X-TZ";
/// The language's header.
pub const LANG: &str = "X-Lang";
/// The header of the idempotency key.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The header of the request's id.
pub const REQUEST_ID: &str = "X-Request-Id";
const FORWARDED_FOR: &str = "X-Forwarded-For";

/// Maximum number of proxies in a chain.
const MAX_PROXIES: usize = 16;

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The id of the request: the client's own if it is well-formed, else a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    let sane = |id: &&str| {
        (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    text(headers, REQUEST_ID)
        .filter(sane)
        .map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// The client's address: the peer's, or the one that trusted proxies forward. Addresses to the left of the first
/// untrusted one are not trusted.
pub fn client_address(
    peer: IpAddr,
    headers: &HeaderMap,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> IpAddr {
    let mut address = peer.to_canonical();
    let values = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
    for hop in hops.iter().rev().take(MAX_PROXIES) {
        if !is_trusted(address) {
            break;
        }
        let Ok(next) = hop.trim().parse::<IpAddr>() else {
            break;
        };
        address = next.to_canonical();
    }
    address
}

/// The `User-Agent`; empty without one.
pub fn user_agent(headers: &HeaderMap) -> String {
    headers
        .get(header::USER_AGENT)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .unwrap_or_default()
}

/// The key of the flood limit. An IPv6 client may use a whole /64.
pub fn flood_key(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// The token, if there is one and it is well-formed.
pub fn token(headers: &HeaderMap) -> Option<Token> {
    let text = headers.get(TOKEN_HEADER)?.to_str().ok()?;
    Token::parse(text)
}

/// The network's key, if there is one and it is well-formed.
pub fn network_key(headers: &HeaderMap) -> Option<NetworkKey> {
    let text = headers.get(NETWORK_KEY_HEADER)?.to_str().ok()?;
    NetworkKey::parse(text)
}

/// The caller's language: the request's, else the user's, else the browser's, else English.
pub fn lang(headers: &HeaderMap, users: Option<Lang>) -> Lang {
    let asked = text(headers, LANG).and_then(|code| Lang::from_code(code.trim()));
    let accepted =
        || text(headers, header::ACCEPT_LANGUAGE.as_str()).and_then(Lang::from_accept_language);
    asked.or(users).or_else(accepted).unwrap_or_default()
}

/// The caller's time zone; UTC if it is invalid.
pub fn time_zone(headers: &HeaderMap) -> TimeZone {
    text(headers, TIME_ZONE)
        .map(TimeZone::parse)
        .unwrap_or_default()
}

/// The idempotency key, if there is one. A malformed key is refused: ignoring it would silently drop its protection.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Failure> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(|text| text.parse().ok());
    key.map(Some)
        .ok_or_else(|| Failure::invalid(IDEMPOTENCY_KEY))
}
