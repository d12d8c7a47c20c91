//! The one way to write.
//!
//! A server drops a handler's future when its client goes away or its deadline expires. With sqlx
//! 0.9.0, a `begin()` that is dropped at the wrong moment leaves an open transaction on a pooled
//! connection; later statements on it then succeed and are never committed. So writes run in a task
//! of their own, which is never dropped: it commits, rolls back, or its connection is thrown away.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::LazyLock;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use metrics::{Counter, Histogram};
use opentelemetry::context::FutureExt as _;
use sqlx::{Connection, PgPool};
use tokio::time::Instant;
use tracing::{debug, error, warn};

use super::Tx;
use crate::backoff::Backoff;
use crate::chaos::{Moment, Site};
use crate::refusal::is_serialization_failure;
use crate::telemetry::{Handle, Handles};

/// Limit of a transaction from begin to commit; then its connection is closed, which rolls back.
const WRITE_LIMIT: Duration = Duration::from_secs(15);

/// Attempts of [`write_retrying`], including the first.
const WRITE_ATTEMPTS: u32 = 3;

static SECONDS: Handle<Histogram> = Handle::new(|| metrics::histogram!("db_transaction_seconds"));

/// The outcome of a transaction.
enum Outcome<T, E> {
    Committed(T),
    RolledBack(E),
    /// Begin, commit or rollback failed: the connection may or may not be inside a transaction.
    Broken(E),
    TimedOut,
    Panicked(Box<dyn Any + Send>),
}

impl<T, E> Outcome<T, E> {
    fn name(&self) -> &'static str {
        match self {
            Self::Committed(_) => "committed",
            Self::RolledBack(_) => "rolled_back",
            Self::Broken(_) => "broken",
            Self::TimedOut => "timed_out",
            Self::Panicked(_) => "panicked",
        }
    }
}

/// Runs `work` in a transaction, which commits if `work` returns `Ok` and rolls back otherwise,
/// even if the caller is gone. After a timeout the work may or may not have been committed: retry
/// with the same key.
///
/// ```ignore
/// let id = db::write(&pool, move |tx| {
///     Box::pin(async move { repo::insert_in_tx(tx, &order).await })
/// })
/// .await?;
/// ```
#[track_caller]
pub fn write<T, E, F>(pool: &PgPool, work: F) -> impl Future<Output = Result<T, E>> + use<T, E, F>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    write_at(Site::caller(), pool, work)
}

/// Like [`write`], for callers whose location does not tell what is written.
pub(crate) fn write_at<T, E, F>(
    site: Site,
    pool: &PgPool,
    work: F,
) -> impl Future<Output = Result<T, E>> + use<T, E, F>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    let pool = pool.clone();
    let transaction = async move { write_here(&pool, site, work).await };
    finish(detached(transaction))
}

/// Like [`write`], but retries a few times if the transaction failed because of a concurrent one
/// (serialization failure or deadlock). `work` runs once per attempt.
#[track_caller]
pub fn write_retrying<T, E, F>(
    pool: &PgPool,
    conflict: fn(&E) -> Option<&sqlx::Error>,
    work: F,
) -> impl Future<Output = Result<T, E>> + use<T, E, F>
where
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + Sync + 'static,
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    let site = Site::caller();
    let pool = pool.clone();
    let attempts = async move {
        let mut backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(50));
        for _ in 1..WRITE_ATTEMPTS {
            match write_here(&pool, site.clone(), |tx| work(tx)).await {
                Err(error) if conflict(&error).is_some_and(is_serialization_failure) => {
                    tokio::time::sleep(backoff.next_wait()).await;
                }
                outcome => return outcome,
            }
        }
        write_here(&pool, site, |tx| work(tx)).await
    };
    finish(detached(attempts))
}

async fn finish<T, E: From<sqlx::Error>>(
    detached: impl Future<Output = Result<Result<T, E>, DetachedError>>,
) -> Result<T, E> {
    detached
        .await
        .unwrap_or_else(|_| Err(sqlx::Error::WorkerCrashed.into()))
}

/// The task of detached work died, or the process is ending.
#[derive(Debug, thiserror::Error)]
#[error("detached work did not finish")]
pub struct DetachedError(#[from] tokio::task::JoinError);

/// Runs `work` to its end even if the caller is dropped: for work that must not stop half way, such
/// as driving a saga.
pub fn detached<F>(work: F) -> impl Future<Output = Result<F::Output, DetachedError>> + use<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    // Boxed, so that the futures of all who write stay small.
    let work = Box::pin(work.with_current_context());
    async move { tokio::spawn(work).await.map_err(DetachedError) }
}

/// The transaction itself. Only called in a task that is never dropped.
async fn write_here<T, E, F>(pool: &PgPool, site: Site, work: F) -> Result<T, E>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    E: From<sqlx::Error>,
{
    let began = Instant::now();
    let mut connection = pool.acquire().await.inspect_err(|_| {
        count("no_connection");
    })?;
    let transaction = AssertUnwindSafe(run(&mut connection, site, work)).catch_unwind();
    let outcome = match tokio::time::timeout(WRITE_LIMIT, transaction).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Outcome::Panicked(panic),
        Err(_) => Outcome::TimedOut,
    };
    count(outcome.name());
    SECONDS.get().record(began.elapsed());
    let error = match outcome {
        Outcome::Committed(value) => return Ok(value),
        Outcome::RolledBack(error) => return Err(error),
        Outcome::Broken(error) => error,
        Outcome::TimedOut => {
            warn!(
                limit_ms = WRITE_LIMIT.as_millis(),
                "transaction took too long"
            );
            sqlx::Error::PoolTimedOut.into()
        }
        Outcome::Panicked(panic) => {
            error!(
                message = panic_message(panic.as_ref()),
                "transaction panicked"
            );
            sqlx::Error::WorkerCrashed.into()
        }
    };
    // Futures were dropped or failed half way, so the state of the connection is unknown and it
    // never goes back to the pool. Closing the socket makes PostgreSQL roll back.
    drop(connection.detach());
    Err(error)
}

/// Counts a transaction by its outcome.
fn count(outcome: &'static str) {
    static TRANSACTIONS: LazyLock<Handles<&'static str, Counter>> = LazyLock::new(Handles::default);
    TRANSACTIONS
        .get(
            &outcome,
            || metrics::counter!("db_transactions_total", "outcome" => outcome),
        )
        .increment(1);
}

async fn run<T, E, F>(connection: &mut Tx, site: Site, work: F) -> Outcome<T, E>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    E: From<sqlx::Error>,
{
    let mut transaction = match connection.begin().await {
        Ok(transaction) => transaction,
        Err(error) => return Outcome::Broken(error.into()),
    };
    match work(&mut transaction).await {
        Ok(value) => {
            let site = site.if_written(&mut transaction).await;
            site.pass(Moment::BeforeCommit);
            match transaction.commit().await {
                Ok(()) => {
                    site.pass(Moment::AfterCommit);
                    Outcome::Committed(value)
                }
                Err(error) => Outcome::Broken(error.into()),
            }
        }
        Err(error) => match transaction.rollback().await {
            Ok(()) => Outcome::RolledBack(error),
            Err(rollback) => {
                debug!(error = %rollback, "rollback failed");
                Outcome::Broken(error)
            }
        },
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
