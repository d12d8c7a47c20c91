//! Refusals over the wire, and the codes of database errors.

use std::time::Duration;

use adfolio_kit::refusal::{
    DOMAIN, Reason, Refusal, Rule, database_status, internal_status, is_unavailable,
    is_unique_violation,
};
use adfolio_testkit::{TestDatabase, free_listener, within_limit};
use sqlx::Connection as _;
use tokio::io::AsyncReadExt as _;
use tonic::{Code, Status};

#[test]
fn every_reason_travels_in_a_status() {
    for reason in Reason::ALL {
        assert_eq!(reason.as_str().parse::<Reason>().unwrap(), *reason);
        let refusal = Refusal::new(*reason)
            .field("amount")
            .retry_after(Duration::from_secs(30));
        let status = Status::from(refusal.clone());
        assert_eq!(status.code(), reason.code());
        assert_eq!(Refusal::from_status(&status), Some(refusal));
    }
    assert_eq!(DOMAIN, "adfolio");
}

#[test]
fn a_rule_travels_in_a_status() {
    for rule in Rule::ALL {
        let refusal = Refusal::broken(*rule, "password");
        assert_eq!(refusal.reason, Reason::Validation);
        let status = Status::from(refusal.clone());
        assert_eq!(Refusal::from_status(&status), Some(refusal));
    }
    assert_eq!(Rule::LikeName.as_str(), "like_name");
}

#[test]
fn waits_are_rounded_up_to_seconds() {
    let status = Status::from(
        Refusal::new(Reason::TooManyAttempts).retry_after(Duration::from_millis(1200)),
    );
    assert_eq!(
        Refusal::from_status(&status).unwrap().retry_after,
        Some(Duration::from_secs(2))
    );
}

#[test]
fn a_foreign_status_is_no_refusal() {
    assert_eq!(Refusal::from_status(&Status::not_found("nothing")), None);
}

#[test]
fn internal_errors_tell_nothing() {
    let status = internal_status(&std::io::Error::other("the secret path"));
    assert_eq!(status.code(), Code::Internal);
    assert!(!status.message().contains("secret"));
    assert_eq!(
        Refusal::from_status(&status).unwrap().reason,
        Reason::Internal
    );
}

#[tokio::test]
async fn database_errors_are_told_apart_by_code_and_constraint() {
    let database = TestDatabase::of_kit().await;
    let pool = database.pool();
    sqlx::raw_sql("CREATE TABLE names (name text CONSTRAINT names_unique UNIQUE)")
        .execute(&pool)
        .await
        .unwrap();
    let insert = || async {
        sqlx::query("INSERT INTO names VALUES ('a')")
            .execute(&database.pool())
            .await
    };
    insert().await.unwrap();
    let duplicate = insert().await.unwrap_err();
    assert!(is_unique_violation(&duplicate, "names_unique"));
    assert!(!is_unique_violation(&duplicate, "another"));
    assert_eq!(database_status(&duplicate).code(), Code::Internal);
    let slow = sqlx::raw_sql("SET statement_timeout = 10; SELECT pg_sleep(5)")
        .execute(&pool)
        .await
        .unwrap_err();
    assert_eq!(database_status(&slow).code(), Code::Unavailable);
    assert_eq!(
        database_status(&sqlx::Error::PoolTimedOut).code(),
        Code::Unavailable
    );
    let nobody = adfolio_kit::config::DatabaseArgs::for_url("postgres://postgres@127.0.0.1:1/none");
    let unreachable = adfolio_kit::db::connect(&nobody, "test").unwrap();
    let refused = sqlx::query("SELECT 1")
        .execute(&unreachable)
        .await
        .unwrap_err();
    assert_eq!(database_status(&refused).code(), Code::Unavailable);
}

#[tokio::test]
async fn a_database_that_hangs_up_at_the_first_word_is_unavailable() {
    let listener = free_listener().await;
    let url = format!("postgres://nobody@{}/x", listener.local_addr().unwrap());
    let hanging_up = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        // The length and the code of a TLS request.
        client.read_exact(&mut [0; 8]).await.unwrap();
    });
    let error = within_limit("the attempt", sqlx::PgConnection::connect(&url))
        .await
        .expect_err("nobody is there");
    hanging_up.await.unwrap();
    assert!(is_unavailable(&error), "{error:?}");
}
