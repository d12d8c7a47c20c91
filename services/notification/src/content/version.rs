//! The versions of the content: who changed what, when and why, and going back.

use std::collections::BTreeMap;
use std::sync::Arc;

use adfolio_kit::db::Tx;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgExecutor;

use super::built_in::BuiltIn;
use super::entity::{Change, Changed, Content, Edition};
use super::repo;
use crate::app::App;
use crate::error::NotificationError;
use crate::ids::StaffId;
use crate::service_entry;

/// A change of the content.
#[derive(Clone, Debug)]
pub struct Version {
    pub number: i64,
    /// The parts that it changed.
    pub parts: Vec<String>,
    /// None for the first: it is what stood before.
    pub made_by: Option<StaffId>,
    pub made_at: DateTime<Utc>,
    pub reason: String,
    /// The version that it restored.
    pub restored: Option<i64>,
}

/// Who makes a version, when and why.
#[derive(Clone, Debug)]
pub struct Made {
    pub by: Option<StaffId>,
    pub at: DateTime<Utc>,
    pub reason: String,
    pub restored: Option<i64>,
}

impl Made {
    /// By the member of staff who calls.
    pub fn by(caller: &Caller, now: DateTime<Utc>) -> Self {
        Self {
            by: caller.staff.map(|staff| StaffId(staff.id)),
            at: now,
            reason: caller.reason.clone(),
            restored: None,
        }
    }
}

/// What is restored.
#[derive(Clone, Debug)]
pub struct Restoration {
    pub number: i64,
    pub parts: Vec<String>,
    /// The version that stands, if it was named.
    pub current: Option<i64>,
    pub reason: String,
}

/// Versions before that number, newest first.
pub async fn versions(
    app: &App,
    before: Option<i64>,
    fetch: i64,
) -> Result<Vec<Version>, NotificationError> {
    let versions = sqlx::query_as!(
        Version,
        r#"SELECT number, parts, made_by AS "made_by: _", made_at, reason, restored
           FROM content_versions WHERE number < $1 ORDER BY number DESC LIMIT $2"#,
        before.unwrap_or(i64::MAX),
        fetch,
    )
    .fetch_all(&app.pool)
    .await?;
    Ok(versions)
}

/// A version, with all content as it left it.
pub async fn at_version(app: &App, number: i64) -> Result<(Version, Content), NotificationError> {
    let version = sqlx::query_as!(
        Version,
        r#"SELECT number, parts, made_by AS "made_by: _", made_at, reason, restored
           FROM content_versions WHERE number = $1"#,
        number,
    )
    .fetch_optional(&app.pool)
    .await?
    .ok_or_else(unknown)?;
    // Versions never change, so this need not be the same statement.
    let content = load(&app.pool, number, &app.built_in).await?;
    Ok((version, content))
}

/// Makes parts again what an old version left them.
pub async fn restore(
    app: &App,
    once: Once<Edition>,
    caller: &Caller,
    restoration: Restoration,
) -> Result<Answer<Edition>, NotificationError> {
    let (built_in, now) = (Arc::clone(&app.built_in), app.clock.now());
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::lock_in_tx(tx).await?;
            let before = repo::load(&mut *tx, &built_in).await?;
            let Restoration {
                number,
                parts,
                current,
                reason,
            } = restoration;
            if !(1..=before.version).contains(&number) {
                return Err(unknown().into());
            }
            if current.is_some_and(|current| current != before.version) {
                return Err(changed_meanwhile("current").into());
            }
            let old = load(&mut *tx, number, &built_in).await?;
            let made = Made {
                reason,
                restored: Some(number),
                ..Made::by(&caller, now)
            };
            let stood = before.version;
            let change = Change::back_to(old, &parts);
            let after = super::replace_in_tx(tx, &caller, before, change, &built_in, made).await?;
            if after.version == stood {
                return Err(Refusal::new(Reason::NothingChanged).into());
            }
            Ok(after)
        })
    })
    .await
}

/// CHANGED_MEANWHILE if one of the parts was changed after that version. The content is locked.
pub async fn require_unchanged_in_tx(
    tx: &mut Tx,
    stands: &Edition,
    version: i64,
    parts: &[String],
) -> Result<(), NotificationError> {
    if !(1..=stands.version).contains(&version) {
        return Err(Refusal::invalid("version").into());
    }
    let changed = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM content_version_parts WHERE part = ANY($1) AND version > $2) AS "changed!""#,
        parts,
        version,
    )
    .fetch_one(tx)
    .await?;
    if changed {
        Err(changed_meanwhile("version").into())
    } else {
        Ok(())
    }
}

/// Writes a version. The content is locked.
pub async fn insert_in_tx(
    tx: &mut Tx,
    number: i64,
    changed: &[Changed],
    made: &Made,
) -> Result<(), NotificationError> {
    let parts: Vec<String> = changed.iter().map(|one| one.part.to_owned()).collect();
    let values: Vec<Value> = changed.iter().map(|one| one.is.clone()).collect();
    sqlx::query!(
        "INSERT INTO content_versions (number, parts, made_by, made_at, reason, restored) VALUES ($1, $2, $3, $4, $5, $6)",
        number,
        &parts,
        made.by.map(|by| by.0),
        made.at,
        made.reason,
        made.restored,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "INSERT INTO content_version_parts (part, version, value)
         SELECT part, $1, value FROM UNNEST($2::text[], $3::jsonb[]) AS changed (part, value)",
        number,
        &parts,
        &values,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The content as a version left it: of each part the last row up to it, which is one look at an index.
async fn load(
    executor: impl PgExecutor<'_>,
    number: i64,
    built_in: &BuiltIn,
) -> Result<Content, NotificationError> {
    let names: Vec<String> = super::PARTS.iter().map(|part| (*part).to_owned()).collect();
    let rows = sqlx::query!(
        r#"SELECT found.part AS "part!", found.value AS "value!"
           FROM UNNEST($2::text[]) AS name (part)
           CROSS JOIN LATERAL (SELECT one.part, one.value FROM content_version_parts AS one
                               WHERE one.part = name.part AND one.version <= $1
                               ORDER BY one.version DESC LIMIT 1) AS found"#,
        number,
        &names,
    )
    .fetch_all(executor)
    .await?;
    let mut parts: BTreeMap<String, Value> =
        rows.into_iter().map(|row| (row.part, row.value)).collect();
    let mut entries = |part| {
        let value = parts.remove(part);
        value.map_or(Ok(Vec::new()), service_entry::list_from_json)
    };
    let entries = (
        entries("customer_service")?,
        entries("recharge_customer_service")?,
    );
    repo::from_parts(parts, entries, built_in)
}

fn unknown() -> Refusal {
    Refusal::not_found("version")
}

fn changed_meanwhile(field: &str) -> Refusal {
    Refusal::new(Reason::ChangedMeanwhile).field(field)
}
