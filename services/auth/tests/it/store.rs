//! Host users and the opening of an ad account.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{CreateHostTokenRequest, Entry, UserState, VerifySessionResponse};
use adfolio_proto::events::v1::{AccountStateChanged, UserRegistered};
use tonic::Status;

use crate::helpers::{Auth, PASSWORD, as_staff, reason, refusal, registration, support, user_id};

async fn host_token(auth: &Auth, external_id: &str, lang: &str) -> Result<String, Status> {
    let message = CreateHostTokenRequest {
        external_user_id: external_id.to_owned(),
        lang: lang.to_owned(),
        host_id: String::new(),
    };
    Ok(auth
        .admin()
        .create_host_token(support(message))
        .await?
        .into_inner()
        .token)
}

async fn host_user(auth: &Auth) -> (String, VerifySessionResponse) {
    let token = host_token(auth, "host-42", "").await.unwrap();
    let verified = auth.verify(&token).await.unwrap();
    (token, verified)
}

#[tokio::test]
async fn the_same_external_id_is_the_same_user() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.UserRegistered"]).await;
    let tokens =
        futures::future::join_all((0..20).map(|_| host_token(&auth, "host-42", "pt"))).await;
    let mut users = Vec::new();
    for token in tokens {
        let verified = auth.verify(&token.unwrap()).await.unwrap();
        assert_eq!(verified.entry(), Entry::Host);
        assert_eq!(verified.state(), UserState::NotActivated);
        assert_eq!(verified.lang, "pt");
        users.push(verified.user_id);
    }
    users.dedup();
    assert_eq!(users.len(), 1);
    let events = probe.wait_for("adfolio.auth.v1.UserRegistered", 1).await;
    assert_eq!(events[0].data::<UserRegistered>().unwrap().entry, "host");
    assert_eq!(
        refusal(host_token(&auth, "", "").await).field.as_deref(),
        Some("external_user_id")
    );
    assert_eq!(
        refusal(host_token(&auth, "x", "xx").await).field.as_deref(),
        Some("lang")
    );
    let message = CreateHostTokenRequest {
        external_user_id: "x".to_owned(),
        lang: String::new(),
        host_id: String::new(),
    };
    let outcome = auth
        .admin()
        .create_host_token(as_staff(adfolio_kit::identity::StaffRole::Finance, message))
        .await;
    assert_eq!(reason(outcome), Reason::Forbidden);
}

#[tokio::test]
async fn a_code_opens_the_store_and_changes_the_session() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let (token, user) = host_user(&auth).await;
    let missing = refusal(auth.open_store(&user.user_id, " ").await);
    assert_eq!(missing.reason, Reason::Validation);
    assert_eq!(missing.field.as_deref(), Some("code"));
    let unknown = refusal(auth.open_store(&user.user_id, "NO-SUCH-CODE").await);
    assert_eq!(unknown.reason, Reason::LicenseNotFound);
    assert_eq!(unknown.field.as_deref(), Some("code"));
    assert_eq!(
        reason(auth.open_store(&user.user_id, "?!").await),
        Reason::LicenseNotFound
    );
    let spent = auth.key(true).await;
    auth.try_register(registration("ann", &spent))
        .await
        .unwrap();
    assert_eq!(
        reason(auth.open_store(&user.user_id, &spent).await),
        Reason::LicenseUsed
    );

    let key = auth.key(true).await;
    let opened = auth.open_store(&user.user_id, &key).await.unwrap();
    assert_eq!(user_id(&opened), user.user_id);
    assert_eq!(reason(auth.verify(&token).await), Reason::SessionExpired);
    assert_eq!(
        auth.verify(&opened.token).await.unwrap().state(),
        UserState::Active
    );
    let changed = probe
        .wait_for("adfolio.auth.v1.AccountStateChanged", 1)
        .await;
    assert_eq!(
        changed[0].data::<AccountStateChanged>().unwrap().state,
        "active"
    );
    probe.wait_for("adfolio.auth.v1.SessionsRevoked", 1).await;

    let second = auth.key(true).await;
    assert_eq!(
        reason(auth.open_store(&user.user_id, &second).await),
        Reason::StoreAlreadyOpen
    );
    auth.try_register(registration("bob", &second))
        .await
        .unwrap();
}

#[tokio::test]
async fn one_user_spends_one_of_many_codes_and_one_code_opens_one_of_many_users() {
    let auth = Auth::spawn().await;
    let (_, user) = host_user(&auth).await;
    let mut keys = Vec::new();
    for _ in 0..10 {
        keys.push(auth.key(true).await);
    }
    let outcomes =
        futures::future::join_all(keys.iter().map(|key| auth.open_store(&user.user_id, key))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::StoreAlreadyOpen);
    }
    let mut users = Vec::new();
    for number in 0..10 {
        let token = host_token(&auth, &format!("many-{number}"), "")
            .await
            .unwrap();
        users.push(auth.verify(&token).await.unwrap().user_id);
    }
    let key = auth.key(true).await;
    let outcomes =
        futures::future::join_all(users.iter().map(|user| auth.open_store(user, &key))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::LicenseUsed);
    }
}

#[tokio::test]
async fn a_registered_user_who_waits_may_open_with_another_code() {
    let auth = Auth::spawn().await;
    let session = auth
        .try_register(registration("ann", &auth.key(false).await))
        .await
        .unwrap();
    auth.open_store(user_id(&session), &auth.key(true).await)
        .await
        .unwrap();
    auth.login("ann", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_closed_account_opens_no_store() {
    let auth = Auth::spawn().await;
    let (_, user) = host_user(&auth).await;
    let key = auth.key(true).await;
    auth.set_state(&user.user_id, UserState::Disabled)
        .await
        .unwrap();
    assert_eq!(
        reason(auth.open_store(&user.user_id, &key).await),
        Reason::AccountDisabled
    );
    auth.set_state(&user.user_id, UserState::Cancelled)
        .await
        .unwrap();
    assert_eq!(
        reason(auth.open_store(&user.user_id, &key).await),
        Reason::AccountCancelled
    );
}
