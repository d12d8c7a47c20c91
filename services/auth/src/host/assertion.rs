//! What a host signs: a JWT (RFC 7519) with EdDSA (RFC 8037).
//!
//! `kid` in the header names the key; `aud` is `adfolio`, `sub` the host's id of its user, `exp` at most five minutes
//! after `iat`, and `jti` is used once. `lang` may name the language that a new user starts with.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::signing_key::{Kid, PublicKey};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use secrecy::SecretString;
use serde::Deserialize;

use crate::ids::HostId;

/// Who an assertion must be for.
const AUDIENCE: &str = "adfolio";

/// Longest life of an assertion.
const LIFETIME: TimeDelta = TimeDelta::minutes(5);

/// How far a host's clock may be ahead.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(1);

/// Longest assertion in bytes: each claim is bounded, so a longer one cannot be right.
const LONGEST: usize = 4096;

/// Longest `jti` in characters; also the column's.
const LONGEST_JTI: usize = 128;

/// Longest `sub` in characters.
const LONGEST_SUB: usize = 200;

/// A verified assertion.
#[derive(Debug)]
pub struct Assertion {
    pub host: HostId,
    /// The key that signed it.
    pub kid: Kid,
    pub claims: Claims,
}

/// What a host asserts.
#[derive(Debug, Deserialize)]
pub struct Claims {
    /// The host's id of its user.
    pub sub: SecretString,
    iat: i64,
    exp: i64,
    pub jti: String,
    /// Language of a new user; none if the host does not say.
    #[serde(default)]
    pub lang: Option<String>,
}

impl Claims {
    /// The claims of an assertion that this key has signed and that holds now, or ASSERTION_REJECTED.
    pub fn verify(text: &str, key: &PublicKey, now: DateTime<Utc>) -> Result<Self, Refusal> {
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["aud", "exp", "sub"]);
        // Compared below with the service's own clock.
        validation.validate_exp = false;
        let decoding_key = DecodingKey::from_ed_der(&key.0);
        let decoded = decode::<Self>(text, &decoding_key, &validation);
        let claims = decoded.map_err(|error| rejected(error.to_string()))?.claims;
        claims.check(now)?;
        Ok(claims)
    }

    /// When it expires.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.exp, 0)
    }

    fn check(&self, now: DateTime<Utc>) -> Result<(), Refusal> {
        let issued_at = DateTime::from_timestamp(self.iat, 0);
        let (Some(issued_at), Some(expires_at)) = (issued_at, self.expires_at()) else {
            return Err(rejected("iat or exp is no time"));
        };
        if expires_at <= now {
            return Err(rejected("expired"));
        }
        if issued_at.signed_duration_since(now) > CLOCK_SKEW {
            return Err(rejected("iat lies in the future"));
        }
        if expires_at.signed_duration_since(issued_at) > LIFETIME {
            return Err(rejected("exp is more than five minutes after iat"));
        }
        if !is_id(&self.jti, LONGEST_JTI) {
            return Err(rejected("jti has the wrong length or control characters"));
        }
        if !is_id(secrecy::ExposeSecret::expose_secret(&self.sub), LONGEST_SUB) {
            return Err(rejected("sub has the wrong length or control characters"));
        }
        Ok(())
    }
}

/// The key that an assertion names, before anything of it is trusted.
pub fn kid_of(text: &str) -> Result<Kid, Refusal> {
    if text.len() > LONGEST {
        return Err(rejected("too long"));
    }
    let header = decode_header(text).map_err(|error| rejected(error.to_string()))?;
    if header.alg != Algorithm::EdDSA {
        return Err(rejected("alg is not EdDSA"));
    }
    let kid = header
        .kid
        .ok_or_else(|| rejected("the header has no kid"))?;
    Ok(Kid::named(&kid))
}

/// ASSERTION_REJECTED. Why is for the host's developers, in the log of their own calls; users read one text.
pub fn rejected(why: impl Into<String>) -> Refusal {
    Refusal::new(Reason::AssertionRejected)
        .field("assertion")
        .detail(why)
}

fn is_id(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use adfolio_testkit::TestSigner;
    use serde_json::{Value, json};

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn header() -> Value {
        json!({"alg": "EdDSA", "typ": "JWT", "kid": "k"})
    }

    fn claims() -> Value {
        json!({"aud": "adfolio", "sub": "u-1", "iat": NOW, "exp": NOW + 300, "jti": "j"})
    }

    fn verify(text: &str, key: &PublicKey) -> Result<Claims, String> {
        adfolio_kit::jwt::install();
        let now = DateTime::from_timestamp(NOW, 0).expect("a time");
        let verified = kid_of(text).and_then(|_| Claims::verify(text, key, now));
        verified.map_err(|refusal| {
            assert_eq!(refusal.reason, Reason::AssertionRejected);
            refusal.detail.unwrap_or_default()
        })
    }

    #[test]
    fn what_a_host_signed_holds_and_nothing_else() {
        let (host, other) = (TestSigner::new(1), TestSigner::new(2));
        let good = host.sign(&header(), &claims());
        assert_eq!(
            verify(&good, &PublicKey(host.public_key()))
                .expect("holds")
                .jti,
            "j"
        );
        assert!(verify(&good, &PublicKey(other.public_key())).is_err());
        let (message, _) = good.rsplit_once('.').expect("three parts");
        for text in [
            message.to_owned(),
            format!("{message}."),
            String::new(),
            "a.b.c".into(),
        ] {
            assert!(
                verify(&text, &PublicKey(host.public_key())).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn no_other_algorithm_is_taken() {
        let host = TestSigner::new(1);
        for alg in ["none", "HS256", "ES256", "RS256"] {
            let text = host.sign(&json!({"alg": alg, "kid": "k"}), &claims());
            assert!(
                verify(&text, &PublicKey(host.public_key())).is_err(),
                "{alg}"
            );
        }
        let nameless = host.sign(&json!({"alg": "EdDSA"}), &claims());
        assert_eq!(
            verify(&nameless, &PublicKey(host.public_key())).expect_err("no kid"),
            "the header has no kid"
        );
    }

    #[test]
    fn every_claim_is_checked() {
        let host = TestSigner::new(1);
        let cases: [(&str, Value); 12] = [
            ("aud", json!("other")),
            ("aud", Value::Null),
            ("sub", json!("")),
            ("sub", json!("x".repeat(201))),
            ("sub", json!("a\u{0}b")),
            ("sub", Value::Null),
            ("iat", json!(NOW + 61)),
            ("exp", json!(NOW)),
            ("exp", json!(NOW + 301)),
            ("exp", json!(i64::MAX)),
            ("jti", json!("")),
            ("jti", json!("x".repeat(129))),
        ];
        for (name, value) in cases {
            let mut changed = claims();
            changed[name] = value.clone();
            let text = host.sign(&header(), &changed);
            assert!(
                verify(&text, &PublicKey(host.public_key())).is_err(),
                "{name}: {value}"
            );
        }
        for name in ["aud", "sub", "iat", "exp", "jti"] {
            let mut without = claims();
            without.as_object_mut().expect("an object").remove(name);
            let text = host.sign(&header(), &without);
            assert!(
                verify(&text, &PublicKey(host.public_key())).is_err(),
                "without {name}"
            );
        }
        let mut skewed = claims();
        skewed["iat"] = json!(NOW + 60);
        assert!(
            verify(
                &host.sign(&header(), &skewed),
                &PublicKey(host.public_key())
            )
            .is_ok()
        );
    }
}
