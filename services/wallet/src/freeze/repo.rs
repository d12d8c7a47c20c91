//! The SQL of freezes. Each write locks the user's wallet first, as postings do.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::Freeze;
use crate::ids::{FreezeId, StaffId};

/// Freezes that a statement reads or changes: `freezes!("SELECT " .. " FROM …", arguments)`,
/// `freezes!("UPDATE … RETURNING ", arguments)`.
macro_rules! freezes {
    ($before:literal $(.. $after:literal)? $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Freeze,
            $before
                + r#"id, user_id, frozen_at, reason, owner_at, staff_at, staff_id AS "staff_id: StaffId", staff_reason,
                     lifted_at"#
                $(+ $after)?
            $(, $argument)*
        )
    };
}

/// Freezes the wallet, which it opens for a user who has none; answers whether that changed anything.
pub(super) async fn freeze_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    (id, reason): (FreezeId, &str),
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    sqlx::query!(
        "INSERT INTO wallets (user_id, frozen_at) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE SET frozen_at = coalesce(wallets.frozen_at, excluded.frozen_at)",
        user_id.0,
        now
    )
    .execute(&mut *tx)
    .await?;
    let written = sqlx::query!(
        "INSERT INTO freezes (id, user_id, frozen_at, reason) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) WHERE lifted_at IS NULL DO UPDATE
         SET owner_at = NULL, staff_at = NULL, staff_id = NULL, staff_reason = ''
         WHERE freezes.owner_at IS NOT NULL OR freezes.staff_at IS NOT NULL",
        id.0,
        user_id.0,
        now,
        reason
    )
    .execute(&mut *tx)
    .await?;
    Ok(written.rows_affected() > 0)
}

/// Whether a freeze of the user ended after `time`. Locks the wallet.
pub(super) async fn was_lifted_after_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    time: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    lock_in_tx(tx, user_id).await?;
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM freezes WHERE user_id = $1 AND lifted_at > $2) AS "was_lifted!""#,
        user_id.0,
        time
    )
    .fetch_one(&mut *tx)
    .await
}

/// The freeze with the owner's agreement; none where nothing is frozen.
pub(super) async fn owner_agrees_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    now: DateTime<Utc>,
) -> Result<Option<Freeze>, sqlx::Error> {
    lock_in_tx(tx, user_id).await?;
    freezes!(
        "UPDATE freezes SET owner_at = coalesce(owner_at, $2) WHERE user_id = $1 AND lifted_at IS NULL
         RETURNING ",
        user_id.0,
        now
    )
    .fetch_optional(&mut *tx)
    .await
}

/// The freeze with the agreement of staff, and whether nobody had agreed before; none where nothing is frozen.
pub(super) async fn staff_agrees_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    (staff, reason): (StaffId, &str),
    now: DateTime<Utc>,
) -> Result<Option<(Freeze, bool)>, sqlx::Error> {
    lock_in_tx(tx, user_id).await?;
    let first = freezes!(
        "UPDATE freezes SET staff_at = $2, staff_id = $3, staff_reason = $4
         WHERE user_id = $1 AND lifted_at IS NULL AND staff_at IS NULL
         RETURNING ",
        user_id.0,
        now,
        staff.0,
        reason
    )
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(freeze) = first {
        return Ok(Some((freeze, true)));
    }
    let agreed = freezes!(
        "SELECT ".." FROM freezes WHERE user_id = $1 AND lifted_at IS NULL",
        user_id.0
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(agreed.map(|freeze| (freeze, false)))
}

/// Ends the freeze.
pub(super) async fn lift_in_tx(
    tx: &mut Tx,
    freeze: &Freeze,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE freezes SET lifted_at = $2 WHERE id = $1",
        freeze.id.0,
        now
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE wallets SET frozen_at = NULL WHERE user_id = $1",
        freeze.user_id.0
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

pub(super) async fn list_open(
    pool: &Pool,
    before: Option<FreezeId>,
    limit: i64,
) -> Result<Vec<Freeze>, sqlx::Error> {
    freezes!(
        "SELECT " .. " FROM freezes WHERE lifted_at IS NULL AND ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2",
        before.map(|id| id.0) as Option<Uuid>,
        limit
    )
    .fetch_all(pool)
    .await
}

/// How many freezes are not lifted, and when the oldest began.
pub(super) async fn count_open(pool: &Pool) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    sqlx::query!(
        r#"SELECT count(*) AS "count!", min(frozen_at) AS oldest_at
           FROM (SELECT frozen_at FROM freezes WHERE lifted_at IS NULL ORDER BY id LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST
    )
    .map(|row| (row.count, row.oldest_at))
    .fetch_one(pool)
    .await
}

async fn lock_in_tx(tx: &mut Tx, user_id: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"SELECT true AS "is_there!" FROM wallets WHERE user_id = $1 FOR NO KEY UPDATE"#,
        user_id.0
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(())
}
