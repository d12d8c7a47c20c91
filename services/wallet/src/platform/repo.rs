//! Reads of the books by the platform's account.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;

use super::Entry;
use crate::flow::entity::Account;
use crate::ids::{ReferenceId, StaffId, TransactionId};

/// A page, newest first. The list of accounts is that of the index.
pub(super) async fn entries(
    pool: &Pool,
    (account, are_fees): (Account, bool),
    before: Option<TransactionId>,
    limit: i64,
) -> Result<Vec<Entry>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT id, posted_at, type::text AS "kind!", user_id, CASE WHEN $2 THEN fee ELSE platform_change END AS "amount!",
                  coalesce(order_id, reference) AS reference, remark, staff_id
           FROM transactions
           WHERE platform_account = $1 AND id < $3 AND (NOT $2 OR fee > 0)
             AND platform_account IN ('deposits_clearing', 'promotions', 'profit_share', 'withdrawals_clearing',
                                      'chargebacks', 'membership', 'fx_clearing')
           ORDER BY platform_account DESC, id DESC LIMIT $4"#,
        account as Account,
        are_fees,
        bound(before),
        limit
    )
    .map(|row| Entry {
        transaction_id: TransactionId(row.id),
        posted_at: row.posted_at,
        kind: row.kind,
        user_id: UserId(row.user_id),
        amount: row.amount,
        reference: row.reference.map(ReferenceId),
        remark: row.remark,
        staff_id: row.staff_id.map(StaffId),
    })
    .fetch_all(pool)
    .await
}
