//! The SQL of registered sources.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::signing_key::{Kid, PublicKey};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Channel, Silence, Source, SourceKey};
use crate::error::PlanError;

struct SourceRow {
    source: String,
    channels: Vec<String>,
    kid: Option<Kid>,
    public_key: Option<Vec<u8>>,
    added_by: Option<Uuid>,
    added_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
}

/// A query for sources with their keys: what follows FROM, and its arguments.
macro_rules! query_sources {
    ($condition:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            SourceRow,
            r#"SELECT s.source, s.channels, k.kid AS "kid?: Kid", k.public_key AS "public_key?", k.added_by AS "added_by?",
                k.added_at AS "added_at?", k.revoked_at
         FROM report_sources s LEFT JOIN report_source_keys k ON k.source = s.source
         WHERE "# + $condition + " ORDER BY s.source, k.added_at, k.kid"
            $(, $argument)*
        )
    };
}

/// All sources, by name.
pub(super) async fn list(pool: &Pool) -> Result<Vec<Source>, PlanError> {
    let rows = query_sources!("true").fetch_all(pool).await?;
    sources(rows)
}

/// One source.
pub(super) async fn find(pool: &Pool, source: &str) -> Result<Option<Source>, PlanError> {
    let rows = query_sources!("s.source = $1", source)
        .fetch_all(pool)
        .await?;
    Ok(sources(rows)?.pop())
}

/// One source that the transaction has locked.
pub(super) async fn locked_in_tx(tx: &mut Tx, source: &str) -> Result<Source, PlanError> {
    let rows = query_sources!("s.source = $1", source)
        .fetch_all(tx)
        .await?;
    let found = sources(rows)?.pop();
    found.ok_or_else(|| CoreError::Corrupt("report_sources.source").into())
}

fn sources(rows: Vec<SourceRow>) -> Result<Vec<Source>, PlanError> {
    let mut sources: Vec<Source> = Vec::new();
    for row in rows {
        if sources.last().is_none_or(|last| last.name != row.source) {
            sources.push(Source {
                name: row.source,
                channels: channels(&row.channels)?,
                keys: Vec::new(),
            });
        }
        let (Some(source), Some(kid), Some(public_key), Some(added_by), Some(added_at)) = (
            sources.last_mut(),
            row.kid,
            row.public_key,
            row.added_by,
            row.added_at,
        ) else {
            continue;
        };
        let public_key = public_key.try_into();
        source.keys.push(SourceKey {
            kid,
            public_key: PublicKey(
                public_key.map_err(|_| CoreError::Corrupt("report_source_keys.public_key"))?,
            ),
            added_by,
            added_at,
            revoked_at: row.revoked_at,
        });
    }
    Ok(sources)
}

fn channels(names: &[String]) -> Result<Vec<Channel>, PlanError> {
    let channels: Option<Vec<Channel>> =
        names.iter().map(|name| Channel::from_name(name)).collect();
    channels.ok_or_else(|| CoreError::Corrupt("report_sources.channels").into())
}

/// How a source may report; none if it is not registered.
pub(super) async fn channels_in_tx(
    tx: &mut Tx,
    source: &str,
) -> Result<Option<Vec<Channel>>, PlanError> {
    let names = sqlx::query_scalar!(
        "SELECT channels FROM report_sources WHERE source = $1",
        source
    )
    .fetch_optional(tx)
    .await?;
    names.map(|names| channels(&names)).transpose()
}

/// Registers a source unless it is; then locks it, and answers how it may report so far.
pub(super) async fn register_in_tx(
    tx: &mut Tx,
    source: &str,
    new: &[Channel],
    now: DateTime<Utc>,
) -> Result<Option<Vec<Channel>>, PlanError> {
    let inserted = sqlx::query!(
        "INSERT INTO report_sources (source, channels, registered_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        source,
        &names(new),
        now,
    )
    .execute(&mut *tx)
    .await?;
    if inserted.rows_affected() == 1 {
        return Ok(None);
    }
    lock_in_tx(tx, source).await.map(Some)
}

/// Locks a source, and answers how it may report; or NOT_FOUND of `source`.
pub(super) async fn lock_in_tx(tx: &mut Tx, source: &str) -> Result<Vec<Channel>, PlanError> {
    let names = sqlx::query_scalar!(
        "SELECT channels FROM report_sources WHERE source = $1 FOR UPDATE",
        source
    )
    .fetch_optional(tx)
    .await?;
    channels(&names.ok_or_else(|| Refusal::not_found("source"))?)
}

/// Changes how a source may report.
pub(super) async fn change_in_tx(
    tx: &mut Tx,
    source: &str,
    new: &[Channel],
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE report_sources SET channels = $2 WHERE source = $1",
        source,
        &names(new),
    )
    .execute(tx)
    .await?;
    Ok(())
}

fn names(channels: &[Channel]) -> Vec<String> {
    let names = channels.iter().map(|channel| channel.as_str().to_owned());
    names.collect()
}

/// Adds a key; false if a source has, or had, the same one.
pub(super) async fn insert_key_in_tx(
    tx: &mut Tx,
    source: &str,
    key: &PublicKey,
    added_by: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, PlanError> {
    let kid = key.kid();
    let inserted = sqlx::query!(
        "INSERT INTO report_source_keys (kid, source, public_key, added_by, added_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT ON CONSTRAINT report_source_keys_kid DO NOTHING",
        kid.as_str(),
        source,
        &key.0[..],
        added_by,
        now,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// The source of a key.
pub(super) async fn source_of_key_in_tx(
    tx: &mut Tx,
    kid: &Kid,
) -> Result<Option<String>, PlanError> {
    let source = sqlx::query_scalar!(
        "SELECT source FROM report_source_keys WHERE kid = $1",
        kid.as_str(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(source)
}

/// Revokes a key; false if it was revoked before.
pub(super) async fn revoke_key_in_tx(
    tx: &mut Tx,
    kid: &Kid,
    now: DateTime<Utc>,
) -> Result<bool, PlanError> {
    let revoked = sqlx::query!(
        "UPDATE report_source_keys SET revoked_at = $2 WHERE kid = $1 AND revoked_at IS NULL",
        kid.as_str(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(revoked.rows_affected() == 1)
}

/// Whether a key is valid; it stays so until the transaction ends.
pub(super) async fn share_valid_key_in_tx(tx: &mut Tx, kid: &Kid) -> Result<bool, PlanError> {
    let row = sqlx::query!(
        "SELECT FROM report_source_keys WHERE kid = $1 AND revoked_at IS NULL FOR SHARE",
        kid.as_str(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.is_some())
}

/// When sources last reported, the longest silent first. Of one day the time may be missing: then the day counts.
pub(super) async fn silences(pool: &Pool, limit: i64) -> Result<Vec<Silence>, PlanError> {
    let silences = sqlx::query_as!(
        Silence,
        r#"WITH known AS (
               SELECT source FROM report_sources UNION SELECT source FROM networks WHERE state = 'active')
           SELECT k.source AS "source!", d.reported_at AS "reported_at?"
           FROM known k LEFT JOIN LATERAL (
               SELECT greatest(last_at, day::timestamp AT TIME ZONE 'UTC') AS reported_at FROM reported_days
               WHERE source = k.source AND kind = 'source' AND subject = $1 ORDER BY day DESC LIMIT 1) d ON true
           ORDER BY d.reported_at NULLS FIRST, k.source LIMIT $2"#,
        Uuid::nil(),
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(silences)
}
