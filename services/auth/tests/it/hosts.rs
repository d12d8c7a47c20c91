//! Hosts, their keys, and the assertions with which their users come in.

use std::time::Duration;

use adfolio_kit::identity::StaffRole;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    AddHostKeyRequest, AssertHostUserRequest, CreateHostRequest, CreateHostTokenRequest, Host,
    ListAuditRequest, ListHostsRequest, RevokeHostKeyRequest, Session, StepUpRequest, UserState,
};
use adfolio_testkit::TestSigner;
use serde_json::json;
use tonic::Status;

use crate::helpers::{
    Auth, anonymous, as_staff, dump, in_session, reason, refusal, support, user_id,
};

async fn create(auth: &Auth, name: &str, signer: &TestSigner) -> Result<Host, Status> {
    let message = CreateHostRequest {
        name: name.to_owned(),
        public_key: signer.public_key_pem(),
    };
    let answer = auth
        .admin()
        .create_host(as_staff(StaffRole::Admin, message))
        .await?;
    Ok(answer.into_inner().host.expect("a host"))
}

async fn enter(auth: &Auth, assertion: &str) -> Result<Session, Status> {
    let message = AssertHostUserRequest {
        assertion: assertion.to_owned(),
        client_address: "192.0.2.9".to_owned(),
        user_agent: "Shell/2.0".to_owned(),
    };
    let answer = auth.users().assert_host_user(anonymous(message)).await?;
    Ok(answer.into_inner().session.expect("a session"))
}

async fn host_token(auth: &Auth, external_id: &str, host: &str) -> Result<String, Status> {
    let message = CreateHostTokenRequest {
        external_user_id: external_id.to_owned(),
        lang: String::new(),
        host_id: host.to_owned(),
    };
    let answer = auth.admin().create_host_token(support(message)).await?;
    Ok(answer.into_inner().token)
}

fn assertion(auth: &Auth, signer: &TestSigner, sub: &str) -> String {
    signer.assertion(sub, auth.clock.now())
}

/// A user of the host with an open account.
async fn open_user(auth: &Auth, signer: &TestSigner, sub: &str) -> Session {
    let session = enter(auth, &assertion(auth, signer, sub)).await.unwrap();
    let key = auth.key(true).await;
    auth.open_store_with(user_id(&session), &session.token, &key)
        .await
        .unwrap()
}

#[tokio::test]
async fn an_assertion_opens_one_session_of_the_hosts_user() {
    let auth = Auth::spawn().await;
    let signer = TestSigner::new(1);
    create(&auth, "Shell", &signer).await.unwrap();
    let text = assertion(&auth, &signer, "u-1");
    let first = enter(&auth, &text).await.unwrap();
    assert_eq!(first.device_token.len(), 43);
    let verified = auth.verify(&first.token).await.unwrap();
    assert_eq!(verified.state(), UserState::NotActivated);
    assert!(!verified.is_registration);
    let opened = auth
        .open_store_with(user_id(&first), &first.token, &auth.key(true).await)
        .await
        .unwrap();
    let verified = auth.verify(&opened.token).await.unwrap();
    assert_eq!(verified.state(), UserState::Active);
    assert!(verified.is_registration);

    assert_eq!(reason(enter(&auth, &text).await), Reason::AssertionRejected);
    let again = enter(&auth, &assertion(&auth, &signer, "u-1"))
        .await
        .unwrap();
    assert_eq!(user_id(&again), user_id(&first));
    assert!(!auth.verify(&again.token).await.unwrap().is_registration);
    let other = enter(&auth, &assertion(&auth, &signer, "u-2"))
        .await
        .unwrap();
    assert_ne!(user_id(&other), user_id(&first));
    // There is no password to step up with: the host speaks again.
    let message = StepUpRequest {
        token: again.token.clone(),
        password: "anything".to_owned(),
        client_address: String::new(),
    };
    let request = in_session(&auth, &again.token, message).await;
    assert_eq!(
        reason(auth.users().step_up(request).await),
        Reason::StepUpRequired
    );
    // What a host calls its users stays with the host.
    assert!(!dump(&auth.db).await.contains("u-1"));
}

#[tokio::test]
async fn of_many_at_once_one_gets_in() {
    let auth = Auth::spawn().await;
    let signer = TestSigner::new(1);
    create(&auth, "Shell", &signer).await.unwrap();
    let text = assertion(&auth, &signer, "u-1");
    let outcomes = futures::future::join_all((0..10).map(|_| enter(&auth, &text))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::AssertionRejected);
    }
}

