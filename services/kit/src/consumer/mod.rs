//! Consumers: events taken from a quorum queue, each in one transaction with its row in the inbox.
//!
//! What can happen to an event, and what follows:
//! - handled, or known from before: acknowledged after the commit;
//! - of no concern to the handler: acknowledged at once;
//! - the database or another service cannot be reached ([`HandlerError::Unavailable`]): kept and tried again in place, with
//!   backoff, for as long as it takes; an outage burns no deliveries;
//! - the handler fails ([`HandlerError::Failed`]): a few attempts in place, then back to the queue, which counts deliveries
//!   and dead-letters at [`crate::broker::DELIVERY_LIMIT`];
//! - it can never succeed ([`HandlerError::Permanent`], or it is no event at all): dead-lettered at once.
//!
//! Replicas share what is in a queue. Within a replica events of one subject are handled one after the other, different subjects
//! side by side, so that a bad event delays no neighbour. Two replicas may have events of one subject in hand at the same time, as
//! after a redelivery, so an effect must not depend on their order: it goes by what the event says (its time, its state) and by
//! what is in the database under lock.

mod ephemeral;
mod lanes;
mod received;
mod retire;
mod supervise;

use std::sync::Arc;

use futures::future::BoxFuture;
use sqlx::PgPool;

pub use ephemeral::{EventSink, Interests, Subscription};

use crate::admin::Readiness;
use crate::broker::Broker;
use crate::db::Tx;
use crate::error::CoreError;
use crate::latch::Latch;
use crate::outbox::{CloudEvent, DecodeError};
use crate::refusal::{Refusal, is_unavailable};
use crate::shutdown::Shutdown;

/// Why a handler did not handle an event.
#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    /// Something that the handler needs cannot be reached now.
    #[error("dependency unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The handler failed; a later attempt may succeed.
    #[error("handler failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No attempt will ever succeed.
    #[error("event cannot be handled")]
    Permanent(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl HandlerError {
    /// The handler failed; a later attempt may succeed.
    pub fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }

    /// No attempt will ever succeed.
    pub fn permanent(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Permanent(error.into())
    }

    /// Something that the handler needs cannot be reached now.
    pub fn unavailable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<sqlx::Error> for HandlerError {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) {
            Self::unavailable(error)
        } else {
            Self::failed(error)
        }
    }
}

impl From<DecodeError> for HandlerError {
    fn from(error: DecodeError) -> Self {
        Self::permanent(error)
    }
}

impl From<tonic::Status> for HandlerError {
    fn from(status: tonic::Status) -> Self {
        match status.code() {
            tonic::Code::Unavailable | tonic::Code::DeadlineExceeded | tonic::Code::Cancelled => {
                Self::unavailable(status)
            }
            _ => Self::failed(status),
        }
    }
}

impl From<Refusal> for HandlerError {
    fn from(refusal: Refusal) -> Self {
        Self::failed(refusal)
    }
}

impl From<CoreError> for HandlerError {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::Database(error) => error.into(),
            CoreError::Peer { source, .. } => (*source).into(),
            CoreError::Refused(refusal) => refusal.into(),
            other => Self::failed(other),
        }
    }
}

/// Applies events. Everything it writes goes through `tx`, which commits together with the inbox's row.
pub trait Handler: Send + Sync + 'static {
    /// Whether the event matters here. One that does not is acknowledged at once, without a transaction and without a row in
    /// the inbox; an answer must depend on the event alone.
    fn concerns(&self, event: &CloudEvent) -> bool {
        let _ = event;
        true
    }

    /// Takes effect of one event. The event is new: duplicates do not get here.
    fn handle(
        &self,
        tx: &mut Tx,
        event: &CloudEvent,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send;
}

impl<F> Handler for F
where
    F: for<'a> Fn(&'a mut Tx, &'a CloudEvent) -> BoxFuture<'a, Result<(), HandlerError>>
        + Send
        + Sync
        + 'static,
{
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        self(tx, event).await
    }
}

/// One consumer of one service: a queue, its bindings, and an entry in the inbox under its name.
#[derive(Clone, Debug)]
pub struct Consumer {
    service: &'static str,
    name: &'static str,
    bindings: Vec<String>,
    concurrency: usize,
}

/// Every consumer of the system, as service and name.
pub const CONSUMERS: [(&str, &str); 7] = [
    ("auth", "audit"),
    ("auth", "membership"),
    ("auth", "security"),
    ("coupon", "plans"),
    ("notification", "inbox"),
    ("plan", "delivery"),
    ("wallet", "passwords"),
];

/// Subjects that are handled side by side.
const DEFAULT_CONCURRENCY: usize = 16;

impl Consumer {
    /// The consumer `name` of `service`.
    pub fn new(service: &'static str, name: &'static str) -> Self {
        Self {
            service,
            name,
            bindings: Vec::new(),
            concurrency: DEFAULT_CONCURRENCY,
        }
    }

    /// Takes events whose type matches: `*` stands for one word between dots, `#` for any number of them.
    #[must_use]
    pub fn bind(mut self, pattern: impl Into<String>) -> Self {
        self.bindings.push(pattern.into());
        self
    }

    /// Handles at most this many subjects side by side.
    #[must_use]
    pub fn concurrency(mut self, subjects: usize) -> Self {
        self.concurrency = subjects.clamp(1, 256);
        self
    }

    /// The name under which the inbox keeps this consumer's events.
    pub fn inbox_name(&self) -> String {
        format!("{}.{}", self.service, self.name)
    }

    /// Consumes until the shutdown, through any number of broker failures. Starts once the schema is there; becomes ready
    /// once the queue was declared, or the broker has had its chance. The check is registered before this returns.
    pub fn run<H: Handler>(
        self,
        pool: PgPool,
        broker: Broker,
        migrated: Latch,
        readiness: &Readiness,
        shutdown: Shutdown,
        handler: H,
    ) -> impl Future<Output = ()> + Send + use<H> {
        let declared = readiness.register_flag(self.name);
        let worker = Arc::new(supervise::Worker {
            consumer: self,
            pool,
            broker,
            handler,
        });
        supervise::run(worker, migrated, declared, shutdown)
    }
}
