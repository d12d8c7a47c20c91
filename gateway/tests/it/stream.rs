//! Event streams.

use std::collections::BTreeSet;
use std::time::Duration;

use adfolio_kit::db;
use adfolio_kit::outbox::{Event, Notifier, Relay, enqueue_in_tx};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::auth::v1::UserState;
use adfolio_proto::events::v1::{AnnouncementPublished, TransactionPosted};
use adfolio_testkit::{
    Proxy, TestDatabase, Told, deliver_twice_and_shuffled, eventually, publish_event, tell,
    within_limit,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fakes::Front;

/// One stream and what it has said.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(front: &Front, user: Uuid) -> Self {
        let request = front.get("/stream").header("X-CT", user.to_string());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        Self {
            response,
            text: String::new(),
        }
    }

    /// A stream that the subscription feeds: the first word is about everything.
    async fn followed(front: &Front, user: Uuid) -> Self {
        let mut stream = Self::open(front, user).await;
        assert_eq!(stream.told().await, ["unread", "wallet", "plan"]);
        stream
    }

    /// The kinds of the next word; none when the stream is over.
    async fn told(&mut self) -> Vec<String> {
        let said = self.said().await;
        said.into_iter().map(|(kind, _)| kind).collect()
    }

    /// The events of the next word with their data; none when the stream is over.
    async fn said(&mut self) -> Vec<(String, Value)> {
        within_limit("the stream says something", async {
            loop {
                let events: Vec<(String, Value)> = self
                    .text
                    .split("\n\n")
                    .filter_map(|event| event.strip_prefix("event: ")?.split_once("\ndata: "))
                    .map(|(kind, data)| (kind.to_owned(), serde_json::from_str(data).unwrap()))
                    .collect();
                if !events.is_empty() {
                    self.text.clear();
                    return events;
                }
                match self.response.chunk().await {
                    Ok(Some(piece)) => self.text.push_str(std::str::from_utf8(&piece).unwrap()),
                    Ok(None) | Err(_) => return Vec::new(),
                }
            }
        })
        .await
    }

    /// The kinds of all events up to the first of this kind, each once.
    async fn told_until(&mut self, last: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        while !all.contains(last) {
            let told = self.told().await;
            assert!(!told.is_empty(), "the stream is over after {all:?}");
            all.extend(told);
        }
        all
    }

    async fn ends(mut self) {
        while !self.told().await.is_empty() {}
    }
}

/// An outbox with its relay, as every service has one.
struct Outbox {
    database: TestDatabase,
    notifier: Notifier,
    end: Shutdown,
}

impl Outbox {
    async fn start(front: &Front) -> Self {
        let database = TestDatabase::of_kit().await;
        let relay = Relay::new("test", database.kit_pool(), front.broker.broker());
        let (notifier, end) = (relay.notifier(), Shutdown::manual());
        tokio::spawn(relay.run(database.migrated(), end.clone()));
        Self {
            database,
            notifier,
            end,
        }
    }

    async fn say(&self, event_type: &'static str, user: Uuid, data: serde_json::Value) {
        self.say_all(vec![Event::new(event_type, user, &data).unwrap()])
            .await;
    }

    async fn say_all(&self, events: Vec<Event>) {
        db::write(&self.database.kit_pool(), move |tx| {
            Box::pin(async move { enqueue_in_tx(tx, &events).await })
        })
        .await
        .unwrap();
        self.notifier.notify();
    }

    async fn posted(&self, user: Uuid, kind: &str) {
        self.say_all(vec![posted(user, kind)]).await;
    }
}

fn posted(user: Uuid, kind: &str) -> Event {
    let posted = TransactionPosted {
        user_id: user.to_string(),
        r#type: kind.to_owned(),
        ..TransactionPosted::default()
    };
    Event::new("adfolio.wallet.v1.TransactionPosted", user, &posted).unwrap()
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.end.trigger();
    }
}

