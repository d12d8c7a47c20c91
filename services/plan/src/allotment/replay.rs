//! What was decided, with everything that it was made of.

use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};

use super::repo;
use crate::app::App;
use crate::error::PlanError;

/// A stored decision. Its parts are the JSON of the types of `adfolio_placement`, unread: the
/// caller that makes the decision again reads them.
#[derive(Debug)]
pub struct Stored {
    pub begins_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// Names of the placements, in the order of the menu.
    pub placements: Vec<String>,
    pub menu: String,
    /// Millionths.
    pub shares: Vec<u32>,
    pub shape: String,
    pub inputs: String,
    pub decision: String,
}

/// The decision about a plan in the round at a time, or in its newest one; NOT_FOUND if none is kept.
pub async fn find(
    app: &App,
    plan_number: &str,
    at: Option<DateTime<Utc>>,
) -> Result<Stored, PlanError> {
    let found = repo::decision(&app.pool, plan_number, at).await?;
    found.ok_or_else(|| Refusal::not_found("plan_number").into())
}
