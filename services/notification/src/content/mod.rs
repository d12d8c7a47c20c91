//! Content that staff edit and all users read: customer-service entries, ways to deposit, questions and answers, rules,
//! legal texts, the headline.
//!
//! A part that staff have not edited, or have put back, is the built-in one, in every language. Every change is a version
//! that stays; who changes something names the version that they have seen.

pub mod built_in;
pub mod deposit_method;
pub mod entity;
mod legal;
mod repo;
mod version;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};

use built_in::BuiltIn;
pub use deposit_method::DepositMethod;
pub use entity::{Change, Content, Draft, Edition, Faq, FaqDraft};
pub use legal::Legal;
pub use version::{Restoration, Version, at_version, restore, versions};

use crate::app::App;
use crate::error::NotificationError;
use crate::service_entry;

/// The names of the parts, as in the contract's message.
pub const PARTS: [&str; 11] = [
    "customer_service",
    "recharge_customer_service",
    "faq",
    "operating_rules",
    "activity_rules",
    "marketing_headline",
    "deposit_methods",
    "imprint",
    "terms",
    "privacy",
    "fees",
];

/// All content, as it is.
pub async fn get(app: &App) -> Result<Edition, NotificationError> {
    repo::load(&app.pool, &app.built_in).await
}

/// What replaces content: parts, and what their editor had seen.
#[derive(Clone, Debug)]
pub struct Replacement {
    pub draft: Draft,
    /// The names of the parts that were sent.
    pub parts: Vec<String>,
    /// The version that the editor started from, if it was named.
    pub version: Option<i64>,
}

/// Replaces the parts that were sent. Without a version the last of several replacements at once stands, part by part; with
/// one, a part that somebody changed after it is refused. A late repeat of a keyed call takes nothing back.
pub async fn replace(
    app: &App,
    once: Once<Edition>,
    caller: &Caller,
    replacement: Replacement,
) -> Result<Answer<Edition>, NotificationError> {
    let Replacement {
        draft,
        parts,
        version,
    } = replacement;
    let change = check(app, draft)?;
    let (built_in, now) = (Arc::clone(&app.built_in), app.clock.now());
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::lock_in_tx(tx).await?;
            let before = repo::load(&mut *tx, &built_in).await?;
            if let Some(version) = version {
                version::require_unchanged_in_tx(tx, &before, version, &parts).await?;
            }
            let made = version::Made::by(&caller, now);
            replace_in_tx(tx, &caller, before, change, &built_in, made).await
        })
    })
    .await
}

fn check(app: &App, draft: Draft) -> Result<Change, NotificationError> {
    let mut known = HashSet::new();
    let mut entries = |list: Option<Vec<service_entry::Draft>>, field| {
        list.map(|list| service_entry::check_list(list, field, &mut known, || app.ids.next()))
            .transpose()
    };
    let customer_service = entries(draft.customer_service, "customer_service")?;
    let recharge_customer_service =
        entries(draft.recharge_customer_service, "recharge_customer_service")?;
    let rules = |rules: Option<HashMap<String, String>>, field| {
        rules
            .map(|rules| entity::check_rules(rules, field))
            .transpose()
    };
    let faq = draft
        .faq
        .map(|faq| entity::check_faq(faq, || app.ids.next()));
    let deposit_methods = draft
        .deposit_methods
        .map(|methods| deposit_method::check_list(methods, || app.ids.next()));
    Ok(Change {
        customer_service,
        recharge_customer_service,
        faq: faq.transpose()?,
        operating_rules: rules(draft.operating_rules, "operating_rules")?,
        activity_rules: rules(draft.activity_rules, "activity_rules")?,
        marketing_headline: draft
            .marketing_headline
            .map(entity::check_headline)
            .transpose()?,
        deposit_methods: deposit_methods.transpose()?,
        legal: legal::check(draft.legal)?,
    })
}

/// Writes what differs from what is there, if anything does, as a new version. Answers the content as it is then. The
/// content is locked.
async fn replace_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    before: Edition,
    change: Change,
    built_in: &BuiltIn,
    made: version::Made,
) -> Result<Edition, NotificationError> {
    let content = change.apply(before.content.clone())?;
    let changed = entity::difference(&before.content, &content)?;
    if changed.is_empty() {
        return Ok(before);
    }
    service_entry::replace_in_tx(
        tx,
        &content.customer_service,
        &content.recharge_customer_service,
    )
    .await?;
    repo::replace_parts_in_tx(tx, &content, built_in, made.at).await?;
    let version = before.version.saturating_add(1);
    let (was, is) = entity::audited(&changed);
    let action = match made.restored {
        None => audit::Entry::new("notification.content_set", "content"),
        Some(_) => audit::Entry::new("notification.content_restore", "content"),
    };
    action
        .reason(made.reason.as_str())
        .before(&was)?
        .after(&is)?
        .record_in_tx(tx, caller, made.at)
        .await?;
    version::insert_in_tx(tx, version, &changed, &made).await?;
    Ok(Edition { version, content })
}
