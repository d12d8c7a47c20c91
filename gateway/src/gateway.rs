//! The state that all calls share.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::config::ConfigError;
use adfolio_kit::shutdown::Shutdown;
use ipnet::IpNet;

use crate::alerts::Alerts;
use crate::auth::{Sessions, TokenDigest};
use crate::basic_config::BasicConfigCache;
use crate::config::GatewayConfig;
use crate::limits::FloodLimit;
use crate::recent::Recent;
use crate::service_entries::ServiceEntryCache;
use crate::services::Services;
use crate::staff_stream::StaffStreams;
use crate::stream::Streams;
use crate::uploads::Uploads;

/// The state of the gateway. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    services: Services,
    sessions: Sessions,
    recent: Recent,
    service_entries: ServiceEntryCache,
    address_limit: FloodLimit<IpAddr>,
    token_limit: FloodLimit<TokenDigest>,
    trusted_proxies: Vec<IpNet>,
    currency: String,
    security_contact: Option<String>,
    uploads: Uploads,
    alerts: Alerts,
    basic_config: BasicConfigCache,
    streams: Streams,
    staff_streams: StaffStreams,
}

impl Gateway {
    /// From the configuration. Nothing is connected yet. Event streams end with `shutdown`; those that open after it
    /// end with `closing`.
    pub fn new(
        config: &GatewayConfig,
        shutdown: &Shutdown,
        closing: &Shutdown,
    ) -> Result<Self, ConfigError> {
        let services =
            Services::connect(&config.services, config.process.server.tls.load()?.as_ref())?;
        let believed_for = Duration::from_secs(config.session_cache_seconds);
        let sessions = Sessions::new(services.clone(), believed_for);
        let content_kept_for = Duration::from_secs(config.basic_config_cache_seconds);
        let basic_config =
            BasicConfigCache::new(services.clone(), config.currency.clone(), content_kept_for);
        Ok(Self(Arc::new(Shared {
            streams: Streams::new(
                config,
                (sessions.clone(), services.clone()),
                (shutdown, closing),
            ),
            staff_streams: StaffStreams::new(config, sessions.clone(), (shutdown, closing)),
            sessions,
            recent: Recent::new(believed_for, content_kept_for),
            service_entries: ServiceEntryCache::new(
                services.notification.clone(),
                basic_config.clone(),
            ),
            basic_config,
            address_limit: FloodLimit::new(config.flood_limit_per_second),
            token_limit: FloodLimit::new(config.flood_limit_session_per_second),
            trusted_proxies: config.trusted_proxies.clone(),
            currency: config.currency.clone(),
            security_contact: config.security_contact.clone(),
            uploads: Uploads::open(config)?,
            alerts: Alerts::of(&config.alerts_url)?,
            services,
        })))
    }

    /// Clients of the services.
    pub fn services(&self) -> &Services {
        &self.0.services
    }

    /// Verified tokens.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// Recent answers of services.
    pub fn recent(&self) -> &Recent {
        &self.0.recent
    }

    /// Customer-service entries.
    pub fn service_entries(&self) -> &ServiceEntryCache {
        &self.0.service_entries
    }

    /// The flood limit of client addresses.
    pub fn address_limit(&self) -> &FloodLimit<IpAddr> {
        &self.0.address_limit
    }

    /// The flood limit of tokens and of networks' keys.
    pub fn token_limit(&self) -> &FloodLimit<TokenDigest> {
        &self.0.token_limit
    }

    /// Whether a peer is a proxy that is trusted to forward the client's address.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.0
            .trusted_proxies
            .iter()
            .any(|network| network.contains(&peer))
    }

    /// The platform's currency.
    pub fn currency(&self) -> &str {
        &self.0.currency
    }

    /// Whom to tell of a vulnerability.
    pub fn security_contact(&self) -> Option<&str> {
        self.0.security_contact.as_deref()
    }

    /// Uploaded pictures.
    pub fn uploads(&self) -> &Uploads {
        &self.0.uploads
    }

    /// Alerts that fire.
    pub fn alerts(&self) -> &Alerts {
        &self.0.alerts
    }

    /// What a client needs before login.
    pub fn basic_config(&self) -> &BasicConfigCache {
        &self.0.basic_config
    }

    /// Open event streams of users.
    pub fn streams(&self) -> &Streams {
        &self.0.streams
    }

    /// Open event streams of staff.
    pub fn staff_streams(&self) -> &StaffStreams {
        &self.0.staff_streams
    }
}
