//! Licence keys as staff issue and list them.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    CreateLicenseKeysRequest, LicenseKey, LicenseKeyState, ListLicenseKeysRequest,
};
use adfolio_proto::common::v1::PageRequest;
use tonic::Status;

use crate::helpers::{Auth, SUPPORT, as_staff, reason, refusal, registration, support, user_id};

fn random(count: u32) -> CreateLicenseKeysRequest {
    CreateLicenseKeysRequest {
        count,
        note: "fair".to_owned(),
        activate: true,
        codes: Vec::new(),
    }
}

fn exact(codes: &[&str]) -> CreateLicenseKeysRequest {
    let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
    CreateLicenseKeysRequest {
        count: u32::try_from(codes.len()).unwrap(),
        codes,
        ..random(0)
    }
}

async fn create(auth: &Auth, message: CreateLicenseKeysRequest) -> Result<Vec<LicenseKey>, Status> {
    Ok(auth
        .admin()
        .create_license_keys(support(message))
        .await?
        .into_inner()
        .items)
}

#[tokio::test]
async fn random_keys_are_distinct_and_unused() {
    let auth = Auth::spawn().await;
    let keys = create(&auth, random(500)).await.unwrap();
    let mut codes: Vec<&str> = keys.iter().map(|key| key.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), 500);
    assert!(
        keys.iter().all(|key| key.state() == LicenseKeyState::Unused
            && key.note == "fair"
            && key.activate)
    );
}

#[tokio::test]
async fn exact_codes_are_made_once() {
    let auth = Auth::spawn().await;
    let codes = ["DEMO-LICENSE-0002", "DEMO-LICENSE-0001"];
    let first = create(&auth, exact(&codes)).await.unwrap();
    let user = auth
        .try_register(registration("ann", "demo-license-0001"))
        .await
        .unwrap();
    let again = create(
        &auth,
        CreateLicenseKeysRequest {
            activate: false,
            ..exact(&codes)
        },
    )
    .await
    .unwrap();
    assert_eq!(again[0], first[0]);
    assert_eq!(again[1].state(), LicenseKeyState::Used);
    assert_eq!(again[1].user_id.as_str(), user_id(&user));
    assert_eq!(
        again
            .iter()
            .map(|key| key.code.as_str())
            .collect::<Vec<_>>(),
        codes
    );
}

#[tokio::test]
async fn what_cannot_be_issued_is_refused() {
    let auth = Auth::spawn().await;
    for (message, field) in [
        (random(0), "count"),
        (random(501), "count"),
        (
            CreateLicenseKeysRequest {
                count: 3,
                ..exact(&["ABCD-1", "ABCD-2"])
            },
            "count",
        ),
        (exact(&["no blanks allowed"]), "codes"),
        (
            CreateLicenseKeysRequest {
                note: "x".repeat(501),
                ..random(1)
            },
            "note",
        ),
    ] {
        let refusal = refusal(create(&auth, message).await);
        assert_eq!(refusal.reason, Reason::Validation);
        assert_eq!(refusal.field.as_deref(), Some(field));
    }
    let outcome = auth
        .admin()
        .create_license_keys(as_staff(Role::Operator, random(1)))
        .await;
    assert_eq!(reason(outcome), Reason::Forbidden);
}

#[tokio::test]
async fn a_keyed_call_issues_once() {
    let auth = Auth::spawn().await;
    let caller = Caller::staff(SUPPORT, Role::Support).with_key(Some("batch-7".parse().unwrap()));
    let call = |count| {
        let request = outgoing(&caller, random(count), Duration::from_secs(30));
        let mut admin = auth.admin();
        async move { Ok::<_, Status>(admin.create_license_keys(request).await?.into_inner().items) }
    };
    let first = call(5).await.unwrap();
    assert_eq!(call(5).await.unwrap(), first);
    assert_eq!(reason(call(6).await), Reason::IdempotencyKeyReused);
}

#[tokio::test]
async fn lists_go_page_by_page_newest_first() {
    let auth = Auth::spawn().await;
    let created = create(&auth, random(25)).await.unwrap();
    let mut cursor = String::new();
    let mut listed = Vec::new();
    loop {
        let page = Some(PageRequest { cursor, limit: 10 });
        let answer = auth
            .admin()
            .list_license_keys(support(ListLicenseKeysRequest { page }))
            .await
            .unwrap()
            .into_inner();
        listed.extend(answer.items);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(listed.len(), 25);
    assert!(created.iter().all(|key| listed.contains(key)));
    let page = Some(PageRequest {
        cursor: "bm9uc2Vuc2U".to_owned(),
        limit: 10,
    });
    let outcome = auth
        .admin()
        .list_license_keys(support(ListLicenseKeysRequest { page }))
        .await;
    assert_eq!(refusal(outcome).field.as_deref(), Some("cursor"));
}
