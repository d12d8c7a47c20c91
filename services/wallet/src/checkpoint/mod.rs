//! Checkpoints: what binds the keeper of the books to the chains.
//!
//! One replica per interval appends the head of every chain that has grown, and those of auth's audit log and plan's
//! reports, to a Merkle log, signs the log's root, and announces it. Nothing here is on the path of a posting. Each
//! transaction leaves a whole log: with the leaves, the subtrees, the checkpoint and its event, or without all of them.

pub mod entity;
mod repo;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proof::note::Signer;
use adfolio_proof::tree::{Claim, Edge, Hash, Head, LEAVES_LEVEL, Node, State};
use chrono::{DateTime, SubsecRound as _, Utc};
use uuid::Uuid;

use crate::app::App;
use crate::chain;
use crate::error::WalletError;
use crate::events;
use crate::peers::Log;
use entity::{Comparison, HeadProof, Published};

/// Wallets that one statement reads; few in debug builds, so that tests cross from page to page.
const WALLETS_PAGE: i64 = if cfg!(debug_assertions) { 7 } else { 10_000 };

/// Heads of one checkpoint, so that its transaction stays far inside its limit. Where more have changed, several
/// checkpoints follow each other at once.
const HEADS_MAX: u64 = if cfg!(debug_assertions) { 20 } else { 100_000 };

/// Pages of wallets that one transaction reads, however few heads have changed.
const PAGES_MAX: u32 = 100;

/// Leaves that are compared at once; few in debug builds, too.
const LEAVES_PAGE: i64 = if cfg!(debug_assertions) { 9 } else { 50_000 };

/// Leaves that the proof of the books compares each time: the newest ones.
const NEWEST_LEAVES: u64 = 100_000;

/// Checkpoints that are read at once.
const CHECKPOINTS_PAGE: i64 = 1_000;

/// Differing heads that one comparison reports at most.
const DIFFERING_MAX: i64 = 100;

/// Transactions between a statement's end and the published head, with which a proof bridges the two.
const LINKS_MAX: i64 = 1_000;

/// Publishes what has changed, unless a replica did so within the interval or no key is configured.
pub async fn publish_when_due(app: &App) -> Result<(), WalletError> {
    let Some(signer) = &app.signer else {
        return Ok(());
    };
    let mut interval = app.rules.checkpoint_interval;
    if !repo::is_due(&app.pool, interval).await? {
        return Ok(());
    }
    let mut logs = app.peers.log_heads().await;
    let mut after = Some(UserId(Uuid::nil()));
    while let Some(position) = after {
        let (signer, logs, now) = (
            Arc::clone(signer),
            std::mem::take(&mut logs),
            app.clock.now(),
        );
        after = app
            .write(move |tx| {
                Box::pin(async move {
                    publish_in_tx(tx, &signer, interval, (&logs, position), now).await
                })
            })
            .await?;
        // The next part belongs to the same turn.
        interval = Duration::ZERO;
    }
    Ok(())
}

/// Publishes a part; answers where the next one begins, if there is one.
async fn publish_in_tx(
    tx: &mut Tx,
    signer: &Signer,
    interval: Duration,
    (logs, after): (&[Head], UserId),
    now: DateTime<Utc>,
) -> Result<Option<UserId>, WalletError> {
    if !repo::claim_turn_in_tx(tx, interval).await? {
        return Ok(None);
    }
    let last = repo::newest(&mut *tx).await?;
    let size = last.as_ref().map_or(0, |last| last.state.size);
    let mut edge = edge(tx, size).await?;
    for log in logs {
        let last = repo::newest_head(&mut *tx, UserId(log.user_id)).await?;
        if last.is_none_or(|last| last.seq < log.seq) {
            add_in_tx(tx, &mut edge, &[*log]).await?;
        }
    }
    let next = append_in_tx(tx, &mut edge, after).await?;
    let has_grown = edge.size() > size;
    // After a change of the key, the same state is signed once more.
    let is_ours = last
        .as_ref()
        .is_none_or(|last| signer.verifier().open(&last.note).is_ok());
    if has_grown || !is_ours {
        let state = State {
            size: edge.size(),
            root: edge.root(),
        };
        let made_at = now.trunc_subsecs(0);
        let checkpoint = Published {
            number: last.map_or(0, |last| last.number).saturating_add(1),
            state,
            made_at,
            note: signer.sign(state, made_at),
        };
        repo::add_checkpoint_in_tx(tx, &checkpoint).await?;
        events::checkpoint_published_in_tx(tx, signer.verifier().name(), &checkpoint).await?;
    }
    Ok(next)
}

