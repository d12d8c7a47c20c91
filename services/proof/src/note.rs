//! Checkpoints as signed notes: C2SP signed-note, tlog-checkpoint and tlog-cosignature.
//!
//! ```text
//! adfolio/wallet
//! 1000
//! BASE64 OF THE ROOT
//! time 2026-11-26T09:30:00Z
//!
//! — adfolio/wallet BASE64 OF (4 BYTES OF KEY ID ‖ SIGNATURE)
//! ```
//!
//! The signature is Ed25519 over everything above the blank line. A witness adds a line of its own, which signs
//! `cosignature/v1`, its time and the same text. A key is published as `NAME+KEY ID+BASE64`.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, Utc};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

use crate::tree::State;

/// A note may be longer only by signatures that nobody asked for.
const NOTE_MAX: usize = 64 * 1024;

/// What a key signs; the byte before the public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A log's checkpoints.
    Log = 0x01,
    /// Checkpoints that a witness has seen.
    Witness = 0x04,
}

/// What is wrong with a key or a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It is no private key.
    #[error("not an Ed25519 private key: 32 bytes in hex, or PKCS#8 as PEM")]
    PrivateKey,
    /// It is no public key.
    #[error("not a verifier key of the form NAME+KEY ID+BASE64")]
    VerifierKey,
    /// A name that a note cannot carry.
    #[error("a name must not be empty and have neither spaces nor a plus sign")]
    Name,
    /// It is no checkpoint.
    #[error("not a checkpoint")]
    Malformed,
    /// It is another log's.
    #[error("a checkpoint of another log")]
    Origin,
    /// Nobody who is trusted has signed it.
    #[error("not signed with this key")]
    Unsigned,
    /// Its signature does not fit.
    #[error("the signature does not fit the checkpoint")]
    Forged,
}

/// A name and the public key that goes with it. Shown as `NAME+KEY ID+BASE64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    kind: Kind,
    public_key: [u8; 32],
}

impl Verifier {
    fn new(name: &str, kind: Kind, public_key: [u8; 32]) -> Result<Self, NoteError> {
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '+') {
            return Err(NoteError::Name);
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
            public_key,
        })
    }

    /// Whose key it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> [u8; 4] {
        let mut hash = Sha256::new();
        hash.update(&self.name);
        hash.update([b'\n', self.kind as u8]);
        hash.update(self.public_key);
        let [a, b, c, d, ..] = <[u8; 32]>::from(hash.finalize());
        [a, b, c, d]
    }

    /// The checkpoint of a note that this log signed.
    pub fn open(&self, note: &str) -> Result<Checkpoint, NoteError> {
        let (text, signatures) = split(note)?;
        let checkpoint = Checkpoint::parse(text)?;
        if checkpoint.origin != self.name {
            return Err(NoteError::Origin);
        }
        let signature = self.signature_in(signatures)?;
        self.verify(text.as_bytes(), &signature)?;
        Ok(checkpoint)
    }

    /// When this witness cosigned a note.
    pub fn cosigned_at(&self, note: &str) -> Result<DateTime<Utc>, NoteError> {
        let (text, signatures) = split(note)?;
        let signature = self.signature_in(signatures)?;
        let (seconds, signature) = signature.split_at_checked(8).ok_or(NoteError::Forged)?;
        let seconds = seconds.try_into().map_err(|_| NoteError::Forged)?;
        let seconds = u64::from_be_bytes(seconds);
        self.verify(&cosigned(text, seconds), signature)?;
        let seconds = i64::try_from(seconds).map_err(|_| NoteError::Forged)?;
        DateTime::from_timestamp(seconds, 0).ok_or(NoteError::Forged)
    }

    /// The signature of this key, without the key's id.
    fn signature_in(&self, signatures: &str) -> Result<Vec<u8>, NoteError> {
        for line in signatures.lines() {
            let line = line.strip_prefix("— ").ok_or(NoteError::Malformed)?;
            let (name, encoded) = line.split_once(' ').ok_or(NoteError::Malformed)?;
            let bytes = STANDARD.decode(encoded).map_err(|_| NoteError::Malformed)?;
            if name == self.name
                && let Some(signature) = bytes.strip_prefix(&self.key_id())
            {
                return Ok(signature.to_vec());
            }
        }
        Err(NoteError::Unsigned)
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), NoteError> {
        UnparsedPublicKey::new(&ED25519, self.public_key)
            .verify(message, signature)
            .map_err(|_| NoteError::Forged)
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = vec![self.kind as u8];
        key.extend(self.public_key);
        let (id, key) = (hex::encode(self.key_id()), STANDARD.encode(key));
        write!(f, "{}+{id}+{key}", self.name)
    }
}

