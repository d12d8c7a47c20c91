//! Guesses over many names or codes: how often one address and one network may be wrong within an hour.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{CreateHostTokenRequest, OpenStoreRequest, Session};
use tonic::Status;

use crate::helpers::{
    Auth, PASSWORD, as_user, evaluations, reason, refusal, registration, support,
};
use crate::office::{self, Office};

const SPRAYED: &str = "Summer2026";
const HOUR: Duration = Duration::from_hours(1);

async fn guess(auth: &Auth, name: usize, address: &str) -> Reason {
    let name = format!("user-{name}");
    reason(auth.login_from(&name, SPRAYED, address).await)
}

/// The rows of the counters.
async fn rows(auth: &Auth) -> (i64, i64) {
    sqlx::query_as("SELECT (SELECT count(*) FROM guesses), (SELECT count(*) FROM login_attempts)")
        .fetch_one(&auth.db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn one_password_on_sixty_names_is_slowed() {
    let auth = Auth::spawn().await;
    let device = auth.register("ann").await.device_token;
    for name in 0..60 {
        let expected = if name < 50 {
            Reason::BadCredentials
        } else {
            Reason::TooManyAttempts
        };
        assert_eq!(guess(&auth, name, "192.0.2.1").await, expected, "{name}");
    }
    // What is refused leaves no counter: two of the source and two of the registration, two of each name that was
    // tried.
    assert_eq!(rows(&auth).await, (4, 100));
    auth.clock.advance(Duration::from_mins(20));
    let locked = refusal(auth.login_from("ann", PASSWORD, "192.0.2.1").await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(Duration::from_mins(40)));
    // Not another address, nor a known device at this one.
    auth.login_from("ann", PASSWORD, "192.0.2.2").await.unwrap();
    auth.login_on(&device, "ann", PASSWORD, "192.0.2.1")
        .await
        .unwrap();
    auth.clock.advance(Duration::from_mins(40));
    auth.login_from("ann", PASSWORD, "192.0.2.1").await.unwrap();
}

#[tokio::test]
async fn a_network_is_slowed_whatever_its_addresses() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.login_guesses_per_network = 12)
        .spawn()
        .await;
    for name in 0..12 {
        let address = format!("2001:db8:1:{name:x}::1");
        let outcome = guess(&auth, name, &address).await;
        assert_eq!(outcome, Reason::BadCredentials);
    }
    let outcome = guess(&auth, 12, "2001:db8:1:ffff::1").await;
    assert_eq!(outcome, Reason::TooManyAttempts);
    let outcome = guess(&auth, 12, "2001:db8:2::1").await;
    assert_eq!(outcome, Reason::BadCredentials);
}

#[tokio::test]
async fn users_and_staff_are_one_count() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.login_guesses_per_address = 4)
        .spawn()
        .await;
    let office = Office::of(auth).await;
    let auth = &office.auth;
    for name in ["ada", "nobody"] {
        let outcome = office::login(auth, name, SPRAYED).await;
        assert_eq!(reason(outcome), Reason::BadCredentials);
    }
    for name in 0..2 {
        let outcome = guess(auth, name, "192.0.2.1").await;
        assert_eq!(outcome, Reason::BadCredentials);
    }
    for outcome in [
        office::login(auth, "finn", PASSWORD).await.map(drop),
        auth.login("user-9", SPRAYED).await.map(drop),
    ] {
        assert_eq!(reason(outcome), Reason::TooManyAttempts);
    }
}

#[tokio::test]
async fn right_passwords_are_not_counted_and_clear_nothing() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.login_guesses_per_address = 5)
        .spawn()
        .await;
    auth.register("ann").await;
    let logins = (0..10).map(|_| auth.login("ann", PASSWORD));
    for outcome in futures::future::join_all(logins).await {
        outcome.unwrap();
    }
    for name in 0..5 {
        let outcome = guess(&auth, name, "192.0.2.1").await;
        assert_eq!(outcome, Reason::BadCredentials);
        if name < 4 {
            auth.login("ann", PASSWORD).await.unwrap();
        }
    }
    assert_eq!(
        reason(auth.login("ann", PASSWORD).await),
        Reason::TooManyAttempts
    );
}

#[tokio::test]
async fn two_hundred_parallel_guesses_at_names_are_fifty() {
    let auth = Auth::spawn().await.alone().await;
    let before = evaluations();
    let guesses = (0..200).map(|name| guess(&auth, name, "192.0.2.1"));
    let outcomes = futures::future::join_all(guesses).await;
    let wrong = outcomes.iter().filter(|reason| match reason {
        Reason::BadCredentials => true,
        Reason::TooManyAttempts => false,
        other => panic!("unexpected {other}"),
    });
    let wrong = wrong.count() as u64;
    assert!(wrong <= 50, "{wrong} guesses were answered");
    assert_eq!(evaluations() - before, wrong, "and no more were evaluated");
}

