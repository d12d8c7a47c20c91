//! Sagas whose callers go away, whose peers fail and whose drives overtake each other: each row
//! ends, and ends once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, Pool, Tx};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::metrics::InState;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::{self, Attempt, Claim, Context, Lease, Rows, Saga, attempt};
use adfolio_testkit::{TestDatabase, eventually};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use tokio::sync::Semaphore;
use tonic::Status;
use uuid::Uuid;

const LEASE: Duration = Duration::from_secs(4);

const TABLE: &str = "
    CREATE TABLE jobs (
        id uuid PRIMARY KEY, is_done bool NOT NULL DEFAULT false, key text, attempts int NOT NULL,
        lease_token uuid NOT NULL, lease_until timestamptz NOT NULL,
        next_attempt_at timestamptz NOT NULL DEFAULT '-infinity', created_at timestamptz NOT NULL DEFAULT now())";

#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Core(#[from] CoreError),
}

adfolio_kit::core_error!(JobError);

#[derive(Clone, Debug)]
struct App {
    pool: Pool,
    clock: Clock,
    ids: Ids,
    notifier: Notifier,
    /// Each drive takes a permit and keeps it; closed, the peer is down.
    peer: Arc<Semaphore>,
    drives: Arc<AtomicUsize>,
}

impl App {
    async fn new(database: &TestDatabase, permits: usize) -> Self {
        sqlx::raw_sql(TABLE)
            .execute(&database.pool())
            .await
            .unwrap();
        Self {
            pool: database.kit_pool(),
            clock: Clock::system(),
            ids: Ids::random(),
            notifier: Notifier::default(),
            peer: Arc::new(Semaphore::new(permits)),
            drives: Arc::default(),
        }
    }

    /// A new row with its lease, as written by a caller.
    async fn begin(&self) -> Job {
        let lease = Lease::first(self.ids.next());
        let id = self.ids.next();
        let insert = "INSERT INTO jobs (id, key, attempts, lease_token, lease_until)
                      VALUES ($1, 'key', 1, $2, now() + interval '1 hour')";
        let insert = sqlx::query(insert).bind(id).bind(lease.token);
        insert.execute(&self.pool).await.unwrap();
        Job {
            id,
            is_done: false,
            lease,
        }
    }

    /// A new row whose caller has died.
    async fn abandon(&self) -> Job {
        let job = self.begin().await;
        self.hasten().await;
        job
    }

    async fn hasten(&self) {
        let update = "UPDATE jobs SET lease_until = '-infinity', next_attempt_at = '-infinity'";
        sqlx::query(update).execute(&self.pool).await.unwrap();
    }

    async fn follow(&self, id: Uuid, leased: Option<Job>) -> Result<Uuid, JobError> {
        let deadline = Deadline::after(Duration::from_secs(10));
        saga::follow(self, deadline, id, leased, Job::outcome).await
    }

    async fn done(&self) -> i64 {
        self.count("SELECT count(*) FROM jobs WHERE is_done").await
    }

    async fn count(&self, sql: &'static str) -> i64 {
        let count = sqlx::query_scalar(sql);
        count.fetch_one(&self.pool).await.unwrap()
    }
}

#[derive(Clone, Debug)]
struct Job {
    id: Uuid,
    is_done: bool,
    lease: Lease,
}

type Columns = (Uuid, bool, Uuid, i32);

impl Job {
    fn outcome(&self) -> Option<Uuid> {
        self.is_done.then_some(self.id)
    }
}

impl From<Columns> for Job {
    fn from((id, is_done, token, attempts): Columns) -> Self {
        let lease = Lease { token, attempts };
        Self { id, is_done, lease }
    }
}

impl Rows for Job {
    type Error = JobError;

    fn id(&self) -> Uuid {
        self.id
    }

    fn lease(&self) -> Lease {
        self.lease
    }

    async fn find(pool: &Pool, id: Uuid) -> Result<Option<Self>, JobError> {
        let select = "SELECT id, is_done, lease_token, attempts FROM jobs WHERE id = $1";
        let row: Option<Columns> = sqlx::query_as(select).bind(id).fetch_optional(pool).await?;
        Ok(row.map(Self::from))
    }

    /// Jobs belong to nobody.
    async fn find_by_key(
        _: &Pool,
        _: UserId,
        _: &IdempotencyKey,
    ) -> Result<Option<Self>, JobError> {
        Ok(None)
    }

