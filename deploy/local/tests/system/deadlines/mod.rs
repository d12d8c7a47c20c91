//! Every method of every service ends by its caller's deadline while a dependency hangs, and by its
//! own limit if the caller has none.
//!
//! The methods come from the descriptors, so new ones are included. Only the server ends a call
//! here: the caller would wait forever.

mod contract;
mod raw;
mod recorder;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use adfolio_kit::deadline::DEFAULT_CALL_LIMIT;
use adfolio_local::{Component, Service, Signal, Stack};
use adfolio_proto::plan::v1::PutPlanRequest;
use adfolio_proto::plan::v1::put_plan_request::Target;
use adfolio_testkit::eventually;
use futures::future::join_all;
use prost::Message as _;
use serde_json::json;
use tokio::time::{Instant, timeout};
use tonic::Code;

use crate::setup::{Advertiser, System};
use contract::{Method, NOBODY, methods};
use raw::{Ended, Raw};
use recorder::Recorder;

/// The callers' timeout: shorter than the services' own limits for calling each other.
const DEADLINE: Duration = Duration::from_secs(2);

/// A call that has not ended this long after its deadline hangs: wide enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// Calls until every service has called auth: everything the first time, then only services that
/// have not called it yet.
const WALKS: usize = 20;

/// The services that look up users at auth.
const ASKING: [Service; 5] = [
    Service::Plan,
    Service::Wallet,
    Service::Coupon,
    Service::Notification,
    Service::Acceptor,
];

/// Methods that can answer without their database, each with the reason.
const NEED_NO_DATABASE: [(&str, &str); 8] = [
    (
        "/adfolio.auth.v1.AuthAdminService/StartPasskeyLogin",
        "a ceremony is sealed and stored nowhere",
    ),
    (
        "/adfolio.auth.v1.AuthAdminService/LoginWithPasskey",
        "only what was sealed here is looked up",
    ),
    (
        "/adfolio.auth.v1.AuthAdminService/RegisterPasskey",
        "only what was sealed here is looked up",
    ),
    (
        "/adfolio.auth.v1.AuthAdminService/ConfirmWithPasskey",
        "only what was sealed here is looked up",
    ),
    (
        "/adfolio.auth.v1.AuthAdminService/GetWaiting",
        "counts dead letters at RabbitMQ",
    ),
    (
        "/adfolio.wallet.v1.WalletService/GetWithdrawalMethods",
        "tells what the process was configured with",
    ),
    (
        "/adfolio.acceptor.v1.AcceptorService/GetExchangeLimit",
        "tells what the process was configured with",
    ),
    (
        "/adfolio.notification.v1.NotificationService/GetPushKey",
        "tells what the process was configured with",
    ),
];

