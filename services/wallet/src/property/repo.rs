//! Reads of `wallets`.

use sqlx::PgPool;
use uuid::Uuid;

use super::Property;

pub(super) async fn find(pool: &PgPool, user_id: Uuid) -> Result<Option<Property>, sqlx::Error> {
    sqlx::query_as!(
        Property,
        "SELECT available, to_be_consumed, to_be_settled, withdrawing, discount_total, start_up_outstanding
         FROM wallets WHERE user_id = $1",
        user_id
    )
    .fetch_optional(pool)
    .await
}
