//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::service::{self, Backend};
use adfolio_kit::users::Users;
use anyhow::Context as _;

use crate::config::Config;
use crate::content::built_in::BuiltIn;
use crate::mail::Mailer;
use crate::peers::Directory;
use crate::push::Pusher;
use crate::text::Catalogues;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
    /// Where mail goes.
    pub directory: Directory,
    /// What sends it; none where mail is off.
    pub mailer: Option<Mailer>,
    /// What sends push messages; none where they are off.
    pub pusher: Option<Pusher>,
    /// What notices say, in every language.
    pub catalogues: Arc<Catalogues>,
    /// The content that stands where staff have edited nothing.
    pub built_in: Arc<BuiltIn>,
}

impl Parts {
    pub fn new(config: &Config, backend: &Backend) -> anyhow::Result<Self> {
        let catalogues = Catalogues::built_in().context("the texts are not usable")?;
        let built_in = BuiltIn::load().context("the built-in content is not usable")?;
        let tls = backend.service.tls.as_ref();
        Ok(Self {
            users: Users::connect(&config.auth_url, tls)?,
            directory: Directory::connect(&config.auth_url, tls)?,
            mailer: Mailer::new(&config.mail)?,
            pusher: Pusher::new(&config.push)?,
            catalogues: Arc::new(catalogues),
            built_in: Arc::new(built_in),
        })
    }
}
