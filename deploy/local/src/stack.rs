//! A running stack.

use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::future::try_join_all;
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;
use tracing::info;

use crate::broker_users::{self, BrokerAccess};
use crate::builder::{Content, StackBuilder};
use crate::certificates::{self, TlsFiles, scheme};
use crate::component::{Component, Service};
use crate::databases::{Home, Tables};
use crate::identity;
use crate::layout::{Layout, Lock};
use crate::ports::{Ports, Reservation, loopback};
use crate::probe::Probe;
use crate::process::{Launch, Supervised, Unit, kill_leftovers, kill_marked, run_to_end};
use crate::servers::adfolio::{self, DatabaseUrls, Surroundings};
use crate::servers::postgres::Superuser;
use crate::servers::{nginx, postgres, rabbitmq};
use crate::staff;

/// Limit of a server's start: more than twice what a loaded two-core machine needed.
const READY_LIMIT: Duration = Duration::from_secs(90);
/// From the last ready service to the gateway's report that everything is ready.
const EDGE_LIMIT: Duration = Duration::from_secs(30);

/// A running stack. [`Stack::stop`] stops it in order; dropping it kills everything.
#[derive(Debug)]
pub struct Stack {
    layout: Layout,
    ports: Ports,
    home: Home,
    broker: BrokerAccess,
    amqp_url: String,
    tls: bool,
    operator: Option<Launch>,
    children: Vec<Supervised>,
    /// The services' processes, started or not.
    processes: Vec<Unit>,
    /// What migrates their databases.
    migrations: Vec<Launch>,
    stopped: bool,
    // Released after the children are gone, in this order.
    _lock: Lock,
    _reservation: Reservation,
    _temporary: Option<TempDir>,
}

/// What `adfolio-local status` reads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) ports: Ports,
    pub(crate) components: Vec<String>,
}

impl Description {
    /// Whether the component is part of the stack.
    pub(crate) fn has(&self, component: impl Into<Component>) -> bool {
        self.components.contains(&component.into().to_string())
    }
}

impl StackBuilder {
    /// Starts everything and returns when all of it is ready. On failure, or if the returned future
    /// is dropped, everything that was started is stopped.
    pub async fn start(self) -> Result<Stack> {
        Stack::start(self).await
    }
}

impl Stack {
    /// A builder of a stack.
    pub fn builder() -> StackBuilder {
        StackBuilder::new()
    }

    async fn start(mut builder: StackBuilder) -> Result<Self> {
        let mut reservation = std::mem::take(&mut builder.reservation);
        let (data, temporary) = builder.resolve_data()?;
        let layout = Layout::create(&data)?;
        let lock = layout.lock()?;
        layout.ensure_restored()?;
        clear_leftovers(&layout).await;
        let ports = builder.resolve_ports(&mut reservation)?;
        let components = builder.components();
        ports.check_free(&components)?;
        describe(&layout, &ports, &components)?;
        let home = if let Some(url) = &builder.database_url {
            Home::Given(url.clone())
        } else {
            let at = builder.database_at.map(|address| address.port());
            Home::private(&layout, at.unwrap_or(ports.postgres))?
        };
        let broker = match &builder.amqp_url {
            Some(url) => BrokerAccess::Given(url.clone()),
            None => BrokerAccess::Private {
                addresses: match &builder.broker_at[..] {
                    [] => vec![loopback(ports.amqp)],
                    addresses => addresses.to_vec(),
                },
                passwords: broker_users::passwords(&layout),
            },
        };
        let mut stack = Self {
            layout,
            ports,
            home,
            broker,
            amqp_url: String::new(),
            tls: builder.tls,
            operator: None,
            children: Vec::new(),
            processes: Vec::new(),
            migrations: Vec::new(),
            stopped: false,
            _lock: lock,
            _reservation: reservation,
            _temporary: temporary,
        };
        if let Err(error) = stack.start_all(&builder).await {
            stack.stop().await;
            return Err(error);
        }
        Ok(stack)
    }

    /// URL of the web client and, below `/api`, of the gateway.
    pub fn url(&self) -> String {
        format!("http://{}", loopback(self.ports.http))
    }

    /// URL of a service's gRPC listener (of its first replica); the gateway's is HTTP.
    pub fn grpc_url(&self, service: Service) -> String {
        let tls = self.tls && service != Service::Gateway;
        format!("{}://{}", scheme(tls), self.ports.listen_address(service))
    }

