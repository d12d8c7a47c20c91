//! A call with an idempotency key: one effect, one answer.
//!
//! [`App::write_once`](crate::service::App::write_once) does a use case's work between
//! [`Once::earlier_in_tx`] and [`Once::keep_in_tx`], all in one transaction. The use case knows
//! nothing of protobuf: [`Once`] carries the encoding of the answer.

use std::fmt;

use prost::Message;
use uuid::Uuid;

use crate::db::Tx;
use crate::error::CoreError;
use crate::idempotency::{self, Claim, ClaimError};
use crate::identity::{Caller, IdempotencyKey};

/// A call that answers with a `T` and may carry a key. Without a key it is simply executed.
pub struct Once<T> {
    scope: Uuid,
    key: Option<IdempotencyKey>,
    operation: Box<str>,
    digest: [u8; 32],
    encode: fn(&T) -> Vec<u8>,
}

/// The result of a call with a key.
#[derive(Clone, Debug)]
pub enum Answer<T> {
    /// The result of this call.
    Made(T),
    /// The encoded answer to an earlier call with the same key.
    Kept(Vec<u8>),
}

impl<T> Answer<T> {
    /// The message for the caller.
    pub fn into_message<M>(self) -> Result<M, CoreError>
    where
        M: Message + Default + for<'a> From<&'a T>,
    {
        match self {
            Self::Made(made) => Ok(M::from(&made)),
            Self::Kept(bytes) => {
                M::decode(&*bytes).map_err(|_| CoreError::Corrupt("idempotency_keys.response"))
            }
        }
    }
}

impl<T> Once<T> {
    /// A call by `caller` on behalf of `scope` (a user or a member of staff), answered by an `M`.
    /// The called method is part of the key's meaning.
    pub fn new<M>(caller: &Caller, scope: Uuid, request: &impl Message) -> Self
    where
        M: Message + for<'a> From<&'a T>,
    {
        let digest = idempotency::digest(request);
        Self::keeping(caller, scope, digest, |made| M::from(made).encode_to_vec())
    }

    /// Like [`Once::new`], for a use case that does not keep its answer but what finds it again,
    /// which `encode` gives. `digest` tells requests apart; no secret of the request goes into it.
    pub fn keeping(
        caller: &Caller,
        scope: Uuid,
        digest: [u8; 32],
        encode: fn(&T) -> Vec<u8>,
    ) -> Self {
        Self {
            scope,
            key: caller.idempotency_key.clone(),
            operation: caller.method.clone(),
            digest,
            encode,
        }
    }

    /// The key of a keyed call.
    pub fn key(&self) -> Option<&IdempotencyKey> {
        self.key.as_ref()
    }

    /// The user or member of staff whose key it is.
    pub fn scope(&self) -> Uuid {
        self.scope
    }

    /// The digest of the request.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The answer to an earlier call with this key. `None`: do the work, then [`Once::keep_in_tx`]
    /// its result.
    pub async fn earlier_in_tx(&self, tx: &mut Tx) -> Result<Option<Answer<T>>, ClaimError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let claim =
            idempotency::claim_in_tx(tx, self.scope, key, &self.operation, &self.digest).await?;
        Ok(match claim {
            Claim::Fresh => None,
            Claim::Replay(bytes) => Some(Answer::Kept(bytes)),
        })
    }

    /// Keeps the answer for later calls with this key, in the transaction of the effect.
    pub async fn keep_in_tx(&self, tx: &mut Tx, made: T) -> Result<Answer<T>, sqlx::Error> {
        if let Some(key) = &self.key {
            idempotency::store_in_tx(tx, self.scope, key, &(self.encode)(&made)).await?;
        }
        Ok(Answer::Made(made))
    }
}

impl<T> Clone for Once<T> {
    fn clone(&self) -> Self {
        Self {
            scope: self.scope,
            key: self.key.clone(),
            operation: self.operation.clone(),
            digest: self.digest,
            encode: self.encode,
        }
    }
}

impl<T> fmt::Debug for Once<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Once")
            .field("scope", &self.scope)
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}
