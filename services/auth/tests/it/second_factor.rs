//! The second factor of staff: enrolment, codes at the login and in a session, recovery codes, and resets.

use std::time::Duration;

use adfolio_auth::SecondFactorPolicy;
use adfolio_kit::client::Channel;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::staff_directory_service_client::StaffDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    CheckSecondPairRequest, ConfirmSecondFactorRequest, EnrollSecondFactorRequest,
    EnrollSecondFactorResponse, ResetSecondFactorRequest, SecondPair, Staff, StaffLoginRequest,
    StaffLoginResponse,
};
use adfolio_testkit::eventually;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde_json::json;
use tonic::Status;
use totp_rs::{Builder, Secret, Totp};
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, anonymous, dump, reason, refusal};
use crate::office::{Office, by_staff, login, parsed, verify};

const STEP: Duration = Duration::from_secs(30);

/// An authenticator app.
pub struct App {
    totp: Totp,
    recovery_codes: Vec<String>,
}

impl App {
    pub fn of(enrolment: EnrollSecondFactorResponse) -> Self {
        let secret = Secret::try_from_base32(&enrolment.secret).unwrap();
        let totp = Builder::new().with_secret(secret);
        Self {
            totp: totp.build().unwrap(),
            recovery_codes: enrolment.recovery_codes,
        }
    }

    fn code_at(&self, time: DateTime<Utc>) -> String {
        self.totp
            .generate(time.timestamp().try_into().unwrap())
            .to_string()
    }

    pub fn code(&self, office: &Office) -> String {
        self.code_at(office.auth.clock.now())
    }

    /// Six digits that are none of its codes of around now.
    fn wrong_code(&self, office: &Office) -> String {
        let now = office.auth.clock.now();
        let right = [-60, -30, 0, 30, 60].map(|off| self.code_at(now + TimeDelta::seconds(off)));
        let mut tried = (0..1_000_000).map(|number| format!("{number:06}"));
        tried.find(|code| !right.contains(code)).unwrap()
    }
}

pub async fn enroll(office: &Office, by: &Staff) -> Result<EnrollSecondFactorResponse, Status> {
    let request = by_staff(by, EnrollSecondFactorRequest {});
    let answer = office.auth.admin().enroll_second_factor(request).await?;
    Ok(answer.into_inner())
}

/// Shows a code in a session; answers for how long it is fresh.
pub async fn show(
    office: &Office,
    by: &Staff,
    token: &str,
    code: &str,
) -> Result<TimeDelta, Status> {
    let message = ConfirmSecondFactorRequest {
        token: token.to_owned(),
        code: code.to_owned(),
        client_address: "192.0.2.1".to_owned(),
    };
    let request = by_staff(by, message);
    let answer = office.auth.admin().confirm_second_factor(request).await?;
    let until = answer.into_inner().fresh_until.unwrap();
    let until = DateTime::from_timestamp(until.seconds, 0).unwrap();
    Ok(until - office.auth.clock.now())
}

pub async fn login_with(
    office: &Office,
    username: &str,
    password: &str,
    code: &str,
) -> Result<StaffLoginResponse, Status> {
    let message = StaffLoginRequest {
        username: username.to_owned(),
        password: password.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        code: code.to_owned(),
        device_token: String::new(),
    };
    let answer = office.auth.admin().staff_login(anonymous(message)).await?;
    Ok(answer.into_inner())
}

pub async fn reset(office: &Office, by: &Staff, on: &str) -> Result<Staff, Status> {
    let message = ResetSecondFactorRequest {
        staff_id: on.to_owned(),
        reason: "lost the phone".to_owned(),
    };
    let request = by_staff(by, message);
    let answer = office.auth.admin().reset_second_factor(request).await?;
    Ok(answer.into_inner().staff.unwrap())
}

