//! Who may log in to the private PostgreSQL.

use std::fs;
use std::path::Path;

use adfolio_local::{Service, Signal, Stack};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use url::Url;

async fn logs_in(url: &str) -> bool {
    PgConnection::connect(url).await.is_ok()
}

fn with_password(url: &str, password: Option<&str>) -> String {
    let mut url: Url = url.parse().unwrap();
    url.set_password(password).unwrap();
    url.into()
}

async fn stack_in(data: &Path) -> Stack {
    let builder = Stack::builder().services([Service::Auth]).data_dir(data);
    builder.start().await.unwrap()
}

#[tokio::test]
async fn every_role_needs_its_password() {
    let stack = Stack::builder()
        .services([Service::Auth])
        .start()
        .await
        .unwrap();
    let superuser = stack.database_base_url();
    let auth = stack.database_url(Service::Auth);
    assert_ne!(
        superuser.parse::<Url>().unwrap().password(),
        auth.parse::<Url>().unwrap().password()
    );
    let migrating = stack.migration_url(Service::Auth).unwrap();
    for url in [superuser, auth.clone(), migrating] {
        assert!(logs_in(&url).await);
        assert!(!logs_in(&with_password(&url, None)).await, "{url}");
        assert!(!logs_in(&with_password(&url, Some("postgres"))).await);
    }
    let mut owner: Url = auth.parse().unwrap();
    owner.set_username("adfolio_auth_owner").unwrap();
    assert!(!logs_in(owner.as_str()).await);
    stack.stop().await;
}

/// The owners of the tables of auth.
async fn owners(stack: &Stack) -> Vec<String> {
    let url = stack.database_superuser_url(Service::Auth);
    let mut session = PgConnection::connect(&url).await.unwrap();
    let owners = "SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class
                  WHERE relnamespace = 'public'::regnamespace
                  UNION SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()";
    sqlx::query_scalar(owners)
        .fetch_all(&mut session)
        .await
        .unwrap()
}

/// Whether a login may change tables of auth, as itself or after another statement.
async fn changes_tables(url: &str, before: &str) -> bool {
    let mut session = PgConnection::connect(url).await.unwrap();
    let change =
        "ALTER TABLE audit_log DISABLE TRIGGER ALL; ALTER TABLE audit_log ENABLE TRIGGER ALL";
    let both = format!("{before}; {change}");
    let changed = sqlx::raw_sql(AssertSqlSafe(both)).execute(&mut session);
    changed.await.is_ok()
}

const AS_OWNER: &str = "SET ROLE adfolio_auth_owner";

/// Data of a release in which each service owned its tables, started again and again.
#[tokio::test]
async fn tables_of_a_service_get_another_owner() {
    let folder = tempfile::tempdir().unwrap();
    let builder = || {
        let builder = Stack::builder().services([Service::Auth]);
        builder.data_dir(folder.path())
    };
    let stack = builder().services_as_owners().start().await.unwrap();
    let auth = stack.database_url(Service::Auth);
    assert_eq!(owners(&stack).await, ["adfolio_auth"]);
    assert!(changes_tables(&auth, "SELECT").await);
    stack.stop().await;

    for _ in 0..2 {
        let stack = stack_in(folder.path()).await;
        let auth = stack.database_url(Service::Auth);
        let migrating = stack.migration_url(Service::Auth).unwrap();
        assert_eq!(owners(&stack).await, ["adfolio_auth_owner"]);
        for before in ["SELECT", AS_OWNER, "SET ROLE adfolio_auth_migrate"] {
            assert!(!changes_tables(&auth, before).await, "{before}");
        }
        assert!(!changes_tables(&migrating, "SELECT").await);
        assert!(changes_tables(&migrating, AS_OWNER).await);
        stack.stop().await;
    }
}

/// As an operator does it after an upgrade, and takes it back before a downgrade.
#[tokio::test]
async fn a_running_system_is_moved_over_and_back() {
    let builder = Stack::builder().services([Service::Auth]);
    let stack = builder.services_as_owners().start().await.unwrap();
    let auth = stack.database_url(Service::Auth);
    for _ in 0..2 {
        stack.hand_over_tables().await.unwrap();
        assert_eq!(owners(&stack).await, ["adfolio_auth_owner"]);
        assert!(!changes_tables(&auth, "SELECT").await);
        stack.kill(Service::Auth, Signal::SIGKILL).await.unwrap();
        stack.wait_ready(Service::Auth).await.unwrap();

        stack.lend_tables().await.unwrap();
        assert!(changes_tables(&auth, "SELECT").await);
        let mut session = PgConnection::connect(&auth).await.unwrap();
        let create = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (version bigint);
                      CREATE TABLE outbox_2020010100 PARTITION OF outbox
                          FOR VALUES FROM ('2020-01-01 00:00Z') TO ('2020-01-01 01:00Z')";
        sqlx::raw_sql(create).execute(&mut session).await.unwrap();
        assert_eq!(owners(&stack).await, ["adfolio_auth", "adfolio_auth_owner"]);
        let drop = "DROP TABLE outbox_2020010100";
        stack.hand_over_tables().await.unwrap();
        assert!(sqlx::raw_sql(drop).execute(&mut session).await.is_err());
        stack.lend_tables().await.unwrap();
        sqlx::raw_sql(drop).execute(&mut session).await.unwrap();
    }
    stack.stop().await;
}

/// A start that was broken off after it had created the database.
#[tokio::test]
async fn a_database_without_roles_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Stack::builder().services([]).data_dir(folder.path());
    let stack = builder.start().await.unwrap();
    let mut session = PgConnection::connect(&stack.database_base_url())
        .await
        .unwrap();
    sqlx::raw_sql("CREATE DATABASE adfolio_auth")
        .execute(&mut session)
        .await
        .unwrap();
    stack.stop().await;
    let stack = stack_in(folder.path()).await;
    assert_eq!(owners(&stack).await, ["adfolio_auth_owner"]);
    stack.stop().await;
}

/// Data from before the server had passwords, and data beside other secrets, as after a restore.
#[tokio::test]
async fn existing_data_get_the_passwords_of_their_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    stack_in(data).await.stop().await;

    fs::write(
        data.join("postgres/pg_hba.conf"),
        "host all all 127.0.0.1/32 trust\n",
    )
    .unwrap();
    let stack = stack_in(data).await;
    let first = stack.database_base_url();
    assert!(logs_in(&first).await);
    assert!(!logs_in(&with_password(&first, None)).await);
    stack.stop().await;

    fs::remove_file(data.join("secrets/database-postgres")).unwrap();
    let stack = stack_in(data).await;
    let second = stack.database_base_url();
    assert!(logs_in(&second).await);
    let first: Url = first.parse().unwrap();
    assert!(!logs_in(&with_password(&second, first.password())).await);
    stack.stop().await;
}

#[tokio::test]
async fn data_that_no_server_starts_on_are_reported_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    stack_in(data).await.stop().await;
    fs::remove_file(data.join("postgres/pg_hba.conf")).unwrap();
    fs::remove_file(data.join("postgres/global/pg_control")).unwrap();
    let builder = Stack::builder().services([Service::Auth]).data_dir(data);
    let error = format!("{:#}", builder.start().await.unwrap_err());
    assert!(error.contains("PostgreSQL ended"), "{error}");
    assert!(error.contains("pg_control"), "{error}");
}
