//! Staff accounts and their sessions.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    CreateStaffRequest, ListStaffRequest, ListUsersRequest, Staff, StaffLoginRequest,
    StaffLoginResponse, StaffLogoutRequest, StaffRole, VerifyStaffSessionRequest,
    VerifyStaffSessionResponse,
};
use tonic::Status;

use crate::helpers::{
    Auth, PASSWORD, SUPPORT, anonymous, as_staff, as_user, reason, refusal, user_id,
};

fn new(username: &str, role: StaffRole) -> CreateStaffRequest {
    CreateStaffRequest {
        username: username.to_owned(),
        password: PASSWORD.to_owned(),
        role: role.into(),
        second: None,
    }
}

async fn create(auth: &Auth, username: &str, role: StaffRole) -> Result<Staff, Status> {
    let answer = auth
        .admin()
        .create_staff(as_staff(Role::Admin, new(username, role)))
        .await?;
    Ok(answer.into_inner().staff.unwrap())
}

async fn login(auth: &Auth, username: &str, password: &str) -> Result<StaffLoginResponse, Status> {
    let message = StaffLoginRequest {
        username: username.to_owned(),
        password: password.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        code: String::new(),
        device_token: String::new(),
    };
    Ok(auth
        .admin()
        .staff_login(anonymous(message))
        .await?
        .into_inner())
}

async fn verify(auth: &Auth, token: &str) -> Result<VerifyStaffSessionResponse, Status> {
    let message = VerifyStaffSessionRequest {
        token: token.to_owned(),
    };
    Ok(auth
        .admin()
        .verify_staff_session(anonymous(message))
        .await?
        .into_inner())
}