async fn second_pair(office: &Office, asked_by: &Staff, decided_by: &Staff) -> SecondPair {
    let message = CheckSecondPairRequest {
        asked_by_id: asked_by.id.clone(),
        decided_by_id: decided_by.id.clone(),
    };
    let mut directory = StaffDirectoryServiceClient::new(office.auth.channel());
    let answer = directory.check_second_pair(anonymous(message)).await;
    answer.unwrap().into_inner().answer()
}

/// Whether the second factor is missing in a session, and whether the session is fresh.
pub async fn standing(office: &Office, token: &str) -> (bool, bool) {
    let answer = verify(&office.auth, token).await.unwrap();
    let now = office.auth.clock.now().timestamp();
    let is_fresh = answer.fresh_until.is_some_and(|until| now < until.seconds);
    (answer.second_factor_missing, is_fresh)
}

/// An office whose Finn has a second factor, and his session that activated it.
async fn office_of_finn() -> (Office, App, String) {
    let office = Office::open().await;
    let (app, token) = activate(&office, &office.finn).await;
    (office, app, token)
}

async fn activate(office: &Office, member: &Staff) -> (App, String) {
    let token = office.log_in(&member.username).await;
    let app = App::of(enroll(office, member).await.unwrap());
    show(office, member, &token, &app.code(office))
        .await
        .unwrap();
    office.auth.clock.advance(STEP);
    (app, token)
}

#[tokio::test]
async fn a_first_code_activates_what_was_enrolled() {
    let office = Office::open().await;
    let finn = &office.finn;
    let token = office.log_in("finn").await;
    assert_eq!(
        reason(show(&office, finn, &token, "123456").await),
        Reason::NotFound
    );
    let first = App::of(enroll(&office, finn).await.unwrap());
    let enrolment = enroll(&office, finn).await.unwrap();
    assert!(enrolment.otpauth_uri.contains(&enrolment.secret));
    assert_eq!(enrolment.recovery_codes.len(), 10);
    let app = App::of(enrolment);
    // Not active yet: not asked for, and neither the app of before nor a recovery code activates it.
    assert!(!office.listed(finn).await.has_second_factor);
    login(&office.auth, "finn", PASSWORD).await.unwrap();
    for code in [&first.code(&office), &app.recovery_codes[0], "", "nonsense"] {
        let refused = refusal(show(&office, finn, &token, code).await);
        assert_eq!(refused.reason, Reason::SecondFactorRequired, "{code}");
        assert_eq!(refused.field.as_deref(), Some("code"));
    }
    assert_eq!(standing(&office, &token).await, (false, false));
    let fresh_for = show(&office, finn, &token, &app.code(&office)).await;
    assert_eq!(fresh_for.unwrap(), TimeDelta::minutes(15));
    assert_eq!(standing(&office, &token).await, (false, true));
    assert!(office.listed(finn).await.has_second_factor);
    // A session must not put another one in its place.
    assert_eq!(reason(enroll(&office, finn).await), Reason::Forbidden);
    office.audited("auth.enroll_second_factor", 2).await;
    office.audited("auth.second_factor_failed", 4).await;
    let entries = office.audited("auth.activate_second_factor", 1).await;
    assert_eq!(
        (&entries[0].staff_id, &entries[0].target),
        (&finn.id, &finn.id)
    );
    assert_eq!(parsed(&entries[0].after_json), json!({"by": "totp"}));
}

#[tokio::test]
async fn what_is_stored_opens_nothing() {
    let office = Office::open().await;
    let enrolment = enroll(&office, &office.finn).await.unwrap();
    let stored = dump(&office.auth.db).await.to_lowercase();
    let secret = Secret::try_from_base32(&enrolment.secret).unwrap();
    let bytes = hex::encode(secret.as_ref());
    let codes = enrolment.recovery_codes.iter();
    let codes = codes.flat_map(|code| [code.clone(), code.replace('-', "")]);
    for text in [enrolment.secret.to_lowercase(), bytes]
        .into_iter()
        .chain(codes)
    {
        assert!(!stored.contains(&text), "{text}");
    }
}

