//! What every use case works with.

use adfolio_kit::config::ConfigError;
use adfolio_kit::four_eyes::Threshold;
use adfolio_kit::second_pair::SecondPair;
use adfolio_kit::service::{self, Backend};
use adfolio_kit::users::Users;

use crate::config::{Config, Rules};
use crate::exchange::entity::Answers;
use crate::grpc::map;
use crate::peers::Peers;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
    pub second_pair: SecondPair,
    pub peers: Peers,
    pub rules: Rules,
    /// The sum above which a completion takes another member of staff.
    pub threshold: Threshold,
    /// How the kept answers of exchange orders are encoded.
    pub answers: Answers,
}

impl Parts {
    pub fn new(config: &Config, rules: Rules, backend: &Backend) -> Result<Self, ConfigError> {
        let tls = backend.service.tls.as_ref();
        Ok(Self {
            users: Users::connect(&config.auth_url, tls)?,
            second_pair: SecondPair::connect(&config.auth_url, tls)?,
            peers: Peers::connect(&config.wallet_url, rules.step_limit(), tls)?,
            rules,
            threshold: config.four_eyes.threshold()?,
            answers: map::ANSWERS,
        })
    }
}
