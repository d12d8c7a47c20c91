//! Passkeys of staff: registered, shown at a login and in a session, removed, and every way in which they open nothing.

use std::time::Duration;

use adfolio_auth::SecondFactorPolicy;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    ConfirmWithPasskeyRequest, ListPasskeysRequest, LoginWithPasskeyRequest,
    LoginWithPasskeyResponse, Passkey, RegisterPasskeyRequest, RemovePasskeyRequest, Staff,
    StaffState, StartPasskeyConfirmationRequest, StartPasskeyLoginRequest,
    StartPasskeyRegistrationRequest,
};
use adfolio_testkit::Authenticator;
use serde_json::{Value, json};
use tonic::Status;

use crate::helpers::{Auth, PASSWORD, anonymous, dump, refusal};
use crate::office::{Office, by_staff, parsed};
use crate::second_factor::{App, enroll, login_with, reset, show, standing};

const ORIGIN: &str = "https://console.example";

/// A ceremony that has begun.
struct Begun {
    ceremony: String,
    options: Value,
}

impl Begun {
    fn new(ceremony: String, options: &str) -> Self {
        Self {
            ceremony,
            options: serde_json::from_str(options).unwrap(),
        }
    }
}

impl Office {
    /// Where passkeys are configured.
    async fn with_passkeys(policy: SecondFactorPolicy) -> Self {
        let auth = Auth::builder()
            .configure(move |config| {
                config.second_factor.second_factor = policy;
                config.second_factor.console_origin = Some(ORIGIN.parse().unwrap());
            })
            .spawn()
            .await;
        Self::of(auth).await
    }

    async fn begin_login(&self) -> Begun {
        let request = anonymous(StartPasskeyLoginRequest {});
        let answer = self.auth.admin().start_passkey_login(request).await;
        let begun = answer.unwrap().into_inner();
        Begun::new(begun.ceremony, &begun.options)
    }

    async fn begin_registration(&self, by: &Staff) -> Result<Begun, Status> {
        let request = by_staff(by, StartPasskeyRegistrationRequest {});
        let answer = self
            .auth
            .admin()
            .start_passkey_registration(request)
            .await?;
        let begun = answer.into_inner();
        Ok(Begun::new(begun.ceremony, &begun.options))
    }

    async fn begin_confirmation(&self, by: &Staff) -> Result<Begun, Status> {
        let request = by_staff(by, StartPasskeyConfirmationRequest {});
        let answer = self
            .auth
            .admin()
            .start_passkey_confirmation(request)
            .await?;
        let begun = answer.into_inner();
        Ok(Begun::new(begun.ceremony, &begun.options))
    }

    async fn end_login(
        &self,
        ceremony: &str,
        credential: &Value,
    ) -> Result<LoginWithPasskeyResponse, Status> {
        let message = LoginWithPasskeyRequest {
            ceremony: ceremony.to_owned(),
            credential: credential.to_string(),
            client_address: "192.0.2.1".to_owned(),
            device_token: String::new(),
        };
        let answer = self
            .auth
            .admin()
            .login_with_passkey(anonymous(message))
            .await?;
        Ok(answer.into_inner())
    }

    async fn log_in_by(
        &self,
        device: &mut Authenticator,
    ) -> Result<LoginWithPasskeyResponse, Status> {
        let begun = self.begin_login().await;
        let credential = device.show(&begun.options);
        self.end_login(&begun.ceremony, &credential).await
    }

    async fn end_registration(
        &self,
        by: &Staff,
        token: &str,
        ceremony: &str,
        (credential, name): (&Value, &str),
    ) -> Result<Passkey, Status> {
        let message = RegisterPasskeyRequest {
            token: token.to_owned(),
            ceremony: ceremony.to_owned(),
            credential: credential.to_string(),
            name: name.to_owned(),
        };
        let request = by_staff(by, message);
        let answer = self.auth.admin().register_passkey(request).await?;
        Ok(answer.into_inner().passkey.unwrap())
    }

