//! Login: what it answers, and how often one may try.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{CreateHostTokenRequest, UserState};

use crate::helpers::{Auth, PASSWORD, evaluations, reason, refusal, support, user_id};

const WRONG: &str = "not the password";
const LOCK: Duration = Duration::from_mins(30);

#[tokio::test]
async fn the_right_password_opens_a_session() {
    let auth = Auth::spawn().await;
    let first = auth.register("ann").await;
    let second = auth.login(" ANN ", PASSWORD).await.unwrap();
    assert_ne!(first.token, second.token);
    assert_eq!(
        auth.verify(&second.token).await.unwrap().user_id,
        user_id(&first)
    );
    assert_eq!(
        reason(auth.login("ann", WRONG).await),
        Reason::BadCredentials
    );
    assert_eq!(
        reason(auth.login("nobody", PASSWORD).await),
        Reason::BadCredentials
    );
}

#[tokio::test]
async fn a_closed_account_says_so_only_after_the_right_password() {
    let auth = Auth::spawn().await;
    let user = auth.register("ann").await;
    sqlx::query("UPDATE users SET lang = 'th'")
        .execute(&auth.db.pool())
        .await
        .unwrap();
    for (state, expected) in [
        (UserState::Disabled, Reason::AccountDisabled),
        (UserState::NotActivated, Reason::AccountNotActivated),
        (UserState::Cancelled, Reason::AccountCancelled),
    ] {
        auth.set_state(user_id(&user), state).await.unwrap();
        assert_eq!(
            reason(auth.login("ann", WRONG).await),
            Reason::BadCredentials
        );
        let refusal = refusal(auth.login("ann", PASSWORD).await);
        assert_eq!(refusal.reason, expected);
        assert_eq!(refusal.lang.as_deref(), Some("th"));
    }
}

#[tokio::test]
async fn known_and_unknown_users_cost_the_same() {
    let auth = Auth::spawn().await.alone().await;
    let user = auth.register("ann").await;
    auth.set_state(user_id(&user), UserState::Disabled)
        .await
        .unwrap();
    // A host's user has a name and no password.
    let host = CreateHostTokenRequest {
        external_user_id: "host-1".to_owned(),
        lang: String::new(),
        host_id: String::new(),
    };
    auth.admin().create_host_token(support(host)).await.unwrap();
    let of_host: String = sqlx::query_scalar("SELECT username FROM users WHERE entry = 'host'")
        .fetch_one(&auth.db.pool())
        .await
        .unwrap();
    for (username, password) in [
        ("ann", PASSWORD),
        ("ann", WRONG),
        (of_host.as_str(), WRONG),
        ("nobody", WRONG),
        ("no such name!", WRONG),
    ] {
        let before = evaluations();
        let expected = if password == PASSWORD {
            Reason::AccountDisabled
        } else {
            Reason::BadCredentials
        };
        assert_eq!(reason(auth.login(username, password).await), expected);
        assert_eq!(evaluations() - before, 1, "{username:?} {password:?}");
    }
    // What is missing is named before anybody is looked for.
    let before = evaluations();
    for (username, password, field) in [
        ("", WRONG, "username"),
        (" ", "", "username"),
        ("ann", "", "password"),
        (of_host.as_str(), "", "password"),
        ("nobody", "", "password"),
    ] {
        let refusal = refusal(auth.login(username, password).await);
        assert_eq!(refusal.reason, Reason::Validation);
        assert_eq!(refusal.field.as_deref(), Some(field), "{username:?}");
    }
    assert_eq!(evaluations(), before);
}

#[tokio::test]
async fn two_hundred_parallel_guesses_are_ten() {
    let auth = Auth::spawn().await.alone().await;
    auth.register("ann").await;
    let before = evaluations();
    let guesses = (0..200)
        .map(|number| auth.login_from("ann", WRONG, ["192.0.2.1", "192.0.2.2"][number % 2]));
    let outcomes = futures::future::join_all(guesses).await;
    let mut wrong = 0;
    for outcome in outcomes {
        match reason(outcome) {
            Reason::BadCredentials => wrong += 1,
            Reason::TooManyAttempts => {}
            other => panic!("unexpected {other}"),
        }
    }
    assert!(wrong <= 10, "{wrong} guesses were answered");
    assert_eq!(evaluations() - before, wrong, "and no more were evaluated");
    assert_eq!(
        reason(auth.login("ann", PASSWORD).await),
        Reason::TooManyAttempts
    );
}

#[tokio::test]
async fn a_lock_lasts_half_an_hour_and_outlives_a_restart() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    auth.register("bob").await;
    for _ in 0..10 {
        assert_eq!(
            reason(auth.login("ann", WRONG).await),
            Reason::BadCredentials
        );
    }
    let locked = refusal(auth.login("ann", PASSWORD).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(LOCK));
    auth.login("bob", PASSWORD).await.unwrap();

    let auth = auth.restart().await;
    auth.clock
        .advance(LOCK.checked_sub(Duration::from_secs(1)).unwrap());
    let locked = refusal(auth.login("ann", PASSWORD).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(Duration::from_secs(1)));
    auth.clock.advance(Duration::from_secs(1));
    auth.login("ann", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn unknown_names_are_locked_alike() {
    let auth = Auth::spawn().await;
    for _ in 0..10 {
        assert_eq!(
            reason(auth.login("nobody", WRONG).await),
            Reason::BadCredentials
        );
    }
    assert_eq!(
        reason(auth.login("NOBODY", WRONG).await),
        Reason::TooManyAttempts
    );
}

#[tokio::test]
async fn a_right_password_clears_the_count() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    for _ in 0..3 {
        for _ in 0..9 {
            assert_eq!(
                reason(auth.login("ann", WRONG).await),
                Reason::BadCredentials
            );
        }
        auth.login("ann", PASSWORD).await.unwrap();
    }
}

#[tokio::test]
async fn an_address_can_be_held_to_less_than_the_account() {
    let auth = Auth::builder()
        .configure(|config| config.access.login_failures_per_account = 100)
        .spawn()
        .await;
    auth.register("ann").await;
    for _ in 0..10 {
        assert_eq!(
            reason(auth.login_from("ann", WRONG, "192.0.2.66").await),
            Reason::BadCredentials
        );
    }
    assert_eq!(
        reason(auth.login_from("ann", PASSWORD, "192.0.2.66").await),
        Reason::TooManyAttempts
    );
    auth.login_from("ann", PASSWORD, "192.0.2.1").await.unwrap();
}

#[tokio::test]
async fn parallel_logins_with_the_right_password_all_succeed() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    let outcomes = futures::future::join_all((0..30).map(|_| auth.login("ann", PASSWORD))).await;
    for outcome in outcomes {
        outcome.unwrap();
    }
}

#[tokio::test]
async fn a_full_queue_asks_to_come_back() {
    let auth = Auth::builder()
        .configure(|config| config.access.password_queue = 1)
        .spawn()
        .await;
    auth.register("ann").await;
    let outcomes = futures::future::join_all((0..20).map(|_| auth.login("ann", PASSWORD))).await;
    let refused: Vec<_> = outcomes.into_iter().filter(Result::is_err).collect();
    assert!(!refused.is_empty());
    for outcome in refused {
        let refusal = refusal(outcome);
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(1)));
    }
    auth.login("ann", PASSWORD).await.unwrap();
}