#[tokio::test]
async fn limits_outlive_a_restart_and_their_rows_an_hour() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.login_guesses_per_address = 2)
        .spawn()
        .await;
    for name in 0..2 {
        guess(&auth, name, "192.0.2.1").await;
    }
    let auth = auth.restart().await;
    let outcome = guess(&auth, 2, "192.0.2.1").await;
    assert_eq!(outcome, Reason::TooManyAttempts);
    auth.clock.advance(HOUR + Duration::from_secs(1));
    let auth = auth.restart().await;
    adfolio_testkit::eventually("old counters are deleted", || async {
        rows(&auth).await == (0, 0)
    })
    .await;
}

async fn register(auth: &Auth, key: &str, address: &str) -> Result<Session, Status> {
    let mut form = registration("ann", key);
    form.client_address = address.to_owned();
    auth.try_register(form).await
}

#[tokio::test]
async fn wrong_licence_keys_are_slowed() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.license_guesses_per_address = 5)
        .spawn()
        .await;
    auth.register("ann").await;
    let used = auth.key(true).await;
    let mut form = registration("bob", &used);
    form.client_address = "192.0.2.1".to_owned();
    auth.try_register(form).await.unwrap();
    for number in 0..5 {
        // A wrong key says nothing about the name, which is taken.
        let (key, expected) = match number {
            0 => (used.clone(), Reason::LicenseUsed),
            _ => (format!("DEMO-{number:04}"), Reason::LicenseNotFound),
        };
        let outcome = register(&auth, &key, "192.0.2.1").await;
        assert_eq!(reason(outcome), expected);
    }
    let unused = auth.key(true).await;
    let locked = refusal(register(&auth, &unused, "192.0.2.1").await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(HOUR));
    // Logins there are another count, and other addresses are free.
    auth.login_from("ann", PASSWORD, "192.0.2.1").await.unwrap();
    let elsewhere = register(&auth, &unused, "192.0.2.2").await;
    assert_eq!(reason(elsewhere), Reason::UsernameTaken);
    auth.clock.advance(HOUR);
    let later = register(&auth, &unused, "192.0.2.1").await;
    assert_eq!(reason(later), Reason::UsernameTaken);
}

#[tokio::test]
async fn parallel_licence_keys_do_not_pass_the_limit() {
    let auth = Auth::builder()
        .configure(|config| config.guesses.license_guesses_per_network = 5)
        .spawn()
        .await;
    let keys: Vec<String> = (0..60).map(|number| format!("DEMO-{number:04}")).collect();
    let guesses = keys.iter().enumerate().map(|(number, key)| {
        let address = format!("192.0.2.{number}");
        let auth = &auth;
        async move { register(auth, key, &address).await }
    });
    let outcomes = futures::future::join_all(guesses).await;
    let wrong = outcomes
        .into_iter()
        .map(reason)
        .filter(|reason| match reason {
            Reason::LicenseNotFound => true,
            Reason::TooManyAttempts => false,
            other => panic!("unexpected {other}"),
        });
    assert_eq!(wrong.count(), 5);
}

#[tokio::test]
async fn an_account_may_not_try_many_codes() {
    let auth = Auth::spawn().await;
    let message = CreateHostTokenRequest {
        external_user_id: "host-1".to_owned(),
        ..CreateHostTokenRequest::default()
    };
    let issued = auth.admin().create_host_token(support(message)).await;
    let token = issued.unwrap().into_inner().token;
    let user = auth.verify(&token).await.unwrap().user_id;
    let open = async |number: usize, code: &str| {
        let message = OpenStoreRequest {
            code: code.to_owned(),
            // From ever another network.
            client_address: format!("10.{number}.0.1"),
            user_agent: String::new(),
            token: token.clone(),
        };
        let answer = auth.users().open_store(as_user(&user, message)).await?;
        Ok::<_, Status>(answer.into_inner())
    };
    for number in 0..10 {
        let outcome = open(number, &format!("DEMO-{number:04}")).await;
        assert_eq!(reason(outcome), Reason::LicenseNotFound);
    }
    let code = auth.key(true).await;
    let locked = refusal(open(10, &code).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    auth.clock.advance(HOUR);
    open(11, &code).await.unwrap();
}
