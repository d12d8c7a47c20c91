//! What the six services share: a database, the broker, the relay of the outbox, and jobs that need
//! the schema.

use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;

use super::{Running, Service};
use crate::broker::{Broker, Stream};
use crate::config::ServiceArgs;
use crate::consumer::{Consumer, Handler};
use crate::db::{Pool, Schema};
use crate::identity_token::Verifier;
use crate::latch::Latch;
use crate::outbox::{Notifier, Relay};
use crate::periodic;
use crate::saga::{self, Saga};
use crate::server::Server;

/// How often a saga's old keys are forgotten, and the limit of each of its jobs.
const FORGET_INTERVAL: Duration = Duration::from_mins(1);
const SAGA_JOB_LIMIT: Duration = Duration::from_mins(1);

/// A service with its database and broker. All its jobs wait for the schema.
#[derive(Debug)]
pub struct Backend {
    /// The process.
    pub service: Service,
    /// Its database.
    pub pool: Pool,
    /// The broker.
    pub broker: Broker,
    /// Opens once the schema is current.
    pub migrated: Latch,
    /// Wakes the relay of the outbox.
    pub notifier: Notifier,
    /// Verifies the identities of callers, if keys are configured.
    identities: Option<Verifier>,
}

impl Backend {
    /// Starts the process, its migrations and its relay. With a `stream`, events are also kept
    /// there.
    pub async fn start(
        name: &'static str,
        args: &ServiceArgs,
        schema: &'static Schema,
        stream: Option<Stream>,
        shutdown: crate::shutdown::Shutdown,
    ) -> anyhow::Result<Self> {
        let identities = args.identity.load()?;
        let service = Service::start(name, &args.process.server, shutdown).await?;
        let (pool, migrated) = service.database(&args.database, schema)?;
        let broker = service.broker(&args.broker)?;
        let mut relay = Relay::new(name, pool.clone(), broker.clone())
            .keeping(args.database.sent_events_kept());
        if let Some(stream) = stream {
            relay = relay.with_stream(stream);
        }
        let notifier = service.relay(relay, &migrated);
        Ok(Self {
            service,
            pool,
            broker,
            migrated,
            notifier,
            identities,
        })
    }

    /// Starts a consumer.
    pub fn consume<H: Handler>(&self, consumer: Consumer, handler: H) {
        self.service
            .consume(consumer, &self.pool, &self.broker, &self.migrated, handler);
    }

    /// Runs `work` in the background; it must watch the shutdown itself.
    pub fn spawn<F>(&self, name: &'static str, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.service.tasks.spawn_after(&self.migrated, name, work);
    }

    /// Runs `job` every `interval`, each run limited to `limit`.
    pub fn every<A, F, Fut, E>(
        &self,
        name: &'static str,
        interval: Duration,
        limit: Duration,
        app: &A,
        job: F,
    ) where
        A: Clone + Send + Sync + 'static,
        F: Fn(A) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + Send + 'static,
    {
        let (app, shutdown) = (app.clone(), self.service.shutdown.clone());
        let job = move || job(app.clone());
        self.spawn(name, periodic::every(name, interval, limit, shutdown, job));
    }

    /// Starts the jobs of a saga: recovery every `interval`, deletion of old keys, metrics.
    pub fn saga<S: Saga>(&self, interval: Duration, app: &S::App) {
        self.every(
            "saga recovery",
            interval,
            SAGA_JOB_LIMIT,
            app,
            |app| async move { saga::recover::<S>(&app).await },
        );
        self.every(
            "old saga keys",
            FORGET_INTERVAL,
            SAGA_JOB_LIMIT,
            app,
            |app| async move { saga::forget_old_keys::<S>(&app).await },
        );
        self.measure("unfinished sagas", app, |app| async move {
            saga::record_unfinished::<S>(&app).await
        });
    }

    /// Samples gauges every few seconds.
    pub fn measure<A, F, Fut, E>(&self, name: &'static str, app: &A, sample: F)
    where
        A: Clone + Send + Sync + 'static,
        F: Fn(A) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + Send + 'static,
    {
        let app = app.clone();
        self.service
            .measure_after(&self.migrated, name, move || sample(app.clone()));
    }

    /// A gRPC server with this service's settings.
    pub fn server(&self) -> Server {
        self.service
            .server(adfolio_proto::FILE_DESCRIPTOR_SET, &self.migrated)
            .identities(self.identities.clone())
    }

    /// Serves until the shutdown, then ends everything in order: calls, background tasks, relay.
    pub fn serve(self, server: Server, listener: TcpListener) -> Running {
        self.service.serve(server, listener)
    }
}
