//! `/.well-known/security.txt` (RFC 9116): whom to tell of a vulnerability.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};

/// Its path, at the top of the site.
pub const PATH: &str = "/.well-known/security.txt";

/// How long what it says holds. RFC 9116 recommends less than a year.
const VALID: TimeDelta = TimeDelta::days(180);

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The file with this contact, or 404 where none is configured.
pub fn serve(contact: Option<&str>, now: DateTime<Utc>) -> Response {
    match contact {
        Some(contact) => ([(header::CONTENT_TYPE, PLAIN)], text(contact, now)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn text(contact: &str, now: DateTime<Utc>) -> String {
    let expires = now
        .checked_add_signed(VALID)
        .unwrap_or(now)
        .trunc_subsecs(0);
    format!(
        "Contact: {contact}\nExpires: {}\nPreferred-Languages: en\n",
        expires.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    )
}

/// A contact as RFC 9116 has it: a `mailto:`, `https:` or `tel:` URI without blanks.
pub fn parse_contact(text: &str) -> Result<String, String> {
    let is_uri = ["mailto:", "https://", "tel:"].iter().any(|scheme| {
        text.strip_prefix(scheme)
            .is_some_and(|rest| !rest.is_empty())
    });
    if is_uri && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err("a mailto:, https:// or tel: URI".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_a_contact_and_an_end() {
        let now = DateTime::from_timestamp(1_800_000_000, 5_000).expect("a time");
        assert_eq!(
            text("mailto:security@adfolio.example", now),
            "Contact: mailto:security@adfolio.example\nExpires: 2027-07-14T08:00:00Z\nPreferred-Languages: en\n"
        );
        assert_eq!(serve(None, now).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn a_contact_is_one_line() {
        for contact in [
            "mailto:a@b.example",
            "https://example.com/report",
            "tel:+1-201-555-0123",
        ] {
            assert!(parse_contact(contact).is_ok(), "{contact}");
        }
        for contact in [
            "",
            "a@b.example",
            "mailto:",
            "http://b.example",
            "mailto:a@b.example\nExpires: never",
        ] {
            assert!(parse_contact(contact).is_err(), "{contact}");
        }
    }
}