    async fn claim_in_tx(tx: &mut Tx, claim: Claim) -> Result<Vec<Self>, JobError> {
        let update = "
            UPDATE jobs SET attempts = attempts + 1, lease_token = $2, lease_until = now() + make_interval(secs => $3)
            WHERE id IN (SELECT id FROM jobs WHERE NOT is_done AND lease_until < now()
                         AND CASE WHEN $1::uuid IS NULL THEN next_attempt_at <= now() ELSE id = $1 END
                         LIMIT $4 FOR UPDATE SKIP LOCKED)
            RETURNING id, is_done, lease_token, attempts";
        let rows: Vec<Columns> = sqlx::query_as(update)
            .bind(claim.only)
            .bind(claim.token)
            .bind(claim.lease.as_secs_f64())
            .bind(claim.limit)
            .fetch_all(tx)
            .await?;
        Ok(rows.into_iter().map(Self::from).collect())
    }

    async fn postpone_in_tx(
        tx: &mut Tx,
        id: Uuid,
        token: Uuid,
        wait: Duration,
    ) -> Result<(), JobError> {
        let update = "UPDATE jobs SET lease_until = '-infinity', next_attempt_at = now() + make_interval(secs => $3)
                      WHERE id = $1 AND lease_token = $2";
        let update = sqlx::query(update)
            .bind(id)
            .bind(token)
            .bind(wait.as_secs_f64());
        update.execute(tx).await?;
        Ok(())
    }

    async fn forget_keys_in_tx(tx: &mut Tx, before: DateTime<Utc>, _: i64) -> Result<(), JobError> {
        let update = "UPDATE jobs SET key = NULL WHERE created_at < $1";
        sqlx::query(update).bind(before).execute(tx).await?;
        Ok(())
    }

    async fn unfinished(_: &Pool) -> Result<Vec<InState>, JobError> {
        Ok(Vec::new())
    }
}

impl Saga for Job {
    type App = App;

    const NAME: &'static str = "job";
    const UNFINISHED: &'static [&'static str] = &["begun"];

    fn context(app: &App) -> Context<'_> {
        Context {
            pool: &app.pool,
            clock: &app.clock,
            ids: &app.ids,
            notifier: &app.notifier,
            lease: LEASE,
        }
    }

    async fn drive(mut self, app: &App) -> Result<Self, JobError> {
        app.drives.fetch_add(1, Ordering::Relaxed);
        match app.peer.acquire().await {
            Ok(permit) => permit.forget(),
            Err(_) => return Err(CoreError::from_peer("peer", Status::unavailable("down")).into()),
        }
        db::write(&app.pool, move |tx| {
            Box::pin(async move {
                let update = "UPDATE jobs SET is_done = true WHERE id = $1 AND lease_token = $2";
                let update = sqlx::query(update).bind(self.id).bind(self.lease.token);
                Lease::check(update.execute(tx).await?.rows_affected())?;
                self.is_done = true;
                Ok(self)
            })
        })
        .await
    }

    fn report_postponed(_: Uuid, _: i32, _: &JobError) {}
}

#[tokio::test]
async fn callers_of_one_row_get_its_outcome_from_one_drive() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 0).await;
    let job = app.begin().await;
    let id = job.id;
    let callers = join_all([Some(job), None, None].map(|leased| app.follow(id, leased)));
    let (outcomes, ()) = tokio::join!(callers, async {
        eventually("the row is driven", || async {
            app.drives.load(Ordering::Relaxed) == 1
        })
        .await;
        app.peer.add_permits(1);
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap(), id);
    }
    assert_eq!(app.drives.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_drive_outlives_its_caller() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 0).await;
    let job = app.begin().await;
    let soon = Deadline::after(Duration::from_millis(300));
    let unfinished = saga::follow(&app, soon, job.id, Some(job), Job::outcome).await;
    assert!(matches!(
        unfinished,
        Err(JobError::Core(CoreError::Unfinished))
    ));
    assert_eq!(app.done().await, 0);
    app.peer.add_permits(1);
    eventually("the row is done", || async { app.done().await == 1 }).await;
}

