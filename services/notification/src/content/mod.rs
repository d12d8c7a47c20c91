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
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::outbox::Wake;
use adfolio_proto::notification::v1::SetContentResponse;
use chrono::{DateTime, Utc};

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

    /// Replaces everything. Of several replacements at once the last one stands, as a whole. `once` is the call, which is
    /// carried out once: one that comes late takes nothing back.
    pub async fn replace(
        &self,
        caller: Caller,
        once: Once,
        draft: Draft,
    ) -> Result<SetContentResponse, NotificationError> {
        let content = self.check(draft)?;
        let (built_in, now) = (Arc::clone(&self.built_in), self.clock.now());
        let answer = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                replace_in_tx(tx, &caller, &content, &built_in, now).await?;
                let answer = SetContentResponse::from(&content);
                once.keep_in_tx(tx, &answer).await?;
                Ok::<_, NotificationError>(answer)
            })
        })
        .await?;
        self.relay.wake();
        Ok(answer)
    }

    fn check(&self, draft: Draft) -> Result<Content, NotificationError> {
        let mut known = HashSet::new();
        let mut entries =
            |list, field| service_entry::check_list(list, field, &mut known, || self.ids.next());
        let customer_service = entries(draft.customer_service, "customer_service")?;
        let recharge_customer_service =
            entries(draft.recharge_customer_service, "recharge_customer_service")?;
        Ok(Content {
            customer_service,
            recharge_customer_service,
            faq: entity::check_faq(draft.faq, || self.ids.next())?,
            operating_rules: entity::check_rules(draft.operating_rules, "operating_rules")?,
            activity_rules: entity::check_rules(draft.activity_rules, "activity_rules")?,
            marketing_headline: entity::check_headline(draft.marketing_headline)?,
        })
    }
}

/// Writes what differs from what is there, if anything does, and announces it.
async fn replace_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    content: &Content,
    built_in: &BuiltIn,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    repo::lock_in_tx(tx).await?;
    let before = repo::load(&mut *tx, built_in).await?;
    if before == *content {
        return Ok(());
    }
    service_entry::replace_in_tx(tx, content).await?;
    repo::replace_parts_in_tx(tx, content, built_in, now).await?;
    let (was, is) = entity::difference(&before, content)?;
    Act::new("notification.content_set", "content")
        .before(&was)?
        .after(&is)?
        .record_in_tx(tx, events::STAFF_ACTED, caller, now)
        .await?;
    Ok(())
}
