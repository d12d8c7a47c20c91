//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::identity_token::Signer;
use adfolio_kit::service;
use tokio::sync::Semaphore;

use crate::attempt::entity::Limits;
use crate::attempt::guess;
use crate::config::Config;
use crate::password::Passwords;
use crate::session::entity::SessionRules;
use crate::session::uses::Uses;
use crate::staff::factor::{Policy, Sealer};
use crate::staff::passkey::RelyingParty;
use crate::user::CodeMaker;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub passwords: Passwords,
    pub limits: Limits,
    /// Limits of guesses over many names or codes.
    pub guesses: guess::entity::Limits,
    /// Who counts guesses now.
    pub guess_turns: Arc<Semaphore>,
    pub sessions: SessionRules,
    /// Uses of sessions that are not stored yet.
    pub session_uses: Uses,
    /// Whether staff may work without a second factor.
    pub second_factor: Policy,
    /// Checks passkeys, if the console's address is configured.
    pub relying_party: RelyingParty,
    /// Encrypts the secrets of second factors.
    pub sealer: Sealer,
    /// Makes the codes that confirm e-mail addresses.
    pub code_maker: CodeMaker,
    /// Signs identity tokens, if there is a key.
    pub signer: Option<Signer>,
}

impl Parts {
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        let keys = config.second_factor.keys()?;
        Ok(Self {
            passwords: Passwords::new(config.access.password_queue.into())?,
            limits: config.access.login_limits(),
            guesses: config.guesses.limits(),
            guess_turns: Arc::new(Semaphore::new(guess::TURNS)),
            sessions: config.access.session_rules(),
            session_uses: Uses::default(),
            second_factor: config.second_factor.policy()?,
            relying_party: RelyingParty::new(config.second_factor.console_origin.as_ref())?,
            sealer: Sealer::new(&keys),
            code_maker: CodeMaker::new(&keys)?,
            signer: config
                .identity_key_file
                .as_deref()
                .map(Signer::load)
                .transpose()?,
        })
    }
}
