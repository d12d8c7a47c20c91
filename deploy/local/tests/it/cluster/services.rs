//! The services on a cluster: what their users see of faults.

use std::env;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_local::{Cluster, Part, Stack};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{CALM, FAULT_DURATION, HEAL_LIMIT, wait_replaced};

/// A call is answered within this time, come what may.
const ANSWER_LIMIT: Duration = Duration::from_secs(12);

/// Pause between two calls.
const PAUSE: Duration = Duration::from_millis(300);

const PASSWORD: &str = "cluster-admin-1";

/// How a call ended: after which time, and whether it succeeded or was refused for a while.
#[derive(Clone, Copy, Debug)]
struct Answer {
    took: Duration,
    succeeded: bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs patroni, etcd and haproxy, and built services"]
async fn the_services_on_a_cluster_answer_through_faults() {
    let mut cluster = Cluster::builder().start().await.unwrap();
    let mut builder = cluster
        .stack()
        .admin_password(PASSWORD)
        .without_second_factor();
    if let Some(programs) = env::var_os("ADFOLIO_PROGRAMS") {
        builder = builder.programs(programs);
    }
    let stack = builder.start().await.unwrap();
    let answers = Arc::new(Mutex::new(Vec::new()));
    let stop = CancellationToken::new();
    let calling = tokio::spawn(call_on(
        login_url(&stack),
        Arc::clone(&answers),
        stop.clone(),
    ));

    let report = |fault: &str| {
        let answers = std::mem::take(&mut *answers.lock().unwrap());
        let refused = answers.iter().filter(|it| !it.succeeded).count();
        let slowest = answers.iter().map(|it| it.took).max().unwrap();
        println!(
            "{fault}: {} calls, {refused} refused, the slowest took {:.2} s",
            answers.len(),
            slowest.as_secs_f32()
        );
        assert!(answers.last().unwrap().succeeded, "{fault}: calls fail on");
    };
    sleep(CALM).await;
    report("calm");

    let primary = cluster.primary().await.unwrap();
    cluster.kill(primary, &[Part::Postgres]).await;
    wait_replaced(&cluster, primary).await;
    cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
    report("PostgreSQL killed");

    cluster.switch_over(None).await.unwrap();
    cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
    report("switched over");

    let primary = cluster.primary().await.unwrap();
    cluster.kill(primary, &Part::ALL).await;
    wait_replaced(&cluster, primary).await;
    cluster.start(primary, &Part::ALL);
    cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
    report("machine killed");

    let primary = cluster.primary().await.unwrap();
    cluster.kill(primary, &[Part::Rabbitmq]).await;
    sleep(FAULT_DURATION).await;
    cluster.start(primary, &[Part::Rabbitmq]);
    cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
    report("RabbitMQ killed");

    stop.cancel();
    calling.await.unwrap();
    stack.stop().await;
    cluster.stop().await;
}

fn login_url(stack: &Stack) -> String {
    format!("{}/api/admin/login", stack.url())
}

/// Logs in again and again, which writes to a database. Every call is answered, or refused because changes are paused.
async fn call_on(url: String, answers: Arc<Mutex<Vec<Answer>>>, stop: CancellationToken) {
    let client = Client::builder().timeout(ANSWER_LIMIT).build().unwrap();
    let body = json!({"username": "admin", "password": PASSWORD});
    while !stop.is_cancelled() {
        let began = Instant::now();
        let answer = client.post(&url).json(&body).send().await;
        let answer = answer.expect("a call is not answered");
        let status = answer.status();
        let body: Value = answer.json().await.unwrap();
        assert!(
            [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE].contains(&status),
            "{status}: {body}"
        );
        answers.lock().unwrap().push(Answer {
            took: began.elapsed(),
            succeeded: status == StatusCode::OK && body["data"]["token"].is_string(),
        });
        sleep(PAUSE).await;
    }
}
