//! What goes wrong in a cluster, and what ends it.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::sys::signal::Signal;
use serde_json::json;
use tokio::time::timeout;

use super::parameters::RABBITMQ_DISK_FREE_LIMIT;
use super::patroni::OPERATOR;
use super::{Cluster, Cut, MachineId, Part, rabbitmq, rest};
use crate::component::Component;
use crate::process::{Supervised, kill_leftovers, run_to_end};

/// Limit of a switchover: the primary stops in order, and the other server is promoted.
const SWITCHOVER_LIMIT: Duration = Duration::from_secs(45);

/// Limit of a command to a node of RabbitMQ; the program that sends it needs seconds to start.
const CONTROL_LIMIT: Duration = Duration::from_secs(30);

impl Cluster {
    /// Kills parts of a machine, like `kill -9`; they stay away until they are started.
    pub async fn kill(&mut self, machine: MachineId, parts: &[Part]) {
        for part in parts {
            self.machines[machine.index()].kill(*part).await;
        }
    }

    /// Stops parts of a machine in order; they stay away until they are started. PostgreSQL stops with its Patroni.
    pub async fn stop_parts(&mut self, machine: MachineId, parts: &[Part]) {
        for part in parts {
            let component = match part {
                Part::Etcd => Component::Etcd,
                Part::Patroni | Part::Postgres => Component::Patroni,
                Part::Rabbitmq => Component::Rabbitmq,
            };
            self.machines[machine.index()].stop(component).await;
        }
    }

    /// Starts parts that were killed or stopped; those that run go on. Patroni starts PostgreSQL.
    pub fn start(&mut self, machine: MachineId, parts: &[Part]) {
        let machine = &mut self.machines[machine.index()];
        for part in parts {
            match part {
                Part::Etcd => machine.start(Component::Etcd),
                Part::Patroni => machine.start(Component::Patroni),
                Part::Rabbitmq => machine.start(Component::Rabbitmq),
                Part::Postgres => {}
            }
        }
    }

    /// Freezes parts of a machine with all their connections.
    pub fn freeze(&self, machine: MachineId, parts: &[Part]) -> Result<()> {
        self.signal(machine, parts, Signal::SIGSTOP)
    }

    /// Lets frozen parts run on as if nothing had been.
    pub fn thaw(&self, machine: MachineId, parts: &[Part]) -> Result<()> {
        self.signal(machine, parts, Signal::SIGCONT)
    }

    /// Cuts a machine off; what it has open stays open.
    pub fn cut(&self, machine: MachineId, how: Cut) -> Result<()> {
        let networks = self.networks.as_ref();
        let networks = networks.context("these machines have no networks of their own")?;
        networks.cut(machine, how)
    }

    /// Ends every cut of a machine.
    pub fn join(&self, machine: MachineId) -> Result<()> {
        let networks = self.networks.as_ref();
        let networks = networks.context("these machines have no networks of their own")?;
        networks.join(machine)
    }

    /// Lets the node of a machine believe that its disk is nearly full: all nodes then block publishers.
    pub async fn raise_disk_alarm(&self, machine: MachineId) -> Result<()> {
        const MORE_THAN_THERE_IS: &str = "1000000GB";
        self.limit_free_disk(machine, MORE_THAN_THERE_IS).await
    }

    /// Ends the alarm.
    pub async fn clear_disk_alarm(&self, machine: MachineId) -> Result<()> {
        self.limit_free_disk(machine, RABBITMQ_DISK_FREE_LIMIT)
            .await
    }

    async fn limit_free_disk(&self, machine: MachineId, least: &str) -> Result<()> {
        let arguments = ["set_disk_free_limit", least];
        let control = rabbitmq::control(self.machine(machine), &self.ports, arguments);
        timeout(CONTROL_LIMIT, run_to_end(&control))
            .await
            .with_context(|| format!("RabbitMQ of {machine} does not answer"))?
    }

    /// Kills haproxy and all connections through it; it stays away until it is started.
    pub async fn kill_proxy(&mut self) {
        self.shared
            .retain(|child| child.component() != Component::Haproxy);
        kill_leftovers(&self.layout, Component::Haproxy).await;
    }

    /// Starts haproxy again, unless it runs.
    pub fn start_proxy(&mut self) {
        let runs = |child: &Supervised| child.component() == Component::Haproxy;
        let unit = self
            .shared_units
            .iter()
            .find(|unit| unit.component == Component::Haproxy);
        if let Some(unit) = unit
            && !self.shared.iter().any(runs)
        {
            let started = Supervised::start(unit.clone(), &self.layout);
            self.shared.push(started);
        }
    }

    /// Makes another machine the primary in order: this one, or the synchronous standby. Returns once it is.
    pub async fn switch_over(&self, to: Option<MachineId>) -> Result<()> {
        let primary = self.primary().await.context("there is no primary")?;
        let mut wanted = json!({"leader": primary.to_string()});
        if let Some(to) = to {
            wanted["candidate"] = json!(to.to_string());
        }
        let answer = rest::send(
            self.machine(primary).at(self.ports.patroni),
            ("POST", "/switchover"),
            &wanted,
            self.operator(),
            SWITCHOVER_LIMIT,
        )
        .await?;
        ensure!(answer.status == 200, "no switchover: {}", answer.body);
        Ok(())
    }

    pub(super) fn operator(&self) -> (&str, &str) {
        (OPERATOR, &self.passwords.operator)
    }

    fn signal(&self, machine: MachineId, parts: &[Part], signal: Signal) -> Result<()> {
        for part in parts {
            self.machine(machine).signal(*part, signal)?;
        }
        Ok(())
    }
}
