//! The effects of the journeys, counted: the same whether or not processes crashed.

use std::collections::BTreeMap;

use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use super::super::{books::database, check::QUIET_LIMIT};
use crate::setup::System;

const POLL: std::time::Duration = std::time::Duration::from_millis(200);

/// Rows by user and kind, with their database.
const COUNTED: [(&str, &str); 12] = [
    (
        "auth",
        // A read may be repeated, and each one is audited.
        "SELECT user_id::text, 'audited ' || action, count(*) FROM audit_log
         WHERE user_id IS NOT NULL AND action NOT LIKE '%.read\\_%' GROUP BY 1, 2",
    ),
    (
        // An import has no key: a repeated one is a second import, which adds nothing and has its
        // own audit entry. So has a repeated login.
        "auth",
        "SELECT 'all', 'audited ' || action, count(*) FROM audit_log
         WHERE user_id IS NULL AND action NOT IN ('plan.import_delivery', 'auth.staff_login', 'auth.list_users')
           AND action NOT LIKE '%.read\\_%' GROUP BY 1, 2",
    ),
    (
        "auth",
        "SELECT user_id::text, 'acted ' || action, count(*) FROM user_acts GROUP BY 1, 2",
    ),
    (
        "wallet",
        "SELECT user_id::text, 'posted ' || type, count(*) FROM transactions GROUP BY 1, 2",
    ),
    (
        "plan",
        "SELECT user_id::text, 'plan ' || order_history.status, count(*)
         FROM order_history JOIN orders ON orders.id = order_id GROUP BY 1, 2",
    ),
    (
        "plan",
        "SELECT user_id::text, 'put ' || state, count(*) FROM puts GROUP BY 1, 2",
    ),
    (
        "plan",
        "SELECT user_id::text, 'report ' || origin, count(*)
         FROM delivery_reports JOIN orders ON orders.id = order_id GROUP BY 1, 2",
    ),
    (
        "coupon",
        "SELECT user_id::text, 'coupon ' || state, count(*) FROM coupons GROUP BY 1, 2",
    ),
    (
        "coupon",
        "SELECT user_id::text, 'reservation ' || state, count(*) FROM reservations
         WHERE coupon_id IS NOT NULL GROUP BY 1, 2",
    ),
    (
        "notification",
        "SELECT user_id::text, 'notice ' || template, count(*) FROM notifications GROUP BY 1, 2",
    ),
    (
        "notification",
        "SELECT 'all', 'announcement', count(*) FROM announcements",
    ),
    (
        "acceptor",
        "SELECT user_id::text, 'exchange ' || state, count(*) FROM exchanges GROUP BY 1, 2",
    ),
];

/// The number of rows of each kind for each user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects(BTreeMap<(String, String), i64>);

impl Effects {
    /// The present state.
    pub async fn of(system: &System) -> Result<Self, sqlx::Error> {
        let base_url = system.stack.database_base_url();
        let mut counts = BTreeMap::new();
        for (service, query) in COUNTED {
            let mut connection = PgConnection::connect(&database(&base_url, service)).await?;
            let rows: Vec<(String, String, i64)> =
                sqlx::query_as(query).fetch_all(&mut connection).await?;
            counts.extend(
                rows.into_iter()
                    .map(|(user, kind, count)| ((user, kind), count)),
            );
        }
        Ok(Self(counts))
    }

    /// The additions between `before` and now.
    pub fn since(&self, before: &Self) -> Self {
        let more = self.0.iter().filter_map(|(key, count)| {
            let more = count - before.0.get(key).unwrap_or(&0);
            (more != 0).then(|| (key.clone(), more))
        });
        let gone = before
            .0
            .iter()
            .filter(|(key, _)| !self.0.contains_key(*key));
        let gone = gone.map(|(key, count)| (key.clone(), -count));
        Self(more.chain(gone).collect())
    }

    /// These plus `times` the effects of `more`.
    pub fn plus(&self, more: &Self, times: i64) -> Self {
        let mut counts = self.0.clone();
        for (key, count) in &more.0 {
            *counts.entry(key.clone()).or_default() += times * count;
        }
        Self(counts)
    }

    /// Waits until the system has exactly these.
    pub async fn wait_for(&self, system: &System) {
        let began = Instant::now();
        loop {
            let seen = Self::of(system).await;
            if seen.as_ref().is_ok_and(|seen| seen == self) {
                return;
            }
            assert!(
                began.elapsed() < QUIET_LIMIT,
                "more, or less, than undisturbed: {:?}",
                seen.as_ref().map(|seen| seen.since(self).0)
            );
            tokio::time::sleep(POLL).await;
        }
    }
}
