//! What the parts of a cluster say about themselves.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use futures::future::join_all;
use serde::Deserialize;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{Cluster, MachineId, parameters, rabbitmq, rest};
use crate::probe::Probe;
use crate::process::run_to_end;

/// Limit of the question which nodes of RabbitMQ are online, with the start of the program that asks.
const ONLINE_LIMIT: Duration = Duration::from_secs(45);

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

    /// Waits until all is well: etcd has its members, PostgreSQL a primary and two standbys of which one is synchronous,
    /// commits through haproxy are acknowledged, and all nodes of RabbitMQ serve and know one another.
    pub async fn wait_healthy(&self, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            let unwell = match timeout_at(deadline, self.check()).await {
                Ok(Ok(())) => break,
                Ok(Err(unwell)) => unwell,
                Err(_) => anyhow::anyhow!("questions are not answered"),
            };
            if Instant::now() + HEALTH_POLL > deadline {
                bail!("the cluster is not healthy within {limit:?}: {unwell:#}");
            }
            sleep(HEALTH_POLL).await;
        }
        // Their listeners are open, but each could have formed a cluster of its own.
        let nodes = super::MACHINES.to_string();
        let arguments = ["await_online_nodes", &nodes, "--timeout", "30"];
        let online = rabbitmq::control(&self.machines[0], &self.ports, arguments);
        timeout(ONLINE_LIMIT, run_to_end(&online))
            .await
            .context("RabbitMQ does not say which nodes there are")?
    }

    /// Fails with the first thing that is not well.
    async fn check(&self) -> Result<()> {
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
            .context("a write fails")?;
        for machine in &self.machines {
            let serves = Probe::Amqp(machine.at(self.ports.amqp)).holds().await;
            ensure!(serves, "RabbitMQ of {} does not serve", machine.id);
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