#[tokio::test]
async fn a_stream_tells_what_its_user_should_fetch_again() {
    let front = Front::start().await;
    let outbox = Outbox::start(&front).await;
    let (user, other) = (Uuid::now_v7(), Uuid::now_v7());
    let mut stream = Stream::followed(&front, user).await;
    let mut second = Stream::followed(&front, user).await;
    let mut others = Stream::followed(&front, other).await;
    for (event_type, kind) in [
        ("adfolio.notification.v1.InboxChanged", "unread"),
        ("adfolio.wallet.v1.WithdrawalStatusChanged", "wallet"),
        ("adfolio.wallet.v1.WalletSecurityChanged", "wallet"),
        ("adfolio.plan.v1.PlanStatusChanged", "plan"),
    ] {
        // What nobody shows is not told, so the event after it is the next word.
        outbox
            .say("adfolio.coupon.v1.CouponClaimed", user, json!({}))
            .await;
        outbox.say(event_type, user, json!({})).await;
        assert_eq!(stream.told().await, [kind], "{event_type}");
        assert_eq!(second.told().await, [kind], "{event_type}");
    }
    outbox.posted(user, "deposit").await;
    assert_eq!(stream.told().await, ["wallet"]);
    for kind in ["hold", "consume", "accrue", "release", "settle"] {
        outbox.posted(user, kind).await;
        assert_eq!(stream.told().await, ["wallet", "plan"], "{kind}");
    }
    // None of it was the other user's business; what is for all is.
    let announced = AnnouncementPublished::default();
    let event_type = "adfolio.notification.v1.AnnouncementPublished";
    publish_event(&front.broker.broker(), event_type, "all", &announced).await;
    assert_eq!(others.told().await, ["unread"]);
    assert_eq!(stream.told().await, ["unread"]);
}

#[tokio::test]
async fn an_event_says_how_much_is_unread_which_plan_changed_and_what_is_later() {
    let front = Front::start().await;
    let outbox = Outbox::start(&front).await;
    let (user, plan) = (Uuid::now_v7(), Uuid::now_v7());
    let mut stream = Stream::open(&front, user).await;
    let first = stream.said().await;
    let data = |said: &[(String, Value)], kind: &str| {
        let event = said.iter().find(|(name, _)| name == kind);
        event.map(|(_, data)| data.clone()).unwrap()
    };
    let unread = data(&first, "unread");
    assert_eq!(
        (&unread["total"], &unread["sequence"]),
        (&json!(3), &json!(12))
    );
    assert_eq!(data(&first, "wallet")["sequence"], 0);
    assert_eq!(data(&first, "plan")["id"], Value::Null);
    let mut newest = [0, 0];
    for sequence in 1..=3 {
        let posted = TransactionPosted {
            user_id: user.to_string(),
            r#type: "consume".to_owned(),
            reference: plan.to_string(),
            sequence,
            ..TransactionPosted::default()
        };
        let event = Event::new("adfolio.wallet.v1.TransactionPosted", user, &posted).unwrap();
        outbox.say_all(vec![event]).await;
        let said = stream.said().await;
        assert_eq!(data(&said, "plan")["id"], plan.to_string());
        let now = ["wallet", "plan"].map(|kind| data(&said, kind)["sequence"].as_i64().unwrap());
        assert!(
            newest[0] < now[0] && newest[1] < now[1],
            "{newest:?} {now:?}"
        );
        assert_eq!(now[0], sequence);
        newest = now;
    }
    // What says nothing of postings takes none back.
    let event_type = "adfolio.wallet.v1.WalletSecurityChanged";
    outbox.say(event_type, user, json!({})).await;
    assert_eq!(data(&stream.said().await, "wallet")["sequence"], 3);
    let changed = json!({"planId": plan.to_string()});
    outbox
        .say("adfolio.plan.v1.PlanStatusChanged", user, changed)
        .await;
    let later = data(&stream.said().await, "plan")["sequence"].as_i64();
    assert!(later > Some(newest[1]));
    // Without the count, the page has to ask.
    front.fakes.said().away = true;
    outbox
        .say("adfolio.notification.v1.InboxChanged", user, json!({}))
        .await;
    assert_eq!(data(&stream.said().await, "unread")["total"], Value::Null);
}

