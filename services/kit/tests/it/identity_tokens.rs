//! On whose behalf a call is made is believed by auth's signature alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use adfolio_kit::client::{self, Channel, ClientOptions, outgoing};
use adfolio_kit::config::{ConfigError, ServerArgs};
use adfolio_kit::identity::{Caller, Session, StaffRole, UserId};
use adfolio_kit::identity_token::{IdentityArgs, Signer};
use adfolio_kit::policy::{GATEWAY, OPERATOR, PLAN, ServicePolicy};
use adfolio_kit::server::Server;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::telemetry::{install_metrics, render_metrics};
use adfolio_kit::tls::Tls;
use adfolio_testkit::{IdentityKeys, TestSigner, eventually, free_listener};
use chrono::{SubsecRound as _, TimeDelta, Utc};
use serde_json::{Value, json};
use tonic::{Code, Response, Status};
use uuid::Uuid;

use crate::certificates::Authority;
use crate::helpers::{CALL_LIMIT, Echo, call};

const POLICIES: &[ServicePolicy] = &[ServicePolicy {
    service: "adfolio.test.Echo",
    methods: &[("Echo", &[GATEWAY, PLAN, OPERATOR])],
}];

/// A service that believes these keys and answers who calls.
struct Service {
    url: String,
    calls: Arc<AtomicU32>,
    shutdown: Shutdown,
}

impl Service {
    async fn start(keys: &IdentityKeys, tls: Option<Tls>) -> Self {
        let listener = free_listener().await;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let calls = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&calls);
        let echo = Echo::new(move |request| {
            counted.fetch_add(1, Ordering::SeqCst);
            let caller = Caller::from_request(&request);
            async move { Ok(Response::new(described(&caller))) }
        });
        let verifier = keys.args().load().unwrap();
        let shutdown = Shutdown::manual();
        let ending = shutdown.clone();
        tokio::spawn(async move {
            Server::new("wallet", &ServerArgs::default())
                .tls(tls)
                .policies(POLICIES)
                .identities(verifier)
                .add_service(echo)
                .serve(listener, &ending)
                .await
                .unwrap();
        });
        Self {
            url,
            calls,
            shutdown,
        }
    }

    fn channel(&self, tls: Option<&Tls>) -> Channel {
        client::connect_to("wallet", &self.url, ClientOptions::default(), tls).unwrap()
    }

    /// The identity that the service sees in a call without TLS.
    async fn answers(&self, caller: &Caller) -> Result<String, Status> {
        ask(&self.channel(None), caller).await
    }

    /// The service must not have been reached.
    async fn refuses(&self, channel: &Channel, caller: &Caller, why: &str) {
        let before = self.calls.load(Ordering::SeqCst);
        let status = ask(channel, caller).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated, "{status:?}");
        assert_eq!(status.message(), why);
        assert_eq!(self.calls.load(Ordering::SeqCst), before);
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

async fn ask(channel: &Channel, caller: &Caller) -> Result<String, Status> {
    let request = outgoing(caller, String::new(), CALL_LIMIT);
    call(channel.clone(), request)
        .await
        .map(Response::into_inner)
}

fn described(caller: &Caller) -> String {
    format!("{:?} {:?} {:?}", caller.user, caller.session, caller.staff)
}

/// In a session whose times are whole seconds, as in metadata.
fn user() -> Caller {
    let now = Utc::now().trunc_subsecs(0);
    let session = Session {
        opened_at: now,
        fresh_until: now + TimeDelta::minutes(5),
        is_registration: true,
    };
    Caller::user(UserId(Uuid::now_v7())).in_session(session)
}

fn admin() -> Caller {
    Caller::staff(Uuid::now_v7(), StaffRole::Admin)
}

const MISSING: &str = "no identity token";
const INVALID: &str = "not an identity token of auth";
const EXPIRED: &str = "the identity token has expired";
const OTHER_CALLER: &str = "the identity token was made for another process";
const OTHER_IDENTITY: &str = "the identity token is about somebody else";