#[tokio::test]
async fn what_no_registered_key_has_signed_is_rejected() {
    let auth = Auth::spawn().await;
    let (signer, stranger) = (TestSigner::new(1), TestSigner::new(2));
    create(&auth, "Shell", &signer).await.unwrap();
    let now = auth.clock.now();
    let late = signer.assertion("u-1", now - Duration::from_mins(5));
    let claims = json!({
        "aud": "adfolio", "sub": "u-1", "jti": "x", "iat": now.timestamp(), "exp": now.timestamp() + 60,
    });
    // The stranger names the host's key.
    let forged = stranger.sign(&json!({"alg": "EdDSA", "kid": signer.kid()}), &claims);
    let mut lang = claims.clone();
    lang["lang"] = json!("tlh");
    let klingon = signer.sign(&signer.header(), &lang);
    for text in [
        late.as_str(),
        &assertion(&auth, &stranger, "u-1"),
        &forged,
        &klingon,
        "",
        "a.b.c",
        &"x".repeat(100_000),
    ] {
        let refused = refusal(enter(&auth, text).await);
        assert_eq!(refused.reason, Reason::AssertionRejected, "{text:.80}");
        assert_eq!(refused.field.as_deref(), Some("assertion"));
    }
    let users: i64 = sqlx::query_scalar("SELECT count(*) FROM users")
        .fetch_one(&auth.db.pool())
        .await
        .unwrap();
    assert_eq!(users, 0);
}

