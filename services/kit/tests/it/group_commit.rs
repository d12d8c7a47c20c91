//! Many callers, one transaction: each is answered for itself, and nobody pays for another.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::db::{self, Pool, Tx};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::group_commit::{
    self, LARGE_BATCH, Limits, Metrics, NotCommitted, Queue, Queued, Work,
};
use adfolio_kit::refusal::is_without_primary;
use adfolio_testkit::{TestDatabase, eventually};
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

const TABLE: &str = "CREATE TABLE numbers (number int PRIMARY KEY CHECK (number > 0),
                                           transaction xid8 NOT NULL DEFAULT pg_current_xact_id())";

const LIMITS: Limits = Limits {
    batch_max: 8,
    queue_max: 8,
    pace: Duration::ZERO,
};

/// As the tests use it: a number that says how the connection fares.
const LOST: i32 = 13;

/// Adds numbers: one that is there is refused by the work, one below 1 by the database.
#[derive(Debug)]
struct Numbers(Pool);

#[derive(Debug, PartialEq)]
struct Known;

impl Work for Numbers {
    type Command = i32;
    type Outcome = Result<(), Known>;
    type Failure = sqlx::Error;

    const NAME: &'static str = "number";

    async fn commit(
        &mut self,
        batch: &[Arc<Queued<i32>>],
    ) -> Result<Vec<Self::Outcome>, sqlx::Error> {
        let numbers: Vec<i32> = batch.iter().map(|queued| queued.command).collect();
        let outcomes = db::write(&self.0, move |tx| {
            Box::pin(async move {
                let added = add_in_tx(tx, &numbers).await?;
                let outcome = |number: &i32| added.contains(number).then_some(()).ok_or(Known);
                Ok::<_, sqlx::Error>(numbers.iter().map(outcome).collect())
            })
        })
        .await?;
        if batch.iter().any(|queued| queued.command == LOST) {
            return Err(sqlx::Error::PoolTimedOut);
        }
        Ok(outcomes)
    }

    fn is_unconfirmed(failure: &sqlx::Error) -> bool {
        !matches!(failure, sqlx::Error::Database(_))
    }

    fn is_paused(failure: &sqlx::Error) -> bool {
        is_without_primary(failure)
    }
}

async fn add_in_tx(tx: &mut Tx, numbers: &[i32]) -> Result<Vec<i32>, sqlx::Error> {
    let insert =
        "INSERT INTO numbers SELECT unnest($1::int[]) ON CONFLICT DO NOTHING RETURNING number";
    sqlx::query_scalar(insert).bind(numbers).fetch_all(tx).await
}

type Answer = Result<Result<(), Known>, NotCommitted<sqlx::Error>>;

struct Fixture {
    database: TestDatabase,
    queue: Queue<Numbers>,
    writer: JoinHandle<()>,
}

impl Fixture {
    async fn new() -> Self {
        let database = TestDatabase::of_kit().await;
        sqlx::raw_sql(TABLE)
            .execute(&database.pool())
            .await
            .unwrap();
        let work = Numbers(database.kit_pool());
        let (queue, writer) = group_commit::queue(work, LIMITS, Metrics::of("numbers"));
        Self {
            database,
            queue,
            writer: tokio::spawn(writer.run()),
        }
    }

    fn add(&self, number: i32, limit: Duration) -> JoinHandle<Answer> {
        let queue = self.queue.clone();
        tokio::spawn(async move { queue.commit(number, Deadline::after(limit)).await })
    }

    /// Keeps the writer busy with a first number until the returned connection is closed.
    async fn busy(&self) -> (PgConnection, JoinHandle<Answer>) {
        let mut blocker = PgConnection::connect(self.database.url()).await.unwrap();
        sqlx::raw_sql("BEGIN; LOCK TABLE numbers")
            .execute(&mut blocker)
            .await
            .unwrap();
        let first = self.add(1, LONG);
        eventually("the writer waits", || async {
            let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'numbers'::regclass";
            let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(&self.database.pool()).await.unwrap();
            waiting == 1
        })
        .await;
        (blocker, first)
    }

    /// The numbers that are there, and in how many transactions they came.
    async fn numbers(&self) -> (Vec<i32>, i64) {
        let all = "SELECT coalesce(array_agg(number ORDER BY number), '{}'), count(DISTINCT transaction) FROM numbers";
        sqlx::query_as(all)
            .fetch_one(&self.database.pool())
            .await
            .unwrap()
    }
}

const LONG: Duration = Duration::from_secs(10);

/// Lets spawned callers reach the queue.
async fn queued(callers: Vec<JoinHandle<Answer>>) -> Vec<JoinHandle<Answer>> {
    for _ in 0..callers.len() * 4 {
        tokio::task::yield_now().await;
    }
    callers
}

