//! Contact data of users: who sees it in full, and what such a look leaves in the audit log.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    AuditEntry, GetUserDetailRequest, GetUserDetailResponse, ListAuditRequest,
    ListSecurityLogRequest, ListUsersRequest, ListUsersResponse, SetUserProfileRequest, User,
    UserState,
};
use adfolio_proto::common::v1::PageRequest;
use futures::future::join_all;
use serde_json::{Value, json};
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{Auth, SUPPORT, as_staff, as_user, reason, refusal, user_id};

const SEES_ALL: [Role; 2] = [Role::Admin, Role::Support];
const SEES_LESS: [Role; 2] = [Role::Finance, Role::Operator];

/// What everybody registers with here, in full and masked.
const EMAIL: [&str; 2] = ["user@shop.example", "u****@shop.example"];
const PHONE: [&str; 2] = ["+49 30 1234567", "+49****567"];

fn contact(user: &User) -> [&str; 2] {
    [&user.email, &user.phone]
}

async fn detail(auth: &Auth, role: Role, user: &str) -> Result<GetUserDetailResponse, Status> {
    let message = GetUserDetailRequest {
        user_id: user.to_owned(),
    };
    let answer = auth.admin().get_user_detail(as_staff(role, message)).await;
    answer.map(tonic::Response::into_inner)
}

async fn users(auth: &Auth, role: Role, query: &str) -> Result<ListUsersResponse, Status> {
    let message = ListUsersRequest {
        query: query.to_owned(),
        ..ListUsersRequest::default()
    };
    let answer = auth.admin().list_users(as_staff(role, message)).await;
    answer.map(tonic::Response::into_inner)
}

async fn found(auth: &Auth, role: Role, query: &str) -> Vec<String> {
    let page = users(auth, role, query).await.unwrap();
    page.items.into_iter().map(|user| user.username).collect()
}

/// The entries of looks, newest first. Unlike those of acts they are there at once.
async fn looks(auth: &Auth, action: &str) -> Vec<AuditEntry> {
    let message = ListAuditRequest {
        action: action.to_owned(),
        ..ListAuditRequest::default()
    };
    let request = as_staff(Role::Admin, message);
    let answer = auth.admin().list_audit(request).await.unwrap();
    answer.into_inner().items
}

#[tokio::test]
async fn each_role_sees_what_the_table_says() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    auth.register("bob").await;
    let full = [EMAIL[0], PHONE[0]];
    let masked = [EMAIL[1], PHONE[1]];
    for (roles, expected, address) in [(SEES_ALL, full, "192.0.2.1"), (SEES_LESS, masked, "")] {
        for role in roles {
            let one = detail(&auth, role, user_id(&ann)).await.unwrap();
            let user = one.user.unwrap();
            assert_eq!(contact(&user), expected, "{role}");
            assert_eq!(user.username, "ann");
            assert_eq!(one.sessions.len(), 1);
            assert_eq!(one.sessions[0].address, address, "{role}");
            assert_eq!(one.sessions[0].user_agent.is_empty(), address.is_empty());
            let page = users(&auth, role, "").await.unwrap();
            assert_eq!(page.items.len(), 2);
            assert!(
                page.items.iter().all(|user| contact(user) == expected),
                "{role}"
            );
        }
    }
}

#[tokio::test]
async fn a_search_unmasks_nothing() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    for role in SEES_ALL {
        for part in ["user@shop.example", "user@", "shop.ex"] {
            assert_eq!(found(&auth, role, part).await, ["ann"], "{role} {part}");
        }
    }
    for role in SEES_LESS {
        assert_eq!(found(&auth, role, "nn").await, ["ann"]);
        assert_eq!(found(&auth, role, user_id(&ann)).await, ["ann"]);
        // Parts of the address and the number that could also be parts of names find none.
        for part in ["user", "shop.ex", "u", "1234567", "+49 30"] {
            let expected: [&str; 0] = [];
            assert_eq!(found(&auth, role, part).await, expected, "{role} {part}");
        }
        for part in [
            "user@shop.example",
            "user@",
            "@",
            "%@%",
            "nobody@shop.example",
        ] {
            let refused = refusal(users(&auth, role, part).await);
            assert_eq!(refused.reason, Reason::Forbidden, "{role} {part}");
            assert_eq!(refused.field.as_deref(), Some("query"));
        }
    }
}

