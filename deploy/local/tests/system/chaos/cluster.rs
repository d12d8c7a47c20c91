//! Faults of a whole cluster under load: three machines with etcd, PostgreSQL under Patroni and RabbitMQ each, haproxy, and
//! two replicas of every service.
//!
//! Often two faults at a time, one of what holds the databases and one of RabbitMQ: in rounds in which each of the first
//! comes once, in an order by seed, and with the next of the second whenever RabbitMQ is whole again. Advertisers, staff, a network with reports and one client without a pause work meanwhile, and are
//! compared with the books afterwards; so are the events with the postings.
//!
//! `CLUSTER_FAULTS` (200) is their number, `CHAOS_SEED` repeats a run. Machines can be cut off by root alone; other users
//! get none of those faults.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use adfolio_local::{Cluster, Cut, MachineId, Part, Service};
use nix::unistd::geteuid;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::SliceRandom as _};
use tokio::time::{Instant, sleep, timeout};

use super::{
    crowd::Crowd, remembering, setting, stop_system, supply, wallet_stream, watchful::Customer,
};
use crate::setup::{self, System};

/// Concurrent advertisers.
const ACTORS: usize = 6;

/// Services that know all servers of PostgreSQL. The others know haproxy.
const KNOW_ALL: [Service; 3] = [Service::Auth, Service::Wallet, Service::Coupon];

/// The shortest that Patroni takes: faults that end with it are the longest.
const LEASE: Duration = Duration::from_secs(7);

/// Another primary is there within this time.
const REPLACED_LIMIT: Duration = Duration::from_secs(40);

/// Money is posted again within this time after a fault has ended, or something is broken. What it takes is printed.
const BACK_LIMIT: Duration = Duration::from_secs(40);

/// The cluster is as before within this time after a fault.
const HEAL_LIMIT: Duration = Duration::from_mins(2);

/// How long RabbitMQ is waited for before a fault strikes the databases alone.
const WHOLE_LIMIT: Duration = Duration::from_secs(3);

/// How long a fault lasts that nothing ends.
const LASTS: Duration = Duration::from_secs(3);

/// A former primary acknowledges nothing within this time.
const FORBIDDEN_LIMIT: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs patroni, etcd and haproxy, and half an hour"]
async fn a_cluster_goes_on_through_faults() {
    let wanted = setting("CLUSTER_FAULTS").unwrap_or(200);
    let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
    println!("{wanted} faults of a cluster, CHAOS_SEED={seed}");
    run(wanted, seed).await;
}

/// What fails of etcd, PostgreSQL and haproxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// PostgreSQL of the primary, while its Patroni lives.
    PostgresKilled,
    /// PostgreSQL of the primary and its Patroni.
    DatabaseKilled,
    /// The same, until there is another primary.
    DatabaseFrozen,
    /// Everything on the primary's machine.
    MachineKilled,
    SwitchedOver,
    StandbyKilled,
    BothStandbysKilled,
    EtcdMemberKilled,
    EtcdWithoutMajority,
    ProxyKilled,
    /// The primary's machine, from everything.
    CutOff,
    /// The primary's machine, from the others; clients still reach it.
    CutFromPeers,
}

impl Fault {
    const ALL: [Self; 12] = [
        Self::PostgresKilled,
        Self::DatabaseKilled,
        Self::DatabaseFrozen,
        Self::MachineKilled,
        Self::SwitchedOver,
        Self::StandbyKilled,
        Self::BothStandbysKilled,
        Self::EtcdMemberKilled,
        Self::EtcdWithoutMajority,
        Self::ProxyKilled,
        Self::CutOff,
        Self::CutFromPeers,
    ];

    fn is_cut(self) -> bool {
        matches!(self, Self::CutOff | Self::CutFromPeers)
    }

    /// Whether it also takes a node of RabbitMQ away.
    fn is_of_machine(self) -> bool {
        self.is_cut() || self == Self::MachineKilled
    }
}

/// What fails of RabbitMQ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrokerFault {
    NodeKilled,
    NodeFrozen,
    /// A node stops in order and starts again.
    NodeRestarted,
    /// Two of three nodes.
    WithoutMajority,
    /// One believes that its disk is full.
    DiskFull,
}

impl BrokerFault {
    const ALL: [Self; 5] = [
        Self::NodeKilled,
        Self::NodeFrozen,
        Self::NodeRestarted,
        Self::WithoutMajority,
        Self::DiskFull,
    ];
}

