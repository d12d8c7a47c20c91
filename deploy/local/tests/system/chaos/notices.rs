//! Notices compared with what happened: everything worth a notice has one, and every notice is
//! about something that happened.

use std::collections::BTreeSet;

use sqlx::{Connection as _, PgConnection};

use super::books::database;

/// What happened in each database, named like its notice.
const HAPPENINGS: [(&str, &str); 4] = [
    (
        "wallet",
        "SELECT 'deposit:' || id FROM transactions WHERE type = 'deposit'
         UNION ALL SELECT 'posting:' || id FROM transactions WHERE type IN ('chargeback', 'membership')
         UNION ALL SELECT 'withdrawal:' || id || ':' || status FROM withdrawals WHERE status IN ('paid', 'rejected')",
    ),
    (
        "plan",
        "SELECT 'plan:' || id || ':' || told
         FROM orders JOIN (VALUES ('put_failed', 'put_failed'), ('put_finished', 'put_finished'),
                                  ('waiting_settlement', 'put_finished'), ('settled', 'put_finished'),
                                  ('settled', 'settled')) AS t (status, told) USING (status)
         UNION ALL SELECT 'plan:' || id || ':waiting' FROM orders WHERE official
         UNION ALL SELECT DISTINCT 'plan:' || order_id || ':putting' FROM order_history WHERE status = 'putting'",
    ),
    ("coupon", "SELECT 'coupon:' || id FROM coupons"),
    (
        "acceptor",
        "SELECT 'exchange:' || id || ':' || state FROM exchanges WHERE state IN ('completed', 'cancelled', 'expired')
         UNION SELECT 'exchange:' || id || ':' || late_from FROM exchanges WHERE late_from IS NOT NULL",
    ),
];

/// Changes of passwords and cards leave no row of their own, and announcements are not about an
/// action.
const NOTICES: &str =
    "SELECT source_key FROM notifications WHERE source_key !~ '^(password|security|message):'";

/// How many actions lack a notice and how many notices an action, with an example.
pub async fn differences(base_url: &str) -> Result<Option<String>, sqlx::Error> {
    let (happened, told) = (happened(base_url).await?, told(base_url).await?);
    let first = happened.symmetric_difference(&told).next();
    Ok(first.map(|first| {
        format!(
            "{} happenings without notice, {} notices without happening, first {first}",
            happened.difference(&told).count(),
            told.difference(&happened).count(),
        )
    }))
}

/// The notices that users must have.
pub async fn happened(base_url: &str) -> Result<BTreeSet<String>, sqlx::Error> {
    let mut happened = BTreeSet::new();
    for (service, query) in HAPPENINGS {
        happened.append(&mut names(base_url, service, query).await?);
    }
    Ok(happened)
}

/// The notices that users have.
pub async fn told(base_url: &str) -> Result<BTreeSet<String>, sqlx::Error> {
    names(base_url, "notification", NOTICES).await
}

async fn names(
    base_url: &str,
    service: &str,
    query: &'static str,
) -> Result<BTreeSet<String>, sqlx::Error> {
    let mut connection = PgConnection::connect(&database(base_url, service)).await?;
    let names: Vec<String> = sqlx::query_scalar(query).fetch_all(&mut connection).await?;
    Ok(names.into_iter().collect())
}
