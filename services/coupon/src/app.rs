//! What every use case works with.

use adfolio_kit::config::ConfigError;
use adfolio_kit::four_eyes::Threshold;
use adfolio_kit::second_pair::SecondPair;
use adfolio_kit::service::{self, Backend};
use adfolio_kit::users::Users;

use crate::config::Config;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
    pub second_pair: SecondPair,
    /// The sum above which campaigns take another member of staff.
    pub threshold: Threshold,
}

impl Parts {
    pub fn new(config: &Config, backend: &Backend) -> Result<Self, ConfigError> {
        let tls = backend.service.tls.as_ref();
        Ok(Self {
            users: Users::connect(&config.auth_url, tls)?,
            second_pair: SecondPair::connect(&config.auth_url, tls)?,
            threshold: config.four_eyes.threshold()?,
        })
    }
}
