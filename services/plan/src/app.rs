//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::config::ConfigError;
use adfolio_kit::db::PgPool;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::service::Backend;
use adfolio_kit::users::Users;
use tokio::sync::Notify;

use crate::config::{Config, Rules};
use crate::order::entity::Order;
use crate::peers::Peers;

/// Encodes the answer to a put. The saga stores it with the put's end, whether or not a caller
/// still waits.
pub type EncodePut = fn(&Order) -> Vec<u8>;

/// Handed to every use case. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: PgPool,
    pub clock: Clock,
    pub ids: Ids,
    pub notifier: Notifier,
    pub users: Users,
    pub peers: Peers,
    pub rules: Rules,
    /// Wakes the worker that carries out what orders wait for.
    pub work: Arc<Notify>,
    pub encode_put: EncodePut,
}

impl App {
    pub fn new(
        config: &Config,
        backend: &Backend,
        encode_put: EncodePut,
    ) -> Result<Self, ConfigError> {
        let rules = Rules::from(config);
        let tls = backend.service.tls.as_ref();
        Ok(Self {
            pool: backend.pool.clone(),
            clock: config.clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            users: Users::connect(&config.auth_url, tls)?,
            peers: Peers::connect(config, rules.step_limit(), tls)?,
            rules,
            work: Arc::new(Notify::new()),
            encode_put,
        })
    }
}