async fn run(wanted: usize, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut ground = Ground::start().await;
    let system = ground.system().await;
    let crowd = Crowd::start(&system, seed, ACTORS).await;
    let customer = &crowd.customer;

    let mut struck = Struck::default();
    while struck.count < wanted {
        let mut faults = Fault::ALL.to_vec();
        faults.retain(|fault| ground.can_cut || !fault.is_cut());
        faults.shuffle(&mut random);
        let brokers = BrokerFault::ALL.into_iter().cycle();
        for (fault, of_broker) in faults
            .into_iter()
            .zip(brokers.skip(random.random_range(0..5)))
        {
            ground
                .strike(fault, of_broker, &mut random, customer, &mut struck)
                .await;
        }
    }
    ground.cluster.wait_healthy(HEAL_LIMIT).await.unwrap();
    customer.wait_for_posting(Instant::now(), BACK_LIMIT).await;
    println!("{struck}");
    crowd.end(&system).await;
    wallet_stream::check(&system).await;
    stop_system(system).await;
    ground.cluster.stop().await;
}

/// How many faults there were, and what they cost.
#[derive(Debug, Default)]
struct Struck {
    count: usize,
    back: Vec<Duration>,
}

impl fmt::Display for Struck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut back = self.back.clone();
        back.sort_unstable();
        let at = |share: usize| back.get((back.len() * share / 100).min(back.len() - 1));
        let millis = |share: usize| at(share).map_or(0, Duration::as_millis);
        write!(
            formatter,
            "{} faults; money is posted again after there is a primary: median {} ms, 90 % within {} ms, the longest {} ms",
            self.count,
            millis(50),
            millis(90),
            millis(100)
        )
    }
}

/// The cluster, and what can be done to it.
struct Ground {
    cluster: Cluster,
    can_cut: bool,
}

impl Ground {
    async fn start() -> Self {
        let can_cut = geteuid().is_root();
        let builder = Cluster::builder().durable(true).lease(LEASE);
        let builder = if can_cut { builder.networks() } else { builder };
        let cluster = builder.start().await.unwrap();
        Self { cluster, can_cut }
    }

    /// A system on the cluster.
    async fn system(&self) -> Arc<System> {
        let mut builder = setup::builder_on(self.cluster.stack());
        for service in KNOW_ALL {
            let all = self.cluster.database_addresses();
            builder = builder
                .database_addresses(service, all)
                .read_addresses(service, all);
        }
        for (service, name, value) in supply::ENVIRONMENT {
            builder = builder.extra_env(service, name, value);
        }
        Arc::new(remembering(builder).await)
    }

    /// Lets both happen, ends them, and waits until all is as before.
    async fn strike(
        &mut self,
        fault: Fault,
        of_broker: BrokerFault,
        random: &mut StdRng,
        customer: &Customer,
        struck: &mut Struck,
    ) {
        let primary = self.cluster.primary().await.unwrap();
        let node = MachineId::ALL[random.random_range(0..3)];
        // A node may need half a minute to come back, and two lost ones are a fault of their own.
        let is_whole = self.cluster.wait_brokers(WHOLE_LIMIT).await.is_ok();
        let has_broker_fault = !fault.is_of_machine() && is_whole;
        if has_broker_fault {
            self.begin_of_broker(of_broker, node).await;
        }
        let began = Instant::now();
        let has_primary = self.strike_database(fault, primary, random).await;
        let back = customer
            .wait_for_posting(has_primary.unwrap_or(began), BACK_LIMIT)
            .await;
        if has_broker_fault {
            self.end_of_broker(of_broker, node).await;
        }
        if fault.is_of_machine() && !is_whole {
            self.cluster.wait_brokers(HEAL_LIMIT).await.unwrap();
        }
        self.cluster.wait_databases(HEAL_LIMIT).await.unwrap();
        struck.count += 1 + usize::from(has_broker_fault);
        if has_primary.is_some() {
            struck.back.push(back);
        }
        let beside = if has_broker_fault {
            format!(" and {of_broker:?}")
        } else {
            String::new()
        };
        println!(
            "{:>3} {fault:?}{beside}: money again {} ms after there is a primary, databases as before after {:.1} s",
            struck.count,
            back.as_millis(),
            began.elapsed().as_secs_f32()
        );
    }

