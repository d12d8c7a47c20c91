//! What the parts of a cluster say about themselves.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use futures::future::join_all;
use serde::Deserialize;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{Cluster, MachineId, parameters, rabbitmq, rest};
use crate::probe::Probe;

const POLL: Duration = Duration::from_millis(50);

/// Pause between questions to everything.
const HEALTH_POLL: Duration = Duration::from_millis(250);

/// Limit of a write that shows that commits are acknowledged.
const WRITE_LIMIT: Duration = Duration::from_secs(2);

/// Limit of a change of Patroni's parameters.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// What a PostgreSQL is, as Patroni says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The primary.
    Leader,
    /// The standby that commits wait for.
    SyncStandby,
    /// The other standby.
    Replica,
    /// Something that this cluster never has.
    #[serde(other)]
    Unknown,
}

/// A PostgreSQL, as Patroni says.
#[derive(Clone, Debug, Deserialize)]
pub struct Member {
    name: String,
    /// What it is.
    pub role: Role,
    /// `running` if all is well.
    pub state: String,
    /// The history that it follows: one more with every promotion.
    #[serde(default)]
    pub timeline: Option<u32>,
}

impl Member {
    /// Its machine.
    pub fn machine(&self) -> Option<MachineId> {
        MachineId::named(&self.name)
    }
}

impl fmt::Display for Member {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            Role::Leader => "primary",
            Role::SyncStandby => "synchronous standby",
            Role::Replica => "standby",
            Role::Unknown => "unknown",
        };
        write!(formatter, "{:<14} {role}, {}", self.name, self.state)
    }
}

#[derive(Debug, Deserialize)]
struct Members {
    members: Vec<Member>,
}

impl Cluster {
    /// The machine whose Patroni says that it is the primary; if several do, the first.
    pub async fn primary(&self) -> Option<MachineId> {
        self.primaries().await.into_iter().next()
    }

