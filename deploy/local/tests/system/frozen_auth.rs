//! A frozen auth: known callers continue as long as their sessions are cached, anonymous calls are
//! not affected, everyone else gets a timely UNAVAILABLE, and nobody is logged out.

use std::{fs, pin::pin, time::Duration};

use adfolio_local::{Service, Signal};
use adfolio_testkit::{eventually, raise_file_limit};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, sleep_until},
};

use crate::{
    client::{Client, Reply},
    setup::{Advertiser, PASSWORD, System, builder},
};

/// How long the gateway caches a session.
const BELIEVED_FOR: Duration = Duration::from_secs(1);

/// Concurrent calls that wait for auth, each with its own token.
const CROWD: usize = 1_000;

/// Most memory the gateway may use for all of them: a connection, a task and a place in a queue
/// each.
const CROWD_BYTES: u64 = 128 << 20;

/// By then a connection to a frozen process has been closed: a ping and the limit of its answer.
const NOTICED_AFTER: Duration = Duration::from_secs(16);

/// How often the gateway's memory is sampled.
const POLL: Duration = Duration::from_millis(50);

const CALL: &str = "/user/property";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_auth_fails_who_must_be_known_in_time_and_nobody_else() {
    raise_file_limit(2 * CROWD + 500);
    // The page as served by nginx: other tests check the built client.
    let page = tempfile::tempdir().unwrap();
    fs::write(page.path().join("index.html"), "<!doctype html>").unwrap();
    let system = System::start_from(builder().web(page.path())).await;
    let (known, unknown) = (
        system.advertiser("known").await,
        system.advertiser("unknown").await,
    );
    freeze_while_known(&system, &known).await;
    println!("auth frozen");

    let began = Instant::now();
    let waiting = [
        timed(&unknown.client, CALL),
        timed(&known.client, "/user/sessions"),
        timed(&system.admin, "/admin/staff/list"),
        login(&system, &unknown),
    ];
    for path in ["/auth/v2/lang", "/basic_config"] {
        system.anyone.get(path).await.ok();
    }
    for page in ["/", "/api/openapi.json"] {
        let answer = reqwest::get(format!("{}{page}", system.stack.url())).await;
        assert!(answer.unwrap().status().is_success(), "{page}");
    }
    println!(
        "the page and three calls that need no user were answered within {} ms",
        began.elapsed().as_millis()
    );
    assert!(
        waiting.iter().all(|call| !call.is_finished()),
        "auth was not needed"
    );
    for (call, who) in waiting.into_iter().zip([
        "a user",
        "a user at auth itself",
        "a member of staff",
        "a login",
    ]) {
        let (reply, elapsed) = call.await.unwrap();
        assert_unavailable(&reply);
        println!("{who} was refused after {:.1} s", elapsed.as_secs_f32());
    }
    crowd_is_told(&system).await;
    let noticed = began + NOTICED_AFTER;
    sleep_until(noticed).await;
    let (reply, elapsed) = timed(&unknown.client, CALL).await.unwrap();
    assert_unavailable(&reply);
    println!(
        "{NOTICED_AFTER:?} after the beginning a user was refused after {:.1} s",
        elapsed.as_secs_f32()
    );

    all_is_well_again(&system, &known, &unknown).await;
    system.stack.stop().await;
}

/// After auth resumes.
async fn all_is_well_again(system: &System, known: &Advertiser, unknown: &Advertiser) {
    let thawed = Instant::now();
    thaw(system).await;
    eventually("auth is found again", || async {
        unknown.client.get(CALL).await.code == 200
    })
    .await;
    println!(
        "a user was answered {} ms after auth went on",
        thawed.elapsed().as_millis()
    );
    // Nobody was logged out, and the crowd's tokens have not changed.
    for (client, path) in [
        (&known.client, CALL),
        (&known.client, "/user/sessions"),
        (&system.admin, "/admin/staff/list"),
    ] {
        client.get(path).await.ok();
    }
    login(system, unknown).await.unwrap().0.ok();
    let reply = made_up(&system.anyone).get(CALL).await;
    assert_eq!(reply.reason(), "NOT_AUTHENTICATED", "{reply:?}");
}

/// Freezes auth, and shows that a caller with a cached session continues.
async fn freeze_while_known(system: &System, known: &Advertiser) {
    eventually("a call follows the freeze at once", || async {
        let asked = Instant::now();
        known.client.get(CALL).await.ok();
        system
            .stack
            .kill(Service::Auth, Signal::SIGSTOP)
            .await
            .unwrap();
        let reply = known.client.get(CALL).await;
        // On a busy machine the second call may start late.
        if reply.code == 200 {
            return true;
        }
        assert!(asked.elapsed() > BELIEVED_FOR, "{reply:?}");
        assert_unavailable(&reply);
        thaw(system).await;
        false
    })
    .await;
}

async fn thaw(system: &System) {
    system
        .stack
        .kill(Service::Auth, Signal::SIGCONT)
        .await
        .unwrap();
}

/// Many calls wait for auth: all are answered, and the gateway's memory stays bounded.
async fn crowd_is_told(system: &System) {
    // Not through nginx, which has its own limits.
    let direct = Client::new(&system.stack.grpc_url(Service::Gateway));
    let before = resident(system);
    let calls: Vec<_> = (0..CROWD).map(|_| timed(&made_up(&direct), CALL)).collect();
    let (mut longest, mut most) = (Duration::ZERO, 0);
    let mut ended = pin!(join_all(calls));
    let ended = loop {
        most = most.max(resident(system));
        tokio::select! {
            ended = &mut ended => break ended,
            () = sleep(POLL) => {}
        }
    };
    for call in ended {
        let (reply, elapsed) = call.unwrap();
        assert_unavailable(&reply);
        longest = longest.max(elapsed);
    }
    let grown = most.saturating_sub(before);
    println!(
        "{CROWD} at once, all told after {:.1} s at most; the gateway had {} MB, {} MB more than before",
        longest.as_secs_f32(),
        most >> 20,
        grown >> 20
    );
    assert!(grown < CROWD_BYTES, "the gateway took {grown} bytes more");
}

/// A running call and its duration.
fn timed(client: &Client, path: &'static str) -> JoinHandle<(Reply, Duration)> {
    let client = client.clone();
    tokio::spawn(async move {
        let began = Instant::now();
        let reply = client.get(path).await;
        (reply, began.elapsed())
    })
}

fn login(system: &System, user: &Advertiser) -> JoinHandle<(Reply, Duration)> {
    let client = system.anyone.clone();
    let body = json!({"username": user.username, "password": PASSWORD});
    tokio::spawn(async move {
        let began = Instant::now();
        let reply = client.post("/auth/v2/login", body).await;
        (reply, began.elapsed())
    })
}

/// A caller with a token that was never issued, which only auth can tell.
fn made_up(anyone: &Client) -> Client {
    anyone.with_token(&hex::encode(rand::random::<[u8; 32]>()))
}

/// UNAVAILABLE, not NOT_AUTHENTICATED.
#[track_caller]
fn assert_unavailable(reply: &Reply) {
    assert_eq!(
        (reply.code, reply.reason()),
        (500, "UNAVAILABLE"),
        "{reply:?}"
    );
    assert!([503, 504].contains(&reply.http_status), "{reply:?}");
    assert!(
        !reply.msg.is_empty() && reply.data != Value::Null,
        "{reply:?}"
    );
}

/// The gateway's memory in bytes.
fn resident(system: &System) -> u64 {
    let pid = system.stack.pid(Service::Gateway).unwrap();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes: u64 = line
        .and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap();
    kilobytes << 10
}
