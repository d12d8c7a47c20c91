//! The event stream of staff.

use std::collections::BTreeSet;

use adfolio_gateway::staff_stream::Topic;
use adfolio_kit::identity::StaffRole;
use adfolio_testkit::{Proxy, TestBroker, eventually, publish_event, within_limit};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fakes::{Front, token_of_staff};
use crate::stack::Stack;

/// One stream and what it has said.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Self {
            response,
            text: String::new(),
        }
    }

    /// The kinds of the next hint; none when the stream is over.
    async fn hinted(&mut self) -> Option<BTreeSet<String>> {
        within_limit("the stream hints", async {
            loop {
                if let Some((event, rest)) = self.text.split_once("\n\n") {
                    let (event, rest) = (event.to_owned(), rest.to_owned());
                    self.text = rest;
                    let Some(data) = event.strip_prefix("event: changed\ndata: ") else {
                        continue;
                    };
                    let data: Value = serde_json::from_str(data).unwrap();
                    // Nothing but the names of kinds.
                    assert_eq!(data.as_object().unwrap().len(), 1);
                    let kinds = data["kinds"].as_array().unwrap().iter();
                    return Some(
                        kinds
                            .map(|kind| kind.as_str().unwrap().to_owned())
                            .collect(),
                    );
                }
                match self.response.chunk().await {
                    Ok(Some(piece)) => self.text.push_str(std::str::from_utf8(&piece).unwrap()),
                    Ok(None) | Err(_) => return None,
                }
            }
        })
        .await
    }

    /// Reads until this kind is hinted at; answers how many hints that took.
    async fn wait_for(&mut self, kind: &str) -> usize {
        let mut hints = 0;
        loop {
            hints += 1;
            let kinds = self.hinted().await.expect("it goes on");
            if kinds.contains(kind) {
                return hints;
            }
        }
    }

    async fn ends(mut self) {
        while self.hinted().await.is_some() {}
    }
}

fn of_front(front: &Front, staff: Uuid) -> RequestBuilder {
    front
        .get("/admin/stream")
        .header("X-CT", token_of_staff(staff))
}

fn all() -> BTreeSet<String> {
    Topic::ALL
        .iter()
        .map(|topic| topic.as_str().to_owned())
        .collect()
}

/// Says what happens until the stream hints at its page: from then on the subscription feeds it.
async fn is_fed(front: &Front, stream: &mut Stream) {
    // The first hint comes with the stream, the second with the subscription.
    assert_eq!(stream.hinted().await, Some(all()));
    assert_eq!(stream.hinted().await, Some(all()));
    let event = "adfolio.notification.v1.StaffActed";
    let acted = json!({"action": "notification.content_set"});
    publish_event(&front.broker.broker(), event, "texts", &acted).await;
    stream.wait_for("content").await;
}

#[tokio::test]
async fn staff_hear_of_what_their_role_may_open() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (_, user) = stack.user(&admin).await;
    let mut streams = Vec::new();
    for (role, heard, not) in [
        (StaffRole::Support, "feedback", "withdrawals"),
        (StaffRole::Finance, "withdrawals", "feedback"),
    ] {
        let token = stack.staff(&admin, role).await;
        let request = stack.request(Method::GET, "/admin/stream", Some(&token));
        let mut stream = Stream::open(request).await;
        let first = stream.hinted().await.unwrap();
        assert!(
            first.contains(heard) && first.contains("freezes"),
            "{first:?}"
        );
        assert!(
            !first.contains(not) && !first.contains("audit"),
            "{first:?}"
        );
        streams.push((stream, token));
    }
    // The subscription may begin after the first hint, which is then repeated.
    let freeze = json!({"reason": "not me"});
    stack.post("/user/freeze", &user, &freeze).await.ok();
    for (stream, _) in &mut streams {
        stream.wait_for("freezes").await;
    }
    let feedback = json!({"topic": "Help", "content": "My plan does not start."});
    let id = stack.post("/feedback", &user, &feedback).await.ok()["id"].clone();
    let (mut support, token) = streams.remove(0);
    let close = json!({"id": id, "reply": "It does now."});
    stack
        .post("/admin/feedback/close", &token, &close)
        .await
        .ok();
    support.wait_for("feedback").await;
    // It ends with its session, and the other one goes on.
    stack.post("/admin/logout", &token, &json!({})).await.ok();
    support.ends().await;
    let (mut finance, _) = streams.remove(0);
    stack.user(&admin).await;
    finance.wait_for("users").await;
}