    /// The machines whose Patroni says that it is the primary. A frozen one says nothing.
    pub async fn primaries(&self) -> Vec<MachineId> {
        let asked = self.machines.each_ref().map(|machine| async {
            let answer = rest::get(machine.at(self.ports.patroni), "/primary").await;
            answer
                .is_some_and(|answer| answer.status == 200)
                .then_some(machine.id)
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Waits for a primary, which is not `former`.
    pub async fn wait_primary(
        &self,
        former: Option<MachineId>,
        limit: Duration,
    ) -> Result<MachineId> {
        let found = async {
            loop {
                let primaries = self.primaries().await;
                if let Some(primary) = primaries.into_iter().find(|one| Some(*one) != former) {
                    return primary;
                }
                sleep(POLL).await;
            }
        };
        timeout(limit, found)
            .await
            .with_context(|| format!("no other primary than {former:?} within {limit:?}"))
    }

    /// All PostgreSQL servers, as the first Patroni says that knows.
    pub async fn members(&self) -> Option<Vec<Member>> {
        members_at(self.patroni_addresses()).await
    }

    /// The machine of the standby that commits wait for.
    pub async fn sync_standby(&self) -> Option<MachineId> {
        let members = self.members().await?;
        let standby = members.iter().find(|one| one.role == Role::SyncStandby);
        standby?.machine()
    }

    /// Waits until all is well: databases and brokers.
    pub async fn wait_healthy(&self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        self.wait_databases(limit).await?;
        self.wait_brokers(deadline.saturating_duration_since(Instant::now()))
            .await
    }

    /// Waits until etcd has its members, PostgreSQL a primary and two standbys of which one is synchronous, and commits
    /// through haproxy are acknowledged.
    pub async fn wait_databases(&self, limit: Duration) -> Result<()> {
        wait_until_well("the databases are", limit, || self.check_databases()).await
    }

    /// Waits until all nodes of RabbitMQ serve and know one another.
    pub async fn wait_brokers(&self, limit: Duration) -> Result<()> {
        wait_until_well("RabbitMQ is", limit, || self.check_brokers()).await
    }

    /// Fails with the first thing that is not well.
    async fn check_databases(&self) -> Result<()> {
        for machine in &self.machines {
            let etcd = rest::get(machine.at(self.ports.etcd), rest::ETCD_HEALTH).await;
            let is_well = etcd.is_some_and(|it| it.status == 200);
            ensure!(is_well, "etcd of {} is not well", machine.id);
        }
        let members = self.members().await.context("no Patroni answers")?;
        ensure!(
            members.len() == super::MACHINES && members.iter().all(|it| it.state == "running"),
            "not all of PostgreSQL runs: {members:?}"
        );
        let count = |role: Role| members.iter().filter(|it| it.role == role).count();
        ensure!(
            count(Role::Leader) == 1 && count(Role::SyncStandby) == 1,
            "there is no primary with a synchronous standby: {members:?}"
        );
        let timelines = members.iter().map(|it| it.timeline);
        ensure!(
            timelines.clone().all(|it| it == members[0].timeline),
            "standbys follow another history: {members:?}"
        );
        timeout(WRITE_LIMIT, self.write())
            .await
            .context("a write is not acknowledged")?
            .context("a write fails")
    }

    async fn check_brokers(&self) -> Result<()> {
        for machine in &self.machines {
            let serves = Probe::Amqp(machine.at(self.ports.amqp)).holds().await;
            ensure!(serves, "RabbitMQ of {} does not serve", machine.id);
            // A node that thaws serves until it notices that the others gave it up.
            let nodes = rabbitmq::running_nodes(machine, &self.ports).await?;
            ensure!(
                nodes == super::MACHINES,
                "RabbitMQ of {} sees {nodes} nodes",
                machine.id
            );
        }
        Ok(())
    }

    /// Commits something on the primary, through haproxy.
    async fn write(&self) -> Result<()> {
        let home = self.home()?;
        let options = PgConnectOptions::from_url(home.base_url())?;
        let mut connection = options.connect().await?;
        // It writes to the log and waits for the standby, and nothing has to be there or stays.
        sqlx::query("SELECT pg_logical_emit_message(true, 'adfolio', 'healthy')")
            .execute(&mut connection)
            .await?;
        Ok(connection.close().await?)
    }

    /// Tells Patroni the parameters, which it otherwise reads only when the cluster is made.
    pub(super) async fn set_parameters(&self) -> Result<()> {
        let primary = self.primary().await.context("there is no primary")?;
        let answer = rest::send(
            self.machine(primary).at(self.ports.patroni),
            ("PATCH", "/config"),
            &parameters::patroni(self.lease).into(),
            self.operator(),
            COMMAND_LIMIT,
        )
        .await?;
        ensure!(
            answer.status == 200,
            "Patroni refuses its parameters: {}",
            answer.body
        );
        Ok(())
    }
}

/// Asks until all is well; fails with what was not.
async fn wait_until_well(
    what: &str,
    limit: Duration,
    check: impl AsyncFn() -> Result<()>,
) -> Result<()> {
    let deadline = Instant::now() + limit;
    loop {
        let unwell = match timeout_at(deadline, check()).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(unwell)) => unwell,
            Err(_) => anyhow!("questions are not answered"),
        };
        if Instant::now() + HEALTH_POLL > deadline {
            bail!("{what} not well within {limit:?}: {unwell:#}");
        }
        sleep(HEALTH_POLL).await;
    }
}

/// All PostgreSQL servers, as the first Patroni at these addresses says that knows.
pub(super) async fn members_at(addresses: [SocketAddr; 3]) -> Option<Vec<Member>> {
    for address in addresses {
        let answer = rest::get(address, "/cluster").await;
        if let Some(answer) = answer
            && answer.status == 200
            && let Ok(found) = serde_json::from_str::<Members>(&answer.body)
        {
            return Some(found.members);
        }
    }
    None
}
