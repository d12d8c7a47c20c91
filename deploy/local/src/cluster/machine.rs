//! A machine of the cluster and what runs on it.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::component::Component;
use crate::layout::Layout;
use crate::process::{Supervised, Unit, find_program, kill_leftovers, kill_marked, signal_marked};

/// A node that has not served for so long is started again. Longer than a majority needs to notice that it is one.
const RABBITMQ_PATIENCE: Duration = Duration::from_secs(20);

/// Names a machine: `machine-1` to `machine-3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MachineId(u8);

impl MachineId {
    /// All machines.
    pub const ALL: [Self; 3] = [Self(1), Self(2), Self(3)];

    pub(super) const fn number(self) -> u8 {
        self.0
    }

    /// Its place in lists of addresses.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// The other two.
    pub fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |other| *other != self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.to_string() == name)
    }
}

impl fmt::Display for MachineId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "machine-{}", self.0)
    }
}

/// A part of a machine that may fail by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The member of etcd.
    Etcd,
    /// Patroni alone; its PostgreSQL runs on.
    Patroni,
    /// PostgreSQL alone; its Patroni runs on and starts it again.
    Postgres,
    /// The node of RabbitMQ.
    Rabbitmq,
}

impl Part {
    /// Everything on a machine.
    pub const ALL: [Self; 4] = [Self::Etcd, Self::Patroni, Self::Postgres, Self::Rabbitmq];
    /// PostgreSQL, and nothing that starts it again.
    pub const DATABASE: [Self; 2] = [Self::Patroni, Self::Postgres];

    const fn component(self) -> Component {
        match self {
            Self::Etcd => Component::Etcd,
            Self::Patroni => Component::Patroni,
            Self::Postgres => Component::Postgres,
            Self::Rabbitmq => Component::Rabbitmq,
        }
    }
}

/// One of three, with an address of its own.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) id: MachineId,
    pub(super) address: IpAddr,
    pub(super) layout: Layout,
    /// The file of its network namespace, if it has one.
    pub(super) network: Option<PathBuf>,
    /// What may run on it.
    pub(super) units: Vec<Unit>,
    running: Vec<Supervised>,
}

impl Machine {
    pub(super) fn new(
        id: MachineId,
        address: IpAddr,
        layout: Layout,
        network: Option<PathBuf>,
    ) -> Self {
        Self {
            id,
            address,
            layout,
            network,
            units: Vec::new(),
            running: Vec::new(),
        }
    }

    pub(super) fn at(&self, port: u16) -> SocketAddr {
        SocketAddr::new(self.address, port)
    }

    /// Starts a component, unless it runs or the machine has none of it.
    pub(super) fn start(&mut self, component: Component) {
        if self.running(component).is_some() {
            return;
        }
        let unit = self.units.iter().find(|unit| unit.component == component);
        if let Some(unit) = unit {
            // A node that had no majority may hang when it has one again, since Erlang 25 does not understand how RabbitMQ
            // 3.10 tells it which nodes are there; and one that thaws may go on alone.
            let patience = (component == Component::Rabbitmq).then_some(RABBITMQ_PATIENCE);
            let started = Supervised::start_with(unit.clone(), &self.layout, patience);
            self.running.push(started);
        }
    }

    pub(super) fn running(&self, component: Component) -> Option<&Supervised> {
        self.running
            .iter()
            .find(|child| child.component() == component)
    }

    /// Kills a part for good, or until it is started again.
    pub(super) async fn kill(&mut self, part: Part) {
        let component = part.component();
        // Dropping kills the process, and nothing starts it again.
        self.running.retain(|child| child.component() != component);
        match part {
            Part::Etcd | Part::Rabbitmq => kill_leftovers(&self.layout, component).await,
            // Its mark is on PostgreSQL as well, which is another part.
            Part::Patroni => {}
            Part::Postgres => self.signal_all(component, Signal::SIGKILL),
        }
    }

    /// Stops a component in order. PostgreSQL stops with its Patroni.
    pub(super) async fn stop(&mut self, component: Component) {
        let place = self
            .running
            .iter()
            .position(|child| child.component() == component);
        if let Some(place) = place {
            self.running.swap_remove(place).stop().await;
        }
    }

    /// Sends a signal that freezes or thaws to all processes of a part.
    pub(super) fn signal(&self, part: Part, signal: Signal) -> Result<()> {
        let component = part.component();
        if part != Part::Patroni {
            self.signal_all(component, signal);
            return Ok(());
        }
        let running = self.running(component);
        let pid = running
            .and_then(|child| child.state().pid)
            .with_context(|| format!("{component} does not run on {}", self.id))?;
        kill(Pid::from_raw(i32::try_from(pid)?), signal)
            .with_context(|| format!("cannot signal {component} on {}", self.id))
    }

    /// Ends everything at once; returns how many processes there were.
    pub(super) fn clear(&mut self) -> usize {
        self.running.clear();
        kill_marked(&self.layout, None)
    }

    fn signal_all(&self, component: Component, signal: Signal) {
        // Twice: a process may be born while the first round goes on, but not after its parent got the signal.
        for _ in 0..2 {
            signal_marked(&self.layout, component, signal);
        }
    }
}

/// The path of an installed program.
pub(super) fn installed(name: &str) -> Result<PathBuf> {
    match find_program(name) {
        Some(program) => Ok(program),
        None => bail!("{name} is not installed: `make cluster-up` installs it"),
    }
}
