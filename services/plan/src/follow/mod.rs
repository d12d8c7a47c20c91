//! Following proxy operators: a user follows one at a time, and the history stays.
//!
//! | use case | statement |
//! |---|---|
//! | follow | under the user's lock: one record ends, one begins, both counts change |
//! | list | a range of the index by user, newest first |
//! | current operators | index `follows_current`, one row a user |

mod repo;

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::error::PlanError;
use crate::ids::{FollowId, OperatorId};
use crate::order;

/// One stretch of following an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Its id.
    pub id: FollowId,
    /// The operator.
    pub operator_id: OperatorId,
    /// The operator's name.
    pub operator_name: String,
    /// When it began.
    pub followed_at: DateTime<Utc>,
    /// When it ended; none while it lasts.
    pub ended_at: Option<DateTime<Utc>>,
}

/// The operator whom a user follows now.
#[derive(Clone, Copy, Debug)]
pub struct Current {
    /// The user.
    pub user_id: UserId,
    /// The operator.
    pub operator_id: OperatorId,
}

/// Follows the operator whose id a person typed, instead of the current one. Once per idempotency
/// key.
pub async fn follow(
    app: &App,
    once: Once<Follow>,
    user: UserId,
    typed: &str,
) -> Result<Answer<Follow>, PlanError> {
    let unknown = || Refusal::new(Reason::FollowIdError).field("operator_id");
    let operator: OperatorId = typed.trim().parse().map_err(|_| unknown())?;
    let (ids, now) = (app.ids.clone(), app.clock.now());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            // Two calls of one user queue up here, so the second sees what the first has done.
            order::repo::lock_users_in_tx(tx, &[user]).await?;
            let current = repo::current_in_tx(tx, user).await?;
            if current == Some(operator) {
                return Err(Refusal::new(Reason::FollowIdCurrent)
                    .field("operator_id")
                    .into());
            }
            let names = repo::lock_operators_in_tx(tx, current, operator).await?;
            let name = names.into_iter().find(|(known, _)| *known == operator);
            let (_, operator_name) = name.ok_or_else(unknown)?;
            repo::end_in_tx(tx, user, now).await?;
            let follow = Follow {
                // Made under the lock, so that ids are in the order of the changes.
                id: FollowId(ids.next()),
                operator_id: operator,
                operator_name,
                followed_at: now,
                ended_at: None,
            };
            repo::insert_in_tx(tx, user, &follow).await?;
            repo::count_in_tx(tx, current, operator).await?;
            Ok(follow)
        })
    })
    .await
}

/// A user's follows older than `before`, newest first.
pub async fn list(
    app: &App,
    user: UserId,
    before: Option<FollowId>,
    fetch: i64,
) -> Result<Vec<Follow>, PlanError> {
    repo::list(&app.reads, user, before, fetch).await
}

/// The operator whom a user follows now.
pub async fn current(app: &App, user: UserId) -> Result<Option<OperatorId>, PlanError> {
    let found = repo::current_of(&app.pool, &[user]).await?;
    Ok(found.first().map(|current| current.operator_id))
}

/// The operators whom users follow now. Users who follow nobody are left out.
pub async fn current_of(app: &App, users: &[UserId]) -> Result<Vec<Current>, PlanError> {
    repo::current_of(&app.pool, users).await
}

/// Up to `limit` users who follow an operator now, in order of id.
pub async fn followers_in_tx(
    tx: &mut Tx,
    operator: OperatorId,
    limit: i64,
) -> Result<Vec<UserId>, PlanError> {
    repo::followers_in_tx(tx, operator, limit).await
}
