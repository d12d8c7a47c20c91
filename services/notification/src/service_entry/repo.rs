//! The SQL of customer-service entries.

use std::collections::BTreeMap;

use adfolio_kit::db::{PgPool, Tx};

use super::entity::{Content, Labels, ServiceEntry};
use crate::error::NotificationError;
use crate::lang::Lang;

const CUSTOMER_SERVICE: &str = "customer_service";
const RECHARGE_CUSTOMER_SERVICE: &str = "recharge_customer_service";

/// Both lists, in their order.
pub async fn load(pool: &PgPool) -> Result<Content, NotificationError> {
    let rows = sqlx::query!("SELECT id, list, type AS entry_type, url, label FROM service_entries ORDER BY list, position")
        .fetch_all(pool)
        .await?;
    let mut content = Content::default();
    for row in rows {
        let entry = ServiceEntry {
            id: row.id,
            entry_type: row.entry_type,
            url: row.url,
            labels: labels_from_json(row.label)?,
        };
        match row.list.as_str() {
            CUSTOMER_SERVICE => content.customer_service.push(entry),
            RECHARGE_CUSTOMER_SERVICE => content.recharge_customer_service.push(entry),
            _ => return Err(NotificationError::UnknownColumnValue("list")),
        }
    }
    Ok(content)
}

/// Replaces both lists. Readers see the old content or the new, never a mixture.
pub async fn replace_in_tx(tx: &mut Tx, content: &Content) -> Result<(), NotificationError> {
    // Two replacements at once would each delete what they see and leave both contents: one waits for the other.
    sqlx::query!("LOCK TABLE service_entries IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    sqlx::query!("DELETE FROM service_entries")
        .execute(&mut *tx)
        .await?;
    for (list, entries) in [
        (CUSTOMER_SERVICE, &content.customer_service),
        (
            RECHARGE_CUSTOMER_SERVICE,
            &content.recharge_customer_service,
        ),
    ] {
        for (position, entry) in entries.iter().enumerate() {
            sqlx::query!(
                "INSERT INTO service_entries (id, list, position, type, url, label) VALUES ($1, $2, $3, $4, $5, $6)",
                entry.id,
                list,
                i32::try_from(position).unwrap_or(i32::MAX),
                entry.entry_type,
                entry.url,
                labels_to_json(&entry.labels)?,
            )
            .execute(&mut *tx)
            .await?;
        }
    }
    Ok(())
}

fn labels_to_json(labels: &Labels) -> Result<serde_json::Value, NotificationError> {
    let by_code: BTreeMap<&str, &str> = labels
        .iter()
        .map(|(lang, label)| (lang.code(), label.as_str()))
        .collect();
    Ok(serde_json::to_value(by_code)?)
}

fn labels_from_json(json: serde_json::Value) -> Result<Labels, NotificationError> {
    let by_code: BTreeMap<String, String> =
        serde_json::from_value(json).map_err(|_| NotificationError::UnknownColumnValue("label"))?;
    // A language that only newer replicas know is left out here, and English stands in for it.
    Ok(by_code
        .into_iter()
        .filter_map(|(code, label)| Some((Lang::from_code(&code)?, label)))
        .collect())
}
