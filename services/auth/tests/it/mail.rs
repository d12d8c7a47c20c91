//! What mail about an account needs: where it goes, and what it is about.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{EditProfileRequest, GetMailRecipientRequest, LoginRequest};
use adfolio_proto::events::v1::{ContactChanged, NewClientLoggedIn};
use adfolio_testkit::EventProbe;
use tonic::Status;

use crate::helpers::{Auth, PASSWORD, anonymous, as_newcomer, dump, reason, user_id};

const CONTACT_CHANGED: &str = "adfolio.auth.v1.ContactChanged";
const NEW_CLIENT: &str = "adfolio.auth.v1.NewClientLoggedIn";

/// What every user of these tests registers with.
const FIRST: &str = "user@shop.example";

/// Address and language.
async fn recipient(auth: &Auth, user: &str, former: &str) -> Result<(String, String), Status> {
    let message = GetMailRecipientRequest {
        user_id: user.to_owned(),
        former_email_id: former.to_owned(),
        email_code_id: String::new(),
    };
    let mut directory = UserDirectoryServiceClient::new(auth.channel());
    let answer = directory.get_mail_recipient(anonymous(message)).await?;
    let recipient = answer.into_inner();
    Ok((recipient.email, recipient.lang))
}

async fn edit(auth: &Auth, user: &str, change: EditProfileRequest) {
    let request = as_newcomer(auth, user, change);
    auth.users().edit_profile(request).await.unwrap();
}

fn email(address: &str) -> EditProfileRequest {
    EditProfileRequest {
        email: Some(address.to_owned()),
        ..EditProfileRequest::default()
    }
}

async fn log_in(auth: &Auth, user_agent: &str, address: &str) {
    let message = LoginRequest {
        username: "ann".to_owned(),
        password: PASSWORD.to_owned(),
        client_address: address.to_owned(),
        user_agent: user_agent.to_owned(),
        device_token: String::new(),
    };
    auth.users().login(anonymous(message)).await.unwrap();
}

/// So many were announced before a login from yet another place, whose event comes after theirs.
async fn new_clients(auth: &Auth, probe: &EventProbe, expected: usize) {
    log_in(auth, &format!("Marker/{expected}"), "192.0.2.99").await;
    let events = probe.wait_for(NEW_CLIENT, expected + 1).await;
    assert_eq!(events.len(), expected + 1);
}

#[tokio::test]
async fn the_former_address_is_known_for_three_days() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    assert_eq!(recipient(&auth, id, "").await.unwrap().0, FIRST);
    let change = EditProfileRequest {
        lang: Some("kor".to_owned()),
        ..email("new@shop.example")
    };
    edit(&auth, id, change).await;
    let event = probe.wait_for(CONTACT_CHANGED, 1).await.remove(0);
    let told: ContactChanged = event.data().unwrap();
    assert_eq!((told.email, told.phone), (true, false));
    assert!(!format!("{:?}", event.data).contains('@'));
    let former = told.former_email_id;
    let expected = |address: &str| (address.to_owned(), "kor".to_owned());
    assert_eq!(
        recipient(&auth, id, "").await.unwrap(),
        expected("new@shop.example")
    );
    assert_eq!(
        recipient(&auth, id, &former).await.unwrap(),
        expected(FIRST)
    );
    // A second change does not hide the first one.
    edit(&auth, id, email("newer@shop.example")).await;
    assert_eq!(
        recipient(&auth, id, &former).await.unwrap(),
        expected(FIRST)
    );
    let other = auth.register("ben").await;
    assert_eq!(
        reason(recipient(&auth, user_id(&other), &former).await),
        Reason::NotFound
    );
    auth.clock.advance(Duration::from_hours(72));
    assert_eq!(
        reason(recipient(&auth, id, &former).await),
        Reason::NotFound
    );
    auth.clock.advance(Duration::from_secs(1));
    // Pruning begins with a process.
    let auth = auth.restart().await;
    adfolio_testkit::eventually("the address is deleted", || async {
        !dump(&auth.db).await.contains("new@shop.example")
    })
    .await;
}

#[tokio::test]
async fn a_changed_phone_number_is_announced_and_a_nickname_is_not() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    let nickname = EditProfileRequest {
        nickname: Some("Annie".to_owned()),
        email: Some(FIRST.to_owned()),
        ..EditProfileRequest::default()
    };
    edit(&auth, id, nickname).await;
    let phone = EditProfileRequest {
        phone: Some("+49 30 7654321".to_owned()),
        ..EditProfileRequest::default()
    };
    edit(&auth, id, phone).await;
    let events = probe.wait_for(CONTACT_CHANGED, 1).await;
    assert_eq!(events.len(), 1);
    let told: ContactChanged = events[0].data().unwrap();
    let expected = ContactChanged {
        user_id: id.to_owned(),
        email: false,
        phone: true,
        former_email_id: String::new(),
    };
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_login_from_elsewhere_is_announced_once() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let session = auth.register("ann").await;
    // As at the registration.
    log_in(&auth, "Test/1.0", "192.0.2.1").await;
    new_clients(&auth, &probe, 0).await;
    log_in(&auth, "Test/1.0", "198.51.100.7").await;
    log_in(&auth, "Other/2.0", "192.0.2.1").await;
    log_in(&auth, "Other/2.0", "192.0.2.1").await;
    new_clients(&auth, &probe, 3).await;
    let told: NewClientLoggedIn = probe.of_type(NEW_CLIENT)[0].data().unwrap();
    assert_eq!(told.user_id, user_id(&session));
}

#[tokio::test]
async fn the_first_client_after_an_update_is_no_news() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    auth.register("ann").await;
    // As a replica of the release before leaves it.
    sqlx::query("DELETE FROM known_clients")
        .execute(&auth.db.pool())
        .await
        .unwrap();
    log_in(&auth, "Other/2.0", "198.51.100.7").await;
    new_clients(&auth, &probe, 0).await;
}
