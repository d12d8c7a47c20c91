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
use sqlx::Connection as _;
use tokio::time::Instant;
use tracing::{debug, error, warn};

use super::connection::Replaced;
use super::{Connection, Pool, Tx};
use crate::attempt::Attempt;
use crate::backoff::Backoff;
use crate::chaos::{Moment, Site};
use crate::refusal::{is_read_only, is_serialization_failure};
use crate::telemetry::{Handle, Handles};

/// Limit of a transaction from begin to commit; then its connection is closed, which rolls back.
const WRITE_LIMIT: Duration = Duration::from_secs(15);

/// Connections on which a transaction is tried to begin: those of a pool may all be dead.
const BEGIN_ATTEMPTS: u32 = 4;

/// Attempts of [`write_retrying`], including the first.
const WRITE_ATTEMPTS: u32 = 3;

static SECONDS: Handle<Histogram> = Handle::new(|| metrics::histogram!("db_transaction_seconds"));

/// The outcome of a transaction.
enum Outcome<T, E> {
    Committed(T),
    RolledBack(E),
    /// The work failed, and so did the rollback.
    NotRolledBack(E),
    /// Begin or commit failed: the connection may or may not be inside a transaction.
    Broken(sqlx::Error),
    TimedOut,
    Panicked(Box<dyn Any + Send>),
}

impl<T, E> Outcome<T, E> {
    fn name(&self) -> &'static str {
        match self {
            Self::Committed(_) => "committed",
            Self::RolledBack(_) => "rolled_back",
            Self::NotRolledBack(_) | Self::Broken(_) => "broken",
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
pub fn write<T, E, F>(pool: &Pool, work: F) -> impl Future<Output = Result<T, E>> + use<T, E, F>
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
    pool: &Pool,
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
/// (serialization failure or deadlock), or met a server that is read-only. `work` runs once per
/// attempt.
#[track_caller]
pub fn write_retrying<T, E, F>(
    pool: &Pool,
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
            let error = match write_here(&pool, site.clone(), |tx| work(tx)).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            match conflict(&error) {
                Some(error) if is_serialization_failure(error) => {
                    tokio::time::sleep(backoff.next_wait()).await;
                }
                // The next transaction waits for the primary.
                Some(error) if is_read_only(error) => pool.recheck().await,
                _ => return Err(error),
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
async fn write_here<T, E, F>(pool: &Pool, site: Site, work: F) -> Result<T, E>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    E: From<sqlx::Error>,
{
    let began = Instant::now();
    let mut work = Some(work);
    let mut begins_left = BEGIN_ATTEMPTS;
    loop {
        let connection = pool.acquire().await.inspect_err(|_| {
            count("no_connection");
        })?;
        begins_left -= 1;
        let outcome = attempt(connection, site.clone(), &mut work).await;
        count(outcome.name());
        let error = match outcome {
            // A pooled connection whose server is gone. Nothing was done on it.
            Outcome::Broken(error) if work.is_some() && begins_left > 0 => {
                debug!(%error, "transaction begins on another connection");
                continue;
            }
            Outcome::Broken(error) => error.into(),
            Outcome::Committed(value) => {
                SECONDS.get().record(began.elapsed());
                return Ok(value);
            }
            Outcome::RolledBack(error) | Outcome::NotRolledBack(error) => error,
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
        SECONDS.get().record(began.elapsed());
        return Err(error);
    }
}

/// One transaction on this connection, which goes back to its pool only if its state is known.
async fn attempt<T, E, F>(
    mut connection: Connection,
    site: Site,
    work: &mut Option<F>,
) -> Outcome<T, E>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    E: From<sqlx::Error>,
{
    let lease = connection.lease().clone();
    let transaction = AssertUnwindSafe(run(&mut connection, site, work)).catch_unwind();
    let outcome = tokio::select! {
        biased;
        outcome = tokio::time::timeout(WRITE_LIMIT, transaction) => match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => Outcome::Panicked(panic),
            Err(_) => Outcome::TimedOut,
        },
        // A frozen server would not answer, and nobody may wait for it any more.
        () = lease.over() => Outcome::Broken(Replaced.into()),
    };
    if !matches!(outcome, Outcome::Committed(_)) {
        lease.doubt();
    }
    // Futures were dropped or failed half way, so the state of the connection is unknown and it
    // never goes back to the pool. Closing the socket makes PostgreSQL roll back.
    if !matches!(outcome, Outcome::Committed(_) | Outcome::RolledBack(_)) {
        connection.abandon();
    }
    outcome
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

/// Takes the work once the transaction has begun.
async fn run<T, E, F>(connection: &mut Tx, site: Site, work: &mut Option<F>) -> Outcome<T, E>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    E: From<sqlx::Error>,
{
    let mut transaction = match connection.begin().await {
        Ok(transaction) => transaction,
        Err(error) => return Outcome::Broken(error),
    };
    let Some(work) = work.take() else {
        return Outcome::Broken(sqlx::Error::WorkerCrashed);
    };
    match work(&mut transaction).await {
        Ok(value) => {
            let site = site.if_written(&mut transaction).await;
            site.pass(Moment::BeforeCommit);
            Attempt::writes();
            match transaction.commit().await {
                Ok(()) => {
                    site.pass(Moment::AfterCommit);
                    Outcome::Committed(value)
                }
                Err(error) => Outcome::Broken(error),
            }
        }
        Err(error) => match transaction.rollback().await {
            Ok(()) => Outcome::RolledBack(error),
            Err(rollback) => {
                debug!(error = %rollback, "rollback failed");
                Outcome::NotRolledBack(error)
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
