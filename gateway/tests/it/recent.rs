//! Recent answers are used again until something changes: by the caller, by event, or by their age.

use std::cell::Cell;
use std::time::Duration;

use adfolio_gateway::dto::account::Settings;
use adfolio_gateway::dto::{Page, PageQuery};
use adfolio_gateway::errors::Failure;
use adfolio_gateway::recent::{Profile, Recent};
use adfolio_kit::consumer::EventSink as _;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::User;
use adfolio_testkit::eventually;
use chrono::Utc;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::stack::Stack;

/// Longer than a test takes.
const LONG: Duration = Duration::from_mins(10);

/// As the web client sends it.
const PIN: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";

const ADA: UserId = UserId(Uuid::from_u128(1));
const BOB: UserId = UserId(Uuid::from_u128(2));

fn profile(number: u32) -> Profile {
    Profile {
        user: User {
            nickname: number.to_string(),
            ..User::default()
        },
        settings: Settings::default(),
        is_whole: true,
    }
}

/// A cache, and how often its sources were asked.
struct Asked {
    recent: Recent,
    times: Cell<u32>,
}

impl Asked {
    fn kept_for(kept_for: Duration) -> Self {
        Self {
            recent: Recent::new(kept_for, kept_for),
            times: Cell::new(0),
        }
    }

    fn next(&self) -> u32 {
        self.times.set(self.times.get() + 1);
        self.times.get()
    }

    /// The number of the request whose answer a user is shown.
    async fn profile(&self, user: UserId) -> u32 {
        let ask = || async { Ok(profile(self.next())) };
        let shown = self.recent.profile(user, ask).await.unwrap();
        shown.user.nickname.parse().unwrap()
    }

    async fn product_cursor(&self, query: &PageQuery) -> u32 {
        let ask = || async {
            Ok(Page {
                items: vec![],
                next_cursor: Some(self.next().to_string()),
            })
        };
        let shown = self.recent.products(query, ask).await.unwrap();
        shown.next_cursor.unwrap().parse().unwrap()
    }

    fn event(&self, event_type: &str, data: Value) {
        self.recent.sink().on_event(CloudEvent {
            id: Uuid::now_v7(),
            source: "/adfolio/test".to_owned(),
            event_type: event_type.to_owned(),
            subject: String::new(),
            time: Utc::now(),
            sequence: None,
            traceparent: None,
            data,
        });
    }
}

#[tokio::test]
async fn a_profile_is_shown_again_to_its_owner_alone() {
    let asked = Asked::kept_for(LONG);
    assert_eq!(asked.profile(ADA).await, 1);
    assert_eq!(asked.profile(ADA).await, 1);
    assert_eq!(asked.profile(BOB).await, 2);
    assert_eq!(asked.profile(ADA).await, 1);
}

#[tokio::test]
async fn a_users_own_call_drops_their_profile_when_it_ends() {
    let asked = Asked::kept_for(LONG);
    assert_eq!([asked.profile(ADA).await, asked.profile(BOB).await], [1, 2]);
    let call = asked.recent.written_by(&Caller::user(ADA));
    assert_eq!(asked.profile(ADA).await, 1, "nothing is written yet");
    drop(call);
    assert_eq!([asked.profile(ADA).await, asked.profile(BOB).await], [3, 2]);
}

#[tokio::test]
async fn what_was_asked_before_a_write_is_not_shown_after_it() {
    let asked = Asked::kept_for(LONG);
    let call = asked.recent.written_by(&Caller::user(ADA));
    let call = Cell::new(Some(call));
    // The write ends between the source's answer and its return.
    let ask = || async {
        drop(call.take());
        Ok(profile(asked.next()))
    };
    asked.recent.profile(ADA, ask).await.unwrap();
    let before = asked.times.get();
    assert_eq!(
        asked.profile(ADA).await,
        before,
        "the request after the write"
    );
    assert!(before > 1, "the first answer was shown");
}

#[tokio::test]
async fn a_call_of_staff_drops_everything() {
    let asked = Asked::kept_for(LONG);
    let first = PageQuery::default();
    asked.profile(ADA).await;
    asked.product_cursor(&first).await;
    let staff = Caller::staff(Uuid::from_u128(9), StaffRole::Operator);
    drop(asked.recent.written_by(&staff));
    assert_eq!(asked.profile(ADA).await, 3);
    assert_eq!(asked.product_cursor(&first).await, 4);
}

