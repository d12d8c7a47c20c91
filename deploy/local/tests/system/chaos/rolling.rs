//! Every service and the gateway with two replicas each, restarted one process at a time under
//! load: nobody notices.
//!
//! Advertisers and staff go through every saga, visitors read and log in, and some keep an event
//! stream open. Every call is made once. `ROLLING_ROUNDS` (1) is the number of restarts of each of
//! the fourteen processes.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adfolio_local::{Component, Service, Signal};
use adfolio_testkit::eventually;
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval, timeout},
};
use tokio_util::sync::CancellationToken;

use super::history::History;
use super::{act, check, prepare, remembered, remembering, setting, stop_system};
use crate::{
    client::{Client, Reply},
    setup::{self, PASSWORD, System},
};

/// The drain limit of every process, to which the guarantee applies.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// Advertisers in the sagas, each with a pause between two journeys.
pub(super) const ADVERTISERS: usize = 6;
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// Visitors, each with a call so often, of which some are logins.
const VISITORS: usize = 4;
const VISIT_INTERVAL: Duration = Duration::from_millis(100);
const LOGIN_ONE_IN: usize = 10;

const STREAMS: usize = 3;

/// What visitors read: every service answers some of it.
pub const READS: [&str; 7] = [
    "/user/property",
    "/plan/order/list",
    "/user_coupon/list",
    "/acceptor/order/list",
    "/user/info",
    "/transaction_flow/list",
    "/plan/product/list",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_of_everything_costs_nobody_a_request() {
    let rounds = setting("ROLLING_ROUNDS").unwrap_or(1);
    let system = Arc::new(remembering(processes(setup::builder().two_replicas())).await);
    let stage = Arc::new(prepare(&system).await.with_pause(PAUSE).with_patience());
    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 1, 0..ADVERTISERS, &stop).await;
    let audience = Audience::come(&system, &stop).await;
    let began = Instant::now();
    for round in 1..=rounds {
        println!("round {round}");
        for service in Service::ALL.into_iter().rev() {
            restart(&system, Component::Service(service)).await;
            restart(&system, Component::Second(service)).await;
        }
    }
    let loaded = began.elapsed();
    audience.assert_still_told(&system).await;
    stop.cancel();
    let histories = remembered(acting).await;
    let seen = audience.leave(&histories).await;
    println!(
        "{} restarts in {:.0} s: {seen}",
        14 * rounds,
        loaded.as_secs_f32()
    );
    seen.assert_nothing_failed(&system, &histories).await;
    stop_system(system).await;
}

/// Processes with their default limits.
pub fn processes(mut builder: adfolio_local::StackBuilder) -> adfolio_local::StackBuilder {
    for service in Service::ALL {
        let limit = DRAIN_LIMIT.as_secs().to_string();
        builder = builder.extra_env(service, "DRAIN_LIMIT_SECONDS", limit);
    }
    builder.extra_env(Service::Gateway, "NOTICE_SECONDS", "5")
}

/// Stops a process and waits until it has been restarted.
pub async fn restart(system: &System, process: Component) {
    let began = Instant::now();
    let ended = timeout(DRAIN_LIMIT, system.stack.kill(process, Signal::SIGTERM)).await;
    let ended = ended.unwrap_or_else(|_| panic!("{process} runs on after {DRAIN_LIMIT:?}"));
    ended.unwrap();
    let gone = began.elapsed();
    system.stack.wait_ready(process).await.unwrap();
    println!(
        "{process} was gone {:.1} s after SIGTERM, its successor ready {:.1} s later",
        gone.as_secs_f32(),
        began.elapsed().saturating_sub(gone).as_secs_f32()
    );
}

/// Requests made once, and those that failed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    calls: usize,
    logins: usize,
    streams: usize,
    failures: Vec<String>,
}

impl Seen {
    fn note(&mut self, what: &str, outcome: Result<Reply, String>) {
        self.calls += 1;
        match outcome {
            Ok(reply) if reply.http_status == 200 && reply.code == 200 => {}
            other => self.fail(format!("{what}: {other:?}")),
        }
    }

    fn fail(&mut self, problem: String) {
        println!("failed: {problem}");
        self.failures.push(problem);
    }

