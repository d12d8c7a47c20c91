//! Devices that an account was used on: what strangers do elsewhere does not lock them out.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    ChangePasswordRequest, Session, StaffLoginResponse, StaffState, StepUpRequest, UserState,
};
use tonic::Status;

use crate::helpers::{
    Auth, PASSWORD, anonymous, dump, in_session, reason, refusal, registration, user_id,
};
use crate::office::{self, NEW_PASSWORD, Office};

const WRONG: &str = "not the password";
const LOCK: Duration = Duration::from_mins(30);
const DAY: Duration = Duration::from_hours(24);

/// The devices in the database.
async fn count(auth: &Auth) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM devices")
        .fetch_one(&auth.db.pool())
        .await
        .unwrap()
}

/// Ten wrong logins from three addresses, which lock a login from an unknown device.
async fn lock(auth: &Auth, username: &str) {
    for attempt in 0..10 {
        let address = format!("198.51.100.{}", attempt % 3);
        let outcome = auth.login_from(username, WRONG, &address).await;
        assert_eq!(reason(outcome), Reason::BadCredentials);
    }
}

/// A login of ann from an address that she never used.
async fn with(auth: &Auth, device: &str, password: &str) -> Result<Session, Status> {
    auth.login_on(device, "ann", password, "203.0.113.9").await
}

#[tokio::test]
async fn strangers_lock_unknown_devices_and_not_the_owners() {
    let auth = Auth::spawn().await;
    let device = auth.register("ann").await.device_token;
    assert_eq!(device.len(), 43);
    lock(&auth, "ann").await;
    let locked = refusal(with(&auth, "", PASSWORD).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(LOCK));
    // At the strangers' own address, too.
    let from_there = auth.login_on(&device, "ann", PASSWORD, "198.51.100.1");
    assert_eq!(from_there.await.unwrap().device_token, device);
    let again = with(&auth, &device, PASSWORD).await.unwrap();
    // A logout keeps the device.
    auth.logout(&again.token).await;
    with(&auth, &device, PASSWORD).await.unwrap();
    // The lock of unknown devices stays.
    assert_eq!(
        reason(with(&auth, "", PASSWORD).await),
        Reason::TooManyAttempts
    );
    assert!(!dump(&auth.db).await.contains(&device));
}

#[tokio::test]
async fn strangers_do_not_lock_staff_out() {
    let office = Office::open().await;
    let auth = &office.auth;
    let device = office::login(auth, "finn", PASSWORD)
        .await
        .unwrap()
        .device_token;
    for attempt in 0..10 {
        let address = format!("198.51.100.{}", attempt % 3);
        let outcome = office::login_from(auth, "finn", WRONG, &address).await;
        assert_eq!(reason(outcome), Reason::BadCredentials);
    }
    let unknown = office::login_from(auth, "finn", PASSWORD, "203.0.113.9").await;
    assert_eq!(reason(unknown), Reason::TooManyAttempts);
    let known = office::login_on(auth, &device, "finn", PASSWORD, "203.0.113.9").await;
    assert_eq!(known.unwrap().device_token, device);
    // A user's token is none of staff, and the other way round.
    let user = auth.register("finn").await.device_token;
    let foreign = office::login_on(auth, &user, "finn", PASSWORD, "203.0.113.9").await;
    assert_eq!(reason(foreign), Reason::TooManyAttempts);
    lock(auth, "finn").await;
    let foreign = auth.login_on(&device, "finn", PASSWORD, "203.0.113.9");
    assert_eq!(reason(foreign.await), Reason::TooManyAttempts);
}

