//! A device with one passkey, as WebAuthn describes it (Level 3, sections 5 and 6): what a browser would answer, from the
//! options that a server gave. It can also do what no honest device does.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

/// A device with one passkey.
pub struct Authenticator {
    key: EcdsaKeyPair,
    id: [u8; 16],
    /// The address of the page that asks, which the device signs.
    pub origin: String,
    /// Whether the device checks its owner.
    pub verifies: bool,
    /// How often it has signed; each signature adds one.
    pub counter: u32,
    /// Whose passkey it is, once it is registered.
    user_handle: String,
}

impl Authenticator {
    /// A new device, whose browser shows a page of this origin.
    pub fn new(origin: &str) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).expect("a key");
        Self {
            key,
            id: *uuid::Uuid::new_v4().as_bytes(),
            origin: origin.to_owned(),
            verifies: true,
            counter: 0,
            user_handle: String::new(),
        }
    }

    /// Makes its passkey: RegistrationResponseJSON for PublicKeyCredentialCreationOptionsJSON.
    pub fn register(&mut self, options: &Value) -> Value {
        options["user"]["id"]
            .as_str()
            .expect("a user")
            .clone_into(&mut self.user_handle);
        let client_data = self.client_data("webauthn.create", options);
        let host = options["rp"]["id"].as_str().expect("a host");
        let authenticator_data = [
            self.signed_data(host, HAS_CREDENTIAL),
            self.credential_data(),
        ]
        .concat();
        self.response(&json!({
            "clientDataJSON": encode(&client_data),
            "attestationObject": encode(&attestation(&authenticator_data)),
            "transports": ["internal"],
        }))
    }

    /// Shows its passkey: AuthenticationResponseJSON for PublicKeyCredentialRequestOptionsJSON.
    pub fn show(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let client_data = self.client_data("webauthn.get", options);
        let host = options["rpId"].as_str().expect("a host");
        let signed_data = self.signed_data(host, 0);
        let message = [&signed_data[..], &Sha256::digest(&client_data)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message);
        self.response(&json!({
            "clientDataJSON": encode(&client_data),
            "authenticatorData": encode(&signed_data),
            "signature": encode(signature.expect("a signature").as_ref()),
            "userHandle": self.user_handle,
        }))
    }

    fn response(&self, response: &Value) -> Value {
        let id = encode(&self.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform",
            "clientExtensionResults": {}, "response": response,
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }

    /// Authenticator data without a credential: section 6.1.
    fn signed_data(&self, host: &str, flags: u8) -> Vec<u8> {
        let verified = if self.verifies { USER_VERIFIED } else { 0 };
        let host = Sha256::digest(host.as_bytes());
        let flags = [USER_PRESENT | verified | flags];
        [&host[..], &flags, &self.counter.to_be_bytes()].concat()
    }

    /// Attested credential data: no model, the id, and the public key as RFC 9053 has it.
    fn credential_data(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        // After the mark of an uncompressed point.
        let (x, y) = point[1..].split_at(32);
        // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
        let kind = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01];
        let (label_x, label_y) = ([0x21, 0x58, 0x20], [0x22, 0x58, 0x20]);
        let length = u16::try_from(self.id.len()).expect("a short id");
        [
            &[0; 16][..],
            &length.to_be_bytes(),
            &self.id,
            &kind,
            &label_x,
            x,
            &label_y,
            y,
        ]
        .concat()
    }
}

/// `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR.
fn attestation(authenticator_data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(authenticator_data.len()).expect("short data");
    [
        &[0xa3][..],
        b"\x63fmt\x64none",
        b"\x67attStmt\xa0",
        b"\x68authData",
        &[0x58, length],
        authenticator_data,
    ]
    .concat()
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
