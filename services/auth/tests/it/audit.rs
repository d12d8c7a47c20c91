//! The audit log: what staff did in every service, auth included.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    AuditEntry, CreateHostTokenRequest, CreateStaffRequest, ListAuditRequest, ListAuditResponse,
    SetUserProfileRequest, StaffRole, UserState,
};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1::StaffActed;
use adfolio_testkit::{eventually, publish_event, publish_event_with_id};
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, SUPPORT, as_staff, reason, refusal, support, user_id};

async fn page(auth: &Auth, message: ListAuditRequest) -> ListAuditResponse {
    let request = as_staff(Role::Admin, message);
    auth.admin().list_audit(request).await.unwrap().into_inner()
}

async fn entries(auth: &Auth, message: ListAuditRequest, count: usize) -> Vec<AuditEntry> {
    eventually(&format!("{count} entries"), async || {
        let items = page(auth, message.clone()).await.items;
        (items.len() >= count).then_some(items)
    })
    .await
}

fn act(staff: Uuid, action: &str, user: &str, second: i64) -> StaffActed {
    let time = chrono::DateTime::from_timestamp(1_700_000_000 + second, 0).unwrap();
    StaffActed {
        staff_id: staff.to_string(),
        action: action.to_owned(),
        target: "target-1".to_owned(),
        user_id: user.to_owned(),
        reason: "asked by phone".to_owned(),
        request_id: "request-1".to_owned(),
        before_json: String::new(),
        after_json: r#"{"amount_minor":100}"#.to_owned(),
        time: Some(adfolio_kit::wire::timestamp(time)),
    }
}

