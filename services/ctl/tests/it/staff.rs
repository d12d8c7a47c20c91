//! `adfolioctl staff`.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::{EnrollSecondFactorRequest, Staff, StaffLoginRequest, StaffRole};
use serde_json::Value;

use crate::helpers::{AuthAlone, Ended, anonymous, run};

const CALL_LIMIT: Duration = Duration::from_secs(10);

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
        code: String::new(),
        device_token: String::new(),
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

fn one(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.output).unwrap()
}

/// Logs in: the member, or why not.
async fn login(auth: &AuthAlone, username: &str, password: &str) -> Result<Staff, Reason> {
    let message = StaffLoginRequest {
        username: username.to_owned(),
        password: password.to_owned(),
        client_address: String::new(),
        code: String::new(),
        device_token: String::new(),
    };
    let mut admin = AuthAdminServiceClient::new(auth.channel());
    match admin.staff_login(anonymous(message)).await {
        Ok(answer) => Ok(answer.into_inner().staff.unwrap()),
        Err(status) => Err(Refusal::from_status(&status).unwrap().reason),
    }
}

#[tokio::test]
async fn accounts_are_ended_and_unlocked() {
    let (auth, password) = (AuthAlone::start().await, "a long enough secret");
    let mut ids = Vec::new();
    for (name, role) in [("boss", "admin"), ("finn", "finance")] {
        let create = ["staff", "create", "--username", name, "--role", role];
        let create = [&create[..], &["--password-stdin"]].concat();
        assert_eq!(auth.run(&create, password).await.code, 0);
        let listed = one(&auth.run(&["staff", "list", "--json"], "").await);
        ids.push(listed["items"][0]["id"].as_str().unwrap().to_owned());
    }
    let (boss, finn) = (ids[0].as_str(), ids[1].as_str());
    let run = async |arguments: &[&str]| {
        let arguments = [&["staff"], arguments, &["--reason", "left us", "--json"]].concat();
        auth.run(&arguments, "").await
    };
    let moved = one(&run(&["role", finn, "support"]).await);
    assert_eq!(moved["role"], "support");
    let disabled = one(&run(&["state", finn, "disabled"]).await);
    assert_eq!(disabled["state"], "disabled");
    assert_eq!(
        login(&auth, "finn", password).await,
        Err(Reason::AccountDisabled)
    );
    let again = run(&["state", finn, "disabled"]).await;
    assert!(again.errors.contains("NOTHING_CHANGED"), "{again:?}");
    let last = run(&["state", boss, "disabled"]).await;
    assert!(last.errors.contains("VALIDATION of state"), "{last:?}");
    one(&run(&["state", finn, "active"]).await);

    let reset = one(&run(&["reset-password", finn]).await);
    let one_time = reset["one_time_password"].as_str().unwrap();
    let member = login(&auth, "finn", one_time).await.unwrap();
    assert!(member.must_change_password);
    let listed = one(&auth.run(&["staff", "list", "--json"], "").await);
    assert_eq!(listed["items"][0]["sessions"], 1);
    one(&run(&["sessions-end", finn]).await);
    let listed = one(&auth.run(&["staff", "list", "--json"], "").await);
    assert_eq!(listed["items"][0]["sessions"], 0);

    for _ in 0..10 {
        assert_eq!(
            login(&auth, "finn", password).await,
            Err(Reason::BadCredentials)
        );
    }
    assert_eq!(
        login(&auth, "finn", one_time).await,
        Err(Reason::TooManyAttempts)
    );
    assert_eq!(one(&run(&["unlock", "finn"]).await)["cleared"], 2);
    login(&auth, "finn", one_time).await.unwrap();
    let user = ["user", "unlock", "nobody", "--reason", "rang up"];
    let unknown = auth.run(&user, "").await;
    assert!(
        unknown.errors.contains("NOT_FOUND of username"),
        "{unknown:?}"
    );
    let log = [
        "audit",
        "list",
        "--action",
        "auth.unlock_staff_login",
        "--json",
    ];
    let log = auth
        .run_until(&log, |ended| one(ended)["items"][0].is_object())
        .await;
    let reason = one(&log)["items"][0]["reason"].as_str().unwrap().to_owned();
    assert!(
        reason.starts_with("left us (adfolioctl, run by "),
        "{reason}"
    );
}