#[tokio::test]
async fn a_device_has_a_limit_of_its_own() {
    let auth = Auth::builder()
        .configure(|config| config.access.login_failures_per_device = 3)
        .spawn()
        .await;
    let device = auth.register("ann").await.device_token;
    let other = auth.login("ann", PASSWORD).await.unwrap().device_token;
    assert_ne!(device, other);
    for _ in 0..3 {
        assert_eq!(
            reason(with(&auth, &device, WRONG).await),
            Reason::BadCredentials
        );
    }
    let locked = refusal(with(&auth, &device, PASSWORD).await);
    assert_eq!(locked.reason, Reason::TooManyAttempts);
    assert_eq!(locked.retry_after, Some(LOCK));
    // It locks nothing else.
    with(&auth, &other, PASSWORD).await.unwrap();
    with(&auth, "", PASSWORD).await.unwrap();
    auth.clock.advance(LOCK);
    with(&auth, &device, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_hundred_parallel_guesses_of_a_device_are_ten() {
    let auth = Auth::spawn().await;
    let device = auth.register("ann").await.device_token;
    let guesses = (0..100).map(|_| with(&auth, &device, WRONG));
    let outcomes = futures::future::join_all(guesses).await;
    let wrong = outcomes
        .into_iter()
        .map(reason)
        .filter(|reason| match reason {
            Reason::BadCredentials => true,
            Reason::TooManyAttempts => false,
            other => panic!("unexpected {other}"),
        });
    assert!(wrong.count() <= 10);
    assert_eq!(
        reason(with(&auth, &device, PASSWORD).await),
        Reason::TooManyAttempts
    );
}

/// What is no device of the account is answered as if nothing had been sent.
async fn is_unknown(auth: &Auth, device: &str) {
    assert_eq!(
        reason(with(auth, device, PASSWORD).await),
        Reason::TooManyAttempts
    );
}

#[tokio::test]
async fn what_is_no_device_of_the_account_counts_as_none() {
    let auth = Auth::spawn().await;
    let device = auth.register("ann").await.device_token;
    let foreign = auth.register("bob").await.device_token;
    // With a right password a foreign one is replaced.
    let given = with(&auth, &foreign, PASSWORD).await.unwrap().device_token;
    assert!(![&device, &foreign].contains(&&given));
    lock(&auth, "ann").await;
    let never = "A".repeat(43);
    for device in [&foreign, &never, "nonsense", &"x".repeat(5000)] {
        is_unknown(&auth, device).await;
    }
    // 180 days after its last use.
    auth.clock.advance(DAY * 179);
    with(&auth, &device, PASSWORD).await.unwrap();
    auth.clock.advance(DAY * 179);
    with(&auth, &device, PASSWORD).await.unwrap();
    auth.clock.advance(DAY * 180);
    lock(&auth, "ann").await;
    is_unknown(&auth, &device).await;
    let auth = auth.restart().await;
    adfolio_testkit::eventually("unused devices are deleted", || async {
        count(&auth).await == 0
    })
    .await;
}

#[tokio::test]
async fn a_changed_password_forgets_the_devices() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let message = ChangePasswordRequest {
        old_password: PASSWORD.to_owned(),
        new_password: NEW_PASSWORD.to_owned(),
        confirm_password: NEW_PASSWORD.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        token: session.token.clone(),
    };
    let request = in_session(&auth, &session.token, message).await;
    auth.users().change_password(request).await.unwrap();
    assert_eq!(count(&auth).await, 0);
    lock(&auth, "ann").await;
    let old = with(&auth, &session.device_token, NEW_PASSWORD).await;
    assert_eq!(reason(old), Reason::TooManyAttempts);
}

#[tokio::test]
async fn a_closed_account_has_no_devices() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    auth.set_state(id, UserState::Disabled).await.unwrap();
    auth.set_state(id, UserState::Active).await.unwrap();
    lock(&auth, "ann").await;
    is_unknown(&auth, &session.device_token).await;
}

#[tokio::test]
async fn what_ends_the_sessions_of_staff_forgets_their_devices() {
    let office = Office::open().await;
    let (auth, ada, finn) = (&office.auth, &office.ada, &office.finn);
    let device = async |password: &str| -> StaffLoginResponse {
        office::login(auth, "finn", password).await.unwrap()
    };
    device(PASSWORD).await;
    assert_eq!(count(auth).await, 1);
    office.end_sessions(ada, &finn.id).await.unwrap();
    assert_eq!(count(auth).await, 0);
    device(PASSWORD).await;
    for state in [StaffState::Disabled, StaffState::Active] {
        office.set_state(ada, finn, state).await.unwrap();
    }
    assert_eq!(count(auth).await, 0);
    device(PASSWORD).await;
    let one_time = office.reset(ada, &finn.id).await.unwrap().one_time_password;
    assert_eq!(count(auth).await, 0);
    device(&one_time).await;
    office
        .change_password(finn, &one_time, NEW_PASSWORD)
        .await
        .unwrap();
    assert_eq!(count(auth).await, 0);
}

