//! Processes that are stopped while their calls hang.

use std::time::Duration;

use adfolio_local::{Component, Service, Signal, Stack};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::{
    client::{Client, Reply},
    setup::{self, PASSWORD, System},
};

/// The drain limit of every process, to which the guarantee applies.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// A call without an answer by then hangs; any other takes a fraction of it.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_calls_hang_is_gone_within_its_limit() {
    let mut builder = setup::builder();
    for service in Service::ALL {
        let limit = DRAIN_LIMIT.as_secs().to_string();
        builder = builder.extra_env(service, "DRAIN_LIMIT_SECONDS", limit);
    }
    // The gateway knows the session, so its calls reach the service that they are for.
    let builder = builder
        .extra_env(Service::Gateway, "SESSION_CACHE_SECONDS", "60")
        .extra_env(Service::Gateway, "NOTICE_SECONDS", "5");
    let system = System::start_from(builder).await;
    let user = system.advertiser("ada").await;
    system.deposit(&user.id, "100.00").await;
    let product = system.product("Hanging").await;
    // From here on nothing that needs a database is answered.
    user.client.get("/user/info").await.ok();
    let database = Component::Postgres;
    system.stack.kill(database, Signal::SIGSTOP).await.unwrap();
    let hanging = calls_of_all_services(&system, &user.client, &product);
    tokio::time::sleep(ANSWER_LIMIT).await;
    for (path, call) in &hanging {
        assert!(!call.is_finished(), "{path} needs no database");
    }

    join_all(Service::ALL.map(|service| end(&system.stack, service))).await;
    for (path, call) in hanging {
        let answer = call.await.unwrap();
        let done = answer.as_ref().is_ok_and(|reply| reply.code == 200);
        assert!(!done, "{path} was answered without a database: {answer:?}");
    }
    system.stack.kill(database, Signal::SIGCONT).await.unwrap();
    for service in Service::ALL {
        system.stack.wait_ready(service).await.unwrap();
    }
    system.assert_reconciled().await;
    system.stack.stop().await;
}

type Hanging = (&'static str, tokio::task::JoinHandle<Result<Reply, String>>);

/// A running call to each service.
fn calls_of_all_services(system: &System, client: &Client, product: &str) -> Vec<Hanging> {
    let put = json!({"product_id": product, "amount": "10.00"});
    let calls: [(&'static str, &Client, Value); 6] = [
        (
            "/auth/v2/login",
            &system.anyone,
            json!({"username": "ada", "password": PASSWORD}),
        ),
        ("/plan/order/put", client, put),
        ("/user/notifications/unread_count", client, json!({})),
        ("GET /user/property", client, Value::Null),
        ("GET /user_coupon/list", client, Value::Null),
        ("GET /acceptor/order/list", client, Value::Null),
    ];
    let started = calls.map(|(path, client, body)| {
        let client = client.clone();
        let call = tokio::spawn(async move {
            match path.strip_prefix("GET ") {
                Some(path) => client.try_get(path).await,
                None => client.try_post(path, &body).await,
            }
        });
        (path, call)
    });
    started.into()
}

/// Stops a process and waits until it is gone.
async fn end(stack: &Stack, service: Service) {
    let began = Instant::now();
    let ended = timeout(DRAIN_LIMIT, stack.kill(service, Signal::SIGTERM)).await;
    let ended = ended.unwrap_or_else(|_| panic!("{service} runs on after {DRAIN_LIMIT:?}"));
    ended.unwrap();
    println!(
        "{service}, whose calls hang, was gone {:.1} s after SIGTERM",
        began.elapsed().as_secs_f32()
    );
}