#[tokio::test]
async fn a_second_factor_is_reset() {
    let auth = AuthAlone::start().await;
    let password = "a long enough secret";
    let create = [&CREATE[..], &["--password-stdin"]].concat();
    assert_eq!(auth.run(&create, password).await.code, 0);
    let boss = login(&auth, "boss", password).await.unwrap();
    let caller = Caller::staff(boss.id.parse().unwrap(), Role::Admin);
    let request = outgoing(&caller, EnrollSecondFactorRequest {}, CALL_LIMIT);
    let mut admin = AuthAdminServiceClient::new(auth.channel());
    admin.enroll_second_factor(request).await.unwrap();
    let reset = [
        "staff",
        "reset-second-factor",
        &boss.id,
        "--reason",
        "lost the phone",
        "--json",
    ];
    let member = one(&auth.run(&reset, "").await);
    assert_eq!(member["has_second_factor"], false);
    let again = auth.run(&reset, "").await;
    assert!(again.errors.contains("NOTHING_CHANGED"), "{again:?}");
    let listed = one(&auth.run(&["staff", "list", "--json"], "").await);
    assert_eq!(listed["items"][0]["has_second_factor"], false);
}

#[tokio::test]
async fn a_change_of_an_account_needs_a_reason() {
    for arguments in [
        &["staff", "state", "x", "disabled"][..],
        &["staff", "state", "x", "asleep", "--reason", "r"],
        &["staff", "role", "x", "admin"],
        &["staff", "role", "x", "king", "--reason", "r"],
        &["staff", "reset-password", "x", "--reason", ""],
        &["staff", "reset-second-factor", "x"],
        &["staff", "unlock", "x"],
        &["user", "unlock", "x"],
    ] {
        assert_eq!(run(&[], arguments, "").await.code, 2, "{arguments:?}");
    }
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

#[tokio::test]
async fn two_founders_are_made_together_and_others_confirmed() {
    let auth = AuthAlone::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "another long secret\n").unwrap();
    let second = [
        "--second-username",
        "boss2",
        "--second-password-file",
        file.to_str().unwrap(),
    ];
    let found = [&CREATE[..], &["--password-stdin"], &second].concat();
    let founded = auth.run(&found, "a long enough secret").await;
    assert_eq!(founded.code, 0, "{founded:?}");
    assert_eq!(founded.output.lines().count(), 2, "{founded:?}");
    for (name, password) in [
        ("boss", "a long enough secret"),
        ("boss2", "another long secret"),
    ] {
        let member = login(&auth, name, password).await.unwrap();
        assert_eq!((member.role(), &*member.made_by_id), (StaffRole::Admin, ""));
    }
    let again = auth.run(&found, "a long enough secret").await;
    assert!(again.errors.contains("second_username"), "{again:?}");
    let tolerant = [&found[..], &["--if-missing"]].concat();
    assert_eq!(auth.run(&tolerant, "a long enough secret").await.code, 0);

    // adfolioctl made it, so it cannot confirm it.
    let create = ["staff", "create", "--username", "finn", "--role", "finance"];
    let create = [&create[..], &["--password-stdin"]].concat();
    assert_eq!(auth.run(&create, "a long enough secret").await.code, 0);
    let listed = one(&auth.run(&["staff", "list", "--json"], "").await);
    assert_eq!(listed["items"].as_array().unwrap().len(), 3);
    let finn = &listed["items"][0];
    assert!(finn["made_by"].is_string() && finn["confirmed_by"].is_null());
    let id = finn["id"].as_str().unwrap();
    let confirm = ["staff", "confirm", id, "--reason", "met her"];
    let refused = auth.run(&confirm, "").await;
    assert!(
        refused.errors.contains("FORBIDDEN of made_by"),
        "{refused:?}"
    );
}
