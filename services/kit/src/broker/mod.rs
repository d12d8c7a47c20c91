//! RabbitMQ: connections ([`Broker`], [`Session`]), the topology that all services share
//! (`topology`), and requests with a time limit.
//!
//! lapin's own recovery gives up after 16 attempts and then leaves consumers hanging, so it is off.
//! The user of a [`Session`] drops it on the first error and opens a new one, with jittered backoff
//! and without a limit on attempts.

mod recall;
mod requests;
mod session;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use lapin::{Connection, ConnectionProperties};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{BrokerArgs, ConfigError};
use recall::Recall;
pub(crate) use requests::{REQUEST_LIMIT, bind, bounded, short, unbind};
pub use session::Session;
pub use topology::{DELIVERY_LIMIT, Stream};

/// Limit of each step of opening a connection.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// Seconds between heartbeats: a silent broker is detected within twice this time.
const HEARTBEAT_SECONDS: u16 = 10;

/// Largest frame; larger messages are split. lapin buffers 64 frames per connection, which would be
/// 8 MiB with the usual 128 KiB.
const FRAME_BYTES: u32 = 16 * 1024;

/// A request to the broker failed.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The client library failed.
    #[error("broker request failed")]
    Amqp(#[from] lapin::Error),
    /// The broker did not answer in time.
    #[error("broker did not answer {0} in time")]
    TimedOut(&'static str),
    /// A name is longer than AMQP allows.
    #[error("name is longer than 255 bytes")]
    NameTooLong,
    /// The stream of deliveries ended.
    #[error("deliveries ended")]
    Ended,
    /// The channel is gone, so an acknowledgement did not reach the broker.
    #[error("acknowledgement was not taken")]
    NotAcknowledged,
    /// A publish was rejected or returned.
    #[error("publish was not confirmed: {0}")]
    NotConfirmed(String),
}

/// How to reach the broker, and the prefix of everything there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Broker {
    /// Of each node.
    urls: Arc<[SecretString]>,
    /// A number of the process, which sessions spread by.
    process: u64,
    namespace: String,
    queue_expires_seconds: Option<u32>,
}

impl Broker {
    /// Checks the configuration without connecting.
    pub fn new(args: &BrokerArgs) -> Result<Self, ConfigError> {
        Ok(Self {
            urls: args.urls()?,
            process: rand::random(),
            namespace: args.amqp_namespace.clone(),
            queue_expires_seconds: args.amqp_queue_expires_seconds,
        })
    }

    /// Opens a connection with one channel at a node that answers, and declares the exchanges if they
    /// are missing. The nodes are tried in an order of chance that is always the same for this `Broker`
    /// and this name. The session is recalled once an earlier node answers than the one it is at. The
    /// channel needs no error callback: every use of a broken channel fails or times out.
    pub async fn open(&self, name: &str) -> Result<Session, BrokerError> {
        let order = recall::order(self.process, name, self.urls.len());
        let mut failed = BrokerError::TimedOut("connect");
        for (place, node) in order.iter().enumerate() {
            match self.open_at(*node, name).await {
                Ok(mut session) => {
                    let earlier = &order[..place];
                    if !earlier.is_empty() {
                        session.recall = Some(Recall::start(self, earlier, name));
                    }
                    return Ok(session);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    async fn open_at(&self, node: usize, name: &str) -> Result<Session, BrokerError> {
        let properties =
            ConnectionProperties::default().with_connection_name(format!("adfolio-{name}").into());
        let mut uri: lapin::uri::AMQPUri = self.urls[node]
            .expose_secret()
            .parse()
            .map_err(|_| BrokerError::TimedOut("connect"))?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
        uri.query.frame_max.get_or_insert(FRAME_BYTES);
        uri.query
            .connection_timeout
            .get_or_insert(u64::try_from(OPEN_LIMIT.as_millis()).unwrap_or(u64::MAX));
        let connection = bounded(
            "connect",
            OPEN_LIMIT,
            Connection::connect_uri(uri, properties),
        )
        .await?;
        let mut channel = bounded("channel.open", OPEN_LIMIT, connection.create_channel()).await?;
        if !self.has_exchanges(&channel).await? {
            // The broker closes a channel that asks for something missing.
            channel = bounded("channel.open", OPEN_LIMIT, connection.create_channel()).await?;
            self.declare_exchanges(&channel).await?;
        }
        Ok(Session {
            connection,
            channel,
            recall: None,
        })
    }
}
