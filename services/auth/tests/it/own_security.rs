//! A user's own view of the account: live sessions, and the actions of staff and of the user.

use adfolio_auth::SCHEMA;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::end_sessions_request::Target;
use adfolio_proto::auth::v1::{
    Actor, ChangePasswordRequest, EndSessionsRequest, ListSecurityLogRequest,
    ListSecurityLogResponse, ListSessionsRequest, ListSessionsResponse, SecurityEntry, Session,
    SessionSummary, UserState,
};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1::{SessionsRevoked, StaffActed, WalletSecurityChanged};
use adfolio_testkit::{
    TestDatabase, checked_query, cost, eventually, publish_event, publish_event_with_id,
};
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, SUPPORT, as_user, reason, refusal, user_id};

async fn sessions(auth: &Auth, session: &Session) -> ListSessionsResponse {
    let message = ListSessionsRequest {
        token: session.token.clone(),
    };
    let request = as_user(user_id(session), message);
    auth.users()
        .list_sessions(request)
        .await
        .unwrap()
        .into_inner()
}

/// The id of a token's session.
async fn id_of(auth: &Auth, session: &Session) -> String {
    auth.verify(&session.token).await.unwrap().session_id
}

async fn end(auth: &Auth, session: &Session, target: Option<Target>) -> Result<(), Status> {
    let message = EndSessionsRequest {
        token: session.token.clone(),
        target,
    };
    let request = as_user(user_id(session), message);
    auth.users().end_sessions(request).await.map(|_| ())
}

async fn end_one(auth: &Auth, session: &Session, id: &str) -> Result<(), Status> {
    end(auth, session, Some(Target::SessionId(id.to_owned()))).await
}

async fn end_others(auth: &Auth, session: &Session) -> Result<(), Status> {
    end(auth, session, Some(Target::Others(true))).await
}

async fn page(auth: &Auth, user: &str, cursor: &str, limit: u32) -> ListSecurityLogResponse {
    let message = ListSecurityLogRequest {
        page: Some(PageRequest {
            cursor: cursor.to_owned(),
            limit,
        }),
    };
    let answer = auth.users().list_security_log(as_user(user, message)).await;
    answer.unwrap().into_inner()
}

async fn log(auth: &Auth, user: &str, count: usize) -> Vec<SecurityEntry> {
    eventually(&format!("{count} entries"), async || {
        let items = page(auth, user, "", 0).await.items;
        (items.len() >= count).then_some(items)
    })
    .await
}

fn actions(entries: &[SecurityEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.action.as_str()).collect()
}

fn act(action: &str, user: &str, after: &str, second: i64) -> StaffActed {
    let time = chrono::DateTime::from_timestamp(1_700_000_000 + second, 0).unwrap();
    StaffActed {
        staff_id: SUPPORT.to_string(),
        action: action.to_owned(),
        target: "target-1".to_owned(),
        user_id: user.to_owned(),
        reason: "looked suspicious".to_owned(),
        request_id: "request-1".to_owned(),
        before_json: String::new(),
        after_json: after.to_owned(),
        time: Some(adfolio_kit::wire::timestamp(time)),
    }
}

async fn announce(auth: &Auth, user: &str, act: &StaffActed) {
    let event_type = "adfolio.wallet.v1.StaffActed";
    publish_event(&auth.broker.broker(), event_type, user, act).await;
}

