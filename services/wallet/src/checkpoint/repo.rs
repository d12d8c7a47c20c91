//! All SQL of checkpoints.

use std::collections::BTreeMap;
use std::time::Duration;

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_proof::tree::{Hash, Head, LEAVES_LEVEL, Node, Nodes, State, subtree};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::entity::{Changed, Leaf, Published, signed};
use crate::error::WalletError;
use crate::peers::Log;

/// Reads checkpoints: `checkpoints!("WHERE …", arguments)`.
macro_rules! checkpoints {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            "SELECT number, size, root, made_at, note FROM checkpoints " + $rest
            $(, $argument)*
        )
        .try_map(|row| {
            Ok(Published {
                number: row.number,
                state: State { size: row.size.unsigned_abs(), root: hash(row.root)? },
                made_at: row.made_at,
                note: row.note,
            })
        })
    };
}

/// A row of `published_heads`.
macro_rules! leaf {
    ($row:ident) => {
        Leaf {
            index: $row.index.unsigned_abs(),
            head: Head {
                user_id: $row.user_id,
                seq: $row.seq,
                hash: hash($row.hash)?,
            },
        }
    };
}

/// A column of the domain `sha256_hash`.
fn hash(bytes: Vec<u8>) -> Result<Hash, sqlx::Error> {
    let bytes = bytes.try_into();
    bytes.map_err(|_| sqlx::Error::Decode("not 32 bytes".into()))
}

/// Whether no replica had its turn to publish within the interval.
pub(super) async fn is_due(pool: &Pool, interval: Duration) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT begun_at <= clock_timestamp() - make_interval(secs => $1) AS "is_due!" FROM checkpoint_turns"#,
        interval.as_secs_f64()
    )
    .fetch_one(pool)
    .await
}

/// Claims the turn to publish, unless another replica has it or had it within the interval.
pub(super) async fn claim_turn_in_tx(tx: &mut Tx, interval: Duration) -> Result<bool, sqlx::Error> {
    let claimed = sqlx::query!(
        "UPDATE checkpoint_turns SET begun_at = clock_timestamp()
         WHERE only_row = (SELECT only_row FROM checkpoint_turns
                           WHERE begun_at <= clock_timestamp() - make_interval(secs => $1)
                           FOR UPDATE SKIP LOCKED)",
        interval.as_secs_f64()
    );
    Ok(claimed.execute(tx).await?.rows_affected() == 1)
}

/// The heads among the next `limit` wallets that were not published yet.
pub(super) async fn changed_in_tx(
    tx: &mut Tx,
    after: UserId,
    limit: i64,
) -> Result<Changed, sqlx::Error> {
    let row = sqlx::query!(
        r#"WITH page AS MATERIALIZED (
               SELECT user_id, seq, chain_head FROM wallets WHERE user_id > $1 ORDER BY user_id LIMIT $2
           ), changed AS MATERIALIZED (
               SELECT * FROM page p
               WHERE seq > 0 AND NOT EXISTS (
                   SELECT FROM published_heads h WHERE h.user_id = p.user_id AND h.seq = p.seq)
               ORDER BY user_id
           )
           SELECT (SELECT user_id FROM page ORDER BY user_id DESC LIMIT 1) AS last,
                  (SELECT count(*) = $2 FROM page) AS "is_full!",
                  coalesce(array_agg(user_id), '{}') AS "user_ids!", coalesce(array_agg(seq), '{}') AS "seqs!",
                  coalesce(array_agg(chain_head::bytea), '{}') AS "hashes!"
           FROM changed"#,
        after.0,
        limit
    )
    .fetch_one(tx)
    .await?;
    let mut heads = Vec::with_capacity(row.user_ids.len());
    for ((user_id, seq), bytes) in row.user_ids.into_iter().zip(row.seqs).zip(row.hashes) {
        heads.push(Head {
            user_id,
            seq,
            hash: hash(bytes)?,
        });
    }
    Ok(Changed {
        heads,
        next: row.last.filter(|_| row.is_full).map(UserId),
    })
}

