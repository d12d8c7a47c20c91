//! Several replicas of everything: calls are spread over them, jobs are done once, and neither a
//! restart nor adding or removing a replica fails a request.
//!
//! `SCALE_RATE` (50) requests a second come through nginx all the time. `SCALE_ROUNDS` (0) is the
//! number of restarts of each process, `SCALE_SECONDS` (5) the shortest time for counting each
//! replica's share.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use adfolio_local::{Component, Service};
use adfolio_testkit::{eventually, inboxes};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use super::{
    books::database,
    check,
    load::{Load, Users},
    remembering,
    rolling::{processes, restart},
    setting,
};
use crate::setup::System;

/// An additional replica must be called within this time.
const ADDED_LIMIT: Duration = Duration::from_secs(30);

/// How often that is checked.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// The share of calls of each of three replicas, in percent.
const SHARE_OF_THREE: std::ops::RangeInclusive<u64> = 25..=42;

/// The share of each of two while a configured third is not running: its calls go to the other two.
const SHARE_OF_TWO: std::ops::RangeInclusive<u64> = 30..=70;

/// The load publishes events for these two: the audit log and the inboxes.
const CONSUMING: [Service; 2] = [Service::Auth, Service::Notification];

/// Fewer calls of a service say nothing about shares.
const CALLS_COUNTED: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_replica_takes_its_share_and_what_is_done_once_is_done_once() {
    let rounds: usize = setting("SCALE_ROUNDS").unwrap_or(0);
    let rate: u32 = setting("SCALE_RATE").unwrap_or(50);
    let window = Duration::from_secs(setting("SCALE_SECONDS").unwrap_or(5));
    let mut system = remembering(processes(crate::setup::builder().two_of_three_replicas())).await;
    let users = Users::come(&system).await;

    check::wait_until_quiet(&system).await;
    let before = Done::measure(&system).await;
    let load = Load::start(&users, rate);
    tokio::time::sleep(window).await;
    until_both_replicas_consume(&system, &before).await;
    let mut seen = load.stop().await;
    check::wait_until_quiet(&system).await;
    before.assert_once(&Done::measure(&system).await);

    let load = Load::start(&users, rate);
    share(&system, &two(), window, SHARE_OF_TWO).await;
    for round in 1..=rounds {
        println!("round {round}");
        for service in Service::ALL.into_iter().rev() {
            restart(&system, Component::Service(service)).await;
            restart(&system, Component::Second(service)).await;
        }
    }
    add_thirds(&mut system).await;
    share(&system, &three(), window, SHARE_OF_THREE).await;
    for service in Service::ALL {
        system
            .stack
            .remove(Component::Third(service))
            .await
            .unwrap();
    }
    seen.add(load.stop().await);

    println!("{} restarts, {seen}", 14 * rounds);
    check::wait_until_quiet(&system).await;
    assert!(seen.failures.is_empty(), "{:#?}", seen.failures);
    users.assert_have(&seen).await;
    system.stack.stop().await;
}

/// The load continues until each replica has handled some events.
async fn until_both_replicas_consume(system: &System, before: &Done) {
    eventually("both replicas handle events", || async {
        for service in CONSUMING {
            for replica in two()(service) {
                let metrics = metrics(system, replica).await.unwrap();
                if handled(&metrics) == before.handled[&replica] {
                    return false;
                }
            }
        }
        true
    })
    .await;
}

type Replicas = fn(Service) -> Vec<Component>;

fn two() -> Replicas {
    |service| vec![Component::Service(service), Component::Second(service)]
}

fn three() -> Replicas {
    |service| {
        vec![
            Component::Service(service),
            Component::Second(service),
            Component::Third(service),
        ]
    }
}