impl FromStr for Verifier {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(_), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoteError::VerifierKey);
        };
        let key = STANDARD.decode(key).map_err(|_| NoteError::VerifierKey)?;
        let (kind, public_key) = key.split_first().ok_or(NoteError::VerifierKey)?;
        let kind = match kind {
            0x01 => Kind::Log,
            0x04 => Kind::Witness,
            _ => return Err(NoteError::VerifierKey),
        };
        let public_key = public_key.try_into().map_err(|_| NoteError::VerifierKey)?;
        let verifier = Self::new(name, kind, public_key)?;
        // The id in the middle is that of the key.
        if verifier.to_string() == text {
            Ok(verifier)
        } else {
            Err(NoteError::VerifierKey)
        }
    }
}

/// Splits a note into its text and its signature lines.
fn split(note: &str) -> Result<(&str, &str), NoteError> {
    let end = note.rfind("\n\n").filter(|_| note.len() <= NOTE_MAX);
    let (text, signatures) = end
        .and_then(|end| Some((note.get(..=end)?, note.get(end.checked_add(2)?..)?)))
        .ok_or(NoteError::Malformed)?;
    if signatures.is_empty() || !signatures.ends_with('\n') {
        return Err(NoteError::Malformed);
    }
    Ok((text, signatures))
}

fn cosigned(text: &str, seconds: u64) -> Vec<u8> {
    format!("cosignature/v1\ntime {seconds}\n{text}").into_bytes()
}

/// A state of the log as it is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// Its size and root.
    pub state: State,
    /// When it was signed.
    pub time: DateTime<Utc>,
}

impl Checkpoint {
    fn text(&self) -> String {
        let time = self.time.to_rfc3339_opts(SecondsFormat::Secs, true);
        let root = STANDARD.encode(self.state.root);
        format!(
            "{}\n{}\n{root}\ntime {time}\n",
            self.origin, self.state.size
        )
    }

    fn parse(text: &str) -> Result<Self, NoteError> {
        // The parser wants the blank line behind the text, too.
        let parsed = tlog_tiles::Checkpoint::from_bytes(format!("{text}\n").as_bytes());
        let parsed = parsed
            .or_else(|_| tlog_tiles::Checkpoint::from_bytes(text.as_bytes()))
            .map_err(|_| NoteError::Malformed)?;
        let times = parsed.extension().lines();
        let mut times = times.filter_map(|line| line.strip_prefix("time "));
        let time = times.next().and_then(|time| time.parse().ok());
        Ok(Self {
            origin: parsed.origin().to_owned(),
            state: State {
                size: parsed.size(),
                root: parsed.hash().0,
            },
            time: time.ok_or(NoteError::Malformed)?,
        })
    }

    /// The checkpoint of a note, without a check of its signatures.
    pub fn unverified(note: &str) -> Result<Self, NoteError> {
        Self::parse(split(note)?.0)
    }
}

/// A name and the private key that signs for it.
pub struct Signer {
    verifier: Verifier,
    key: Ed25519KeyPair,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.verifier)
    }
}

impl Signer {
    /// With a private key: 32 bytes in hex, or PKCS#8 as PEM.
    pub fn new(name: &str, kind: Kind, private_key: &str) -> Result<Self, NoteError> {
        let key = key_pair(private_key.trim()).ok_or(NoteError::PrivateKey)?;
        let public_key = key.public_key().as_ref().try_into();
        let public_key = public_key.map_err(|_| NoteError::PrivateKey)?;
        let verifier = Verifier::new(name, kind, public_key)?;
        Ok(Self { verifier, key })
    }

    /// What others check its signatures with.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// The signed note of this log's state.
    pub fn sign(&self, state: State, time: DateTime<Utc>) -> String {
        let checkpoint = Checkpoint {
            origin: self.verifier.name.clone(),
            state,
            time,
        };
        let text = checkpoint.text();
        let signature = self.key.sign(text.as_bytes());
        let line = self.line(signature.as_ref());
        format!("{text}\n{line}")
    }

    /// The note with this witness's signature behind the others.
    pub fn cosign(&self, note: &str, now: DateTime<Utc>) -> Result<String, NoteError> {
        let (text, _) = split(note)?;
        let seconds = now.timestamp().unsigned_abs();
        let signature = self.key.sign(&cosigned(text, seconds));
        let mut stamped = seconds.to_be_bytes().to_vec();
        stamped.extend(signature.as_ref());
        Ok(format!("{note}{}", self.line(&stamped)))
    }

    fn line(&self, signature: &[u8]) -> String {
        let mut bytes = self.verifier.key_id().to_vec();
        bytes.extend(signature);
        format!("— {} {}\n", self.verifier.name, STANDARD.encode(bytes))
    }
}

