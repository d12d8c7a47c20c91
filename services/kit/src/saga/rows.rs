//! The SQL that every saga has, for its own table.

/// An `impl Rows` for a row with the fields `id` and `lease`, but for its `Error`. The statements are
/// checked at compile time in the service.
///
/// `$query!("SELECT", "FROM …", argument, …)` is a macro of the service: a query for rows, with the
/// columns between the two texts; each text is one or more literals. `unfinished` is the condition of
/// rows that have not ended, `state` and `age` are what the metrics show of them. Keys are forgotten of
/// rows that are `forgettable` and whose `dated` is past, the oldest first.
#[macro_export]
macro_rules! saga_rows {
    ($query:ident, table: $table:literal, unfinished: $unfinished:literal, state: $state:literal, age: $age:literal,
     forgettable: $forgettable:literal, dated: $dated:literal $(,)?) => {
        fn id(&self) -> ::uuid::Uuid {
            self.id.0
        }

        fn lease(&self) -> $crate::saga::Lease {
            self.lease
        }

        async fn find(
            pool: &$crate::db::Pool,
            id: ::uuid::Uuid,
        ) -> Result<Option<Self>, Self::Error> {
            let row = $query!("SELECT ", " FROM " $table " WHERE id = $1", id)
                .fetch_optional(pool)
                .await?;
            row.map(Self::try_from).transpose()
        }

        async fn find_by_key(
            pool: &$crate::db::Pool,
            user: $crate::identity::UserId,
            key: &$crate::identity::IdempotencyKey,
        ) -> Result<Option<Self>, Self::Error> {
            let row = $query!(
                "SELECT ",
                " FROM " $table " WHERE user_id = $1 AND idempotency_key = $2",
                user.0,
                key.as_str(),
            )
            .fetch_optional(pool)
            .await?;
            row.map(Self::try_from).transpose()
        }

        async fn claim_in_tx(
            tx: &mut $crate::db::Tx,
            claim: $crate::saga::Claim,
        ) -> Result<Vec<Self>, Self::Error> {
            let rows = $query!(
                "UPDATE " $table " SET attempts = attempts + 1, lease_token = $2,
                     lease_until = clock_timestamp() + make_interval(secs => $3)
                 WHERE id IN (
                     SELECT id FROM " $table "
                     WHERE (" $unfinished ") AND lease_until < clock_timestamp()
                       AND CASE WHEN $1::uuid IS NULL THEN next_attempt_at <= clock_timestamp() ELSE id = $1 END
                     ORDER BY next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED)
                 RETURNING ",
                "",
                claim.only,
                claim.token,
                claim.lease.as_secs_f64(),
                claim.limit,
            )
            .fetch_all(tx)
            .await?;
            rows.into_iter().map(Self::try_from).collect()
        }

        async fn postpone_in_tx(
            tx: &mut $crate::db::Tx,
            id: ::uuid::Uuid,
            token: ::uuid::Uuid,
            wait: ::std::time::Duration,
        ) -> Result<(), Self::Error> {
            ::sqlx::query!(
                "UPDATE " + $table + " SET lease_until = '-infinity',
                     next_attempt_at = clock_timestamp() + make_interval(secs => $3)
                 WHERE id = $1 AND lease_token = $2",
                id,
                token,
                wait.as_secs_f64(),
            )
            .execute(tx)
            .await?;
            Ok(())
        }

        async fn forget_keys_in_tx(
            tx: &mut $crate::db::Tx,
            before: ::chrono::DateTime<::chrono::Utc>,
            limit: i64,
        ) -> Result<(), Self::Error> {
            ::sqlx::query!(
                "UPDATE " + $table + " SET idempotency_key = NULL WHERE id IN (
                     SELECT id FROM " + $table + " WHERE idempotency_key IS NOT NULL AND " + $forgettable + "
                       AND " + $dated + " < $1 ORDER BY " + $dated + " LIMIT $2 FOR UPDATE SKIP LOCKED)",
                before,
                limit,
            )
            .execute(tx)
            .await?;
            Ok(())
        }

        /// Of a backlog too large to be counted, the rows that come next.
        async fn unfinished(
            pool: &$crate::db::Pool,
        ) -> Result<Vec<$crate::metrics::InState>, Self::Error> {
            let states = ::sqlx::query_as!(
                $crate::metrics::InState,
                "WITH unfinished AS (
                     SELECT " + $state + " AS state, attempts, " + $age + " AS age
                     FROM " + $table + " WHERE " + $unfinished + " ORDER BY next_attempt_at LIMIT $1)
                 SELECT state AS \"state!\", count(*) AS \"count!\", max(age) AS \"oldest_seconds!\"
                 FROM unfinished GROUP BY state
                 UNION ALL
                 SELECT $3, count(*), coalesce(max(age), 0) FROM unfinished WHERE attempts >= $2",
                $crate::metrics::COUNTED_AT_MOST,
                $crate::metrics::FAILING_ATTEMPTS,
                $crate::metrics::FAILING,
            )
            .fetch_all(pool)
            .await?;
            Ok(states)
        }
    };
}
