//! Staff make acceptors and codes; invalid input is named, and no one else may.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::common::v1::PageRequest;
use uuid::Uuid;

use crate::helpers::{Acceptor, call, finance, refused, staff, user, why, with_key};

type Spoil = fn(&mut pb::CreateAcceptanceCodeRequest, &mut pb::Offer);

const WRONG: [(&str, Spoil); 17] = [
    ("direction", |_, offer| offer.direction = 0),
    ("direction", |_, offer| offer.direction = 9),
    ("currency", |_, offer| offer.currency = String::from("eur")),
    ("currency", |_, offer| offer.currency = String::from("EURO")),
    ("rate", |_, offer| offer.rate = String::new()),
    ("rate", |_, offer| offer.rate = String::from("0")),
    ("rate", |_, offer| offer.rate = String::from("-1.5")),
    ("rate", |_, offer| offer.rate = String::from("1.123456789")),
    ("rate", |_, offer| offer.rate = String::from("1e2")),
    ("min", |_, offer| offer.min_minor = 0),
    ("min", |_, offer| offer.min_minor = i64::MIN),
    ("max", |_, offer| offer.max_minor = 999),
    ("max", |_, offer| offer.max_minor = i64::MAX),
    ("expires_at", |_, offer| offer.expires_at = None),
    ("expires_at", |_, offer| {
        if let Some(instant) = &mut offer.expires_at {
            instant.seconds = 0;
        }
    }),
    ("acceptor_id", |request, _| {
        request.acceptor_id = String::new();
    }),
    ("code", |request, _| request.code = String::from("short")),
];

#[tokio::test]
async fn every_wrong_input_is_named() {
    let stack = Acceptor::spawn().await;
    let acceptor = stack.acceptor(pb::AcceptorKind::Personal).await;
    for (field, spoil) in WRONG {
        let mut request = stack.request(&acceptor);
        let mut offer = request.offer.take().unwrap();
        spoil(&mut request, &mut offer);
        request.offer = Some(offer);
        let outcome = stack.try_code(&finance(), request.clone()).await;
        assert_eq!(
            why(outcome),
            (Reason::Validation, Some(field.to_owned())),
            "{request:?}"
        );
    }
    let valid = || pb::CreateAcceptorRequest {
        kind: 1,
        name: "Ada".to_owned(),
        rating_tenths: 50,
    };
    for (field, request) in [
        ("kind", pb::CreateAcceptorRequest { kind: 0, ..valid() }),
        (
            "name",
            pb::CreateAcceptorRequest {
                name: " ".to_owned(),
                ..valid()
            },
        ),
        (
            "name",
            pb::CreateAcceptorRequest {
                name: "x".repeat(101),
                ..valid()
            },
        ),
        (
            "rating",
            pb::CreateAcceptorRequest {
                rating_tenths: 51,
                ..valid()
            },
        ),
        (
            "rating",
            pb::CreateAcceptorRequest {
                rating_tenths: u32::MAX,
                ..valid()
            },
        ),
    ] {
        assert_eq!(
            why(stack.try_acceptor(&finance(), request).await),
            (Reason::Validation, Some(field.to_owned()))
        );
    }
}

#[tokio::test]
async fn only_finance_makes_and_any_staff_lists() {
    let stack = Acceptor::spawn().await;
    let request = || pb::CreateAcceptorRequest {
        kind: 1,
        name: "Ada".to_owned(),
        rating_tenths: 50,
    };
    let acceptor = stack
        .try_acceptor(&staff(StaffRole::Admin), request())
        .await
        .unwrap();
    for caller in [staff(StaffRole::Support), staff(StaffRole::Operator)] {
        assert_eq!(
            why(stack.try_acceptor(&caller, request()).await).0,
            Reason::Forbidden
        );
        assert_eq!(
            why(stack.try_code(&caller, stack.request(&acceptor)).await).0,
            Reason::Forbidden
        );
        stack
            .staff()
            .list_acceptors(call(&caller, pb::ListAcceptorsRequest::default()))
            .await
            .expect("a list");
    }
    for caller in [user(), Caller::system()] {
        assert_eq!(
            why(stack.try_acceptor(&caller, request()).await).0,
            Reason::NotAuthenticated
        );
        assert_eq!(
            why(stack.try_code(&caller, stack.request(&acceptor)).await).0,
            Reason::NotAuthenticated
        );
        let listed = stack
            .staff()
            .list_acceptors(call(&caller, pb::ListAcceptorsRequest::default()))
            .await;
        assert_eq!(
            refused(listed.unwrap_err()).reason,
            Reason::NotAuthenticated
        );
    }
}

#[tokio::test]
async fn pages_are_newest_first() {
    let stack = Acceptor::spawn().await;
    let mut made = Vec::new();
    for kind in [
        pb::AcceptorKind::Personal,
        pb::AcceptorKind::Enterprise,
        pb::AcceptorKind::Personal,
    ] {
        made.push(stack.acceptor(kind).await);
    }
    made.reverse();
    let page = |cursor: String| {
        let page = Some(PageRequest { cursor, limit: 2 });
        let request = call(
            &staff(StaffRole::Support),
            pb::ListAcceptorsRequest { page },
        );
        let mut client = stack.staff();
        async move { client.list_acceptors(request).await.map_err(refused) }
    };
    let first = page(String::new()).await.unwrap().into_inner();
    let second = page(first.next_cursor).await.unwrap().into_inner();
    assert_eq!([first.items, second.items].concat(), made);
    assert_eq!(second.next_cursor, "");
    assert_eq!(
        why(page("junk".to_owned()).await),
        (Reason::Validation, Some("cursor".to_owned()))
    );
}

#[tokio::test]
async fn a_repeated_key_makes_one_acceptor_and_one_code() {
    let stack = Acceptor::spawn().await;
    let caller = with_key(&finance(), "key-1");
    let request = || pb::CreateAcceptorRequest {
        kind: 1,
        name: "Ada".to_owned(),
        rating_tenths: 50,
    };
    let first = stack.try_acceptor(&caller, request()).await.unwrap();
    assert_eq!(stack.try_acceptor(&caller, request()).await.unwrap(), first);
    let reused = stack.try_code(&caller, stack.request(&first)).await;
    assert_eq!(why(reused).0, Reason::IdempotencyKeyReused);

    let caller = with_key(&caller, "key-2");
    let code = stack
        .try_code(&caller, stack.request(&first))
        .await
        .unwrap();
    assert_eq!(
        stack
            .try_code(&caller, stack.request(&first))
            .await
            .unwrap(),
        code
    );
    let codes: i64 = sqlx::query_scalar("SELECT count(*) FROM acceptance_codes")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(codes, 1);
    let unknown = pb::CreateAcceptanceCodeRequest {
        user_id: "nobody".to_owned(),
        ..stack.request(&first)
    };
    assert_eq!(
        why(stack.try_code(&finance(), unknown).await),
        (Reason::NotFound, Some("user_id".to_owned()))
    );
    assert!(Uuid::parse_str(&first.id).is_ok());
}
