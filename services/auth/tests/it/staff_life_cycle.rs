//! Accounts of staff change and end: state, role and password.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::{Reason, Rule};
use adfolio_proto::auth::v1::{SetStaffStateRequest, Staff, StaffRole, StaffState};
use adfolio_proto::events::v1::SessionsRevoked;
use serde_json::json;
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, dump, reason, refusal};
use crate::office::{NEW_PASSWORD, Office, by_staff, login, parsed, verify};

const REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";

#[tokio::test]
async fn a_disabled_member_is_out_at_once() {
    let office = Office::open().await;
    let auth = &office.auth;
    let probe = auth.broker.probe(&[REVOKED]).await;
    let tokens = [office.log_in("finn").await, office.log_in("finn").await];
    let (ada, finn) = (&office.ada, &office.finn);
    let disabled = office
        .set_state(ada, finn, StaffState::Disabled)
        .await
        .unwrap();
    assert_eq!(disabled.state(), StaffState::Disabled);
    for token in &tokens {
        assert_eq!(reason(verify(auth, token).await), Reason::SessionExpired);
    }
    let events = probe.wait_for(REVOKED, 1).await;
    let event: SessionsRevoked = events[0].data().unwrap();
    assert_eq!((event.user_id.as_str(), event.all), (&*finn.id, true));
    assert_eq!(event.session_ids.len(), 2);
    // Only who knows the password learns why.
    assert_eq!(
        reason(login(auth, "finn", "a wrong password").await),
        Reason::BadCredentials
    );
    assert_eq!(
        reason(login(auth, "finn", PASSWORD).await),
        Reason::AccountDisabled
    );
    assert_eq!(
        reason(office.set_state(ada, finn, StaffState::Disabled).await),
        Reason::NothingChanged
    );
    office
        .set_state(ada, finn, StaffState::Active)
        .await
        .unwrap();
    login(auth, "finn", PASSWORD).await.unwrap();
    assert_eq!(
        reason(verify(auth, &tokens[0]).await),
        Reason::SessionExpired
    );
    let entries = office.audited("auth.set_staff_state", 2).await;
    let first = &entries[1];
    assert_eq!(
        (&*first.staff_id, &*first.target, &*first.reason),
        (&*ada.id, &*finn.id, "left us")
    );
    assert_eq!(parsed(&first.before_json), json!({"state": "active"}));
    assert_eq!(parsed(&first.after_json), json!({"state": "disabled"}));
}

#[tokio::test]
async fn a_session_that_an_older_replica_opened_does_not_count() {
    let office = Office::open().await;
    let token = office.log_in("finn").await;
    let disable = "UPDATE staff SET state = 'disabled' WHERE username = 'finn'";
    sqlx::query(disable)
        .execute(&office.auth.db.pool())
        .await
        .unwrap();
    assert_eq!(
        reason(verify(&office.auth, &token).await),
        Reason::SessionExpired
    );
}