    /// Registers a device in a session.
    async fn register(
        &self,
        by: &Staff,
        token: &str,
        device: &mut Authenticator,
        name: &str,
    ) -> Result<Passkey, Status> {
        let begun = self.begin_registration(by).await?;
        let credential = device.register(&begun.options);
        self.end_registration(by, token, &begun.ceremony, (&credential, name))
            .await
    }

    /// A member's device, registered in a session without a second factor; and that session.
    async fn device_of(&self, member: &Staff) -> (Authenticator, String) {
        let token = self.log_in(&member.username).await;
        let mut device = Authenticator::new(ORIGIN);
        self.register(member, &token, &mut device, "Phone")
            .await
            .unwrap();
        (device, token)
    }

    async fn confirm(
        &self,
        by: &Staff,
        token: &str,
        ceremony: &str,
        credential: &Value,
    ) -> Result<(), Status> {
        let message = ConfirmWithPasskeyRequest {
            token: token.to_owned(),
            ceremony: ceremony.to_owned(),
            credential: credential.to_string(),
        };
        let request = by_staff(by, message);
        self.auth.admin().confirm_with_passkey(request).await?;
        Ok(())
    }

    async fn passkeys(&self, of: &Staff) -> Vec<Passkey> {
        let request = by_staff(of, ListPasskeysRequest {});
        let answer = self.auth.admin().list_passkeys(request).await;
        answer.unwrap().into_inner().items
    }

    async fn remove(&self, by: &Staff, id: &str) -> Result<Passkey, Status> {
        let message = RemovePasskeyRequest {
            passkey_id: id.to_owned(),
        };
        let request = by_staff(by, message);
        let answer = self.auth.admin().remove_passkey(request).await?;
        Ok(answer.into_inner().passkey.unwrap())
    }
}

fn field(status: &Status) -> (Reason, Option<String>) {
    let refusal = refusal::<()>(Err(status.clone()));
    (refusal.reason, refusal.field)
}

fn reason(status: &Status) -> Reason {
    field(status).0
}

fn void() -> (Reason, Option<String>) {
    (Reason::Validation, Some("ceremony".to_owned()))
}

#[tokio::test]
async fn a_passkey_is_the_second_factor_and_logs_in_by_itself() {
    let office = Office::with_passkeys(SecondFactorPolicy::Required).await;
    let finn = office.finn.clone();
    let token = office.log_in("finn").await;
    assert_eq!(standing(&office, &token).await, (true, false));
    let begun = office.begin_registration(&finn).await.unwrap();
    assert_eq!(begun.options["rp"]["id"], "console.example");
    let selection = &begun.options["authenticatorSelection"];
    assert_eq!(
        (&selection["residentKey"], &selection["userVerification"]),
        (&json!("required"), &json!("required"))
    );
    let (mut device, token) = office.device_of(&finn).await;
    assert_eq!(
        standing(&office, &token).await,
        (false, true),
        "the device has just checked its owner"
    );
    let listed = office.listed(&finn).await;
    assert_eq!(
        (listed.has_second_factor, listed.has_totp, listed.passkeys),
        (true, false, 1)
    );

    let password = login_with(&office, "finn", PASSWORD, "").await.unwrap_err();
    assert_eq!(reason(&password), Reason::SecondFactorRequired);
    let opened = office.log_in_by(&mut device).await.unwrap();
    assert_eq!(opened.staff.unwrap().id, finn.id);
    assert_eq!(standing(&office, &opened.token).await, (false, true));
    let passkeys = office.passkeys(&finn).await;
    assert_eq!(passkeys[0].name, "Phone");
    assert!(passkeys[0].last_used_at.is_some());
    let entries = office.audited("auth.staff_login", 3).await;
    assert_eq!(
        parsed(&entries[0].after_json),
        json!({"address": "192.0.2.1", "second_factor": "passkey"})
    );
    office.audited("auth.register_passkey", 1).await;

    reset(&office, &office.ada, &finn.id).await.unwrap();
    assert!(office.passkeys(&finn).await.is_empty());
    let gone = office.log_in_by(&mut device).await.unwrap_err();
    assert_eq!(reason(&gone), Reason::BadCredentials);
    let again = reset(&office, &office.ada, &finn.id).await.unwrap_err();
    assert_eq!(reason(&again), Reason::NothingChanged);
}

