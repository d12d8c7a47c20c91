//! What every use case works with.

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::PgPool;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::password::HashError;
use adfolio_kit::service::Backend;

use crate::attempt::entity::Limits;
use crate::config::Config;
use crate::password::Passwords;
use crate::session::entity::SessionRules;

/// Handed to every use case. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: PgPool,
    pub clock: Clock,
    pub ids: Ids,
    pub notifier: Notifier,
    pub passwords: Passwords,
    pub limits: Limits,
    pub sessions: SessionRules,
}

impl App {
    pub fn new(config: &Config, backend: &Backend) -> Result<Self, HashError> {
        Ok(Self {
            pool: backend.pool.clone(),
            clock: config.clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            passwords: Passwords::new(config.access.password_queue.into())?,
            limits: config.access.login_limits(),
            sessions: config.access.session_rules(),
        })
    }
}
