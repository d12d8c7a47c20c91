//! Hashes of transaction passwords: argon2id (19 MiB, 2 passes, 1 lane) over the MD5, with a secret that is not in the
//! database; as many at a time as there are cores, and a bounded number that waits.
//!
//! The hash names its secret (PHC's `keyid`), so that the secret can be rotated while the service runs.

use std::sync::Arc;

use adfolio_kit::password::{HashError, HashQueue, Memory, phc, random_salt};
use adfolio_kit::refusal::Refusal;
use argon2::password_hash::phc::{ParamsString, PasswordHash};
use argon2::{Algorithm, Argon2, KeyId, Params, ParamsBuilder, Version};
use secrecy::{ExposeSecret, SecretString};

use super::entity::PinDigest;

/// Evaluations that may run or wait at once.
const EVALUATIONS_MAX: usize = 64;

/// Counts evaluations, for dashboards and for the proof that a refused attempt cost none.
const EVALUATIONS: &str = "wallet_pay_password_evaluations_total";

/// Salt of a pepper's id. Argon2 derives the id, too, so that guessing a pepper by its id is as slow as by a hash.
const PEPPER_ID_SALT: &[u8] = b"adfolio-pepper-id";

/// Hashes and verifies. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hasher {
    queue: HashQueue,
    peppers: Arc<Peppers>,
}

/// What goes into a hash beside the password.
#[derive(Debug)]
struct Pepper {
    id: KeyId,
    secret: SecretString,
}

/// The pepper in use, and another one while it is changed.
#[derive(Debug)]
struct Peppers {
    current: Pepper,
    previous: Option<Pepper>,
}

/// A place in the queue.
#[derive(Debug)]
pub(super) struct Ticket {
    place: adfolio_kit::password::Ticket,
    peppers: Arc<Peppers>,
}

/// What a password turned out to be.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Verified {
    /// Another one.
    Wrong,
    /// The one that was hashed.
    Right {
        /// Its hash with the pepper in use, where the stored one is of another or does not say of which.
        renewed: Option<String>,
    },
}

impl Hasher {
    /// With the pepper in use and another one that is in hashes. Takes as long as an evaluation for each.
    pub fn new(current: SecretString, previous: Option<SecretString>) -> Result<Self, HashError> {
        let current = Pepper::new(current)?;
        let previous = previous.map(Pepper::new).transpose()?;
        Ok(Self {
            queue: HashQueue::new(EVALUATIONS_MAX, EVALUATIONS),
            peppers: Arc::new(Peppers {
                previous: previous.filter(|previous| previous.id != current.id),
                current,
            }),
        })
    }

    /// Whether one of the peppers may be in this hash. Any may be, where it does not say: releases before did not.
    pub(super) fn knows(&self, stored: &str) -> Result<bool, HashError> {
        let params = Params::try_from(&PasswordHash::new(stored)?)?;
        Ok(self.peppers.possible(&params).next().is_some())
    }

    /// What stands in every hash with the pepper in use, where there may be others.
    pub(super) fn mark(&self) -> Result<Option<String>, HashError> {
        if self.peppers.previous.is_none() {
            return Ok(None);
        }
        let mut mark = ParamsString::new();
        mark.add_b64_bytes("keyid", self.peppers.current.id.as_bytes())?;
        Ok(Some(format!(",{mark}$")))
    }

    /// Takes a place in the queue, or TOO_MANY_ATTEMPTS.
    pub(super) fn enter(&self) -> Result<Ticket, Refusal> {
        Ok(Ticket {
            place: self.queue.enter()?,
            peppers: Arc::clone(&self.peppers),
        })
    }
}

impl Peppers {
    /// The peppers that a hash with these parameters may have.
    fn possible(&self, params: &Params) -> impl Iterator<Item = &Pepper> {
        let id = params.keyid().to_vec();
        std::iter::once(&self.current)
            .chain(&self.previous)
            .filter(move |pepper| id.is_empty() || pepper.id.as_bytes() == id)
    }

    fn hash(&self, password: &PinDigest, memory: &mut Memory) -> Result<String, HashError> {
        let params = ParamsBuilder::new().keyid(self.current.id).build()?;
        let salt = random_salt()?;
        let output = memory.derive(
            password.expose().as_bytes(),
            self.current.secret.expose_secret().as_bytes(),
            &salt,
            &params,
        )?;
        Ok(phc(salt, output, &params)?.to_string())
    }

