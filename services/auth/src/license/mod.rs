//! Licence keys: staff issue them, each opens one account.

mod entity;
mod repo;

use std::collections::{HashMap, HashSet};

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::idempotency::{Claim, claim_in_tx, store_in_tx};
use adfolio_kit::identity::{Caller, IdempotencyKey};
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::{Code, LicenseKey};

use crate::context::Context;
use crate::error::AuthError;

/// Most keys that one call issues.
const MOST_KEYS: usize = 500;

/// Longest note.
const LONGEST_NOTE: usize = 500;

/// What staff ask for.
#[derive(Clone, Debug)]
pub struct Issue {
    codes: Vec<Code>,
    note: String,
    activate: bool,
}

impl Issue {
    /// `count` random keys, or exactly the given codes.
    pub fn parse(
        count: u32,
        codes: &[String],
        note: &str,
        activate: bool,
    ) -> Result<Self, Refusal> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if !(1..=MOST_KEYS).contains(&count) || (!codes.is_empty() && codes.len() != count) {
            return Err(Refusal::invalid("count"));
        }
        if note.chars().count() > LONGEST_NOTE || note.contains('\0') {
            return Err(Refusal::invalid("note"));
        }
        let exact: Option<Vec<Code>> = codes.iter().map(|code| Code::parse(code)).collect();
        let exact = exact.ok_or_else(|| Refusal::invalid("codes"))?;
        let codes = if exact.is_empty() {
            (0..count).map(|_| Code::random()).collect()
        } else {
            exact
        };
        Ok(Self {
            codes,
            note: note.to_owned(),
            activate,
        })
    }
}

/// Who issues keys, and the key under which a repeated call is one call.
#[derive(Debug)]
pub struct Issuer {
    /// The staff member.
    pub staff: Uuid,
    /// The caller's key, with the digest of the request.
    pub key: Option<(IdempotencyKey, [u8; 32])>,
    /// The call, for the audit log.
    pub caller: Caller,
}

/// Issues keys, in the order asked for. A code that exists already is answered as it is.
pub async fn issue(
    context: &Context,
    issue: Issue,
    issuer: Issuer,
) -> Result<Vec<LicenseKey>, AuthError> {
    let staff = issuer.staff;
    let context_here = context.clone();
    let keys = db::write(&context.pool, move |tx| {
        Box::pin(async move { issue_in_tx(tx, &context_here, &issue, &issuer).await })
    })
    .await?;
    context.notifier.notify();
    info!(%staff, action = "issue licence keys", count = keys.len(), "staff action");
    Ok(keys)
}

async fn issue_in_tx(
    tx: &mut Tx,
    context: &Context,
    issue: &Issue,
    issuer: &Issuer,
) -> Result<Vec<LicenseKey>, AuthError> {
    if let Some((key, digest)) = &issuer.key
        && let Claim::Replay(answer) =
            claim_in_tx(tx, issuer.staff, key, "auth.CreateLicenseKeys", digest).await?
    {
        let codes: Vec<Code> = String::from_utf8_lossy(&answer)
            .lines()
            .map(|code| code.to_owned().into())
            .collect();
        return find_in_order_in_tx(tx, &codes).await;
    }
    let codes = &issue.codes;
    let mut seen = HashSet::new();
    let distinct: Vec<Code> = codes
        .iter()
        .filter(|code| seen.insert(code.expose()))
        .cloned()
        .collect();
    let keys = repo::NewKeys {
        ids: distinct.iter().map(|_| context.ids.next()).collect(),
        codes: distinct,
        note: issue.note.clone(),
        activate: issue.activate,
        created_by: issuer.staff,
        created_at: context.clock.now(),
    };
    let added = repo::insert_in_tx(tx, &keys).await?;
    announce_in_tx(tx, &keys, added, &issuer.caller).await?;
    if let Some((key, _)) = &issuer.key {
        let answer: Vec<&str> = codes.iter().map(Code::expose).collect();
        store_in_tx(tx, issuer.staff, key, answer.join("\n").as_bytes()).await?;
    }
    find_in_order_in_tx(tx, codes).await
}

/// Tells what was issued. A code is worth an account, so only its end is kept.
async fn announce_in_tx(
    tx: &mut Tx,
    keys: &repo::NewKeys,
    added: u64,
    caller: &Caller,
) -> Result<(), AuthError> {
    if added == 0 {
        return Ok(());
    }
    let masked = |code: Option<&Code>| code.map(Code::masked).unwrap_or_default();
    let (first, last) = (masked(keys.codes.first()), masked(keys.codes.last()));
    audit::Entry::new("auth.create_license_keys", &first)
        .after(&json!({"count": added, "first": first, "last": last, "note": keys.note, "activate": keys.activate}))?
        .record_in_tx(tx, caller, keys.created_at)
        .await?;
    Ok(())
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

/// The unused key of a code as typed, or why it opens no account. To be checked before costly work; [`take_in_tx`] decides.
pub async fn check(context: &Context, code: &SecretString) -> Result<Code, AuthError> {
    let code = Code::parse(code.expose_secret()).ok_or_else(not_found)?;
    let key = repo::find(&context.pool, &code)
        .await?
        .ok_or_else(not_found)?;
    key.require_unused()?;
    Ok(code)
}

/// Locks an unused key for the account that is being opened in this transaction.
pub async fn take_in_tx(tx: &mut Tx, code: &Code) -> Result<LicenseKey, AuthError> {
    let key = repo::lock_in_tx(tx, code).await?.ok_or_else(not_found)?;
    key.require_unused()?;
    Ok(key)
}

/// Marks the key taken before as used by the account, which exists by now.
pub async fn spend_in_tx(
    tx: &mut Tx,
    key: &LicenseKey,
    user: Uuid,
    now: DateTime<Utc>,
) -> Result<(), AuthError> {
    Ok(repo::mark_used_in_tx(tx, key.id, user, now).await?)
}

/// A page of all keys, newest first.
pub async fn list(
    context: &Context,
    cursor: Option<&str>,
    page: Page,
) -> Result<(Vec<LicenseKey>, Option<String>), AuthError> {
    let cursors = Cursor::new("auth.license_keys", "");
    let before = wire::cursor_id(&cursors, cursor)?.unwrap_or(Uuid::max());
    let rows = repo::list(&context.pool, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| cursors.encode(&[&last.id.to_string()])))
}

fn not_found() -> Refusal {
    Refusal::new(Reason::LicenseNotFound)
}
