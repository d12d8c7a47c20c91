//! Reads of `wallets`.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use uuid::Uuid;

use super::entity::{Property, Settings};

pub(super) async fn find(pool: &Pool, user_id: UserId) -> Result<Option<Property>, sqlx::Error> {
    sqlx::query_as!(
        Property,
        "SELECT available, to_be_consumed, to_be_settled, withdrawing, guarantee, discount_total, start_up_outstanding,
                has_pay_password, has_bank_card, has_wallet_address, protection_changed_at, frozen_at
         FROM wallets WHERE user_id = $1",
        user_id.0
    )
    .fetch_optional(pool)
    .await
}

pub(super) async fn settings(
    pool: &Pool,
    user_ids: &[UserId],
) -> Result<Vec<Settings>, sqlx::Error> {
    let user_ids: Vec<Uuid> = user_ids.iter().map(|id| id.0).collect();
    sqlx::query_as!(
        Settings,
        "SELECT user_id, has_pay_password, has_bank_card, guarantee FROM wallets WHERE user_id = ANY ($1) ORDER BY user_id",
        &user_ids
    )
    .fetch_all(pool)
    .await
}
