//! Hashes of transaction passwords: argon2id (19 MiB, 2 passes, 1 lane) over the MD5, with a secret that is not in the
//! database; as many at a time as there are cores, and a bounded number that waits.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
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

/// Hashes and verifies. Cheap to clone.
#[derive(Clone)]
pub(super) struct Hasher(Arc<Inner>);

struct Inner {
    pepper: SecretString,
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

impl Hasher {
    /// For `queue` evaluations at once, running or waiting.
    pub(super) fn new(pepper: SecretString, queue: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self(Arc::new(Inner {
            pepper,
            places: Arc::new(Semaphore::new(queue)),
            cores: Arc::new(Semaphore::new(cores)),
            memories: Mutex::default(),
        }))
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

impl Ticket {
    /// Hashes a new password to the text that is stored.
    pub(super) async fn hash(self, password: &PinDigest) -> Result<String, HashError> {
        let password = password.clone();
        self.evaluate(move |pepper, memory| {
            let salt = Salt::new(&rand::random::<[u8; 16]>())?;
            let output = derive(pepper, &password, &salt, &Params::DEFAULT, memory)?;
            let hash = PasswordHash {
                algorithm: ARGON2ID_IDENT,
                version: Some(Version::V0x13.into()),
                params: ParamsString::try_from(&Params::DEFAULT)?,
                salt: Some(salt),
                hash: Some(output),
            };
            Ok(hash.to_string())
        })
        .await
    }

    /// Whether the password belongs to the stored hash.
    pub(super) async fn verify(
        self,
        password: &PinDigest,
        stored: String,
    ) -> Result<bool, HashError> {
        let password = password.clone();
        self.evaluate(move |pepper, memory| {
            let expected = PasswordHash::new(&stored)?;
            let (Some(salt), Some(hash)) = (expected.salt, expected.hash) else {
                return Ok(false);
            };
            let params = Params::try_from(&expected)?;
            // Outputs compare in constant time.
            Ok(derive(pepper, &password, &salt, &params, memory)? == hash)
        })
        .await
    }

    async fn evaluate<T, F>(self, work: F) -> Result<T, HashError>
    where
        T: Send + 'static,
        F: FnOnce(&SecretString, &mut Vec<Block>) -> Result<T, HashError> + Send + 'static,
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
            metrics::counter!(EVALUATIONS).increment(1);
            let outcome = work(&inner.pepper, &mut memory);
            memories().push(memory);
            // Held to the end even if the caller has gone: the core is busy either way.
            drop((core, place));
            outcome
        })
        .await?
    }
}

fn derive(
    pepper: &SecretString,
    password: &PinDigest,
    salt: &Salt,
    params: &Params,
    memory: &mut Vec<Block>,
) -> Result<Output, HashError> {
    let blocks = params.block_count();
    if memory.len() < blocks {
        memory.resize_with(blocks, Block::default);
    }
    let mut bytes = [0; OUTPUT_BYTES];
    Argon2::new_with_secret(
        pepper.expose_secret().as_bytes(),
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

    #[tokio::test]
    async fn verifies_what_it_hashed_with_the_same_pepper_and_nothing_else() {
        let hasher = Hasher::new("the pepper of this test".into(), 4);
        let (right, wrong) = (
            digest("e10adc3949ba59abbe56e057f20f883e"),
            digest("e10adc3949ba59abbe56e057f20f883f"),
        );
        let ticket = || hasher.enter().expect("a place");
        let stored = ticket().hash(&right).await.expect("a hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        assert!(
            ticket()
                .verify(&right, stored.clone())
                .await
                .expect("an answer")
        );
        assert!(
            !ticket()
                .verify(&wrong, stored.clone())
                .await
                .expect("an answer")
        );
        let other = Hasher::new("the pepper of another".into(), 4);
        let ticket = other.enter().expect("a place");
        assert!(!ticket.verify(&right, stored).await.expect("an answer"));
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let hasher = Hasher::new("the pepper of this test".into(), 1);
        let first = hasher.enter().expect("a place");
        let refusal = hasher.enter().err().expect("full");
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        drop(first);
        assert!(hasher.enter().is_ok());
    }
}