    /// The certificate of a program (`wallet`, `adfolioctl`, `network`), if the stack uses TLS.
    pub fn tls_files(&self, name: &str) -> Option<TlsFiles> {
        self.tls.then(|| TlsFiles::of(&self.layout, name))
    }

    /// URL of a service's `/healthz`, `/readyz` and `/metrics`.
    pub fn admin_url(&self, service: Service) -> String {
        format!("http://{}", self.ports.admin_address(service))
    }

    /// The same for any replica of a service.
    pub fn replica_admin_url(&self, replica: Component) -> Result<String> {
        let (_, admin) = self.ports.addresses(replica)?;
        Ok(format!("http://{admin}"))
    }

    /// Starts a replica that is configured but was not started with the stack, or was removed
    /// since. Does not wait until it is ready.
    pub fn add(&mut self, replica: Component) -> Result<()> {
        if self.child(replica).is_ok() {
            bail!("{replica} runs already");
        }
        let mut processes = self.processes.iter();
        let unit = processes
            .find(|unit| unit.component == replica)
            .with_context(|| format!("{replica} is not a part of this stack"))?;
        self.supervise(unit.clone());
        Ok(())
    }

    /// Stops a replica in order, for good or until it is added again.
    pub async fn remove(&mut self, replica: Component) -> Result<()> {
        let mut running = self.children.iter();
        let place = running
            .position(|child| child.component() == replica)
            .with_context(|| format!("{replica} does not run"))?;
        self.children.remove(place).stop().await;
        Ok(())
    }

    /// URL of a service's database, for the login of the service.
    pub fn database_url(&self, service: Service) -> String {
        self.home.url(service, &[])
    }

    /// URL of a service's database, for the login that migrates it; none on a given server.
    pub fn migration_url(&self, service: Service) -> Option<String> {
        self.home.migration_url(service).map(String::from)
    }

    /// URL of a service's database, for an account that may do everything.
    pub fn database_superuser_url(&self, service: Service) -> String {
        self.home.superuser_url(service).into()
    }

    /// URL of the PostgreSQL server, for an account that may create databases.
    pub fn database_base_url(&self) -> String {
        self.home.base_url().to_string()
    }

    /// URL of the broker for the administrator.
    pub fn amqp_url(&self) -> &str {
        &self.amqp_url
    }

    /// URL of the broker for the user of a service.
    pub fn service_amqp_url(&self, service: Service) -> Result<String> {
        self.broker.service_url(service, None)
    }

    /// URL of the broker for consumers outside of the stack.
    pub fn reader_amqp_url(&self) -> String {
        self.broker.reader_url()
    }

    /// The ports in use.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// The folder that holds everything the stack writes.
    pub fn data_dir(&self) -> &std::path::Path {
        self.layout.root()
    }

    /// Process id of a running component.
    pub fn pid(&self, component: impl Into<Component>) -> Option<u32> {
        self.child(component.into()).ok()?.state().pid
    }

    /// Whether a component is running and was ready since its last start.
    pub fn is_ready(&self, component: impl Into<Component>) -> bool {
        self.child(component.into())
            .is_ok_and(|child| child.state().ready)
    }

    /// Sends a signal to a component. After one that kills, returns once the death was noticed, so
    /// that [`Stack::wait_ready`] then waits for the restarted component.
    pub async fn kill(&self, component: impl Into<Component>, signal: Signal) -> Result<()> {
        self.child(component.into())?.signal(signal).await
    }

    /// Waits until a component is ready, at most 90 seconds.
    pub async fn wait_ready(&self, component: impl Into<Component>) -> Result<()> {
        self.child(component.into())?.wait_ready(READY_LIMIT).await
    }

    /// Waits until nginx, and through it the gateway, reports that everything is ready.
    pub async fn wait_edge_ready(&self) -> Result<()> {
        let probe = Probe::Http(loopback(self.ports.http), "/healthz");
        let waited = timeout(EDGE_LIMIT, probe.wait()).await;
        waited.with_context(|| {
            let gateway = Service::Gateway.name();
            format!(
                "{}/healthz does not answer 200; the gateway's log ends with:\n{}",
                self.url(),
                self.layout.log_tail(gateway)
            )
        })
    }

    /// A command that runs `adfolioctl` against this stack; add its arguments. Needs at least one
    /// service.
    pub fn operator_command(&self) -> Result<Command> {
        let launch = self
            .operator
            .as_ref()
            .context("a stack without services has no operator")?;
        Ok(launch.tied_command())
    }

