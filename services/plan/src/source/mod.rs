//! Who may report as a source, and how. Admins register sources; a source that is not registered may report in any way.
//!
//! A source with a valid key signs each of its files: the signature shows that the source wrote it, and not the person who
//! imports it. Reports over the network are not signed; there the adapter's certificate counts.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, cut_reason};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::signing_key::{Kid, PublicKey};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::{Channel, NAME_FORM, Silence, Source, SourceKey, is_name, is_word};

use crate::app::App;
use crate::error::PlanError;
use entity::wrong_signature;

/// Registers a source, or changes how it may report.
pub async fn save(
    app: &App,
    caller: Caller,
    source: String,
    mut channels: Vec<Channel>,
    reason: &str,
) -> Result<Source, PlanError> {
    if !is_name(&source) {
        return Err(Refusal::invalid("source").detail(NAME_FORM).into());
    }
    channels.sort_unstable_by_key(|channel| channel.as_str());
    channels.dedup();
    if channels.is_empty() {
        return Err(Refusal::invalid("channels").into());
    }
    let (reason, now) = (cut_reason(reason), app.clock.now());
    let saved = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let before = repo::register_in_tx(tx, &source, &channels, now).await?;
            if before.as_ref() == Some(&channels) {
                return repo::locked_in_tx(tx, &source).await;
            }
            if before.is_some() {
                repo::change_in_tx(tx, &source, &channels).await?;
            }
            let names = |channels: &[Channel]| -> Vec<&str> {
                channels.iter().map(|channel| channel.as_str()).collect()
            };
            let mut entry = audit::Entry::new("plan.save_report_source", &source)
                .reason(reason)
                .after(&json!({"channels": names(&channels)}))?;
            if let Some(before) = &before {
                entry = entry.before(&json!({"channels": names(before)}))?;
            }
            entry.record_in_tx(tx, &caller, now).await?;
            repo::locked_in_tx(tx, &source).await
        })
    })
    .await?;
    info!(action = "save report source", target = %saved.name, "staff action");
    Ok(saved)
}

/// Adds a key to a registered source. A repeat is answered with the source.
pub async fn add_key(
    app: &App,
    caller: Caller,
    source: String,
    public_key: &str,
) -> Result<Source, PlanError> {
    let key = PublicKey::from_pem(public_key)?;
    let (now, by) = (app.clock.now(), member(&caller));
    let changed = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::lock_in_tx(tx, &source).await?;
            let known = repo::locked_in_tx(tx, &source).await?;
            if known.valid_keys().any(|valid| valid.public_key == key) {
                return Ok(known);
            }
            if !repo::insert_key_in_tx(tx, &source, &key, by, now).await? {
                return Err(Refusal::invalid("public_key")
                    .detail("this key was registered before")
                    .into());
            }
            audit::Entry::new("plan.add_report_source_key", &source)
                .after(&json!({"kid": key.kid().as_str()}))?
                .record_in_tx(tx, &caller, now)
                .await?;
            repo::locked_in_tx(tx, &source).await
        })
    })
    .await?;
    info!(action = "add report source key", target = %changed.name, "staff action");
    Ok(changed)
}

/// Revokes a key, or NOTHING_CHANGED. What it signed is not accepted any more, and not released if it is proposed.
pub async fn revoke_key(
    app: &App,
    caller: Caller,
    kid: Kid,
    reason: &str,
) -> Result<Source, PlanError> {
    let (reason, now) = (cut_reason(reason), app.clock.now());
    let changed = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let source = repo::source_of_key_in_tx(tx, &kid).await?;
            let source = source.ok_or_else(|| Refusal::not_found("kid"))?;
            repo::lock_in_tx(tx, &source).await?;
            if !repo::revoke_key_in_tx(tx, &kid, now).await? {
                return Err(Refusal::new(Reason::NothingChanged).into());
            }
            audit::Entry::new("plan.revoke_report_source_key", &source)
                .reason(reason)
                .before(&json!({"kid": kid.as_str()}))?
                .record_in_tx(tx, &caller, now)
                .await?;
            repo::locked_in_tx(tx, &source).await
        })
    })
    .await?;
    info!(action = "revoke report source key", target = %changed.name, "staff action");
    Ok(changed)
}

/// When registered sources and those of active networks last reported, the longest silent first.
pub async fn silences(app: &App, limit: i64) -> Result<Vec<Silence>, PlanError> {
    repo::silences(&app.pool, limit).await
}

/// All registered sources, by name. There are as many as partners report.
pub async fn list(app: &App) -> Result<Vec<Source>, PlanError> {
    repo::list(&app.pool).await
}

/// Refuses a file before it is read: VALIDATION of `source` if the source reports otherwise, of `signature` if one is
/// missing or useless.
pub async fn admit_file(app: &App, source: &str, signature: &[u8]) -> Result<(), PlanError> {
    let known = repo::find(&app.pool, source).await?;
    if known
        .as_ref()
        .is_some_and(|known| !known.may_use(Channel::File))
    {
        let refusal = Refusal::invalid("source").detail("the source does not report by files");
        return Err(refusal.into());
    }
    let has_key = known.is_some_and(|known| known.valid_keys().next().is_some());
    match (has_key, signature.is_empty()) {
        (true, true) => Err(wrong_signature("files of this source are signed").into()),
        (false, false) => Err(wrong_signature("the source has no valid key").into()),
        (true, false) | (false, true) => Ok(()),
    }
}

/// The key that signed a file that was read; none without a signature.
pub async fn signer(
    app: &App,
    source: &str,
    sha256: [u8; 32],
    signature: &[u8],
) -> Result<Option<SourceKey>, PlanError> {
    if signature.is_empty() {
        return Ok(None);
    }
    let known = repo::find(&app.pool, source).await?;
    let known = known.ok_or_else(|| wrong_signature("the source has no valid key"))?;
    Ok(Some(known.signer(sha256, signature)?.clone()))
}

/// Whether a source may report over the network.
pub async fn may_use_network_in_tx(tx: &mut Tx, source: &str) -> Result<bool, PlanError> {
    let channels = repo::channels_in_tx(tx, source).await?;
    Ok(channels.is_none_or(|channels| channels.contains(&Channel::Network)))
}

/// Whether a key is valid; it stays so until the transaction ends.
pub async fn is_valid_key_in_tx(tx: &mut Tx, kid: &Kid) -> Result<bool, PlanError> {
    repo::share_valid_key_in_tx(tx, kid).await
}

/// The member of staff who acts; the nil id for adfolioctl.
fn member(caller: &Caller) -> Uuid {
    caller.staff.map_or(Uuid::nil(), |staff| staff.id)
}
