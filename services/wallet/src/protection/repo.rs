//! The SQL of the last change.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

/// Records a change at that time, unless a later one is recorded. Opens the wallet of a user who has none yet, so the
/// user must be known to exist. Holds the lock on the wallet's row to the end of the transaction, as postings do.
pub async fn changed_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO wallets (user_id, protection_changed_at) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE
         SET protection_changed_at = greatest(wallets.protection_changed_at, excluded.protection_changed_at)",
        user_id.0,
        at
    )
    .execute(tx)
    .await?;
    Ok(())
}
