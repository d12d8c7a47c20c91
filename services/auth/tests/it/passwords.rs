//! Changing the login password.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::ChangePasswordRequest;
use adfolio_proto::events::v1::{PasswordChanged, SessionsRevoked};
use adfolio_testkit::eventually;
use sqlx::{Connection as _, PgConnection, PgPool};
use tonic::Status;

use crate::helpers::{Auth, PASSWORD, as_user, dump, evaluations, reason, refusal, user_id};

const NEW: &str = "another long secret";
const WRONG: &str = "not the password";

async fn change(auth: &Auth, user: &str, old: &str, new: &str) -> Result<(), Status> {
    change_confirmed(auth, user, old, [new, new]).await
}

async fn change_confirmed(
    auth: &Auth,
    user: &str,
    old: &str,
    [new, confirmed]: [&str; 2],
) -> Result<(), Status> {
    let message = ChangePasswordRequest {
        old_password: old.to_owned(),
        new_password: new.to_owned(),
        confirm_password: confirmed.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        token: String::new(),
    };
    let answer = auth.users().change_password(as_user(user, message)).await;
    answer.map(|_| ())
}

#[tokio::test]
async fn a_change_ends_every_session_and_tells() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let first = auth.register("ann").await;
    let second = auth.login("ann", PASSWORD).await.unwrap();
    let id = user_id(&first);
    change(&auth, id, PASSWORD, NEW).await.unwrap();
    for token in [&first.token, &second.token] {
        assert_eq!(reason(auth.verify(token).await), Reason::SessionExpired);
    }
    assert_eq!(
        reason(auth.login("ann", PASSWORD).await),
        Reason::BadCredentials
    );
    let session = auth.login("ann", NEW).await.unwrap();
    auth.verify(&session.token).await.unwrap();
    let events = probe.wait_for("adfolio.auth.v1.PasswordChanged", 1).await;
    assert_eq!(events[0].data::<PasswordChanged>().unwrap().user_id, id);
    let events = probe.wait_for("adfolio.auth.v1.SessionsRevoked", 1).await;
    let revoked: SessionsRevoked = events[0].data().unwrap();
    assert_eq!(revoked.user_id.as_str(), id);
    assert!(revoked.all);
    assert_eq!(revoked.session_ids.len(), 2);
    assert!(!dump(&auth.db).await.contains(NEW));
}

#[tokio::test]
async fn refusals_come_in_their_order_and_change_nothing() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    for (old, new, expected, field) in [
        ("", [NEW, NEW], Reason::Validation, "old_password"),
        (
            WRONG,
            [NEW, WRONG],
            Reason::PasswordMismatch,
            "confirm_password",
        ),
        (WRONG, [WRONG, WRONG], Reason::WrongPassword, "old_password"),
        (
            PASSWORD,
            [PASSWORD, PASSWORD],
            Reason::PasswordUnchanged,
            "new_password",
        ),
        (
            PASSWORD,
            ["short", "short"],
            Reason::Validation,
            "new_password",
        ),
        (
            PASSWORD,
            ["Password1", "Password1"],
            Reason::Validation,
            "new_password",
        ),
    ] {
        let refused = refusal(change_confirmed(&auth, id, old, new).await);
        assert_eq!(refused.reason, expected, "{old:?} {new:?}");
        assert_eq!(refused.field.as_deref(), Some(field), "{old:?} {new:?}");
    }
    auth.verify(&session.token).await.unwrap();
    auth.login("ann", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn guesses_do_not_lock_the_login() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    for _ in 0..10 {
        assert_eq!(
            reason(change(&auth, id, WRONG, NEW).await),
            Reason::WrongPassword
        );
    }
    let locked = refusal(change(&auth, id, PASSWORD, NEW).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert!(locked.retry_after.is_some());
    auth.login("ann", PASSWORD).await.unwrap();
}

/// A stolen session has a limit of its own, counted like that of login before anything is evaluated.
#[tokio::test]
async fn two_hundred_parallel_guesses_here_and_at_login_are_ten_each() {
    let auth = Auth::spawn().await.alone().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    let before = evaluations();
    let changes = futures::future::join_all((0..100).map(|_| change(&auth, id, WRONG, NEW)));
    let logins = futures::future::join_all((0..100).map(|_| auth.login("ann", WRONG)));
    let (changes, logins) = futures::future::join(changes, logins).await;
    let is_answered = |reason: &Reason| match reason {
        Reason::WrongPassword | Reason::BadCredentials => true,
        Reason::TooManyAttempts => false,
        other => panic!("unexpected {other}"),
    };
    let here = changes.into_iter().map(reason).filter(is_answered).count();
    let there = logins.into_iter().map(reason).filter(is_answered).count();
    assert!(here <= 10, "{here} guesses were answered here");
    assert!(there <= 10, "{there} guesses were answered at login");
    assert_eq!(
        evaluations() - before,
        (here + there) as u64,
        "and no more were evaluated"
    );
    assert_eq!(
        reason(change(&auth, id, PASSWORD, NEW).await),
        Reason::TooManyAttempts
    );
    auth.clock.advance(std::time::Duration::from_mins(30));
    change(&auth, id, PASSWORD, NEW).await.unwrap();
}

#[tokio::test]
async fn one_of_fifty_changes_wins() {
    // Limits that this test does not run into.
    let auth = Auth::builder()
        .configure(|config| {
            config.access.login_failures_per_account = 10_000;
            config.access.login_failures_per_address = 10_000;
            config.access.login_failures_per_device = 10_000;
        })
        .spawn()
        .await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    let wishes: Vec<String> = (0..50).map(|number| format!("{NEW} {number}")).collect();
    let changes = wishes.iter().map(|new| change(&auth, id, PASSWORD, new));
    let outcomes = futures::future::join_all(changes).await;
    let mut won = Vec::new();
    for (wish, outcome) in wishes.iter().zip(outcomes) {
        match outcome {
            Ok(()) => won.push(wish),
            Err(status) => assert_eq!(reason(Err::<(), _>(status)), Reason::WrongPassword),
        }
    }
    assert_eq!(won.len(), 1);
    auth.login("ann", won[0]).await.unwrap();
    assert_eq!(
        reason(auth.login("ann", PASSWORD).await),
        Reason::BadCredentials
    );
}

async fn waiting_for_a_lock(pool: &PgPool) -> bool {
    let waiting: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    waiting > 0
}

/// The old password was right when it was evaluated; the session would have been opened after the change that ended
/// all.
#[tokio::test]
async fn a_login_that_meets_a_change_opens_no_session() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let pool = auth.db.pool();
    let mut change = PgConnection::connect(auth.db.url()).await.unwrap();
    sqlx::raw_sql("BEGIN").execute(&mut change).await.unwrap();
    sqlx::query("UPDATE users SET password_hash = replace(password_hash, '$argon2id', '$argon2i') WHERE id = $1::uuid")
        .bind(user_id(&session))
        .execute(&mut change)
        .await
        .unwrap();
    let login = auth.login("ann", PASSWORD);
    let commit = async {
        eventually("the login waits for the change", || {
            waiting_for_a_lock(&pool)
        })
        .await;
        sqlx::raw_sql("COMMIT").execute(&mut change).await.unwrap();
    };
    let (outcome, ()) = futures::future::join(login, commit).await;
    assert_eq!(reason(outcome), Reason::BadCredentials);
}
