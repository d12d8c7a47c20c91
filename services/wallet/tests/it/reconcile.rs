//! The proof against the books of plan and coupon.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1::{
    GetUserPropertyRequest, ReconcileCheck, ReconcileRequest, VerifyChainsRequest,
};
use adfolio_testkit::eventually;
use adfolio_wallet::Config;
use futures::future::join;
use uuid::Uuid;

use crate::helpers::{Wallet, assert_refused, refused};
use crate::peers::{OpenHold, Redeemed};

async fn check(stack: &Wallet, name: &str) -> ReconcileCheck {
    let proof = stack.reconcile().await;
    assert_eq!(proof.ok, proof.checks.iter().all(|check| check.ok));
    proof
        .checks
        .into_iter()
        .find(|check| check.name == name)
        .expect("the check")
}

fn proving_every(interval: Duration) -> impl FnOnce(&mut Config) {
    move |config| config.reconcile_interval_seconds = interval.as_secs()
}

#[tokio::test]
async fn of_replicas_that_prove_the_books_one_does_it_in_each_interval() {
    const INTERVAL: Duration = Duration::from_secs(1);
    let stack = Wallet::spawn().await;
    sqlx::raw_sql(
        "CREATE TABLE begun (at timestamptz NOT NULL);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN INSERT INTO begun VALUES (NEW.begun_at); RETURN NEW; END';
         CREATE TRIGGER note AFTER UPDATE OF begun_at ON proofs FOR EACH ROW EXECUTE FUNCTION note()",
    )
    .execute(&stack.pool())
    .await
    .expect("a note of each proof");
    let mut replicas = Vec::new();
    for _ in 0..3 {
        replicas.push(stack.replica_with(proving_every(INTERVAL)).await);
    }
    eventually("three proofs are made", || async {
        let begun = sqlx::query_scalar("SELECT count(*) FROM begun");
        let begun: i64 = begun.fetch_one(&stack.pool()).await.expect("a count");
        begun >= 3
    })
    .await;
    let too_soon: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT at - lag(at) OVER (ORDER BY at) AS pause FROM begun) AS pauses WHERE pause < $1",
    )
    .bind(INTERVAL)
    .fetch_one(&stack.pool())
    .await
    .expect("pauses");
    assert_eq!(too_soon, 0);
    eventually("what it found is kept", || async {
        let holds = sqlx::query_scalar(
            "SELECT outcome->'checks'->'entries_sum_to_zero'->'ok' = 'true' FROM proofs",
        );
        let holds: Option<bool> = holds.fetch_one(&stack.pool()).await.expect("a proof");
        holds == Some(true)
    })
    .await;
}

#[tokio::test]
async fn open_orders_must_be_those_of_plan() {
    let stack = Wallet::spawn().await;
    let (user, ledger) = (stack.user_with(10_000).await, stack.ledger());
    let orders: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    for order in &orders {
        ledger.hold(user, *order, 100, 20).await.expect("a hold");
    }
    ledger
        .record(user, orders[1], 1, 50, 10)
        .await
        .expect("a report");
    ledger
        .settle(user, orders[2], 0, 0, 0)
        .await
        .expect("a settlement");
    ledger.release(user, orders[3]).await.expect("a release");
    let set = |order: Uuid, open: i64, in_flight| {
        stack
            .books
            .lock()
            .expect("books")
            .holds
            .insert(order, OpenHold { open, in_flight });
    };
    stack.books.lock().expect("books").redeemed = Redeemed {
        total: 60,
        reserved: 0,
    };
    set(orders[0], 120, false);
    set(orders[1], 70, false);
    assert!(stack.reconcile().await.ok);

    // Plan says less, more, or knows of an order that holds nothing.
    set(orders[1], 69, false);
    let found = check(&stack, "holds_equal_plan").await;
    assert_eq!((found.ok, found.figure), (false, 1));
    assert!(
        found.detail.contains(&orders[1].to_string()),
        "{}",
        found.detail
    );
    set(orders[3], 5, false);
    assert_eq!(check(&stack, "holds_equal_plan").await.figure, 2);
    // What is in flight may differ.
    set(orders[1], 69, true);
    set(orders[3], 5, true);
    assert!(check(&stack, "holds_equal_plan").await.ok);
    // An order that plan does not know at all.
    stack.books.lock().expect("books").holds.remove(&orders[0]);
    assert_eq!(check(&stack, "holds_equal_plan").await.figure, 1);
}

