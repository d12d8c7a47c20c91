//! Idempotency keys, stored in the transaction of the effect that they protect.

use std::time::Duration;

use prost::Message;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::chaos::Defect;
use crate::db::{self, Pool, Tx};
use crate::identity::IdempotencyKey;
use crate::refusal::{Reason, Refusal};

/// How long keys live.
pub const KEY_LIFETIME: Duration = Duration::from_hours(24);

/// The result of a claim.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim {
    /// The key is new: do the work, then [`store_in_tx`] the answer.
    Fresh,
    /// The work was done before; this is the answer.
    Replay(Vec<u8>),
}

/// A claim that failed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The key was used for another request.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("cannot claim the idempotency key")]
    Database(#[from] sqlx::Error),
}

/// The digest that identifies a request: SHA-256 of the message's canonical bytes.
pub fn digest<M: Message>(request: &M) -> [u8; 32] {
    Sha256::digest(request.encode_to_vec()).into()
}

/// Claims `key` of `scope` (the user) for `operation`, named `service.Method`. A second claim waits
/// for the transaction of the first: it replays after a commit and is fresh after a rollback.
pub async fn claim_in_tx(
    tx: &mut Tx,
    scope: Uuid,
    key: &IdempotencyKey,
    operation: &str,
    digest: &[u8],
) -> Result<Claim, ClaimError> {
    // The insert waits: the primary key makes it queue behind an uncommitted one.
    let inserted = sqlx::query!(
        "INSERT INTO idempotency_keys (scope, key, operation, request_digest) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        scope,
        key.as_str(),
        operation,
        digest
    )
    .execute(&mut *tx)
    .await?;
    if inserted.rows_affected() == 1 || Defect::KeysForgotten.is_enabled() {
        return Ok(Claim::Fresh);
    }
    // An expired key that is not pruned yet still counts: a retry gets the same answer a little
    // longer.
    let found = sqlx::query!(
        "SELECT operation, request_digest, response FROM idempotency_keys WHERE scope = $1 AND key = $2 FOR UPDATE",
        scope,
        key.as_str()
    )
    .fetch_optional(&mut *tx)
    .await?;
    // Pruned between the two statements: the next attempt inserts it.
    let known = found.ok_or(sqlx::Error::RowNotFound)?;
    if known.operation != operation || known.request_digest != digest {
        return Err(Refusal::new(Reason::IdempotencyKeyReused).into());
    }
    // Committed without an answer: an earlier attempt is still working elsewhere (a saga), so this
    // attempt continues it.
    Ok(known.response.map_or(Claim::Fresh, Claim::Replay))
}

/// Stores the answer of a claimed key, in the transaction of the effect.
pub async fn store_in_tx(
    tx: &mut Tx,
    scope: Uuid,
    key: &IdempotencyKey,
    response: &[u8],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2",
        scope,
        key.as_str(),
        response
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes keys older than `age` in batches, so that no lock is held for long.
pub async fn prune(pool: &Pool, age: Duration) -> Result<u64, sqlx::Error> {
    db::prune_older!(pool, age, "idempotency_keys"("scope, key"), "created_at")
}