/// Appends leaves from `first` on.
pub(super) async fn add_heads_in_tx(
    tx: &mut Tx,
    first: u64,
    heads: &[Head],
) -> Result<(), sqlx::Error> {
    let user_ids: Vec<Uuid> = heads.iter().map(|head| head.user_id).collect();
    let seqs: Vec<i64> = heads.iter().map(|head| head.seq).collect();
    let hashes: Vec<&[u8]> = heads.iter().map(|head| head.hash.as_slice()).collect();
    sqlx::query!(
        "INSERT INTO published_heads (index, user_id, seq, hash)
         SELECT $1 + place - 1, user_id, seq, hash
         FROM unnest($2::uuid[], $3::bigint[], $4::bytea[]) WITH ORDINALITY AS h (user_id, seq, hash, place)",
        signed(first),
        &user_ids,
        &seqs,
        &hashes as _
    )
    .execute(tx)
    .await
    .map(|_| ())
}

pub(super) async fn add_subtrees_in_tx(tx: &mut Tx, nodes: &[Node]) -> Result<(), sqlx::Error> {
    let levels: Vec<i16> = nodes.iter().map(|node| node.level.into()).collect();
    let indexes: Vec<i64> = nodes.iter().map(|node| signed(node.index)).collect();
    let hashes: Vec<&[u8]> = nodes.iter().map(|node| node.hash.as_slice()).collect();
    sqlx::query!(
        "INSERT INTO published_subtrees (level, index, hash)
         SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])",
        &levels,
        &indexes,
        &hashes as _
    )
    .execute(tx)
    .await
    .map(|_| ())
}