#[tokio::test]
async fn a_drive_that_fails_is_postponed_and_the_wait_doubles() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 0).await;
    app.peer.close();
    let job = app.begin().await;
    let failed = app.follow(job.id, Some(job)).await;
    assert!(matches!(
        failed,
        Err(JobError::Core(CoreError::Peer { .. }))
    ));
    for (attempts, wait) in [(1, 4_i64), (2, 8), (3, 15), (4, 15)] {
        let (so_far, next): (i32, DateTime<Utc>) =
            sqlx::query_as("SELECT attempts, next_attempt_at FROM jobs")
                .fetch_one(&app.pool)
                .await
                .unwrap();
        assert_eq!(so_far, attempts);
        let left = next - Utc::now();
        let expected = TimeDelta::seconds(wait);
        assert!(left <= expected && left > expected - TimeDelta::seconds(3));
        // Not due yet.
        saga::recover::<Job>(&app).await.unwrap();
        app.hasten().await;
        saga::recover::<Job>(&app).await.unwrap();
    }
    assert_eq!(app.drives.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn recovery_drives_all_that_was_left_behind() {
    const ROWS: usize = 70;
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, ROWS).await;
    for _ in 0..ROWS {
        app.abandon().await;
    }
    saga::recover::<Job>(&app).await.unwrap();
    assert_eq!(usize::try_from(app.done().await), Ok(ROWS));
}

#[tokio::test]
async fn a_row_that_nobody_drives_is_driven_by_who_asks() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 1).await;
    let job = app.abandon().await;
    assert_eq!(app.follow(job.id, None).await.unwrap(), job.id);
}

#[tokio::test]
async fn an_overtaken_drive_writes_nothing_and_follows_the_other() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 0).await;
    let job = app.begin().await;
    let id = job.id;
    let (outcome, ()) = tokio::join!(app.follow(id, Some(job)), async {
        eventually("the row is driven", || async {
            app.drives.load(Ordering::Relaxed) == 1
        })
        .await;
        let update = "UPDATE jobs SET lease_token = $1";
        let update = sqlx::query(update).bind(Uuid::nil());
        update.execute(&app.pool).await.unwrap();
        app.peer.add_permits(1);
        eventually("the drive has ended", || async {
            app.peer.available_permits() == 0
        })
        .await;
        assert_eq!(app.done().await, 0);
        let update = "UPDATE jobs SET is_done = true";
        sqlx::query(update).execute(&app.pool).await.unwrap();
    });
    assert_eq!(outcome.unwrap(), id);
    assert_eq!(app.drives.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn keys_are_forgotten_after_a_day() {
    let database = TestDatabase::of_kit().await;
    let app = App::new(&database, 0).await;
    app.begin().await;
    saga::forget_old_keys::<Job>(&app).await.unwrap();
    assert_eq!(app.count("SELECT count(key) FROM jobs").await, 1);
    let update = "UPDATE jobs SET created_at = now() - interval '25 hours'";
    sqlx::query(update).execute(&app.pool).await.unwrap();
    saga::forget_old_keys::<Job>(&app).await.unwrap();
    assert_eq!(app.count("SELECT count(key) FROM jobs").await, 0);
}

/// The result of `attempt` for these answers, and how many calls it made.
async fn attempted(
    in_doubt: bool,
    answers: &[Result<(), Option<Reason>>],
) -> (Result<Attempt, CoreError>, usize) {
    let calls = AtomicUsize::new(0);
    let call = || {
        let answer = answers[calls.fetch_add(1, Ordering::Relaxed)];
        std::future::ready(answer.map_err(|reason| match reason {
            Some(reason) => Refusal::new(reason).into(),
            None => CoreError::from_peer("peer", Status::unavailable("down")),
        }))
    };
    let limit = Duration::from_secs(10);
    let outcome = attempt(limit, in_doubt, call).await;
    (outcome, calls.into_inner())
}

#[tokio::test]
async fn a_refusal_is_in_doubt_once_an_answer_was_lost() {
    let refused = Err(Some(Reason::InsufficientBalance));
    for (before, answers, in_doubt) in [
        (false, vec![refused], false),
        (true, vec![refused], true),
        (false, vec![Err(None), refused], true),
    ] {
        let (outcome, calls) = attempted(before, &answers).await;
        let expected = Attempt::Refused {
            refusal: Refusal::new(Reason::InsufficientBalance),
            in_doubt,
        };
        assert_eq!(outcome.unwrap(), expected);
        assert_eq!(calls, answers.len());
    }
}

#[tokio::test]
async fn a_call_without_an_answer_is_made_three_times() {
    let (outcome, calls) = attempted(false, &[Err(None), Err(None), Ok(())]).await;
    assert_eq!(outcome.unwrap(), Attempt::Done);
    assert_eq!(calls, 3);
    let (outcome, calls) = attempted(false, &[Err(None); 3]).await;
    assert!(matches!(outcome, Err(CoreError::Peer { .. })));
    assert_eq!(calls, 3);
}