#[tokio::test]
async fn what_staff_do_here_is_kept_with_its_reason() {
    let auth = Auth::spawn().await;
    let message = CreateStaffRequest {
        username: "boss".to_owned(),
        password: PASSWORD.to_owned(),
        role: StaffRole::Admin.into(),
        second: None,
    };
    let boss = auth
        .admin()
        .create_staff(as_staff(Role::Admin, message.clone()))
        .await
        .unwrap();
    let boss: Uuid = boss.into_inner().staff.unwrap().id.parse().unwrap();
    let caller = Caller {
        reason: "the third this week".to_owned(),
        ..Caller::staff(boss, Role::Admin)
    };
    let limit = Duration::from_secs(30);
    let second = CreateStaffRequest {
        username: "sue".to_owned(),
        ..message
    };
    auth.admin()
        .create_staff(outgoing(&caller, second, limit))
        .await
        .unwrap();
    let session = auth.register("ann").await;
    let id = user_id(&session).to_owned();
    auth.set_state(&id, UserState::Disabled).await.unwrap();
    // A call that changes nothing is no act: together they are one look at the user.
    auth.set_state(&id, UserState::Disabled).await.unwrap();
    let profile = SetUserProfileRequest {
        user_id: id.clone(),
        credit_score: Some(150),
        ..SetUserProfileRequest::default()
    };
    for _ in 0..2 {
        auth.admin()
            .set_user_profile(support(profile.clone()))
            .await
            .unwrap();
    }
    let host = CreateHostTokenRequest {
        external_user_id: "host-secret-42".to_owned(),
        lang: String::new(),
        host_id: String::new(),
    };
    auth.admin().create_host_token(support(host)).await.unwrap();

    // Two staff, one key, a state, a profile, a host token; and the look.
    let all = entries(&auth, ListAuditRequest::default(), 7).await;
    assert_eq!(all.len(), 7);
    let one = |action: &str| all.iter().find(|entry| entry.action == action).unwrap();
    let state = one("auth.set_user_state");
    assert_eq!(state.user_id.as_str(), id.as_str());
    assert_eq!(state.target.as_str(), id.as_str());
    assert_eq!(state.reason, "test");
    assert_eq!(state.before_json.as_str(), r#"{"state":"active"}"#);
    assert_eq!(state.after_json.as_str(), r#"{"state":"disabled"}"#);
    assert_eq!(state.staff_id.as_str(), SUPPORT.to_string().as_str());
    assert_eq!(state.staff_username, "");
    let standing = one("auth.set_user_profile");
    assert!(standing.before_json.contains(r#""credit_score":100"#));
    assert!(standing.after_json.contains(r#""credit_score":150"#));
    let of_boss = ListAuditRequest {
        staff_id: boss.to_string(),
        ..ListAuditRequest::default()
    };
    let made = page(&auth, of_boss).await.items;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].staff_username, "boss");
    assert_eq!(made[0].reason, "the third this week");
    let text = format!("{all:?}");
    assert!(!text.contains("host-secret-42") && !text.contains(PASSWORD));
}

#[tokio::test]
async fn every_service_writes_here_and_an_event_counts_once() {
    let auth = Auth::spawn().await;
    let (broker, user) = (auth.broker.broker(), Uuid::now_v7().to_string());
    let deposit = act(SUPPORT, "wallet.deposit", &user, 1);
    let event = Uuid::now_v7();
    for _ in 0..2 {
        publish_event_with_id(
            &broker,
            event,
            "adfolio.wallet.v1.StaffActed",
            &user,
            &deposit,
        )
        .await;
    }
    let push = act(SUPPORT, "plan.push", "", 2);
    publish_event(&broker, "adfolio.plan.v1.StaffActed", &user, &push).await;
    let all = entries(&auth, ListAuditRequest::default(), 2).await;
    let actions: Vec<&str> = all.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["plan.push", "wallet.deposit"]);
    assert_eq!(all[1].id.clone(), event.to_string());
    assert_eq!(all[1].user_id.clone(), user);
    assert_eq!(all[1].time.as_ref().unwrap().seconds, 1_700_000_001);
}

#[tokio::test]
async fn the_log_is_filtered_paged_and_for_admins() {
    let auth = Auth::spawn().await;
    let (ann, bob) = (Uuid::now_v7().to_string(), Uuid::now_v7().to_string());
    let other = Uuid::from_u128(8);
    let acts = [
        act(SUPPORT, "wallet.deposit", &ann, 1),
        act(SUPPORT, "wallet.chargeback", &ann, 2),
        act(other, "wallet.deposit", &bob, 3),
        act(other, "wallet.deposit", &ann, 3),
        act(SUPPORT, "wallet.deposit", &bob, 5),
    ];
    for act in &acts {
        let event_type = "adfolio.wallet.v1.StaffActed";
        publish_event(&auth.broker.broker(), event_type, &act.user_id, act).await;
    }
    entries(&auth, ListAuditRequest::default(), 5).await;
    let ask = |staff: &str, user: &str, action: &str| ListAuditRequest {
        staff_id: staff.to_owned(),
        user_id: user.to_owned(),
        action: action.to_owned(),
        page: None,
    };
    let support_id = SUPPORT.to_string();
    for (message, expected) in [
        (ask("", "", ""), 5),
        (ask(&support_id, "", ""), 3),
        (ask(&support_id, "", "wallet.deposit"), 2),
        (ask("", "", "wallet.deposit"), 4),
        (ask("", &ann, ""), 3),
        (ask("", &ann, "wallet.deposit"), 2),
        (ask(&support_id, &ann, "wallet.deposit"), 1),
        (ask(&support_id, &bob, "wallet.chargeback"), 0),
        (ask("nobody", "", ""), 0),
    ] {
        // Page by page the list is the same as in one piece.
        let whole = page(&auth, message.clone()).await.items;
        assert_eq!(whole.len(), expected, "{message:?}");
        let (mut pieces, mut cursor) = (Vec::new(), String::new());
        loop {
            let part = Some(PageRequest { cursor, limit: 1 });
            let answer = page(
                &auth,
                ListAuditRequest {
                    page: part,
                    ..message.clone()
                },
            )
            .await;
            pieces.extend(answer.items);
            cursor = answer.next_cursor;
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(pieces, whole, "{message:?}");
    }
    let first = Some(PageRequest {
        cursor: String::new(),
        limit: 1,
    });
    let cursor = page(
        &auth,
        ListAuditRequest {
            page: first,
            ..ask("", "", "")
        },
    )
    .await
    .next_cursor;
    let foreign = ListAuditRequest {
        page: Some(PageRequest { cursor, limit: 1 }),
        ..ask(&support_id, "", "")
    };
    let refused = refusal(
        auth.admin()
            .list_audit(as_staff(Role::Admin, foreign))
            .await,
    );
    assert_eq!(refused.reason, Reason::Validation);
    assert_eq!(refused.field.as_deref(), Some("cursor"));
    for role in [Role::Support, Role::Finance, Role::Operator] {
        let outcome = auth
            .admin()
            .list_audit(as_staff(role, ask("", "", "")))
            .await;
        assert_eq!(reason(outcome), Reason::Forbidden);
    }
}

#[tokio::test]
async fn the_log_cannot_be_rewritten() {
    let auth = Auth::spawn().await;
    let deposit = act(SUPPORT, "wallet.deposit", "", 1);
    let event_type = "adfolio.wallet.v1.StaffActed";
    publish_event(&auth.broker.broker(), event_type, "staff", &deposit).await;
    entries(&auth, ListAuditRequest::default(), 1).await;
    for statement in [
        "UPDATE audit_log SET reason = 'none'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
    ] {
        let outcome = sqlx::query(statement).execute(&auth.db.pool()).await;
        assert!(outcome.is_err(), "{statement}");
    }
}
