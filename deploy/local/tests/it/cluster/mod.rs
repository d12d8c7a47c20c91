//! A cluster heals after every fault, loses nothing that was acknowledged, and writes go on.
//!
//! They need Patroni, etcd and haproxy, and minutes: `make cluster-faults` runs them. `CLUSTER_ROUNDS` (1) repeats every
//! fault, for the medians that are printed at the end; `CLUSTER_FAULT` selects those whose name contains it.

mod observed;
mod services;

use std::time::Duration;

use adfolio_local::{Cluster, ClusterBuilder, Cut, MachineId, Part};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};

use self::observed::Observed;

/// A fault's end, and the cluster's way back to health.
const HEAL_LIMIT: Duration = Duration::from_mins(2);

/// What Patroni needs at most to replace a primary: its lease, and what it takes to notice and to promote.
const FAILOVER_LIMIT: Duration = Duration::from_secs(40);

/// A primary that must not be the primary acknowledges nothing within this time.
const FORBIDDEN_WRITE_LIMIT: Duration = Duration::from_secs(3);

/// How long a fault lasts that does not end by itself.
const FAULT_DURATION: Duration = Duration::from_secs(12);

/// Long enough for the other nodes of RabbitMQ to give a frozen one up.
const FREEZE_DURATION: Duration = Duration::from_secs(20);

/// Calm between faults, so that pauses can be told apart.
const CALM: Duration = Duration::from_secs(2);

const DATABASE: &str = "postgres";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// PostgreSQL of the primary is killed, its Patroni lives.
    PostgresKilled,
    /// PostgreSQL of the primary and its Patroni are killed.
    DatabaseKilled,
    /// Everything on the primary's machine is killed.
    MachineKilled,
    /// The primary's Patroni is killed, and PostgreSQL runs on.
    PatroniKilled,
    /// PostgreSQL of the primary and its Patroni are frozen, and thawed when there is another primary.
    DatabaseFrozen,
    /// PostgreSQL of the primary is frozen, and its Patroni is not.
    PostgresFrozen,
    SwitchedOver,
    StandbyKilled,
    BothStandbysKilled,
    /// Two of three members of etcd are killed.
    EtcdWithoutMajority,
    ProxyKilled,
    RabbitmqKilled,
    RabbitmqFrozen,
    /// Two of three nodes of RabbitMQ are killed.
    RabbitmqWithoutMajority,
    /// A node of RabbitMQ believes that its disk is full.
    RabbitmqDiskFull,
    /// The primary's machine is cut off from everything.
    CutOff,
    /// The primary's machine is cut off from the others, and clients still reach it.
    CutFromPeers,
}

/// Those that need no networks.
const FAULTS: [Fault; 15] = [
    Fault::PostgresKilled,
    Fault::DatabaseKilled,
    Fault::MachineKilled,
    Fault::PatroniKilled,
    Fault::DatabaseFrozen,
    Fault::PostgresFrozen,
    Fault::SwitchedOver,
    Fault::StandbyKilled,
    Fault::BothStandbysKilled,
    Fault::EtcdWithoutMajority,
    Fault::ProxyKilled,
    Fault::RabbitmqKilled,
    Fault::RabbitmqFrozen,
    Fault::RabbitmqWithoutMajority,
    Fault::RabbitmqDiskFull,
];

