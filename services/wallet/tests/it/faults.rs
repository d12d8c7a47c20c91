//! Callers that go away, replicas side by side, a queue that is full, a database that is away.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1::HoldRequest;
use adfolio_testkit::eventually;
use futures::future::join_all;
use sqlx::Connection;
use tonic::Code;
use uuid::Uuid;

use crate::helpers::{Ledger, Wallet};

#[tokio::test]
async fn callers_that_go_away_break_nothing() {
    let stack = Wallet::spawn().await;
    let users = join_all((0..8).map(|_| stack.user_with(1_000_000))).await;
    // Each call is dropped after another time: before, during or after its batch.
    let dropped = join_all((0..400_usize).map(|turn| {
        let (ledger, user) = (stack.ledger(), users[turn % users.len()]);
        async move {
            let (order, patience) = (
                Uuid::now_v7(),
                Duration::from_micros(turn as u64 * 97 % 20_000),
            );
            let answer = tokio::time::timeout(patience, ledger.hold(user, order, 10, 0)).await;
            (user, order, answer.is_ok_and(|answer| answer.is_ok()))
        }
    }))
    .await;
    // Repeating each settles it: held once, whatever became of the first call.
    for (user, order, _) in &dropped {
        stack
            .ledger()
            .hold(*user, *order, 10, 0)
            .await
            .expect("a hold");
    }
    for user in &users {
        let figures = stack.property(*user).await;
        assert_eq!(
            (figures.available_minor, figures.to_be_consumed_minor),
            (1_000_000 - 500, 500)
        );
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn replicas_post_side_by_side_to_the_same_users_and_orders() {
    let stack = Wallet::builder()
        .configure(|config| config.posting.posting_batch_max = 7)
        .replicas(2)
        .spawn()
        .await;
    let ledgers = [0, 1].map(|replica: usize| Ledger::of(stack.replicas[replica].channel()));
    let users = join_all((0..3).map(|_| stack.user_with(1_000_000))).await;
    let orders: Vec<Uuid> = (0..60).map(|_| Uuid::now_v7()).collect();
    // Every order is asked for twice by its user, once at each replica, and once by another user.
    let calls = orders.iter().enumerate().flat_map(|(place, order)| {
        [(0, 0), (1, 0), (1, 1)].map(|(replica, shift): (usize, usize)| {
            let (ledger, user, order) =
                (ledgers[replica].clone(), users[(place + shift) % 3], *order);
            async move { (order, user, ledger.hold(user, order, 100, 0).await) }
        })
    });
    let answers = join_all(calls).await;
    for order in &orders {
        let held: std::collections::HashSet<Uuid> = answers
            .iter()
            .filter(|(of, _, answer)| of == order && answer.is_ok())
            .map(|(_, user, _)| *user)
            .collect();
        assert_eq!(held.len(), 1, "an order is held for exactly one user");
        for (_, _, answer) in answers.iter().filter(|(of, _, _)| of == order) {
            assert!(
                answer
                    .as_ref()
                    .err()
                    .is_none_or(|refusal| refusal.reason == Reason::IdempotencyKeyReused)
            );
        }
    }
    let held: i64 = join_all(users.iter().map(|user| stack.property(*user)))
        .await
        .iter()
        .map(|p| p.to_be_consumed_minor)
        .sum();
    assert_eq!(held, 6_000);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_what_is_overdue_is_not_posted() {
    let stack = Wallet::builder()
        .configure(|config| {
            config.posting.posting_queue_max = 4;
            config.posting.posting_batch_max = 2;
        })
        .spawn()
        .await;
    let user = stack.user_with(1_000).await;
    // Somebody holds the wallet's row, so the writer waits.
    let mut blocker = sqlx::PgConnection::connect(stack.db.url())
        .await
        .expect("a connection");
    let mut blocking = blocker.begin().await.expect("a transaction");
    sqlx::query("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE")
        .bind(user)
        .execute(&mut *blocking)
        .await
        .expect("a lock");
    let hold = |limit| {
        let message = HoldRequest {
            order_id: Uuid::now_v7().to_string(),
            user_id: user.to_string(),
            paid_minor: 1,
            discount_minor: 0,
        };
        let mut client = stack.ledger().0;
        async move {
            client
                .hold(outgoing(&Caller::system(), message, limit))
                .await
        }
    };
    let first = tokio::spawn(hold(Duration::from_secs(10)));
    eventually("the writer waits for the row", || async {
        stack.waiting_for_locks().await > 0
    })
    .await;
    // Four fit into the queue, for a moment only; the others learn at once that it is full.
    let crowd: Vec<_> = (0..20)
        .map(|_| tokio::spawn(hold(Duration::from_millis(700))))
        .collect();
    let answers: Vec<_> = join_all(crowd)
        .await
        .into_iter()
        .map(|answer| answer.expect("no panic"))
        .collect();
    assert!(answers.iter().all(Result::is_err));
    let full = answers.iter().filter(|answer| {
        answer
            .as_ref()
            .is_err_and(|status| status.code() == Code::Unavailable)
    });
    assert!(full.count() >= 16);
    blocking.rollback().await.expect("a rollback");
    first
        .await
        .expect("no panic")
        .expect("the one that waited is posted");
    stack
        .ledger()
        .hold(user, Uuid::now_v7(), 1, 0)
        .await
        .expect("the queue is free again");
    // Of those whose deadline passed in the queue nothing was posted.
    assert_eq!(stack.property(user).await.to_be_consumed_minor, 2);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_lost_connection_leaves_every_call_repeatable() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000_000).await;
    let orders: Vec<Uuid> = (0..300).map(|_| Uuid::now_v7()).collect();
    let posted = AtomicUsize::new(0);
    let ending = async {
        for round in 1..15 {
            sqlx::query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE application_name = 'adfolio-wallet-writer' AND datname = current_database()",
            )
            .execute(&stack.pool())
            .await
            .expect("an end");
            eventually("some more are posted", || {
                std::future::ready(posted.load(Ordering::Relaxed) >= round * 20)
            })
            .await;
        }
    };
    let holding = join_all(orders.iter().map(|order| {
        let (ledger, posted) = (stack.ledger(), &posted);
        async move {
            loop {
                match ledger.hold(user, *order, 10, 0).await {
                    Ok(_) => return posted.fetch_add(1, Ordering::Relaxed),
                    Err(refusal) => assert_eq!(refusal.reason, Reason::Unavailable),
                }
            }
        }
    }));
    futures::future::join(holding, ending).await;
    assert_eq!(stack.property(user).await.to_be_consumed_minor, 3_000);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_stop_lets_running_calls_post() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000_000).await;
    let replica = stack.replica().await;
    let ledger = Ledger::of(replica.channel());
    ledger
        .hold(user, Uuid::now_v7(), 1, 0)
        .await
        .expect("a hold");
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let ledger = ledger.clone();
            tokio::spawn(async move { ledger.hold(user, Uuid::now_v7(), 1, 0).await })
        })
        .collect();
    tokio::task::yield_now().await;
    replica.stop().await.expect("an end in order");
    let answers = join_all(calls).await;
    let held = answers
        .iter()
        .filter(|answer| answer.as_ref().is_ok_and(Result::is_ok))
        .count();
    let figures = stack.property(user).await;
    assert_eq!(
        figures.to_be_consumed_minor,
        1 + i64::try_from(held).expect("a count")
    );
    stack.assert_books_balance().await;
}