#[tokio::test]
async fn what_happens_in_quick_succession_is_one_hint() {
    let front = Front::start().await;
    let mut stream = Stream::open(of_front(&front, Uuid::now_v7())).await;
    is_fed(&front, &mut stream).await;
    let broker = front.broker.broker();
    let (event, data) = ("adfolio.plan.v1.PlanStatusChanged", json!({}));
    let changes = (0..100).map(|_| publish_event(&broker, event, "plan", &data));
    futures::future::join_all(changes).await;
    let event = "adfolio.auth.v1.UserRegistered";
    publish_event(&broker, event, "last", &json!({})).await;
    let hints = stream.wait_for("users").await;
    assert!(hints < 20, "{hints} hints for 100 events");
    // What no page shows is not hinted at: the next hint is of what follows.
    let set = json!({"change": "pay_password_set"});
    publish_event(
        &broker,
        "adfolio.wallet.v1.WalletSecurityChanged",
        "u",
        &set,
    )
    .await;
    let frozen = json!({"change": "wallet_frozen"});
    publish_event(
        &broker,
        "adfolio.wallet.v1.WalletSecurityChanged",
        "u",
        &frozen,
    )
    .await;
    let next = stream.hinted().await.unwrap();
    assert!(
        next.contains("freezes") && !next.contains("withdrawals"),
        "{next:?}"
    );
}

#[tokio::test]
async fn after_a_gap_everything_is_hinted_at() {
    let broker = TestBroker::namespace();
    let url = std::env::var("AMQP_URL").unwrap();
    let address = url.rsplit('@').next().unwrap();
    let address = address.split('/').next().unwrap().to_owned();
    let proxy = Proxy::start(&address).await;
    let through = url.replace(&address, &proxy.address().to_string());
    let front = Front::start_with(|config| config.broker = broker.args_at(&through)).await;
    let mut stream = Stream::open(of_front(&front, Uuid::now_v7())).await;
    assert_eq!(stream.hinted().await, Some(all()));
    assert_eq!(stream.hinted().await, Some(all()));
    proxy.cut();
    assert_eq!(stream.hinted().await, Some(all()));
}

#[tokio::test]
async fn a_stream_ends_with_its_session_alone_and_with_the_gateway() {
    let mut front = Front::start_with(|config| config.session_cache_seconds = 60).await;
    let (leaver, other) = (Uuid::now_v7(), Uuid::now_v7());
    let mut leaving = Stream::open(of_front(&front, leaver)).await;
    let mut staying = Stream::open(of_front(&front, other)).await;
    is_fed(&front, &mut staying).await;
    leaving.wait_for("content").await;
    front.fakes.said().ended.push(leaver);
    let revoked = json!({"userId": leaver.to_string(), "all": true});
    let event = "adfolio.auth.v1.SessionsRevoked";
    let broker = front.broker.broker();
    publish_event(&broker, event, &leaver.to_string(), &revoked).await;
    leaving.ends().await;
    let changed = json!({});
    let event = "adfolio.plan.v1.PlanStatusChanged";
    publish_event(&broker, event, "plan", &changed).await;
    staying.wait_for("plans").await;
    front.shutdown.trigger();
    staying.ends().await;
    within_limit("the gateway ends", &mut front.task)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_person_has_a_few_streams_and_a_place_is_free_again_after_one() {
    let front = Front::start_with(|config| config.max_streams = 1).await;
    let staff = Uuid::now_v7();
    let mut streams = Vec::new();
    for _ in 0..6 {
        streams.push(Stream::open(of_front(&front, staff)).await);
    }
    let refused = front.send(of_front(&front, staff)).await;
    assert_eq!(
        refused.refusal(),
        (429, 429, "TOO_MANY_ATTEMPTS".to_owned())
    );
    assert!(!refused.header("retry-after").is_empty());
    // Places of users are not taken by staff, nor those of others by one member.
    let _others = Stream::open(of_front(&front, Uuid::now_v7())).await;
    let users = front
        .get("/stream")
        .header("X-CT", Uuid::now_v7().to_string());
    assert_eq!(
        users.send().await.unwrap().headers()["content-type"],
        "text/event-stream"
    );
    streams.clear();
    eventually("a place is free again", || async {
        of_front(&front, staff).send().await.unwrap().status() == 200
    })
    .await;
    let user = front
        .get("/admin/stream")
        .header("X-CT", Uuid::now_v7().to_string());
    let user = front.send(user).await;
    assert_eq!(user.refusal(), (200, 401, "NOT_AUTHENTICATED".to_owned()));
}
