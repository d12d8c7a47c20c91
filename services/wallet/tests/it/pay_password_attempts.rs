//! Attempts at a transaction password that come to no outcome: they tell nobody anything, and cost the user nothing for long.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_testkit::fixed_clock;
use uuid::Uuid;

use crate::helpers::{PIN, Wallet};

const WRONG: &str = "135792";

/// As if the database went away once an attempt is written down.
const NO_OUTCOMES: &str = "
    CREATE FUNCTION go_away() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'away' USING ERRCODE = 'admin_shutdown';
    END $$;
    CREATE TRIGGER no_outcomes BEFORE DELETE ON pay_password_attempts FOR EACH ROW EXECUTE FUNCTION go_away()";

/// As if every attempt took longer than it is waited for.
const FORGOTTEN: &str = "
    CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM pay_password_attempts WHERE id = NEW.id;
        RETURN NULL;
    END $$;
    CREATE TRIGGER forgotten AFTER INSERT ON pay_password_attempts FOR EACH ROW EXECUTE FUNCTION forget()";

async fn run(stack: &Wallet, sql: &'static str) {
    sqlx::raw_sql(sql)
        .execute(&stack.pool())
        .await
        .expect("sql");
}

async fn app_with_password(clock: &Clock) -> (Wallet, Uuid) {
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let user = stack.user();
    stack.set_password(user, PIN, "").await.expect("set");
    (stack, user)
}

async fn refused(stack: &Wallet, user: Uuid, digits: &str) -> Refusal {
    let answer = stack.check_password(user, digits).await;
    answer.expect_err("a refusal")
}

#[tokio::test]
async fn five_whose_outcome_cannot_be_written_tell_nothing_and_hold_for_a_minute() {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let (stack, user) = app_with_password(&clock).await;
    run(&stack, NO_OUTCOMES).await;
    for digits in [PIN, WRONG, WRONG, PIN, WRONG] {
        let refusal = refused(&stack, user, digits).await;
        assert_eq!((refusal.reason, refusal.field), (Reason::Unavailable, None));
        clock.advance(Duration::from_secs(1));
    }
    run(&stack, "DROP TRIGGER no_outcomes ON pay_password_attempts").await;
    // Back again, the five count as if they were wrong, but lock nothing.
    let refusal = refused(&stack, user, PIN).await;
    let wait = Some(Duration::from_secs(55));
    assert_eq!(
        (refusal.reason, refusal.retry_after),
        (Reason::TooManyAttempts, wait)
    );
    clock.advance(Duration::from_secs(55));
    stack.check_password(user, PIN).await.expect("right");
    // Once none of them is left, four wrong ones are no lock.
    clock.advance(Duration::from_secs(5));
    for _ in 0..4 {
        assert_eq!(
            refused(&stack, user, WRONG).await.reason,
            Reason::WrongPayPassword
        );
    }
    stack.check_password(user, PIN).await.expect("right");
}

#[tokio::test]
async fn one_that_is_forgotten_is_neither_right_nor_wrong() {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let (stack, user) = app_with_password(&clock).await;
    run(&stack, FORGOTTEN).await;
    for digits in [PIN, WRONG].repeat(10) {
        assert_eq!(
            refused(&stack, user, digits).await.reason,
            Reason::Unavailable
        );
    }
    run(&stack, "DROP TRIGGER forgotten ON pay_password_attempts").await;
    for _ in 0..4 {
        assert_eq!(
            refused(&stack, user, WRONG).await.reason,
            Reason::WrongPayPassword
        );
    }
    stack.check_password(user, PIN).await.expect("right");
}
