//! Content that staff edit and all users read: customer-service entries, ways to deposit, questions and answers, rules,
//! legal texts, the headline.
//!
//! A part that staff have not edited, or have put back, is the built-in one, in every language.

pub mod built_in;
pub mod deposit_method;
pub mod entity;
mod legal;
mod repo;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};

use built_in::BuiltIn;
pub use deposit_method::DepositMethod;
pub use entity::{Change, Content, Draft, Faq, FaqDraft};
pub use legal::Legal;

use crate::app::App;
use crate::error::NotificationError;
use crate::service_entry;

/// All content, as it is.
pub async fn get(app: &App) -> Result<Content, NotificationError> {
    repo::load(&app.pool, &app.built_in).await
}

/// Replaces the parts that were sent. Of several replacements at once the last one stands, part by part; a late repeat of a keyed
/// call takes nothing back.
pub async fn replace(
    app: &App,
    once: Once<Content>,
    caller: &Caller,
    draft: Draft,
) -> Result<Answer<Content>, NotificationError> {
    let change = check(app, draft)?;
    let (built_in, now) = (Arc::clone(&app.built_in), app.clock.now());
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let content = replace_in_tx(tx, &caller, change, &built_in, now).await?;
            Ok(content)
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

/// Writes what differs from what is there, if anything does, and announces it. Answers the content as it is then.
async fn replace_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    change: Change,
    built_in: &BuiltIn,
    now: DateTime<Utc>,
) -> Result<Content, NotificationError> {
    repo::lock_in_tx(tx).await?;
    let before = repo::load(&mut *tx, built_in).await?;
    let content = change.apply(before.clone())?;
    if before == content {
        return Ok(content);
    }
    service_entry::replace_in_tx(
        tx,
        &content.customer_service,
        &content.recharge_customer_service,
    )
    .await?;
    repo::replace_parts_in_tx(tx, &content, built_in, now).await?;
    let (was, is) = entity::difference(&before, &content)?;
    audit::Entry::new("notification.content_set", "content")
        .before(&was)?
        .after(&is)?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(content)
}