#[tokio::test]
async fn staff_log_in_and_out() {
    let auth = Auth::spawn().await;
    let created = create(&auth, "Finn", StaffRole::Finance).await.unwrap();
    let session = login(&auth, "finn", PASSWORD).await.unwrap();
    let verified = verify(&auth, &session.token).await.unwrap();
    assert_eq!(verified.staff.unwrap(), created);
    auth.admin()
        .staff_logout(anonymous(StaffLogoutRequest {
            token: session.token.clone(),
        }))
        .await
        .unwrap();
    assert_eq!(
        reason(verify(&auth, &session.token).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(login(&auth, "finn", "something else").await),
        Reason::BadCredentials
    );
}

#[tokio::test]
async fn staff_sessions_last_eight_hours() {
    let auth = Auth::spawn().await;
    create(&auth, "finn", StaffRole::Finance).await.unwrap();
    let session = login(&auth, "finn", PASSWORD).await.unwrap();
    auth.clock.advance(Duration::from_secs(8 * 3600 - 1));
    verify(&auth, &session.token).await.unwrap();
    auth.clock.advance(Duration::from_hours(8));
    assert_eq!(
        reason(verify(&auth, &session.token).await),
        Reason::SessionExpired
    );
}

#[tokio::test]
async fn the_two_kinds_of_token_open_nothing_of_each_other() {
    let auth = Auth::spawn().await;
    create(&auth, "finn", StaffRole::Finance).await.unwrap();
    let staff = login(&auth, "finn", PASSWORD).await.unwrap();
    let user = auth.register("ann").await;
    assert_eq!(
        reason(auth.verify(&staff.token).await),
        Reason::NotAuthenticated
    );
    assert_eq!(
        reason(verify(&auth, &user.token).await),
        Reason::NotAuthenticated
    );
    auth.logout(&staff.token).await;
    verify(&auth, &staff.token).await.unwrap();
    assert_eq!(
        reason(auth.login("finn", PASSWORD).await),
        Reason::BadCredentials
    );
}

#[tokio::test]
async fn staff_login_is_limited_like_any_other() {
    let auth = Auth::spawn().await;
    create(&auth, "finn", StaffRole::Finance).await.unwrap();
    auth.register("finn").await;
    let guesses = (0..100).map(|_| login(&auth, "finn", "not the password"));
    let outcomes = futures::future::join_all(guesses).await;
    let wrong = outcomes.into_iter().filter(|outcome| {
        let status = outcome.as_ref().expect_err("a wrong password");
        status.code() != tonic::Code::ResourceExhausted
    });
    assert!(wrong.count() <= 10);
    assert_eq!(
        reason(login(&auth, "finn", PASSWORD).await),
        Reason::TooManyAttempts
    );
    // The user of the same name is somebody else.
    auth.login("finn", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn only_admins_add_staff_but_the_first_adds_itself() {
    let auth = Auth::spawn().await;
    let first = auth
        .admin()
        .create_staff(anonymous(new("root-admin", StaffRole::Admin)))
        .await
        .unwrap();
    assert_eq!(first.into_inner().staff.unwrap().role(), StaffRole::Admin);
    let second = auth
        .admin()
        .create_staff(anonymous(new("intruder", StaffRole::Admin)))
        .await;
    assert_eq!(reason(second), Reason::NotAuthenticated);
    for role in [Role::Support, Role::Finance, Role::Operator] {
        let outcome = auth
            .admin()
            .create_staff(as_staff(role, new("intruder", StaffRole::Admin)))
            .await;
        assert_eq!(reason(outcome), Reason::Forbidden);
    }
    let user = auth.register("ann").await;
    let outcome = auth
        .admin()
        .create_staff(as_user(user_id(&user), new("intruder", StaffRole::Admin)))
        .await;
    assert_eq!(reason(outcome), Reason::NotAuthenticated);
    let taken = refusal(create(&auth, "ROOT-admin", StaffRole::Support).await);
    assert_eq!(taken.reason, Reason::UsernameTaken);
    assert_eq!(taken.field.as_deref(), Some("username"));
    let common = CreateStaffRequest {
        password: "password".to_owned(),
        ..new("weak", StaffRole::Support)
    };
    assert_eq!(
        refusal(
            auth.admin()
                .create_staff(as_staff(Role::Admin, common))
                .await
        )
        .field
        .as_deref(),
        Some("password")
    );
    let unspecified = refusal(create(&auth, "nobody", StaffRole::Unspecified).await);
    assert_eq!(unspecified.field.as_deref(), Some("role"));
}

#[tokio::test]
async fn a_keyed_call_adds_one_account() {
    let auth = Auth::spawn().await;
    let caller = Caller::staff(SUPPORT, Role::Admin).with_key(Some("once".parse().unwrap()));
    let call = |username: &str| {
        let request = outgoing(
            &caller,
            new(username, StaffRole::Support),
            Duration::from_secs(30),
        );
        let mut admin = auth.admin();
        async move {
            Ok::<_, Status>(
                admin
                    .create_staff(request)
                    .await?
                    .into_inner()
                    .staff
                    .unwrap(),
            )
        }
    };
    let first = call("finn").await.unwrap();
    assert_eq!(call("finn").await.unwrap(), first);
    assert_eq!(reason(call("other").await), Reason::IdempotencyKeyReused);
}

#[tokio::test]
async fn lists_are_for_staff() {
    let auth = Auth::spawn().await;
    for number in 0..3 {
        create(&auth, &format!("member-{number}"), StaffRole::Support)
            .await
            .unwrap();
    }
    let list = |role| as_staff(role, ListStaffRequest { page: None });
    let names: Vec<String> = auth
        .admin()
        .list_staff(list(Role::Admin))
        .await
        .unwrap()
        .into_inner()
        .items
        .into_iter()
        .map(|staff| staff.username)
        .collect();
    assert_eq!(names, ["member-2", "member-1", "member-0"]);
    assert_eq!(
        reason(auth.admin().list_staff(list(Role::Support)).await),
        Reason::Forbidden
    );
    let user = auth.register("ann").await;
    let outcome = auth
        .admin()
        .list_users(as_user(user_id(&user), ListUsersRequest::default()))
        .await;
    assert_eq!(reason(outcome), Reason::NotAuthenticated);
    assert_eq!(
        reason(
            auth.admin()
                .list_users(anonymous(ListUsersRequest::default()))
                .await
        ),
        Reason::NotAuthenticated
    );
}
