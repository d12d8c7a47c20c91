//! Fresh sessions: what one of long ago may not do by itself.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    ChangePasswordRequest, EditProfileRequest, Session, StepUpRequest, StepUpResponse, User,
};
use tonic::Status;

use crate::helpers::{Auth, PASSWORD, in_session, reason, refusal, user_id};

const QUARTER: Duration = Duration::from_mins(15);

async fn step_up(auth: &Auth, session: &Session, password: &str) -> Result<StepUpResponse, Status> {
    let message = StepUpRequest {
        token: session.token.clone(),
        password: password.to_owned(),
        client_address: "192.0.2.1".to_owned(),
    };
    let request = in_session(auth, &session.token, message).await;
    Ok(auth.users().step_up(request).await?.into_inner())
}

async fn edit(auth: &Auth, session: &Session, change: EditProfileRequest) -> Result<User, Status> {
    let request = in_session(auth, &session.token, change).await;
    let answer = auth.users().edit_profile(request).await?;
    Ok(answer.into_inner().user.expect("a user"))
}

fn email(address: &str) -> EditProfileRequest {
    EditProfileRequest {
        email: Some(address.to_owned()),
        ..EditProfileRequest::default()
    }
}

#[tokio::test]
async fn a_contact_changes_only_in_a_fresh_session() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    edit(&auth, &session, email("first@shop.example"))
        .await
        .unwrap();
    auth.clock.advance(QUARTER);
    let phone = EditProfileRequest {
        phone: Some("+49 30 7654321".to_owned()),
        ..EditProfileRequest::default()
    };
    for change in [email("thief@shop.example"), phone.clone()] {
        assert_eq!(
            reason(edit(&auth, &session, change).await),
            Reason::StepUpRequired
        );
    }
    // What is no contact, or no change, asks for nothing.
    let nickname = EditProfileRequest {
        nickname: Some("Ann".to_owned()),
        email: Some("first@shop.example".to_owned()),
        ..EditProfileRequest::default()
    };
    let edited = edit(&auth, &session, nickname).await.unwrap();
    assert_eq!(edited.email, "first@shop.example");

    let fresh = step_up(&auth, &session, PASSWORD).await.unwrap();
    let verified = auth.verify(&session.token).await.unwrap();
    assert_eq!(fresh.fresh_until, verified.fresh_until);
    let edited = edit(&auth, &session, phone).await.unwrap();
    assert_eq!(edited.phone, "+49 30 7654321");
    // Another session of the same user is as stale as before.
    let other = auth.login("ann", PASSWORD).await.unwrap();
    auth.clock.advance(QUARTER);
    step_up(&auth, &session, PASSWORD).await.unwrap();
    assert_eq!(
        reason(edit(&auth, &other, email("other@shop.example")).await),
        Reason::StepUpRequired
    );
}

#[tokio::test]
async fn guesses_lock_the_session_and_not_the_login() {
    let auth = Auth::builder()
        .configure(|config| config.access.login_failures_per_device = 3)
        .spawn()
        .await;
    let session = auth.register("ann").await;
    assert_eq!(
        refusal(step_up(&auth, &session, "").await).field.as_deref(),
        Some("password")
    );
    for _ in 0..3 {
        let refused = refusal(step_up(&auth, &session, "not this one").await);
        assert_eq!(refused.reason, Reason::WrongPassword);
        assert_eq!(refused.field.as_deref(), Some("password"));
    }
    assert_eq!(
        reason(step_up(&auth, &session, PASSWORD).await),
        Reason::TooManyAttempts
    );
    let other = auth.login("ann", PASSWORD).await.unwrap();
    step_up(&auth, &other, PASSWORD).await.unwrap();
    // Still locked: what another session shows clears nothing here.
    assert_eq!(
        reason(step_up(&auth, &session, PASSWORD).await),
        Reason::TooManyAttempts
    );
}

#[tokio::test]
async fn an_ended_session_is_not_made_fresh() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let message = StepUpRequest {
        token: session.token.clone(),
        password: PASSWORD.to_owned(),
        client_address: String::new(),
    };
    // The gateway may have verified the token a moment before its end.
    let late = in_session(&auth, &session.token, message.clone()).await;
    auth.logout(&session.token).await;
    assert_eq!(
        reason(auth.users().step_up(late).await),
        Reason::SessionExpired
    );
    // Nor somebody else's.
    let bob = auth.register("bob").await;
    let foreign = in_session(&auth, &bob.token, message).await;
    assert_eq!(
        reason(auth.users().step_up(foreign).await),
        Reason::NotAuthenticated
    );
}

#[tokio::test]
async fn the_old_password_makes_nothing_fresh() {
    let auth = Auth::spawn().await;
    let first = auth.register("ann").await;
    let change = ChangePasswordRequest {
        old_password: PASSWORD.to_owned(),
        new_password: "a new horse battery".to_owned(),
        confirm_password: "a new horse battery".to_owned(),
        client_address: "192.0.2.1".to_owned(),
        token: first.token.clone(),
    };
    let request = in_session(&auth, &first.token, change).await;
    auth.users().change_password(request).await.unwrap();
    let second = auth.login("ann", "a new horse battery").await.unwrap();
    assert_eq!(user_id(&second), user_id(&first));
    assert_eq!(
        reason(step_up(&auth, &second, PASSWORD).await),
        Reason::WrongPassword
    );
}

#[tokio::test]
async fn only_the_registration_counts_as_such() {
    let auth = Auth::spawn().await;
    let first = auth.register("ann").await;
    let second = auth.login("ann", PASSWORD).await.unwrap();
    assert!(auth.verify(&first.token).await.unwrap().is_registration);
    assert!(!auth.verify(&second.token).await.unwrap().is_registration);
}
