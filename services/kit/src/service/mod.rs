//! A whole service in a few lines: what every `run` and every `main` have in common.

mod app;
mod backend;
mod process;

use std::convert::Infallible;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio::time::Instant;
use tracing::info;

use crate::admin::{self, Flag, Readiness};
use crate::broker::Broker;
use crate::config::{BrokerArgs, DatabaseArgs, ServerArgs};
use crate::consumer::{CONSUMERS, Consumer, Handler};
use crate::db::{self, Logins, Pool, Schema};
use crate::latch::Latch;
use crate::outbox::{Notifier, Relay};
use crate::server::Server;
use crate::shutdown::{Shutdown, Tasks};
use crate::tls::Tls;
use crate::{idempotency, inbox, metrics, periodic};

pub use app::App;
pub use backend::Backend;
pub use process::{ProcessConfig, main, main_with_database};

/// How often expired inbox rows, idempotency keys and sent events are deleted, and the limit of
/// each of the two jobs.
const PRUNE_INTERVAL: Duration = Duration::from_mins(5);
const PRUNE_LIMIT: Duration = Duration::from_mins(1);

/// A service that runs until its shutdown. Boxed, so that it is compiled once, with its own crate,
/// and not again in every program and test that runs it.
pub type Running = BoxFuture<'static, anyhow::Result<()>>;

/// A running service: its background tasks, its readiness, and the order in which they end.
#[derive(Debug)]
pub struct Service {
    /// The service's short name (`wallet`).
    pub name: &'static str,
    /// Whether it can take work.
    pub readiness: Readiness,
    /// Its background tasks, which end with `shutdown`.
    pub tasks: Tasks,
    /// The request to end.
    pub shutdown: Shutdown,
    /// Its certificate, if TLS is on.
    pub tls: Option<Tls>,
    /// Set once all checks are registered: the admin port opens earlier.
    assembled: Flag,
    /// Tasks that must outlive `tasks`, such as the relay.
    last: Tasks,
    last_shutdown: Shutdown,
    args: ServerArgs,
}

