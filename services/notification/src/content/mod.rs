//! What staff edit and everybody reads: customer-service entries, questions and answers, rules, the headline.
//!
//! A part that staff have not edited, or have put back, reads as it is built in, in every language.

mod built_in;
pub mod entity;
mod repo;

use std::collections::HashSet;
use std::sync::Arc;

use adfolio_kit::audit::Act;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool};
use adfolio_kit::identity::Caller;
use adfolio_kit::outbox::Wake;

pub use built_in::BuiltIn;
pub use entity::{Content, Draft, Faq, FaqDraft};

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
    relay: Wake,
}

impl Contents {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids, built_in: Arc<BuiltIn>, relay: Wake) -> Self {
        Self {
            pool,
            clock,
            ids,
            built_in,
            relay,
        }
    }

    /// Everything, as it is.
    pub async fn get(&self) -> Result<Content, NotificationError> {
        repo::load(&self.pool, &self.built_in).await
    }

    /// Replaces everything. Of several replacements at once the last one stands, as a whole.
    pub async fn replace(
        &self,
        caller: Caller,
        draft: Draft,
    ) -> Result<Content, NotificationError> {
        let content = self.check(draft)?;
        let (built_in, now) = (Arc::clone(&self.built_in), self.clock.now());
        let replaced = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                repo::lock_in_tx(tx).await?;
                let before = repo::load(&mut *tx, &built_in).await?;
                if before == content {
                    return Ok(content);
                }
                service_entry::replace_in_tx(tx, &content).await?;
                repo::replace_parts_in_tx(tx, &content, &built_in, now).await?;
                let (was, is) = entity::difference(&before, &content)?;
                Act::new("notification.content_set", "content")
                    .before(&was)?
                    .after(&is)?
                    .record_in_tx(tx, events::STAFF_ACTED, &caller, now)
                    .await?;
                Ok::<_, NotificationError>(content)
            })
        })
        .await?;
        self.relay.wake();
        Ok(replaced)
    }

    fn check(&self, draft: Draft) -> Result<Content, NotificationError> {
        let mut known = HashSet::new();
        let mut entries =
            |list, field| service_entry::check_list(list, field, &mut known, || self.ids.next());
        let customer_service = entries(draft.customer_service, "customer_service")?;
        let recharge_customer_service =
            entries(draft.recharge_customer_service, "recharge_customer_service")?;
        let faq = entity::check_faq(draft.faq, || self.ids.next())?;
        let operating_rules = entity::check_rules(draft.operating_rules, "operating_rules")?;
        let activity_rules = entity::check_rules(draft.activity_rules, "activity_rules")?;
        // What is left out is put back.
        Ok(Content {
            customer_service,
            recharge_customer_service,
            faq: faq.unwrap_or_else(|| self.built_in.faq.clone()),
            operating_rules: operating_rules
                .unwrap_or_else(|| self.built_in.operating_rules.clone()),
            activity_rules: activity_rules.unwrap_or_else(|| self.built_in.activity_rules.clone()),
            marketing_headline: entity::check_headline(draft.marketing_headline)?,
        })
    }
}
