//! Public keys of outsiders.

use adfolio_kit::signing_key::PublicKey;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

/// The key of RFC 8037, appendix A.
const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

fn key() -> PublicKey {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(X).expect("base64url");
    PublicKey(bytes.try_into().expect("32 bytes"))
}

fn pem(prefix: &str, label: &str) -> String {
    let mut der = hex::decode(prefix).expect("hex");
    der.extend(key().0);
    let body = BASE64_STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

#[test]
fn the_thumbprint_is_that_of_the_standard() {
    // RFC 8037, appendix A.3.
    assert_eq!(
        key().kid().as_str(),
        "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    );
}

#[test]
fn only_a_public_ed25519_key_is_taken() {
    const ED25519: &str = "302a300506032b6570032100";
    const X25519: &str = "302a300506032b656e032100";
    assert_eq!(PublicKey::from_pem(&pem(ED25519, "PUBLIC KEY")), Ok(key()));
    for other in [
        pem(X25519, "PUBLIC KEY"),
        pem(ED25519, "PRIVATE KEY"),
        pem("3039300506032b6570032100", "PUBLIC KEY"),
        X.to_owned(),
        String::new(),
    ] {
        let refusal = PublicKey::from_pem(&other).expect_err("no such key");
        assert_eq!(refusal.field.as_deref(), Some("public_key"));
    }
}

#[test]
fn a_signature_is_of_one_key_over_one_message() {
    // RFC 8032, section 7.1, test 2.
    let vector = |text: &str| hex::decode(text).expect("hex");
    let bytes = vector("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    let key_of_2 = PublicKey(bytes.try_into().expect("32 bytes"));
    let signature = vector(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    );
    assert!(key_of_2.has_signed(&[0x72], &signature));
    assert!(!key_of_2.has_signed(&[0x73], &signature));
    assert!(!key().has_signed(&[0x72], &signature));
    for wrong in [&signature[..63], &[]] {
        assert!(!key_of_2.has_signed(&[0x72], wrong));
    }
}