fn key_pair(private_key: &str) -> Option<Ed25519KeyPair> {
    if let Some(pem) = private_key.strip_prefix("-----BEGIN PRIVATE KEY-----") {
        let body = pem.trim().strip_suffix("-----END PRIVATE KEY-----")?;
        let body: String = body.split_whitespace().collect();
        let der = STANDARD.decode(body).ok()?;
        // Without the public key, as openssl writes it.
        return Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).ok();
    }
    let seed = hex::decode(private_key).ok()?;
    Ed25519KeyPair::from_seed_unchecked(&seed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "0101010101010101010101010101010101010101010101010101010101010101";

    fn signer(name: &str, kind: Kind) -> Signer {
        Signer::new(name, kind, SEED).expect("a key")
    }

    fn time() -> DateTime<Utc> {
        "2026-11-26T09:30:00Z".parse().expect("a time")
    }

    fn state() -> State {
        State {
            size: 7,
            root: [5; 32],
        }
    }

    #[test]
    fn a_note_opens_with_its_key_and_with_no_other() {
        let log = signer("adfolio/wallet", Kind::Log);
        let note = log.sign(state(), time());
        let text = "adfolio/wallet\n7\nBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU=\ntime 2026-11-26T09:30:00Z\n";
        assert!(
            note.starts_with(&format!("{text}\n— adfolio/wallet ")),
            "{note}"
        );
        let verifier: Verifier = log.verifier().to_string().parse().expect("a key");
        assert_eq!(&verifier, log.verifier());
        let opened = verifier.open(&note).expect("a checkpoint");
        assert_eq!((opened.state, opened.time), (state(), time()));

        let other_key = Signer::new("adfolio/wallet", Kind::Log, &SEED.replace("01", "02"));
        let other_key = other_key.expect("a key");
        assert_eq!(other_key.verifier().open(&note), Err(NoteError::Unsigned));
        let other_name = signer("other", Kind::Log);
        assert_eq!(other_name.verifier().open(&note), Err(NoteError::Origin));
        for (from, to, error) in [
            ("\n7\n", "\n8\n", NoteError::Forged),
            ("\n7\n", "\n07\n", NoteError::Malformed),
            ("09:30:00Z", "09:30:01Z", NoteError::Forged),
            ("\n\n", "\n", NoteError::Malformed),
            ("— ", "- ", NoteError::Malformed),
        ] {
            assert_eq!(verifier.open(&note.replace(from, to)), Err(error), "{to}");
        }
        assert_eq!(verifier.open(""), Err(NoteError::Malformed));
    }

    #[test]
    fn keys_are_those_of_the_specification() {
        // The key of an example in C2SP signed-note.
        let text = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
        let verifier: Verifier = text.parse().expect("a key");
        assert_eq!(verifier.to_string(), text);
        assert_eq!(hex::encode(verifier.key_id()), "530d903a");
        let signature = "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
        let signature = verifier.signature_in(signature).expect("a signature");
        let message = b"This is an example message.\n";
        assert_eq!(verifier.verify(message, &signature), Ok(()));
        for wrong in [
            "",
            "a+b",
            "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        ] {
            assert_eq!(wrong.parse::<Verifier>(), Err(NoteError::VerifierKey));
        }
    }

    #[test]
    fn private_keys_come_in_hex_or_as_pem() {
        // openssl genpkey -algorithm ed25519, with the seed above.
        let der = [
            &[
                0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
            ][..],
            &[1; 32],
        ]
        .concat();
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            STANDARD.encode(der)
        );
        let by_pem = Signer::new("log", Kind::Log, &pem).expect("a key");
        assert_eq!(by_pem.verifier(), signer("log", Kind::Log).verifier());
        for wrong in ["", "01", "-----BEGIN PRIVATE KEY-----"] {
            let outcome = Signer::new("log", Kind::Log, wrong);
            assert_eq!(outcome.expect_err("refused"), NoteError::PrivateKey);
        }
        let spaced = Signer::new("a log", Kind::Log, SEED);
        assert_eq!(spaced.expect_err("refused"), NoteError::Name);
    }

    #[test]
    fn a_witness_signs_besides_the_log() {
        let (log, witness) = (signer("log", Kind::Log), signer("witness", Kind::Witness));
        let note = log.sign(state(), time());
        let cosigned = witness.cosign(&note, time()).expect("cosigned");
        assert_eq!(
            log.verifier().open(&cosigned).map(|it| it.state),
            Ok(state())
        );
        assert_eq!(witness.verifier().cosigned_at(&cosigned), Ok(time()));
        assert_eq!(
            witness.verifier().cosigned_at(&note),
            Err(NoteError::Unsigned)
        );
        let later = cosigned.replace("09:30:00Z", "09:31:00Z");
        assert_eq!(
            witness.verifier().cosigned_at(&later),
            Err(NoteError::Forged)
        );
    }
}