#[tokio::test]
async fn an_invented_identity_is_refused_and_a_signed_one_is_believed() {
    install_metrics("test").unwrap();
    let keys = IdentityKeys::new(1);
    let service = Service::start(&keys, None).await;
    let channel = service.channel(None);
    for invented in [admin(), user()] {
        service.refuses(&channel, &invented, MISSING).await;
    }
    for signed in [keys.signed(admin(), None), keys.signed(user(), None)] {
        // Twice: the second time it is remembered.
        for _ in 0..2 {
            assert_eq!(service.answers(&signed).await.unwrap(), described(&signed));
        }
    }
    // On nobody's behalf.
    let system = Caller::system();
    assert_eq!(service.answers(&system).await.unwrap(), described(&system));
    let metrics = render_metrics();
    assert!(
        metrics.contains(r#"grpc_server_identities_refused_total{service="test",why="missing"} 2"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn a_token_is_only_about_its_own_subject_and_session() {
    let keys = IdentityKeys::new(1);
    let service = Service::start(&keys, None).await;
    let channel = service.channel(None);
    let ada = keys.signed(user(), None);
    let session = ada.session.unwrap();
    let older = Session {
        fresh_until: session.fresh_until + TimeDelta::hours(1),
        ..session
    };
    let clerk = Caller::staff(Uuid::now_v7(), StaffRole::Support);
    let clerk = keys.signed(clerk, None);
    let promoted = Caller::staff(clerk.staff.unwrap().id, StaffRole::Admin);
    for (other, token) in [
        (user().in_session(session), &ada),
        (ada.clone().in_session(older), &ada),
        (Caller::user(ada.user.unwrap()), &ada),
        (admin(), &ada),
        (promoted, &clerk),
        // Both at once.
        (
            Caller {
                staff: clerk.staff,
                ..ada.clone()
            },
            &ada,
        ),
    ] {
        let other = Caller {
            identity_token: token.identity_token.clone(),
            ..other
        };
        service.refuses(&channel, &other, OTHER_IDENTITY).await;
    }
}

/// What auth's token for an admin says, if it expires so many seconds from `now`.
fn claims(caller: &Caller, now: i64, lasts: i64) -> Value {
    json!({
        "iss": "adfolio-auth",
        "aud": "adfolio-services",
        "sub": caller.staff.unwrap().id,
        "kind": "staff",
        "role": "admin",
        "iat": now,
        "exp": now + lasts,
    })
}

#[tokio::test]
async fn what_auth_did_not_sign_for_services_just_now_is_refused() {
    let keys = IdentityKeys::new(1);
    let service = Service::start(&keys, None).await;
    let channel = service.channel(None);
    let caller = admin();
    let now = Utc::now().timestamp();
    let header = json!({"alg": "EdDSA", "typ": "JWT"});
    let claims = claims(&caller, now, 120);
    let with = |name: &str, value: Value| {
        let mut changed = claims.clone();
        changed[name] = value;
        keys.raw.sign(&header, &changed)
    };
    let good = with("iat", json!(now));
    let (message, signature) = good.rsplit_once('.').unwrap();
    let (_, altered) = keys
        .raw
        .sign(&header, &json!({"role": "admin"}))
        .rsplit_once('.')
        .map(|(message, signature)| (message.to_owned(), signature.to_owned()))
        .unwrap();
    let unsigned = TestSigner::new(1).sign(&json!({"alg": "none"}), &claims);
    for (token, why) in [
        (with("exp", json!(now - 10)), EXPIRED),
        (with("aud", json!("adfolio")), INVALID),
        (with("iss", json!("adfolio-gateway")), INVALID),
        (with("role", json!("emperor")), INVALID),
        (with("kind", json!("user")), INVALID),
        (with("azp", json!("gateway")), OTHER_CALLER),
        (TestSigner::new(2).sign(&header, &claims), INVALID),
        (format!("{message}.{altered}"), INVALID),
        (format!("{message}x.{signature}"), INVALID),
        (format!("{message}."), INVALID),
        (unsigned, INVALID),
        ("nonsense".to_owned(), INVALID),
    ] {
        let sent = Caller {
            identity_token: Some(token.into()),
            ..caller.clone()
        };
        service.refuses(&channel, &sent, why).await;
    }
    let sent = Caller {
        identity_token: Some(good.clone().into()),
        ..caller
    };
    assert_eq!(service.answers(&sent).await.unwrap(), described(&sent));
    assert!(!format!("{sent:?}").contains(signature), "{sent:?}");
}

#[tokio::test]
async fn a_remembered_token_expires_as_well() {
    let keys = IdentityKeys::new(1);
    let service = Service::start(&keys, None).await;
    let caller = admin();
    // Within the leeway for a moment.
    let claims = claims(&caller, Utc::now().timestamp(), -3);
    let token = keys.raw.sign(&json!({"alg": "EdDSA"}), &claims);
    let sent = Caller {
        identity_token: Some(token.into()),
        ..caller
    };
    eventually("the token has expired", || async {
        let answer = service.answers(&sent).await;
        answer.is_err_and(|status| status.message() == EXPIRED)
    })
    .await;
}

#[tokio::test]
async fn with_certificates_a_token_is_of_use_to_one_process() {
    let keys = IdentityKeys::new(1);
    let authority = Authority::new("one");
    let service = Service::start(&keys, Some(authority.tls("wallet"))).await;
    let channel = |name: &str| service.channel(Some(&authority.tls(name)));
    let (gateway, plan) = (channel("gateway"), channel("plan"));
    // Its certificate alone makes nobody an admin.
    service.refuses(&gateway, &admin(), MISSING).await;
    let signed = keys.signed(user(), Some("gateway"));
    assert_eq!(ask(&gateway, &signed).await.unwrap(), described(&signed));
    service.refuses(&plan, &signed, OTHER_CALLER).await;
    let anybodys = keys.signed(user(), None);
    service.refuses(&gateway, &anybodys, OTHER_CALLER).await;
    // A service that passes on what it was asked leaves the identity out.
    let passed_on = signed.without_identity();
    assert_eq!(ask(&plan, &passed_on).await.unwrap(), "None None None");
    // Its certificate is its proof.
    let operator = admin();
    let answer = ask(&channel("adfolioctl"), &operator).await.unwrap();
    assert_eq!(answer, described(&operator));
}

#[tokio::test]
async fn keys_are_replaced_one_after_the_other() {
    let (old, new) = (IdentityKeys::new(1), IdentityKeys::new(2));
    let (by_old, by_new) = (old.signed(user(), None), new.signed(user(), None));
    let believes = async |keys: &[&TestSigner]| {
        old.publish(keys);
        let service = Service::start(&old, None).await;
        let (first, second) = (
            service.answers(&by_old).await,
            service.answers(&by_new).await,
        );
        (first.is_ok(), second.is_ok())
    };
    assert_eq!(believes(&[&old.raw]).await, (true, false));
    assert_eq!(believes(&[&old.raw, &new.raw]).await, (true, true));
    assert_eq!(believes(&[&new.raw]).await, (false, true));
}

#[test]
fn unusable_key_files_are_named() {
    assert!(IdentityArgs::default().load().unwrap().is_none());
    let keys = IdentityKeys::new(1);
    let refused = |content: &str| {
        std::fs::write(keys.public_file(), content).unwrap();
        let error = keys.args().load().unwrap_err();
        assert!(
            matches!(error, ConfigError::UnusableFile { name, .. } if name == "IDENTITY_PUBLIC_KEYS_FILE"),
            "{error}"
        );
    };
    refused("");
    refused("no key");
    let other = rcgen::KeyPair::generate().unwrap();
    refused(&other.public_key_pem());
    refused(&format!(
        "{}{}",
        keys.raw.public_key_pem(),
        other.public_key_pem()
    ));
    for content in ["", &other.serialize_pem(), &keys.raw.public_key_pem()] {
        std::fs::write(keys.private_file(), content).unwrap();
        let error = Signer::load(&keys.private_file()).unwrap_err();
        assert!(
            matches!(error, ConfigError::UnusableFile { name, .. } if name == "IDENTITY_KEY_FILE"),
            "{error}"
        );
    }
    std::fs::remove_file(keys.public_file()).unwrap();
    let error = keys.args().load().unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
    // As adfolio-local makes them.
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    std::fs::write(keys.private_file(), pair.serialize_pem()).unwrap();
    std::fs::write(keys.public_file(), pair.public_key_pem()).unwrap();
    keys.signed(user(), None);
    assert!(keys.args().load().unwrap().is_some());
}
