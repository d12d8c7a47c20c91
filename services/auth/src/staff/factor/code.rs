//! The codes of a second factor: those of an authenticator app (RFC 6238), and recovery codes.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use totp_rs::{Algorithm, Builder, Totp};

use crate::error::AuthError;
use crate::ids::StaffId;
use adfolio_kit::error::CoreError;

/// Whose codes they are, in the app.
const ISSUER: &str = "Adfolio";

/// Digits of a code.
const DIGITS: u8 = 6;

/// Seconds of a step.
const STEP_SECONDS: u64 = 30;

/// Steps that a clock may be off by.
const SKEW_STEPS: u16 = 1;

/// Recovery codes of one enrolment.
pub const RECOVERY_CODES: usize = 10;

/// Random bytes of a recovery code.
const RECOVERY_BYTES: usize = 10;

/// Hex digits of a recovery code between two hyphens.
const GROUP: usize = 5;

/// Bytes of a secret: as many as SHA-1 has (RFC 4226, section 4).
pub const SECRET_BYTES: usize = 20;

/// A secret that a member and auth share.
#[derive(zeroize::ZeroizeOnDrop)]
pub struct Secret([u8; SECRET_BYTES]);

impl Secret {
    /// A new one.
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// From the bytes that were stored.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The address that an authenticator app reads, and the secret in base32, of the member with this name.
    pub fn describe(&self, username: &str) -> Result<(SecretString, SecretString), AuthError> {
        let broken = || CoreError::Corrupt("second factor");
        let totp = self.totp(username).map_err(|_| broken())?;
        let uri = totp.to_url().map_err(|_| broken())?;
        Ok((uri.into(), totp.secret().to_base32().into()))
    }

    /// The step of a code that is right at this time.
    pub fn step_of(&self, code: &str, now: DateTime<Utc>) -> Option<i64> {
        let seconds = u64::try_from(now.timestamp()).ok()?;
        let totp = self.totp("staff").ok()?;
        totp.check(code, seconds)?.try_into().ok()
    }

    fn totp(&self, username: &str) -> Result<Totp, totp_rs::TotpError> {
        Builder::new()
            .with_algorithm(Algorithm::SHA1)
            .with_digits(DIGITS)
            .with_skew(SKEW_STEPS)
            .with_step_duration(STEP_SECONDS)
            .with_secret(totp_rs::Secret::new_stack(self.0))
            .with_issuer(Some(ISSUER))
            .with_account_name(username)
            .build()
    }
}

/// What a member typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// Of an authenticator app.
    Totp(String),
    /// The hash of a recovery code.
    Recovery([u8; 32]),
}

impl Code {
    /// Reads a code, whatever blanks and hyphens are in it. Six digits are no recovery code.
    pub fn read(text: &SecretString) -> Option<Self> {
        let text: String = text
            .expose_secret()
            .chars()
            .filter(|letter| !letter.is_whitespace() && *letter != '-')
            .take(2 * RECOVERY_BYTES + 1)
            .collect();
        if text.len() == usize::from(DIGITS) && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::Totp(text));
        }
        let bytes = hex::decode(text.to_ascii_lowercase()).ok()?;
        (bytes.len() == RECOVERY_BYTES).then(|| Self::Recovery(Sha256::digest(bytes).into()))
    }
}

/// A recovery code and its hash. A code has 80 random bits: nobody finds it by trying, so a fast hash without salt keeps
/// it as well as a slow one would.
pub fn recovery_code() -> (SecretString, [u8; 32]) {
    let bytes: [u8; RECOVERY_BYTES] = rand::random();
    let text = hex::encode(bytes);
    let groups: Vec<&str> = (0..text.len())
        .step_by(GROUP)
        .filter_map(|start| text.get(start..start + GROUP))
        .collect();
    (groups.join("-").into(), Sha256::digest(bytes).into())
}

/// What a sealed secret belongs to.
pub fn context(id: StaffId) -> String {
    format!("adfolio-second-factor-1|{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of RFC 6238, appendix B: the last six of its eight digits, by time.
    #[test]
    fn codes_are_those_of_the_rfc() {
        let secret = Secret::from_bytes(b"12345678901234567890").expect("a secret");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ] {
            let at = |seconds| DateTime::from_timestamp(seconds, 0).expect("time");
            let step = seconds / 30;
            for second in [0, 29, 59] {
                let time = at(step * 30 + second);
                assert_eq!(secret.step_of(code, time), Some(step), "{code} {second}");
            }
            // One step early is as good as one step late.
            assert_eq!(secret.step_of(code, at(step * 30 - 1)), Some(step));
            assert_eq!(secret.step_of(code, at((step + 2) * 30)), None);
        }
    }

    #[test]
    fn a_recovery_code_is_read_however_it_is_typed() {
        let (code, hash) = recovery_code();
        let text = code.expose_secret();
        assert_eq!(text.len(), 23, "four groups of five");
        for typed in [
            text.to_owned(),
            format!(" {} ", text.to_uppercase()),
            text.replace('-', " "),
        ] {
            assert_eq!(Code::read(&typed.into()), Some(Code::Recovery(hash)));
        }
        assert_ne!(recovery_code().1, hash);
    }

    #[test]
    fn other_texts_are_no_codes() {
        let read = |text: &str| Code::read(&text.into());
        assert_eq!(read(" 123 456 "), Some(Code::Totp("123456".to_owned())));
        for text in [
            "",
            "12345",
            "1234567",
            "abcdef",
            "１２３４５６",
            &"a".repeat(1 << 20),
        ] {
            assert_eq!(read(text), None);
        }
    }

    #[test]
    fn apps_read_the_address() {
        let secret = Secret::from_bytes(b"12345678901234567890").expect("a secret");
        let (uri, base32) = secret.describe("olivia").expect("described");
        assert_eq!(base32.expose_secret(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let uri = uri.expose_secret();
        assert!(uri.starts_with("otpauth://totp/Adfolio:olivia?"), "{uri}");
        assert!(
            uri.contains(base32.expose_secret()) && uri.contains("issuer=Adfolio"),
            "{uri}"
        );
    }
}