    /// Whether the password belongs to the stored hash, with any of the peppers.
    fn matches(
        &self,
        password: &PinDigest,
        stored: &PasswordHash,
        memory: &mut Memory,
    ) -> Result<bool, HashError> {
        let (Some(salt), Some(hash)) = (&stored.salt, &stored.hash) else {
            return Ok(false);
        };
        let params = Params::try_from(stored)?;
        for pepper in self.possible(&params) {
            let secret = pepper.secret.expose_secret().as_bytes();
            let output = memory.derive(password.expose().as_bytes(), secret, salt, &params)?;
            // Outputs compare in constant time.
            if output == *hash {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Pepper {
    fn new(secret: SecretString) -> Result<Self, HashError> {
        let mut id = [0; Params::MAX_KEYID_LEN];
        let bytes = secret.expose_secret().as_bytes();
        Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT).hash_password_into(
            bytes,
            PEPPER_ID_SALT,
            &mut id,
        )?;
        Ok(Self {
            id: KeyId::new(&id)?,
            secret,
        })
    }
}

impl Ticket {
    /// Hashes a new password to the text that is stored.
    pub(super) async fn hash(self, password: &PinDigest) -> Result<String, HashError> {
        let Self { place, peppers } = self;
        let password = password.clone();
        place
            .evaluate(move |memory| peppers.hash(&password, memory))
            .await
    }

    /// Whether the password belongs to the stored hash, and what to store instead of it.
    pub(super) async fn verify(
        self,
        password: &PinDigest,
        stored: String,
    ) -> Result<Verified, HashError> {
        let Self { place, peppers } = self;
        let password = password.clone();
        place
            .evaluate(move |memory| {
                let stored = PasswordHash::new(&stored)?;
                if !peppers.matches(&password, &stored, memory)? {
                    return Ok(Verified::Wrong);
                }
                let params = Params::try_from(&stored)?;
                let is_current = params.keyid() == peppers.current.id.as_bytes();
                let renewed = (!is_current)
                    .then(|| peppers.hash(&password, memory))
                    .transpose()?;
                Ok(Verified::Right { renewed })
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> PinDigest {
        PinDigest::parse(text, "password").expect("a digest")
    }

    fn hasher(current: &str, previous: Option<&str>) -> Hasher {
        let previous = previous.map(SecretString::from);
        Hasher::new(current.into(), previous).expect("a hasher")
    }

    async fn verify(hasher: &Hasher, password: &PinDigest, stored: &str) -> Verified {
        let ticket = hasher.enter().expect("a place");
        let outcome = ticket.verify(password, stored.to_owned()).await;
        outcome.expect("an answer")
    }

    const KEPT: Verified = Verified::Right { renewed: None };
    const FIRST: &str = "the pepper of this test";
    const SECOND: &str = "the pepper of another";

    /// As releases wrote it that did not say which pepper it was.
    fn unmarked(stored: &str) -> String {
        let (before, rest) = stored.split_once(",keyid=").expect("a mark");
        let (_, after) = rest.split_once('$').expect("an end");
        format!("{before}${after}")
    }

    #[tokio::test]
    async fn verifies_what_it_hashed_with_the_same_pepper_and_nothing_else() {
        let own = hasher(FIRST, None);
        let (right, wrong) = (
            digest("e10adc3949ba59abbe56e057f20f883e"),
            digest("e10adc3949ba59abbe56e057f20f883f"),
        );
        let stored = own.enter().expect("a place").hash(&right).await;
        let stored = stored.expect("a hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1,keyid="),
            "{stored}"
        );
        assert!(verify(&own, &right, &stored).await == KEPT);
        assert!(verify(&own, &wrong, &stored).await == Verified::Wrong);
        let other = hasher(SECOND, None);
        assert!(!other.knows(&stored).expect("an answer"));
        assert!(verify(&other, &right, &stored).await == Verified::Wrong);
        // Where it does not say, it is tried.
        let unmarked = unmarked(&stored);
        assert!(other.knows(&unmarked).expect("an answer"));
        assert!(verify(&other, &right, &unmarked).await == Verified::Wrong);
    }

    #[tokio::test]
    async fn what_another_pepper_hashed_is_right_and_hashed_anew() {
        let (before, after) = (hasher(FIRST, None), hasher(SECOND, Some(FIRST)));
        let (right, wrong) = (
            digest("e10adc3949ba59abbe56e057f20f883e"),
            digest("e10adc3949ba59abbe56e057f20f883f"),
        );
        let marked = before.enter().expect("a place").hash(&right).await;
        let marked = marked.expect("a hash");
        for stored in [unmarked(&marked), marked] {
            assert!(verify(&after, &wrong, &stored).await == Verified::Wrong);
            let Verified::Right {
                renewed: Some(renewed),
            } = verify(&after, &right, &stored).await
            else {
                panic!("right, and hashed anew")
            };
            let mark = after.mark().expect("a mark").expect("two peppers");
            assert!(renewed.contains(&mark) && !stored.contains(&mark));
            assert!(verify(&after, &right, &renewed).await == KEPT);
            assert!(verify(&after, &wrong, &renewed).await == Verified::Wrong);
            assert!(verify(&hasher(SECOND, None), &right, &renewed).await == KEPT);
            // Who has both the other way round can go on as well.
            let other_way = hasher(FIRST, Some(SECOND));
            assert!(verify(&other_way, &right, &renewed).await != Verified::Wrong);
        }
        // One and the same is no change.
        assert!(hasher(FIRST, Some(FIRST)).mark().expect("none").is_none());
    }
}
