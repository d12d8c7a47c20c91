//! What every use case works with.

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::config::ConfigError;
use adfolio_kit::db::PgPool;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::service::Backend;
use adfolio_kit::users::Users;

use crate::config::{Config, Rules};
use crate::exchange::entity::Answers;
use crate::grpc::map;
use crate::peers::Peers;

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
    /// How the kept answers of exchange orders are encoded.
    pub answers: Answers,
}

impl App {
    pub fn new(config: &Config, rules: Rules, backend: &Backend) -> Result<Self, ConfigError> {
        let tls = backend.service.tls.as_ref();
        Ok(Self {
            pool: backend.pool.clone(),
            clock: config.clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            users: Users::connect(&config.auth_url, tls)?,
            peers: Peers::connect(&config.wallet_url, rules.step_limit(), tls)?,
            rules,
            answers: map::ANSWERS,
        })
    }
}