#[tokio::test]
async fn an_account_has_twenty_devices() {
    let auth = Auth::spawn().await;
    let first = auth.register("ann").await.device_token;
    auth.clock.advance(Duration::from_secs(1));
    let second = auth.login("ann", PASSWORD).await.unwrap().device_token;
    for _ in 0..18 {
        auth.clock.advance(Duration::from_secs(1));
        auth.login("ann", PASSWORD).await.unwrap();
    }
    auth.clock.advance(Duration::from_secs(1));
    with(&auth, &first, PASSWORD).await.unwrap();
    assert_eq!(count(&auth).await, 20);
    auth.login("ann", PASSWORD).await.unwrap();
    assert_eq!(count(&auth).await, 20);
    // The one that was not used for longest is forgotten.
    lock(&auth, "ann").await;
    with(&auth, &first, PASSWORD).await.unwrap();
    is_unknown(&auth, &second).await;
}

/// A session is no proof of the password. Its holder can guess, but locks neither the login nor other sessions.
#[tokio::test]
async fn a_stolen_session_does_not_lock_its_owner_out() {
    let auth = Auth::spawn().await;
    let stolen = auth.register("ann").await.token;
    let guess = async |token: &str, password: &str| {
        let message = StepUpRequest {
            token: token.to_owned(),
            password: password.to_owned(),
            client_address: "198.51.100.1".to_owned(),
        };
        let request = in_session(&auth, token, message).await;
        auth.users().step_up(request).await
    };
    let change = async |token: &str, old: &str| {
        let message = ChangePasswordRequest {
            old_password: old.to_owned(),
            new_password: NEW_PASSWORD.to_owned(),
            confirm_password: NEW_PASSWORD.to_owned(),
            client_address: "198.51.100.1".to_owned(),
            token: token.to_owned(),
        };
        let request = in_session(&auth, token, message).await;
        auth.users().change_password(request).await
    };
    for _ in 0..5 {
        assert_eq!(reason(guess(&stolen, WRONG).await), Reason::WrongPassword);
        assert_eq!(reason(change(&stolen, WRONG).await), Reason::WrongPassword);
    }
    assert_eq!(
        reason(guess(&stolen, PASSWORD).await),
        Reason::TooManyAttempts
    );
    assert_eq!(
        reason(change(&stolen, PASSWORD).await),
        Reason::TooManyAttempts
    );
    // The owner's, also from a device that is not known, at the same address.
    let owner = auth.login_from("ann", PASSWORD, "198.51.100.1");
    let owner = owner.await.unwrap().token;
    guess(&owner, PASSWORD).await.unwrap();
    change(&owner, PASSWORD).await.unwrap();
}

/// A gateway of the release before sends no token.
#[tokio::test]
async fn sessions_without_a_token_share_a_limit() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let guess = |old: &str| ChangePasswordRequest {
        old_password: old.to_owned(),
        new_password: NEW_PASSWORD.to_owned(),
        confirm_password: NEW_PASSWORD.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        token: String::new(),
    };
    for _ in 0..10 {
        let request = in_session(&auth, &session.token, guess(WRONG)).await;
        let outcome = auth.users().change_password(request).await;
        assert_eq!(reason(outcome), Reason::WrongPassword);
    }
    let request = in_session(&auth, &session.token, guess(PASSWORD)).await;
    let outcome = auth.users().change_password(request).await;
    assert_eq!(reason(outcome), Reason::TooManyAttempts);
    auth.login("ann", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_registration_knows_its_device_and_an_opening_brings_none() {
    let auth = Auth::spawn().await;
    let key = auth.key(false).await;
    let registered = auth
        .users()
        .register(anonymous(registration("ann", &key)))
        .await
        .unwrap();
    let session = registered.into_inner().session.unwrap();
    assert_eq!(session.device_token.len(), 43);
    let id = user_id(&session);
    let code = auth.key(true).await;
    let opened = auth
        .open_store_with(id, &session.token, &code)
        .await
        .unwrap();
    assert_eq!(opened.device_token, "");
    lock(&auth, "ann").await;
    with(&auth, &session.device_token, PASSWORD).await.unwrap();
}
