//! Proxy operators, on whose behalf plans are pushed.

mod repo;

use adfolio_kit::audit;
use adfolio_kit::db;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::MessageOnce;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::plan::v1::CreateOperatorResponse;
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;

/// A proxy operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its id.
    pub id: Uuid,
    /// Name shown.
    pub name: String,
    /// Users who follow now.
    pub followers: i64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// The cursors of the list of operators.
pub fn cursor() -> Cursor {
    Cursor::new("operators", "")
}

/// Creates an operator, once per idempotency key.
pub async fn create(
    app: &App,
    caller: &Caller,
    once: MessageOnce,
    name: String,
) -> Result<CreateOperatorResponse, PlanError> {
    let operator = Operator {
        id: app.ids.next(),
        name,
        followers: 0,
        created_at: app.clock.now(),
    };
    let caller = caller.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if let Some(earlier) = once.earlier_in_tx(tx).await? {
                return Ok(earlier);
            }
            repo::insert_in_tx(tx, &operator).await?;
            audit::Entry::new("plan.create_operator", operator.id)
                .after(&json!({ "name": operator.name }))?
                .record_in_tx(tx, &caller, operator.created_at)
                .await?;
            let answer = CreateOperatorResponse {
                operator: Some(operator.into()),
            };
            once.keep_in_tx(tx, &answer).await?;
            Ok(answer)
        })
    })
    .await
}

/// Refuses an operator that does not exist.
pub async fn check_exists(app: &App, id: Uuid) -> Result<(), PlanError> {
    if repo::exists(&app.pool, id).await? {
        Ok(())
    } else {
        Err(Refusal::not_found("operator_id").into())
    }
}

/// A page of operators, newest first, and the next cursor.
pub async fn list(
    app: &App,
    page: Page,
    before: Option<Uuid>,
) -> Result<(Vec<Operator>, Option<String>), PlanError> {
    let rows = repo::list(&app.pool, before.unwrap_or(Uuid::max()), page.fetch()).await?;
    Ok(page.cut(rows, |last| cursor().encode(&[&last.id.to_string()])))
}
