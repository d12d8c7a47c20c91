//! Killed processes come back, stopped ones are gone.

use std::path::Path;

use adfolio_local::{Component, Signal, Stack};

use crate::helpers::{answers_query, assert_nothing_left, eventually, processes_of};

async fn servers_only() -> Stack {
    Stack::builder().services([]).start().await.unwrap()
}

fn pid_in_file(stack: &Stack, component: Component) -> u32 {
    let file = stack
        .data_dir()
        .join("run")
        .join(format!("{component}.pid"));
    std::fs::read_to_string(file)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

fn program_of(pid: u32) -> String {
    let program = std::fs::read_link(Path::new("/proc").join(pid.to_string()).join("exe")).unwrap();
    program.file_name().unwrap().to_str().unwrap().to_owned()
}

#[tokio::test]
async fn killed_servers_come_back_and_a_stopped_stack_leaves_nothing() {
    let (first, second) = tokio::join!(servers_only(), servers_only());
    let folders = [first.data_dir().to_owned(), second.data_dir().to_owned()];
    assert_ne!(first.database_base_url(), second.database_base_url());
    assert_ne!(first.amqp_url(), second.amqp_url());
    let untouched = second.pid(Component::Postgres);

    for component in [Component::Postgres, Component::Rabbitmq, Component::Epmd] {
        let before = first.pid(component).unwrap();
        assert_eq!(pid_in_file(&first, component), before);
        first.kill(component, Signal::SIGKILL).await.unwrap();
        first.wait_ready(component).await.unwrap();
        let after = first.pid(component).unwrap();
        assert_ne!(after, before);
        assert_eq!(pid_in_file(&first, component), after);
    }
    assert!(answers_query(&first.database_base_url()).await);
    assert_eq!(second.pid(Component::Postgres), untouched);

    tokio::join!(first.stop(), second.stop());
    for folder in folders {
        assert_eq!(processes_of(&folder), Vec::<String>::new());
        assert!(!folder.exists(), "a temporary data directory is removed");
    }
}

#[tokio::test]
async fn pid_files_name_the_servers_themselves() {
    let stack = servers_only().await;
    assert_eq!(
        program_of(pid_in_file(&stack, Component::Postgres)),
        "postgres"
    );
    assert_eq!(
        program_of(pid_in_file(&stack, Component::Rabbitmq)),
        "beam.smp"
    );
    stack.stop().await;
}

#[tokio::test]
async fn a_database_killed_under_load_comes_back_with_what_it_acknowledged() {
    let stack = servers_only().await;
    let url = stack.database_base_url();
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    sqlx::query("CREATE TABLE kept (id int PRIMARY KEY)")
        .execute(&pool)
        .await
        .unwrap();
    sqlx::query("INSERT INTO kept VALUES (1)")
        .execute(&pool)
        .await
        .unwrap();
    // A busy backend whose postmaster dies would hold the shared memory and delay the restart.
    let busy =
        tokio::spawn(async move { sqlx::query("SELECT pg_sleep(600)").execute(&pool).await });
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
    let watcher = sqlx::PgPool::connect(&url).await.unwrap();
    eventually("the busy session runs", || async {
        let count: i64 = sqlx::query_scalar(sessions)
            .fetch_one(&watcher)
            .await
            .unwrap();
        count > 0
    })
    .await;

    stack
        .kill(Component::Postgres, Signal::SIGKILL)
        .await
        .unwrap();
    stack.wait_ready(Component::Postgres).await.unwrap();

    assert!(busy.await.unwrap().is_err());
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM kept")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(kept, 1);
    pool.close().await;
    stack.stop().await;
}

#[tokio::test]
async fn a_dropped_stack_is_killed() {
    let stack = servers_only().await;
    let folder = stack.data_dir().to_owned();
    drop(stack);
    assert_nothing_left(&folder).await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn data_outlive_a_stack() {
    let folder = tempfile::Builder::new()
        .prefix("adfolio-kept-")
        .tempdir()
        .unwrap();
    let builder = || Stack::builder().services([]).data_dir(folder.path());
    let stack = builder().start().await.unwrap();
    let pool = sqlx::PgPool::connect(&stack.database_base_url())
        .await
        .unwrap();
    sqlx::query("CREATE TABLE kept (id int)")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    stack.stop().await;

    let stack = builder().start().await.unwrap();
    let pool = sqlx::PgPool::connect(&stack.database_base_url())
        .await
        .unwrap();
    assert!(
        sqlx::query("SELECT id FROM kept")
            .execute(&pool)
            .await
            .is_ok()
    );
    pool.close().await;

    let second = builder().start().await.unwrap_err().to_string();
    assert!(second.starts_with("already running below"), "{second}");
    stack.stop().await;
}