/// Methods that ask auth and can answer without it, each with the reason.
const NEED_NO_AUTH: [(&str, &str); 1] = [(
    "/adfolio.wallet.v1.WalletAdminService/OpenMembership",
    "posts the fee; auth learns of the membership from the event",
)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_method_ends_by_its_deadline_while_what_it_needs_hangs() {
    let (recorder, recorder_url) = Recorder::start().await;
    // Unencrypted, because the caller here has no certificate.
    let mut builder = Stack::builder().without_four_eyes().without_second_factor();
    for service in ASKING {
        builder = builder.extra_env(service, "AUTH_URL", &recorder_url);
    }
    let system = System::start_from(builder).await;
    recorder.pass_on_to(&system.stack.grpc_url(Service::Auth));
    let product = system.product("Deadlines").await;
    let user = system.advertiser("ada").await;
    system.deposit(&user.id, "1000.00").await;
    let walk = Walk::prepare(&system, &product).await;
    println!("{} methods", walk.methods.len());

    // First, because the books are compared there, and a walk holds money for unknown orders.
    the_outermost_deadline_counts(&system, &walk, &user, &product).await;
    deadlines_are_passed_on(&walk, &recorder).await;
    let postgres = Component::Postgres;
    system.stack.kill(postgres, Signal::SIGSTOP).await.unwrap();
    let ended = walk.go(Some(DEADLINE)).await;
    report("PostgreSQL frozen, callers with a deadline", &ended);
    refused_are_known(&ended);
    let ended = walk.go(None).await;
    report("PostgreSQL frozen, callers without a deadline", &ended);
    refused_are_known(&ended);
    system.stack.kill(postgres, Signal::SIGCONT).await.unwrap();
    system.stack.stop().await;
}

/// A connection to each service, and its methods.
struct Walk {
    methods: Vec<Method>,
    services: BTreeMap<Service, Raw>,
}

impl Walk {
    async fn prepare(system: &System, product: &str) -> Self {
        let acceptor = json!({"kind": "personal", "name": "Harbour Exchange Ltd"});
        let acceptor = system.admin.post("/admin/acceptor/create", acceptor);
        let operator = json!({"name": "Harbour Media"});
        let operator = system.admin.post("/admin/operator/create", operator);
        let (acceptor, operator) = (acceptor.await.ok(), operator.await.ok());
        let methods = methods(&[
            ("product_id", product),
            ("acceptor_id", acceptor["id"].as_str().unwrap()),
            ("operator_id", operator["id"].as_str().unwrap()),
        ]);
        let serving: BTreeSet<Service> = methods.iter().map(|method| method.service).collect();
        let mut services = BTreeMap::new();
        for service in serving {
            services.insert(service, Raw::connect(&system.stack, service).await);
        }
        Self { methods, services }
    }

    /// Calls everything at once.
    async fn go(&self, deadline: Option<Duration>) -> Vec<(&Method, Ended)> {
        self.go_to(|_| true, deadline).await
    }

    /// Calls all methods of these services at once.
    async fn go_to(
        &self,
        serves: impl Fn(Service) -> bool,
        deadline: Option<Duration>,
    ) -> Vec<(&Method, Ended)> {
        let methods = self.methods.iter().filter(|method| serves(method.service));
        let calls = methods
            .map(|method| async move { (method, self.call(method, NOBODY, deadline).await) });
        join_all(calls).await
    }

    async fn call(&self, method: &Method, user: &str, deadline: Option<Duration>) -> Ended {
        let limit = deadline.unwrap_or(DEFAULT_CALL_LIMIT) + PATIENCE;
        let called = self.services[&method.service].call(method, user, deadline);
        let ended = timeout(limit, called).await;
        ended.unwrap_or_else(|_| panic!("{} has no end after {limit:?}", method.path))
    }
}

/// While auth's answers are withheld, calls that look up users end by the deadline, and the
/// look-up's timeout was no more than the rest.
async fn deadlines_are_passed_on(walk: &Walk, recorder: &Recorder) {
    let (mut asking, mut asked) = (BTreeSet::new(), Vec::new());
    recorder.hold(true);
    // On a busy machine the time may be over before a service makes its look-up.
    for _ in 0..WALKS {
        recorder.take();
        let ended = walk
            .go_to(|service| !asking.contains(&service), Some(DEADLINE))
            .await;
        report("auth's answers about users held back", &ended);
        for question in recorder.take() {
            // Background jobs make look-ups, too, and so do remains of an earlier walk.
            let method = ended
                .iter()
                .find(|(_, ended)| ended.request_id == question.on_behalf_of);
            let Some((method, ended)) = method else {
                continue;
            };
            assert!(question.timeout <= DEADLINE, "{question:?}");
            let answers = NEED_NO_AUTH.iter().any(|(path, _)| *path == method.path);
            assert!(answers || is_overdue(ended), "{}: {ended:?}", method.path);
            asking.insert(method.service);
            asked.push(question.timeout);
        }
        if asking == BTreeSet::from(ASKING) {
            break;
        }
    }
    recorder.hold(false);
    println!(
        "auth was asked {} times, and given {:?} to {:?} of {DEADLINE:?}",
        asked.len(),
        asked.iter().min().unwrap(),
        asked.iter().max().unwrap(),
    );
    assert_eq!(asking, BTreeSet::from(ASKING), "who asked auth");
}

/// A put goes from the gateway to plan and on to wallet, which hangs.
async fn the_outermost_deadline_counts(
    system: &System,
    walk: &Walk,
    user: &Advertiser,
    product: &str,
) {
    let frozen = Service::Wallet;
    system.stack.kill(frozen, Signal::SIGSTOP).await.unwrap();
    let message = PutPlanRequest {
        target: Some(Target::ProductId(product.to_owned())),
        amount_minor: 1_000,
        user_coupon_id: String::new(),
    };
    let put = Method {
        service: Service::Plan,
        path: "/adfolio.plan.v1.PlanService/PutPlan".to_owned(),
        takes_stream: false,
        messages: vec![message.encode_to_vec().into()],
    };
    let ended = walk.call(&put, &user.id, Some(DEADLINE)).await;
    assert!(is_overdue(&ended), "{ended:?}");
    println!("wallet frozen: a put at plan ended after {:?}", ended.after);
    let body = json!({"product_id": product, "amount": "10.00"});
    let began = Instant::now();
    let reply = user
        .client
        .post_keyed("/plan/order/put", "put", body.clone());
    let reply = reply.await;
    assert_eq!(reply.reason(), "UNAVAILABLE", "{reply:?}");
    println!(
        "wallet frozen: a put at the gateway ended after {:.1} s",
        began.elapsed().as_secs_f32()
    );
    system.stack.kill(frozen, Signal::SIGCONT).await.unwrap();
    // Nobody can know whether they had reached a row before their time was over: the keys make a
    // retry safe.
    eventually("both puts are done, once each", || async {
        let at_plan = walk.call(&put, &user.id, None).await;
        let again = user
            .client
            .post_keyed("/plan/order/put", "put", body.clone());
        let at_gateway = again.await;
        at_plan.code == Code::Ok && at_gateway.code == 200 && user.plans().await.len() == 2
    })
    .await;
    system.assert_reconciled().await;
}

/// As far as the server knows, it failed in time.
fn is_overdue(ended: &Ended) -> bool {
    matches!(ended.code, Code::DeadlineExceeded | Code::Unavailable)
}

/// Only the known methods answer without the database.
fn refused_are_known(ended: &[(&Method, Ended)]) {
    let known: BTreeSet<&str> = NEED_NO_DATABASE.iter().map(|(path, _)| *path).collect();
    let mut without = BTreeSet::new();
    for (method, ended) in ended.iter().filter(|(_, ended)| !is_overdue(ended)) {
        println!("  {}: {:?} {}", method.path, ended.code, ended.message);
        without.insert(method.path.as_str());
    }
    assert_eq!(without, known, "who came to an end without the database");
}

/// How many ended in which way, and when the last one did.
fn report(what: &str, ended: &[(&Method, Ended)]) {
    let mut codes: BTreeMap<String, (usize, Duration)> = BTreeMap::new();
    for (_, ended) in ended {
        let (count, longest) = codes.entry(format!("{:?}", ended.code)).or_default();
        *count += 1;
        *longest = (*longest).max(ended.after);
    }
    let codes = codes.iter().map(|(code, (count, longest))| {
        format!(
            "{count} {code} (the last after {:.2} s)",
            longest.as_secs_f32()
        )
    });
    println!("{what}: {}", codes.collect::<Vec<_>>().join(", "));
}