    /// Returns when there was another primary, if the fault takes it away.
    async fn strike_database(
        &mut self,
        fault: Fault,
        primary: MachineId,
        random: &mut StdRng,
    ) -> Option<Instant> {
        let cluster = &mut self.cluster;
        let [first, second] = others(primary);
        match fault {
            Fault::PostgresKilled => {
                cluster.kill(primary, &[Part::Postgres]).await;
                return Some(replaced(cluster, primary).await);
            }
            Fault::DatabaseKilled => {
                cluster.kill(primary, &Part::DATABASE).await;
                let replaced = replaced(cluster, primary).await;
                cluster.start(primary, &Part::DATABASE);
                return Some(replaced);
            }
            Fault::MachineKilled => {
                cluster.kill(primary, &Part::ALL).await;
                let replaced = replaced(cluster, primary).await;
                cluster.start(primary, &Part::ALL);
                return Some(replaced);
            }
            Fault::DatabaseFrozen => {
                cluster.freeze(primary, &Part::DATABASE).unwrap();
                let replaced = replaced(cluster, primary).await;
                cluster.thaw(primary, &Part::DATABASE).unwrap();
                refuses(cluster, primary).await;
                return Some(replaced);
            }
            Fault::SwitchedOver => {
                cluster.switch_over(None).await.unwrap();
                return Some(Instant::now());
            }
            Fault::CutOff | Fault::CutFromPeers => {
                let how = if fault == Fault::CutOff {
                    Cut::FromAll
                } else {
                    Cut::FromPeers
                };
                cluster.cut(primary, how).unwrap();
                let replaced = replaced(cluster, primary).await;
                if fault == Fault::CutFromPeers {
                    refuses(cluster, primary).await;
                }
                cluster.join(primary).unwrap();
                refuses(cluster, primary).await;
                return Some(replaced);
            }
            Fault::StandbyKilled => {
                let standby = [first, second][random.random_range(0..2)];
                cluster.kill(standby, &Part::DATABASE).await;
                sleep(LASTS).await;
                cluster.start(standby, &Part::DATABASE);
            }
            Fault::BothStandbysKilled => {
                for standby in [first, second] {
                    cluster.kill(standby, &Part::DATABASE).await;
                }
                sleep(LASTS).await;
                for standby in [first, second] {
                    cluster.start(standby, &Part::DATABASE);
                }
            }
            Fault::EtcdMemberKilled => {
                let member = MachineId::ALL[random.random_range(0..3)];
                cluster.kill(member, &[Part::Etcd]).await;
                sleep(LASTS).await;
                cluster.start(member, &[Part::Etcd]);
            }
            Fault::EtcdWithoutMajority => {
                for member in [first, second] {
                    cluster.kill(member, &[Part::Etcd]).await;
                }
                // Longer than a lease: the primary steps down.
                sleep(LEASE + LASTS).await;
                for member in [first, second] {
                    cluster.start(member, &[Part::Etcd]);
                }
                cluster.wait_primary(None, REPLACED_LIMIT).await.unwrap();
                return Some(Instant::now());
            }
            Fault::ProxyKilled => {
                cluster.kill_proxy().await;
                sleep(LASTS).await;
                cluster.start_proxy();
            }
        }
        None
    }

    async fn begin_of_broker(&mut self, fault: BrokerFault, node: MachineId) {
        let cluster = &mut self.cluster;
        match fault {
            BrokerFault::NodeKilled => cluster.kill(node, &[Part::Rabbitmq]).await,
            BrokerFault::NodeFrozen => cluster.freeze(node, &[Part::Rabbitmq]).unwrap(),
            BrokerFault::NodeRestarted => cluster.stop_parts(node, &[Part::Rabbitmq]).await,
            BrokerFault::WithoutMajority => {
                for other in others(node) {
                    cluster.kill(other, &[Part::Rabbitmq]).await;
                }
            }
            BrokerFault::DiskFull => cluster.raise_disk_alarm(node).await.unwrap(),
        }
    }

    async fn end_of_broker(&mut self, fault: BrokerFault, node: MachineId) {
        let cluster = &mut self.cluster;
        match fault {
            BrokerFault::NodeKilled | BrokerFault::NodeRestarted => {
                cluster.start(node, &[Part::Rabbitmq]);
            }
            BrokerFault::NodeFrozen => cluster.thaw(node, &[Part::Rabbitmq]).unwrap(),
            BrokerFault::WithoutMajority => {
                for other in others(node) {
                    cluster.start(other, &[Part::Rabbitmq]);
                }
            }
            BrokerFault::DiskFull => cluster.clear_disk_alarm(node).await.unwrap(),
        }
    }
}

fn others(machine: MachineId) -> [MachineId; 2] {
    let mut others = machine.others();
    [(); 2].map(|()| others.next().expect("there are two others"))
}

/// When there was another primary.
async fn replaced(cluster: &Cluster, former: MachineId) -> Instant {
    let other = cluster.wait_primary(Some(former), REPLACED_LIMIT).await;
    other.unwrap();
    Instant::now()
}

/// A former primary acknowledges no change, even to clients that still reach it.
async fn refuses(cluster: &Cluster, former: MachineId) {
    let address: SocketAddr = cluster.database_addresses()[former.index()];
    let url = cluster.database_url(&[address], "postgres");
    let write = async {
        let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(&url).await?;
        sqlx::query("CREATE TABLE forbidden ()")
            .execute(&mut connection)
            .await
    };
    let outcome = timeout(FORBIDDEN_LIMIT, write).await;
    assert!(
        !matches!(outcome, Ok(Ok(_))),
        "{former} takes changes although it is not the primary"
    );
}