#[tokio::test]
async fn a_login_shows_the_active_one() {
    let (office, app, _) = office_of_finn().await;
    for code in ["", &app.wrong_code(&office)] {
        let refused = refusal(login_with(&office, "finn", PASSWORD, code).await);
        assert_eq!(refused.reason, Reason::SecondFactorRequired, "{code}");
        assert_eq!(refused.field.as_deref(), Some("code"));
    }
    // Only who knows the password learns of it, and a right code is not used up.
    let code = app.code(&office);
    assert_eq!(
        reason(login_with(&office, "finn", "a wrong password", &code).await),
        Reason::BadCredentials
    );
    let session = login_with(&office, "finn", PASSWORD, &code).await.unwrap();
    assert!(session.staff.unwrap().has_second_factor);
    assert_eq!(standing(&office, &session.token).await, (false, true));
    let failures = office.audited("auth.staff_login_failed", 3).await;
    let why = |index: usize| parsed(&failures[index].after_json)["failure"].clone();
    assert_eq!(
        [why(2), why(1), why(0)],
        ["no_code", "wrong_code", "wrong_password"]
    );
    let entries = office.audited("auth.staff_login", 2).await;
    assert_eq!(
        parsed(&entries[0].after_json),
        json!({"address": "192.0.2.1", "second_factor": "totp"})
    );
}

