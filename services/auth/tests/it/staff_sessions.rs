//! Sessions and logins of staff: how they end, what the audit log says of them, and how a lock is lifted.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    Staff, StaffLogoutRequest, StaffState, UnlockStaffLoginRequest, UnlockUserLoginRequest,
};
use serde_json::json;
use tonic::Status;

use crate::helpers::{PASSWORD, anonymous, dump, reason, refusal, user_id};
use crate::office::{Office, by_staff, login, login_from, parsed, verify};

#[tokio::test]
async fn sessions_end_at_the_request_of_their_owner_or_an_admin() {
    let office = Office::open().await;
    let (auth, ada, finn) = (&office.auth, &office.ada, &office.finn);
    assert_eq!(
        reason(office.end_sessions(finn, &ada.id).await),
        Reason::Forbidden
    );
    for by in [finn, ada] {
        let token = office.log_in("finn").await;
        let other = office.log_in("ada").await;
        office.end_sessions(by, &finn.id).await.unwrap();
        // A repeat ends nothing more.
        office.end_sessions(by, &finn.id).await.unwrap();
        assert_eq!(reason(verify(auth, &token).await), Reason::SessionExpired);
        verify(auth, &other).await.unwrap();
    }
    office.audited("auth.end_staff_sessions", 4).await;
}

#[tokio::test]
async fn the_list_shows_what_an_account_is_used_for() {
    let office = Office::open().await;
    let fresh = office.listed(&office.finn).await;
    assert_eq!((fresh.last_login_at, fresh.sessions), (None, 0));
    office.log_in("finn").await;
    office.auth.clock.advance(Duration::from_mins(10));
    let token = office.log_in("finn").await;
    let listed = office.listed(&office.finn).await;
    assert_eq!(listed.sessions, 2);
    assert_eq!(
        listed.last_login_at.unwrap().seconds,
        office.auth.clock.now().timestamp()
    );
    office
        .auth
        .admin()
        .staff_logout(anonymous(StaffLogoutRequest { token }))
        .await
        .unwrap();
    assert_eq!(office.listed(&office.finn).await.sessions, 1);
    office.auth.clock.advance(Duration::from_hours(8));
    assert_eq!(office.listed(&office.finn).await.sessions, 0);
}

#[tokio::test]
async fn no_session_outlives_its_longest_time() {
    let office = Office::open().await;
    let auth = &office.auth;
    let staff = office.log_in("finn").await;
    let opened_at = auth.clock.now();
    for _ in 0..11 {
        auth.clock.advance(Duration::from_hours(1));
        verify(auth, &staff).await.unwrap();
    }
    auth.clock.advance(Duration::from_hours(1));
    assert_eq!(reason(verify(auth, &staff).await), Reason::SessionExpired);

    let user = auth.register("ann").await;
    let registered_at = auth.clock.now();
    let end = (registered_at + chrono::TimeDelta::days(30)).timestamp();
    for _ in 0..29 {
        auth.clock.advance(Duration::from_hours(24));
        let verified = auth.verify(&user.token).await.unwrap();
        assert!(verified.expires_at.unwrap().seconds <= end);
    }
    auth.clock.advance(Duration::from_hours(24));
    assert_eq!(
        reason(auth.verify(&user.token).await),
        Reason::SessionExpired
    );
    assert!(opened_at < registered_at);
}

#[tokio::test]
async fn sessions_of_a_release_without_an_end_end_as_well() {
    let office = Office::open().await;
    let auth = &office.auth;
    let staff = office.log_in("finn").await;
    let user = auth.register("ann").await;
    auth.clock.advance(Duration::from_hours(12));
    // Kept in use by the release before.
    let extend = "UPDATE sessions SET last_seen_at = $1, expires_at = $1 + interval '8 hours' WHERE staff_id IS NOT NULL";
    sqlx::query(extend)
        .bind(auth.clock.now())
        .execute(&auth.db.pool())
        .await
        .unwrap();
    assert_eq!(reason(verify(auth, &staff).await), Reason::SessionExpired);
    assert_eq!(office.listed(&office.finn).await.sessions, 0);
    auth.verify(&user.token).await.unwrap();
}

