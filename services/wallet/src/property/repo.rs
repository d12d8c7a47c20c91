//! Reads of `wallets`.

use sqlx::PgPool;
use uuid::Uuid;

use super::entity::{Property, Settings};

pub(super) async fn find(pool: &PgPool, user_id: Uuid) -> Result<Option<Property>, sqlx::Error> {
    sqlx::query_as!(
        Property,
        "SELECT available, to_be_consumed, to_be_settled, withdrawing, discount_total, start_up_outstanding,
                has_pay_password, has_bank_card, has_wallet_address, protection_changed_at
         FROM wallets WHERE user_id = $1",
        user_id
    )
    .fetch_optional(pool)
    .await
}

pub(super) async fn settings(
    pool: &PgPool,
    user_ids: &[Uuid],
) -> Result<Vec<Settings>, sqlx::Error> {
    sqlx::query_as!(
        Settings,
        "SELECT user_id, has_pay_password, has_bank_card FROM wallets WHERE user_id = ANY ($1) ORDER BY user_id",
        user_ids
    )
    .fetch_all(pool)
    .await
}
