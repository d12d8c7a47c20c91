//! A process crashes at the chosen point and nowhere else.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};

use adfolio_kit::db::{self, Pool, Tx};
use adfolio_testkit::TestDatabase;
use futures::future::BoxFuture;
use sqlx::PgPool;
use tempfile::TempDir;

/// The variables for the child's name and its database.
const DATABASE: &str = "CRASH_POINTS_DATABASE";

/// The writes of a child, each with its own number.
const WRITES: i32 = 3;

const ABORTED: i32 = 6;

#[tokio::test]
async fn a_process_ends_before_its_commit() {
    let lives = Lives::prepare().await;
    lives.choose(&format!("0 {} BeforeCommit\n", lives.point));
    assert_eq!(lives.live().signal(), Some(ABORTED));
    assert_eq!(lives.written().await, 0);
    assert!(!lives.is_chosen(), "the successor is to live");
}

#[tokio::test]
async fn a_process_ends_after_its_commit_once_enough_have_passed() {
    let lives = Lives::prepare().await;
    lives.choose(&format!("1 {} AfterCommit\n", lives.point));
    assert_eq!(lives.live().signal(), Some(ABORTED));
    assert_eq!(lives.written().await, 2);
    assert_eq!(
        lives.passes("AfterCommit"),
        2 + usize::try_from(WRITES).unwrap()
    );
}

#[tokio::test]
async fn a_successor_ends_at_its_own_point_and_the_next_lives() {
    let lives = Lives::prepare().await;
    let point = &lives.point;
    lives.choose(&format!("2 {point} BeforeCommit\n1 {point} AfterCommit\n"));
    assert_eq!(lives.live().signal(), Some(ABORTED));
    assert_eq!(lives.written().await, 2);
    assert_eq!(lives.live().signal(), Some(ABORTED));
    assert_eq!(lives.written().await, 4);
    assert!(lives.live().success());
    assert_eq!(lives.written().await, 4 + i64::from(WRITES));
}

#[tokio::test]
async fn what_writes_nothing_or_passes_elsewhere_ends_nothing() {
    let lives = Lives::prepare().await;
    lives.choose("0 elsewhere.rs:1 BeforeCommit\n");
    assert!(lives.live().success());
    assert!(lives.is_chosen());
    let writes = usize::try_from(WRITES).unwrap();
    assert_eq!(lives.passes("BeforeCommit"), 2 * writes);
    assert_eq!(lives.passes("AfterCommit"), 2 * writes);
}

/// The child of the other tests: writes a few rows and reads them. Does nothing by itself.
#[tokio::test]
async fn child() {
    let Ok(url) = std::env::var(DATABASE) else {
        return;
    };
    let pool = Pool::from(PgPool::connect(&url).await.unwrap());
    for number in 0..WRITES {
        db::write(&pool, move |tx| insert(tx, number))
            .await
            .unwrap();
        db::write(&pool, look).await.unwrap();
    }
}

fn insert(tx: &mut Tx, number: i32) -> BoxFuture<'_, Result<(), sqlx::Error>> {
    Box::pin(async move {
        let insert = sqlx::query("INSERT INTO numbers VALUES ($1)").bind(number);
        insert.execute(tx).await.map(|_| ())
    })
}

fn look(tx: &mut Tx) -> BoxFuture<'_, Result<i64, sqlx::Error>> {
    Box::pin(sqlx::query_scalar("SELECT count(*) FROM numbers").fetch_one(tx))
}

/// A database and a folder, shared by processes that run one after the other.
struct Lives {
    database: TestDatabase,
    folder: TempDir,
    program: String,
    /// The place of the child's writes.
    point: String,
}

impl Lives {
    /// After an undisturbed run, which shows where the point is.
    async fn prepare() -> Self {
        let program = std::env::current_exe().unwrap();
        let mut lives = Self {
            database: TestDatabase::of_kit().await,
            folder: TempDir::new().unwrap(),
            program: program.file_name().unwrap().to_str().unwrap().to_owned(),
            point: String::new(),
        };
        let create = "CREATE TABLE numbers (number int NOT NULL)";
        let pool = lives.database.pool();
        sqlx::raw_sql(create).execute(&pool).await.unwrap();
        assert!(lives.live().success());
        let passed = fs::read_to_string(lives.file("passed")).unwrap();
        let (point, moment) = passed.lines().next().unwrap().rsplit_once(' ').unwrap();
        assert_eq!(moment, "BeforeCommit");
        assert!(Path::new(point.split(':').next().unwrap()).ends_with("tests/it/crash_points.rs"));
        point.clone_into(&mut lives.point);
        sqlx::raw_sql("TRUNCATE numbers")
            .execute(&pool)
            .await
            .unwrap();
        lives
    }

    fn live(&self) -> ExitStatus {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash_points::child"])
            .env("ADFOLIO_CHAOS_DIR", self.folder.path())
            .env(DATABASE, self.database.url())
            .output()
            .unwrap()
            .status
    }

    fn choose(&self, lines: &str) {
        fs::write(self.file("crash"), lines).unwrap();
    }

    fn is_chosen(&self) -> bool {
        self.file("crash").exists()
    }

    /// Passes of all runs at this moment.
    fn passes(&self, moment: &str) -> usize {
        let passed = fs::read_to_string(self.file("passed")).unwrap();
        passed.lines().filter(|line| line.ends_with(moment)).count()
    }

    async fn written(&self) -> i64 {
        let count = sqlx::query_scalar("SELECT count(*) FROM numbers");
        count.fetch_one(&self.database.pool()).await.unwrap()
    }

    fn file(&self, ending: &str) -> std::path::PathBuf {
        self.folder
            .path()
            .join(format!("{}.{ending}", self.program))
    }
}
