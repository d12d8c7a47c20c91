//! Following proxy operators: a user follows one at a time, and the history stays.
//!
//! | use case | statement |
//! |---|---|
//! | follow | under the user's lock: the open record ends, a new one begins, both operators' counts move |
//! | list | a range of the index by user, newest first |
//! | whom users follow now | index `follows_current`, one row a user |

mod repo;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::once::MessageOnce;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::plan::v1::FollowResponse;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::order;

/// One stretch of following an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Its id.
    pub id: Uuid,
    /// Whom.
    pub operator_id: Uuid,
    /// Their name.
    pub operator_name: String,
    /// Since when.
    pub followed_at: DateTime<Utc>,
    /// Until when; none while it lasts.
    pub ended_at: Option<DateTime<Utc>>,
}

/// The cursors of a user's follows.
pub fn cursor(user_id: Uuid) -> Cursor {
    Cursor::new("follows", &user_id.to_string())
}

/// Follows the operator whose id a person typed, instead of the one followed now. Once per idempotency key.
pub async fn follow(
    app: &App,
    user_id: Uuid,
    once: MessageOnce,
    typed: &str,
) -> Result<FollowResponse, PlanError> {
    let unknown = || Refusal::new(Reason::FollowIdError).field("operator_id");
    let operator_id: Uuid = typed.trim().parse().map_err(|_| unknown())?;
    let (ids, now) = (app.ids.clone(), app.clock.now());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if let Some(earlier) = once.earlier_in_tx(tx).await? {
                return Ok(earlier);
            }
            // Two calls of one user queue up here, so that the second sees what the first has done.
            order::repo::lock_users_in_tx(tx, &[user_id]).await?;
            let current = repo::current_in_tx(tx, user_id).await?;
            if current == Some(operator_id) {
                return Err(Refusal::new(Reason::FollowIdCurrent)
                    .field("operator_id")
                    .into());
            }
            let names = repo::lock_operators_in_tx(tx, current, operator_id).await?;
            let name = names.into_iter().find(|(known, _)| *known == operator_id);
            let (_, operator_name) = name.ok_or_else(unknown)?;
            repo::end_in_tx(tx, user_id, now).await?;
            let follow = Follow {
                // Made under the lock, so that the list is in the order of what happened.
                id: ids.next(),
                operator_id,
                operator_name,
                followed_at: now,
                ended_at: None,
            };
            repo::insert_in_tx(tx, user_id, &follow).await?;
            repo::count_in_tx(tx, current, operator_id).await?;
            let answer = FollowResponse {
                follow: Some(follow.into()),
            };
            once.keep_in_tx(tx, &answer).await?;
            Ok(answer)
        })
    })
    .await
}

/// A page of a user's follows, newest first, and the next cursor.
pub async fn list(
    app: &App,
    user_id: Uuid,
    page: Page,
    before: Option<Uuid>,
) -> Result<(Vec<Follow>, Option<String>), PlanError> {
    let before = before.unwrap_or(Uuid::max());
    let rows = repo::list(&app.pool, user_id, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| cursor(user_id).encode(&[&last.id.to_string()])))
}

/// Whom a user follows now.
pub async fn current(app: &App, user_id: Uuid) -> Result<Option<Uuid>, PlanError> {
    let found = repo::current_of(&app.pool, &[user_id]).await?;
    Ok(found.into_iter().next().map(|(_, operator_id)| operator_id))
}

/// Whom users follow now, as pairs of user and operator. Users who follow nobody are left out.
pub async fn current_of(app: &App, user_ids: &[Uuid]) -> Result<Vec<(Uuid, Uuid)>, PlanError> {
    repo::current_of(&app.pool, user_ids).await
}

/// Up to `limit` users who follow an operator now, in order of id.
pub async fn followers_in_tx(
    tx: &mut Tx,
    operator_id: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, PlanError> {
    repo::followers_in_tx(tx, operator_id, limit).await
}
