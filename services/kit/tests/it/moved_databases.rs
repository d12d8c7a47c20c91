//! Calls whose database moved to another server while they were under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::db::{self, NoPrimary, Pool};
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal, database_status};
use adfolio_testkit::TestDatabase;
use tonic::{Code, Response, Status};

use crate::helpers::{CALL_LIMIT, Echo, call, run_echo};

/// What a statement meets whose server has gone.
fn moved() -> Status {
    database_status(&sqlx::Error::PoolClosed)
}

/// An echo that fails as often as given, and the number of its calls.
fn failing(failures: usize) -> (Echo, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let echo = Echo::new(move |request| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if number < failures {
                Err(moved())
            } else {
                Ok(Response::new(request.into_inner()))
            }
        }
    });
    (echo, calls)
}

#[tokio::test]
async fn a_call_that_changed_nothing_is_made_again_as_it_was() {
    let (echo, calls) = failing(2);
    let service = run_echo(echo, 5).await;
    let text = "x".repeat(100_000);
    let request = outgoing(&Caller::system(), text.clone(), CALL_LIMIT);
    let answer = call(service.channel(), request).await.unwrap();
    assert_eq!(answer.into_inner(), text);
    assert_eq!(calls.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn it_is_made_again_until_its_deadline_and_callers_see_a_plain_outage() {
    let (echo, calls) = failing(usize::MAX);
    let service = run_echo(echo, 5).await;
    let limit = Duration::from_millis(400);
    let request = outgoing(&Caller::system(), String::new(), limit);
    let failed = call(service.channel(), request).await.unwrap_err();
    assert_eq!(failed.code(), Code::Unavailable);
    assert!(
        !failed
            .metadata()
            .keys()
            .any(|key| format!("{key:?}").contains("moved"))
    );
    assert!(calls.load(Ordering::SeqCst) > 1);
}

#[tokio::test]
async fn a_larger_call_is_left_to_its_caller() {
    let (echo, calls) = failing(usize::MAX);
    let service = run_echo(echo, 5).await;
    let request = outgoing(&Caller::system(), "x".repeat(300_000), CALL_LIMIT);
    let failed = call(service.channel(), request).await.unwrap_err();
    assert_eq!(failed.code(), Code::Unavailable);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_that_may_have_changed_something_is_left_to_its_caller() {
    let database = TestDatabase::of_kit().await;
    let pool = database.kit_pool();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let echo = Echo::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        let pool = pool.clone();
        async move {
            write(&pool)
                .await
                .map_err(|error| database_status(&error))?;
            Err(moved())
        }
    });
    let service = run_echo(echo, 5).await;
    let request = outgoing(&Caller::system(), String::new(), CALL_LIMIT);
    let failed = call(service.channel(), request).await.unwrap_err();
    assert_eq!(failed.code(), Code::Unavailable);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

async fn write(pool: &Pool) -> Result<(), sqlx::Error> {
    db::write(pool, |tx| {
        Box::pin(async move {
            sqlx::query("SELECT pg_current_xact_id()")
                .execute(tx)
                .await?;
            Ok(())
        })
    })
    .await
}

#[tokio::test]
async fn without_a_primary_the_caller_is_told_so_at_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let echo = Echo::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err(database_status(&NoPrimary.into())) }
    });
    let service = run_echo(echo, 5).await;
    let request = outgoing(&Caller::system(), String::new(), CALL_LIMIT);
    let failed = call(service.channel(), request).await.unwrap_err();
    let refusal = Refusal::from_status(&failed).unwrap();
    assert_eq!(refusal.reason, Reason::ChangesPaused);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