#[tokio::test]
async fn a_revoked_key_ends_with_its_sessions() {
    let auth = Auth::spawn().await;
    let (old, new) = (TestSigner::new(1), TestSigner::new(2));
    let host = create(&auth, "Shell", &old).await.unwrap();
    let admin = |message| as_staff(StaffRole::Admin, message);
    let add = AddHostKeyRequest {
        host_id: host.id.clone(),
        public_key: new.public_key_pem(),
    };
    let admin_adds = || as_staff(StaffRole::Admin, add.clone());
    let answer = auth.admin().add_host_key(admin_adds()).await;
    assert_eq!(answer.unwrap().into_inner().host.unwrap().keys.len(), 2);
    let twice = auth.admin().add_host_key(admin_adds()).await;
    assert_eq!(twice.unwrap().into_inner().host.unwrap().keys.len(), 2);
    let again = create(&auth, "Shell", &old).await.unwrap();
    assert_eq!((again.id.as_str(), again.keys.len()), (host.id.as_str(), 2));

    let opened = open_user(&auth, &old, "u-1").await;
    let by_old = enter(&auth, &assertion(&auth, &old, "u-1")).await.unwrap();
    let by_new = enter(&auth, &assertion(&auth, &new, "u-1")).await.unwrap();
    let unused = assertion(&auth, &old, "u-1");
    let revoke = RevokeHostKeyRequest {
        kid: old.kid(),
        reason: "rotation".to_owned(),
    };
    let revoked = auth
        .admin()
        .revoke_host_key(admin(revoke.clone()))
        .await
        .unwrap();
    let keys = revoked.into_inner().host.unwrap().keys;
    assert!(keys[0].revoked_at.is_some() && keys[1].revoked_at.is_none());
    assert_eq!(
        reason(auth.verify(&by_old.token).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(enter(&auth, &unused).await),
        Reason::AssertionRejected
    );
    auth.verify(&by_new.token).await.unwrap();
    // The session that followed the opening does not hang on a key.
    auth.verify(&opened.token).await.unwrap();
    assert_eq!(
        reason(auth.admin().revoke_host_key(admin(revoke)).await),
        Reason::NothingChanged
    );
    let unknown = RevokeHostKeyRequest {
        kid: "none".to_owned(),
        reason: String::new(),
    };
    assert_eq!(
        reason(auth.admin().revoke_host_key(admin(unknown)).await),
        Reason::NotFound
    );
}

#[tokio::test]
async fn one_host_cannot_name_the_users_of_another() {
    let auth = Auth::spawn().await;
    let (first, second) = (TestSigner::new(1), TestSigner::new(2));
    let host = create(&auth, "First", &first).await.unwrap();
    assert_eq!(
        refusal(create(&auth, "First", &second).await)
            .field
            .as_deref(),
        Some("name")
    );
    create(&auth, "Second", &second).await.unwrap();
    let ann = open_user(&auth, &first, "u-1").await;
    let other = enter(&auth, &assertion(&auth, &second, "u-1"))
        .await
        .unwrap();
    assert_ne!(user_id(&other), user_id(&ann));
    // Of a user from before there were hosts nobody can say whose it is: none of two gets it.
    let token = host_token(&auth, "u-2", "").await.unwrap();
    let before = auth.verify(&token).await.unwrap().user_id;
    for signer in [&first, &second] {
        let entered = enter(&auth, &assertion(&auth, signer, "u-2"))
            .await
            .unwrap();
        assert_ne!(user_id(&entered), before);
    }
    // Staff say whose user it is.
    let token = host_token(&auth, "u-3", &host.id).await.unwrap();
    let named = auth.verify(&token).await.unwrap().user_id;
    let entered = enter(&auth, &assertion(&auth, &first, "u-3"))
        .await
        .unwrap();
    assert_eq!(user_id(&entered), named);
    let nobody = uuid::Uuid::nil().to_string();
    assert_eq!(
        refusal(host_token(&auth, "u-4", &nobody).await)
            .field
            .as_deref(),
        Some("host_id")
    );
}

#[tokio::test]
async fn the_only_host_takes_over_the_users_of_before() {
    let auth = Auth::spawn().await;
    let token = host_token(&auth, "u-1", "").await.unwrap();
    let before = auth.verify(&token).await.unwrap().user_id;
    auth.open_store_with(&before, &token, &auth.key(true).await)
        .await
        .unwrap();
    let signer = TestSigner::new(1);
    create(&auth, "Shell", &signer).await.unwrap();
    let texts: Vec<String> = (0..5).map(|_| assertion(&auth, &signer, "u-1")).collect();
    let entered = futures::future::join_all(texts.iter().map(|text| enter(&auth, text))).await;
    for session in entered {
        assert_eq!(user_id(&session.unwrap()), before);
    }
}

#[tokio::test]
async fn a_token_of_staff_opens_a_store_and_no_account() {
    let auth = Auth::spawn().await;
    let token = host_token(&auth, "u-1", "").await.unwrap();
    let user = auth.verify(&token).await.unwrap().user_id;
    let opened = auth
        .open_store_with(&user, &token, &auth.key(true).await)
        .await
        .unwrap();
    // A member of staff knew the token before, so its holder is not taken for the one who registered.
    assert!(!auth.verify(&opened.token).await.unwrap().is_registration);
    assert_eq!(reason(auth.verify(&token).await), Reason::SessionExpired);
    assert_eq!(
        reason(host_token(&auth, "u-1", "").await),
        Reason::StoreAlreadyOpen
    );
    auth.set_state(&user, UserState::Disabled).await.unwrap();
    assert_eq!(
        reason(host_token(&auth, "u-1", "").await),
        Reason::AccountDisabled
    );
}

#[tokio::test]
async fn a_closed_account_is_told_and_leaves_the_assertion_unused() {
    let auth = Auth::spawn().await;
    let signer = TestSigner::new(1);
    create(&auth, "Shell", &signer).await.unwrap();
    let ann = open_user(&auth, &signer, "u-1").await;
    auth.set_state(user_id(&ann), UserState::Disabled)
        .await
        .unwrap();
    let text = assertion(&auth, &signer, "u-1");
    assert_eq!(reason(enter(&auth, &text).await), Reason::AccountDisabled);
    auth.set_state(user_id(&ann), UserState::Active)
        .await
        .unwrap();
    enter(&auth, &text).await.unwrap();
}

#[tokio::test]
async fn only_admins_manage_hosts_and_every_act_is_audited() {
    let auth = Auth::spawn().await;
    let signer = TestSigner::new(1);
    for role in [StaffRole::Support, StaffRole::Finance, StaffRole::Operator] {
        let message = CreateHostRequest {
            name: "Shell".to_owned(),
            public_key: signer.public_key_pem(),
        };
        assert_eq!(
            reason(auth.admin().create_host(as_staff(role, message)).await),
            Reason::Forbidden
        );
        let list = as_staff(role, ListHostsRequest {});
        assert_eq!(
            reason(auth.admin().list_hosts(list).await),
            Reason::Forbidden
        );
    }
    create(&auth, "Shell", &signer).await.unwrap();
    let revoke = RevokeHostKeyRequest {
        kid: signer.kid(),
        reason: String::new(),
    };
    auth.admin()
        .revoke_host_key(as_staff(StaffRole::Admin, revoke))
        .await
        .unwrap();
    let listed = auth
        .admin()
        .list_hosts(as_staff(StaffRole::Admin, ListHostsRequest {}))
        .await;
    let listed = listed.unwrap().into_inner().items;
    assert_eq!((listed.len(), listed[0].keys.len()), (1, 1));
    let audited = adfolio_testkit::eventually("two entries", || async {
        let request = as_staff(StaffRole::Admin, ListAuditRequest::default());
        let items = auth
            .admin()
            .list_audit(request)
            .await
            .unwrap()
            .into_inner()
            .items;
        (items.len() == 2).then_some(items)
    })
    .await;
    let actions: Vec<&str> = audited.iter().map(|entry| entry.action.as_str()).collect();
    assert!(actions.contains(&"auth.create_host") && actions.contains(&"auth.revoke_host_key"));
}