#[tokio::test]
async fn what_happens_in_quick_succession_is_told_once() {
    let front = Front::start().await;
    let outbox = Outbox::start(&front).await;
    let user = Uuid::now_v7();
    let mut stream = Stream::followed(&front, user).await;
    // In one transaction, so that all of them are on their way before the stream says anything.
    let mut events: Vec<Event> = (0..400).map(|_| posted(user, "consume")).collect();
    events.push(Event::new("adfolio.notification.v1.InboxChanged", user, &json!({})).unwrap());
    outbox.say_all(events).await;
    let mut words = 0;
    loop {
        words += 1;
        if stream.told().await.contains(&"unread".to_owned()) {
            break;
        }
    }
    assert!(words < 40, "{words} words for 400 events");
}

#[tokio::test]
async fn after_a_gap_everything_is_told() {
    let broker = adfolio_testkit::TestBroker::namespace();
    let url = std::env::var("AMQP_URL").unwrap();
    let address = url
        .rsplit('@')
        .next()
        .unwrap()
        .trim_start_matches("amqp://");
    let address = address.split('/').next().unwrap().to_owned();
    let proxy = Proxy::start(&address).await;
    let through = url.replace(&address, &proxy.address().to_string());
    let front = Front::start_with(|config| config.broker = broker.args_at(&through)).await;
    let mut stream = Stream::followed(&front, Uuid::now_v7()).await;
    proxy.cut();
    assert_eq!(stream.told().await, ["unread", "wallet", "plan"]);
}

#[tokio::test]
async fn a_stream_ends_with_its_session_and_with_the_account() {
    let front = Front::start_with(|config| config.session_cache_seconds = 60).await;
    let outbox = Outbox::start(&front).await;
    let (leaver, disabled) = (Uuid::now_v7(), Uuid::now_v7());
    let stream = Stream::followed(&front, leaver).await;
    front.fakes.said().ended.push(leaver);
    let revoked = json!({"userId": leaver.to_string(), "all": true});
    outbox
        .say("adfolio.auth.v1.SessionsRevoked", leaver, revoked)
        .await;
    stream.ends().await;

    let stream = Stream::followed(&front, disabled).await;
    let mut witness = Stream::followed(&front, Uuid::now_v7()).await;
    front.fakes.said().state = UserState::Disabled;
    let changed = json!({"userId": disabled.to_string(), "state": "disabled"});
    outbox
        .say("adfolio.auth.v1.AccountStateChanged", disabled, changed)
        .await;
    stream.ends().await;
    // Nobody else was asked about.
    let announced = AnnouncementPublished::default();
    let event_type = "adfolio.notification.v1.AnnouncementPublished";
    publish_event(&front.broker.broker(), event_type, "all", &announced).await;
    assert_eq!(witness.told().await, ["unread"]);
}