#[tokio::test]
async fn a_passkey_shows_the_second_factor_in_a_session() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let finn = office.finn.clone();
    let none = office.begin_confirmation(&finn).await.err().unwrap();
    assert_eq!(
        field(&none),
        (Reason::NotFound, Some("second_factor".to_owned()))
    );
    let (mut device, token) = office.device_of(&finn).await;
    office.auth.clock.advance(Duration::from_mins(16));
    assert_eq!(standing(&office, &token).await, (false, false));
    let begun = office.begin_confirmation(&finn).await.unwrap();
    let credential = device.show(&begun.options);
    office
        .confirm(&finn, &token, &begun.ceremony, &credential)
        .await
        .unwrap();
    assert_eq!(standing(&office, &token).await, (false, true));
    office.audited("auth.show_second_factor", 1).await;

    let again = office
        .confirm(&finn, &token, &begun.ceremony, &credential)
        .await
        .unwrap_err();
    assert_eq!(field(&again), void(), "a ceremony ends once");
    let begun = office.begin_confirmation(&finn).await.unwrap();
    let mut other = Authenticator::new(ORIGIN);
    let foreign = other.show(&begun.options);
    let wrong = office
        .confirm(&finn, &token, &begun.ceremony, &foreign)
        .await
        .unwrap_err();
    assert_eq!(
        field(&wrong),
        (Reason::SecondFactorRequired, Some("code".to_owned()))
    );
    let begun = office.begin_confirmation(&finn).await.unwrap();
    device.counter -= 1;
    let copied = device.show(&begun.options);
    let refused = office
        .confirm(&finn, &token, &begun.ceremony, &copied)
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), Reason::SecondFactorRequired);
    let entries = office.audited("auth.second_factor_failed", 2).await;
    let failures = [0, 1].map(|at| parsed(&entries[at].after_json)["failure"].clone());
    assert_eq!(failures, ["passkey_copied", "unknown_passkey"]);
}

#[tokio::test]
async fn a_ceremony_is_for_one_purpose_of_one_member_and_for_five_minutes() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let (finn, ada) = (office.finn.clone(), office.ada.clone());
    let (mut device, _) = office.device_of(&finn).await;
    let (mut adas, ada_token) = office.device_of(&ada).await;

    let login = office.begin_login().await;
    let credential = device.show(&login.options);
    let (first, second) = tokio::join!(
        office.end_login(&login.ceremony, &credential),
        office.end_login(&login.ceremony, &credential),
    );
    let refused: Vec<Status> = [first, second]
        .into_iter()
        .filter_map(Result::err)
        .collect();
    assert_eq!(refused.len(), 1, "one of two at the same time gets in");
    assert_eq!(field(&refused[0]), void());

    let late = office.begin_login().await;
    let credential = device.show(&late.options);
    office.auth.clock.advance(Duration::from_mins(5));
    let refused = office.end_login(&late.ceremony, &credential).await;
    assert_eq!(field(&refused.unwrap_err()), void());

    let confirmation = office.begin_confirmation(&finn).await.unwrap();
    let credential = device.show(&confirmation.options);
    let other_kind = office.end_login(&confirmation.ceremony, &credential).await;
    assert_eq!(field(&other_kind.unwrap_err()), void());
    let credential = adas.show(&confirmation.options);
    let foreign = office.confirm(&ada, &ada_token, &confirmation.ceremony, &credential);
    assert_eq!(field(&foreign.await.unwrap_err()), void());
    let junk = office.end_login("junk", &credential).await;
    assert_eq!(field(&junk.unwrap_err()), void());
    let login = office.begin_login().await;
    for malformed in [json!({}), json!("text"), json!({"id": "a", "type": "b"})] {
        let refused = office.end_login(&login.ceremony, &malformed).await;
        assert_eq!(
            field(&refused.unwrap_err()),
            (Reason::Validation, Some("credential".to_owned())),
            "{malformed}"
        );
    }
}

