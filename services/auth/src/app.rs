//! What every use case works with.

use adfolio_kit::password::HashError;
use adfolio_kit::service;

use crate::attempt::entity::Limits;
use crate::config::Config;
use crate::password::Passwords;
use crate::session::entity::SessionRules;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub passwords: Passwords,
    pub limits: Limits,
    pub sessions: SessionRules,
}

impl Parts {
    pub fn new(config: &Config) -> Result<Self, HashError> {
        Ok(Self {
            passwords: Passwords::new(config.access.password_queue.into())?,
            limits: config.access.login_limits(),
            sessions: config.access.session_rules(),
        })
    }
}
