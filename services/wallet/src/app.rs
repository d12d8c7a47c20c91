//! What every use case works with.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::config::ConfigError;
use adfolio_kit::four_eyes::Threshold;
use adfolio_kit::second_pair::SecondPair;
use adfolio_kit::service::{self, Backend};
use adfolio_kit::users::Users;
use adfolio_proof::note::Signer;
use tracing::warn;

use crate::approval;
use crate::config::{Bank, Config};
use crate::destination::seal::Sealer;
use crate::outflow;
use crate::pay_password::hash::Hasher;
use crate::pay_password::turns::Turns;
use crate::peers::Peers;
use crate::posting::writer::{self, Queue, Writer};
use crate::withdrawal::entity::Terms;

/// Handed to every use case. Cheap to clone.
pub type App = service::App<Parts>;

/// What only this service's use cases work with.
#[derive(Clone, Debug)]
pub struct Parts {
    pub users: Users,
    pub second_pair: SecondPair,
    pub peers: Peers,
    /// For everything that moves money.
    pub queue: Queue,
    /// For what one member of staff posts without another.
    pub alone: approval::Turns,
    pub hasher: Hasher,
    pub turns: Turns,
    pub sealer: Sealer,
    /// The platform's bank account.
    pub bank: Arc<Bank>,
    /// For checkpoints; none are made without.
    pub signer: Option<Arc<Signer>>,
    pub rules: Rules,
}

/// What the configuration sets.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// On which terms money leaves, by method.
    pub terms: [Terms; 2],
    /// What must hold for money that leaves.
    pub outflow: outflow::Rules,
    /// Whether users return start-up funds without staff.
    pub start_up_funds_returnable: bool,
    /// The sum above which staff need another member of staff.
    pub threshold: Threshold,
    /// Time between two proofs of the books.
    pub reconcile_interval: Duration,
    /// Time between two checkpoints.
    pub checkpoint_interval: Duration,
}

impl Parts {
    /// With the writer of its queue, which has to run for anything to be posted.
    pub fn new(config: &Config, backend: &Backend) -> anyhow::Result<(Self, Writer)> {
        let (pepper, previous_pepper) = config.secrets.peppers()?;
        let (card_key, previous_card_key) = config.secrets.card_keys()?;
        let signer = config.checkpoints.signer()?.map(Arc::new);
        if signer.is_none() {
            warn!("no checkpoints are published: CHECKPOINT_KEY is not set");
        }
        let tls = backend.service.tls.as_ref();
        let (queue, writer) = writer::queue(
            backend.pool.clone(),
            config.clock.clone(),
            backend.notifier.clone(),
            config.posting,
        );
        let parts = Self {
            users: Users::connect(&config.peers.auth_url, tls)?,
            second_pair: SecondPair::connect(&config.peers.auth_url, tls)?,
            peers: Peers::connect(&config.peers, tls)?,
            queue,
            alone: approval::Turns::default(),
            hasher: Hasher::new(pepper, previous_pepper)?,
            turns: Turns::default(),
            sealer: Sealer::new(&card_key, previous_card_key.as_ref())?,
            bank: Arc::new(config.bank.configured()?),
            signer,
            rules: Rules::configured(config)?,
        };
        Ok((parts, writer))
    }
}

impl Rules {
    fn configured(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            terms: Terms::configured(&config.withdrawals)?,
            outflow: outflow::Rules::configured(&config.withdrawals)?,
            start_up_funds_returnable: config.withdrawals.start_up_funds_returnable,
            threshold: config.four_eyes.threshold()?,
            reconcile_interval: config.reconcile_interval(),
            checkpoint_interval: config.checkpoints.interval(),
        })
    }
}
