//! The kinds, times and numbers of faults: the same for the same seed.

use std::{fmt, sync::Arc, time::Duration};

use adfolio_local::{Component, Service, Signal};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::{
    sync::Mutex,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

use super::{WHOLE_RUN_SECONDS, interrupts::interrupt, links::Links};
use crate::setup::System;

/// Faults of a whole run.
const SERVICE_KILLS: u64 = 300;
const BROKER_KILLS: u64 = 15;
const DATABASE_KILLS: u64 = 15;
const FREEZES: u64 = 30;
const CUTS: u64 = 20;
const HANGS: u64 = 36;
const INTERRUPTS: u64 = 60;

/// One of this many kills is followed by another during the restart.
const AGAIN_ONE_IN: u32 = 8;

/// The second kill comes at most this long after the restart.
const AGAIN_AFTER_MAX: Duration = Duration::from_millis(400);

/// How long a component is frozen.
const FREEZE: std::ops::Range<u64> = 500..4_000;

/// How long a server hangs before it is given up.
const HANG: Duration = Duration::from_secs(2);

/// When RabbitMQ resumes, consumers are flooded with the backlog; they are killed at most this long
/// after that.
const FLOODED_MAX: Duration = Duration::from_millis(300);

/// Consumers that are killed in the flood.
const FLOODED: [Service; 3] = [Service::Notification, Service::Auth, Service::Coupon];

/// A killed component is restarted within this time, or the supervisor is broken.
const SUCCESSOR_LIMIT: Duration = Duration::from_secs(90);

/// How often the restart is checked.
const POLL: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill(Component, Option<Duration>),
    Freeze(Component, Duration),
    Cut(u32),
    Hang(Hang),
    Interrupt(Service),
}

/// A hanging server, and its end.
#[derive(Clone, Copy, Debug)]
enum Hang {
    /// It is killed with all its requests.
    Dies(Component),
    /// RabbitMQ resumes, and a flooded consumer is killed this long after that.
    Floods(Duration),
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Struck {
    service_kills: u64,
    broker_kills: u64,
    database_kills: u64,
    /// Kills that hit a restarting component.
    kills_in_recovery: u64,
    freezes: u64,
    cuts: u64,
    hangs: u64,
    interrupts: u64,
}

impl Struck {
    /// Every planned fault was injected.
    pub fn assert_whole(&self, seconds: u64) {
        let shares = [
            (self.service_kills, SERVICE_KILLS),
            (self.broker_kills, BROKER_KILLS),
            (self.database_kills, DATABASE_KILLS),
            (self.freezes, FREEZES),
            (self.cuts, CUTS),
            (self.hangs, HANGS),
            (self.interrupts, INTERRUPTS),
        ];
        for (done, whole) in shares {
            assert!(done >= share(whole, seconds), "{self}");
        }
    }
}

impl fmt::Display for Struck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "kills: {} of services, {} of RabbitMQ, {} of PostgreSQL, of them {} in recovery; {} freezes, {} cuts, {} hangs, \
             {} writes interrupted",
            self.service_kills,
            self.broker_kills,
            self.database_kills,
            self.kills_in_recovery,
            self.freezes,
            self.cuts,
            self.hangs,
            self.interrupts
        )
    }
}

/// The faults of one run, in order of time.
pub struct Faults(Vec<(Duration, Fault)>);

/// A fault and its component, one at a time for each component.
type Turns = [Mutex<()>; 9];

impl Faults {
    /// The faults for this many seconds.
    pub fn new(seed: u64, seconds: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut faults = Vec::new();
        let mut plan = |whole: u64, random: &mut StdRng, fault: &dyn Fn(&mut StdRng) -> Fault| {
            for _ in 0..share(whole, seconds) {
                let at = Duration::from_millis(random.random_range(0..seconds * 1_000));
                let fault = fault(random);
                faults.push((at, fault));
            }
        };
        plan(SERVICE_KILLS, &mut random, &|random| {
            Fault::Kill(service(random), again(random))
        });
        plan(BROKER_KILLS, &mut random, &|random| {
            Fault::Kill(Component::Rabbitmq, again(random))
        });
        plan(DATABASE_KILLS, &mut random, &|random| {
            Fault::Kill(Component::Postgres, again(random))
        });
        plan(FREEZES, &mut random, &|random| {
            let length = Duration::from_millis(random.random_range(FREEZE));
            let parts = [Component::Postgres, Component::Rabbitmq];
            match random.random_range(0..9_usize) {
                place @ 0..2 => Fault::Freeze(parts[place], length),
                _ => Fault::Freeze(service(random), length),
            }
        });
        plan(CUTS, &mut random, &|random| Fault::Cut(random.random()));
        // The kinds take turns, so that a short run has all.
        for number in 0..share(HANGS, seconds) {
            let at = Duration::from_millis(random.random_range(0..seconds * 1_000));
            let hang = match number % 3 {
                0 => Hang::Floods(random.random_range(Duration::ZERO..FLOODED_MAX)),
                1 => Hang::Dies(Component::Rabbitmq),
                _ => Hang::Dies(Component::Postgres),
            };
            faults.push((at, Fault::Hang(hang)));
        }
        // Every other one hits wallet, which moves the money.
        for number in 0..share(INTERRUPTS, seconds) {
            let at = Duration::from_millis(random.random_range(0..seconds * 1_000));
            let any = Service::ALL[random.random_range(0..Service::ALL.len())];
            let writes = number % 2 == 1 && any != Service::Gateway;
            faults.push((
                at,
                Fault::Interrupt(if writes { any } else { Service::Wallet }),
            ));
        }
        faults.sort_by_key(|(at, _)| *at);
        Self(faults)
    }