#[tokio::test]
async fn another_role_begins_with_another_login() {
    let office = Office::open().await;
    let token = office.log_in("finn").await;
    let (ada, finn) = (&office.ada, &office.finn);
    let moved = office
        .set_role(ada, finn, StaffRole::Support)
        .await
        .unwrap();
    assert_eq!(moved.role(), StaffRole::Support);
    assert_eq!(
        reason(verify(&office.auth, &token).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(office.set_role(ada, finn, StaffRole::Support).await),
        Reason::NothingChanged
    );
    let session = login(&office.auth, "finn", PASSWORD).await.unwrap();
    assert_eq!(session.staff.unwrap().role(), StaffRole::Support);
    let entries = office.audited("auth.set_staff_role", 1).await;
    assert_eq!(parsed(&entries[0].before_json), json!({"role": "finance"}));
    assert_eq!(parsed(&entries[0].after_json), json!({"role": "support"}));
}

#[tokio::test]
async fn only_another_admin_with_a_reason_changes_an_account() {
    let office = Office::open().await;
    let (ada, finn) = (&office.ada, &office.finn);
    for outcome in [
        office.set_state(ada, ada, StaffState::Disabled).await,
        office.set_role(ada, ada, StaffRole::Support).await,
        office.reset(ada, &ada.id).await.map(|_| ada.clone()),
    ] {
        let refused = refusal(outcome);
        assert_eq!(refused.reason, Reason::Forbidden);
        assert_eq!(refused.field.as_deref(), Some("staff_id"));
    }
    for outcome in [
        office.set_state(finn, ada, StaffState::Disabled).await,
        office.set_role(finn, finn, StaffRole::Admin).await,
        office.reset(finn, &ada.id).await.map(|_| ada.clone()),
    ] {
        assert_eq!(reason(outcome), Reason::Forbidden);
    }
    let unknown = Staff {
        id: Uuid::from_u128(99).to_string(),
        ..finn.clone()
    };
    for outcome in [
        office.set_state(ada, &unknown, StaffState::Disabled).await,
        office.set_role(ada, &unknown, StaffRole::Support).await,
        office.reset(ada, &unknown.id).await.map(|_| ada.clone()),
        office.end_sessions(ada, &unknown.id).await,
    ] {
        let refused = refusal(outcome);
        assert_eq!(refused.reason, Reason::NotFound);
        assert_eq!(refused.field.as_deref(), Some("staff_id"));
    }
    let blank = SetStaffStateRequest {
        staff_id: finn.id.clone(),
        state: StaffState::Disabled.into(),
        reason: " ".to_owned(),
    };
    let outcome = office
        .auth
        .admin()
        .set_staff_state(by_staff(ada, blank))
        .await;
    let refused = refusal(outcome);
    assert_eq!(
        (refused.field.as_deref(), refused.rule),
        (Some("reason"), Some(Rule::Blank))
    );
    assert_eq!(office.listed(finn).await.state(), StaffState::Active);
}

#[tokio::test]
async fn the_last_active_admin_stays() {
    let office = Office::open().await;
    let (ada, bea) = (&office.ada, &office.bea);
    office
        .set_state(ada, bea, StaffState::Disabled)
        .await
        .unwrap();
    // The gateway may have let this call through a moment before.
    assert_eq!(
        reason(office.set_state(bea, ada, StaffState::Disabled).await),
        Reason::Forbidden
    );
    // adfolioctl has no account.
    let operator = Staff {
        id: Uuid::from_u128(7).to_string(),
        ..ada.clone()
    };
    let refused = refusal(office.set_state(&operator, ada, StaffState::Disabled).await);
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::Validation, Some("state"))
    );
    let refused = refusal(office.set_role(&operator, ada, StaffRole::Finance).await);
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::Validation, Some("role"))
    );
    office
        .set_state(&operator, bea, StaffState::Active)
        .await
        .unwrap();
    office
        .set_role(&operator, ada, StaffRole::Finance)
        .await
        .unwrap();
}