#[tokio::test]
async fn what_another_page_or_a_careless_or_copied_device_signs_opens_nothing() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let (mut device, _) = office.device_of(&office.finn).await;
    device.origin = "https://console.example.evil.example".to_owned();
    let refused = office.log_in_by(&mut device).await.unwrap_err();
    assert_eq!(reason(&refused), Reason::BadCredentials);
    device.origin = ORIGIN.to_owned();
    device.verifies = false;
    let refused = office.log_in_by(&mut device).await.unwrap_err();
    assert_eq!(reason(&refused), Reason::BadCredentials);
    device.verifies = true;
    let mut unknown = Authenticator::new(ORIGIN);
    let begun = office.begin_registration(&office.finn).await.unwrap();
    unknown.register(&begun.options);
    let refused = office.log_in_by(&mut unknown).await.unwrap_err();
    assert_eq!(reason(&refused), Reason::BadCredentials);

    office.log_in_by(&mut device).await.unwrap();
    device.counter -= 2;
    let refused = office.log_in_by(&mut device).await.unwrap_err();
    assert_eq!(reason(&refused), Reason::BadCredentials);
    let entries = office.audited("auth.staff_login_failed", 1).await;
    assert_eq!(parsed(&entries[0].after_json)["failure"], "passkey_copied");
    device.counter += 2;
    office.log_in_by(&mut device).await.unwrap();
}

#[tokio::test]
async fn a_session_adds_to_a_second_factor_only_while_it_is_fresh() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let finn = office.finn.clone();
    let stolen = office.log_in("finn").await;
    let (_, token) = office.device_of(&finn).await;
    let mut thief = Authenticator::new(ORIGIN);
    let refused = office.register(&finn, &stolen, &mut thief, "Mine").await;
    assert_eq!(reason(&refused.unwrap_err()), Reason::SecondFactorRequired);
    office.auth.clock.advance(Duration::from_mins(16));
    let mut laptop = Authenticator::new(ORIGIN);
    let stale = office.register(&finn, &token, &mut laptop, "Laptop").await;
    assert_eq!(reason(&stale.unwrap_err()), Reason::SecondFactorRequired);
    assert_eq!(office.passkeys(&finn).await.len(), 1);
}

#[tokio::test]
async fn an_app_enrolled_before_the_first_passkey_is_not_activated_past_it() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let finn = office.finn.clone();
    let stolen = office.log_in("finn").await;
    let app = App::of(enroll(&office, &finn).await.unwrap());
    let (_, token) = office.device_of(&finn).await;
    let refused = show(&office, &finn, &stolen, &app.code(&office)).await;
    assert_eq!(reason(&refused.unwrap_err()), Reason::SecondFactorRequired);
    assert!(!office.listed(&finn).await.has_totp);
    show(&office, &finn, &token, &app.code(&office))
        .await
        .unwrap();
    assert!(office.listed(&finn).await.has_totp);
}

#[tokio::test]
async fn a_one_time_password_is_changed_after_a_login_by_passkey_too() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let (mut device, _) = office.device_of(&office.finn).await;
    office.reset(&office.ada, &office.finn.id).await.unwrap();
    let opened = office.log_in_by(&mut device).await.unwrap();
    assert!(opened.staff.unwrap().must_change_password);
}

