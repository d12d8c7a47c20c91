//! The shape of every service's `helpers.rs`: a service in an environment of its own, with any
//! number of replicas.
//!
//! A service implements [`Tested`] for the type that its tests use, lets that type dereference to
//! [`TestService`], and adds the calls of its tests. All six then start alike:
//! `Coupon::builder().at("2026-11-20T10:00:00Z").replicas(2).spawn()`.

use std::iter;

use adfolio_kit::client::Channel;
use adfolio_kit::clock::Clock;
use adfolio_kit::db::Schema;
use adfolio_kit::service::Running;
use adfolio_kit::shutdown::Shutdown;
use clap::Parser;
use tokio::net::TcpListener;

use crate::directory::Directory;
use crate::{RunningService, TestBroker, TestDatabase, fixed_clock, server_flags, spawn_service};

/// Where the clock of a service stands unless its test says otherwise: a Friday morning.
pub const NOW: &str = "2026-11-20T10:00:00Z";

/// A service's `run`.
pub type Run<C> = fn(C, TcpListener, Shutdown) -> Running;

/// A change that a test makes to a service's configuration.
type Change<C> = Box<dyn FnOnce(&mut C)>;

/// What a service under test has to itself.
#[derive(Debug)]
pub struct Environment {
    /// Its database.
    pub db: TestDatabase,
    /// Its namespace at the broker.
    pub broker: TestBroker,
    /// Its time.
    pub clock: Clock,
    /// Its stand-in for auth's user directory.
    pub directory: Directory,
}

impl Environment {
    /// The configuration that a command line with these servers and `flags` gives.
    pub fn config<C: Parser>(&self, flags: &[&str]) -> C {
        config(&self.db, &self.broker, flags)
    }
}

/// The configuration of a service that a command line with these servers and `flags` gives.
pub fn config<C: Parser>(db: &TestDatabase, broker: &TestBroker, flags: &[&str]) -> C {
    let own = flags.iter().map(|&flag| flag.to_owned());
    let program = iter::once("service".to_owned());
    C::parse_from(program.chain(server_flags(db, broker)).chain(own))
}

/// A service as its tests use it.
pub trait Tested: Sized {
    /// Its configuration.
    type Config: Clone + 'static;
    /// What a test has of the services that it calls; `()` if there are none besides the user
    /// directory.
    type Peers;
    /// Its own tables.
    const SCHEMA: &'static Schema;
    /// How it runs.
    const RUN: Run<Self::Config>;

    /// Starts its peers, and configures it with them and its environment.
    fn set_up(environment: &Environment) -> impl Future<Output = (Self::Config, Self::Peers)>;

    /// Puts the running service and its peers together.
    fn assemble(service: TestService<Self::Config>, peers: Self::Peers) -> Self;
}

/// How a test wants its service.
pub struct Builder<S: Tested> {
    clock: Clock,
    replicas: usize,
    changes: Vec<Change<S::Config>>,
}

impl<S: Tested> Default for Builder<S> {
    fn default() -> Self {
        Self {
            clock: fixed_clock(NOW),
            replicas: 1,
            changes: Vec::new(),
        }
    }
}

impl<S: Tested> Builder<S> {
    /// With a clock that stands at this time until the test moves it; at first [`NOW`].
    #[must_use]
    pub fn at(self, rfc3339: &str) -> Self {
        self.clock(fixed_clock(rfc3339))
    }

    /// With this clock.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// With so many replicas; at first one.
    #[must_use]
    pub fn replicas(self, replicas: usize) -> Self {
        Self { replicas, ..self }
    }

    /// With a change of the configuration.
    #[must_use]
    pub fn configure(mut self, change: impl FnOnce(&mut S::Config) + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Starts all of it, and returns once every replica serves.
    pub async fn spawn(self) -> S {
        let environment = Environment {
            db: TestDatabase::create(S::SCHEMA).await,
            broker: TestBroker::namespace(),
            clock: self.clock,
            directory: Directory::start().await,
        };
        let (mut config, peers) = S::set_up(&environment).await;
        for change in self.changes {
            change(&mut config);
        }
        let Environment {
            db,
            broker,
            clock,
            directory,
        } = environment;
        let mut service = TestService {
            replicas: Vec::new(),
            db,
            broker,
            clock,
            directory,
            config,
            run: S::RUN,
        };
        service.replicas = service.start(self.replicas).await;
        S::assemble(service, peers)
    }
}

/// A service with its environment.
#[derive(Debug)]
pub struct TestService<C> {
    /// The processes of the service.
    pub replicas: Vec<RunningService>,
    /// Their database.
    pub db: TestDatabase,
    /// Their namespace at the broker.
    pub broker: TestBroker,
    /// Their time.
    pub clock: Clock,
    /// Their stand-in for auth's user directory.
    pub directory: Directory,
    config: C,
    run: Run<C>,
}

impl<C: Clone + 'static> TestService<C> {
    /// A channel to the first replica, for any generated client.
    pub fn channel(&self) -> Channel {
        self.replicas.first().expect("a replica").channel()
    }

    /// One more replica, with a change of its configuration.
    pub async fn replica_with(&self, change: impl FnOnce(&mut C)) -> RunningService {
        let mut config = self.config.clone();
        change(&mut config);
        spawn_service(|listener, shutdown| (self.run)(config, listener, shutdown)).await
    }

    /// Stops all replicas in order, and starts as many again: only the database stays.
    pub async fn restart(&mut self) {
        let count = self.replicas.len();
        for replica in self.replicas.drain(..) {
            replica.stop().await.expect("an orderly end");
        }
        self.replicas = self.start(count).await;
    }

    /// Ends all replicas in the middle of whatever they do; as many others have taken their place
    /// by then.
    pub async fn crash(&mut self) {
        let fresh = self.start(self.replicas.len()).await;
        for replica in std::mem::replace(&mut self.replicas, fresh) {
            replica.kill().await;
        }
    }

    async fn start(&self, count: usize) -> Vec<RunningService> {
        let mut replicas = Vec::with_capacity(count);
        for _ in 0..count {
            replicas.push(self.replica_with(|_| {}).await);
        }
        replicas
    }
}
