//! Native host shells that vouch for their users: registered by admins, each with keys of its own.
//!
//! A host signs an assertion for a user who opens Adfolio from its shell ([`assertion`]), and the assertion opens one
//! session. No member of staff takes part, so none can become a user. Revoking a key ends the sessions opened with it.

pub mod assertion;
pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, cut_reason};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::signing_key::{Kid, PublicKey};
use chrono::{DateTime, Utc};
use serde_json::json;
use tracing::info;

pub use entity::{Host, HostKey};

use crate::app::App;
use crate::error::AuthError;
use crate::ids::HostId;
use assertion::{Assertion, Claims};

/// Longest name of a host; also the column's.
const LONGEST_NAME: usize = 100;

/// Registers a host with its first key. A repeat is answered with the host.
pub async fn create(
    app: &App,
    caller: Caller,
    name: &str,
    public_key: &str,
) -> Result<Host, AuthError> {
    let name = adfolio_kit::wire::line(name, LONGEST_NAME, "name")?;
    let key = PublicKey::from_pem(public_key)?;
    let (id, now) = (HostId(app.ids.next()), app.clock.now());
    let host = app
        .write(move |tx| {
            Box::pin(async move {
                if !repo::insert_in_tx(tx, id, &name, now).await? {
                    return repo::find_alike_in_tx(tx, &name, &key)
                        .await?
                        .ok_or(AuthError::HostNameTaken);
                }
                add_key_in_tx(tx, id, &key, now).await?;
                audit::Entry::new("auth.create_host", id)
                    .after(&json!({"name": name, "kid": key.kid().as_str()}))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                stored_in_tx(tx, id).await
            })
        })
        .await?;
    info!(action = "create host", target = %host.id, "staff action");
    Ok(host)
}

/// Adds a key to a host. A repeat is answered with the host.
pub async fn add_key(
    app: &App,
    caller: Caller,
    id: HostId,
    public_key: &str,
) -> Result<Host, AuthError> {
    let key = PublicKey::from_pem(public_key)?;
    let now = app.clock.now();
    let host = app
        .write(move |tx| {
            Box::pin(async move {
                let host = stored_in_tx(tx, id).await?;
                if host.has_valid(&key.kid()) {
                    return Ok(host);
                }
                add_key_in_tx(tx, id, &key, now).await?;
                audit::Entry::new("auth.add_host_key", id)
                    .after(&json!({"kid": key.kid().as_str()}))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                stored_in_tx(tx, id).await
            })
        })
        .await?;
    info!(action = "add host key", target = %id, "staff action");
    Ok(host)
}

/// Revokes a key, or NOTHING_CHANGED. From its commit on nothing it signed is accepted, and its sessions are over.
pub async fn revoke_key(
    app: &App,
    caller: Caller,
    kid: Kid,
    reason: &str,
) -> Result<Host, AuthError> {
    let (reason, now) = (cut_reason(reason), app.clock.now());
    let host = app
        .write(move |tx| {
            Box::pin(async move {
                let known = repo::lock_key_in_tx(tx, &kid).await?;
                let (id, revoked_at) = known.ok_or_else(|| Refusal::not_found("kid"))?;
                if revoked_at.is_some() {
                    return Err(Refusal::new(Reason::NothingChanged).into());
                }
                repo::revoke_key_in_tx(tx, &kid, now).await?;
                audit::Entry::new("auth.revoke_host_key", id)
                    .reason(reason)
                    .before(&json!({"kid": kid.as_str()}))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                stored_in_tx(tx, id).await
            })
        })
        .await?;
    info!(action = "revoke host key", target = %host.id, "staff action");
    Ok(host)
}

/// All hosts, oldest first. There are as many as partners run shells.
pub async fn list(app: &App) -> Result<Vec<Host>, AuthError> {
    Ok(repo::list(&app.pool).await?)
}

/// A host, or NOT_FOUND of `host_id`.
pub async fn stored_in_tx(tx: &mut Tx, id: HostId) -> Result<Host, AuthError> {
    let host = repo::find_in_tx(tx, id).await?;
    host.ok_or_else(|| Refusal::not_found("host_id").into())
}

/// Whether this is the only host.
pub async fn is_only_one_in_tx(tx: &mut Tx, id: HostId) -> Result<bool, AuthError> {
    Ok(repo::is_only_one_in_tx(tx, id).await?)
}

/// What a host asserts, or ASSERTION_REJECTED. Nothing is used up yet.
pub async fn verify(app: &App, text: &str) -> Result<Assertion, AuthError> {
    let kid = assertion::kid_of(text)?;
    let known = repo::find_valid_key(&app.pool, &kid).await?;
    let (host, key) = known.ok_or_else(|| assertion::rejected("no valid key has this kid"))?;
    let claims = Claims::verify(text, &key, app.clock.now())?;
    Ok(Assertion { host, kid, claims })
}

/// Uses an assertion up: ASSERTION_REJECTED if it was used before, or its key was revoked meanwhile.
pub async fn use_in_tx(tx: &mut Tx, assertion: &Assertion) -> Result<(), AuthError> {
    // Shared: a revocation waits for this transaction, or this one sees it.
    if !repo::share_valid_key_in_tx(tx, &assertion.kid).await? {
        return Err(assertion::rejected("the key was revoked").into());
    }
    if !repo::insert_assertion_in_tx(tx, assertion).await? {
        return Err(assertion::rejected("the assertion was used before").into());
    }
    Ok(())
}

/// Deletes a batch of used assertions that nobody could use again.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let before = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before).await?) })
    })
    .await
}

async fn add_key_in_tx(
    tx: &mut Tx,
    id: HostId,
    key: &PublicKey,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    if repo::insert_key_in_tx(tx, id, key, now).await? {
        Ok(())
    } else {
        // A key belongs to one host, and one that was revoked never comes back.
        let refusal = Refusal::invalid("public_key").detail("the key is registered already");
        Err(refusal.into())
    }
}