/// The right edge of the log of that size.
async fn edge(tx: &mut Tx, size: u64) -> Result<Edge, WalletError> {
    let nodes = repo::nodes(tx, &Edge::needs(size)).await?;
    Ok(Edge::new(size, &nodes).map_err(|_| CoreError::Corrupt("subtrees of the log"))?)
}

/// Appends heads until there are enough for one checkpoint.
async fn append_in_tx(
    tx: &mut Tx,
    edge: &mut Edge,
    after: UserId,
) -> Result<Option<UserId>, WalletError> {
    let enough = edge.size().saturating_add(HEADS_MAX);
    let mut next = Some(after);
    for _ in 0..PAGES_MAX {
        let Some(after) = next.filter(|_| edge.size() < enough) else {
            break;
        };
        let changed = repo::changed_in_tx(tx, after, WALLETS_PAGE).await?;
        next = changed.next;
        if changed.heads.is_empty() {
            continue;
        }
        add_in_tx(tx, edge, &changed.heads).await?;
    }
    Ok(next)
}

/// Appends heads with the subtrees that they complete.
async fn add_in_tx(tx: &mut Tx, edge: &mut Edge, heads: &[Head]) -> Result<(), WalletError> {
    let first = edge.size();
    let leaves = heads.iter().map(Head::leaf_hash);
    let nodes = leaves.flat_map(|leaf| edge.append(leaf));
    let stored: Vec<Node> = nodes.filter(|node| node.level >= LEAVES_LEVEL).collect();
    repo::add_heads_in_tx(tx, first, heads).await?;
    repo::add_subtrees_in_tx(tx, &stored).await?;
    Ok(())
}

/// The newest published head of a log.
pub async fn newest_log_head(app: &App, log: Log) -> Result<Option<Head>, WalletError> {
    Ok(repo::newest_head(&app.pool, UserId(log.id())).await?)
}

/// The newest checkpoint; none before the first.
pub async fn newest(app: &App) -> Result<Option<Published>, WalletError> {
    Ok(repo::newest(&app.pool).await?)
}

/// Checkpoints before a number, newest first.
pub async fn list(app: &App, before: i64, limit: i64) -> Result<Vec<Published>, WalletError> {
    Ok(repo::list(&app.reads, before, limit).await?)
}

/// That the log of one size begins with all of the log of an earlier one.
pub async fn consistency(app: &App, earlier: i64, size: i64) -> Result<Vec<Hash>, WalletError> {
    let newest = repo::newest(&app.reads).await?;
    if newest.is_none_or(|newest| newest.size() < size) {
        return Err(Refusal::invalid("second").into());
    }
    if earlier < 1 || earlier > size {
        return Err(Refusal::invalid("first").into());
    }
    let (earlier, size) = (earlier.unsigned_abs(), size.unsigned_abs());
    prove(&app.reads, Claim::Consistency { earlier, size }).await
}

/// That a user's first head that was published at or after a transaction is in the newest checkpoint.
pub async fn prove_head(app: &App, user_id: UserId, seq: i64) -> Result<HeadProof, WalletError> {
    if seq < 1 {
        return Err(Refusal::invalid("sequence").into());
    }
    let unpublished = || Refusal::new(Reason::NotFound).field("sequence");
    let leaf = repo::first_head_since(&app.reads, user_id, seq).await?;
    let leaf = leaf.ok_or_else(unpublished)?;
    // Read behind the leaf, so that it has it.
    let checkpoint = repo::newest(&app.reads).await?.ok_or_else(unpublished)?;
    let claim = Claim::Inclusion {
        index: leaf.index,
        size: checkpoint.state.size,
    };
    let links = if leaf.head.seq.saturating_sub(seq) > LINKS_MAX {
        Vec::new()
    } else {
        chain::texts(&app.reads, user_id, seq, leaf.head.seq).await?
    };
    Ok(HeadProof {
        leaf,
        links,
        path: prove(&app.reads, claim).await?,
        checkpoint,
    })
}

/// The log is only ever appended to, so what a claim about it needs may be read piece by piece.
async fn prove(pool: &Pool, claim: Claim) -> Result<Vec<Hash>, WalletError> {
    let mut connection = pool.acquire_to_read().await?;
    let nodes = repo::nodes(&mut connection, &claim.needs()).await?;
    Ok(claim
        .prove(&nodes)
        .map_err(|_| CoreError::Corrupt("subtrees of the log"))?)
}

