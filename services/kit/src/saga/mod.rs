//! Sagas: work in several steps over several services that reaches its end even if callers and
//! processes go away.
//!
//! A saga is a row. It is written before its first step, and every step writes its result before
//! the next one begins. Steps may be repeated, because other services know the row by its id.
//!
//! | term | meaning |
//! |---|---|
//! | lease | the right to drive a row: a token in the row, and a time at which it runs out |
//! | claim | take the lease of rows that nobody drives |
//! | drive | take a row's next steps, in a task that outlives its caller |
//! | postpone | give the lease back after a failure; the wait until the next drive doubles |
//! | follow | wait for a row's outcome, and drive the row if nobody else does |
//! | recover | drive the rows that callers and processes left behind |
//! | forget | clear idempotency keys past their lifetime |
//! | unfinished | rows that have not reached their end, counted by state |
//!
//! A drive writes only where the row still has its token. If another drive has overtaken it, it
//! writes nothing and fails with [`CoreError::LeaseLost`].
//!
//! A service implements [`Rows`] in its `repo.rs`, most of it by [`saga_rows!`](crate::saga_rows), and
//! [`Saga`] beside its steps. The rest is here.

mod attempt;
mod drive;
mod rows;

use std::future::Future;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub use attempt::{Attempt, attempt};
pub use drive::{drive_all, follow, recover};

use crate::clock::{Clock, Ids};
use crate::db::{self, Pool, Tx};
use crate::error::{CoreError, ServiceError};
use crate::idempotency::KEY_LIFETIME;
use crate::identity::{IdempotencyKey, UserId};
use crate::metrics::{InState, record_saga};
use crate::outbox::Notifier;

/// Keys that one statement forgets at most.
const FORGET_BATCH: i64 = 1_000;

/// The lease of a row, as the drive that holds it read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// Drives write only where the row still has this token.
    pub token: Uuid,
    /// Drives so far, this one included.
    pub attempts: i32,
}

impl Lease {
    /// The lease that a new row is written with, for the drive that follows at once.
    pub fn first(token: Uuid) -> Self {
        Self { token, attempts: 1 }
    }

    /// Whether an earlier drive may still have a call under way, which could succeed after a
    /// refusal now.
    pub fn is_repeated(&self) -> bool {
        self.attempts > 1
    }

    /// LeaseLost unless a statement guarded by the token found its row.
    pub fn check(rows_affected: u64) -> Result<(), CoreError> {
        if rows_affected == 1 {
            Ok(())
        } else {
            Err(CoreError::LeaseLost)
        }
    }
}

/// Which rows a statement leases.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// This row at once; none: any rows that are due.
    pub only: Option<Uuid>,
    /// The token of the leases.
    pub token: Uuid,
    /// The leases run out after this.
    pub lease: Duration,
    /// Rows at most.
    pub limit: i64,
}

/// What kit needs of a service's `App`.
#[derive(Debug)]
pub struct Context<'a> {
    /// The database.
    pub pool: &'a Pool,
    /// Time.
    pub clock: &'a Clock,
    /// Tokens of leases.
    pub ids: &'a Ids,
    /// Wakes the relay of the outbox.
    pub notifier: &'a Notifier,
    /// A lease runs out after this. It is also the first wait after a failure.
    pub lease: Duration,
}

/// The SQL of a saga.
pub trait Rows: Send + Sized + 'static {
    /// The service's error.
    type Error: ServiceError;

    /// The row's id.
    fn id(&self) -> Uuid;

    /// The row's lease.
    fn lease(&self) -> Lease;

    /// One row.
    fn find(
        pool: &Pool,
        id: Uuid,
    ) -> impl Future<Output = Result<Option<Self>, Self::Error>> + Send;

    /// The row of a user's idempotency key.
    fn find_by_key(
        pool: &Pool,
        user: UserId,
        key: &IdempotencyKey,
    ) -> impl Future<Output = Result<Option<Self>, Self::Error>> + Send;

    /// Leases unfinished rows whose lease has run out, and counts one more attempt of each. Skips
    /// rows that are locked, so that replicas share the work.
    fn claim_in_tx(
        tx: &mut Tx,
        claim: Claim,
    ) -> impl Future<Output = Result<Vec<Self>, Self::Error>> + Send;

    /// Gives a lease back. The row is due after `wait`, or at once if somebody asks for it.
    fn postpone_in_tx(
        tx: &mut Tx,
        id: Uuid,
        token: Uuid,
        wait: Duration,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Clears up to `limit` idempotency keys from before `before`; the rows stay.
    fn forget_keys_in_tx(
        tx: &mut Tx,
        before: DateTime<Utc>,
        limit: i64,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Unfinished rows by state.
    fn unfinished(pool: &Pool) -> impl Future<Output = Result<Vec<InState>, Self::Error>> + Send;
}

/// A row that is driven to its end.
pub trait Saga: Rows {
    /// What steps work with.
    type App: Clone + Send + Sync + 'static;

    /// The saga's name in metrics and logs.
    const NAME: &'static str;

    /// The states that metrics show unfinished rows in.
    const UNFINISHED: &'static [&'static str];

    /// The parts of `app` that kit works with.
    fn context(app: &Self::App) -> Context<'_>;

    /// Takes the row's next steps. The lease is held.
    fn drive(self, app: &Self::App) -> impl Future<Output = Result<Self, Self::Error>> + Send;

    /// Logs and counts a drive that failed and was postponed.
    fn report_postponed(id: Uuid, attempts: i32, error: &Self::Error);
}

/// Forgets idempotency keys past their lifetime.
pub async fn forget_old_keys<S: Saga>(app: &S::App) -> Result<(), S::Error> {
    let context = S::context(app);
    let lifetime = chrono::TimeDelta::from_std(KEY_LIFETIME).unwrap_or(chrono::TimeDelta::days(1));
    let Some(before) = context.clock.now().checked_sub_signed(lifetime) else {
        return Ok(());
    };
    db::write(context.pool, move |tx| {
        Box::pin(S::forget_keys_in_tx(tx, before, FORGET_BATCH))
    })
    .await
}

/// Sets the gauges of unfinished rows.
pub async fn record_unfinished<S: Saga>(app: &S::App) -> Result<(), S::Error> {
    let found = S::unfinished(S::context(app).pool).await?;
    record_saga(S::NAME, S::UNFINISHED, &found);
    Ok(())
}