#[tokio::test]
async fn postings_are_compared_with_reports() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (
        stack.user_with(10_000).await,
        Uuid::now_v7(),
        stack.ledger(),
    );
    ledger.hold(user, order, 100, 0).await.expect("a hold");
    ledger
        .record(user, order, 1, 40, 70)
        .await
        .expect("a report");
    let set = |book: (i64, i64, bool)| {
        let mut books = stack.books.lock().expect("books");
        books.delivered.insert(order, book);
    };
    for (book, differing) in [
        ((40, 70, true), 0),
        // Somebody changed a figure of the plan, what was posted, or a report.
        ((40, 71, true), 1),
        ((39, 70, true), 1),
        ((40, 70, false), 1),
    ] {
        set(book);
        let found = check(&stack, "postings_equal_reports").await;
        assert_eq!((found.ok, found.figure), (differing == 0, differing));
    }
}

#[tokio::test]
async fn a_momentary_difference_is_looked_at_again() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (
        stack.user_with(10_000).await,
        Uuid::now_v7(),
        stack.ledger(),
    );
    ledger.hold(user, order, 100, 0).await.expect("a hold");
    let later = async {
        eventually("the first look", || {
            std::future::ready(stack.books.lock().expect("books").hold_lists > 0)
        })
        .await;
        stack.books.lock().expect("books").holds.insert(
            order,
            OpenHold {
                open: 100,
                in_flight: false,
            },
        );
    };
    let (proof, ()) = join(stack.reconcile(), later).await;
    assert!(proof.ok, "{:?}", proof.checks);
}

#[tokio::test]
async fn coupon_costs_must_be_those_of_coupon() {
    let stack = Wallet::spawn().await;
    let (user, ledger) = (stack.user_with(10_000).await, stack.ledger());
    let (held, settled, failed) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    ledger.hold(user, held, 100, 7).await.expect("a hold");
    ledger.hold(user, settled, 100, 20).await.expect("a hold");
    ledger
        .settle(user, settled, 0, 0, 0)
        .await
        .expect("a settlement");
    // Its coupon goes back to the user.
    ledger.hold(user, failed, 100, 400).await.expect("a hold");
    ledger.release(user, failed).await.expect("a release");
    let name = "coupon_costs_equal_redeemed";
    stack.mirror_books().await;
    for ((total, reserved), ok, figure) in [
        ((27, 0), true, 0),
        ((40, 13), true, 0),
        ((28, 0), false, 1),
        ((41, 13), false, 1),
        ((26, 5), false, -1),
    ] {
        stack.books.lock().expect("books").redeemed = Redeemed { total, reserved };
        let found = check(&stack, name).await;
        assert_eq!(
            (found.ok, found.figure),
            (ok, figure),
            "{total} {reserved}: {}",
            found.detail
        );
    }
}

#[tokio::test]
async fn proofs_are_for_finance_and_figures_for_any_staff() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(12).await;
    let limit = Duration::from_secs(5);
    for (caller, reason) in [
        (Caller::user(UserId(user)), Reason::NotAuthenticated),
        (
            Caller::staff(Uuid::now_v7(), StaffRole::Operator),
            Reason::Forbidden,
        ),
    ] {
        let proof = stack
            .staff()
            .reconcile(outgoing(&caller, ReconcileRequest {}, limit))
            .await
            .map_err(refused);
        assert_refused(proof, reason, None);
        let chains = outgoing(&caller, VerifyChainsRequest::default(), limit);
        assert_refused(
            stack.staff().verify_chains(chains).await.map_err(refused),
            reason,
            None,
        );
    }
    for (caller, allowed) in [
        (Caller::staff(Uuid::now_v7(), StaffRole::Operator), true),
        (Caller::staff(Uuid::now_v7(), StaffRole::Support), true),
        (Caller::user(UserId(user)), false),
    ] {
        let request = outgoing(
            &caller,
            GetUserPropertyRequest {
                user_id: user.to_string(),
            },
            limit,
        );
        let answer = stack.staff().get_user_property(request).await;
        assert_eq!(answer.is_ok(), allowed);
        if let Ok(answer) = answer {
            assert_eq!(
                answer
                    .into_inner()
                    .property
                    .expect("figures")
                    .available_minor,
                12
            );
        }
    }
}
