//! Statements: every transaction of a month with its place in the user's hash chain.

mod repo;

use adfolio_kit::identity::Caller;
use chrono::{DateTime, Utc};
use futures::stream::{self, Stream};
use sqlx::PgPool;
use uuid::Uuid;

use crate::app::App;
use crate::error::WalletError;
use crate::flow::entity::Month;

/// Transactions of a piece.
const PIECE: i64 = 500;

/// A transaction as a statement shows it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Number in the user's chain.
    pub seq: i64,
    /// When it was posted.
    pub posted_at: DateTime<Utc>,
    /// The transaction.
    pub id: Uuid,
    /// Its type.
    pub kind: String,
    /// Changes of the four balances.
    pub changes: [i64; 4],
    /// The four balances after.
    pub after: [i64; 4],
    /// What it belongs to.
    pub reference: Option<Uuid>,
    /// Staff's remark.
    pub remark: String,
    /// Hash of the chain before.
    pub previous_hash: Vec<u8>,
    /// Hash of the chain at this transaction.
    pub hash: Vec<u8>,
}

/// Where a statement goes on.
struct Position {
    pool: PgPool,
    user_id: Uuid,
    next: i64,
    behind: i64,
    is_first: bool,
}

/// The pieces of a month's statement, oldest first; the first comes even when it is empty. What is posted while it is read
/// is not in it, unless it was there when the reading began.
pub async fn pieces(
    app: &App,
    caller: &Caller,
    user_id: Uuid,
    month: &str,
) -> Result<impl Stream<Item = Result<Vec<Row>, WalletError>> + Send + use<>, WalletError> {
    let month = Month::parse(month, caller.time_zone)?;
    let (first, behind) = repo::bounds(&app.pool, user_id, month.start, month.end).await?;
    let position = Position {
        pool: app.pool.clone(),
        user_id,
        next: first,
        behind,
        is_first: true,
    };
    Ok(stream::try_unfold(position, next_piece))
}

async fn next_piece(mut position: Position) -> Result<Option<(Vec<Row>, Position)>, WalletError> {
    if position.next >= position.behind && !position.is_first {
        return Ok(None);
    }
    let end = position.behind.min(position.next.saturating_add(PIECE));
    let rows = repo::rows(&position.pool, position.user_id, position.next, end).await?;
    position.next = end;
    position.is_first = false;
    Ok(Some((rows, position)))
}
