//! The previous release is replaced by this one and back, one process at a time under load: nobody
//! notices.
//!
//! `ADFOLIO_PREVIOUS_PROGRAMS` names the folder of the previous programs; `make upgrade-test`
//! builds them. The databases are made by the previous release, migrated by this one while replicas
//! of both run, given to owners that nobody logs in as, and used by the previous one again, with
//! migrations that the next release might add. `UPGRADE_DATA` names a folder where databases and logs are kept.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};

use adfolio_local::{Component, Service};
use rand::{SeedableRng as _, rngs::StdRng};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::customer::{Customer, Ending, Stage};
use super::history::History;
use super::rolling::{ADVERTISERS, Audience, PAUSE, processes, restart};
use super::{act, check, prepare, remembered, remembering, setting, stop_system};
use crate::setup::{self, System};

/// What the next release might add: single migrations and their numbers.
const LATER: [&str; 4] = [
    "ALTER TABLE outbox ADD COLUMN later text",
    "ALTER TABLE inbox ADD COLUMN later text",
    "INSERT INTO _kit_migrations (version, description, success, checksum, execution_time)
     VALUES (1000000, 'later', true, 'x', 0)",
    "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
     VALUES (1000000, 'later', true, 'x', 0)",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the programs of the previous release: make upgrade-test"]
async fn an_upgrade_and_its_way_back_cost_nobody_a_request() {
    let previous = env::var_os("ADFOLIO_PREVIOUS_PROGRAMS").expect("`make upgrade-test` sets it");
    let (previous, this) = (PathBuf::from(previous), setup::programs());
    let programs = Programs::of(&previous);
    // The release before makes one admin, and its wallet does not know `off`.
    // Its gateway and auth know no identity tokens.
    let builder = setup::builder()
        .two_replicas()
        .two_admins(false)
        .services_as_owners()
        .unsigned_identities();
    let mut builder = processes(builder).programs(programs.folder()).extra_env(
        Service::Wallet,
        "FOUR_EYES_ABOVE",
        "1000000000.00",
    );
    if let Some(folder) = setting::<PathBuf>("UPGRADE_DATA") {
        builder = builder.data_dir(folder);
    }
    let system = Arc::new(remembering(builder).await);
    let stage = Arc::new(prepare(&system).await.with_pause(PAUSE).with_patience());
    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 1, 0..ADVERTISERS, &stop).await;
    let audience = Audience::come(&system, &stop).await;
    let began = Instant::now();
    for service in Service::ALL.into_iter().rev() {
        programs.replace(&system, service, &this).await;
    }
    audience.assert_still_told(&system).await;
    // The tables get their owners, and the services other sessions, without the rights of owners.
    system.stack.hand_over_tables().await.unwrap();
    for service in Service::ALL {
        for process in [Component::Service(service), Component::Second(service)] {
            restart(&system, process).await;
        }
        assert_owns_nothing(&system, service).await;
    }
    audience.assert_still_told(&system).await;
    for service in Service::ALL {
        add_what_comes_later(&system, service).await;
    }
    // Programs of the release before migrate by themselves and make parts of the outbox.
    system.stack.lend_tables().await.unwrap();
    // Back in reverse order: the gateway is the first without the new features.
    for service in Service::ALL {
        programs.replace(&system, service, &previous).await;
    }
    audience.assert_still_told(&system).await;
    let loaded = began.elapsed();
    stop.cancel();
    let histories = remembered(acting).await;
    let seen = audience.leave(&histories).await;
    println!("there and back in {:.0} s: {seen}", loaded.as_secs_f32());
    seen.assert_nothing_failed(&system, &histories).await;

    let history = every_saga(&system, &stage).await;
    assert!(history.unavailable.is_empty(), "{:#?}", history.unavailable);
    check::wait_until_quiet(&system).await;
    check::compare(&system, &history).await;
    system.assert_reconciled().await;
    stop_system(system).await;
}

/// From registration to the end of each saga, by the running programs.
async fn every_saga(system: &System, stage: &Arc<Stage>) -> History {
    const FUNDS: i64 = 10_000_000;
    let chance = (StdRng::seed_from_u64(1), false);
    let mut customer = Customer::prepare(system, stage, "afterwards", FUNDS, chance).await;
    let plan = customer.put_with_coupon(5_000).await;
    customer.import(&plan, 1_000, 1_500).await;
    customer.settle(&plan, 1_000, 1_500).await;
    let plan = customer.put(4_000).await.expect("enough money");
    customer.fail(&plan).await;
    for is_paid in [true, false] {
        let id = customer.withdraw(2_000).await.expect("enough money");
        customer.decide_withdrawal(&id, 2_000, is_paid).await;
    }
    for (is_outgoing, ending) in [
        (true, Ending::Completed),
        (false, Ending::Completed),
        (true, Ending::Cancelled),
    ] {
        let order = customer.exchange(is_outgoing, 3_000).await;
        customer.end_exchange(order, ending).await;
    }
    customer.history
}

/// A folder in which each program is a link to that of a release.
struct Programs(TempDir);

impl Programs {
    fn of(release: &Path) -> Self {
        let programs = Self(tempfile::tempdir().unwrap());
        programs.link("adfolioctl", release);
        for service in Service::ALL {
            programs.link(&program(service), release);
        }
        programs
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Atomically: a process may be starting.
    fn link(&self, name: &str, release: &Path) {
        let (path, new) = (self.0.path().join(name), self.0.path().join("new"));
        symlink(release.join(name).canonicalize().unwrap(), &new).unwrap();
        fs::rename(&new, &path).unwrap();
    }

    /// Both replicas, one after the other.
    async fn replace(&self, system: &System, service: Service, release: &Path) {
        self.link(&program(service), release);
        for process in [Component::Service(service), Component::Second(service)] {
            restart(system, process).await;
            let pid = system.stack.pid(process).unwrap();
            let runs = fs::read_link(format!("/proc/{pid}/exe")).unwrap();
            let wanted = release.join(program(service)).canonicalize().unwrap();
            assert_eq!(runs, wanted, "{process} runs another program");
        }
    }
}

fn program(service: Service) -> String {
    format!("adfolio-{}", service.name())
}

/// The service has no session with the rights of its tables' owner.
async fn assert_owns_nothing(system: &System, service: Service) {
    if service == Service::Gateway {
        return;
    }
    let url = system.stack.database_superuser_url(service);
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let owning: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity, pg_database
         WHERE pg_stat_activity.datname = current_database() AND pg_database.datname = current_database()
           AND usename <> 'postgres' AND pg_has_role(usesysid, datdba, 'USAGE')",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(owning, 0, "{service}");
}

async fn add_what_comes_later(system: &System, service: Service) {
    if service == Service::Gateway {
        return;
    }
    let url = system.stack.database_superuser_url(service);
    let mut connection = PgConnection::connect(&url).await.unwrap();
    for statement in LATER {
        connection.execute(statement).await.unwrap();
    }
}
