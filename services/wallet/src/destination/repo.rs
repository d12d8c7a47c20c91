//! The SQL of destinations. The flags in `wallets` follow in the same transaction.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::Method;
use super::seal::Sealed;

pub(super) async fn list(
    pool: &Pool,
    user_id: UserId,
) -> Result<Vec<(Method, Sealed)>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT method AS "method!: Method", key_id, sealed FROM destinations WHERE user_id = $1"#,
        user_id.0
    )
    .map(|row| {
        let sealed = Sealed {
            key_id: row.key_id,
            bytes: row.sealed,
        };
        (row.method, sealed)
    })
    .fetch_all(pool)
    .await
}

pub(super) async fn find(
    pool: &Pool,
    user_id: UserId,
    method: Method,
) -> Result<Option<Sealed>, sqlx::Error> {
    let mut connection = pool.acquire_to_read().await?;
    find_in_tx(&mut connection, user_id, method).await
}

pub(super) async fn find_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    method: Method,
) -> Result<Option<Sealed>, sqlx::Error> {
    sqlx::query_as!(
        Sealed,
        "SELECT key_id, sealed AS bytes FROM destinations WHERE user_id = $1 AND method = $2",
        user_id.0,
        method as Method
    )
    .fetch_optional(tx)
    .await
}

/// The part of a wallet that decides about a binding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wallet {
    pub(super) has_pay_password: bool,
    /// When what protects the wallet last changed.
    pub(super) protection_changed_at: Option<DateTime<Utc>>,
}

/// Locks the user's wallet, opening it where there is none.
pub(super) async fn lock_wallet_in_tx(tx: &mut Tx, user_id: UserId) -> Result<Wallet, sqlx::Error> {
    sqlx::query!(
        "INSERT INTO wallets (user_id) VALUES ($1) ON CONFLICT DO NOTHING",
        user_id.0
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query_as!(
        Wallet,
        "SELECT has_pay_password, protection_changed_at FROM wallets WHERE user_id = $1 FOR UPDATE",
        user_id.0
    )
    .fetch_one(tx)
    .await
}

/// When the destination was bound that has stood longest, if there is one.
pub(super) async fn first_bound_at_in_tx(
    tx: &mut Tx,
    user_id: UserId,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT min(bound_at) FROM destinations WHERE user_id = $1",
        user_id.0
    )
    .fetch_one(tx)
    .await
}

pub(super) async fn store_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    method: Method,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO destinations (user_id, method, key_id, sealed, bound_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id, method) DO UPDATE SET key_id = $3, sealed = $4, bound_at = $5",
        user_id.0,
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
        user_id.0,
        method as Method
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The tables that keep sealed destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// What is bound now.
    Destinations,
    /// Where withdrawals go, as it was bound then.
    Withdrawals,
}

/// Where a row stands among those of a key: a withdrawal by its id, what is bound by its user and method.
pub(super) type Place = (Uuid, Method);

/// Before all rows.
pub(super) const FIRST: Place = (Uuid::nil(), Method::BankCard);

/// A sealed row of one of the tables.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) id: Uuid,
    pub(super) user_id: UserId,
    pub(super) method: Method,
    pub(super) key_id: String,
    pub(super) bytes: Vec<u8>,
}

/// Rows after `after` that were sealed with that key, without those that another transaction has locked.
pub(super) async fn lock_sealed_with_in_tx(
    tx: &mut Tx,
    kept: Kept,
    key_id: &str,
    after: Place,
    limit: i64,
) -> Result<Vec<Batch>, sqlx::Error> {
    match kept {
        Kept::Destinations => sqlx::query_as!(
            Batch,
            r#"SELECT user_id AS id, user_id, method AS "method!: Method", key_id, sealed AS bytes
                   FROM destinations WHERE key_id = $1 AND (user_id, method) > ($2, $3)
                   ORDER BY user_id, method LIMIT $4 FOR UPDATE SKIP LOCKED"#,
            key_id,
            after.0,
            after.1 as Method,
            limit
        )
        .fetch_all(tx)
        .await,
        Kept::Withdrawals => {
            sqlx::query_as!(
                Batch,
                r#"SELECT id, user_id, method AS "method!: Method", key_id, sealed AS bytes
                   FROM withdrawals WHERE key_id = $1 AND id > $2
                   ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED"#,
                key_id,
                after.0,
                limit
            )
            .fetch_all(tx)
            .await
        }
    }
}

/// Stores the resealed rows of `batch`. They must be locked.
pub(super) async fn reseal_in_tx(
    tx: &mut Tx,
    kept: Kept,
    batch: &[Batch],
) -> Result<(), sqlx::Error> {
    let ids: Vec<Uuid> = batch.iter().map(|row| row.id).collect();
    let methods: Vec<Method> = batch.iter().map(|row| row.method).collect();
    let keys: Vec<String> = batch.iter().map(|row| row.key_id.clone()).collect();
    let sealed: Vec<Vec<u8>> = batch.iter().map(|row| row.bytes.clone()).collect();
    match kept {
        Kept::Destinations => {
            sqlx::query!(
                "UPDATE destinations AS kept SET key_id = anew.key_id, sealed = anew.sealed
                 FROM unnest($1::uuid[], $2::withdrawal_method[], $3::text[], $4::bytea[])
                      AS anew (user_id, method, key_id, sealed)
                 WHERE kept.user_id = anew.user_id AND kept.method = anew.method",
                &ids,
                &methods as &[Method],
                &keys,
                &sealed
            )
            .execute(tx)
            .await?;
        }
        Kept::Withdrawals => {
            sqlx::query!(
                "UPDATE withdrawals AS kept SET key_id = anew.key_id, sealed = anew.sealed
                 FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS anew (id, key_id, sealed)
                 WHERE kept.id = anew.id",
                &ids,
                &keys,
                &sealed
            )
            .execute(tx)
            .await?;
        }
    }
    Ok(())
}

/// How many rows are sealed with that key.
pub(super) async fn count_sealed_with(pool: &Pool, key_id: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT (SELECT count(*) FROM destinations WHERE key_id = $1)
                + (SELECT count(*) FROM withdrawals WHERE key_id = $1) AS "count!""#,
        key_id
    )
    .fetch_one(pool)
    .await
}
