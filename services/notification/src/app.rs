//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::PgPool;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::service::Backend;
use adfolio_kit::users::Users;
use anyhow::Context as _;

use crate::config::Config;
use crate::content::built_in::BuiltIn;
use crate::text::Catalogues;

/// Handed to every use case. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: PgPool,
    pub clock: Clock,
    pub ids: Ids,
    pub notifier: Notifier,
    pub users: Users,
    /// What notices say, in every language.
    pub catalogues: Arc<Catalogues>,
    /// The content that stands where staff have edited nothing.
    pub built_in: Arc<BuiltIn>,
}

impl App {
    pub fn new(config: &Config, backend: &Backend) -> anyhow::Result<Self> {
        let catalogues = Catalogues::built_in().context("the texts are not usable")?;
        let built_in = BuiltIn::load().context("the built-in content is not usable")?;
        Ok(Self {
            pool: backend.pool.clone(),
            clock: config.clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            users: Users::connect(&config.auth_url, backend.service.tls.as_ref())?,
            catalogues: Arc::new(catalogues),
            built_in: Arc::new(built_in),
        })
    }
}