const CUTS: [Fault; 2] = [Fault::CutOff, Fault::CutFromPeers];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs patroni, etcd and haproxy, and minutes"]
async fn a_cluster_heals_after_every_fault() {
    let cluster = builder().start().await.unwrap();
    strike_all(cluster, &FAULTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs root, patroni, etcd and haproxy, and minutes"]
async fn a_cluster_heals_after_a_machine_was_cut_off() {
    let cluster = builder().networks().start().await.unwrap();
    strike_all(cluster, &CUTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs patroni, etcd and haproxy"]
async fn a_cluster_keeps_its_data_and_its_ports() {
    let folder = tempfile::tempdir().unwrap();
    let builder = || Cluster::builder().data_dir(folder.path());
    let cluster = builder().start().await.unwrap();
    let before = cluster.database_addresses();
    let address = [cluster.primary_address()];
    let url = cluster.database_url(&address, DATABASE);
    let mut connection = PgConnection::connect(&url).await.unwrap();
    sqlx::query("CREATE TABLE kept AS SELECT 1 AS number")
        .execute(&mut connection)
        .await
        .unwrap();
    cluster.stop().await;
    crate::helpers::assert_nothing_left(folder.path()).await;

    let moved = builder().start().await.unwrap_err().to_string();
    assert!(moved.contains("cannot change"), "{moved}");
    let ports =
        serde_json::from_slice(&std::fs::read(folder.path().join("servers/ports.json")).unwrap());
    let cluster = builder().ports(ports.unwrap()).start().await.unwrap();
    assert_eq!(cluster.database_addresses(), before);
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let kept: i32 = sqlx::query_scalar("SELECT number FROM kept")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(kept, 1);
    // Without an ordered stop nothing is left either.
    drop(cluster);
    crate::helpers::assert_nothing_left(folder.path()).await;
}

/// With the lease in `CLUSTER_LEASE_SECONDS`, if it is set.
fn builder() -> ClusterBuilder {
    let builder = Cluster::builder();
    match std::env::var("CLUSTER_LEASE_SECONDS") {
        Ok(seconds) => builder.lease(Duration::from_secs(seconds.parse().unwrap())),
        Err(_) => builder,
    }
}

async fn strike_all(mut cluster: Cluster, faults: &[Fault]) {
    let rounds = std::env::var("CLUSTER_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let only = std::env::var("CLUSTER_FAULT").unwrap_or_default();
    let mut observed = Observed::start(&cluster).await;
    for _ in 0..rounds {
        for fault in faults {
            if !format!("{fault:?}").contains(&only) {
                continue;
            }
            sleep(CALM).await;
            let began = Instant::now();
            strike(&mut cluster, *fault).await;
            cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
            let primary = cluster.primary().await.unwrap();
            observed.report(*fault, began, primary).await;
        }
    }
    observed.end().await;
    cluster.stop().await;
}

/// Lets a fault happen, and ends it.
async fn strike(cluster: &mut Cluster, fault: Fault) {
    let primary = cluster.primary().await.unwrap();
    match fault {
        Fault::PostgresKilled => {
            cluster.kill(primary, &[Part::Postgres]).await;
            wait_replaced(cluster, primary).await;
        }
        Fault::DatabaseKilled => {
            kill_for_a_while(cluster, primary, &Part::DATABASE).await;
        }
        Fault::MachineKilled => {
            kill_for_a_while(cluster, primary, &Part::ALL).await;
        }
        Fault::PatroniKilled => {
            kill_for_a_while(cluster, primary, &[Part::Patroni]).await;
        }
        Fault::DatabaseFrozen => {
            cluster.freeze(primary, &Part::DATABASE).unwrap();
            wait_replaced(cluster, primary).await;
            cluster.thaw(primary, &Part::DATABASE).unwrap();
            assert_refuses(cluster, primary).await;
        }
        Fault::PostgresFrozen => {
            cluster.freeze(primary, &[Part::Postgres]).unwrap();
            wait_replaced(cluster, primary).await;
            cluster.thaw(primary, &[Part::Postgres]).unwrap();
            assert_refuses(cluster, primary).await;
        }
        Fault::SwitchedOver => {
            cluster.switch_over(None).await.unwrap();
            wait_replaced(cluster, primary).await;
        }
        Fault::StandbyKilled => {
            let standby = cluster.sync_standby().await.unwrap();
            kill_and_start(cluster, &[standby], &Part::DATABASE).await;
        }
        Fault::BothStandbysKilled => {
            let standbys: Vec<_> = primary.others().collect();
            kill_and_start(cluster, &standbys, &Part::DATABASE).await;
        }
        Fault::EtcdWithoutMajority => {
            let two: Vec<_> = primary.others().collect();
            kill_and_start(cluster, &two, &[Part::Etcd]).await;
        }
        Fault::ProxyKilled => {
            cluster.kill_proxy().await;
            sleep(FAULT_DURATION).await;
            cluster.start_proxy();
        }
        Fault::RabbitmqKilled => {
            kill_and_start(cluster, &[primary], &[Part::Rabbitmq]).await;
        }
        Fault::RabbitmqFrozen => {
            cluster.freeze(primary, &[Part::Rabbitmq]).unwrap();
            sleep(FREEZE_DURATION).await;
            cluster.thaw(primary, &[Part::Rabbitmq]).unwrap();
        }
        Fault::RabbitmqWithoutMajority => {
            let two: Vec<_> = primary.others().collect();
            kill_and_start(cluster, &two, &[Part::Rabbitmq]).await;
        }
        Fault::RabbitmqDiskFull => {
            cluster.raise_disk_alarm(primary).await.unwrap();
            cluster.clear_disk_alarm(primary).await.unwrap();
        }
        Fault::CutOff => {
            cluster.cut(primary, Cut::FromAll).unwrap();
            wait_replaced(cluster, primary).await;
            sleep(CALM).await;
            cluster.join(primary).unwrap();
            assert_refuses(cluster, primary).await;
        }
        Fault::CutFromPeers => {
            cluster.cut(primary, Cut::FromPeers).unwrap();
            assert_refuses(cluster, primary).await;
            wait_replaced(cluster, primary).await;
            assert_refuses(cluster, primary).await;
            cluster.join(primary).unwrap();
            assert_refuses(cluster, primary).await;
        }
    }
}

async fn wait_replaced(cluster: &Cluster, primary: MachineId) {
    let other = cluster.wait_primary(Some(primary), FAILOVER_LIMIT).await;
    other.unwrap();
}

/// Kills parts of the primary's machine, until there is another primary.
async fn kill_for_a_while(cluster: &mut Cluster, primary: MachineId, parts: &[Part]) {
    cluster.kill(primary, parts).await;
    wait_replaced(cluster, primary).await;
    cluster.start(primary, parts);
}

/// Kills parts of machines for a while.
async fn kill_and_start(cluster: &mut Cluster, machines: &[MachineId], parts: &[Part]) {
    for machine in machines {
        cluster.kill(*machine, parts).await;
    }
    sleep(FAULT_DURATION).await;
    for machine in machines {
        cluster.start(*machine, parts);
    }
}

/// A former primary acknowledges no write, even to clients that still reach it.
async fn assert_refuses(cluster: &Cluster, former: MachineId) {
    let address = cluster.database_addresses()[former.index()];
    let url = cluster.database_url(&[address], DATABASE);
    let write = async {
        let mut connection = PgConnection::connect(&url).await?;
        sqlx::query("INSERT INTO forbidden DEFAULT VALUES")
            .execute(&mut connection)
            .await
    };
    let outcome = timeout(FORBIDDEN_WRITE_LIMIT, write).await;
    assert!(
        !matches!(outcome, Ok(Ok(_))),
        "{former} takes writes although it is not the primary"
    );
}
