//! Hashes of transaction passwords: argon2id (19 MiB, 2 passes, 1 lane) over the MD5, with a secret that is not in the
//! database; as many at a time as there are cores, and a bounded number that waits.
//!
//! Which secret it was stands in the hash (PHC's `keyid`), so that another can be put in its place while passwords are used.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, KeyId, Params, ParamsBuilder, Version};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::entity::PinDigest;

/// When whoever found the queue full may come back.
const QUEUE_RETRY: Duration = Duration::from_secs(1);

/// Bytes of a hash.
const OUTPUT_BYTES: usize = 32;

/// Counts evaluations, for dashboards and for the proof that a refused attempt cost none.
const EVALUATIONS: &str = "wallet_pay_password_evaluations_total";

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// The stored hash is not one.
    #[error("malformed password hash")]
    Malformed(#[from] argon2::password_hash::phc::Error),
    /// The parameters are not argon2's.
    #[error("malformed hash parameters")]
    Parameters(#[from] argon2::password_hash::Error),
    /// Argon2 itself failed.
    #[error("argon2 failed")]
    Argon2(#[from] argon2::Error),
    /// The task that hashed died.
    #[error("hashing did not finish")]
    Task(#[from] tokio::task::JoinError),
    /// The semaphore was closed.
    #[error("hashing is shut down")]
    Closed(#[from] tokio::sync::AcquireError),
}

/// What a pepper's id is derived with. By argon2, too: whoever guesses at a pepper has to pay for each guess what one at a
/// hash costs.
const PEPPER_ID_SALT: &[u8] = b"adfolio-pepper-id";

/// Hashes and verifies. Cheap to clone.
#[derive(Clone)]
pub(super) struct Hasher(Arc<Inner>);

/// What goes into a hash beside the password.
struct Pepper {
    id: KeyId,
    secret: SecretString,
}

struct Inner {
    current: Pepper,
    previous: Option<Pepper>,
    places: Arc<Semaphore>,
    cores: Arc<Semaphore>,
    /// Working memories, made when first needed and used again: allocating anew for each evaluation leaves the allocator
    /// holding a multiple of it.
    memories: Mutex<Vec<Vec<Block>>>,
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hasher").finish_non_exhaustive()
    }
}

/// A place in the queue.
pub(super) struct Ticket {
    inner: Arc<Inner>,
    place: OwnedSemaphorePermit,
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
    /// With the pepper in use and another that is in hashes, for `queue` evaluations at once, running or waiting. Takes as long
    /// as an evaluation for each.
    pub(super) fn new(
        current: SecretString,
        previous: Option<SecretString>,
        queue: usize,
    ) -> Result<Self, HashError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let current = Pepper::new(current)?;
        let previous = previous.map(Pepper::new).transpose()?;
        Ok(Self(Arc::new(Inner {
            previous: previous.filter(|previous| previous.id != current.id),
            current,
            places: Arc::new(Semaphore::new(queue)),
            cores: Arc::new(Semaphore::new(cores)),
            memories: Mutex::default(),
        })))
    }

    /// Whether one of the peppers may be in this hash. Any may be, where it does not say: releases before did not.
    pub(super) fn knows(&self, stored: &str) -> Result<bool, HashError> {
        let params = Params::try_from(&PasswordHash::new(stored)?)?;
        Ok(self.0.peppers_for(&params).next().is_some())
    }

    /// What stands in every hash with the pepper in use, where there may be others.
    pub(super) fn mark(&self) -> Result<Option<String>, HashError> {
        if self.0.previous.is_none() {
            return Ok(None);
        }
        let mut mark = ParamsString::new();
        mark.add_b64_bytes("keyid", self.0.current.id.as_bytes())?;
        Ok(Some(format!(",{mark}$")))
    }

    /// Takes a place in the queue, or TOO_MANY_ATTEMPTS.
    pub(super) fn enter(&self) -> Result<Ticket, Refusal> {
        let place = Arc::clone(&self.0.places)
            .try_acquire_owned()
            .map_err(|_| Refusal::new(Reason::TooManyAttempts).retry_after(QUEUE_RETRY))?;
        Ok(Ticket {
            inner: Arc::clone(&self.0),
            place,
        })
    }
}

impl Inner {
    fn peppers_for(&self, params: &Params) -> impl Iterator<Item = &Pepper> {
        let id = params.keyid().to_vec();
        std::iter::once(&self.current)
            .chain(&self.previous)
            .filter(move |pepper| id.is_empty() || pepper.id.as_bytes() == id)
    }

    fn hash(&self, password: &PinDigest, memory: &mut Vec<Block>) -> Result<String, HashError> {
        let params = ParamsBuilder::new().keyid(self.current.id).build()?;
        let salt = Salt::new(&rand::random::<[u8; 16]>())?;
        let output = derive(&self.current, password, &salt, &params, memory)?;
        let hash = PasswordHash {
            algorithm: ARGON2ID_IDENT,
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&params)?,
            salt: Some(salt),
            hash: Some(output),
        };
        Ok(hash.to_string())
    }

    /// The pepper with which the password belongs to the stored hash.
    fn find(
        &self,
        password: &PinDigest,
        stored: &PasswordHash,
        memory: &mut Vec<Block>,
    ) -> Result<Option<&Pepper>, HashError> {
        let (Some(salt), Some(hash)) = (&stored.salt, &stored.hash) else {
            return Ok(None);
        };
        let params = Params::try_from(stored)?;
        for pepper in self.peppers_for(&params) {
            // Outputs compare in constant time.
            if derive(pepper, password, salt, &params, memory)? == *hash {
                return Ok(Some(pepper));
            }
        }
        Ok(None)
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
        let password = password.clone();
        self.evaluate(move |inner, memory| inner.hash(&password, memory))
            .await
    }

    /// Whether the password belongs to the stored hash, and what to store instead of it.
    pub(super) async fn verify(
        self,
        password: &PinDigest,
        stored: String,
    ) -> Result<Verified, HashError> {
        let password = password.clone();
        self.evaluate(move |inner, memory| {
            let stored = PasswordHash::new(&stored)?;
            let Some(_) = inner.find(&password, &stored, memory)? else {
                return Ok(Verified::Wrong);
            };
            let says = Params::try_from(&stored)?;
            let is_current = says.keyid() == inner.current.id.as_bytes();
            let renewed = (!is_current)
                .then(|| inner.hash(&password, memory))
                .transpose()?;
            Ok(Verified::Right { renewed })
        })
        .await
    }

    async fn evaluate<T, F>(self, work: F) -> Result<T, HashError>
    where
        T: Send + 'static,
        F: FnOnce(&Inner, &mut Vec<Block>) -> Result<T, HashError> + Send + 'static,
    {
        let core = Arc::clone(&self.inner.cores).acquire_owned().await?;
        let Self { inner, place } = self;
        tokio::task::spawn_blocking(move || {
            let memories = || {
                inner
                    .memories
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
            };
            let mut memory = memories().pop().unwrap_or_default();
            let outcome = work(&inner, &mut memory);
            memories().push(memory);
            // Held to the end even if the caller has gone: the core is busy either way.
            drop((core, place));
            outcome
        })
        .await?
    }
}

fn derive(
    pepper: &Pepper,
    password: &PinDigest,
    salt: &Salt,
    params: &Params,
    memory: &mut Vec<Block>,
) -> Result<Output, HashError> {
    metrics::counter!(EVALUATIONS).increment(1);
    let blocks = params.block_count();
    if memory.len() < blocks {
        memory.resize_with(blocks, Block::default);
    }
    let mut bytes = [0; OUTPUT_BYTES];
    Argon2::new_with_secret(
        pepper.secret.expose_secret().as_bytes(),
        Algorithm::Argon2id,
        Version::V0x13,
        params.clone(),
    )?
    .hash_password_into_with_memory(password.expose().as_bytes(), salt, &mut bytes, memory)?;
    Ok(Output::new(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> PinDigest {
        PinDigest::parse(text, "password").expect("a digest")
    }

    fn hasher(current: &str, previous: Option<&str>, queue: usize) -> Hasher {
        let previous = previous.map(SecretString::from);
        Hasher::new(current.into(), previous, queue).expect("a hasher")
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
        let own = hasher(FIRST, None, 4);
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
        let other = hasher(SECOND, None, 4);
        assert!(!other.knows(&stored).expect("an answer"));
        assert!(verify(&other, &right, &stored).await == Verified::Wrong);
        // Where it does not say, it is tried.
        let unmarked = unmarked(&stored);
        assert!(other.knows(&unmarked).expect("an answer"));
        assert!(verify(&other, &right, &unmarked).await == Verified::Wrong);
    }

    #[tokio::test]
    async fn what_another_pepper_hashed_is_right_and_hashed_anew() {
        let (before, after) = (hasher(FIRST, None, 4), hasher(SECOND, Some(FIRST), 4));
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
            assert!(verify(&hasher(SECOND, None, 4), &right, &renewed).await == KEPT);
            // Who has both the other way round can go on as well.
            let other_way = hasher(FIRST, Some(SECOND), 4);
            assert!(verify(&other_way, &right, &renewed).await != Verified::Wrong);
        }
        // One and the same is no change.
        assert!(
            hasher(FIRST, Some(FIRST), 4)
                .mark()
                .expect("none")
                .is_none()
        );
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let hasher = hasher(FIRST, None, 1);
        let first = hasher.enter().expect("a place");
        let refusal = hasher.enter().err().expect("full");
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        drop(first);
        assert!(hasher.enter().is_ok());
    }
}
