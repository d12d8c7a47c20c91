//! Sessions: sliding expiry, their end, and its announcement.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{GetUserDetailRequest, UserState, VerifySessionResponse};
use adfolio_proto::events::v1::{AccountStateChanged, SessionsRevoked};

use adfolio_testkit::eventually;
use sqlx::{AssertSqlSafe, PgConnection};

use crate::helpers::{Auth, PASSWORD, reason, support, user_id};

const HOUR: Duration = Duration::from_hours(1);

fn expiry(verified: &VerifySessionResponse) -> i64 {
    verified.expires_at.as_ref().unwrap().seconds
}

#[tokio::test]
async fn use_keeps_a_session_alive_and_rest_ends_it() {
    let auth = Auth::builder()
        .configure(|config| config.access.session_ttl_seconds = 2 * 3600)
        .spawn()
        .await;
    let session = auth.register("ann").await;
    for _ in 0..5 {
        auth.clock.advance(HOUR);
        auth.verify(&session.token).await.unwrap();
    }
    auth.clock.advance(2 * HOUR);
    assert_eq!(
        reason(auth.verify(&session.token).await),
        Reason::SessionExpired
    );
    assert_eq!(
        reason(auth.verify("0123456789abcdef").await),
        Reason::NotAuthenticated
    );
    assert_eq!(reason(auth.verify("").await), Reason::NotAuthenticated);
}

#[tokio::test]
async fn the_last_use_is_written_down_once_a_minute() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let first = expiry(&auth.verify(&session.token).await.unwrap());
    auth.clock.advance(Duration::from_secs(59));
    assert_eq!(expiry(&auth.verify(&session.token).await.unwrap()), first);
    auth.clock.advance(Duration::from_secs(1));
    assert_eq!(
        expiry(&auth.verify(&session.token).await.unwrap()),
        first + 60
    );
}

#[tokio::test]
async fn logout_ends_one_session_and_tells() {
    let auth = Auth::spawn().await;
    let probe = auth
        .broker
        .probe(&["adfolio.auth.v1.SessionsRevoked"])
        .await;
    let first = auth.register("ann").await;
    let second = auth.login("ann", PASSWORD).await.unwrap();
    let ended = auth.verify(&first.token).await.unwrap().session_id;
    auth.logout(&first.token).await;
    auth.logout(&first.token).await;
    auth.logout("unknown").await;
    assert_eq!(
        reason(auth.verify(&first.token).await),
        Reason::SessionExpired
    );
    auth.verify(&second.token).await.unwrap();
    let events = probe.wait_for("adfolio.auth.v1.SessionsRevoked", 1).await;
    let event: SessionsRevoked = events[0].data().unwrap();
    assert_eq!(event.user_id.as_str(), user_id(&first));
    assert_eq!(event.session_ids, vec![ended]);
}

#[tokio::test]
async fn sessions_of_a_user_are_bounded() {
    let auth = Auth::builder()
        .configure(|config| config.access.max_sessions = 3)
        .spawn()
        .await;
    let first = auth.register("ann").await;
    let mut tokens = Vec::new();
    for _ in 0..3 {
        auth.clock.advance(Duration::from_secs(1));
        tokens.push(auth.login("ann", PASSWORD).await.unwrap().token);
    }
    assert_eq!(
        reason(auth.verify(&first.token).await),
        Reason::SessionExpired
    );
    for token in &tokens {
        auth.verify(token).await.unwrap();
    }
    let message = GetUserDetailRequest {
        user_id: user_id(&first).to_owned(),
    };
    let detail = auth
        .admin()
        .get_user_detail(support(message))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(detail.sessions.len(), 3);
}

#[tokio::test]
async fn a_change_of_state_keeps_the_session_and_is_told() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&["adfolio.auth.v1.*"]).await;
    let session = auth.register("ann").await;
    for state in [
        UserState::Disabled,
        UserState::Active,
        UserState::NotActivated,
        UserState::Cancelled,
    ] {
        auth.set_state(user_id(&session), state).await.unwrap();
        // A repeat changes and announces nothing.
        auth.set_state(user_id(&session), state).await.unwrap();
        assert_eq!(auth.verify(&session.token).await.unwrap().state(), state);
    }
    let events = probe
        .wait_for("adfolio.auth.v1.AccountStateChanged", 4)
        .await;
    let states: Vec<String> = events
        .iter()
        .map(|event| event.data::<AccountStateChanged>().unwrap().state)
        .collect();
    assert_eq!(states, ["disabled", "active", "not_activated", "cancelled"]);
    assert_eq!(
        reason(auth.set_state(user_id(&session), UserState::Active).await),
        Reason::Validation
    );
}

#[tokio::test]
async fn a_dead_token_is_remembered_for_weeks_and_then_forgotten() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    auth.logout(&session.token).await;
    auth.clock.advance(Duration::from_hours(29 * 24));
    let auth = auth.restart().await;
    assert_eq!(
        reason(auth.verify(&session.token).await),
        Reason::SessionExpired
    );
    auth.clock.advance(Duration::from_hours(2 * 24));
    // A service prunes as soon as it is up.
    let auth = auth.restart().await;
    eventually("the session is forgotten", || async {
        reason(auth.verify(&session.token).await) == Reason::NotAuthenticated
    })
    .await;
}

#[tokio::test]
async fn a_database_that_takes_no_changes_logs_nobody_out() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    // A session from before keeps its settings.
    let mut superuser = auth.db.pool().acquire().await.unwrap();
    set_read_only(&auth, &mut superuser, "on").await;

    auth.clock.advance(Duration::from_mins(5));
    eventually("sessions are verified", || async {
        auth.verify(&ann.token).await.is_ok()
    })
    .await;
    let refused = auth.login("ann", PASSWORD).await;
    assert_eq!(reason(refused), Reason::ChangesPaused);

    set_read_only(&auth, &mut superuser, "off").await;
    eventually("the use of the session is stored", || async {
        let uses =
            "SELECT count(*) FROM sessions WHERE last_seen_at >= created_at + interval '5 minutes'";
        let stored: i64 = sqlx::query_scalar(uses)
            .fetch_one(&auth.db.pool())
            .await
            .unwrap();
        stored == 1
    })
    .await;
    auth.login("ann", PASSWORD).await.unwrap();
}

/// Makes the database read-only for all sessions of the service, or takes that back.
async fn set_read_only(auth: &Auth, superuser: &mut PgConnection, read_only: &str) {
    let name = auth.db.name();
    let statements = [
        format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = {read_only}"),
        format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = '{name}' AND application_name LIKE 'adfolio-%'"
        ),
    ];
    for statement in statements {
        sqlx::query(AssertSqlSafe(statement))
            .execute(&mut *superuser)
            .await
            .unwrap();
    }
}
