//! The SQL of destinations. The flags in `wallets` follow in the same transaction.

use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

use super::seal::Sealed;
use crate::withdrawal::entity::Method;

pub(super) async fn list(
    pool: &PgPool,
    user_id: Uuid,
) -> Result<Vec<(Method, Sealed)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT method AS "method!: Method", key_id, sealed FROM destinations WHERE user_id = $1"#,
        user_id
    )
    .fetch_all(pool)
    .await?;
    let destinations = rows.into_iter().map(|row| {
        let sealed = Sealed {
            key_id: row.key_id,
            bytes: row.sealed,
        };
        (row.method, sealed)
    });
    Ok(destinations.collect())
}

pub(super) async fn find(
    pool: &PgPool,
    user_id: Uuid,
    method: Method,
) -> Result<Option<Sealed>, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    find_in_tx(&mut connection, user_id, method).await
}

pub(super) async fn find_in_tx(
    tx: &mut Tx,
    user_id: Uuid,
    method: Method,
) -> Result<Option<Sealed>, sqlx::Error> {
    sqlx::query_as!(
        Sealed,
        "SELECT key_id, sealed AS bytes FROM destinations WHERE user_id = $1 AND method = $2",
        user_id,
        method as Method
    )
    .fetch_optional(tx)
    .await
}

/// What a wallet says to somebody who binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wallet {
    /// Whether a transaction password is set.
    pub(super) has_pay_password: bool,
    /// When what protects the wallet last changed.
    pub(super) protection_changed_at: Option<DateTime<Utc>>,
}

/// Locks the user's wallet, opening it where there is none.
pub(super) async fn lock_wallet_in_tx(tx: &mut Tx, user_id: Uuid) -> Result<Wallet, sqlx::Error> {
    sqlx::query!(
        "INSERT INTO wallets (user_id) VALUES ($1) ON CONFLICT DO NOTHING",
        user_id
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query_as!(
        Wallet,
        "SELECT has_pay_password, protection_changed_at FROM wallets WHERE user_id = $1 FOR UPDATE",
        user_id
    )
    .fetch_one(tx)
    .await
}

/// When the destination was bound that has stood longest, if there is one.
pub(super) async fn first_bound_at_in_tx(
    tx: &mut Tx,
    user_id: Uuid,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT min(bound_at) FROM destinations WHERE user_id = $1",
        user_id
    )
    .fetch_one(tx)
    .await
}

pub(super) async fn store_in_tx(
    tx: &mut Tx,
    user_id: Uuid,
    method: Method,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO destinations (user_id, method, key_id, sealed, bound_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id, method) DO UPDATE SET key_id = $3, sealed = $4, bound_at = $5",
        user_id,
        method as Method,
        sealed.key_id,
        sealed.bytes,
        now,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE wallets
         SET has_bank_card = has_bank_card OR $2 = 'bank_card',
             has_wallet_address = has_wallet_address OR $2 = 'wallet_address'
         WHERE user_id = $1",
        user_id,
        method as Method
    )
    .execute(tx)
    .await?;
    Ok(())
}