    /// Injects them all, each at its time or as soon after it as its component runs.
    pub async fn strike(self, system: &Arc<System>, links: &Links) -> Struck {
        let begin = Instant::now();
        let turns: Arc<Turns> = Arc::default();
        let mut tasks = JoinSet::new();
        let mut struck = Struck::default();
        for (at, fault) in self.0 {
            sleep_until(begin + at).await;
            if let Fault::Cut(place) = fault {
                links.cut(usize::try_from(place).unwrap() % links.count());
                struck.cuts += 1;
                continue;
            }
            let (system, turns) = (Arc::clone(system), Arc::clone(&turns));
            tasks.spawn(async move { (fault, strike_one(&system, &turns, fault).await) });
        }
        while let Some(done) = tasks.join_next().await {
            let (fault, kills) = done.unwrap();
            if let Fault::Kill(..) = fault {
                struck.kills_in_recovery += kills.saturating_sub(1);
            }
            match fault {
                Fault::Kill(Component::Rabbitmq, _) => struck.broker_kills += kills,
                Fault::Kill(Component::Postgres, _) => struck.database_kills += kills,
                Fault::Kill(..) => struck.service_kills += kills,
                Fault::Freeze(..) => struck.freezes += 1,
                Fault::Hang(hang) => {
                    struck.hangs += 1;
                    match hang {
                        Hang::Dies(Component::Postgres) => struck.database_kills += kills,
                        Hang::Dies(_) => struck.broker_kills += kills,
                        Hang::Floods(_) => struck.service_kills += kills,
                    }
                }
                Fault::Interrupt(_) => struck.interrupts += 1,
                Fault::Cut(_) => {}
            }
        }
        struck
    }
}

/// Injects one; returns how often the component was killed.
async fn strike_one(system: &System, turns: &Turns, fault: Fault) -> u64 {
    let (component, again) = match fault {
        Fault::Kill(component, again) => (component, again),
        Fault::Freeze(component, length) => {
            let _turn = turns[place(component)].lock().await;
            system.stack.wait_ready(component).await.unwrap();
            system.stack.kill(component, Signal::SIGSTOP).await.unwrap();
            tokio::time::sleep(length).await;
            system.stack.kill(component, Signal::SIGCONT).await.unwrap();
            return 0;
        }
        Fault::Hang(kind) => return hang(system, turns, kind).await,
        Fault::Interrupt(service) => {
            interrupt(&system.stack, service).await;
            return 0;
        }
        Fault::Cut(_) => return 0,
    };
    let _turn = turns[place(component)].lock().await;
    wait_for_process(system, component).await;
    system.stack.kill(component, Signal::SIGKILL).await.unwrap();
    let Some(after) = again else { return 1 };
    wait_for_process(system, component).await;
    tokio::time::sleep(after).await;
    // It may have ended by itself because a dependency is down.
    if system.stack.kill(component, Signal::SIGKILL).await.is_ok() {
        2
    } else {
        1
    }
}

/// Returns how many components were killed.
async fn hang(system: &System, turns: &Turns, kind: Hang) -> u64 {
    let (server, end) = match kind {
        Hang::Dies(server) => (server, Signal::SIGKILL),
        Hang::Floods(_) => (Component::Rabbitmq, Signal::SIGCONT),
    };
    {
        let _turn = turns[place(server)].lock().await;
        system.stack.wait_ready(server).await.unwrap();
        system.stack.kill(server, Signal::SIGSTOP).await.unwrap();
        tokio::time::sleep(HANG).await;
        system.stack.kill(server, end).await.unwrap();
    }
    let Hang::Floods(after) = kind else { return 1 };
    tokio::time::sleep(after).await;
    let mut kills = 0;
    for service in FLOODED {
        let component = service.into();
        let _turn = turns[place(component)].lock().await;
        wait_for_process(system, component).await;
        if system.stack.kill(component, Signal::SIGKILL).await.is_ok() {
            kills += 1;
        }
    }
    kills
}

async fn wait_for_process(system: &System, component: Component) {
    timeout(SUCCESSOR_LIMIT, async {
        while system.stack.pid(component).is_none() {
            tokio::time::sleep(POLL).await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("{component} does not come back"));
}

fn service(random: &mut StdRng) -> Component {
    Service::ALL[random.random_range(0..Service::ALL.len())].into()
}

fn again(random: &mut StdRng) -> Option<Duration> {
    let after = random.random_range(Duration::ZERO..AGAIN_AFTER_MAX);
    random.random_ratio(1, AGAIN_ONE_IN).then_some(after)
}

fn place(component: Component) -> usize {
    match component {
        Component::Postgres => 7,
        Component::Rabbitmq => 8,
        other => Service::ALL
            .into_iter()
            .position(|service| other == service.into())
            .unwrap(),
    }
}

/// The share of a whole run's faults for this many seconds.
fn share(whole: u64, seconds: u64) -> u64 {
    (whole * seconds).div_ceil(WHOLE_RUN_SECONDS)
}
