//! What is behind a code, and for whom.

use std::time::Duration;

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use uuid::Uuid;

use crate::helpers::{Acceptor, finance, user, user_id, why};

const PERSONAL: pb::AcceptorKind = pb::AcceptorKind::Personal;
const ENTERPRISE: pb::AcceptorKind = pb::AcceptorKind::Enterprise;

fn wrong_code() -> (Reason, Option<String>) {
    (Reason::AcceptanceCodeError, Some("code".to_owned()))
}

#[tokio::test]
async fn a_right_code_tells_acceptor_and_offer() {
    let stack = Acceptor::spawn().await;
    let acceptor = stack.acceptor(ENTERPRISE).await;
    let issued = stack
        .try_code(&finance(), stack.request(&acceptor))
        .await
        .unwrap();
    let offer = issued.offer.unwrap();
    assert_eq!(offer.rate, "0.9215");
    assert_eq!(offer.currency, "EUR");
    assert_eq!(offer.direction(), pb::ExchangeDirection::WalletToCurrency);
    assert_eq!(offer.min_minor, 1_000);
    assert_eq!(offer.max_minor, 100_000);

    let typed = format!("  {} ", issued.code.to_lowercase());
    for code in [issued.code.as_str(), typed.as_str()] {
        let found = stack.look_up(&user(), ENTERPRISE, code).await.unwrap();
        assert_eq!(found.acceptor.as_ref(), Some(&acceptor));
        assert_eq!(found.offer.as_ref(), Some(&offer));
    }
}

#[tokio::test]
async fn the_other_kind_an_unknown_code_and_another_users_code_answer_alike() {
    let stack = Acceptor::spawn().await;
    let (alice, bob) = (user(), user());
    let acceptor = stack.acceptor(PERSONAL).await;
    let request = pb::CreateAcceptanceCodeRequest {
        user_id: user_id(&alice),
        ..stack.request(&acceptor)
    };
    let code = stack.try_code(&finance(), request).await.unwrap().code;
    stack
        .look_up(&alice, PERSONAL, &code)
        .await
        .expect("her own code");
    assert_eq!(
        why(stack.look_up(&bob, PERSONAL, &code).await),
        wrong_code()
    );
    assert_eq!(
        why(stack.look_up(&alice, ENTERPRISE, &code).await),
        wrong_code()
    );
    assert_eq!(
        why(stack.look_up(&alice, PERSONAL, "NO-SUCH-CODE").await),
        wrong_code()
    );
    assert_eq!(
        why(stack.look_up(&alice, PERSONAL, "'; --").await),
        wrong_code()
    );
    assert_eq!(
        why(stack.look_up(&alice, PERSONAL, &"x".repeat(100_000)).await),
        wrong_code()
    );
}

#[tokio::test]
async fn an_expired_code_is_wrong() {
    let stack = Acceptor::spawn().await;
    let code = stack.code().await.code;
    stack
        .clock
        .advance(Duration::from_hours(24) - Duration::from_secs(1));
    stack
        .look_up(&user(), PERSONAL, &code)
        .await
        .expect("the last second");
    stack.clock.advance(Duration::from_secs(1));
    assert_eq!(
        why(stack.look_up(&user(), PERSONAL, &code).await),
        wrong_code()
    );
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let stack = Acceptor::spawn().await;
    let missing = |field: &str| (Reason::Validation, Some(field.to_owned()));
    assert_eq!(
        why(stack.look_up(&user(), PERSONAL, " ").await),
        missing("code")
    );
    assert_eq!(
        why(stack
            .look_up(&user(), pb::AcceptorKind::Unspecified, "CODE-1")
            .await),
        missing("kind")
    );
    assert_eq!(
        why(stack.look_up(&Caller::system(), PERSONAL, "CODE-1").await).0,
        Reason::NotAuthenticated
    );
}

#[tokio::test]
async fn an_exact_code_is_issued_once() {
    let stack = Acceptor::spawn().await;
    let acceptor = stack.acceptor(PERSONAL).await;
    let exact = |code: &str| pb::CreateAcceptanceCodeRequest {
        code: code.to_owned(),
        ..stack.request(&acceptor)
    };
    let issued = stack
        .try_code(&finance(), exact("DEMO-PERSONAL"))
        .await
        .unwrap();
    assert_eq!(issued.code, "DEMO-PERSONAL");
    stack
        .look_up(&user(), PERSONAL, "DEMO-PERSONAL")
        .await
        .unwrap();
    for code in ["DEMO-PERSONAL", "demo-other", "ABC", "WITH BLANK"] {
        let outcome = stack.try_code(&finance(), exact(code)).await;
        assert_eq!(
            why(outcome),
            (Reason::Validation, Some("code".to_owned())),
            "{code}"
        );
    }
    let other = stack.request(&pb::Acceptor {
        id: Uuid::now_v7().to_string(),
        ..acceptor.clone()
    });
    assert_eq!(
        why(stack.try_code(&finance(), other).await),
        (Reason::NotFound, Some("acceptor_id".to_owned()))
    );
}
