//! Password hashing: argon2id with a bounded queue.
//!
//! One evaluation costs tens of milliseconds of a core. As many run at once as there are cores, a
//! limited number waits, and further calls are refused: a flood of logins slows down logins and
//! nothing else.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::{Reason, Refusal};

/// When a refused caller may retry.
const QUEUE_RETRY: Duration = Duration::from_secs(1);

/// Bytes of a hash.
const OUTPUT_BYTES: usize = 32;

/// Bytes of a salt.
const SALT_BYTES: usize = 16;

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// The stored hash is not in PHC form.
    #[error("malformed password hash")]
    Malformed(#[from] argon2::password_hash::phc::Error),
    /// The parameters are not argon2's.
    #[error("malformed hash parameters")]
    Parameters(#[from] argon2::password_hash::Error),
    /// Argon2 failed.
    #[error("argon2 failed")]
    Argon2(#[from] argon2::Error),
    /// The hashing task died.
    #[error("hashing did not finish")]
    Task(#[from] tokio::task::JoinError),
    /// The process is ending.
    #[error("hashing is shut down")]
    Closed(#[from] tokio::sync::AcquireError),
}

/// A queue of evaluations. Cheap to clone.
#[derive(Clone, Debug)]
pub struct HashQueue(Arc<Inner>);

struct Inner {
    places: Arc<Semaphore>,
    cores: Arc<Semaphore>,
    /// Working memories, allocated when first needed and reused: allocating 19 MiB for each
    /// evaluation would leave the allocator holding a multiple of it.
    memories: Mutex<Vec<Memory>>,
    evaluations: &'static str,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HashQueue")
            .field("free_places", &self.places.available_permits())
            .finish_non_exhaustive()
    }
}

/// A place in the queue. Take it before anything is counted or stored, so that a refused caller
/// loses nothing.
#[derive(Debug)]
pub struct Ticket {
    queue: Arc<Inner>,
    place: OwnedSemaphorePermit,
}

impl HashQueue {
    /// A queue of `places` running and waiting evaluations. `evaluations` counts those that ran.
    pub fn new(places: usize, evaluations: &'static str) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self(Arc::new(Inner {
            places: Arc::new(Semaphore::new(places)),
            cores: Arc::new(Semaphore::new(cores)),
            memories: Mutex::default(),
            evaluations,
        }))
    }

    /// Takes a place, or TOO_MANY_ATTEMPTS.
    pub fn enter(&self) -> Result<Ticket, Refusal> {
        let place = Arc::clone(&self.0.places)
            .try_acquire_owned()
            .map_err(|_| Refusal::new(Reason::TooManyAttempts).retry_after(QUEUE_RETRY))?;
        Ok(Ticket {
            queue: Arc::clone(&self.0),
            place,
        })
    }
}

impl Ticket {
    /// Runs `work` on a blocking thread, as soon as a core is free.
    pub async fn evaluate<T, F>(self, work: F) -> Result<T, HashError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Memory) -> Result<T, HashError> + Send + 'static,
    {
        let core = Arc::clone(&self.queue.cores).acquire_owned().await?;
        let Self { queue, place } = self;
        tokio::task::spawn_blocking(move || {
            let memories = || {
                queue
                    .memories
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
            };
            let mut memory = memories().pop().unwrap_or(Memory {
                blocks: Vec::new(),
                evaluations: queue.evaluations,
            });
            let outcome = work(&mut memory);
            memories().push(memory);
            // Held until the end even if the caller is gone: the core is busy either way.
            drop((core, place));
            outcome
        })
        .await?
    }
}

/// The working memory of one evaluation.
pub struct Memory {
    blocks: Vec<Block>,
    evaluations: &'static str,
}

impl Memory {
    /// The argon2id output of `password`; `secret` is the pepper, empty for none.
    pub fn derive(
        &mut self,
        password: &[u8],
        secret: &[u8],
        salt: &Salt,
        params: &Params,
    ) -> Result<Output, HashError> {
        metrics::counter!(self.evaluations).increment(1);
        if self.blocks.len() < params.block_count() {
            self.blocks
                .resize_with(params.block_count(), Block::default);
        }
        let mut bytes = [0; OUTPUT_BYTES];
        Argon2::new_with_secret(secret, Algorithm::Argon2id, Version::V0x13, params.clone())?
            .hash_password_into_with_memory(password, salt, &mut bytes, &mut self.blocks)?;
        Ok(Output::new(&bytes)?)
    }
}

/// A salt for a new hash.
pub fn random_salt() -> Result<Salt, HashError> {
    Ok(Salt::new(&rand::random::<[u8; SALT_BYTES]>())?)
}

/// An output that no password has, to compare with if there is no hash.
pub fn random_output() -> Result<Output, HashError> {
    Ok(Output::new(&rand::random::<[u8; OUTPUT_BYTES]>())?)
}

/// The PHC form of a hash, as it is stored.
pub fn phc(salt: Salt, output: Output, params: &Params) -> Result<PasswordHash, HashError> {
    Ok(PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(params)?,
        salt: Some(salt),
        hash: Some(output),
    })
}
