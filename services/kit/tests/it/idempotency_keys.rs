//! Idempotency keys under races.

use std::time::Duration;

use adfolio_kit::db::{self, Pool};
use adfolio_kit::idempotency::{self, Claim, ClaimError};
use adfolio_kit::identity::IdempotencyKey;
use adfolio_kit::refusal::Reason;
use adfolio_testkit::TestDatabase;
use uuid::Uuid;

const CALLERS: usize = 30;

/// Does the work of a keyed call: counts its effects, and answers with their number.
async fn call(pool: &Pool, scope: Uuid, key: &str, body: &str) -> Result<Vec<u8>, ClaimError> {
    let key: IdempotencyKey = key.parse()?;
    let digest = idempotency::digest(&body.to_owned());
    db::write(pool, move |tx| {
        Box::pin(async move {
            match idempotency::claim_in_tx(tx, scope, &key, "test.Call", &digest).await? {
                Claim::Replay(answer) => Ok(answer),
                Claim::Fresh => {
                    let effect: i64 =
                        sqlx::query_scalar("INSERT INTO effects DEFAULT VALUES RETURNING id")
                            .fetch_one(&mut *tx)
                            .await?;
                    let answer = effect.to_be_bytes().to_vec();
                    idempotency::store_in_tx(tx, scope, &key, &answer).await?;
                    Ok(answer)
                }
            }
        })
    })
    .await
}

async fn database() -> TestDatabase {
    let database = TestDatabase::of_kit().await;
    sqlx::raw_sql("CREATE TABLE effects (id bigserial PRIMARY KEY)")
        .execute(&database.pool())
        .await
        .unwrap();
    database
}

async fn effects(database: &TestDatabase) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM effects")
        .fetch_one(&database.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_with_one_key_have_one_effect_and_one_answer() {
    let database = database().await;
    let (pool, scope) = (database.kit_pool(), Uuid::now_v7());
    let calls = (0..CALLERS).map(|_| call(&pool, scope, "one", "body"));
    let answers: Vec<_> = futures::future::join_all(calls)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(effects(&database).await, 1);
}

#[tokio::test]
async fn the_same_key_with_another_body_is_refused() {
    let database = database().await;
    let (pool, scope) = (database.kit_pool(), Uuid::now_v7());
    call(&pool, scope, "key", "body").await.unwrap();
    let refused = call(&pool, scope, "key", "another body").await.unwrap_err();
    let ClaimError::Refused(refusal) = refused else {
        panic!("not a refusal: {refused}")
    };
    assert_eq!(refusal.reason, Reason::IdempotencyKeyReused);
    call(&pool, Uuid::now_v7(), "key", "another body")
        .await
        .unwrap();
    assert_eq!(effects(&database).await, 2);
}

#[tokio::test]
async fn a_claim_that_rolled_back_is_free_again() {
    let database = database().await;
    let (pool, scope) = (database.kit_pool(), Uuid::now_v7());
    let failed: Result<(), ClaimError> = db::write(&pool, move |tx| {
        Box::pin(async move {
            let key: IdempotencyKey = "key".parse()?;
            idempotency::claim_in_tx(tx, scope, &key, "test.Call", b"digest").await?;
            Err(sqlx::Error::RowNotFound.into())
        })
    })
    .await;
    assert!(failed.is_err());
    call(&pool, scope, "key", "body").await.unwrap();
    assert_eq!(effects(&database).await, 1);
}

#[tokio::test]
async fn old_keys_are_pruned() {
    let database = database().await;
    let (pool, scope) = (database.kit_pool(), Uuid::now_v7());
    call(&pool, scope, "old", "body").await.unwrap();
    assert_eq!(
        idempotency::prune(&pool, idempotency::KEY_LIFETIME)
            .await
            .unwrap(),
        0
    );
    assert_eq!(idempotency::prune(&pool, Duration::ZERO).await.unwrap(), 1);
}

#[test]
fn keys_are_visible_ascii() {
    for good in ["a", "0198-abc_~!", &"x".repeat(255)] {
        assert!(good.parse::<IdempotencyKey>().is_ok(), "{good}");
    }
    for bad in ["", " ", "a b", "a\n", "ä", &"x".repeat(256)] {
        assert_eq!(
            bad.parse::<IdempotencyKey>().unwrap_err().reason,
            Reason::Validation,
            "{bad}"
        );
    }
}