impl Service {
    /// Starts the admin port, if one is configured.
    pub async fn start(
        name: &'static str,
        args: &ServerArgs,
        shutdown: Shutdown,
    ) -> anyhow::Result<Self> {
        let last_shutdown = Shutdown::manual();
        let readiness = Readiness::new(shutdown.clone());
        let service = Self {
            name,
            tls: args.tls.load()?,
            assembled: readiness.register_flag("start"),
            readiness,
            tasks: Tasks::new(shutdown.clone()),
            last: Tasks::new(shutdown.clone()),
            last_shutdown,
            shutdown,
            args: args.clone(),
        };
        if let Some(address) = args.admin_addr {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("cannot open the admin port {address}"))?;
            service.last.spawn(
                "admin",
                admin::serve(
                    listener,
                    service.readiness.clone(),
                    service.last_shutdown.clone(),
                ),
            );
        }
        Ok(service)
    }

    /// Opens the pool and migrates in the background, as soon as the database is available. From
    /// then on old inbox rows and idempotency keys are pruned.
    pub fn database(
        &self,
        args: &DatabaseArgs,
        schema: &'static Schema,
    ) -> anyhow::Result<(Pool, Latch)> {
        let pool = db::connect(args, self.name)?;
        let migrated = db::migrate_in_background(
            &pool,
            Logins::of(args, self.name)?,
            schema,
            &self.readiness,
            &self.tasks,
            &self.shutdown,
        );
        let pruned = pool.clone();
        self.tasks.spawn_after(
            &migrated,
            "prune",
            periodic::every(
                "prune",
                PRUNE_INTERVAL,
                PRUNE_LIMIT,
                self.shutdown.clone(),
                move || {
                    let pool = pruned.clone();
                    async move {
                        inbox::prune(&pool, inbox::EVENT_LIFETIME).await?;
                        idempotency::prune(&pool, idempotency::KEY_LIFETIME)
                            .await
                            .map(|_| ())
                    }
                },
            ),
        );
        let measured = pool.clone();
        self.measure("pool", move || {
            metrics::record_pool(&measured);
            std::future::ready(Ok::<_, Infallible>(()))
        });
        Ok((pool, migrated))
    }

    /// Samples gauges every few seconds, from now on.
    pub fn measure<F, Fut, E>(&self, name: &'static str, sample: F)
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        self.tasks.spawn(name, self.sampling(name, sample));
    }

    /// Like [`Service::measure`], once the schema is current.
    pub fn measure_after<F, Fut, E>(&self, migrated: &Latch, name: &'static str, sample: F)
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        self.tasks
            .spawn_after(migrated, name, self.sampling(name, sample));
    }

    fn sampling<F, Fut, E>(
        &self,
        name: &'static str,
        sample: F,
    ) -> impl Future<Output = ()> + Send + use<F, Fut, E>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        let shutdown = self.shutdown.clone();
        periodic::every(name, metrics::INTERVAL, metrics::LIMIT, shutdown, sample)
    }

    /// The broker, not yet connected.
    pub fn broker(&self, args: &BrokerArgs) -> anyhow::Result<Broker> {
        Ok(Broker::new(args)?)
    }

    /// Starts the relay of the outbox; it outlives everything that may write events.
    pub fn relay(&self, relay: Relay, migrated: &Latch) -> Notifier {
        let relay = relay.awaiting(&CONSUMERS);
        let notifier = relay.notifier();
        self.last.spawn(
            "relay",
            relay.run(migrated.clone(), self.last_shutdown.clone()),
        );
        notifier
    }

    /// Starts a consumer.
    pub fn consume<H: Handler>(
        &self,
        consumer: Consumer,
        pool: &Pool,
        broker: &Broker,
        migrated: &Latch,
        handler: H,
    ) {
        let (pool, broker, migrated) = (pool.clone(), broker.clone(), migrated.clone());
        let running = consumer.run(
            pool,
            broker,
            migrated,
            &self.readiness,
            self.shutdown.clone(),
            handler,
        );
        self.tasks.spawn("consumer", running);
    }

    /// A gRPC server with this service's settings.
    pub fn server(&self, descriptors: &'static [u8], migrated: &Latch) -> Server {
        let server = Server::new(self.name, &self.args)
            .gate(migrated.clone())
            .tls(self.tls.clone())
            .readiness(self.readiness.clone());
        if self.args.grpc_reflection {
            server.reflection(descriptors)
        } else {
            server
        }
    }

    /// Serves until the shutdown, then ends everything in order: calls, background tasks, relay.
    pub fn serve(self, server: Server, listener: TcpListener) -> Running {
        let shutdown = self.shutdown.clone();
        self.serve_with(async move {
            server
                .serve(listener, &shutdown)
                .await
                .map_err(anyhow::Error::from)
        })
    }

    /// Like [`Service::serve`], with any server; its future must end after the shutdown once its
    /// calls have.
    pub fn serve_with(
        self,
        server: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) -> Running {
        Box::pin(self.serve_boxed(Box::pin(server)))
    }

    async fn serve_boxed(self, server: Running) -> anyhow::Result<()> {
        self.assembled.set(true);
        let shutdown = self.shutdown.clone();
        let asked = tokio::spawn(async move {
            shutdown.cancelled().await;
            Instant::now()
        });
        let answered = server.await;
        // The server may also have failed by itself.
        self.shutdown.trigger();
        let plan = self.args.end_plan();
        let asked = asked.await.unwrap_or_else(|_| Instant::now());
        let left = |until: Duration| (asked + until).saturating_duration_since(Instant::now());
        let tasks = self.tasks.join(left(plan.tasks)).await;
        self.last_shutdown.trigger();
        let last = self.last.join(left(plan.last)).await;
        info!(service = self.name, "ended");
        answered?;
        tasks?;
        last?;
        Ok(())
    }
}
