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
    id: Uuid,
    list: String,
    #[serde(rename = "type")]
    entry_type: i32,
    url: String,
    label: BTreeMap<String, String>,
    hours: BTreeMap<String, String>,
    answer_time: BTreeMap<String, String>,
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
        list.push(ServiceEntry {
            id: row.id,
            entry_type: row.entry_type,
            url: row.url,
            labels: localized::from_codes(row.label),
            hours: localized::from_codes(row.hours),
            answer_time: localized::from_codes(row.answer_time),
        });
    }
    Ok((normal, recharge))
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
