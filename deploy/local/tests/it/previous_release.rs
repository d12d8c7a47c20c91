//! The queries of the previous release against the schema of this release: its replicas still run
//! while this release's start, and run again after a rollback.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use adfolio_testkit::TestDatabase;
use serde_json::Value;
use sqlx::migrate::Migrator;
use sqlx::{
    AssertSqlSafe, Column as _, Connection as _, Either, Executor as _, PgConnection,
    SqlSafeStr as _, Statement as _, TypeInfo as _,
};
use tempfile::TempDir;

/// Services with a database.
const SERVICES: [&str; 6] = [
    "acceptor",
    "auth",
    "coupon",
    "notification",
    "plan",
    "wallet",
];

/// The table of kit's migrations, as in its `sqlx.toml`.
const KIT_TABLE: &str = "_kit_migrations";

/// The types of a query's parameters, and the names and types of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    parameters: Vec<String>,
    columns: Vec<(String, String)>,
}

fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap().to_owned()
}

/// Migrations and queries of the previous release, in a folder of their own. None if its commit was
/// not cloned: a copy without history has nothing to compare with.
fn previous_release() -> Option<TempDir> {
    let repository = repository();
    let recorded = fs::read_to_string(repository.join("deploy/local/previous-release")).unwrap();
    let commit = recorded.trim();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(&repository).args(arguments);
        command
    };
    let exists = git(&["cat-file", "-e", &format!("{commit}^{{commit}}")])
        .stderr(Stdio::null())
        .status()
        .expect("git is installed");
    if !exists.success() {
        println!("the previous release {commit} is not in this clone: nothing is compared");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut archive = git(&["archive", commit, "services"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let unpacked = Command::new("tar")
        .args(["-x", "-C"])
        .arg(folder.path())
        .stdin(archive.stdout.take().unwrap())
        .status()
        .unwrap();
    assert!(unpacked.success() && archive.wait().unwrap().success());
    Some(folder)
}

/// The migrations of a crate below `release`.
async fn migrations(release: &Path, name: &str) -> Migrator {
    let folder = release.join("services").join(name).join("migrations");
    Migrator::new(folder.as_path()).await.unwrap()
}

/// Applies the release's migrations that the database lacks.
async fn migrate(connection: &mut PgConnection, release: &Path, service: &str) {
    let mut kit = migrations(release, "kit").await;
    kit.dangerous_set_table_name(KIT_TABLE);
    let own = migrations(release, service).await;
    for migrator in [&kit, &own] {
        migrator
            .run_direct(None, &mut *connection, false)
            .await
            .unwrap_or_else(|error| panic!("{service}: {error}"));
    }
}

/// A database as the previous release left it.
async fn left_by(release: &Path, service: &str) -> (TestDatabase, PgConnection) {
    let database = TestDatabase::of_kit().await;
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    connection
        .execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        .await
        .unwrap();
    migrate(&mut connection, release, service).await;
    (database, connection)
}

/// The queries that were checked when a release's service was built, kit's included. An earlier
/// release may not have checked kit's; `make upgrade-test` runs those.
fn queries(release: &Path, service: &str) -> Vec<String> {
    let folders = [service, "kit"].map(|name| release.join("services").join(name).join(".sqlx"));
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let queries = entries.flatten().map(|entry| {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let described: Value = serde_json::from_str(&text).unwrap();
        described["query"].as_str().unwrap().to_owned()
    });
    queries.collect()
}

async fn shapes(
    connection: &mut PgConnection,
    queries: &[String],
) -> BTreeMap<String, Result<Shape, String>> {
    let mut shapes = BTreeMap::new();
    for query in queries {
        let text = AssertSqlSafe(query.clone()).into_sql_str();
        let shape = match connection.prepare(text).await {
            Ok(statement) => {
                let parameters = match statement.parameters() {
                    Some(Either::Left(types)) => types.iter().map(|it| it.name().to_owned()),
                    other => panic!("PostgreSQL says which types parameters have: {other:?}"),
                };
                let columns = statement.columns().iter();
                Ok(Shape {
                    parameters: parameters.collect(),
                    columns: columns
                        .map(|it| (it.name().to_owned(), it.type_info().name().to_owned()))
                        .collect(),
                })
            }
            Err(error) => Err(error.to_string()),
        };
        shapes.insert(query.clone(), shape);
    }
    shapes
}

/// A query, and how it has changed.
type Change = (String, Result<Shape, String>, Result<Shape, String>);

/// The queries that worked on their own release's schema and no longer do. Sessions are opened
/// anew: types are cached.
async fn changes(
    database: &TestDatabase,
    before: &BTreeMap<String, Result<Shape, String>>,
) -> Vec<Change> {
    let queries: Vec<String> = before.keys().cloned().collect();
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let after = shapes(&mut connection, &queries).await;
    let pairs = before.iter().zip(after.into_values());
    pairs
        .filter(|((_, before), after)| *before != after)
        .map(|((query, before), after)| (query.clone(), before.clone(), after))
        .collect()
}

#[tokio::test]
async fn every_query_of_the_previous_release_is_what_it_was_on_this_schema() {
    let Some(previous) = previous_release() else {
        return;
    };
    let current = repository();
    for service in SERVICES {
        let (database, mut connection) = left_by(previous.path(), service).await;
        let before = shapes(&mut connection, &queries(previous.path(), service)).await;
        assert!(before.len() > 10, "{service} asks {} queries", before.len());
        for (query, shape) in &before {
            assert!(shape.is_ok(), "{service}: {query}: {shape:?}");
        }
        // Like an update: on the previous release's database, not on an empty one.
        migrate(&mut connection, &current, service).await;
        let changes = changes(&database, &before).await;
        assert!(
            changes.is_empty(),
            "the previous release of {service} cannot run on this schema: {changes:#?}"
        );
    }
}

#[tokio::test]
async fn what_takes_something_from_the_previous_release_is_noticed() {
    let Some(previous) = previous_release() else {
        return;
    };
    for change in [
        "ALTER TABLE withdrawals RENAME COLUMN reason TO why",
        "ALTER TABLE withdrawals ALTER COLUMN fee TYPE numeric",
        "ALTER TYPE withdrawal_status RENAME TO state_of_withdrawal",
        "DROP TABLE destinations",
    ] {
        let (database, mut connection) = left_by(previous.path(), "wallet").await;
        let before = shapes(&mut connection, &queries(previous.path(), "wallet")).await;
        assert!(changes(&database, &before).await.is_empty());
        connection.execute(change).await.unwrap();
        assert!(!changes(&database, &before).await.is_empty(), "{change}");
    }
}