/// Compares the newest part of the log with the books, and the newest checkpoint with the log.
pub async fn compare_newest(app: &App) -> Result<Comparison, WalletError> {
    let Some(newest) = repo::newest(&app.reads).await? else {
        return Ok(Comparison::default());
    };
    let size = newest.state.size;
    let first = size.saturating_sub(NEWEST_LEAVES);
    let mut connection = app.reads.acquire_to_read().await?;
    let nodes = repo::nodes(&mut connection, &Edge::needs(size)).await;
    drop(connection);
    let root = match nodes {
        Ok(nodes) => Edge::new(size, &nodes).ok().map(|edge| edge.root()),
        Err(WalletError::Core(CoreError::Corrupt(_))) => None,
        Err(error) => return Err(error),
    };
    Ok(Comparison {
        heads: size.saturating_sub(first),
        differing: repo::differing(&app.reads, (first, size), DIFFERING_MAX).await?,
        fault: if root == Some(newest.state.root) {
            wrong_signature(app, &newest)
        } else {
            Some(WRONG_ROOT)
        },
    })
}

const WRONG_ROOT: &str = "a checkpoint's root is not that of the published heads";

/// What is wrong with a checkpoint's note. Without a key nobody here can tell.
fn wrong_signature(app: &App, checkpoint: &Published) -> Option<&'static str> {
    let key = app.signer.as_ref()?.verifier();
    match key.open(&checkpoint.note) {
        Ok(signed) if signed.state == checkpoint.state => None,
        Ok(_) => Some("the newest checkpoint's note is of another state"),
        Err(_) => Some("the newest checkpoint is not signed with the key in use"),
    }
}

/// Compares the published heads of a user with the books.
pub async fn compare_user(app: &App, user_id: UserId) -> Result<Comparison, WalletError> {
    Ok(Comparison {
        differing: repo::differing_of_user(&app.reads, user_id, DIFFERING_MAX).await?,
        ..Comparison::default()
    })
}

/// Compares every published head with the books, and every checkpoint with the heads.
pub async fn compare_all(app: &App) -> Result<Comparison, WalletError> {
    let pool = &app.reads;
    let Some(newest) = repo::newest(pool).await? else {
        return Ok(Comparison::default());
    };
    let mut found = Comparison {
        fault: wrong_signature(app, &newest),
        ..Comparison::default()
    };
    let (mut edge, mut states) = (Edge::default(), States::new());
    loop {
        let leaves = repo::leaves(pool, edge.size(), LEAVES_PAGE).await?;
        let first = edge.size();
        for leaf in &leaves {
            if leaf.index != edge.size() {
                found.fault = Some("a published head is missing");
                return Ok(found);
            }
            let _ = edge.append(leaf.head.leaf_hash());
            states.reach(pool, &edge).await?;
        }
        let range = (first, edge.size());
        let left = DIFFERING_MAX.saturating_sub_unsigned(found.differing.len() as u64);
        found
            .differing
            .extend(repo::differing(pool, range, left).await?);
        if leaves.is_empty() {
            break;
        }
    }
    found.heads = edge.size();
    // Leaves behind the newest checkpoint are those of one that was made meanwhile.
    if states.is_wrong || edge.size() < newest.state.size {
        found.fault = Some(WRONG_ROOT);
    }
    Ok(found)
}

/// The checkpoints in their order, compared with a log that grows leaf by leaf.
struct States {
    ahead: VecDeque<Published>,
    /// Behind this number none was read yet; none once all were.
    read_to: Option<i64>,
    is_wrong: bool,
}

impl States {
    fn new() -> Self {
        Self {
            ahead: VecDeque::new(),
            read_to: Some(0),
            is_wrong: false,
        }
    }

    /// Compares the checkpoints of the size that the log has reached.
    async fn reach(&mut self, pool: &Pool, edge: &Edge) -> Result<(), WalletError> {
        loop {
            if let Some(number) = self.read_to.filter(|_| self.ahead.is_empty()) {
                let page = repo::following(pool, number, CHECKPOINTS_PAGE).await?;
                self.read_to = page.last().map(|last| last.number);
                self.ahead.extend(page);
            }
            let Some(next) = self.ahead.front().filter(|it| it.state.size <= edge.size()) else {
                return Ok(());
            };
            // One of a smaller size was never reached: sizes only grow.
            self.is_wrong |= next.state.size < edge.size() || next.state.root != edge.root();
            self.ahead.pop_front();
        }
    }
}
