//! Guessing codes: ten wrong ones in ten minutes, counted before they are looked at.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use futures::future::join_all;

use crate::helpers::{Acceptor, user, why};

const PERSONAL: pb::AcceptorKind = pb::AcceptorKind::Personal;

#[tokio::test]
async fn of_a_hundred_guesses_at_once_ten_are_evaluated() {
    let mut stack = Acceptor::spawn().await;
    let code = stack.code().await.code;
    let alice = user();
    let guesses: Vec<String> = (0..100).map(|number| format!("GUESS-{number}")).collect();
    let outcomes = join_all(
        guesses
            .iter()
            .map(|guess| stack.look_up(&alice, PERSONAL, guess)),
    )
    .await;
    let (evaluated, refused): (Vec<_>, Vec<_>) = outcomes
        .into_iter()
        .map(why)
        .partition(|(reason, _)| *reason == Reason::AcceptanceCodeError);
    assert_eq!(evaluated.len(), 10);
    assert!(
        refused
            .iter()
            .all(|(reason, _)| *reason == Reason::TooManyAttempts)
    );

    let right = stack
        .look_up(&alice, PERSONAL, &code)
        .await
        .expect_err("locked for the right code, too");
    assert_eq!(right.reason, Reason::TooManyAttempts);
    assert_eq!(right.retry_after, Some(Duration::from_mins(10)));
    stack
        .look_up(&user(), PERSONAL, &code)
        .await
        .expect("another user is not locked");

    stack.clock.advance(Duration::from_secs(599));
    stack.restart().await;
    let still = stack
        .look_up(&alice, PERSONAL, &code)
        .await
        .expect_err("locked over a restart");
    assert_eq!(still.retry_after, Some(Duration::from_secs(1)));
    stack.clock.advance(Duration::from_secs(1));
    stack
        .look_up(&alice, PERSONAL, &code)
        .await
        .expect("the window is over");
}

#[tokio::test]
async fn right_codes_neither_count_nor_forgive() {
    let stack = Acceptor::spawn().await;
    let code = stack.code().await.code;
    let alice = user();
    for _ in 0..15 {
        stack.look_up(&alice, PERSONAL, &code).await.unwrap();
    }
    for _ in 0..10 {
        assert_eq!(
            why(stack.look_up(&alice, PERSONAL, "WRONG-CODE").await).0,
            Reason::AcceptanceCodeError
        );
        let _ = stack.look_up(&alice, PERSONAL, &code).await;
    }
    assert_eq!(
        why(stack.look_up(&alice, PERSONAL, "WRONG-CODE").await).0,
        Reason::TooManyAttempts
    );
}