#[tokio::test]
async fn what_is_told_twice_and_shuffled_ends_what_has_ended_and_nothing_else() {
    let front = Front::start_with(|config| config.session_cache_seconds = 60).await;
    let broker = front.broker.broker();
    let (ann, bob, gone, last) = (
        Uuid::now_v7(),
        Uuid::now_v7(),
        Uuid::now_v7(),
        Uuid::now_v7(),
    );
    let mut anns = Stream::followed(&front, ann).await;
    let mut bobs = Stream::followed(&front, bob).await;
    let ending = Stream::followed(&front, gone).await;
    let ending_last = Stream::followed(&front, last).await;
    let of = |event_type: &'static str, user: Uuid| {
        let data = json!({"userId": user.to_string(), "all": true, "state": "active"});
        Told::new(event_type, user, &data)
    };
    let inbox = "adfolio.notification.v1.InboxChanged";
    let status = "adfolio.plan.v1.PlanStatusChanged";
    let revoked = "adfolio.auth.v1.SessionsRevoked";
    let mut told = Vec::new();
    for _ in 0..4 {
        told.extend([
            of(inbox, ann),
            of("adfolio.wallet.v1.WithdrawalStatusChanged", ann),
            of("adfolio.auth.v1.AccountStateChanged", ann),
            of(revoked, ann),
            of(status, bob),
            of(revoked, bob),
            of("adfolio.coupon.v1.CouponClaimed", bob),
            of(revoked, gone),
            of("adfolio.wallet.v1.WalletSecurityChanged", gone),
        ]);
    }
    front.fakes.said().ended.extend([gone, last]);
    deliver_twice_and_shuffled(&broker, &told).await;
    // Both subscriptions take what they hear in its order, so these come behind all others.
    tell(
        &broker,
        &[of(status, ann), of(inbox, bob), of(revoked, last)],
    )
    .await;
    assert_eq!(
        anns.told_until("plan").await,
        BTreeSet::from(["plan", "unread", "wallet"].map(str::to_owned))
    );
    assert_eq!(
        bobs.told_until("unread").await,
        BTreeSet::from(["plan", "unread"].map(str::to_owned))
    );
    ending.ends().await;
    ending_last.ends().await;
    let is_let_in = |user: Uuid| {
        let ask = front.get("/stream").header("X-CT", user.to_string());
        async move {
            let answer = ask.send().await.unwrap();
            answer.headers()["content-type"] == "text/event-stream"
        }
    };
    eventually("the last one is out", || async { !is_let_in(last).await }).await;
    assert!(!is_let_in(gone).await);
    assert!(is_let_in(ann).await && is_let_in(bob).await);
    // Their streams go on, and tell what happens next.
    for (stream, user) in [(&mut anns, ann), (&mut bobs, bob)] {
        tell(
            &broker,
            &[of("adfolio.wallet.v1.WalletSecurityChanged", user)],
        )
        .await;
        stream.told_until("wallet").await;
    }
}

#[tokio::test]
async fn streams_are_limited_and_a_place_is_free_again_after_one() {
    let front = Front::start_with(|config| config.max_streams = 7).await;
    let user = Uuid::now_v7();
    let mut streams = Vec::new();
    for _ in 0..6 {
        streams.push(Stream::open(&front, user).await);
    }
    let ask = |user: Uuid| front.get("/stream").header("X-CT", user.to_string());
    let refused = front.send(ask(user)).await;
    assert_eq!(
        refused.refusal(),
        (429, 429, "TOO_MANY_ATTEMPTS".to_owned())
    );
    assert!(!refused.header("retry-after").is_empty());
    let _last = Stream::open(&front, Uuid::now_v7()).await;
    let refused = front.send(ask(Uuid::now_v7())).await;
    assert_eq!(refused.refusal(), (503, 500, "UNAVAILABLE".to_owned()));
    streams.clear();
    adfolio_testkit::eventually("a place is free again", || async {
        ask(user).send().await.unwrap().status() == 200
    })
    .await;
    let nobody = front.send(front.get("/stream")).await;
    assert_eq!(nobody.refusal(), (200, 401, "NOT_AUTHENTICATED".to_owned()));
}

#[tokio::test]
async fn a_stream_ends_of_itself_and_with_the_gateway() {
    let front = Front::start_with(|config| config.stream_max_age_seconds = 1).await;
    Stream::open(&front, Uuid::now_v7()).await.ends().await;

    let mut front = Front::start().await;
    let stream = Stream::followed(&front, Uuid::now_v7()).await;
    front.shutdown.trigger();
    stream.ends().await;
    // Well within the drain limit, which nothing holds up.
    let ended = tokio::time::timeout(Duration::from_secs(10), &mut front.task).await;
    ended.expect("the gateway ends").unwrap().unwrap();
}
