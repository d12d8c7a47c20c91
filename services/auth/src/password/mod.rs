//! Password hashes: argon2id (19 MiB, 2 passes, 1 lane), a bounded number at a time.
//!
//! One evaluation costs tens of milliseconds of a core. As many run at once as there are cores, a bounded number waits,
//! and whoever comes on top is told to come back: a flood of logins slows down logins and nothing else.

mod rules;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use rules::is_acceptable;

/// When whoever found the queue full may come back.
const QUEUE_RETRY: Duration = Duration::from_secs(1);

/// Bytes of a hash.
const OUTPUT_BYTES: usize = 32;

/// Counts evaluations, for dashboards and for the proof that a refused login cost none.
const EVALUATIONS: &str = "auth_password_evaluations_total";

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
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

/// Hashes and verifies passwords. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Passwords {
    inner: Arc<Inner>,
}

struct Inner {
    places: Arc<Semaphore>,
    cores: Arc<Semaphore>,
    /// One 19 MiB working memory per core, made when first needed and used again: allocating anew for each evaluation
    /// leaves the allocator holding a multiple of it.
    memories: Mutex<Vec<Vec<Block>>>,
    /// Verified in place of an absent hash, so that an unknown user costs what a known one does.
    decoy: PasswordHash,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Passwords")
            .field("free_places", &self.places.available_permits())
            .finish_non_exhaustive()
    }
}

/// A place in the queue. Taken before anything is counted or stored, so that whoever finds the queue full has lost nothing.
#[derive(Debug)]
pub struct Ticket {
    inner: Arc<Inner>,
    place: OwnedSemaphorePermit,
}

impl Passwords {
    /// For `queue` evaluations at once, running or waiting.
    pub fn new(queue: usize) -> Result<Self, PasswordError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let salt = Salt::new(&rand::random::<[u8; 16]>())?;
        let output = Output::new(&rand::random::<[u8; OUTPUT_BYTES]>())?;
        let inner = Inner {
            places: Arc::new(Semaphore::new(queue)),
            cores: Arc::new(Semaphore::new(cores)),
            memories: Mutex::default(),
            decoy: phc(salt, output)?,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Takes a place in the queue, or TOO_MANY_ATTEMPTS.
    pub fn enter(&self) -> Result<Ticket, Refusal> {
        let place = Arc::clone(&self.inner.places)
            .try_acquire_owned()
            .map_err(|_| Refusal::new(Reason::TooManyAttempts).retry_after(QUEUE_RETRY))?;
        Ok(Ticket {
            inner: Arc::clone(&self.inner),
            place,
        })
    }
}

impl Ticket {
    /// Hashes a new password to the text that is stored.
    pub async fn hash(self, password: SecretString) -> Result<String, PasswordError> {
        self.evaluate(move |memory| {
            let salt = Salt::new(&rand::random::<[u8; 16]>())?;
            let output = derive(&password, &salt, &Params::DEFAULT, memory)?;
            Ok(phc(salt, output)?.to_string())
        })
        .await
    }

    /// Whether the password belongs to the stored hash. Without a hash the answer is no, after the same work.
    pub async fn verify(
        self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, PasswordError> {
        let known = stored.as_deref().map(PasswordHash::new).transpose()?;
        let exists = known.is_some();
        let expected = known.unwrap_or_else(|| self.inner.decoy.clone());
        self.evaluate(move |memory| {
            let (Some(salt), Some(hash)) = (expected.salt, expected.hash) else {
                return Ok(false);
            };
            let output = derive(&password, &salt, &Params::try_from(&expected)?, memory)?;
            // Outputs compare in constant time.
            Ok((output == hash) & exists)
        })
        .await
    }

    async fn evaluate<T, F>(self, work: F) -> Result<T, PasswordError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Vec<Block>) -> Result<T, PasswordError> + Send + 'static,
    {
        let core = Arc::clone(&self.inner.cores).acquire_owned().await?;
        let Self { inner, place } = self;
        tokio::task::spawn_blocking(move || {
            let mut memory = inner
                .memories
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop()
                .unwrap_or_default();
            metrics::counter!(EVALUATIONS).increment(1);
            let outcome = work(&mut memory);
            inner
                .memories
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(memory);
            // Held to the end even if the caller has gone: the core is busy either way.
            drop((core, place));
            outcome
        })
        .await?
    }
}

fn derive(
    password: &SecretString,
    salt: &Salt,
    params: &Params,
    memory: &mut Vec<Block>,
) -> Result<Output, PasswordError> {
    let blocks = params.block_count();
    if memory.len() < blocks {
        memory.resize_with(blocks, Block::default);
    }
    let mut bytes = [0; OUTPUT_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
        .hash_password_into_with_memory(
            password.expose_secret().as_bytes(),
            salt,
            &mut bytes,
            memory,
        )?;
    Ok(Output::new(&bytes)?)
}

fn phc(salt: Salt, output: Output) -> Result<PasswordHash, PasswordError> {
    Ok(PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&Params::DEFAULT)?,
        salt: Some(salt),
        hash: Some(output),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn verifies_what_it_hashed_and_nothing_else() {
        let passwords = Passwords::new(4).expect("passwords");
        let stored = passwords
            .enter()
            .expect("place")
            .hash("correct horse".into())
            .await
            .expect("hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        for (password, hash, expected) in [
            ("correct horse", Some(stored.clone()), true),
            ("correct Horse", Some(stored.clone()), false),
            ("correct horse", None, false),
        ] {
            let ticket = passwords.enter().expect("place");
            assert_eq!(
                ticket.verify(password.into(), hash).await.expect("verify"),
                expected
            );
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let passwords = Passwords::new(1).expect("passwords");
        let first = passwords.enter().expect("place");
        let refusal = passwords.enter().expect_err("full");
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        assert!(refusal.retry_after.is_some());
        drop(first);
        assert!(passwords.enter().is_ok());
    }
}