#[tokio::test]
async fn logins_and_logouts_are_audited() {
    let office = Office::open().await;
    let (auth, finn) = (&office.auth, &office.finn);
    let typed = "hunter2hunter2";
    assert_eq!(
        reason(login_from(auth, "Finn", typed, "::ffff:192.0.2.7").await),
        Reason::BadCredentials
    );
    // A password in the field of the name.
    assert_eq!(
        reason(login(auth, typed, "finn").await),
        Reason::BadCredentials
    );
    let session = login(auth, "finn", PASSWORD).await.unwrap();
    for _ in 0..2 {
        let message = StaffLogoutRequest {
            token: session.token.clone(),
        };
        auth.admin().staff_logout(anonymous(message)).await.unwrap();
    }
    let failed = office.audited("auth.staff_login_failed", 1).await;
    assert_eq!(
        (&*failed[0].staff_username, &*failed[0].target),
        ("finn", &*finn.id)
    );
    assert_eq!(
        parsed(&failed[0].after_json),
        json!({"address": "192.0.2.7", "failure": "wrong_password"})
    );
    let right = office.audited("auth.staff_login", 1).await;
    assert_eq!(
        parsed(&right[0].after_json),
        json!({"address": "192.0.2.1"})
    );
    office.audited("auth.staff_logout", 1).await;
    assert!(!dump(&auth.db).await.contains(typed));
}

#[tokio::test]
async fn the_limits_bound_what_is_audited() {
    let office = Office::open().await;
    office
        .set_state(&office.ada, &office.finn, StaffState::Disabled)
        .await
        .unwrap();
    for attempt in 0..13 {
        // The right password of a disabled account counts as well.
        let password = if attempt % 2 == 0 { PASSWORD } else { "wrong" };
        let expected = match (attempt, password) {
            (10.., _) => Reason::TooManyAttempts,
            (_, PASSWORD) => Reason::AccountDisabled,
            _ => Reason::BadCredentials,
        };
        assert_eq!(
            reason(login(&office.auth, "finn", password).await),
            expected
        );
    }
    office.audited("auth.staff_login_failed", 10).await;
}

#[tokio::test]
async fn a_lock_can_be_lifted() {
    let office = Office::open().await;
    let auth = &office.auth;
    auth.register("finn").await;
    for _ in 0..10 {
        login(auth, "finn", "wrong").await.unwrap_err();
        auth.login("finn", "wrong").await.unwrap_err();
    }
    for outcome in [
        login(auth, "finn", PASSWORD).await.map(|_| ()),
        auth.login("finn", PASSWORD).await.map(|_| ()),
    ] {
        assert_eq!(reason(outcome), Reason::TooManyAttempts);
    }
    let unlock = |username: &str, reason: &str| UnlockStaffLoginRequest {
        username: username.to_owned(),
        reason: reason.to_owned(),
    };
    let staff = async |by: &Staff, message: UnlockStaffLoginRequest| {
        let answer = auth
            .admin()
            .unlock_staff_login(by_staff(by, message))
            .await?;
        Ok::<_, Status>(answer.into_inner().cleared)
    };
    let (ada, finn) = (&office.ada, &office.finn);
    assert_eq!(
        reason(staff(finn, unlock("finn", "mine")).await),
        Reason::Forbidden
    );
    let refused = refusal(staff(ada, unlock("finn", "")).await);
    assert_eq!(refused.field.as_deref(), Some("reason"));
    let refused = refusal(staff(ada, unlock("nobody", "rang up")).await);
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::NotFound, Some("username"))
    );
    // The account's counter and that of the account with the address.
    assert_eq!(staff(ada, unlock("FINN", "rang up")).await.unwrap(), 2);
    assert_eq!(staff(ada, unlock("finn", "rang up")).await.unwrap(), 0);
    login(auth, "finn", PASSWORD).await.unwrap();
    // The user of the same name is still locked.
    assert_eq!(
        reason(auth.login("finn", PASSWORD).await),
        Reason::TooManyAttempts
    );
    let message = UnlockUserLoginRequest {
        username: "finn".to_owned(),
        reason: "rang up".to_owned(),
    };
    let answer = auth
        .admin()
        .unlock_user_login(by_staff(ada, message))
        .await
        .unwrap();
    assert_eq!(answer.into_inner().cleared, 2);
    let user = auth.login("finn", PASSWORD).await.unwrap();
    let entries = office.audited("auth.unlock_user_login", 1).await;
    assert_eq!(entries[0].user_id, user_id(&user));
    office.audited("auth.unlock_staff_login", 2).await;
}
