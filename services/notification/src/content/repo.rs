//! The SQL of content. Customer-service entries have a table of their own, in `service_entry`.

use std::collections::BTreeMap;

use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgExecutor;

use super::built_in::BuiltIn;
use super::deposit_method::{self, DepositMethod};
use super::entity::{Content, Edition, Faq, StoredFaq};
use super::legal::{Legal, LegalTexts};
use crate::error::NotificationError;
use crate::localized::{self, Texts};
use crate::service_entry::{self, ServiceEntry};

const FAQ: &str = "faq";
const OPERATING_RULES: &str = "operating_rules";
const ACTIVITY_RULES: &str = "activity_rules";
const MARKETING_HEADLINE: &str = "marketing_headline";
const DEPOSIT_METHODS: &str = "deposit_methods";

/// Everything, in one statement: readers see the old content or the new, never a mixture.
pub async fn load(
    executor: impl PgExecutor<'_>,
    built_in: &BuiltIn,
) -> Result<Edition, NotificationError> {
    let row = sqlx::query!(
        r#"SELECT (SELECT coalesce(jsonb_agg(to_jsonb(entry) ORDER BY entry.list, entry.position), '[]')
                   FROM service_entries AS entry) AS "entries!",
                  (SELECT coalesce(jsonb_object_agg(part, value), '{}') FROM content_parts) AS "parts!",
                  coalesce((SELECT number FROM content_versions ORDER BY number DESC LIMIT 1), 0) AS "version!""#
    )
    .fetch_one(executor)
    .await?;
    let entries = service_entry::from_json(row.entries)?;
    let parts: BTreeMap<String, Value> = read(row.parts, "part")?;
    Ok(Edition {
        version: row.version,
        content: from_parts(parts, entries, built_in)?,
    })
}

/// The content from its parts by name; one that is missing is the built-in one.
pub fn from_parts(
    mut parts: BTreeMap<String, Value>,
    (customer_service, recharge_customer_service): (Vec<ServiceEntry>, Vec<ServiceEntry>),
    built_in: &BuiltIn,
) -> Result<Content, NotificationError> {
    let mut texts = |part: &'static str| -> Result<Option<Texts>, NotificationError> {
        let value = parts.remove(part);
        value
            .map(|value| localized::from_json(value, part))
            .transpose()
    };
    let operating_rules = texts(OPERATING_RULES)?;
    let activity_rules = texts(ACTIVITY_RULES)?;
    let marketing_headline = texts(MARKETING_HEADLINE)?;
    let mut legal = LegalTexts::new();
    for text in Legal::ALL {
        if let Some(texts) = texts(text.as_str())?.filter(|texts| !texts.is_empty()) {
            legal.insert(*text, texts);
        }
    }
    let faq: Option<Vec<StoredFaq>> = parts
        .remove(FAQ)
        .map(|value| read(value, FAQ))
        .transpose()?;
    let faq: Option<Vec<Faq>> = faq.map(|faq| faq.into_iter().map(Faq::from).collect());
    let methods: Option<Vec<deposit_method::Stored>> = parts
        .remove(DEPOSIT_METHODS)
        .map(|value| read(value, DEPOSIT_METHODS))
        .transpose()?;
    let methods = methods.into_iter().flatten().map(DepositMethod::from);
    Ok(Content {
        customer_service,
        recharge_customer_service,
        faq: faq.unwrap_or_else(|| built_in.faq.clone()),
        operating_rules: operating_rules.unwrap_or_else(|| built_in.operating_rules.clone()),
        activity_rules: activity_rules.unwrap_or_else(|| built_in.activity_rules.clone()),
        marketing_headline: marketing_headline.unwrap_or_default(),
        deposit_methods: methods.collect(),
        legal,
    })
}

/// Two replacements at once would each delete what they see and leave both contents: one waits for the other.
pub async fn lock_in_tx(tx: &mut Tx) -> Result<(), NotificationError> {
    sqlx::query!("LOCK TABLE service_entries IN SHARE ROW EXCLUSIVE MODE")
        .execute(tx)
        .await?;
    Ok(())
}

/// Keeps the parts that differ from what is built in. The content is locked.
pub async fn replace_parts_in_tx(
    tx: &mut Tx,
    content: &Content,
    built_in: &BuiltIn,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!("DELETE FROM content_parts")
        .execute(&mut *tx)
        .await?;
    if content.faq != built_in.faq {
        let stored: Vec<StoredFaq> = content.faq.iter().map(StoredFaq::from).collect();
        insert_in_tx(tx, FAQ, serde_json::to_value(stored)?, now).await?;
    }
    if !content.deposit_methods.is_empty() {
        let methods = content.deposit_methods.iter();
        let stored: Vec<deposit_method::Stored> = methods.map(Into::into).collect();
        insert_in_tx(tx, DEPOSIT_METHODS, serde_json::to_value(stored)?, now).await?;
    }
    for (legal, texts) in &content.legal {
        insert_in_tx(tx, legal.as_str(), localized::to_json(texts)?, now).await?;
    }
    for (part, texts, default) in [
        (
            OPERATING_RULES,
            &content.operating_rules,
            &built_in.operating_rules,
        ),
        (
            ACTIVITY_RULES,
            &content.activity_rules,
            &built_in.activity_rules,
        ),
        (
            MARKETING_HEADLINE,
            &content.marketing_headline,
            &Texts::new(),
        ),
    ] {
        if texts != default {
            insert_in_tx(tx, part, localized::to_json(texts)?, now).await?;
        }
    }
    Ok(())
}

async fn insert_in_tx(
    tx: &mut Tx,
    part: &str,
    value: Value,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "INSERT INTO content_parts (part, value, updated_at) VALUES ($1, $2, $3)",
        part,
        value,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub fn read<T: DeserializeOwned>(
    value: Value,
    column: &'static str,
) -> Result<T, NotificationError> {
    serde_json::from_value(value).map_err(|_| CoreError::Corrupt(column).into())
}
