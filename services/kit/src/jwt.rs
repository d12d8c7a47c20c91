//! JSON web tokens (RFC 7519): `jsonwebtoken` signs and verifies with ring, as TLS does here. EdDSA (RFC 8037) for what
//! this installation verifies itself; ES256 is only signed, for push services (RFC 8292).

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair, UnparsedPublicKey,
};

/// Must be called before the first token, once per process; a second time changes nothing.
pub fn install() {
    // An error says that it is installed already.
    let _ = PROVIDER.install_default();
}

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match algorithm {
        Algorithm::EdDSA => Ok(Box::new(Signer::new(key)?)),
        Algorithm::ES256 => Ok(Box::new(EcdsaSigner::new(key)?)),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    verifier_factory: |algorithm, key| match algorithm {
        Algorithm::EdDSA => Ok(Box::new(Verifier::new(key)?)),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    // For JWKs, which are not read here.
    key_utils: KeyUtils::new_unimplemented(),
};

struct Signer(Ed25519KeyPair);

impl Signer {
    /// From PKCS#8, with the public key or, as OpenSSL writes it, without.
    fn new(key: &EncodingKey) -> Result<Self, ErrorKind> {
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.as_bytes())
            .map(Self)
            .map_err(|_| ErrorKind::InvalidKeyFormat)
    }
}

impl signature::Signer<Vec<u8>> for Signer {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct EcdsaSigner(EcdsaKeyPair);

impl EcdsaSigner {
    /// From PKCS#8 with the public key, as OpenSSL writes it.
    fn new(key: &EncodingKey) -> Result<Self, ErrorKind> {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        EcdsaKeyPair::from_pkcs8(algorithm, key.as_bytes(), &random)
            .map(Self)
            .map_err(|_| ErrorKind::InvalidKeyFormat)
    }
}

impl signature::Signer<Vec<u8>> for EcdsaSigner {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let signature = self.0.sign(&SystemRandom::new(), message);
        let signature = signature.map_err(|_| signature::Error::new())?;
        Ok(signature.as_ref().to_vec())
    }
}

impl JwtSigner for EcdsaSigner {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

struct Verifier(Vec<u8>);

impl Verifier {
    /// From the 32 bytes of a public key.
    fn new(key: &DecodingKey) -> Result<Self, jsonwebtoken::errors::Error> {
        Ok(Self(key.try_get_as_bytes()?.to_vec()))
    }
}

impl signature::Verifier<Vec<u8>> for Verifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        UnparsedPublicKey::new(&ED25519, &self.0)
            .verify(message, signature)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Verifier {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
