//! A process that crashes before or after any commit of any saga, relay or consumer is recovered:
//! everything ends, the books balance, nothing is lost and nothing doubled.
//!
//! The journeys ([`journeys`]) are made once undisturbed, which records the points passed
//! ([`points`]) and the effects ([`effects`]). Then the processes crash once at each point. In a
//! round one process of each service crashes at a point of its own, all during the same journeys,
//! and afterwards the effects must be the same as without a crash.
//!
//! `CRASH_POINTS=all` takes every point, and then those that are only passed after a crash;
//! otherwise a run takes a sample, selected by `CHAOS_SEED`.

mod effects;
mod journeys;
mod points;
mod required;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use adfolio_local::Service;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{check, remembering, setting};
use crate::setup::{self, System};
use effects::Effects;
use journeys::Cast;
use points::{Crash, Folder, Passes};

/// Rounds of a sampling run.
const SHARE: usize = 5;

/// Background work passes its points within this time after the journeys, or not any more.
const BACKGROUND_LIMIT: Duration = Duration::from_secs(10);

/// Undisturbed, consumers are done when nothing has arrived for this long.
const SETTLED_AFTER: Duration = Duration::from_secs(3);

const POLL: Duration = Duration::from_millis(20);

/// The crash points of one round.
type Round = BTreeMap<Service, Vec<Crash>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_dies_at_any_commit_is_taken_up_again() {
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    let is_all = setting::<String>("CRASH_POINTS").is_some_and(|which| which == "all");
    println!("crash points, CHAOS_SEED={seed}");
    let mut theatre = Theatre::open().await;
    required::assert_passed(|service| theatre.known[&service].clone());

    let points: Vec<_> = theatre
        .known
        .iter()
        .map(|(service, passes)| format!("{} of {service}", passes.len()))
        .collect();
    let rounds = rounds(&theatre.known, &mut StdRng::seed_from_u64(seed), is_all);
    println!("points: {}; {} rounds", points.join(", "), rounds.len());
    let mut tally = Tally::default();
    let mut uncovered = Vec::new();
    for round in &rounds {
        theatre.perform(round, &mut tally).await;
        uncovered.extend(theatre.uncovered(round));
    }
    println!("{tally}");
    assert!(
        tally.died * 10 >= tally.chosen * 9,
        "too many points were not passed again: {:?}",
        tally.alive
    );
    if is_all {
        let mut tally = Tally::default();
        for round in together(uncovered) {
            theatre.perform(&round, &mut tally).await;
        }
        println!("in recovery: {tally}");
    }
    theatre.system.stack.stop().await;
}

/// The system, the journeys, and their effects undisturbed.
struct Theatre {
    system: System,
    folder: Arc<Folder>,
    cast: Cast,
    /// The points passed undisturbed.
    known: BTreeMap<Service, Passes>,
    before: Effects,
    once: Effects,
}

/// The outcome of the chosen points.
#[derive(Default)]
struct Tally {
    chosen: usize,
    died: usize,
    /// Points that were not passed again, by service.
    alive: Vec<(Service, String)>,
    /// From the last crash of each round until everything had ended.
    ended: Vec<Duration>,
}

impl Theatre {
    /// Starts everything and makes the journeys once.
    async fn open() -> Self {
        let folder = Arc::new(Folder::new());
        let system = remembering(folder.watch(setup::builder())).await;
        let mut cast = Cast::prepare(&system).await;
        check::wait_until_quiet(&system).await;
        let set_up = settled(&system).await;
        folder.forget();
        cast.play().await;
        check::wait_until_quiet(&system).await;
        let after = settled(&system).await;
        cast.compare(&system).await;
        let known = Service::ALL
            .map(|service| (service, folder.passes(service)))
            .into();
        Self {
            once: after.since(&set_up),
            before: set_up,
            system,
            folder,
            cast,
            known,
        }
    }

    /// One round: the journeys with their crashes, and the effects.
    async fn perform(&mut self, round: &Round, tally: &mut Tally) {
        self.folder.forget();
        let pids: BTreeMap<_, _> = round
            .keys()
            .map(|service| (*service, self.system.stack.pid(*service)))
            .collect();
        for (service, crashes) in round {
            self.folder.arm(*service, crashes);
        }
        let give_up = CancellationToken::new();
        let folder = Arc::clone(&self.folder);
        let mut watching = tokio::spawn(watch(folder, round.clone(), give_up.clone()));
        self.cast.play().await;
        let last = tokio::select! {
            last = &mut watching => last.unwrap(),
            () = sleep(BACKGROUND_LIMIT) => {
                give_up.cancel();
                watching.await.unwrap()
            }
        };
        for (service, crashes) in round {
            let remaining = self.folder.remaining(*service);
            self.folder.disarm(*service);
            tally.note(*service, crashes, remaining);
            if remaining < crashes.len() {
                self.wait_for_successor(*service, pids[service]).await;
            }
        }
        check::wait_until_quiet(&self.system).await;
        let expected = self.before.plus(&self.once, self.cast.performances());
        expected.wait_for(&self.system).await;
        self.cast.compare(&self.system).await;
        if let Some(last) = last {
            println!(
                "everything has ended {:.1} s after it",
                last.elapsed().as_secs_f32()
            );
            tally.ended.push(last.elapsed());
        }
    }

