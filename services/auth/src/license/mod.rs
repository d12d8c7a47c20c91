//! Licence keys: staff issue them, each opens one account.

pub mod entity;
mod repo;

use std::collections::{HashMap, HashSet};

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tracing::info;

pub use entity::{Code, Issue, LicenseKey};

use crate::app::App;
use crate::error::AuthError;
use crate::ids::{LicenseKeyId, StaffId};

/// Issues keys, in the order asked for. A code that exists already is answered as it is. A repeat of a keyed call
/// with the same request returns the same keys in their present state.
pub async fn issue(
    app: &App,
    caller: Caller,
    staff: Staff,
    digest: [u8; 32],
    issue: Issue,
) -> Result<Vec<LicenseKey>, AuthError> {
    let encode = |keys: &Vec<LicenseKey>| kept_codes(keys);
    let once = Once::keeping(&caller, staff.id, digest, encode);
    let owned = app.clone();
    let keys = app
        .write(move |tx| {
            Box::pin(async move {
                if let Some(Answer::Kept(codes)) = once.earlier_in_tx(tx).await? {
                    return find_in_order_in_tx(tx, &codes_kept(&codes)).await;
                }
                let keys = issue_in_tx(tx, &owned, &caller, staff, &issue).await?;
                once.keep_in_tx(tx, keys.clone()).await?;
                Ok::<_, AuthError>(keys)
            })
        })
        .await?;
    info!(staff = %staff.id, action = "issue licence keys", count = keys.len(), "staff action");
    Ok(keys)
}

async fn issue_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    staff: Staff,
    issue: &Issue,
) -> Result<Vec<LicenseKey>, AuthError> {
    let mut seen = HashSet::new();
    let distinct: Vec<Code> = issue
        .codes
        .iter()
        .filter(|code| seen.insert(code.expose()))
        .cloned()
        .collect();
    let keys = repo::NewKeys {
        ids: distinct
            .iter()
            .map(|_| LicenseKeyId(app.ids.next()))
            .collect(),
        codes: distinct,
        note: issue.note.clone(),
        activate: issue.activate,
        created_by: StaffId(staff.id),
        created_at: app.clock.now(),
    };
    let added = repo::insert_in_tx(tx, &keys).await?;
    if added > 0 {
        audit_entry(&keys, added)?
            .record_in_tx(tx, caller, keys.created_at)
            .await?;
    }
    find_in_order_in_tx(tx, &issue.codes).await
}

/// The audit entry of an issue. A code is worth an account, so only its end is recorded.
fn audit_entry(keys: &repo::NewKeys, added: u64) -> Result<audit::Entry, AuthError> {
    let masked = |code: Option<&Code>| code.map(Code::masked).unwrap_or_default();
    let (first, last) = (masked(keys.codes.first()), masked(keys.codes.last()));
    let after = json!({
        "count": added, "first": first, "last": last, "note": keys.note, "activate": keys.activate,
    });
    Ok(audit::Entry::new("auth.create_license_keys", &first).after(&after)?)
}

/// The codes as a keyed call keeps them: a line each.
fn kept_codes(keys: &[LicenseKey]) -> Vec<u8> {
    let codes: Vec<&str> = keys.iter().map(|key| key.code.expose()).collect();
    codes.join("\n").into_bytes()
}

fn codes_kept(bytes: &[u8]) -> Vec<Code> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(|code| code.to_owned().into()).collect()
}

async fn find_in_order_in_tx(tx: &mut Tx, codes: &[Code]) -> Result<Vec<LicenseKey>, AuthError> {
    let found = repo::find_all_in_tx(tx, codes).await?;
    let by_code: HashMap<&str, &LicenseKey> =
        found.iter().map(|key| (key.code.expose(), key)).collect();
    Ok(codes
        .iter()
        .filter_map(|code| by_code.get(code.expose()).map(|key| (*key).clone()))
        .collect())
}

/// The code typed into `field` if its key is unused, or why it opens no account. For a check before costly work;
/// [`take_in_tx`] decides.
pub async fn check(app: &App, code: &SecretString, field: &'static str) -> Result<Code, AuthError> {
    let unknown = || AuthError::LicenseUnknown(field);
    let code = Code::parse(code.expose_secret()).ok_or_else(unknown)?;
    let key = repo::find(&app.pool, &code).await?.ok_or_else(unknown)?;
    key.require_unused(field)?;
    Ok(code)
}

/// Locks the unused key of the code in `field`, for the account that is being opened in this transaction.
pub async fn take_in_tx(
    tx: &mut Tx,
    code: &Code,
    field: &'static str,
) -> Result<LicenseKey, AuthError> {
    let key = repo::lock_in_tx(tx, code)
        .await?
        .ok_or(AuthError::LicenseUnknown(field))?;
    key.require_unused(field)?;
    Ok(key)
}

/// Marks a taken key as used by the account, which exists by now.
pub async fn spend_in_tx(
    tx: &mut Tx,
    key: &LicenseKey,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    Ok(repo::mark_used_in_tx(tx, key.id, user, now).await?)
}

/// Keys issued before `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<LicenseKeyId>,
    fetch: i64,
) -> Result<Vec<LicenseKey>, AuthError> {
    Ok(repo::list(&app.reads, before, fetch).await?)
}