    /// Stops everything in order: the edge, the gateway, the services, then broker and database.
    /// Every step has a limit.
    pub async fn stop(mut self) {
        let mut children = std::mem::take(&mut self.children);
        for step in [
            Self::is_edge,
            Self::is_gateway,
            Self::is_service,
            Self::is_server,
            |_| true,
        ] {
            let (now, later): (Vec<_>, Vec<_>) = children
                .into_iter()
                .partition(|child| step(child.component()));
            children = later;
            let stops: Vec<_> = now
                .into_iter()
                .map(|child| tokio::spawn(child.stop()))
                .collect();
            for stop in stops {
                // A panic in one stop must not keep the others running.
                let _ = stop.await;
            }
        }
        clear_leftovers(&self.layout).await;
        let _ = fs::remove_file(self.layout.description());
        self.stopped = true;
    }

    /// Gives the tables of the services to their owners, as an operator does after an upgrade. Sessions that are open keep the
    /// owner's rights until they end.
    pub async fn hand_over_tables(&self) -> Result<()> {
        for service in self.services_with_database() {
            self.home.hand_over(service).await?;
        }
        self.migrate().await?;
        for service in self.services_with_database() {
            self.home.end_ownership(service).await?;
        }
        Ok(())
    }

    /// Gives the services the rights of the owners of their tables, as an operator does before going back to the release
    /// before.
    pub async fn lend_tables(&self) -> Result<()> {
        for service in self.services_with_database() {
            self.home.lend_ownership(service).await?;
        }
        Ok(())
    }

    /// Migrates all databases, each by a program that ends before the service starts: the processes that serve have no
    /// login that may change tables.
    async fn migrate(&self) -> Result<()> {
        try_join_all(self.migrations.iter().map(run_to_end)).await?;
        Ok(())
    }

    fn services_with_database(&self) -> impl Iterator<Item = Service> {
        let components = self.processes.iter().map(|unit| unit.component);
        components.filter_map(|component| match component {
            Component::Service(service) if service.has_database() => Some(service),
            _ => None,
        })
    }

    async fn start_all(&mut self, builder: &StackBuilder) -> Result<()> {
        let began = Instant::now();
        self.start_servers(builder).await?;
        self.home.create(&builder.services, builder.tables).await?;
        info!(
            "PostgreSQL and RabbitMQ are ready after {:.1} s",
            began.elapsed().as_secs_f32()
        );
        if builder.services.is_empty() {
            return Ok(());
        }
        self.start_services(builder).await?;
        if builder.services.contains(&Service::Gateway) {
            let surroundings = nginx::Surroundings {
                frame_ancestors: &builder.frame_ancestors,
                proxies_in_front: builder.proxies_in_front.as_deref(),
            };
            let web = builder.resolve_web();
            let unit = nginx::prepare(&self.layout, &self.ports, &web, surroundings)?;
            self.supervise(unit);
            self.wait_ready(Component::Nginx).await?;
            self.wait_edge_ready().await?;
        }
        info!(
            "the services are ready after {:.1} s",
            began.elapsed().as_secs_f32()
        );
        if builder.services.contains(&Service::Auth) {
            let operator = self.operator_command()?;
            let password = &builder.admin_password;
            let two = builder.content != Content::OneAdmin;
            staff::create_admins(operator, &self.layout, password, two).await?;
        }
        if builder.content == Content::Demo {
            staff::load_demo(self.operator_command()?, &self.layout).await?;
        }
        if let (Some(visitors), Some(operator)) = (&builder.simnet, &self.operator) {
            let api = format!("{}/api", self.url());
            self.supervise(adfolio::simnet(operator, &api, visitors));
        }
        Ok(())
    }

    async fn start_servers(&mut self, builder: &StackBuilder) -> Result<()> {
        if builder.has_private_broker() {
            let epmd = rabbitmq::epmd(&self.layout, &self.ports)?;
            self.supervise(epmd);
            self.wait_ready(Component::Epmd).await?;
            let definitions = broker_users::write_definitions(&self.layout)?;
            let broker = rabbitmq::prepare(&self.layout, &self.ports, &definitions)?;
            self.supervise(broker);
        }
        self.amqp_url = self.broker.administrator_url()?;
        if builder.has_private_database() {
            let superuser = match builder.services[..] {
                [] => Superuser::Anybody,
                _ => Superuser::Password,
            };
            let (layout, ports) = (&self.layout, &self.ports);
            let database = postgres::prepare(layout, ports, builder.durable, superuser).await?;
            self.supervise(database);
            self.wait_ready(Component::Postgres).await?;
        }
        if builder.has_private_broker() {
            self.wait_ready(Component::Rabbitmq).await?;
        }
        if builder.amqp_url.is_none() {
            broker_users::declare_exchanges(&self.amqp_url).await?;
        }
        Ok(())
    }

