//! `adfolioctl staff`.

use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::{StaffLoginRequest, StaffRole};

use crate::helpers::{AuthAlone, anonymous, run};

const CREATE: [&str; 6] = ["staff", "create", "--username", "boss", "--role", "admin"];

#[tokio::test]
async fn staff_are_created_once() {
    let auth = AuthAlone::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "a long enough secret\n").unwrap();
    let with_file = [&CREATE[..], &["--password-file", file.to_str().unwrap()]].concat();
    let ended = auth.run(&with_file, "").await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!ended.output.contains("secret"));

    let message = StaffLoginRequest {
        username: "boss".to_owned(),
        password: "a long enough secret".to_owned(),
        client_address: String::new(),
    };
    let mut admin = AuthAdminServiceClient::new(auth.channel());
    let session = admin
        .staff_login(anonymous(message))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(session.staff.unwrap().role(), StaffRole::Admin);

    let again = auth.run(&with_file, "").await;
    assert_eq!(again.code, 1);
    assert!(
        again.errors.contains("USERNAME_TAKEN of username"),
        "{again:?}"
    );
    let tolerant = auth
        .run(&[&with_file[..], &["--if-missing"]].concat(), "")
        .await;
    assert_eq!(tolerant.code, 0, "{tolerant:?}");
}

#[tokio::test]
async fn a_password_may_come_from_standard_input() {
    let auth = AuthAlone::start().await;
    let ended = auth
        .run(
            &[&CREATE[..], &["--password-stdin"]].concat(),
            "a long enough secret\n",
        )
        .await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let weak = [
        "staff",
        "create",
        "--username",
        "other",
        "--role",
        "support",
        "--password-stdin",
    ];
    let ended = auth.run(&weak, "password").await;
    assert_eq!(ended.code, 1);
    assert!(ended.errors.contains("VALIDATION of password"), "{ended:?}");
}

#[tokio::test]
async fn wrong_usage_is_told_apart() {
    assert_eq!(run(&[], &CREATE, "").await.code, 2);
    let role = [
        "staff",
        "create",
        "--username",
        "boss",
        "--role",
        "king",
        "--password-stdin",
    ];
    assert_eq!(run(&[], &role, "").await.code, 2);
}

#[tokio::test]
async fn a_service_that_is_not_there_is_an_error() {
    let nowhere = [("AUTH_URL", "http://127.0.0.1:1".to_owned())];
    let ended = run(
        &nowhere,
        &[&CREATE[..], &["--password-stdin"]].concat(),
        "a long enough secret",
    )
    .await;
    assert_eq!(ended.code, 1);
    assert_eq!(ended.errors.lines().count(), 1, "{ended:?}");
}
