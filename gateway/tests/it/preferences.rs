//! Language, time zone and key of a request.

use adfolio_gateway::context;
use adfolio_gateway::lang::Lang;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

fn headers(fields: &[(&str, &str)]) -> HeaderMap {
    let field = |(name, value): &(&str, &str)| {
        (
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_bytes(value.as_bytes()).unwrap(),
        )
    };
    fields.iter().map(field).collect()
}

#[test]
fn the_request_beats_the_user_beats_the_browser() {
    let all = headers(&[("X-Lang", "jp"), ("Accept-Language", "de")]);
    assert_eq!(context::lang(&all, Some(Lang::Kor)), Lang::Jp);
    let browser = headers(&[("Accept-Language", "de")]);
    assert_eq!(context::lang(&browser, Some(Lang::Kor)), Lang::Kor);
    assert_eq!(context::lang(&browser, None), Lang::De);
    assert_eq!(context::lang(&HeaderMap::new(), None), Lang::En);
    let unknown = headers(&[("X-Lang", "klingon"), ("Accept-Language", "tlh, fr;q=0.5")]);
    assert_eq!(context::lang(&unknown, None), Lang::Fr);
}

#[test]
fn browsers_languages_are_weighed() {
    for (header, lang) in [
        ("en-GB,en;q=0.9,de;q=0.8", Some(Lang::En)),
        ("tlh, de;q=0.2, fr;q=0.7", Some(Lang::Fr)),
        ("zh-TW, zh;q=0.8", Some(Lang::Cht)),
        ("zh-Hant-HK", Some(Lang::Cht)),
        ("zh-CN", Some(Lang::Zh)),
        ("es-419", Some(Lang::Spa)),
        ("ja;q=0", None),
        ("ko;q=x", None),
        ("*", None),
        ("", None),
    ] {
        assert_eq!(Lang::from_accept_language(header), lang, "{header}");
    }
}

#[test]
fn junk_time_zones_are_utc() {
    let zone = |text: &str| context::time_zone(&headers(&[("X-TZ", text)])).to_string();
    assert_eq!(zone("Asia/Kathmandu GMT+05:45"), "Asia/Kathmandu");
    assert_eq!(zone("GMT+05:45"), "GMT+05:45");
    assert_eq!(zone("Mars/Olympus"), "UTC");
    assert_eq!(context::time_zone(&HeaderMap::new()).to_string(), "UTC");
}

#[test]
fn keys_out_of_form_are_refused() {
    let key = |text: &str| context::idempotency_key(&headers(&[("Idempotency-Key", text)]));
    assert!(
        context::idempotency_key(&HeaderMap::new())
            .unwrap()
            .is_none()
    );
    assert_eq!(key("put-1").unwrap().unwrap().as_str(), "put-1");
    assert!(key(&"k".repeat(255)).is_ok());
    for text in ["", "a b", "schlüssel", &"k".repeat(256)] {
        let failure = key(text).unwrap_err();
        assert_eq!(
            failure.refusal.field.as_deref(),
            Some("Idempotency-Key"),
            "{text}"
        );
    }
}

#[test]
fn only_sane_request_ids_are_kept() {
    let id = |text: &str| context::request_id(&headers(&[("X-Request-Id", text)]));
    assert_eq!(id("abc-1.2_3"), "abc-1.2_3");
    for text in ["", "a b", "<script>", &"x".repeat(129)] {
        let made = id(text);
        assert_ne!(made, text);
        assert_eq!(made.len(), 36);
    }
}

#[test]
fn junk_is_no_token() {
    assert!(context::token(&headers(&[("X-CT", "abc")])).is_some());
    for text in ["", "a b", "tök", &"x".repeat(513)] {
        assert!(
            context::token(&headers(&[("X-CT", text)])).is_none(),
            "{text}"
        );
    }
    assert!(context::token(&HeaderMap::new()).is_none());
}