#[tokio::test]
async fn a_user_sees_what_staff_did_to_the_account_and_why_and_not_who() {
    let auth = Auth::spawn().await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let (ann_id, bob_id) = (user_id(&ann), user_id(&bob));
    for (action, user, after, second) in [
        ("wallet.deposit", ann_id, r#"{"amount_minor":200050}"#, 1),
        ("plan.push", ann_id, r#"{"amount":"100.00"}"#, 2),
        ("coupon.grant", ann_id, r#"{"name":"Spring"}"#, 3),
        ("wallet.deposit", bob_id, r#"{"amount_minor":1}"#, 4),
        ("plan.edit_product", "", "{}", 5),
    ] {
        announce(&auth, ann_id, &act(action, user, after, second)).await;
    }
    auth.set_state(ann_id, UserState::Disabled).await.unwrap();

    let all = log(&auth, ann_id, 4).await;
    let expected = [
        "auth.set_user_state",
        "coupon.grant",
        "plan.push",
        "wallet.deposit",
    ];
    assert_eq!(actions(&all), expected);
    let amounts: Vec<_> = all.iter().map(|entry| entry.amount_minor).collect();
    assert_eq!(amounts, [None, None, Some(10_000), Some(200_050)]);
    assert!(all.iter().all(|entry| entry.by() == Actor::Staff));
    let reasons: Vec<_> = all.iter().map(|entry| entry.reason.as_str()).collect();
    let why = "looked suspicious";
    assert_eq!(reasons, ["test", why, why, why]);
    assert_eq!(all[3].time.as_ref().unwrap().seconds, 1_700_000_001);
    let text = format!("{all:?}");
    for secret in [SUPPORT.to_string().as_str(), "request-1", "target-1"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert_eq!(actions(&log(&auth, bob_id, 1).await), ["wallet.deposit"]);

    // Page by page the list is the same, and a cursor is good for its owner alone.
    let (mut pieces, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = page(&auth, ann_id, &cursor, 1).await;
        pieces.extend(part.items);
        if part.next_cursor.is_empty() {
            break;
        }
        cursor = part.next_cursor;
    }
    assert_eq!(pieces, all);
    for cursor in [cursor.as_str(), "made up"] {
        let message = ListSecurityLogRequest {
            page: Some(PageRequest {
                cursor: cursor.to_owned(),
                limit: 1,
            }),
        };
        let outcome = auth
            .users()
            .list_security_log(as_user(bob_id, message))
            .await;
        let refused = refusal(outcome);
        assert_eq!(refused.reason, Reason::Validation);
        assert_eq!(refused.field.as_deref(), Some("cursor"));
    }
}

#[tokio::test]
async fn what_the_user_did_stands_between_what_staff_did() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    auth.login("ann", PASSWORD).await.unwrap();
    let id = user_id(&ann).to_owned();
    end_others(&auth, &ann).await.unwrap();
    // Nothing is left to end, so nothing is recorded; nor is a logout.
    end_others(&auth, &ann).await.unwrap();
    end_one(&auth, &ann, &id_of(&auth, &ann).await)
        .await
        .unwrap();
    let message = ChangePasswordRequest {
        old_password: PASSWORD.to_owned(),
        new_password: "another long secret".to_owned(),
        confirm_password: "another long secret".to_owned(),
        client_address: String::new(),
        token: String::new(),
    };
    auth.clock.advance(std::time::Duration::from_secs(1));
    auth.users()
        .change_password(as_user(&id, message))
        .await
        .unwrap();
    let all = log(&auth, &id, 2).await;
    assert_eq!(
        actions(&all),
        ["auth.password_changed", "auth.sessions_ended"]
    );

    let event_type = "adfolio.wallet.v1.WalletSecurityChanged";
    let (broker, event) = (auth.broker.broker(), Uuid::now_v7());
    let change = |change: &str| WalletSecurityChanged {
        user_id: id.clone(),
        change: change.to_owned(),
    };
    for _ in 0..2 {
        let set = change("pay_password_set");
        publish_event_with_id(&broker, event, event_type, &id, &set).await;
    }
    // Actions of staff come from the audit log alone.
    publish_event(&broker, event_type, &id, &change("pay_password_reset")).await;
    publish_event(&broker, event_type, &id, &change("bank_card_bound")).await;
    let all = log(&auth, &id, 4).await;
    assert_eq!(all.len(), 4);
    let mut found = actions(&all);
    found.sort_unstable();
    let expected = [
        "auth.password_changed",
        "auth.sessions_ended",
        "wallet.bank_card_bound",
        "wallet.pay_password_set",
    ];
    assert_eq!(found, expected);
    assert!(all.iter().all(|entry| entry.by() == Actor::User));
    for statement in ["UPDATE user_acts SET action = 'x'", "DELETE FROM user_acts"] {
        let outcome = sqlx::query(statement).execute(&auth.db.pool()).await;
        assert!(outcome.is_err(), "{statement}");
    }
}

const ROWS: i64 = 100_000;

/// Rows of a page and the one behind it.
const PAGE: i64 = 21;

#[tokio::test]
async fn the_last_page_of_a_long_log_costs_what_the_first_does() {
    let database = TestDatabase::create(&SCHEMA).await;
    let user = |number: i64| Uuid::from_u128(number.unsigned_abs().into());
    let script = format!(
        "INSERT INTO audit_log (id, acted_at, staff_id, action, target, user_id, reason, request_id, before_json, after_json)
         SELECT lpad(to_hex(n), 32, '0')::uuid, to_timestamp(n), '{staff}', 'wallet.deposit', '',
                lpad((n % 2 + 1)::text, 32, '0')::uuid, '', '', '', ''
         FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO user_acts (id, user_id, action, acted_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, lpad((n % 2 + 1)::text, 32, '0')::uuid, 'auth.sessions_ended', to_timestamp(n)
         FROM generate_series({ROWS} + 1, 2 * {ROWS}) AS n;
         ANALYZE audit_log, user_acts;",
        staff = user(7),
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(script))
        .execute(&database.pool())
        .await
        .unwrap();
    let query = checked_query(env!("CARGO_MANIFEST_DIR"), &["FROM user_acts"]);
    let arguments = |before: i64| {
        let (owner, last) = (user(1), user(before));
        format!("'{owner}', to_timestamp({before}), '{last}', {PAGE}")
    };
    let first = cost(&database, &query, &arguments(3 * ROWS)).await;
    // Scans, limits and sorts of either log, and what joins them: each handles a page.
    assert!(first.rows <= 12 * PAGE, "{first:?}");
    for before in [3 * ROWS, ROWS + 50, ROWS, ROWS / 2, 100] {
        let page = cost(&database, &query, &arguments(before)).await;
        assert_eq!(page.answered, PAGE, "{before}: {page:?}");
        assert!(page.scanned.is_empty(), "{before}: {page:?}");
        assert!(page.rows <= first.rows, "{before}: {page:?} and {first:?}");
        assert!(
            page.blocks <= first.blocks + 10,
            "{before}: {page:?} and {first:?}"
        );
    }
}

#[tokio::test]
async fn sessions_say_where_they_were_opened_and_which_one_asks() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    auth.clock.advance(std::time::Duration::from_mins(5));
    let phone = auth
        .login_from("ann", PASSWORD, "2001:db8::7")
        .await
        .unwrap();
    auth.register("bob").await;
    let first = id_of(&auth, &ann).await;
    let listed = sessions(&auth, &phone).await;
    assert_eq!(listed.items.len(), 2);
    assert_eq!(listed.current_id, id_of(&auth, &phone).await);
    let [newer, older] = [&listed.items[0], &listed.items[1]];
    assert_eq!(newer.id, listed.current_id);
    assert_eq!(older.id, first);
    assert_eq!(newer.user_agent, "Test/1.0");
    assert_eq!(newer.address, "2001:db8::7");
    assert_eq!(older.address, "192.0.2.1");
    let created = |session: &SessionSummary| session.created_at.as_ref().unwrap().seconds;
    let last_seen = |session: &SessionSummary| session.last_seen_at.as_ref().unwrap().seconds;
    assert_eq!(created(newer) - created(older), 300);
    // The last use is known to the minute: what slides the expiry writes it down.
    assert_eq!(last_seen(older) - created(older), 300);
    let text = format!("{listed:?}");
    assert!(!text.contains(&phone.token) && !text.contains(&ann.token));
    let hashes: Vec<String> = sqlx::query_scalar("SELECT encode(token_hash, 'hex') FROM sessions")
        .fetch_all(&auth.db.pool())
        .await
        .unwrap();
    assert!(
        hashes
            .iter()
            .all(|hash| !text.replace('-', "").contains(&hash[..32]))
    );
}

#[tokio::test]
async fn one_session_is_ended_and_everybody_told() {
    let auth = Auth::spawn().await;
    let probe = auth
        .broker
        .probe(&["adfolio.auth.v1.SessionsRevoked"])
        .await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let other = auth.login("ann", PASSWORD).await.unwrap();
    let (target, bobs) = (id_of(&auth, &other).await, id_of(&auth, &bob).await);
    for _ in 0..2 {
        // Ending a session that is over changes and announces nothing.
        end_one(&auth, &ann, &target).await.unwrap();
    }
    assert_eq!(
        reason(auth.verify(&other.token).await),
        Reason::SessionExpired
    );
    auth.verify(&ann.token).await.unwrap();
    for unknown in [bobs.as_str(), &Uuid::now_v7().to_string(), "no id"] {
        let refused = refusal(end_one(&auth, &ann, unknown).await);
        assert_eq!(refused.reason, Reason::NotFound);
        assert_eq!(refused.field.as_deref(), Some("id"));
    }
    auth.verify(&bob.token).await.unwrap();
    for nothing in [
        None,
        Some(Target::Others(false)),
        Some(Target::SessionId(String::new())),
    ] {
        assert_eq!(reason(end(&auth, &ann, nothing).await), Reason::Validation);
    }
    let own = id_of(&auth, &ann).await;
    end_one(&auth, &ann, &own).await.unwrap();
    assert_eq!(
        reason(auth.verify(&ann.token).await),
        Reason::SessionExpired
    );
    let events = probe.wait_for("adfolio.auth.v1.SessionsRevoked", 2).await;
    let told: Vec<SessionsRevoked> = events.iter().map(|event| event.data().unwrap()).collect();
    assert_eq!(told.len(), 2);
    assert!(
        told.iter()
            .all(|event| event.user_id == user_id(&ann) && !event.all)
    );
    assert_eq!(told[0].session_ids, [target]);
    assert_eq!(told[1].session_ids, [own]);
}

#[tokio::test]
async fn a_session_that_is_over_ends_no_other() {
    let auth = Auth::spawn().await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let stolen = auth.login("ann", PASSWORD).await.unwrap();
    end_others(&auth, &ann).await.unwrap();
    let own = id_of(&auth, &ann).await;
    assert_eq!(
        reason(end_others(&auth, &stolen).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(end_one(&auth, &stolen, &own).await),
        Reason::SessionExpired
    );
    // Nor does a token that belongs to somebody else.
    let mixed = Session {
        token: bob.token.clone(),
        ..ann.clone()
    };
    assert_eq!(
        reason(end_others(&auth, &mixed).await),
        Reason::NotAuthenticated
    );
    auth.verify(&ann.token).await.unwrap();
    auth.verify(&bob.token).await.unwrap();
}

#[tokio::test]
async fn of_sessions_that_end_all_others_at_once_one_stays() {
    let auth = Auth::spawn().await;
    let mut all = vec![auth.register("ann").await];
    for _ in 0..9 {
        all.push(auth.login("ann", PASSWORD).await.unwrap());
    }
    let outcomes = futures::future::join_all(all.iter().map(|one| end_others(&auth, one))).await;
    let mut alive = 0;
    for (session, outcome) in all.iter().zip(outcomes) {
        let verified = auth.verify(&session.token).await;
        match outcome {
            Ok(()) => {
                verified.unwrap();
                alive += 1;
            }
            Err(status) => {
                assert_eq!(reason(Err::<(), _>(status)), Reason::SessionExpired);
                assert_eq!(reason(verified), Reason::SessionExpired);
            }
        }
    }
    assert_eq!(alive, 1);
}
