//! One call, one effect, one answer: what a keyed call does with its idempotency key.

use prost::Message;
use uuid::Uuid;

use crate::db::Tx;
use crate::idempotency::{self, Claim, ClaimError};
use crate::identity::{Caller, IdempotencyKey};

/// A call that may carry a key. Without one it is simply carried out.
#[derive(Clone, Debug)]
pub struct Once {
    scope: Uuid,
    key: Option<IdempotencyKey>,
    operation: &'static str,
    digest: [u8; 32],
}

impl Once {
    /// The call `operation` of `scope` (a user or a member of staff), with the key of `caller`, if there is one.
    pub fn new<M: Message>(
        caller: &Caller,
        scope: Uuid,
        operation: &'static str,
        request: &M,
    ) -> Self {
        let digest = idempotency::digest(request);
        Self {
            scope,
            key: caller.idempotency_key.clone(),
            operation,
            digest,
        }
    }

    /// The answer that an earlier call with this key was given. None: do the work, then [`Once::keep_in_tx`] its answer.
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