#[tokio::test]
async fn events_drop_what_they_are_about() {
    let asked = Asked::kept_for(LONG);
    let ada = ADA.to_string();
    let act = |action: &str, user: &str| json!({"staffId": "", "action": action, "userId": user});
    for (event_type, data) in [
        (
            "adfolio.wallet.v1.WalletSecurityChanged",
            json!({"userId": ada, "change": "bank_card_bound"}),
        ),
        (
            "adfolio.auth.v1.AccountStateChanged",
            json!({"userId": ada, "state": "disabled"}),
        ),
        (
            "adfolio.auth.v1.StaffActed",
            act("auth.set_user_profile", &ada),
        ),
    ] {
        let [of_ada, of_bob] = [asked.profile(ADA).await, asked.profile(BOB).await];
        asked.event(event_type, data);
        assert_ne!(asked.profile(ADA).await, of_ada, "{event_type}");
        assert_eq!(asked.profile(BOB).await, of_bob, "{event_type}");
    }
    let first = PageQuery::default();
    let products = asked.product_cursor(&first).await;
    asked.event("adfolio.auth.v1.StaffActed", act("auth.create_staff", ""));
    assert_eq!(asked.product_cursor(&first).await, products);
    asked.event("adfolio.plan.v1.StaffActed", act("plan.edit_product", ""));
    assert_ne!(asked.product_cursor(&first).await, products);
}

#[tokio::test]
async fn lost_and_unreadable_events_drop_everything() {
    let asked = Asked::kept_for(LONG);
    let first = PageQuery::default();
    let shown = || async { (asked.profile(ADA).await, asked.product_cursor(&first).await) };
    let before = shown().await;
    asked.event("adfolio.wallet.v1.WalletSecurityChanged", json!("?"));
    let after = shown().await;
    assert!(
        before.0 < after.0 && before.1 < after.1,
        "{before:?} {after:?}"
    );
    asked.recent.sink().on_gap();
    let last = shown().await;
    assert!(after.0 < last.0 && after.1 < last.1, "{after:?} {last:?}");
}

#[tokio::test]
async fn an_answer_ages_without_any_event() {
    let asked = Asked::kept_for(Duration::from_millis(20));
    assert_eq!(asked.profile(ADA).await, 1);
    eventually("the profile is asked for again", || async {
        asked.profile(ADA).await > 1
    })
    .await;
}

#[tokio::test]
async fn an_incomplete_profile_and_a_failure_are_not_kept() {
    let asked = Asked::kept_for(LONG);
    let incomplete = || async {
        Ok(Profile {
            is_whole: false,
            ..profile(asked.next())
        })
    };
    asked.recent.profile(ADA, incomplete).await.unwrap();
    let fails = || async { Err(Failure::new(Reason::Unavailable)) };
    asked.recent.profile(ADA, fails).await.unwrap_err();
    assert_eq!(asked.profile(ADA).await, 2);
    // Once it is complete, a service that is gone since is not missed.
    assert!(asked.recent.profile(ADA, fails).await.is_ok());
}

#[tokio::test]
async fn the_number_of_profiles_is_bounded() {
    const USERS: u32 = 15_000;
    let asked = Asked::kept_for(LONG);
    for _ in 0..2 {
        for number in 0..USERS {
            asked.profile(UserId(Uuid::from_u128(number.into()))).await;
        }
    }
    assert!(asked.times.get() > USERS + 2_500, "{}", asked.times.get());
}

#[tokio::test]
async fn only_first_pages_of_products_are_kept() {
    let asked = Asked::kept_for(LONG);
    let further = PageQuery {
        cursor: Some("x".to_owned()),
        limit: None,
    };
    assert_eq!(asked.product_cursor(&further).await, 1);
    assert_eq!(asked.product_cursor(&further).await, 2);
    assert_eq!(asked.product_cursor(&PageQuery::default()).await, 3);
    assert_eq!(asked.product_cursor(&PageQuery::default()).await, 3);
}

#[tokio::test]
async fn users_read_what_they_and_staff_write_at_once() {
    let stack = Stack::start_with(|config| {
        config.session_cache_seconds = 60;
        config.basic_config_cache_seconds = 60;
    })
    .await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let info = stack.get("/user/info", &token).await.ok();
    assert_eq!(info["has_pay_password"], false);

    let edit = json!({"nickname": "Countess"});
    stack.post("/user/info/edit", &token, &edit).await.ok();
    let pay_password = json!({"password": PIN, "confirm_password": PIN});
    let set = stack.post("/set/password", &token, &pay_password).await;
    set.ok();
    let info = stack.get("/user/info", &token).await.ok();
    assert_eq!(info["nickname"], "Countess");
    assert_eq!(info["has_pay_password"], true);

    let edit = json!({"id": user, "credit_score": 77, "reason": "test"});
    stack.post("/admin/user/profile", &admin, &edit).await.ok();
    let info = stack.get("/user/info", &token).await.ok();
    assert_eq!(info["credit_score"], 77);

    let listed = || async { stack.get("/plan/product/list", &token).await.ok() };
    let before = listed().await["items"].as_array().unwrap().len();
    stack.product(&admin).await;
    let after = listed().await["items"].as_array().unwrap().len();
    assert_eq!(after, before + 1);
}
