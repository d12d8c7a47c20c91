//! A whole service in a few lines: what every `run` and every `main` has in common.

use std::convert::Infallible;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;
use futures::future::BoxFuture;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tokio::time::Instant;
use tracing::{error, info};

use crate::admin::{self, Flag, Readiness};
use crate::broker::{Broker, Stream};
use crate::config::{
    BrokerArgs, ConfigError, DatabaseArgs, EXIT_CONFIGURATION, ServerArgs, TelemetryArgs,
    exit_with, parse_or_exit,
};
use crate::consumer::{CONSUMERS, Consumer, Handler};
use crate::db::{self, Migrated};
use crate::outbox::{Notifier, Relay};
use crate::refusal::chain;
use crate::server::Server;
use crate::shutdown::{Shutdown, Tasks};
use crate::tls::Tls;
use crate::{healthcheck, idempotency, inbox, metrics, outbox, periodic, telemetry};

/// How often old inbox rows, idempotency keys and sent events are deleted, and how long each of both jobs may take.
const PRUNE_INTERVAL: Duration = Duration::from_mins(5);
const PRUNE_LIMIT: Duration = Duration::from_mins(1);

/// A service that runs until its shutdown. Boxed, so that all of it is compiled once, with its own crate, and not once more in
/// every program and test that runs it.
pub type Running = BoxFuture<'static, anyhow::Result<()>>;

/// What `main` needs to know of a process' configuration.
pub trait ProcessConfig {
    /// Where it listens and how it ends.
    fn server(&self) -> &ServerArgs;
    /// How it logs.
    fn telemetry(&self) -> &TelemetryArgs;
}

/// The whole of a service's `main`: configuration, telemetry, listener, `run`, exit code. With the first argument
/// `healthcheck` it only asks the process beside it whether it is ready, and needs none of that.
pub async fn main<C>(
    name: &'static str,
    run: impl FnOnce(C, TcpListener, Shutdown) -> Running,
) -> ExitCode
where
    C: Parser + ProcessConfig,
{
    if std::env::args().nth(1).as_deref() == Some(healthcheck::COMMAND) {
        return healthcheck::main().await;
    }
    let config: C = parse_or_exit();
    let guard = match telemetry::init(name, config.telemetry()) {
        Ok(guard) => guard,
        Err(error) => exit_with(&format!("{error:#}")),
    };
    let outcome = match listen(config.server().clone()).await {
        Ok((listener, shutdown)) => run(config, listener, shutdown).await,
        Err(problem) => Err(problem),
    };
    if let Err(problem) = &outcome {
        report(problem);
    }
    drop(guard);
    // Leaving main would wait for blocking threads (a look-up, a hash) that nobody needs any more.
    std::process::exit(outcome.map_or_else(|problem| exit_code(&problem), |()| 0))
}

/// Wrong configuration is told as where it is parsed, also when it was noticed later.
fn report(problem: &anyhow::Error) {
    if let Some(wrong) = problem.downcast_ref::<ConfigError>() {
        eprintln!("{}", chain(wrong));
    } else {
        error!(error = format!("{problem:#}"), "service failed");
    }
}

fn exit_code(problem: &anyhow::Error) -> i32 {
    if problem.is::<ConfigError>() {
        EXIT_CONFIGURATION
    } else {
        1
    }
}

/// The service's port, and the shutdown that signals ask for.
async fn listen(args: ServerArgs) -> anyhow::Result<(TcpListener, Shutdown)> {
    let shutdown = Shutdown::on_signals().context("cannot listen for signals")?;
    exit_when_overdue(shutdown.clone(), args.end_plan().exit);
    let address = args.listen_addr;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    Ok((listener, shutdown))
}

/// The last resort against something that does not end: exits when the process is to be gone.
fn exit_when_overdue(shutdown: Shutdown, limit: Duration) {
    tokio::spawn(async move {
        shutdown.cancelled().await;
        tokio::time::sleep(limit).await;
        error!("the process did not end in time");
        std::process::exit(1);
    });
}

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
    /// Its certificate, where TLS is on.
    pub tls: Option<Tls>,
    /// Holds once everything that has to be ready has said so: the admin port is open before.
    assembled: Flag,
    /// Ends after `tasks`: for what must outlive them, such as the relay.
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

    /// Opens the pool and migrates in the background, as soon as the database can be reached. Old inbox rows, idempotency keys
    /// and sent events are pruned from then on.
    pub fn database(
        &self,
        args: &DatabaseArgs,
        migrator: &'static Migrator,
    ) -> anyhow::Result<(PgPool, Migrated)> {
        let pool = db::connect(args, self.name)?;
        let migrated = db::migrate_in_background(
            &pool,
            migrator,
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
                        inbox::prune(&pool).await?;
                        idempotency::prune(&pool).await.map(|_| ())
                    }
                },
            ),
        );
        let (pruned, kept) = (pool.clone(), args.sent_events_kept());
        self.tasks.spawn_after(
            &migrated,
            "prune sent events",
            periodic::every(
                "prune sent events",
                PRUNE_INTERVAL,
                PRUNE_LIMIT,
                self.shutdown.clone(),
                move || {
                    let pool = pruned.clone();
                    async move { outbox::prune_sent(&pool, kept).await.map(|_| ()) }
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

    /// Looks every few seconds for what is told to metrics as a gauge, from now on.
    pub fn measure<F, Fut, E>(&self, name: &'static str, look: F)
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        self.tasks.spawn(name, self.looking(name, look));
    }

    /// Like [`Service::measure`], once the schema is there.
    pub fn measure_after<F, Fut, E>(&self, migrated: &Migrated, name: &'static str, look: F)
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        self.tasks
            .spawn_after(migrated, name, self.looking(name, look));
    }

    fn looking<F, Fut, E>(
        &self,
        name: &'static str,
        look: F,
    ) -> impl Future<Output = ()> + Send + use<F, Fut, E>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        let shutdown = self.shutdown.clone();
        periodic::every(name, metrics::INTERVAL, metrics::LIMIT, shutdown, look)
    }

    /// The broker. Nothing is connected yet.
    pub fn broker(&self, args: &BrokerArgs) -> anyhow::Result<Broker> {
        Ok(Broker::new(args)?)
    }

    /// Starts the relay of the outbox; it ends after everything that may still write events.
    pub fn relay(&self, pool: &PgPool, broker: &Broker, migrated: &Migrated) -> Notifier {
        self.start_relay(
            Relay::new(self.name, pool.clone(), broker.clone()),
            migrated,
        )
    }

    /// Like [`Service::relay`]; the events are also kept in `stream`.
    pub fn relay_with_stream(
        &self,
        stream: Stream,
        pool: &PgPool,
        broker: &Broker,
        migrated: &Migrated,
    ) -> Notifier {
        let relay = Relay::new(self.name, pool.clone(), broker.clone());
        self.start_relay(relay.with_stream(stream), migrated)
    }

    fn start_relay(&self, relay: Relay, migrated: &Migrated) -> Notifier {
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
        pool: &PgPool,
        broker: &Broker,
        migrated: &Migrated,
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
    pub fn server(&self, descriptors: &'static [u8], migrated: &Migrated) -> Server {
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

    /// Like [`Service::serve`], with any server; its future ends after the shutdown once its calls have.
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
