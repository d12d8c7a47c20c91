//! What every use case works with.

use adfolio_kit::config::ConfigError;
use adfolio_kit::service::{self, Backend};
use adfolio_kit::users::Users;

use crate::config::Config;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
}

impl Parts {
    pub fn new(config: &Config, backend: &Backend) -> Result<Self, ConfigError> {
        Ok(Self {
            users: Users::connect(&config.auth_url, backend.service.tls.as_ref())?,
        })
    }
}