#[tokio::test]
async fn a_member_has_ten_passkeys_with_names_and_keeps_the_last_factor() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let finn = office.finn.clone();
    let (mut phone, token) = office.device_of(&finn).await;
    let only = office.passkeys(&finn).await.remove(0);
    let last = office.remove(&finn, &only.id).await.unwrap_err();
    assert_eq!(
        field(&last),
        (Reason::Forbidden, Some("passkey_id".to_owned()))
    );
    for id in [&only.id, "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b"] {
        let foreign = office.remove(&office.ada, id).await.unwrap_err();
        assert_eq!(
            field(&foreign),
            (Reason::NotFound, Some("passkey_id".to_owned()))
        );
    }

    let begun = office.begin_registration(&finn).await.unwrap();
    let excluded = begun.options["excludeCredentials"].as_array().unwrap();
    assert_eq!(excluded.len(), 1, "a device has one of a member");
    let credential = phone.register(&begun.options);
    for name in ["", "  ", &"a".repeat(65), "a\u{202e}b"] {
        let form = (&credential, name);
        let refused = office.end_registration(&finn, &token, &begun.ceremony, form);
        assert_eq!(
            field(&refused.await.unwrap_err()),
            (Reason::Validation, Some("name".to_owned())),
            "{name:?}"
        );
    }
    let form = (&credential, "The same phone");
    let twice = office.end_registration(&finn, &token, &begun.ceremony, form);
    assert_eq!(
        field(&twice.await.unwrap_err()),
        (Reason::Validation, Some("credential".to_owned()))
    );

    for number in 1..10 {
        let mut device = Authenticator::new(ORIGIN);
        let name = format!("Key {number}");
        let registered = office.register(&finn, &token, &mut device, &name).await;
        assert_eq!(registered.unwrap().name, name);
    }
    let full = office.begin_registration(&finn).await.err().unwrap();
    assert_eq!(reason(&full), Reason::Forbidden);
    office.remove(&finn, &only.id).await.unwrap();
    let removed = office.log_in_by(&mut phone).await.unwrap_err();
    assert_eq!(reason(&removed), Reason::BadCredentials);
    let entries = office.audited("auth.remove_passkey", 1).await;
    assert_eq!(parsed(&entries[0].before_json)["name"], "Phone");
}

#[tokio::test]
async fn an_app_and_a_passkey_stand_side_by_side() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let finn = office.finn.clone();
    let (mut device, token) = office.device_of(&finn).await;
    let app = App::of(enroll(&office, &finn).await.unwrap());
    show(&office, &finn, &token, &app.code(&office))
        .await
        .unwrap();
    let listed = office.listed(&finn).await;
    assert_eq!((listed.has_totp, listed.passkeys), (true, 1));
    office.auth.clock.advance(Duration::from_secs(30));
    login_with(&office, "finn", PASSWORD, &app.code(&office))
        .await
        .unwrap();
    office.log_in_by(&mut device).await.unwrap();
    let only = office.passkeys(&finn).await.remove(0);
    office.remove(&finn, &only.id).await.unwrap();
    assert!(office.listed(&finn).await.has_second_factor);
}

#[tokio::test]
async fn a_disabled_member_reads_why_and_nothing_is_there_without_an_address() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let (mut device, _) = office.device_of(&office.finn).await;
    office
        .set_state(&office.ada, &office.finn, StaffState::Disabled)
        .await
        .unwrap();
    let refused = office.log_in_by(&mut device).await.unwrap_err();
    assert_eq!(reason(&refused), Reason::AccountDisabled);
    let entries = office.audited("auth.staff_login_failed", 1).await;
    assert_eq!(parsed(&entries[0].after_json)["failure"], "disabled");

    let without = Office::open().await;
    let request = anonymous(StartPasskeyLoginRequest {});
    let refused = without.auth.admin().start_passkey_login(request).await;
    assert_eq!(reason(&refused.unwrap_err()), Reason::Unavailable);
    let refused = without.begin_registration(&without.finn).await;
    assert_eq!(reason(&refused.err().unwrap()), Reason::Unavailable);
}

#[tokio::test]
async fn used_ceremonies_are_forgotten_and_nothing_secret_is_kept() {
    let office = Office::with_passkeys(SecondFactorPolicy::Optional).await;
    let (mut device, _) = office.device_of(&office.finn).await;
    let begun = office.begin_login().await;
    let credential = device.show(&begun.options);
    office
        .end_login(&begun.ceremony, &credential)
        .await
        .unwrap();
    let dumped = dump(&office.auth.db).await;
    assert!(!dumped.contains(&begun.ceremony));
    let challenge = begun.options["challenge"].as_str().unwrap();
    assert!(!dumped.contains(challenge));
    let pool = office.auth.db.pool();
    let used = async || -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM used_ceremonies")
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    assert_eq!(used().await, 2, "the registration and the login");
}