/// The third replicas start, and each is called within the limit.
async fn add_thirds(system: &mut System) {
    let began = Instant::now();
    for service in Service::ALL {
        system.stack.add(Component::Third(service)).unwrap();
    }
    for service in Service::ALL {
        while calls(system, Component::Third(service)).await.unwrap_or(0) == 0 {
            assert!(
                began.elapsed() < ADDED_LIMIT,
                "the third {service} is not called"
            );
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }
    println!(
        "all third replicas were started and called within {:.1} s",
        began.elapsed().as_secs_f32()
    );
    for service in Service::ALL {
        let third = Component::Third(service);
        system.stack.wait_ready(third).await.unwrap();
    }
}

/// Counts the replicas' shares for a while.
async fn share(
    system: &System,
    replicas: &Replicas,
    window: Duration,
    expected: std::ops::RangeInclusive<u64>,
) {
    let mut before = BTreeMap::new();
    for component in Service::ALL.into_iter().flat_map(replicas) {
        before.insert(component, calls(system, component).await.unwrap());
    }
    tokio::time::sleep(window).await;
    let mut unfair = Vec::new();
    for service in Service::ALL {
        let taken = taken(system, &replicas(service), &before).await;
        let all: u64 = taken.iter().sum();
        let mut line = format!("{service}: {all} calls,");
        for one in &taken {
            let percent = (one * 100 + all / 2).checked_div(all).unwrap_or(0);
            write!(line, " {percent} %").unwrap();
            if !expected.contains(&percent) {
                unfair.push(format!("{service} {taken:?}"));
            }
        }
        println!("{line}");
    }
    assert!(unfair.is_empty(), "{unfair:?}");
}

/// The calls of each of these replicas since then, once there are enough to compare shares.
async fn taken(
    system: &System,
    replicas: &[Component],
    before: &BTreeMap<Component, u64>,
) -> Vec<u64> {
    eventually("enough calls were made", || async {
        let mut taken = Vec::new();
        for replica in replicas {
            taken.push(calls(system, *replica).await.unwrap() - before[replica]);
        }
        (taken.iter().sum::<u64>() >= CALLS_COUNTED).then_some(taken)
    })
    .await
}

/// The calls of a replica since it started; an error while it is not running.
async fn calls(system: &System, replica: Component) -> Result<u64, reqwest::Error> {
    let name = match replica.service() {
        Some(Service::Gateway) => "http_requests_total",
        _ => "grpc_server_calls_total",
    };
    Ok(total(&metrics(system, replica).await?, name, ""))
}

async fn metrics(system: &System, replica: Component) -> Result<String, reqwest::Error> {
    let url = system.stack.replica_admin_url(replica).unwrap();
    reqwest::get(format!("{url}/metrics")).await?.text().await
}

/// The sum of a metric over the series with this in their labels.
fn total(metrics: &str, name: &str, label: &str) -> u64 {
    metrics
        .lines()
        .filter(|line| line.starts_with(name) && line.contains(label))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// The events that a replica has handled since it started.
fn handled(metrics: &str) -> u64 {
    total(metrics, "consumer_events_total", "outcome=\"handled\"")
}

/// Events published and handled by the two replicas of everything, and the expected numbers.
#[derive(Debug)]
struct Done {
    published: BTreeMap<&'static str, u64>,
    told: BTreeMap<&'static str, u64>,
    handled: BTreeMap<Component, u64>,
    concerned: u64,
}

impl Done {
    async fn measure(system: &System) -> Self {
        let base_url = system.stack.database_base_url();
        let (mut published, mut told) = (BTreeMap::new(), BTreeMap::new());
        let mut handled = BTreeMap::new();
        for service in Service::ALL {
            for replica in two()(service) {
                let metrics = metrics(system, replica).await.unwrap();
                *published.entry(service.name()).or_default() +=
                    total(&metrics, "outbox_published_total", "");
                handled.insert(replica, self::handled(&metrics));
            }
        }
        published.remove(Service::Gateway.name());
        for service in inboxes::SERVICES {
            let url = database(&base_url, service);
            let mut connection = PgConnection::connect(&url).await.unwrap();
            let count: i64 = sqlx::query_scalar("SELECT count(*) FROM told")
                .fetch_one(&mut connection)
                .await
                .unwrap();
            told.insert(service, count.unsigned_abs());
        }
        let heard = inboxes::compare(|service| database(&base_url, service), false);
        let heard = heard.await.unwrap();
        Self {
            published,
            told,
            handled,
            concerned: heard
                .iter()
                .map(|heard| u64::try_from(heard.told).unwrap())
                .sum(),
        }
    }

    /// Between the two samples each event was published once, by one replica, and handled once by
    /// each of its consumers, by either replica.
    fn assert_once(&self, after: &Self) {
        for (service, published) in &after.published {
            let published = published - self.published[service];
            let told = after.told[service] - self.told[service];
            assert_eq!(published, told, "events of {service}");
        }
        let handled: BTreeMap<Component, u64> = after
            .handled
            .iter()
            .map(|(replica, all)| (*replica, all - self.handled[replica]))
            .collect();
        let concerned = after.concerned - self.concerned;
        assert_eq!(handled.values().sum::<u64>(), concerned, "events handled");
        println!(
            "{} events were published once, {concerned} times one was handled",
            after.told.values().sum::<u64>() - self.told.values().sum::<u64>()
        );
        for service in CONSUMING {
            let shares: Vec<u64> = two()(service)
                .iter()
                .map(|replica| handled[replica])
                .collect();
            println!("{service}: handled {shares:?}");
        }
    }
}
