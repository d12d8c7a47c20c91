//! Proxy operators, on whose behalf plans are pushed.

mod repo;

use adfolio_kit::audit;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::app::App;
use crate::error::PlanError;
use crate::ids::OperatorId;

/// A proxy operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its id.
    pub id: OperatorId,
    /// Name shown.
    pub name: String,
    /// Users who follow now.
    pub followers: i64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// Creates an operator, once per idempotency key.
pub async fn create(
    app: &App,
    once: Once<Operator>,
    caller: &Caller,
    name: String,
) -> Result<Answer<Operator>, PlanError> {
    let operator = Operator {
        id: OperatorId(app.ids.next()),
        name,
        followers: 0,
        created_at: app.clock.now(),
    };
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &operator).await?;
            audit::Entry::new("plan.create_operator", operator.id)
                .after(&json!({ "name": operator.name }))?
                .record_in_tx(tx, &caller, operator.created_at)
                .await?;
            Ok(operator)
        })
    })
    .await
}

/// NOT_FOUND unless the operator exists.
pub async fn require(app: &App, id: OperatorId) -> Result<(), PlanError> {
    if repo::exists(&app.pool, id).await? {
        Ok(())
    } else {
        Err(Refusal::not_found("operator_id").into())
    }
}

/// Operators older than `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<OperatorId>,
    fetch: i64,
) -> Result<Vec<Operator>, PlanError> {
    repo::list(&app.pool, before, fetch).await
}
