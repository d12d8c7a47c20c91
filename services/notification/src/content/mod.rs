//! What staff edit and everybody reads: customer-service entries, questions and answers, rules, the headline.
//!
//! A part that staff have not edited, or have put back, reads as it is built in, in every language.

mod built_in;
pub mod entity;
mod repo;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::outbox::Notifier;
use adfolio_proto::notification::v1::SetContentResponse;
use chrono::{DateTime, Utc};

pub use built_in::BuiltIn;
pub use entity::{Change, Content, Draft, Faq, FaqDraft};

use crate::error::NotificationError;
use crate::events;
use crate::service_entry;

/// The use cases of content.
#[derive(Clone, Debug)]
pub struct Contents {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
    built_in: Arc<BuiltIn>,
    notifier: Notifier,
}

impl Contents {
    /// On this database.
    pub fn new(
        pool: PgPool,
        clock: Clock,
        ids: Ids,
        built_in: Arc<BuiltIn>,
        notifier: Notifier,
    ) -> Self {
        Self {
            pool,
            clock,
            ids,
            built_in,
            notifier,
        }
    }

    /// Everything, as it is.
    pub async fn get(&self) -> Result<Content, NotificationError> {
        repo::load(&self.pool, &self.built_in).await
    }

    /// Replaces the parts that were sent. Of several replacements at once the last one stands, part by part. `once` is the call, which is
    /// carried out once: one that comes late takes nothing back.
    pub async fn replace(
        &self,
        caller: Caller,
        once: Once,
        draft: Draft,
    ) -> Result<SetContentResponse, NotificationError> {
        let change = self.check(draft)?;
        let (built_in, now) = (Arc::clone(&self.built_in), self.clock.now());
        let answer = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                let content = replace_in_tx(tx, &caller, change, &built_in, now).await?;
                let answer = SetContentResponse::from(&content);
                once.keep_in_tx(tx, &answer).await?;
                Ok::<_, NotificationError>(answer)
            })
        })
        .await?;
        self.notifier.notify();
        Ok(answer)
    }

    fn check(&self, draft: Draft) -> Result<Change, NotificationError> {
        let mut known = HashSet::new();
        let mut entries = |list: Option<Vec<service_entry::Draft>>, field| {
            list.map(|list| service_entry::check_list(list, field, &mut known, || self.ids.next()))
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
            .map(|faq| entity::check_faq(faq, || self.ids.next()));
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
        })
    }
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
    service_entry::replace_in_tx(tx, &content).await?;
    repo::replace_parts_in_tx(tx, &content, built_in, now).await?;
    let (was, is) = entity::difference(&before, &content)?;
    audit::Entry::new("notification.content_set", "content")
        .before(&was)?
        .after(&is)?
        .record_in_tx(tx, events::STAFF_ACTED, caller, now)
        .await?;
    Ok(content)
}
