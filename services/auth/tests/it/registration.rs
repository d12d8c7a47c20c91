//! Registration: its rules, and what happens when many want the same.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{Entry, RegisterRequest, UserState};
use tonic::Code;

use crate::helpers::{Auth, PASSWORD, anonymous, dump, reason, refusal, registration, user_id};

/// How often a call that is overdue is made again.
const OVERDUE_MAX: usize = 10;

/// Spoils one field of a form.
type Spoil = fn(&mut RegisterRequest);

#[tokio::test]
async fn a_registration_opens_an_account_and_a_session() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let key = auth.key(true).await;
    let session = auth
        .try_register(registration("Ann.Lee", &key.to_lowercase()))
        .await
        .unwrap();
    let user = session.user.clone().unwrap();
    assert_eq!(user.username, "Ann.Lee");
    assert_eq!(user.nickname, "Ann.Lee");
    assert_eq!(user.state(), UserState::Active);
    assert_eq!(user.entry(), Entry::Register);
    assert_eq!(
        user.license_key_masked,
        format!("****{}", &key[key.len() - 4..])
    );
    let verified = auth.verify(&session.token).await.unwrap();
    assert_eq!(verified.user_id, user.id);
    let events = probe.wait_for("adfolio.auth.v1.UserRegistered", 1).await;
    let event: adfolio_proto::events::v1::UserRegistered = events[0].data().unwrap();
    assert_eq!(event.user_id.as_str(), user.id.as_str());
    assert_eq!(event.entry, "register");
    assert_eq!(events[0].subject, user.id);
}

#[tokio::test]
async fn every_field_is_checked_and_named() {
    let auth = Auth::spawn().await;
    let key = auth.key(true).await;
    let cases: [(&str, Reason, Spoil); 9] = [
        ("username", Reason::Validation, |form| {
            form.username = "a b".into();
        }),
        ("password", Reason::Validation, |form| {
            form.password = "short".into();
        }),
        ("password", Reason::Validation, |form| {
            form.password = "password123".into();
        }),
        ("password", Reason::Validation, |form| {
            form.password = "x".repeat(129);
        }),
        ("confirm_password", Reason::PasswordMismatch, |form| {
            form.confirm_password.push('!');
        }),
        ("email", Reason::Validation, |form| {
            form.email = "nobody".into();
        }),
        ("phone", Reason::Validation, |form| {
            form.phone = String::new();
        }),
        ("licenseKey", Reason::Validation, |form| {
            form.license_key = String::new();
        }),
        ("licenseKey", Reason::LicenseNotFound, |form| {
            form.license_key = "NO-SUCH-KEY".into();
        }),
    ];
    for (field, expected, spoil) in cases {
        let mut form = registration("ann", &key);
        spoil(&mut form);
        let refusal = refusal(auth.try_register(form).await);
        assert_eq!(refusal.reason, expected);
        assert_eq!(refusal.field.as_deref(), Some(field));
    }
    // None of it spent the key or took the name.
    auth.try_register(registration("ann", &key)).await.unwrap();
    let again = refusal(auth.try_register(registration("bob", &key)).await);
    assert_eq!(again.reason, Reason::LicenseUsed);
    assert_eq!(again.field.as_deref(), Some("licenseKey"));
}

#[tokio::test]
async fn the_older_form_needs_less() {
    let auth = Auth::spawn().await;
    let key = auth.key(true).await;
    let form = RegisterRequest {
        older_form: true,
        confirm_password: String::new(),
        email: String::new(),
        phone: String::new(),
        ..registration("older", &key)
    };
    auth.try_register(form).await.unwrap();
}

