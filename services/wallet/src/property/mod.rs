//! The figures of a wallet: one indexed row.

mod repo;

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::WalletError;

/// The figures of a wallet, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// Free to use.
    pub available: i64,
    /// Held by running plans, coupon parts included.
    pub to_be_consumed: i64,
    /// Earned, waiting for settlement.
    pub to_be_settled: i64,
    /// On its way out.
    pub withdrawing: i64,
    /// What coupons paid towards puts, less what was given back.
    pub discount_total: i64,
    /// Start-up funds not yet returned.
    pub start_up_outstanding: i64,
}

/// The figures of a user; zeros before the first posting.
pub async fn of_user(pool: &PgPool, user_id: Uuid) -> Result<Property, WalletError> {
    Ok(repo::find(pool, user_id).await?.unwrap_or_default())
}
