//! Who may log in to the private PostgreSQL.

use std::fs;
use std::path::Path;

use adfolio_local::{Service, Stack};
use sqlx::{Connection as _, PgConnection};
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
    for url in [superuser, auth] {
        assert!(logs_in(&url).await);
        assert!(!logs_in(&with_password(&url, None)).await, "{url}");
        assert!(!logs_in(&with_password(&url, Some("postgres"))).await);
    }
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
