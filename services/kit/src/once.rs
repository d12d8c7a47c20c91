//! One call, one effect, one answer: what a keyed call does with its idempotency key.
//!
//! A use case asks [`Once::earlier_in_tx`] first, does its work, and hands what it made to [`Once::keep_in_tx`], all in one
//! transaction. It knows nothing of protobuf: [`Once`] carries how the answer is encoded.

use std::fmt;

use prost::Message;
use uuid::Uuid;

use crate::db::Tx;
use crate::error::CoreError;
use crate::idempotency::{self, Claim, ClaimError};
use crate::identity::{Caller, IdempotencyKey};

/// A call that answers with a `T` and may carry a key. Without one it is simply carried out.
pub struct Once<T> {
    scope: Uuid,
    key: Option<IdempotencyKey>,
    operation: Box<str>,
    digest: [u8; 32],
    encode: fn(&T) -> Vec<u8>,
}

/// What a keyed call came to.
#[derive(Clone, Debug)]
pub enum Answer<T> {
    /// What this call made.
    Made(T),
    /// The encoded answer that an earlier call with the same key was given.
    Kept(Vec<u8>),
}

impl<T> Answer<T> {
    /// The message that the caller gets.
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
    /// The call of `caller` on behalf of `scope` (a user or a member of staff), answered by an `M`. The method that was called is
    /// part of the key's meaning.
    pub fn new<M>(caller: &Caller, scope: Uuid, request: &impl Message) -> Self
    where
        M: Message + for<'a> From<&'a T>,
    {
        Self {
            scope,
            key: caller.idempotency_key.clone(),
            operation: caller.method.clone(),
            digest: idempotency::digest(request),
            encode: |made| M::from(made).encode_to_vec(),
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

    /// The answer that an earlier call with this key was given. None: do the work, then [`Once::keep_in_tx`] what it made.
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

/// Like [`Once`], for use cases that still answer with protobuf messages.
#[derive(Clone, Debug)]
pub struct MessageOnce {
    scope: Uuid,
    key: Option<IdempotencyKey>,
    operation: &'static str,
    digest: [u8; 32],
}

impl MessageOnce {
    /// The call `operation` of `scope` (a user or a member of staff), with the key of `caller`, if there is one.
    pub fn new<M: Message>(
        caller: &Caller,
        scope: Uuid,
        operation: &'static str,
        request: &M,
    ) -> Self {
        Self {
            scope,
            key: caller.idempotency_key.clone(),
            operation,
            digest: idempotency::digest(request),
        }
    }

    /// The answer that an earlier call with this key was given. None: do the work, then keep its answer.
    pub async fn earlier_in_tx<M: Message + Default>(
        &self,
        tx: &mut Tx,
    ) -> Result<Option<M>, ClaimError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        match idempotency::claim_in_tx(tx, self.scope, key, self.operation, &self.digest).await? {
            Claim::Fresh => Ok(None),
            Claim::Replay(bytes) => {
                let answer =
                    M::decode(&*bytes).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
                Ok(Some(answer))
            }
        }
    }

    /// Keeps the answer for later calls with this key, in the transaction of the effect.
    pub async fn keep_in_tx<M: Message>(&self, tx: &mut Tx, answer: &M) -> Result<(), sqlx::Error> {
        match &self.key {
            Some(key) => {
                idempotency::store_in_tx(tx, self.scope, key, &answer.encode_to_vec()).await
            }
            None => Ok(()),
        }
    }
}
