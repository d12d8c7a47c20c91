//! Staff accounts end: state, role, password, sessions and locks, and what the audit log says of it.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::{Reason, Rule};
use adfolio_proto::auth::v1::{
    AuditEntry, ChangeStaffPasswordRequest, CreateStaffRequest, EndStaffSessionsRequest,
    ListAuditRequest, ListStaffRequest, ResetStaffPasswordRequest, ResetStaffPasswordResponse,
    SetStaffRoleRequest, SetStaffStateRequest, Staff, StaffLoginRequest, StaffLoginResponse,
    StaffLogoutRequest, StaffRole, StaffState, UnlockStaffLoginRequest, UnlockUserLoginRequest,
    VerifyStaffSessionRequest, VerifyStaffSessionResponse,
};
use adfolio_proto::events::v1::SessionsRevoked;
use adfolio_testkit::eventually;
use serde_json::{Value, json};
use tonic::{Request, Status};
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, anonymous, as_staff, dump, reason, refusal, user_id};

const NEW_PASSWORD: &str = "a new horse battery";

const REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";

/// A service with two admins, Ada and Bea, and Finn of finance.
struct Office {
    auth: Auth,
    ada: Staff,
    bea: Staff,
    finn: Staff,
}

impl Office {
    async fn open() -> Self {
        Self::of(Auth::spawn().await).await
    }

    async fn of(auth: Auth) -> Self {
        let ada = create(&auth, "ada", StaffRole::Admin).await;
        let bea = create(&auth, "bea", StaffRole::Admin).await;
        let finn = create(&auth, "finn", StaffRole::Finance).await;
        Self {
            auth,
            ada,
            bea,
            finn,
        }
    }

    async fn log_in(&self, name: &str) -> String {
        login(&self.auth, name, PASSWORD).await.unwrap().token
    }

    async fn set_state(&self, by: &Staff, on: &Staff, state: StaffState) -> Result<Staff, Status> {
        let message = SetStaffStateRequest {
            staff_id: on.id.clone(),
            state: state.into(),
            reason: "left us".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .set_staff_state(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    async fn set_role(&self, by: &Staff, on: &Staff, role: StaffRole) -> Result<Staff, Status> {
        let message = SetStaffRoleRequest {
            staff_id: on.id.clone(),
            role: role.into(),
            reason: "new desk".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .set_staff_role(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    async fn change_password(&self, by: &Staff, old: &str, new: &str) -> Result<Staff, Status> {
        let message = ChangeStaffPasswordRequest {
            old_password: old.to_owned(),
            new_password: new.to_owned(),
            client_address: "192.0.2.1".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .change_staff_password(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    async fn reset(&self, by: &Staff, on: &str) -> Result<ResetStaffPasswordResponse, Status> {
        let message = ResetStaffPasswordRequest {
            staff_id: on.to_owned(),
            reason: "forgot it".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .reset_staff_password(by_staff(by, message))
            .await?;
        Ok(answer.into_inner())
    }

    async fn end_sessions(&self, by: &Staff, on: &str) -> Result<Staff, Status> {
        let message = EndStaffSessionsRequest {
            staff_id: on.to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .end_staff_sessions(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    async fn list(&self) -> Vec<Staff> {
        let request = as_staff(Role::Admin, ListStaffRequest { page: None });
        let answer = self.auth.admin().list_staff(request).await.unwrap();
        answer.into_inner().items
    }

    async fn listed(&self, member: &Staff) -> Staff {
        let mut all = self.list().await.into_iter();
        all.find(|listed| listed.id == member.id).unwrap()
    }

    /// The audit entries of an action, newest first, once there are so many.
    async fn audited(&self, action: &str, count: usize) -> Vec<AuditEntry> {
        eventually("the entries are there", || async {
            self.entries(action).await.len() >= count
        })
        .await;
        let entries = self.entries(action).await;
        assert_eq!(entries.len(), count, "{entries:?}");
        entries
    }

    async fn entries(&self, action: &str) -> Vec<AuditEntry> {
        let message = ListAuditRequest {
            action: action.to_owned(),
            ..ListAuditRequest::default()
        };
        let request = as_staff(Role::Admin, message);
        let answer = self.auth.admin().list_audit(request).await.unwrap();
        answer.into_inner().items
    }
}

async fn create(auth: &Auth, username: &str, role: StaffRole) -> Staff {
    let message = CreateStaffRequest {
        username: username.to_owned(),
        password: PASSWORD.to_owned(),
        role: role.into(),
    };
    let answer = auth
        .admin()
        .create_staff(as_staff(Role::Admin, message))
        .await
        .unwrap();
    answer.into_inner().staff.unwrap()
}

async fn login(auth: &Auth, username: &str, password: &str) -> Result<StaffLoginResponse, Status> {
    login_from(auth, username, password, "192.0.2.1").await
}

async fn login_from(
    auth: &Auth,
    username: &str,
    password: &str,
    address: &str,
) -> Result<StaffLoginResponse, Status> {
    let message = StaffLoginRequest {
        username: username.to_owned(),
        password: password.to_owned(),
        client_address: address.to_owned(),
    };
    let answer = auth.admin().staff_login(anonymous(message)).await?;
    Ok(answer.into_inner())
}

async fn verify(auth: &Auth, token: &str) -> Result<VerifyStaffSessionResponse, Status> {
    let message = VerifyStaffSessionRequest {
        token: token.to_owned(),
    };
    let answer = auth
        .admin()
        .verify_staff_session(anonymous(message))
        .await?;
    Ok(answer.into_inner())
}

fn role_of(staff: &Staff) -> Role {
    match staff.role() {
        StaffRole::Admin => Role::Admin,
        StaffRole::Support => Role::Support,
        StaffRole::Finance => Role::Finance,
        StaffRole::Operator => Role::Operator,
        StaffRole::Unspecified => panic!("no role"),
    }
}

/// A call in a session of this member, as the gateway makes it.
fn by_staff<M>(staff: &Staff, message: M) -> Request<M> {
    let caller = Caller::staff(staff.id.parse().unwrap(), role_of(staff));
    outgoing(&caller, message, Duration::from_secs(30))
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

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
async fn guesses_of_the_own_password_count_like_logins() {
    let auth = Auth::builder()
        .configure(|config| config.access.login_failures_per_account = 3)
        .spawn()
        .await;
    let office = Office::of(auth).await;
    for _ in 0..3 {
        let outcome = office.change_password(&office.finn, "not this one", NEW_PASSWORD);
        assert_eq!(reason(outcome.await), Reason::WrongPassword);
    }
    let outcome = office.change_password(&office.finn, PASSWORD, NEW_PASSWORD);
    assert_eq!(reason(outcome.await), Reason::TooManyAttempts);
    assert_eq!(
        reason(login(&office.auth, "finn", PASSWORD).await),
        Reason::TooManyAttempts
    );
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
    assert_eq!(reason(login(auth, typed, "").await), Reason::BadCredentials);
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