    /// Not a request: the books contain what was answered.
    pub(super) async fn assert_nothing_failed(&self, system: &System, histories: &[History]) {
        check::wait_until_quiet(system).await;
        for history in histories {
            check::compare(system, history).await;
        }
        assert!(self.failures.is_empty(), "{:#?}", self.failures);
    }

    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.logins += other.logins;
        self.streams += other.streams;
        self.failures.extend(other.failures);
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} calls ({} of them logins) and {} event streams, {} failed",
            self.calls,
            self.logins,
            self.streams,
            self.failures.len()
        )
    }
}

/// Visitors and stream readers.
pub(super) struct Audience {
    user_id: String,
    told: Vec<Arc<AtomicUsize>>,
    present: Vec<JoinHandle<Seen>>,
}

impl Audience {
    pub(super) async fn come(system: &System, stop: &CancellationToken) -> Self {
        let user = system.advertiser("visitor").await;
        // A separate user: many sessions of one user end the oldest.
        system.advertiser("guest").await;
        let login = json!({"username": "guest", "password": PASSWORD});
        let mut present = Vec::new();
        for _ in 0..VISITORS {
            let (client, anyone) = (user.client.clone(), system.anyone.clone());
            present.push(tokio::spawn(visit(
                client,
                anyone,
                login.clone(),
                stop.clone(),
            )));
        }
        let mut told = Vec::new();
        for _ in 0..STREAMS {
            let heard = Arc::new(AtomicUsize::new(0));
            told.push(Arc::clone(&heard));
            present.push(tokio::spawn(listen(
                user.client.clone(),
                heard,
                stop.clone(),
            )));
        }
        Self {
            user_id: user.id,
            told,
            present,
        }
    }

    /// A stream reader receives new events.
    pub(super) async fn assert_still_told(&self, system: &System) {
        let count = || -> Vec<usize> {
            let counts = self.told.iter().map(|told| told.load(Ordering::SeqCst));
            counts.collect()
        };
        let before = count();
        system.deposit(&self.user_id, "1.00").await;
        eventually("every stream tells of the deposit", || {
            let all = count()
                .iter()
                .zip(&before)
                .all(|(now, before)| now > before);
            std::future::ready(all)
        })
        .await;
    }

    /// What its members saw, together with the advertisers' results.
    pub(super) async fn leave(self, histories: &[History]) -> Seen {
        let mut seen = Seen::default();
        for one in self.present {
            seen.add(one.await.unwrap());
        }
        for history in histories {
            seen.calls += history.answered;
            seen.failures.extend(history.unavailable.iter().cloned());
        }
        seen
    }
}

/// Reads pages in turn and sometimes logs in, until stopped.
async fn visit(client: Client, anyone: Client, login: Value, stop: CancellationToken) -> Seen {
    let mut seen = Seen::default();
    let mut ticks = interval(VISIT_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for turn in 1.. {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stop.cancelled() => break,
        }
        if turn % LOGIN_ONE_IN == 0 {
            let path = "/auth/v2/login";
            seen.note(path, anyone.try_post(path, &login).await);
            seen.logins += 1;
        } else if turn % READS.len() == 0 {
            let path = "/user/notifications/unread_count";
            seen.note(path, client.try_post(path, &json!({})).await);
        } else {
            let path = READS[turn % READS.len()];
            seen.note(path, client.try_get(path).await);
        }
    }
    seen
}

/// Keeps an event stream open, and opens another when it ends, as it must in order. Counts the
/// wallet's events in `told`.
async fn listen(client: Client, told: Arc<AtomicUsize>, stop: CancellationToken) -> Seen {
    let mut seen = Seen::default();
    while !stop.is_cancelled() {
        let mut stream = match client.try_stream().await {
            Ok(stream) => stream,
            Err(problem) => {
                seen.fail(format!("no stream: {problem}"));
                return seen;
            }
        };
        seen.streams += 1;
        loop {
            let piece = tokio::select! {
                piece = stream.chunk() => piece,
                () = stop.cancelled() => return seen,
            };
            match piece {
                Ok(Some(piece)) => {
                    let text = String::from_utf8_lossy(&piece);
                    told.fetch_add(text.matches("event: wallet").count(), Ordering::SeqCst);
                }
                Ok(None) => break,
                Err(problem) => {
                    seen.fail(format!("a stream broke off: {problem:?}"));
                    return seen;
                }
            }
        }
    }
    seen
}