pub(super) async fn add_checkpoint_in_tx(
    tx: &mut Tx,
    checkpoint: &Published,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO checkpoints (number, size, root, made_at, note) VALUES ($1, $2, $3, $4, $5)",
        checkpoint.number,
        checkpoint.size(),
        &checkpoint.state.root[..] as _,
        checkpoint.made_at,
        checkpoint.note
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// None before the first.
pub(super) async fn newest(
    executor: impl PgExecutor<'_>,
) -> Result<Option<Published>, sqlx::Error> {
    checkpoints!("ORDER BY number DESC LIMIT 1")
        .fetch_optional(executor)
        .await
}

/// Those before a number, newest first.
pub(super) async fn list(
    pool: &Pool,
    before: i64,
    limit: i64,
) -> Result<Vec<Published>, sqlx::Error> {
    checkpoints!(
        "WHERE number < $1 ORDER BY number DESC LIMIT $2",
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Those behind a number, oldest first.
pub(super) async fn following(
    pool: &Pool,
    after: i64,
    limit: i64,
) -> Result<Vec<Published>, sqlx::Error> {
    checkpoints!("WHERE number > $1 ORDER BY number LIMIT $2", after, limit)
        .fetch_all(pool)
        .await
}

/// A user's first published head at or after a number.
pub(super) async fn first_head_since(
    pool: &Pool,
    user_id: UserId,
    seq: i64,
) -> Result<Option<Leaf>, sqlx::Error> {
    sqlx::query!(
        "SELECT index, user_id, seq, hash FROM published_heads
         WHERE user_id = $1 AND seq >= $2 ORDER BY seq LIMIT 1",
        user_id.0,
        seq
    )
    .try_map(|row| Ok(leaf!(row)))
    .fetch_optional(pool)
    .await
}

/// A user's newest published head.
pub(super) async fn newest_head(
    executor: impl PgExecutor<'_>,
    user_id: UserId,
) -> Result<Option<Head>, sqlx::Error> {
    sqlx::query!(
        "SELECT index, user_id, seq, hash FROM published_heads WHERE user_id = $1 ORDER BY seq DESC LIMIT 1",
        user_id.0
    )
    .try_map(|row| Ok(leaf!(row).head))
    .fetch_optional(executor)
    .await
}

/// Leaves from an index on, in their order.
pub(super) async fn leaves(pool: &Pool, first: u64, limit: i64) -> Result<Vec<Leaf>, sqlx::Error> {
    sqlx::query!(
        "SELECT index, user_id, seq, hash FROM published_heads WHERE index >= $1 ORDER BY index LIMIT $2",
        signed(first),
        limit
    )
    .try_map(|row| Ok(leaf!(row)))
    .fetch_all(pool)
    .await
}

/// The published heads of users within a range of the log that are not the hash of the transaction of that number.
pub(super) async fn differing(
    pool: &Pool,
    (first, behind): (u64, u64),
    limit: i64,
) -> Result<Vec<(UserId, i64)>, sqlx::Error> {
    sqlx::query!(
        "SELECT h.user_id, h.seq FROM published_heads h LEFT JOIN transactions t USING (user_id, seq)
         WHERE h.index >= $1 AND h.index < $2 AND t.hash IS DISTINCT FROM h.hash AND h.user_id <> ALL($4)
         ORDER BY h.index LIMIT $3",
        signed(first),
        signed(behind),
        limit,
        &Log::ALL.map(Log::id)
    )
    .map(|row| (UserId(row.user_id), row.seq))
    .fetch_all(pool)
    .await
}

/// Likewise of one user.
pub(super) async fn differing_of_user(
    pool: &Pool,
    user_id: UserId,
    limit: i64,
) -> Result<Vec<(UserId, i64)>, sqlx::Error> {
    sqlx::query!(
        "SELECT h.user_id, h.seq FROM published_heads h LEFT JOIN transactions t USING (user_id, seq)
         WHERE h.user_id = $1 AND t.hash IS DISTINCT FROM h.hash
         ORDER BY h.seq LIMIT $2",
        user_id.0,
        limit
    )
    .map(|row| (UserId(row.user_id), row.seq))
    .fetch_all(pool)
    .await
}

/// The subtrees of these levels and indexes: the large ones as they are stored, the others from their leaves.
pub(super) async fn nodes(
    connection: &mut PgConnection,
    needs: &[(u8, u64)],
) -> Result<Nodes, WalletError> {
    let (small, large): (Vec<_>, Vec<_>) =
        needs.iter().partition(|(level, _)| *level < LEAVES_LEVEL);
    let mut nodes = Nodes::default();
    for node in stored(&mut *connection, &large).await? {
        nodes.insert(node);
    }
    let leaves = leaves_of(connection, &small).await?;
    for (level, index) in small {
        let (first, behind) = range(level, index);
        let leaves: Vec<Hash> = leaves.range(first..behind).map(|(_, hash)| *hash).collect();
        let hash = subtree(&leaves).filter(|_| leaves.len() == 1 << level);
        let hash = hash.ok_or(CoreError::Corrupt("leaves of the log"))?;
        nodes.insert(Node { level, index, hash });
    }
    Ok(nodes)
}

fn range(level: u8, index: u64) -> (u64, u64) {
    (index << level, index.saturating_add(1) << level)
}

async fn stored(
    connection: &mut PgConnection,
    needs: &[(u8, u64)],
) -> Result<Vec<Node>, sqlx::Error> {
    let levels: Vec<i16> = needs.iter().map(|(level, _)| (*level).into()).collect();
    let indexes: Vec<i64> = needs.iter().map(|(_, index)| signed(*index)).collect();
    sqlx::query!(
        "SELECT level, index, hash FROM published_subtrees
         WHERE (level, index) IN (SELECT * FROM unnest($1::smallint[], $2::bigint[]))",
        &levels,
        &indexes
    )
    .try_map(|row| {
        let level = u8::try_from(row.level).map_err(|error| sqlx::Error::Decode(error.into()))?;
        Ok(Node {
            level,
            index: row.index.unsigned_abs(),
            hash: hash(row.hash)?,
        })
    })
    .fetch_all(connection)
    .await
}

/// The hashes of the leaves of these subtrees, by index.
async fn leaves_of(
    connection: &mut PgConnection,
    needs: &[(u8, u64)],
) -> Result<BTreeMap<u64, Hash>, sqlx::Error> {
    let ranges = needs.iter().map(|(level, index)| range(*level, *index));
    let indexes: Vec<i64> = ranges
        .flat_map(|(first, behind)| (first..behind).map(signed))
        .collect();
    let leaves = sqlx::query!(
        "SELECT index, user_id, seq, hash FROM published_heads WHERE index = ANY ($1)",
        &indexes
    )
    .try_map(|row| Ok(leaf!(row)))
    .fetch_all(connection)
    .await?;
    let leaves = leaves.into_iter();
    Ok(leaves
        .map(|leaf| (leaf.index, leaf.head.leaf_hash()))
        .collect())
}