#[tokio::test]
async fn a_look_is_recorded_once_within_ten_minutes() {
    let auth = Auth::spawn().await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let first = Caller {
        reason: "called about a payout".to_owned(),
        request_id: "request-1".to_owned(),
        ..Caller::staff(SUPPORT, Role::Support)
    };
    let ask = async |caller: Caller| {
        let message = GetUserDetailRequest {
            user_id: user_id(&ann).to_owned(),
        };
        let request = outgoing(&caller, message, Duration::from_secs(30));
        auth.admin().get_user_detail(request).await
    };
    ask(first.clone()).await.unwrap();
    // Many at once, each a request of its own.
    let again = (0..8).map(|number| {
        let caller = Caller {
            request_id: format!("again-{number}"),
            ..first.clone()
        };
        ask(caller)
    });
    assert!(join_all(again).await.iter().all(Result::is_ok));
    let entries = looks(&auth, "auth.read_user").await;
    assert_eq!(entries.len(), 1);
    let entry = &entries[0];
    assert_eq!(entry.staff_id, SUPPORT.to_string());
    assert_eq!(entry.user_id, user_id(&ann));
    assert_eq!(entry.target, user_id(&ann));
    assert_eq!(entry.request_id, "request-1");
    assert_eq!(entry.reason, "called about a payout");
    assert!(entry.time.is_some());

    detail(&auth, Role::Support, user_id(&bob)).await.unwrap();
    assert_eq!(looks(&auth, "auth.read_user").await.len(), 2);
    // People at adfolioctl are told apart by the reason alone.
    for person in ["sue", "tim"] {
        let caller = Caller {
            reason: format!("adfolioctl, run by {person}"),
            ..first.clone()
        };
        ask(caller).await.unwrap();
    }
    assert_eq!(looks(&auth, "auth.read_user").await.len(), 4);
    auth.clock.advance(Duration::from_secs(601));
    detail(&auth, Role::Support, user_id(&ann)).await.unwrap();
    let entries = looks(&auth, "auth.read_user").await;
    assert_eq!(entries.len(), 5);
    assert_eq!(entries[0].user_id, user_id(&ann));

    // Who sees nothing in full leaves none, and neither does a question about nobody.
    for role in SEES_LESS {
        detail(&auth, role, user_id(&ann)).await.unwrap();
        users(&auth, role, "").await.unwrap();
    }
    let nobody = Uuid::now_v7().to_string();
    assert_eq!(
        reason(detail(&auth, Role::Support, &nobody).await),
        Reason::NotFound
    );
    assert_eq!(looks(&auth, "auth.read_user").await.len(), 5);
    assert_eq!(looks(&auth, "auth.list_users").await.len(), 0);
}

#[tokio::test]
async fn a_page_is_one_entry_with_its_filter_and_count() {
    let auth = Auth::spawn().await;
    let mut ids = Vec::new();
    for name in ["ann", "bob", "cat"] {
        ids.push(user_id(&auth.register(name).await).to_owned());
    }
    let message = ListUsersRequest {
        query: String::new(),
        state: UserState::Active.into(),
        page: Some(PageRequest {
            cursor: String::new(),
            limit: 2,
        }),
    };
    for _ in 0..3 {
        let request = as_staff(Role::Support, message.clone());
        auth.admin().list_users(request).await.unwrap();
    }
    let shown = |entry: &AuditEntry| -> Value { serde_json::from_str(&entry.after_json).unwrap() };
    let entries = looks(&auth, "auth.list_users").await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].user_id, "");
    let expected = json!({
        "query": "", "state": "active", "count": 2, "first": ids[2], "last": ids[1],
    });
    assert_eq!(shown(&entries[0]), expected);

    // The log does not keep the address that was looked for.
    users(&auth, Role::Support, "user@shop.example")
        .await
        .unwrap();
    let entries = looks(&auth, "auth.list_users").await;
    assert_eq!(entries.len(), 2);
    let searched = entries.iter().map(shown).find(|shown| shown["count"] == 3);
    assert_eq!(searched.unwrap()["query"], EMAIL[1]);
    users(&auth, Role::Support, "nobody@shop.example")
        .await
        .unwrap();
    assert_eq!(looks(&auth, "auth.list_users").await.len(), 2);
}

#[tokio::test]
async fn a_change_that_changes_nothing_is_a_look() {
    let auth = Auth::spawn().await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    auth.set_state(user_id(&ann), UserState::Active)
        .await
        .unwrap();
    let message = SetUserProfileRequest {
        user_id: user_id(&bob).to_owned(),
        credit_score: Some(100),
        ..SetUserProfileRequest::default()
    };
    let request = as_staff(Role::Support, message);
    auth.admin().set_user_profile(request).await.unwrap();
    let entries = looks(&auth, "auth.read_user").await;
    let users: Vec<&str> = entries.iter().map(|entry| entry.user_id.as_str()).collect();
    assert_eq!(users.len(), 2);
    assert!(users.contains(&user_id(&ann)) && users.contains(&user_id(&bob)));
}

#[tokio::test]
async fn without_its_entry_nothing_is_shown() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    let refuse = "CREATE TRIGGER refuse_all BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()";
    sqlx::query(refuse).execute(&auth.db.pool()).await.unwrap();
    for role in SEES_ALL {
        assert!(detail(&auth, role, user_id(&ann)).await.is_err());
        assert!(users(&auth, role, "").await.is_err());
    }
    assert!(
        auth.set_state(user_id(&ann), UserState::Active)
            .await
            .is_err()
    );
    // What is masked needs none.
    for role in SEES_LESS {
        detail(&auth, role, user_id(&ann)).await.unwrap();
        users(&auth, role, "").await.unwrap();
    }
}

#[tokio::test]
async fn a_look_is_no_act_in_the_users_own_log() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    detail(&auth, Role::Support, user_id(&ann)).await.unwrap();
    let log = || async {
        let request = as_user(user_id(&ann), ListSecurityLogRequest::default());
        let answer = auth.users().list_security_log(request).await.unwrap();
        answer.into_inner().items
    };
    assert_eq!(looks(&auth, "auth.read_user").await.len(), 1);
    assert_eq!(log().await, []);
    // An auditor finds it by the user all the same.
    let message = ListAuditRequest {
        user_id: user_id(&ann).to_owned(),
        ..ListAuditRequest::default()
    };
    let request = as_staff(Role::Admin, message);
    let answer = auth.admin().list_audit(request).await.unwrap();
    assert_eq!(answer.into_inner().items.len(), 1);
}