    fn database_urls(&self, service: Service, builder: &StackBuilder) -> DatabaseUrls {
        let url = |addresses: &[SocketAddr]| self.home.url(service, addresses);
        let reading = builder.read_addresses_of(service);
        DatabaseUrls {
            serving: url(builder.database_addresses_of(service)),
            reading: (!reading.is_empty()).then(|| url(reading)),
        }
    }

    async fn start_services(&mut self, builder: &StackBuilder) -> Result<()> {
        let programs = builder.resolve_programs()?;
        if self.tls {
            certificates::make(&self.layout)?;
        } else {
            certificates::forget(&self.layout)?;
        }
        identity::make(&self.layout)?;
        let surroundings = Surroundings {
            ports: &self.ports,
            programs: &programs,
            broker: &self.broker,
            broker_addresses: &builder.broker_addresses,
            tls: self.tls,
            // Without a certificate adfolioctl could not prove that it acts as staff.
            signed_identities: self.tls && builder.signed_identities,
            demo: builder.content == Content::Demo,
        };
        let mut units = Vec::new();
        let components = builder.components();
        for component in &components {
            let Some(service) = component.service() else {
                continue;
            };
            let database = service
                .has_database()
                .then(|| self.database_urls(service, builder));
            let extra = builder.extra.get(&service).map_or(&[][..], Vec::as_slice);
            units.push(surroundings.unit(
                &self.layout,
                (*component, service),
                database.as_ref(),
                extra,
            )?);
        }
        self.operator = Some(surroundings.operator(&self.layout)?);
        self.processes.clone_from(&units);
        for &service in &builder.services {
            if let Some(url) = self.home.migration_url(service) {
                // In the same file as the one that the service reads.
                let login = self
                    .home
                    .url(service, builder.database_addresses_of(service));
                let urls = (login.as_str(), url.as_str());
                let migration = surroundings.migration(&self.layout, service, urls)?;
                self.migrations.push(migration);
            }
        }
        if builder.tables == Tables::OfOwner {
            self.migrate().await?;
        }
        units.retain(|unit| builder.replicas.start(unit.component));
        let started: Vec<_> = units.iter().map(|unit| unit.component).collect();
        for unit in units {
            self.supervise(unit);
        }
        for component in started {
            self.wait_ready(component).await?;
        }
        Ok(())
    }

    fn supervise(&mut self, unit: Unit) {
        self.children.push(Supervised::start(unit, &self.layout));
    }

    fn child(&self, component: Component) -> Result<&Supervised> {
        let mut children = self.children.iter();
        children
            .find(|child| child.component() == component)
            .with_context(|| format!("{component} is not a part of this stack"))
    }

    fn is_edge(component: Component) -> bool {
        matches!(component, Component::Nginx | Component::Simnet)
    }

    fn is_gateway(component: Component) -> bool {
        component.service() == Some(Service::Gateway)
    }

    fn is_service(component: Component) -> bool {
        component.service().is_some()
    }

    fn is_server(component: Component) -> bool {
        matches!(component, Component::Postgres | Component::Rabbitmq)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        const ROUNDS: usize = 100;
        const PAUSE: Duration = Duration::from_millis(20);
        if self.stopped {
            return;
        }
        self.children.clear();
        // Also their children, before the folder they write to is removed. Bounded: each round
        // kills what it finds.
        for _ in 0..ROUNDS {
            if kill_marked(&self.layout, None) == 0 {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Kills what an earlier supervisor of the same folder left behind.
pub(crate) async fn clear_leftovers(layout: &Layout) {
    if kill_marked(layout, None) > 0 {
        for component in Component::all() {
            kill_leftovers(layout, component).await;
        }
    }
}

fn describe(layout: &Layout, ports: &Ports, components: &[Component]) -> Result<()> {
    let components = components.iter().map(Component::to_string).collect();
    let description = serde_json::to_vec_pretty(&Description {
        ports: ports.clone(),
        components,
    })?;
    fs::write(layout.description(), description).context("cannot write the stack's description")
}
