//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::config::ConfigError;
use adfolio_kit::second_pair::SecondPair;
use adfolio_kit::service::{self, Backend};
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::users::Users;
use tokio::sync::Notify;

use crate::config::{Config, Rules};
use crate::order::entity::Order;
use crate::peers::Peers;
use crate::put::{Queues, Writers};

/// Encodes the answer to a put. The saga stores it with the put's end, whether or not a caller
/// still waits.
pub type EncodePut = fn(&Order) -> Vec<u8>;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
    pub peers: Peers,
    /// Asks whether two accounts of staff are two people.
    pub second_pair: SecondPair,
    pub rules: Rules,
    /// Wakes the worker that carries out what orders wait for.
    pub work: Arc<Notify>,
    /// For puts that begin and puts that are placed.
    pub puts: Queues,
    /// Ends streams that have no end of their own.
    pub shutdown: Shutdown,
}

impl Parts {
    /// With the writers of its queues, which have to run for any put to get on.
    pub fn new(
        config: &Config,
        backend: &Backend,
        encode_put: EncodePut,
    ) -> Result<(Self, Writers), ConfigError> {
        let rules = Rules::try_from(config)?;
        let tls = backend.service.tls.as_ref();
        let (puts, writers) = Queues::new(backend, &config.clock, &rules, encode_put);
        let parts = Self {
            users: Users::connect(&config.auth_url, tls)?,
            second_pair: SecondPair::connect(&config.auth_url, tls)?,
            peers: Peers::connect(config, rules.step_limit(), tls)?,
            rules,
            work: Arc::new(Notify::new()),
            puts,
            shutdown: backend.service.shutdown.clone(),
        };
        Ok((parts, writers))
    }
}