    async fn wait_for_successor(&self, service: Service, dead: Option<u32>) {
        let began = Instant::now();
        while self
            .system
            .stack
            .pid(service)
            .is_none_or(|pid| Some(pid) == dead)
        {
            assert!(
                began.elapsed() < check::QUIET_LIMIT,
                "{service} does not come back"
            );
            sleep(POLL).await;
        }
        self.system.stack.wait_ready(service).await.unwrap();
    }

    /// Points passed in a round but not undisturbed, each with the crashes before it.
    fn uncovered(&mut self, round: &Round) -> Vec<(Service, Round)> {
        let mut found = Vec::new();
        for service in Service::ALL {
            for point in self.folder.passes(service).into_keys() {
                let known = self.known.get_mut(&service).unwrap();
                if known.contains_key(&point) {
                    continue;
                }
                known.insert(point.clone(), 0);
                let mut round = round.clone();
                let crash = Crash {
                    point,
                    let_through: 0,
                };
                round.entry(service).or_default().push(crash);
                found.push((service, round));
            }
        }
        found
    }
}

impl Tally {
    fn note(&mut self, service: Service, crashes: &[Crash], remaining: usize) {
        let died = crashes.len() - remaining;
        self.chosen += crashes.len();
        self.died += died;
        for crash in &crashes[..died] {
            println!(
                "{service} died at {} after {}",
                crash.point, crash.let_through
            );
        }
        for crash in &crashes[died..] {
            println!("{service} did not pass {} again", crash.point);
            self.alive.push((service, crash.point.clone()));
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slowest = self.ended.iter().max().copied().unwrap_or_default();
        write!(
            formatter,
            "{} deaths at {} chosen points in {} rounds; everything ended at most {:.1} s after the last death of a round",
            self.died,
            self.chosen,
            self.ended.len(),
            slowest.as_secs_f32()
        )
    }
}

/// Waits until all chosen crashes have happened, or for the signal to give up; returns the time of
/// the last one.
async fn watch(folder: Arc<Folder>, round: Round, give_up: CancellationToken) -> Option<Instant> {
    let mut remaining: usize = round.values().map(Vec::len).sum();
    let mut last = None;
    while remaining > 0 && !give_up.is_cancelled() {
        sleep(POLL).await;
        let now = round.keys().map(|service| folder.remaining(*service)).sum();
        if now < remaining {
            remaining = now;
            last = Some(Instant::now());
        }
    }
    last
}

/// The effects once nothing has been added for a while.
async fn settled(system: &System) -> Effects {
    let mut seen = Effects::of(system).await.unwrap();
    let mut since = Instant::now();
    while since.elapsed() < SETTLED_AFTER {
        sleep(POLL * 10).await;
        let now = Effects::of(system).await.unwrap();
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
    seen
}

/// The rounds of a run: in each, every service crashes at a point of its own, as long as it has any
/// left.
fn rounds(known: &BTreeMap<Service, Passes>, random: &mut StdRng, is_all: bool) -> Vec<Round> {
    let mut crashes: BTreeMap<Service, Vec<Crash>> = BTreeMap::new();
    for (service, passes) in known {
        let of_service = crashes.entry(*service).or_default();
        for (point, passes) in passes {
            // The first pass, and a later one: one place may belong to different steps of different
            // journeys.
            let later = (*passes > 1).then(|| random.random_range(1..*passes));
            of_service.extend(
                [Some(0), later]
                    .into_iter()
                    .flatten()
                    .map(|let_through| Crash {
                        point: point.clone(),
                        let_through,
                    }),
            );
        }
    }
    let most = crashes.values().map(Vec::len).max().unwrap_or(0);
    let step = if is_all { 1 } else { most.div_ceil(SHARE) };
    let mut rounds = vec![Round::new(); most.div_ceil(step)];
    for (service, crashes) in crashes {
        let offset = random.random_range(0..step);
        let chosen = crashes.into_iter().skip(offset).step_by(step);
        for (round, crash) in rounds.iter_mut().zip(chosen) {
            round.insert(service, vec![crash]);
        }
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

/// Combines points that follow the same crashes, so that each service has at most one more.
fn together(uncovered: Vec<(Service, Round)>) -> Vec<Round> {
    let mut rounds: Vec<(BTreeSet<Service>, Round)> = Vec::new();
    for (service, round) in uncovered {
        let deaths = |round: &Round, except: &BTreeSet<Service>| -> Round {
            let mut round = round.clone();
            for service in except {
                round.get_mut(service).unwrap().pop();
            }
            round.retain(|_, crashes| !crashes.is_empty());
            round
        };
        let own = BTreeSet::from([service]);
        let first = deaths(&round, &own);
        let alike = rounds.iter_mut().find(|(services, other)| {
            !services.contains(&service) && deaths(other, services) == first
        });
        match alike {
            Some((services, other)) => {
                other.insert(service, round[&service].clone());
                services.insert(service);
            }
            None => rounds.push((own, round)),
        }
    }
    rounds.into_iter().map(|(_, round)| round).collect()
}
