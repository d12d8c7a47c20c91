//! The SQL of customer-service entries.

use std::collections::BTreeMap;

use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use serde::Deserialize;
use uuid::Uuid;

use super::entity::ServiceEntry;
use crate::error::NotificationError;
use crate::localized;

const CUSTOMER_SERVICE: &str = "customer_service";
const RECHARGE_CUSTOMER_SERVICE: &str = "recharge_customer_service";

#[derive(Deserialize)]
struct Row {
    list: String,
    #[serde(flatten)]
    entry: Stored,
}

/// An entry as a database keeps it.
#[derive(Deserialize)]
struct Stored {
    id: Uuid,
    #[serde(rename = "type")]
    entry_type: i32,
    url: String,
    label: BTreeMap<String, String>,
    hours: BTreeMap<String, String>,
    answer_time: BTreeMap<String, String>,
}

impl From<Stored> for ServiceEntry {
    fn from(stored: Stored) -> Self {
        Self {
            id: stored.id,
            entry_type: stored.entry_type,
            url: stored.url,
            labels: localized::from_codes(stored.label),
            hours: localized::from_codes(stored.hours),
            answer_time: localized::from_codes(stored.answer_time),
        }
    }
}

/// Both lists from the table's rows in their order, as JSON.
pub fn from_json(
    rows: serde_json::Value,
) -> Result<(Vec<ServiceEntry>, Vec<ServiceEntry>), NotificationError> {
    let rows: Vec<Row> =
        serde_json::from_value(rows).map_err(|_| CoreError::Corrupt("service_entries"))?;
    let (mut normal, mut recharge) = (Vec::new(), Vec::new());
    for row in rows {
        let list = match row.list.as_str() {
            CUSTOMER_SERVICE => &mut normal,
            RECHARGE_CUSTOMER_SERVICE => &mut recharge,
            _ => return Err(CoreError::Corrupt("service_entries.list").into()),
        };
        list.push(row.entry.into());
    }
    Ok((normal, recharge))
}

/// One list as a version of the content keeps it.
pub fn list_from_json(list: serde_json::Value) -> Result<Vec<ServiceEntry>, NotificationError> {
    let list: Vec<Stored> = serde_json::from_value(list)
        .map_err(|_| CoreError::Corrupt("content_version_parts.value"))?;
    Ok(list.into_iter().map(Into::into).collect())
}

/// Replaces both lists. The content is locked.
pub async fn replace_in_tx(
    tx: &mut Tx,
    customer_service: &[ServiceEntry],
    recharge_customer_service: &[ServiceEntry],
) -> Result<(), NotificationError> {
    sqlx::query!("DELETE FROM service_entries")
        .execute(&mut *tx)
        .await?;
    for (list, entries) in [
        (CUSTOMER_SERVICE, customer_service),
        (RECHARGE_CUSTOMER_SERVICE, recharge_customer_service),
    ] {
        for (position, entry) in entries.iter().enumerate() {
            sqlx::query!(
                "INSERT INTO service_entries (id, list, position, type, url, label, hours, answer_time)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                entry.id,
                list,
                i32::try_from(position).unwrap_or(i32::MAX),
                entry.entry_type,
                entry.url,
                localized::to_json(&entry.labels)?,
                localized::to_json(&entry.hours)?,
                localized::to_json(&entry.answer_time)?,
            )
            .execute(&mut *tx)
            .await?;
        }
    }
    Ok(())
}