#[tokio::test]
async fn names_differ_by_more_than_case() {
    let auth = Auth::spawn().await;
    auth.register("Ann.Lee").await;
    let key = auth.key(true).await;
    let refusal = refusal(auth.try_register(registration("ANN.lee", &key)).await);
    assert_eq!(refusal.reason, Reason::UsernameTaken);
    assert_eq!(refusal.field.as_deref(), Some("username"));
    auth.login("aNN.LEE", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn one_key_opens_one_of_two_hundred_accounts() {
    // Limits that this test does not run into.
    let auth = Auth::builder()
        .replicas(2)
        .configure(|config| {
            config.guesses.license_guesses_per_address = 1_000;
            config.guesses.license_guesses_per_network = 1_000;
        })
        .spawn()
        .await;
    let key = auth.key(true).await;
    let racing = (0..200).map(|number: usize| {
        let mut users = AuthServiceClient::new(auth.replicas[number % 2].channel());
        let name = format!("racer-{number}");
        let form = registration(&name, &key);
        async move {
            // On a busy machine so many hashes take longer than a call may; an overdue call is repeated.
            for _ in 0..OVERDUE_MAX {
                let outcome = users.register(anonymous(form.clone())).await;
                match outcome {
                    Err(status) if status.code() == Code::DeadlineExceeded => {}
                    Ok(_) => return (name, None),
                    Err(status) => return (name, Some(refusal(Err::<(), _>(status)).reason)),
                }
            }
            panic!("{name} is never answered");
        }
    });
    let outcomes = futures::future::join_all(racing).await;
    let (lost, won): (Vec<_>, Vec<_>) = outcomes
        .into_iter()
        .partition(|(_, refused)| *refused == Some(Reason::LicenseUsed));
    // The repeat of an overdue winner finds its key used.
    assert!(won.len() <= 1 && lost.len() >= 199, "{won:?}");
    assert!(won.iter().all(|(_, refused)| refused.is_none()), "{won:?}");
    // The account that was opened is the one the key is bound to, and there is no other.
    let opened: Vec<(String, bool)> = sqlx::query_as(
        "SELECT users.username, license_keys.used_by IS NOT NULL
         FROM users LEFT JOIN license_keys ON license_keys.used_by = users.id",
    )
    .fetch_all(&auth.db.pool())
    .await
    .unwrap();
    assert_eq!(opened.len(), 1);
    let (name, is_bound) = &opened[0];
    assert!(is_bound);
    assert!(won.iter().all(|(winner, _)| winner == name), "{won:?}");
}

#[tokio::test]
async fn one_name_goes_to_one_of_fifty() {
    let auth = Auth::spawn().await;
    let mut forms = Vec::new();
    for number in 0..50 {
        let name = if number % 2 == 0 {
            "same-name"
        } else {
            "SAME-name"
        };
        forms.push(registration(name, &auth.key(true).await));
    }
    let outcomes =
        futures::future::join_all(forms.into_iter().map(|form| auth.try_register(form))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::UsernameTaken);
    }
    let used: i64 =
        sqlx::query_scalar("SELECT count(*) FROM license_keys WHERE used_by IS NOT NULL")
            .fetch_one(&auth.db.pool())
            .await
            .unwrap();
    assert_eq!(used, 1, "the keys of the losers stay unused");
}

#[tokio::test]
async fn a_key_that_does_not_activate_leaves_the_account_waiting() {
    let auth = Auth::spawn().await;
    let key = auth.key(false).await;
    let session = auth
        .try_register(registration("patient", &key))
        .await
        .unwrap();
    assert_eq!(
        auth.verify(&session.token).await.unwrap().state(),
        UserState::NotActivated
    );
    assert_eq!(
        reason(auth.login("patient", PASSWORD).await),
        Reason::AccountNotActivated
    );
    auth.set_state(user_id(&session), UserState::Active)
        .await
        .unwrap();
    auth.login("patient", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn neither_token_nor_password_is_stored() {
    let auth = Auth::spawn().await;
    let session = auth.register("secretive").await;
    let second = auth.login("secretive", PASSWORD).await.unwrap();
    let tables = dump(&auth.db).await;
    assert!(tables.contains("secretive"), "the search sees the tables");
    for secret in [session.token.as_str(), second.token.as_str(), PASSWORD] {
        assert!(!tables.contains(secret));
    }
}