#[tokio::test]
async fn a_code_counts_once() {
    let (office, app, token) = office_of_finn().await;
    let finn = &office.finn;
    let code = app.code(&office);
    let logins = (0..8).map(|_| login_with(&office, "finn", PASSWORD, &code));
    let outcomes = join_all(logins).await;
    let opened = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(opened, 1, "{outcomes:?}");
    assert_eq!(
        reason(show(&office, finn, &token, &code).await),
        Reason::SecondFactorRequired
    );
    // Nor does the one of the step before.
    let before = app.code_at(office.auth.clock.now() - TimeDelta::seconds(30));
    assert_eq!(
        reason(login_with(&office, "finn", PASSWORD, &before).await),
        Reason::SecondFactorRequired
    );
    office.auth.clock.advance(STEP);
    show(&office, finn, &token, &app.code(&office))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_recovery_code_replaces_the_app_once() {
    let (office, app, token) = office_of_finn().await;
    let [first, second, ..] = &app.recovery_codes[..] else {
        panic!("no codes")
    };
    login_with(&office, "finn", PASSWORD, first).await.unwrap();
    assert_eq!(
        reason(login_with(&office, "finn", PASSWORD, first).await),
        Reason::SecondFactorRequired
    );
    let typed = second.to_uppercase().replace('-', " ");
    show(&office, &office.finn, &token, &typed).await.unwrap();
    assert_eq!(
        reason(show(&office, &office.finn, &token, second).await),
        Reason::SecondFactorRequired
    );
    let entries = office.audited("auth.show_second_factor", 1).await;
    assert_eq!(
        parsed(&entries[0].after_json),
        json!({"by": "recovery_code"})
    );
}

#[tokio::test]
async fn wrong_codes_lock_as_wrong_passwords_do() {
    let (office, app, token) = office_of_finn().await;
    let wrong = app.wrong_code(&office);
    // At login and in the session each on its own, so that neither locks the other.
    for _ in 0..10 {
        for outcome in [
            login_with(&office, "finn", PASSWORD, &wrong)
                .await
                .map(drop),
            show(&office, &office.finn, &token, &wrong).await.map(drop),
        ] {
            assert_eq!(reason(outcome), Reason::SecondFactorRequired);
        }
    }
    let code = app.code(&office);
    assert_eq!(
        reason(login_with(&office, "finn", PASSWORD, &code).await),
        Reason::TooManyAttempts
    );
    assert_eq!(
        reason(show(&office, &office.finn, &token, &code).await),
        Reason::TooManyAttempts
    );
    office.auth.clock.advance(Duration::from_mins(30));
    let code = app.code(&office);
    login_with(&office, "finn", PASSWORD, &code).await.unwrap();
}

#[tokio::test]
async fn a_session_is_fresh_for_a_quarter_of_an_hour() {
    let (office, app, token) = office_of_finn().await;
    office.auth.clock.advance(Duration::from_secs(15 * 60 - 31));
    assert_eq!(standing(&office, &token).await, (false, true));
    office.auth.clock.advance(Duration::from_secs(1));
    assert_eq!(standing(&office, &token).await, (false, false));
    show(&office, &office.finn, &token, &app.code(&office))
        .await
        .unwrap();
    assert_eq!(standing(&office, &token).await, (false, true));
}

#[tokio::test]
async fn other_sessions_show_it_themselves() {
    let office = Office::open().await;
    let other = office.log_in("finn").await;
    let (app, _) = activate(&office, &office.finn).await;
    assert_eq!(standing(&office, &other).await, (true, false));
    // Another member's token is not theirs to show it in.
    let adas = office.log_in("ada").await;
    let code = app.code(&office);
    assert_eq!(
        reason(show(&office, &office.finn, &adas, &code).await),
        Reason::NotAuthenticated
    );
    show(&office, &office.finn, &other, &code).await.unwrap();
    assert_eq!(standing(&office, &other).await, (false, true));
}

#[tokio::test]
async fn another_admin_resets_it() {
    let (office, _, token) = office_of_finn().await;
    let (ada, finn) = (&office.ada, &office.finn);
    let refused = refusal(reset(&office, ada, &ada.id).await);
    assert_eq!(refused.reason, Reason::Forbidden);
    assert_eq!(refused.field.as_deref(), Some("staff_id"));
    assert_eq!(
        reason(reset(&office, finn, &ada.id).await),
        Reason::Forbidden
    );
    let unknown = Uuid::from_u128(99).to_string();
    assert_eq!(
        reason(reset(&office, ada, &unknown).await),
        Reason::NotFound
    );
    let message = ResetSecondFactorRequest {
        staff_id: finn.id.clone(),
        reason: " ".to_owned(),
    };
    let request = by_staff(ada, message);
    let blank = office.auth.admin().reset_second_factor(request).await;
    assert_eq!(refusal(blank).field.as_deref(), Some("reason"));

    assert!(
        !reset(&office, ada, &finn.id)
            .await
            .unwrap()
            .has_second_factor
    );
    assert_eq!(
        reason(verify(&office.auth, &token).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(reset(&office, ada, &finn.id).await),
        Reason::NothingChanged
    );
    login(&office.auth, "finn", PASSWORD).await.unwrap();
    activate(&office, finn).await;
    let entries = office.audited("auth.reset_second_factor", 1).await;
    assert_eq!(
        (&*entries[0].staff_id, &*entries[0].reason),
        (&*ada.id, "lost the phone")
    );
}

#[tokio::test]
async fn who_resets_it_is_no_second_pair_for_three_days() {
    let office = Office::open().await;
    let (ada, bea, finn) = (&office.ada, &office.bea, &office.finn);
    office.auth.clock.advance(Duration::from_hours(24));
    // All three have no maker: they are people of their own.
    let founders = "UPDATE staff SET made_by = NULL";
    let pool = office.auth.db.pool();
    sqlx::query(founders).execute(&pool).await.unwrap();
    activate(&office, finn).await;
    office.reset(bea, &finn.id).await.unwrap();
    assert_eq!(second_pair(&office, ada, finn).await, SecondPair::Yes);
    reset(&office, ada, &finn.id).await.unwrap();
    // The later reset does not hide the one of before: Bea knows the one-time password.
    for by in [ada, bea] {
        assert_eq!(second_pair(&office, by, finn).await, SecondPair::SamePerson);
        assert_eq!(second_pair(&office, finn, by).await, SecondPair::SamePerson);
    }
    office.auth.clock.advance(Duration::from_hours(72));
    for by in [ada, bea] {
        assert_eq!(second_pair(&office, by, finn).await, SecondPair::Yes);
    }
}

#[tokio::test]
async fn where_it_is_required_a_session_without_it_only_sets_it_up() {
    let auth = Auth::builder()
        .configure(|config| config.second_factor.second_factor = SecondFactorPolicy::Required)
        .spawn()
        .await;
    let office = Office::of(auth).await;
    let token = office.log_in("finn").await;
    assert_eq!(standing(&office, &token).await, (true, false));
    let app = App::of(enroll(&office, &office.finn).await.unwrap());
    assert_eq!(standing(&office, &token).await, (true, false));
    let code = app.code(&office);
    show(&office, &office.finn, &token, &code).await.unwrap();
    assert_eq!(standing(&office, &token).await, (false, true));
    reset(&office, &office.ada, &office.finn.id).await.unwrap();
    let token = office.log_in("finn").await;
    assert_eq!(standing(&office, &token).await, (true, false));
}

/// With keys of one digit each.
fn with_keys(current: &str, previous: Option<&str>) -> impl FnOnce(&mut adfolio_auth::Config) {
    let [current, previous] =
        [Some(current), previous].map(|digit| digit.map(|it| it.repeat(64).into()));
    |config| {
        config.second_factor.second_factor_key = current;
        config.second_factor.second_factor_key_previous = previous;
    }
}

/// Finn's login with the present code, at one replica.
async fn login_at(replica: &Channel, office: &Office, app: &App) -> Result<(), Status> {
    office.auth.clock.advance(STEP);
    let message = StaffLoginRequest {
        username: "finn".to_owned(),
        password: PASSWORD.to_owned(),
        client_address: "192.0.2.1".to_owned(),
        code: app.code(office),
        device_token: String::new(),
    };
    let mut admin = AuthAdminServiceClient::new(replica.clone());
    admin.staff_login(anonymous(message)).await.map(|_| ())
}

#[tokio::test]
async fn a_key_is_changed_in_two_steps_while_codes_are_used() {
    let auth = Auth::builder()
        .configure(with_keys("a", None))
        .spawn()
        .await;
    let office = Office::of(auth).await;
    let (app, _) = activate(&office, &office.finn).await;
    for member in [&office.ada, &office.bea] {
        activate(&office, member).await;
    }
    let pool = office.auth.db.pool();
    let sealed = async || -> Vec<Vec<u8>> {
        let statement = "SELECT factor_secret FROM staff ORDER BY id";
        sqlx::query_scalar(statement)
            .fetch_all(&pool)
            .await
            .unwrap()
    };
    let first = office.auth.replica_with(with_keys("a", Some("b"))).await;
    login_at(&first.channel(), &office, &app).await.unwrap();
    let before = sealed().await;
    let second = office.auth.replica_with(with_keys("b", Some("a"))).await;
    eventually("all three are sealed anew", async || {
        let now = sealed().await;
        before.iter().zip(&now).all(|(before, now)| before != now)
    })
    .await;
    // Replicas of both steps run: one may have sealed back what the other one sealed.
    for replica in [&first, &second] {
        login_at(&replica.channel(), &office, &app).await.unwrap();
    }
    first.stop().await.unwrap();
    eventually("the replica of the last step opens them", async || {
        let last = office.auth.replica_with(with_keys("b", None)).await;
        let opened = login_at(&last.channel(), &office, &app).await.is_ok();
        last.stop().await.unwrap();
        opened
    })
    .await;
    // The old key alone opens none any more.
    let old = office.auth.replica_with(with_keys("a", None)).await;
    let refused = login_at(&old.channel(), &office, &app).await;
    assert_eq!(reason(refused), Reason::Internal);
}
