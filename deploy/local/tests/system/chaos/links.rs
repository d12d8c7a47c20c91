//! Proxies between the components, so that connections can be cut.

use adfolio_local::{Ports, Service, StackBuilder};
use adfolio_testkit::Proxy;

/// One proxy in front of PostgreSQL, one in front of RabbitMQ, and one in front of each service.
pub struct Links {
    database: Proxy,
    broker: Proxy,
    services: Vec<(Service, Proxy)>,
}

impl Links {
    /// Proxies for the components of a stack on these ports.
    pub async fn start(ports: &Ports) -> Self {
        let target = |port: u16| format!("127.0.0.1:{port}");
        let mut services = Vec::new();
        for service in Service::ALL {
            if service != Service::Gateway {
                let address = ports.listen_address(service).to_string();
                services.push((service, Proxy::start(&address).await));
            }
        }
        Self {
            database: Proxy::start(&target(ports.postgres)).await,
            broker: Proxy::start(&target(ports.amqp)).await,
            services,
        }
    }

    /// Tells every service of the stack to reach the others through the proxies.
    pub fn lead_through(&self, mut builder: StackBuilder) -> StackBuilder {
        for service in Service::ALL {
            builder = builder
                .database_addresses(service, [self.database.address()])
                .broker_address(service, self.broker.address());
            for (peer, proxy) in &self.services {
                let variable = format!("{}_URL", peer.name().to_uppercase());
                let url = format!("{}://{}", builder.scheme(), proxy.address());
                builder = builder.extra_env(service, variable, url);
            }
        }
        builder
    }

    /// Whether RabbitMQ is unreachable.
    pub fn hide_broker(&self, hide: bool) {
        self.broker.refuse(hide);
        self.broker.cut();
    }

    /// The number of proxies.
    pub fn count(&self) -> usize {
        self.services.len() + 2
    }

    /// Cuts every connection of one of them, by its index.
    pub fn cut(&self, place: usize) {
        match place {
            0 => self.database.cut(),
            1 => self.broker.cut(),
            _ => self.services[place - 2].1.cut(),
        }
    }
}
