//! Statements: every transaction of a month with its place in the user's hash chain.

mod repo;

use adfolio_kit::db::Pool;
use adfolio_kit::identity::{Caller, UserId};
use futures::stream::{self, Stream};

use crate::app::App;
use crate::chain::entity::Link;
use crate::error::WalletError;
use crate::flow::entity::Month;
use crate::ids::ReferenceId;

/// Transactions of a piece.
const PIECE: i64 = 500;

/// A transaction as a statement shows it.
#[derive(Clone, Debug)]
pub struct Row {
    pub link: Link,
    pub reference: Option<ReferenceId>,
    /// Staff's remark.
    pub remark: String,
    pub previous_hash: Vec<u8>,
}

/// Where a statement goes on.
struct Position {
    pool: Pool,
    user_id: UserId,
    next: i64,
    behind: i64,
    is_first: bool,
}

/// The pieces of a month's statement, oldest first; the first comes even when it is empty. The statement leaves out what
/// is posted while it is read.
pub async fn pieces(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    month: &str,
) -> Result<impl Stream<Item = Result<Vec<Row>, WalletError>> + Send + use<>, WalletError> {
    let month = Month::parse(month, caller.time_zone)?;
    let (first, behind) = repo::bounds(&app.reads, user_id, month.start, month.end).await?;
    let position = Position {
        pool: app.reads.clone(),
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
