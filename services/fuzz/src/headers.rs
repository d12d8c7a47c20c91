//! Headers of a request to the gateway: one `name: value` per line.

use adfolio_gateway::context;
use adfolio_kit::time_zone::TimeZone;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Most headers of a request; the server accepts fewer.
const HEADERS_MAX: usize = 64;

/// Reads everything that the gateway reads from headers.
pub fn check(data: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in data.split(|byte| *byte == b'\n').take(HEADERS_MAX) {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let (name, value) = (
            HeaderName::from_bytes(name),
            HeaderValue::from_bytes(value.trim_ascii()),
        );
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let id = context::request_id(&headers);
    assert!((1..=128).contains(&id.len()) && id.is_ascii(), "{id}");
    if let Some(token) = context::token(&headers) {
        assert!(
            token
                .to_message()
                .bytes()
                .all(|byte| byte.is_ascii_graphic())
        );
    }
    if let Some(key) = context::network_key(&headers) {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let key = key.to_message();
        assert!(key.len() == 64 && key.bytes().all(is_digit));
    }
    let zone = context::time_zone(&headers);
    if !headers.contains_key(context::TIME_ZONE) {
        assert_eq!(zone, TimeZone::UTC);
    }
    let lang = context::lang(&headers, None);
    assert_eq!(
        adfolio_gateway::lang::Lang::from_code(lang.code()),
        Some(lang)
    );
    match context::idempotency_key(&headers) {
        Ok(Some(key)) => assert!((1..=255).contains(&key.as_str().len())),
        // A key must not be dropped: it protects its call from being repeated.
        Ok(None) => assert!(!headers.contains_key(context::IDEMPOTENCY_KEY)),
        Err(failure) => assert_eq!(
            failure.refusal.field.as_deref(),
            Some(context::IDEMPOTENCY_KEY)
        ),
    }
}
