//! Statements on a [`Pool`].

use std::pin::pin;

use async_stream::try_stream;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, TryStreamExt as _};
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Either, Execute, Executor, Postgres, SqlStr};

use super::connection::Replaced;
use super::pool::Pool;

/// Statements outside of a transaction. They only read: what writes goes through [`super::write`].
impl<'p> Executor<'p> for &'_ Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(try_stream! {
            let mut connection = pool.acquire_to_read().await?;
            let is_whole = {
                let (inner, lease) = connection.parts();
                let mut rows = inner.fetch_many(query);
                let mut lost = pin!(lease.lost());
                loop {
                    let next = tokio::select! {
                        biased;
                        next = rows.try_next() => Some(next),
                        () = &mut lost => None,
                    };
                    let Some(next) = next else { break false };
                    match next.map_err(|error| lease.judge(error))? {
                        Some(row) => yield row,
                        None => break true,
                    }
                }
            };
            if !is_whole {
                connection.abandon();
                Err(sqlx::Error::from(Replaced))?;
            }
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(async move {
            pool.read(async move |connection| connection.fetch_optional(query).await)
                .await
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            pool.read(async move |connection| connection.prepare_with(sql, parameters).await)
                .await
        })
    }

    #[doc(hidden)]
    fn describe<'e>(
        self,
        sql: SqlStr,
    ) -> BoxFuture<'e, Result<sqlx::Describe<Postgres>, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            pool.read(async move |connection| connection.describe(sql).await)
                .await
        })
    }
}