async fn answers(callers: Vec<JoinHandle<Answer>>) -> Vec<Answer> {
    let answers = join_all(callers).await;
    answers.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn what_queued_up_is_one_transaction_and_each_is_answered_for_itself() {
    let fixture = Fixture::new().await;
    let (blocker, first) = fixture.busy().await;
    let callers = [2, 3, 1, 4].map(|number| fixture.add(number, LONG));
    let callers = queued(callers.into()).await;
    blocker.close().await.unwrap();
    assert!(matches!(first.await.unwrap(), Ok(Ok(()))));
    let outcomes: Vec<_> = answers(callers)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(outcomes, [Ok(()), Ok(()), Err(Known), Ok(())]);
    assert_eq!(fixture.numbers().await, (vec![1, 2, 3, 4], 2));
}

#[tokio::test]
async fn what_the_database_refuses_fails_alone() {
    let fixture = Fixture::new().await;
    let (blocker, _first) = fixture.busy().await;
    let callers = [2, -1, 3].map(|number| fixture.add(number, LONG));
    let callers = queued(callers.into()).await;
    blocker.close().await.unwrap();
    let answers = answers(callers).await;
    assert!(matches!(answers[0], Ok(Ok(()))));
    assert!(matches!(
        answers[1],
        Err(NotCommitted::Failed(sqlx::Error::Database(_)))
    ));
    assert!(matches!(answers[2], Ok(Ok(()))));
    assert_eq!(fixture.numbers().await, (vec![1, 2, 3], 3));
}

#[tokio::test]
async fn a_batch_that_was_not_confirmed_is_not_repeated() {
    let fixture = Fixture::new().await;
    let (blocker, _first) = fixture.busy().await;
    let callers = [2, LOST].map(|number| fixture.add(number, LONG));
    let callers = queued(callers.into()).await;
    blocker.close().await.unwrap();
    for answer in answers(callers).await {
        assert!(matches!(answer, Err(NotCommitted::Unconfirmed)));
    }
    assert_eq!(fixture.numbers().await, (vec![1, 2, LOST], 2));
    // The writer goes on.
    assert!(matches!(fixture.add(4, LONG).await.unwrap(), Ok(Ok(()))));
}

#[tokio::test]
async fn whose_caller_gave_up_before_the_turn_is_not_committed() {
    let fixture = Fixture::new().await;
    let (blocker, _first) = fixture.busy().await;
    let late = fixture.add(2, Duration::ZERO);
    let gone = fixture.add(3, LONG);
    let stays = fixture.add(4, LONG);
    let callers = queued(vec![late, stays]).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    blocker.close().await.unwrap();
    let answers = answers(callers).await;
    assert!(matches!(answers[0], Err(NotCommitted::Overdue)));
    assert!(matches!(answers[1], Ok(Ok(()))));
    assert_eq!(fixture.numbers().await, (vec![1, 4], 2));
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let fixture = Fixture::new().await;
    let (blocker, _first) = fixture.busy().await;
    let callers = (2..=9).map(|number| fixture.add(number, LONG)).collect();
    let callers = queued(callers).await;
    let refused = fixture.add(10, LONG).await.unwrap();
    assert!(matches!(refused, Err(NotCommitted::QueueFull)));
    blocker.close().await.unwrap();
    for answer in answers(callers).await {
        assert!(matches!(answer, Ok(Ok(()))));
    }
    assert_eq!(fixture.numbers().await, ((1..=9).collect(), 2));
}

/// Notes when a batch had its turn, and its size.
#[derive(Debug)]
struct Turns(mpsc::UnboundedSender<(Instant, usize)>);

impl Work for Turns {
    type Command = ();
    type Outcome = ();
    type Failure = Infallible;

    const NAME: &'static str = "turn";

    async fn commit(&mut self, batch: &[Arc<Queued<()>>]) -> Result<Vec<()>, Infallible> {
        self.0.send((Instant::now(), batch.len())).unwrap();
        Ok(vec![(); batch.len()])
    }

    fn is_unconfirmed(failure: &Infallible) -> bool {
        match *failure {}
    }

    fn is_paused(failure: &Infallible) -> bool {
        match *failure {}
    }
}

/// A writer with a pace, and its turns.
fn paced(pace: Duration) -> (Queue<Turns>, mpsc::UnboundedReceiver<(Instant, usize)>) {
    let limits = Limits {
        batch_max: 64,
        queue_max: 64,
        pace,
    };
    let (turns, taken) = mpsc::unbounded_channel();
    let (queue, writer) = group_commit::queue(Turns(turns), limits, Metrics::of("turns"));
    tokio::spawn(writer.run());
    (queue, taken)
}

async fn commit(queue: &Queue<Turns>, count: usize) {
    let calls = (0..count).map(|_| queue.commit((), Deadline::after(LONG)));
    for answer in join_all(calls).await {
        answer.unwrap();
    }
}

#[tokio::test]
async fn few_commands_wait_for_the_pace() {
    let pace = Duration::from_millis(50);
    let (queue, mut turns) = paced(pace);
    commit(&queue, 1).await;
    commit(&queue, 1).await;
    let (first, _) = turns.recv().await.unwrap();
    let (second, _) = turns.recv().await.unwrap();
    assert!(second - first >= pace);
}

#[tokio::test]
async fn many_commands_and_the_last_do_not_wait_for_the_pace() {
    let (queue, mut turns) = paced(Duration::from_hours(1));
    commit(&queue, 1).await;
    commit(&queue, LARGE_BATCH).await;
    let last = tokio::spawn({
        let queue = queue.clone();
        async move { commit(&queue, 1).await }
    });
    tokio::task::yield_now().await;
    queue.close();
    last.await.unwrap();
    let mut sizes = Vec::new();
    while let Some((_, size)) = turns.recv().await {
        sizes.push(size);
    }
    assert_eq!(sizes, [1, LARGE_BATCH, 1]);
}

#[tokio::test]
async fn a_closed_queue_is_emptied_and_takes_no_more() {
    let fixture = Fixture::new().await;
    let (blocker, first) = fixture.busy().await;
    let callers = [2, 3].map(|number| fixture.add(number, LONG));
    let callers = queued(callers.into()).await;
    fixture.queue.close();
    blocker.close().await.unwrap();
    assert!(matches!(first.await.unwrap(), Ok(Ok(()))));
    for answer in answers(callers).await {
        assert!(matches!(answer, Ok(Ok(()))));
    }
    let Fixture { queue, writer, .. } = fixture;
    writer.await.unwrap();
    let late = queue.commit(4, Deadline::after(LONG)).await;
    assert!(matches!(late, Err(NotCommitted::QueueFull)));
}