#[tokio::test]
async fn of_two_admins_who_end_each_other_one_stays() {
    let office = Office::open().await;
    let (mut ada, mut bea) = (office.ada.clone(), office.bea.clone());
    let operator = Staff {
        id: Uuid::from_u128(7).to_string(),
        ..ada.clone()
    };
    for round in 0..10 {
        let (first, second) = if round % 2 == 0 {
            futures::join!(
                office.set_state(&ada, &bea, StaffState::Disabled),
                office.set_state(&bea, &ada, StaffState::Disabled),
            )
        } else {
            futures::join!(
                office.set_role(&ada, &bea, StaffRole::Support),
                office.set_state(&bea, &ada, StaffState::Disabled),
            )
        };
        let done = usize::from(first.is_ok()) + usize::from(second.is_ok());
        assert_eq!(done, 1, "{first:?} {second:?}");
        let admins = office.list().await.into_iter().filter(|member| {
            member.role() == StaffRole::Admin && member.state() == StaffState::Active
        });
        assert_eq!(admins.count(), 1);
        for member in [&mut ada, &mut bea] {
            let listed = office.listed(member).await;
            if listed.state() == StaffState::Disabled {
                office
                    .set_state(&operator, &listed, StaffState::Active)
                    .await
                    .unwrap();
            }
            if listed.role() != StaffRole::Admin {
                office
                    .set_role(&operator, &listed, StaffRole::Admin)
                    .await
                    .unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_keyed_change_is_made_once() {
    let office = Office::open().await;
    let caller = Caller::staff(office.ada.id.parse().unwrap(), Role::Admin)
        .with_key(Some("once".parse().unwrap()));
    let call = |state: StaffState| {
        let message = SetStaffStateRequest {
            staff_id: office.finn.id.clone(),
            state: state.into(),
            reason: "left us".to_owned(),
        };
        let request = outgoing(&caller, message, Duration::from_secs(30));
        let mut admin = office.auth.admin();
        async move {
            let answer = admin.set_staff_state(request).await?.into_inner();
            Ok::<_, Status>(answer.staff.unwrap())
        }
    };
    let first = call(StaffState::Disabled).await.unwrap();
    assert_eq!(call(StaffState::Disabled).await.unwrap(), first);
    assert_eq!(
        reason(call(StaffState::Active).await),
        Reason::IdempotencyKeyReused
    );
    office.audited("auth.set_staff_state", 1).await;
}

#[tokio::test]
async fn a_member_changes_the_own_password() {
    let office = Office::open().await;
    let (auth, finn) = (&office.auth, &office.finn);
    let token = office.log_in("finn").await;
    for (old, new, expected, field) in [
        ("", NEW_PASSWORD, Reason::Validation, "old_password"),
        (PASSWORD, "", Reason::Validation, "new_password"),
        (
            "not this one",
            NEW_PASSWORD,
            Reason::WrongPassword,
            "old_password",
        ),
        (
            PASSWORD,
            PASSWORD,
            Reason::PasswordUnchanged,
            "new_password",
        ),
        (PASSWORD, "password", Reason::Validation, "new_password"),
        (PASSWORD, "Finnfinn", Reason::Validation, "new_password"),
    ] {
        let refused = refusal(office.change_password(finn, old, new).await);
        assert_eq!(
            (refused.reason, refused.field.as_deref()),
            (expected, Some(field)),
            "{new}"
        );
    }
    verify(auth, &token).await.unwrap();
    office
        .change_password(finn, PASSWORD, NEW_PASSWORD)
        .await
        .unwrap();
    assert_eq!(reason(verify(auth, &token).await), Reason::SessionExpired);
    assert_eq!(
        reason(login(auth, "finn", PASSWORD).await),
        Reason::BadCredentials
    );
    login(auth, "finn", NEW_PASSWORD).await.unwrap();
    let entries = office.audited("auth.change_staff_password", 1).await;
    assert_eq!(entries[0].staff_id, finn.id);
}

#[tokio::test]
async fn of_changes_of_a_password_at_once_one_wins() {
    let office = Office::open().await;
    let new: Vec<String> = (0..4).map(|n| format!("{NEW_PASSWORD} {n}")).collect();
    let changes = new
        .iter()
        .map(|new| office.change_password(&office.finn, PASSWORD, new));
    let outcomes = futures::future::join_all(changes).await;
    let mut winners = new
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.is_ok());
    let (winner, _) = winners.next().expect("a winner");
    assert!(winners.next().is_none());
    login(&office.auth, "finn", winner).await.unwrap();
}

#[tokio::test]
async fn guesses_of_the_own_password_do_not_lock_the_login() {
    let auth = Auth::builder()
        .configure(|config| config.access.login_failures_per_device = 3)
        .spawn()
        .await;
    let office = Office::of(auth).await;
    for _ in 0..3 {
        let outcome = office.change_password(&office.finn, "not this one", NEW_PASSWORD);
        assert_eq!(reason(outcome.await), Reason::WrongPassword);
    }
    let outcome = office.change_password(&office.finn, PASSWORD, NEW_PASSWORD);
    assert_eq!(reason(outcome.await), Reason::TooManyAttempts);
    login(&office.auth, "finn", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_reset_password_is_for_one_use() {
    let office = Office::open().await;
    let (auth, finn) = (&office.auth, &office.finn);
    let token = office.log_in("finn").await;
    let first = office.reset(&office.ada, &finn.id).await.unwrap();
    let answer = office.reset(&office.ada, &finn.id).await.unwrap();
    assert!(answer.staff.unwrap().must_change_password);
    let one_time = answer.one_time_password;
    assert_eq!(one_time.len(), 20);
    assert_ne!(first.one_time_password, one_time);
    assert_eq!(reason(verify(auth, &token).await), Reason::SessionExpired);
    for dead in [PASSWORD, &first.one_time_password] {
        assert_eq!(
            reason(login(auth, "finn", dead).await),
            Reason::BadCredentials
        );
    }
    let session = login(auth, "finn", &one_time).await.unwrap();
    assert!(session.staff.unwrap().must_change_password);
    let verified = verify(auth, &session.token).await.unwrap();
    assert!(verified.staff.unwrap().must_change_password);
    let changed = office
        .change_password(finn, &one_time, NEW_PASSWORD)
        .await
        .unwrap();
    assert!(!changed.must_change_password);
    assert_eq!(
        reason(login(auth, "finn", &one_time).await),
        Reason::BadCredentials
    );
    let session = login(auth, "finn", NEW_PASSWORD).await.unwrap();
    assert!(!session.staff.unwrap().must_change_password);
    let entries = office.audited("auth.reset_staff_password", 2).await;
    assert_eq!(
        (&*entries[0].target, &*entries[0].reason),
        (&*finn.id, "forgot it")
    );
    assert!(!dump(&auth.db).await.contains(&one_time));
}
