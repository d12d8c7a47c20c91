//! Idempotency keys, kept in the transaction of the effect that they protect.

use std::borrow::Cow;
use std::time::Duration;

use prost::Message;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use crate::chaos::Defect;
use crate::db::{self, Tx};
use crate::identity::IdempotencyKey;
use crate::refusal::{Reason, Refusal};

/// How long keys live.
pub const KEY_LIFETIME: Duration = Duration::from_hours(24);

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Statements of one pruning run at most.
const PRUNE_ROUNDS: u32 = 100;

/// What a claim found.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim {
    /// The key is new: do the work, then [`store_in_tx`] the answer.
    Fresh,
    /// The work was done: answer this.
    Replay(Vec<u8>),
}

/// A claim that failed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The key was used for something else.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("cannot claim the idempotency key")]
    Database(#[from] sqlx::Error),
}

/// The digest by which requests are compared: SHA-256 over the message's canonical bytes.
pub fn digest<M: Message>(request: &M) -> [u8; 32] {
    Sha256::digest(request.encode_to_vec()).into()
}

/// The services that stored the bare method in snake case before they stored `service.Method`.
const FORMER_NAMES: [&str; 3] = ["acceptor", "coupon", "notification"];

/// The name under which an operation is stored. Replicas of the previous release compare it to the letter and may run beside this
/// one, so it stays the former one until none of them can.
fn stored(operation: &str) -> Cow<'_, str> {
    match operation.split_once('.') {
        Some((service, method)) if FORMER_NAMES.contains(&service) => {
            let mut name = String::with_capacity(operation.len());
            for letter in method.chars() {
                if letter.is_ascii_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(letter.to_ascii_lowercase());
            }
            Cow::Owned(name)
        }
        _ => Cow::Borrowed(operation),
    }
}

/// Claims `key` of `scope` (the user) for `operation`, named `service.Method`. A second claim waits until the transaction of the first has
/// ended: on commit it replays, on rollback it is fresh.
pub async fn claim_in_tx(
    tx: &mut Tx,
    scope: Uuid,
    key: &IdempotencyKey,
    operation: &str,
    digest: &[u8],
) -> Result<Claim, ClaimError> {
    let operation = &*stored(operation);
    // The insert is what waits: the primary key makes it queue behind an uncommitted one.
    let inserted = sqlx::query(
        "INSERT INTO idempotency_keys (scope, key, operation, request_digest) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    )
    .bind(scope)
    .bind(key.as_str())
    .bind(operation)
    .bind(digest)
    .execute(&mut *tx)
    .await?;
    if inserted.rows_affected() == 1 || Defect::KeysForgotten.is_enabled() {
        return Ok(Claim::Fresh);
    }
    // Expired keys that pruning has not reached yet still count: a repeat answers the same a little longer.
    let found: Option<(String, Vec<u8>, Option<Vec<u8>>)> = sqlx::query_as(
        "SELECT operation, request_digest, response FROM idempotency_keys WHERE scope = $1 AND key = $2 FOR UPDATE",
    )
    .bind(scope)
    .bind(key.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    match found {
        Some((known_operation, known_digest, Some(response)))
            if known_operation == operation && known_digest == digest =>
        {
            Ok(Claim::Replay(response))
        }
        // Claimed and committed without an answer: the work of an earlier attempt is under way elsewhere (a saga), so
        // this attempt continues it.
        Some((known_operation, known_digest, None))
            if known_operation == operation && known_digest == digest =>
        {
            Ok(Claim::Fresh)
        }
        Some(_) => Err(Refusal::new(Reason::IdempotencyKeyReused).into()),
        // Pruned between the two statements: as good as unknown, and the next attempt inserts it.
        None => Err(sqlx::Error::RowNotFound.into()),
    }
}

/// Stores the answer of a claimed key, in the transaction of the effect.
pub async fn store_in_tx(
    tx: &mut Tx,
    scope: Uuid,
    key: &IdempotencyKey,
    response: &[u8],
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2")
        .bind(scope)
        .bind(key.as_str())
        .bind(response)
        .execute(tx)
        .await?;
    Ok(())
}

/// Deletes keys past their lifetime, in batches that hold no lock for long.
pub async fn prune(pool: &PgPool) -> Result<u64, sqlx::Error> {
    prune_older_than(pool, KEY_LIFETIME).await
}

/// Deletes keys older than `age`.
pub async fn prune_older_than(pool: &PgPool, age: Duration) -> Result<u64, sqlx::Error> {
    let mut deleted: u64 = 0;
    for _ in 0..PRUNE_ROUNDS {
        let batch = db::write(pool, move |tx| Box::pin(prune_batch_in_tx(tx, age))).await?;
        deleted = deleted.saturating_add(batch);
        if batch < PRUNE_BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(deleted)
}

async fn prune_batch_in_tx(tx: &mut Tx, age: Duration) -> Result<u64, sqlx::Error> {
    let done = sqlx::query(
        "DELETE FROM idempotency_keys WHERE (scope, key) IN (
             SELECT scope, key FROM idempotency_keys
             WHERE created_at < now() - make_interval(secs => $1)
             ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
    )
    .bind(age.as_secs_f64())
    .bind(PRUNE_BATCH)
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
